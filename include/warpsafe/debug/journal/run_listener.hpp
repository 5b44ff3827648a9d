// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/launch_record.hpp>
#include <warpsafe/error/error.hpp>

#include <cstdint>

namespace warpsafe::debug {

/// One wait of the host that has ended.
struct WaitRecord {
  Name what;            ///< e.g. "stream synchronize"
  const void* stream;   ///< the runtime's own; nullptr: not known
  std::int32_t device;  ///< ordinal
  Vendor vendor;
  std::int32_t status;  ///< the runtime's own
  std::uint64_t begun;  ///< nanoseconds of CLOCK_MONOTONIC
  std::uint64_t ended;
  call_site site;
};

/// Who follows a run: a recorder, a profiler's ranges. Told from any thread, from several at once;
/// it must not launch through checked code. Any of the pointers may be nullptr.
struct RunListener {
  /// A launch is about to be given to the runtime.
  void (*launching)(void* user, const LaunchRecord& record) noexcept = nullptr;
  /// The runtime has answered; times in nanoseconds of CLOCK_MONOTONIC. `record.state` is
  /// `submitted` or `refused`.
  void (*launched)(void* user, const LaunchRecord& record, std::uint64_t begun,
                   std::uint64_t ended) noexcept = nullptr;
  /// The host is about to wait, in what the runtime calls that (WaitRecord::what).
  void (*waiting)(void* user, Name what) noexcept = nullptr;
  void (*waited)(void* user, const WaitRecord& wait) noexcept = nullptr;
  /// An error was made: by the runtime, or by a check that refused a launch.
  void (*failed)(void* user, const LaunchError& error) noexcept = nullptr;
  void* user = nullptr;
  RunListener* next = nullptr;  ///< the library's own
};

namespace detail {

inline RunListener* listeners_in_use = nullptr;

[[nodiscard]] inline bool listening() noexcept {
  return __atomic_load_n(&listeners_in_use, __ATOMIC_ACQUIRE) != nullptr;
}
/// Calls `tell(listener)` for each.
template <class Tell>
void tell_listeners(const Tell& tell) noexcept {
  const RunListener* one = __atomic_load_n(&listeners_in_use, __ATOMIC_ACQUIRE);
  for (; one != nullptr; one = one->next) tell(*one);
}

}  // namespace detail

}  // namespace warpsafe::debug
