// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "call.hpp"
#include <warpsafe/core/name.hpp>

#include <cstddef>
#include <cstdint>

namespace warpsafe::watch {

/// One call of a vendor's runtime other than a launch, with the values that the watch uses. Values
/// that the call does not have stay 0.
struct StreamCall {
  Call call = Call::other;
  Name outer{};             ///< the runtime's function that makes the driver's call; empty: none
  Name name{};              ///< name for texts; lives as long as the process
  bool per_thread = false;  ///< stream 0 means the thread's own default stream
  bool host_waits = false;  ///< the call returns after its work, whatever memory it uses
  std::int32_t device = 0;
  const void* stream = nullptr;        ///< as the program passed it
  const void* event = nullptr;         ///< the event that is created, recorded or waited for
  const void* second_event = nullptr;  ///< the end event of an elapsed time
  std::uintptr_t to = 0;               ///< the memory that the call writes, allocates or frees
  std::uintptr_t from = 0;             ///< the memory that the call reads
  std::size_t bytes = 0;
  /// Of an allocation, its number (MemoryCalls). Of a free, the number of the last allocation that
  /// had ended when the free began: another thread may have the memory before the free's end is
  /// seen.
  std::uint64_t number_of_memory = ~std::uint64_t{0};
  int kind = -1;   ///< cudaMemcpyKind of a copy, cudaFuncAttribute of an attribute; -1: none
  int number = 0;  ///< the device that is chosen, or the attribute's value
  const char* text = nullptr;  ///< the name that is looked for; the address may be anything

  /// The function that the program called, as far as it is known.
  [[nodiscard]] Name whole_name() const noexcept { return outer.empty() ? name : outer; }
};

}  // namespace warpsafe::watch
