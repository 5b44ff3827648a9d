// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "call.hpp"
#include <warpsafe/core/name.hpp>

#include <cstddef>
#include <cstdint>

namespace warpsafe::watch {

/// One call of a vendor's runtime that is no launch: what of it the watch looks at. What a call
/// does not have stays 0.
struct StreamCall {
  Call call = Call::other;
  Name name{};              ///< as texts have it; it lives as long as the process
  bool per_thread = false;  ///< takes stream 0 for the thread's own
  bool host_waits = false;  ///< it comes back when its work is done, whatever it touches
  std::int32_t device = 0;
  const void* stream = nullptr;        ///< as it was given
  const void* event = nullptr;         ///< that is made, recorded, waited for
  const void* second_event = nullptr;  ///< the end of an elapsed time
  std::uintptr_t to = 0;               ///< what it writes, allocates or frees
  std::uintptr_t from = 0;             ///< what it reads
  std::size_t bytes = 0;
};

}  // namespace warpsafe::watch
