// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "observed_wait.hpp"
#include "wait_watch.hpp"
#include <warpsafe/core/name.hpp>
#include <warpsafe/core/observer.hpp>
#include <warpsafe/debug.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/tool_api.hpp>

#include <cstdint>

namespace warpsafe::watch {

/// Reports the program's waits to the debug tools, and watches for waits that exceed the limit.
/// Thread-safe.
class WaitReporter {
 public:
  /// May throw std::system_error if no thread can be started.
  void start() { watch_.start(); }

  /// Calls `see(what, stream, device)` for each wait that has not ended.
  template <class See>
  void each(const See& see) const {
    watch_.each(see);
  }

  /// Call when a wait begins. `what` lives as long as the process.
  void begin(ObservedWait& seen, Name what, const void* stream, std::uint64_t number,
             std::int32_t device) noexcept {
    seen.what = what;
    seen.stream = stream;
    seen.stream_number = number;
    seen.device = device;
    seen.began = debug::Completion::get().begin_wait();
    seen.begun = 0;
    const bool timed = tool::tell_waiting(tool::observers(), what);
    if (timed) seen.begun = tool::nanoseconds_now();
    seen.watched = watch_.begin(what, stream, device);
  }
  /// Call when the runtime has returned.
  void end(const ObservedWait& seen, Vendor vendor, int status) noexcept {
    watch_.end(seen.watched);
    if (seen.begun != 0) {
      const WaitRecord record{seen.what,
                              seen.stream,
                              seen.device,
                              vendor,
                              status,
                              seen.begun,
                              tool::nanoseconds_now(),
                              {},
                              seen.stream_number};
      tool::tell_waited(tool::observers(), record);
    }
  }
  /// After a successful wait, the work submitted before it is complete.
  static void complete(const ObservedWait& seen, Vendor vendor, WaitScope scope) noexcept {
    if (scope == WaitScope::device) {
      debug::Completion::get().device_waited(vendor, seen.device, seen.began);
    } else if (scope == WaitScope::stream) {
      debug::Completion::get().stream_waited(vendor, seen.device, seen.stream_number, seen.began);
    }
  }

 private:
  WaitWatch watch_;
};

}  // namespace warpsafe::watch
