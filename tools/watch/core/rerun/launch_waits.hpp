// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../launch/observed_launch.hpp"
#include "../report/standard_error.hpp"
#include "../stream/stream_names.hpp"
#include "../watcher.hpp"
#include "wait_for_stream.hpp"
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/debug/journal/journal_reader.hpp>

#include <cstdint>
#include <set>
#include <utility>

namespace warpsafe::watch {

/// The waits around a launch in a later run of --rerun. Before it, all other work of the process on
/// the device ends; after it, the launch itself. Thread-safe.
class LaunchWaits {
 public:
  explicit LaunchWaits(Watcher& watcher) : watcher_(watcher) {}

  /// Call before the runtime receives the launch. `stack` is the program's.
  [[gnu::cold, gnu::noinline]] void before(const ObservedLaunch& seen,
                                           const HostStack& stack) noexcept {
    const std::uint64_t number = seen.record.sequence;
    const debug::JournalReader others([&](const debug::LaunchRecord& one) {
      return one.state == debug::LaunchState::submitted && one.sequence != number &&
             one.vendor == seen.record.vendor;
    });
    try {
      // Each stream may have copies and fills.
      const std::int32_t here = seen.launch.device;
      std::set<std::pair<const void*, std::int32_t>> streams{{seen.launch.stream, here},
                                                             {nullptr, here}};
      watcher_.streams().each(here, [&](const void* one) { streams.emplace(one, here); });
      for (const debug::LaunchRecord& one : others) {
        if (can_wait(one, seen.launch)) streams.emplace(one.stream, one.device);
      }
      for (const auto& [stream, device] : streams) {
        const int status = wait(stream, device);
        if (status == cannot_wait || !watcher_.platform().is_fault(status)) continue;
        return watcher_.failed(status, Name::of("Wait before a launch"), Stage::completion, device,
                               &stack);
      }
      // AMD's runtime may end the process before it returns from the launch.
      watcher_.rerun().opened(
          {number, seen.record, seen.ordinal, seen.launch.is_graph, stack, {}, {}, {}});
    } catch (...) {  // out of memory: other launches may run beside this one
      return;
    }
  }
  /// Call when the runtime has accepted the launch.
  [[gnu::cold, gnu::noinline]] void after(const ObservedLaunch& seen,
                                          const HostStack& stack) noexcept {
    const Launch& launch = seen.launch;
    const bool was_slow = watcher_.rerun().is_slow(launch.stream);
    const int status = wait(launch.stream, launch.device);
    if (status == 0) return watcher_.rerun().closed(seen.record.sequence);
    if (status == cannot_wait) return;
    if (status != watcher_.platform().calls->stream_wait->not_ready) {
      return watcher_.failed(status, Name::of("Wait after a launch"), Stage::completion,
                             launch.device, &stack);
    }
    // The launch stays one that may have caused a fault.
    if (!was_slow) say_slow(seen);
  }
  /// Waits for a stream. Returns the runtime's status.
  [[nodiscard]] int wait(const void* stream, std::int32_t device) noexcept {
    constexpr std::uint64_t shortly = 100;  // milliseconds
    const int status = wait_for_stream(watcher_.platform(), stream, device,
                                       watcher_.rerun().is_slow(stream) ? shortly : longest_wait());
    if (status == cannot_wait) return status;
    try {
      watcher_.rerun().waited(stream, status != watcher_.platform().calls->stream_wait->not_ready);
    } catch (...) {  // out of memory: the next wait may be long
      return status;
    }
    return status;
  }

 private:
  /// Whether the stream of an earlier launch can be named here. The handle of a stream that the
  /// program has destroyed may be anything, and the handles of default streams mean those of the
  /// current device and of this thread.
  [[nodiscard]] bool can_wait(const debug::LaunchRecord& earlier, const Launch& launch) {
    if (earlier.stream == launch.stream && earlier.device == launch.device) return true;
    if (earlier.stream == nullptr) return earlier.device == launch.device;
    return watcher_.streams().device_of(earlier.stream) >= 0;
  }
  static void say_slow(const ObservedLaunch& seen) noexcept {
    char text[512];
    warpsafe::detail::TextBuffer out(text, sizeof text);
    out << "warpsafe: launch " << seen.ordinal << " of '" << seen.record.kernel
        << "' has not ended in " << longest_wait()
        << " ms; --rerun goes on without it (--timeout SECONDS for "
           "another limit)";
    StandardError::line({text, out.size()});
  }

  Watcher& watcher_;
};

}  // namespace warpsafe::watch
