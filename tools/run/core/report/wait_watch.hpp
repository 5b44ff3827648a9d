// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../../../common/held_signals.hpp"
#include <warpsafe/core/name.hpp>
#include <warpsafe/debug/journal/timeout.hpp>
#include <warpsafe/tool_api.hpp>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <thread>

namespace warpsafe::watch {

/// Knows what the program's threads wait for. Prints the work in flight if a wait exceeds
/// WARPSAFE_TIMEOUT: the program waits inside its runtime and cannot be interrupted there, so a
/// thread watches the waits.
class WaitWatch {
 public:
  /// The index of a watched wait; `none` if there are too many at once.
  static constexpr std::size_t none = ~std::size_t{0};

  /// Starts the thread if a limit is set. May throw std::system_error if no thread can be started.
  void start() {
    limit_ = __atomic_load_n(&tool::timeout_in_use, __ATOMIC_RELAXED);
    if (limit_ == tool::no_timeout) return;
    const NoSignals held;
    std::thread(&WaitWatch::look, this).detach();
    __atomic_store_n(&timed_, true, __ATOMIC_RELEASE);
  }
  /// Calls `see(what, stream, device)` for each wait that has not ended.
  template <class See>
  void each(const See& see) const {
    for (const Place& place : places_) {
      const std::uint64_t begun = __atomic_load_n(&place.begun, __ATOMIC_ACQUIRE);
      if (begun == 0) continue;
      const Name what = place.what;
      const void* const stream = place.stream;
      const std::int32_t device = place.device;
      if (__atomic_load_n(&place.begun, __ATOMIC_ACQUIRE) == begun) see(what, stream, device);
    }
  }
  [[nodiscard]] std::size_t begin(Name what, const void* stream, std::int32_t device) noexcept {
    for (std::size_t i = 0; i < places; ++i) {
      Place& place = places_[i];
      bool free = false;
      if (!__atomic_compare_exchange_n(&place.taken, &free, true, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED)) {
        continue;
      }
      place.what = what;
      place.stream = stream;
      place.device = device;
      place.reported = false;
      const bool timed = __atomic_load_n(&timed_, __ATOMIC_RELAXED);
      __atomic_store_n(&place.begun, timed ? tool::nanoseconds_now() : untimed, __ATOMIC_RELEASE);
      return i;
    }
    return none;
  }
  void end(std::size_t at) noexcept {
    if (at == none) return;
    Place& place = places_[at];
    const std::uint64_t begun = __atomic_exchange_n(&place.begun, 0, __ATOMIC_ACQ_REL);
    if (__atomic_load_n(&place.reported, __ATOMIC_ACQUIRE)) {
      tool::log_wait_end((tool::nanoseconds_now() - begun) / 1'000'000);
    }
    __atomic_store_n(&place.taken, false, __ATOMIC_RELEASE);
  }

 private:
  static constexpr std::size_t places = 64;
  static constexpr std::uint64_t untimed = 1;
  struct Place {
    bool taken;
    bool reported;
    std::uint64_t begun;  ///< nanoseconds; 0: no wait; `untimed`: when is unknown
    Name what;
    const void* stream;
    std::int32_t device;
  };

  void look() noexcept {
    const std::uint64_t limit = tool::limit_in_nanoseconds(limit_);
    for (;;) {
      const timespec pause{0, 20'000'000};
      nanosleep(&pause, nullptr);
      for (Place& place : places_) {
        const std::uint64_t begun = __atomic_load_n(&place.begun, __ATOMIC_ACQUIRE);
        if (begun == 0 || begun == untimed || __atomic_load_n(&place.reported, __ATOMIC_RELAXED) ||
            tool::nanoseconds_now() - begun < limit) {
          continue;
        }
        const tool::WaitTarget where{place.stream, place.device, {}, false};
        const Name what = place.what;
        // Meanwhile the wait may have ended, and another may have begun in the same place.
        if (__atomic_load_n(&place.begun, __ATOMIC_ACQUIRE) != begun) continue;
        __atomic_store_n(&place.reported, true, __ATOMIC_RELEASE);
        tool::log_overdue_wait_elsewhere(where, what, limit_);
      }
    }
  }

  bool timed_ = false;
  std::uint64_t limit_ = 0;
  Place places_[places] = {};
};

}  // namespace warpsafe::watch
