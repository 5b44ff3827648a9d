// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/debug/switches.hpp>
#include <warpsafe/error/format.hpp>
#include <warpsafe/launch/observe.hpp>

#include <cstdint>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#endif
#if __has_include(<rocprofiler-sdk-roctx/roctx.h>)
#include <rocprofiler-sdk-roctx/roctx.h>
#elif __has_include(<roctracer/roctx.h>)
#include <roctracer/roctx.h>
#endif

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

/// While it lives, each launch and each wait of checked code is a range of a profiler, named after
/// the kernel or the wait, and each error is a mark. `Calls` has `push(const char*)`, `pop()` and
/// `mark(const char*)`, called on the thread that launches or waits. NvtxRanges and RoctxRanges use
/// the vendors' functions. @pre no thread launches or waits during construction and destruction
template <class Calls>
class ProfilerRanges {
  using BackendCalls = warpsafe::detail::BackendCalls;

 public:
  ProfilerRanges() noexcept {
    observer_.launching = [](void*, LaunchRecord& record, const BackendCalls&) noexcept {
      push(record.kernel);
      return false;
    };
    observer_.launched = [](void*, const LaunchRecord&, std::uint64_t, std::uint64_t) noexcept {
      Calls::pop();
    };
    observer_.waiting = [](void*, Name what) noexcept { push(what); };
    observer_.waited = [](void*, const WaitRecord&) noexcept { Calls::pop(); };
    observer_.failed = [](void*, const LaunchError& error) noexcept {
      char text[1024];
      format_error(error, text, sizeof text);
      Calls::mark(text);
    };
    observe(observer_);
  }
  ProfilerRanges(const ProfilerRanges&) = delete;
  ProfilerRanges& operator=(const ProfilerRanges&) = delete;
  ~ProfilerRanges() { stop_observing(observer_); }

 private:
  static void push(Name name) noexcept {
    char text[256];
    warpsafe::detail::TextBuffer(text, sizeof text) << name;
    Calls::push(text);
  }
  Observer observer_;
};

#if __has_include(<nvtx3/nvToolsExt.h>)
/// NVTX's thread ranges (NVTX 3, header only; link dl), which nsys and ncu show.
struct NvtxCalls {
  static void push(const char* text) noexcept { nvtxRangePushA(text); }
  static void pop() noexcept { nvtxRangePop(); }
  static void mark(const char* text) noexcept { nvtxMarkA(text); }
};
/// Declared only where NVIDIA's header is installed.
using NvtxRanges = ProfilerRanges<NvtxCalls>;
#endif

#if __has_include(<rocprofiler-sdk-roctx/roctx.h>) || __has_include(<roctracer/roctx.h>)
/// ROCTx's thread ranges (link roctx64, or rocprofiler-sdk-roctx), which rocprof shows.
struct RoctxCalls {
  static void push(const char* text) noexcept { roctxRangePushA(text); }
  static void pop() noexcept { roctxRangePop(); }
  static void mark(const char* text) noexcept { roctxMarkA(text); }
};
/// Declared only where AMD's header is installed.
using RoctxRanges = ProfilerRanges<RoctxCalls>;
#endif

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
