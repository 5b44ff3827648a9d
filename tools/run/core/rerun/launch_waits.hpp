// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../launch/observed_launch.hpp"
#include "../report/standard_error.hpp"
#include "../stream/captures.hpp"
#include "../stream/stream_names.hpp"
#include "../watcher.hpp"
#include "wait_for_stream.hpp"
#include <warpsafe/debug/journal/journal_reader.hpp>
#include <warpsafe/tool_api.hpp>

#include <algorithm>
#include <cstdint>
#include <set>

namespace warpsafe::watch {

/// The waits around a launch in a later run of --rerun. Before it, all other work of the process on
/// the device ends; after it, the launch itself. Thread-safe.
class LaunchWaits {
 public:
  explicit LaunchWaits(Watcher& watcher) : watcher_(watcher) {}

  /// Whether a stream is alive and captures.
  [[nodiscard]] bool is_capturing(const Captures& captures, const void* stream) noexcept {
    if (stream == per_thread_handle()) return captures.is_capturing(stream);
    bool answer = false;
    return watcher_.streams().while_alive(stream, [&] {
      answer = captures.is_capturing(stream);
    }) && answer;
  }
  /// Call before the runtime receives the launch. `stack` is the program's.
  [[gnu::cold, gnu::noinline]] void before(const ObservedLaunch& seen,
                                           const HostStack& stack) noexcept {
    const std::uint64_t number = seen.record.sequence;
    const std::uint64_t last = last_before(number);
    try {
      // Each stream may have copies and fills.
      const std::int32_t here = seen.launch.device;
      watcher_.rerun().held(number);
      bool has_company = false;
      std::set<const void*> streams{seen.launch.stream, nullptr};
      watcher_.streams().each(here, [&](const void* one) { streams.insert(one); });
      for (const void* const stream : streams) {
        const int status = wait(stream, here, last);
        has_company = has_company || status == watcher_.platform().calls->stream_wait->not_ready;
        if (status == cannot_wait || !watcher_.platform().is_fault(status)) continue;
        return watcher_.failed(status, Name::of("Wait before a launch"), Stage::completion, here,
                               &stack);
      }
      // AMD's runtime may end the process before it returns from the launch.
      watcher_.rerun().opened({number,
                               seen.record,
                               seen.ordinal,
                               seen.launch.is_graph,
                               stack,
                               {},
                               {},
                               {},
                               has_company});
    } catch (...) {  // out of memory: other launches may run beside this one
      return;
    }
  }
  /// Call when the runtime has accepted the launch.
  [[gnu::cold, gnu::noinline]] void after(const ObservedLaunch& seen,
                                          const HostStack& stack) noexcept {
    const Launch& launch = seen.launch;
    const bool was_slow =
        watcher_.rerun().is_slow(watcher_.streams().number_of(launch.stream, launch.device));
    const int status = wait(launch.stream, launch.device, last_before(seen.record.sequence + 1));
    if (status == 0) return watcher_.rerun().closed(seen.record.sequence);
    if (status == cannot_wait) return;
    if (status != watcher_.platform().calls->stream_wait->not_ready) {
      return watcher_.failed(status, Name::of("Wait after a launch"), Stage::completion,
                             launch.device, &stack);
    }
    // The launch stays one that may have caused a fault.
    if (!was_slow) say_slow(seen);
  }
  /// Returns the number, below the given one, up to which the runtime has received all launches.
  /// Those of other threads may arrive during a wait.
  [[nodiscard]] static std::uint64_t last_before(std::uint64_t number) noexcept {
    const debug::JournalReader started([&](const LaunchRecord& one) {
      return one.state == LaunchState::started && one.sequence < number;
    });
    std::uint64_t first = number;
    for (const LaunchRecord& one : started) first = std::min(first, one.sequence);
    return first - 1;
  }
  /// Waits for a stream. Its launches up to that number have then ended. Returns the runtime's
  /// status.
  [[nodiscard]] int wait(const void* stream, std::int32_t device, std::uint64_t number) noexcept {
    constexpr std::uint64_t shortly = 100;  // milliseconds
    const std::uint64_t which = watcher_.streams().number_of(stream, device);
    const int status = wait_for_stream(watcher_.platform(), watcher_.streams(), stream, device,
                                       watcher_.rerun().is_slow(which) ? shortly : longest_wait());
    if (status == cannot_wait) return status;
    try {
      if (status == 0) watcher_.rerun().ended(which, number);
      watcher_.rerun().waited(which, status != watcher_.platform().calls->stream_wait->not_ready);
    } catch (...) {  // out of memory: the next wait may be long
      return status;
    }
    return status;
  }

 private:
  static void say_slow(const ObservedLaunch& seen) noexcept {
    char text[512];
    tool::TextBuffer out(text, sizeof text);
    out << "warpsafe: launch " << seen.ordinal << " of '" << seen.record.kernel
        << "' has not ended in " << longest_wait()
        << " ms; --rerun goes on without it (--timeout SECONDS for "
           "another limit)";
    StandardError::line({text, out.size()});
  }

  Watcher& watcher_;
};

}  // namespace warpsafe::watch
