// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/runtime_call.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/error/error.hpp>

#include <cstdint>

// What an open capture must know about other calls of the library. The calls report it through
// pointers, so that a program without captures pays one load at each wait.

namespace warpsafe::detail {

struct CaptureHooks {
  /// A call of the runtime or of a library failed; it may have broken a capture.
  void (*failed)(const LaunchError& error) noexcept;
  /// Whether waiting for the stream or event, or querying it, would break a capture; either may be
  /// nullptr. If so, `error` says why. `relaxed` means that the calling thread has set the relaxed
  /// capture mode.
  bool (*refuses)(const void* stream, const void* event, bool relaxed, LaunchError& error) noexcept;
  /// Returns the number of the capture that the event belongs to; 0: none.
  std::uint64_t (*recorded)(const void* event, void* stream) noexcept;
  bool (*is_open)(std::uint64_t capture) noexcept;
  /// Called before and after a stream waits for an event. `before` is the result of `waiting`.
  std::uint64_t (*waiting)(void* stream) noexcept;
  void (*waited)(void* stream, const void* event, std::uint64_t before, call_site site) noexcept;
  /// A checked launch was captured: its graph monitors the memory behind its pointers.
  void (*launched)(const void* stream, const KernelEntry& entry, void* const* args) noexcept;
};

/// nullptr unless this library has an open capture in any thread. One variable for the whole
/// program.
[[gnu::visibility("default")]] inline const CaptureHooks* capture_hooks = nullptr;

[[nodiscard, gnu::always_inline]] inline const CaptureHooks* open_captures() noexcept {
  return __atomic_load_n(&capture_hooks, __ATOMIC_ACQUIRE);
}
inline void report_to_captures(const LaunchError& error) noexcept {
  if (const CaptureHooks* const hooks = open_captures()) hooks->failed(error);
}

}  // namespace warpsafe::detail
