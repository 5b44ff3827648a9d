// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/call_site.hpp>
#include <warpsafe/limits.hpp>
#include <warpsafe/name.hpp>

#include <cstdint>
#include <type_traits>

namespace warpsafe::debug {

/// How far a launch is known to have come.
enum class LaunchState : std::uint8_t {
  started,    ///< it is being submitted, by another thread
  submitted,  ///< the runtime took it; nobody has waited for it since
  complete,   ///< a wait that began after it was submitted has succeeded
  refused,    ///< the runtime refused it: it never ran
};

/// One launch as the journal keeps it. What its pointers point to lives as long as the shared
/// object that launched stays loaded.
struct LaunchRecord {
  std::uint64_t sequence = 0;  ///< its number in the journal: the process's first is 1
  Name kernel{};
  std::uint32_t grid[3] = {0, 0, 0};
  std::uint32_t block[3] = {0, 0, 0};
  std::uint64_t dynamic_shared = 0;  ///< bytes per block
  const void* stream = nullptr;      ///< the runtime's own
  std::int32_t device = -1;          ///< ordinal
  Vendor vendor = Vendor::unknown;
  LaunchState state = LaunchState::started;
  std::uint32_t registers = 0;              ///< of the kernel, per thread; 0: unknown
  std::uint32_t max_threads_per_block = 0;  ///< that the kernel allows; 0: unknown
  std::uint64_t static_shared = 0;          ///< of the kernel, bytes per block
  call_site site{};
};

static_assert(std::is_trivially_copyable_v<LaunchRecord>);

}  // namespace warpsafe::debug
