// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/call_site.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/core/name.hpp>

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

/// What a launch asks for besides its sizes.
enum class LaunchOption : std::uint8_t {
  priority = 1,
  cluster = 2,
  non_portable_cluster = 4,
  cooperative = 8,
  programmatic = 16,
};

/// One launch as the journal keeps it. What its pointers point to lives as long as the shared
/// object that launched stays loaded. An aggregate without initialisers: thousands of them lie in
/// static storage, and a compiler that had to initialise each would take longer for them than for
/// the rest of a program.
struct LaunchRecord {
  std::uint64_t sequence;  ///< its number in the journal: the process's first is 1
  Name kernel;
  std::uint32_t grid[3];
  std::uint32_t block[3];
  std::uint64_t dynamic_shared;  ///< bytes per block
  const void* stream;            ///< the runtime's own
  std::int32_t device;           ///< ordinal
  Vendor vendor;
  LaunchState state;
  std::uint8_t options;  ///< LaunchOptions, or'ed
  std::int8_t priority;  ///< of its own, where it has one; what is beyond is the nearest that fits
  std::uint32_t registers;              ///< of the kernel, per thread; 0: unknown
  std::uint32_t max_threads_per_block;  ///< that the kernel allows; 0: unknown
  std::uint32_t static_shared;          ///< of the kernel, bytes per block
  std::uint8_t cluster[4];  ///< blocks per axis, then 0; all 0: none. What is beyond 255 is 255
  call_site site;

  [[nodiscard]] bool has(LaunchOption option) const noexcept {
    return (options & static_cast<std::uint8_t>(option)) != 0;
  }
};

static_assert(std::is_trivial_v<LaunchRecord>);
static_assert(sizeof(LaunchRecord) == 112, "with what the journal adds, two lines of the cache");

}  // namespace warpsafe::debug
