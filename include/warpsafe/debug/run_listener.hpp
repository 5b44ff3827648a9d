// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/launch_record.hpp>
#include <warpsafe/error/error.hpp>

#include <cstdint>
#include <ctime>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

/// One wait of the host that has ended.
struct WaitRecord {
  Name what;            ///< e.g. "stream synchronize"
  const void* stream;   ///< the runtime's handle; nullptr: not known
  std::int32_t device;  ///< ordinal
  Vendor vendor;
  std::int32_t status;  ///< the runtime's own
  std::uint64_t begun;  ///< nanoseconds of CLOCK_MONOTONIC
  std::uint64_t ended;
  call_site site;
  std::uint64_t stream_number = 0;  ///< StreamRef::number; 0: not known
};

/// Follows a run, as a recorder or a profiler's ranges do. Any thread may call its functions, also
/// several at once. They must not launch through checked code. Any of the pointers may be nullptr.
struct RunListener {
  /// A launch is about to be submitted to the runtime.
  void (*launching)(void* user, const LaunchRecord& record) noexcept = nullptr;
  /// The runtime has answered; times in nanoseconds of CLOCK_MONOTONIC. `record.state` is
  /// `submitted` or `refused`.
  void (*launched)(void* user, const LaunchRecord& record, std::uint64_t begun,
                   std::uint64_t ended) noexcept = nullptr;
  /// The host is about to wait; `what` is the name of the wait, as in WaitRecord.
  void (*waiting)(void* user, Name what) noexcept = nullptr;
  void (*waited)(void* user, const WaitRecord& wait) noexcept = nullptr;
  /// An error occurred: the runtime reported one, or a check refused a launch.
  void (*failed)(void* user, const LaunchError& error) noexcept = nullptr;
  void* user = nullptr;
  RunListener* next = nullptr;  ///< for the library's use
};

namespace detail {

[[gnu::visibility("default")]] inline RunListener* listeners_in_use = nullptr;

[[nodiscard]] inline bool has_listeners() noexcept {
  return __atomic_load_n(&listeners_in_use, __ATOMIC_ACQUIRE) != nullptr;
}
/// Calls `notify(listener)` for each listener.
template <class Notify>
void notify_listeners(const Notify& notify) noexcept {
  const RunListener* one = __atomic_load_n(&listeners_in_use, __ATOMIC_ACQUIRE);
  for (; one != nullptr; one = one->next) notify(*one);
}
[[gnu::cold]] inline void notify_failed(const LaunchError& error) noexcept {
  notify_listeners([&](const RunListener& one) {
    if (one.failed != nullptr) one.failed(one.user, error);
  });
}

/// Nanoseconds of CLOCK_MONOTONIC: the clock of all debug tools.
[[nodiscard]] inline std::uint64_t nanoseconds_now() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace detail

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
