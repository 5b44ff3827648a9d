// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../platform.hpp"
#include "../stream/known_streams.hpp"
#include "../stream/stream_names.hpp"
#include <warpsafe/debug/switches.hpp>
#include <warpsafe/tool_api.hpp>

#include <cstdint>
#include <ctime>

namespace warpsafe::watch {

/// The longest wait after a launch, in milliseconds: the limit of --timeout if there is one. A
/// kernel may wait for something that the host does after the launch, such as the launch of a
/// kernel of NCCL on another device.
[[nodiscard]] inline std::uint64_t longest_wait() noexcept {
  constexpr std::uint64_t usual = 10'000;
  const std::uint64_t limit = __atomic_load_n(&tool::timeout_in_use, __ATOMIC_RELAXED);
  return limit == tool::no_timeout ? usual : limit;
}

/// No status of a runtime: it may not be asked, because the stream captures or was destroyed.
inline constexpr int cannot_wait = -1;

/// Waits for the work of a stream, at most `limit` milliseconds. Breaks no capture: a stream that
/// captures is not waited for. Nor is one that is not alive: a runtime reads its handle unchecked.
/// Returns the runtime's status; the runtime's "not ready" means that the work has not ended, and
/// `cannot_wait` that it was not asked.
[[nodiscard]] inline int wait_for_stream(const Platform& platform, KnownStreams& streams,
                                         const void* stream, std::int32_t device,
                                         std::uint64_t limit) noexcept {
  const tool::BackendCalls& calls = *platform.calls;
  // CUDA_ERROR_CONTEXT_IS_DESTROYED, hipErrorContextIsDestroyed: no fault of running work.
  constexpr int context_destroyed = 709;
  const int not_ready = calls.stream_wait->not_ready;
  auto* const handle = const_cast<void*>(stream);
  const bool is_default = is_legacy(stream, false) || stream == per_thread_handle();
  // A query of one stream breaks the captures of others unless the thread's mode is relaxed.
  int mode = platform.relaxed_capture;
  const bool is_relaxed = platform.exchange_capture_mode(mode) == 0;
  const auto point = tool::StreamPoint::of(stream, streams.number_of(stream, device), device);
  int status = cannot_wait;
  const auto ask = [&] {
    bool captures = true;
    status = calls.stream_capturing(handle, captures);
    if (status == 0) {
      status = captures ? cannot_wait : calls.stream_wait->query(handle);
    } else if (!platform.is_fault(status)) {  // after a fault every query returns it
      status = cannot_wait;
    }
  };
  const std::uint64_t begun = tool::nanoseconds_now();
  long pause = 0;
  for (;;) {
    // Between two questions, another thread may destroy the stream or begin a capture.
    if (is_default) {
      ask();
    } else if (!streams.while_alive(stream, ask)) {
      status = cannot_wait;
    }
    if (status != not_ready || tool::nanoseconds_now() - begun >= limit * 1'000'000) break;
    constexpr long longest_pause = 1'000'000;
    const timespec asked{0, pause};
    if (pause != 0) ::nanosleep(&asked, nullptr);
    pause = pause < longest_pause ? pause + 1000 : pause;
  }
  if (status == context_destroyed) status = cannot_wait;
  if (status == 0) point.reached(calls.vendor);
  if (is_relaxed) static_cast<void>(platform.exchange_capture_mode(mode));
  return status;
}

}  // namespace warpsafe::watch
