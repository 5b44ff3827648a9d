// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/limits.hpp>
#include <warpsafe/core/name.hpp>

#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// The last known state of a launch.
enum class LaunchState : std::uint8_t {
  started,    ///< another thread is submitting it
  submitted,  ///< the runtime accepted it, and nothing has waited for it since
  complete,   ///< a wait that began after its submission has succeeded
  refused,    ///< the runtime refused it: it never ran
};

#pragma GCC diagnostic push
// g++ warns if `cooperative` of dims/launch_options.hpp is known.
#pragma GCC diagnostic ignored "-Wshadow"
/// Options of a launch.
enum class LaunchOption : std::uint8_t {
  priority = 1,
  cluster = 2,
  non_portable_cluster = 4,
  cooperative = 8,
  programmatic = 16,
};
#pragma GCC diagnostic pop

/// One launch. Its pointers stay valid as long as the shared object that launched
/// stays loaded. It is an aggregate without initialisers because thousands of records lie in static
/// storage: initialising each record would take a compiler longer than the rest of a program.
struct LaunchRecord {
  std::uint64_t
      sequence;  ///< its number, if an observer counts launches; the first of the process is 1
  Name kernel;
  std::uint32_t grid[3];
  std::uint32_t block[3];
  std::uint64_t dynamic_shared;  ///< bytes per block
  const void* stream;            ///< the runtime's handle, which may mean other streams, too
  std::uint64_t stream_number;   ///< StreamRef::number, which means this stream alone
  std::int32_t device;           ///< ordinal
  Vendor vendor;
  LaunchState state;
  std::uint8_t options;     ///< a set of LaunchOption bits
  std::int8_t priority;     ///< if `options` has priority; clamped to the range of the type
  std::uint32_t registers;  ///< of the kernel, per thread; 0 if unknown
  std::uint32_t max_threads_per_block;  ///< what the kernel allows; 0 if unknown
  std::uint32_t static_shared;          ///< of the kernel, bytes per block
  std::uint8_t cluster[4];  ///< blocks per axis, then 0; all 0 for no cluster; clamped to 255
  call_site site;

  [[nodiscard]] bool has(LaunchOption option) const noexcept {
    return (options & static_cast<std::uint8_t>(option)) != 0;
  }
};

static_assert(__is_trivial(LaunchRecord));  // std::is_trivial is deprecated in C++26
static_assert(sizeof(LaunchRecord) == 120, "with 8 bytes more, two lines of the cache");

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
