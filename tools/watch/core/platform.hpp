// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "launch/judge.hpp"
#include "suspicion/call_stack.hpp"
#include <warpsafe/core/detail/debug_hooks.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/debug/run/run_record.hpp>
#include <warpsafe/debug/run/run_recorder.hpp>
#include <warpsafe/stream/detail/waiting.hpp>

#include <cstdint>

namespace warpsafe::watch {

/// What the watch asks of the vendor's runtime that its program runs on. Called where the program
/// is in a call of that runtime itself, so nothing here may wait.
struct Platform {
  /// Of the backend (detail/backend_calls.hpp).
  const warpsafe::detail::BackendCalls* calls;
  /// Fills in the kernel's limits and cluster, as they are now; of a `launch` with a shape (else
  /// nullptr) also what of it fits at once.
  void (*describe)(const void* function, std::int32_t device, const Launch* launch,
                   Kernel& kernel) noexcept;
  /// Whether a status tells of a fault in work that ran before the call.
  bool (*is_fault)(int status) noexcept;
  Caller caller;
  /// RunRecorder::start of the backend.
  void (*start_recorder)(debug::RunRecorder& recorder);
  /// Where the program runs: devices, versions, variables.
  debug::RunEnvironment (*environment)();
};

/// The parts that backend B answers by itself.
template <class B>
[[nodiscard]] Platform platform_of(decltype(Platform::describe) describe, Caller caller) noexcept {
  return {&warpsafe::detail::backend_calls<B>,
          describe,
          [](int status) noexcept {
            return B::severity_of(status) == Severity::context_lost ||
                   B::classify(status) == Errc::execution_failed;
          },
          caller,
          [](debug::RunRecorder& recorder) { recorder.start<B>(); },
          [] { return debug::describe_environment<B>(); }};
}

}  // namespace warpsafe::watch
