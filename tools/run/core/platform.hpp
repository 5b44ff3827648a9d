// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "launch/judge.hpp"
#include "options.hpp"
#include "suspicion/call_stack.hpp"
#include <warpsafe/core/limits.hpp>
#include <warpsafe/debug/run/run_record.hpp>
#include <warpsafe/debug/run/run_recorder.hpp>
#include <warpsafe/tool_api.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace warpsafe::watch {

/// The queries of the watch to the vendor's runtime. They run while the program is inside a call of
/// that runtime, so none of them may block.
struct Platform {
  /// The backend's functions (detail/backend_calls.hpp).
  const tool::BackendCalls* calls;
  /// Fills in the kernel's current limits and cluster. For a `launch` with a shape (not nullptr)
  /// also fills in how much of it fits on the device at once.
  void (*describe)(const void* function, std::int32_t device, const Launch* launch,
                   Kernel& kernel) noexcept;
  /// Returns whether a status reports a fault in work that ran before the call.
  bool (*is_fault)(int status) noexcept;
  /// Returns whether a launch returns this status for a function that is not a kernel. The status
  /// may have other causes.
  bool (*may_be_no_kernel)(int status) noexcept;
  Caller caller;
  /// Returns the reason that the runtime's own log gives for the call of this thread that has just
  /// failed; "" if it gives none. nullptr: the runtime has no such log.
  std::string (*runtime_log)();
  /// The same for a log that may be missing.
  [[nodiscard]] std::string log() const noexcept {
    try {
      return runtime_log != nullptr ? runtime_log() : std::string();
    } catch (...) {  // out of memory
      return {};
    }
  }
  /// Free and total memory of the current device in bytes.
  int (*memory_info)(std::size_t& free_bytes, std::size_t& total_bytes) noexcept;
  int (*device_count)(int& count) noexcept;
  /// Exchanges the calling thread's capture mode with `mode`. Returns the runtime's status.
  int (*exchange_capture_mode)(int& mode) noexcept;
  int relaxed_capture;  ///< the mode in which a thread's calls break no other thread's capture
  /// Called before the first launch or wait, when the runtime has threads of its own: the watch's
  /// threads would keep a process that ends with its last thread.
  void (*watch_end)(const Options& options) noexcept;
  /// RunRecorder::start for the backend.
  void (*start_recorder)(debug::RunRecorder& recorder);
  /// Returns the environment of the program: devices, versions, variables.
  debug::RunEnvironment (*environment)();
};

/// The queries that backend B implements by itself.
template <class B>
[[nodiscard]] Platform platform_of(decltype(Platform::describe) describe, Caller caller,
                                   decltype(Platform::runtime_log) runtime_log,
                                   decltype(Platform::watch_end) watch_end) noexcept {
  return {&tool::backend_calls<B>,
          describe,
          [](int status) noexcept {
            return B::severity_of(status) == Severity::context_lost ||
                   B::classify(status) == Errc::execution_failed;
          },
          [](int status) noexcept {
            if constexpr (requires { B::unknown_function; }) {
              if (status == B::unknown_function) return true;
            }
            return B::classify(status) == Errc::not_a_kernel;
          },
          caller,
          runtime_log,
          &B::memory_info,
          &B::device_count,
          &B::exchange_capture_mode,
          B::relaxed_capture,
          watch_end,
          [](debug::RunRecorder& recorder) { recorder.start<B>(); },
          [] { return debug::describe_environment<B>(); }};
}

}  // namespace warpsafe::watch
