// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/debug/journal/run_listener.hpp>
#include <warpsafe/debug/start.hpp>
#include <warpsafe/error/format.hpp>

#include <cstdint>

namespace warpsafe::debug {

/// As long as it lives, each launch and each wait of checked code is a range of a profiler, with
/// its kernel's name, and each error a mark: `Calls` has `push(const char*)`, `pop()` and
/// `mark(const char*)`, called on the thread that launches or waits. nvtx_ranges.hpp and
/// roctx_ranges.hpp have the vendors'. @pre no thread launches or waits while it is made or ends
template <class Calls>
class ProfilerRanges {
 public:
  ProfilerRanges() noexcept {
    listener_.launching = [](void*, const LaunchRecord& record) noexcept { push(record.kernel); };
    listener_.launched = [](void*, const LaunchRecord&, std::uint64_t, std::uint64_t) noexcept {
      Calls::pop();
    };
    listener_.waiting = [](void*, Name what) noexcept { push(what); };
    listener_.waited = [](void*, const WaitRecord&) noexcept { Calls::pop(); };
    listener_.failed = [](void*, const LaunchError& error) noexcept {
      char text[1024];
      format_error(error, text, sizeof text);
      Calls::mark(text);
    };
    add_listener(listener_);
  }
  ProfilerRanges(const ProfilerRanges&) = delete;
  ProfilerRanges& operator=(const ProfilerRanges&) = delete;
  ~ProfilerRanges() { remove_listener(listener_); }

 private:
  static void push(Name name) noexcept {
    char text[256];
    warpsafe::detail::TextBuffer(text, sizeof text) << name;
    Calls::push(text);
  }
  RunListener listener_;
};

}  // namespace warpsafe::debug
