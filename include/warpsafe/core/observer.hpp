// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/launch_record.hpp>
#include <warpsafe/core/name.hpp>

#include <cstdint>

// How a tool watches a program: launches, waits and errors of checked code reach the observers of
// the program. They are a list behind one pointer, so a program without observers pays one load for
// each launch with checks, and nothing with checks off.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

struct LaunchError;  // error/error.hpp

namespace detail {
class TextBuffer;
struct BackendCalls;     // core/detail/observing.hpp
struct LaunchArguments;  // launch/detail/launch_arguments.hpp
struct WaitCalls;        // core/detail/observing.hpp
struct WaitTarget;       // core/detail/observing.hpp
}  // namespace detail

using detail::BackendCalls;
using detail::LaunchArguments;
using detail::TextBuffer;
using detail::WaitCalls;
using detail::WaitTarget;

/// A call of the program that uses a stream or memory, other than a launch or a wait.
struct CallRecord {
  Name what;  ///< "allocate device memory", "copy to host", "event record", "capture begin", …
  call_site site;                   ///< of the program; without a file for a free
  const void* stream = nullptr;     ///< the runtime's handle; nullptr: none
  std::uint64_t stream_number = 0;  ///< StreamRef::number; 0: not known
  const void* memory = nullptr;  ///< that is allocated, freed, filled or copied to; nullptr: none
  std::uint64_t bytes = 0;       ///< of `memory`
};

/// One wait of the host that has ended.
struct WaitRecord {
  Name what;            ///< e.g. "stream synchronize"
  const void* stream;   ///< the runtime's handle; nullptr: not known
  std::int32_t device;  ///< ordinal
  Vendor vendor;
  std::int32_t status;  ///< the runtime's own
  std::uint64_t begun;  ///< nanoseconds of CLOCK_MONOTONIC
  std::uint64_t ended;
  call_site site;
  std::uint64_t stream_number = 0;  ///< StreamRef::number; 0: not known
};

/// What happens to a launch after an observer has seen its arguments.
enum class LaunchVerdict : unsigned char {
  dispatch,  ///< it is submitted
  done,      ///< the observer has produced the results: it is not submitted, and succeeds
  failed,    ///< it is not submitted, and the observer's error says why
};

/// A tool that watches the program's launches, waits and errors. Fill in the functions that the
/// tool needs, and pass the object to `observe`. A launch, a wait or an error calls the observers
/// in the order in which they were added, on the thread that it happens on, so several threads may
/// call at once. The functions must not launch through checked code, nor free memory that a graph
/// allocates.
struct Observer {
  // Launches with checks. A graph's launch has the name "(graph)".

  /// A launch is about to be submitted. Returns whether `inspect` is called for it. An observer may
  /// set `launch.sequence`, its number.
  bool (*launching)(void* user, LaunchRecord& launch, const BackendCalls& calls) noexcept = nullptr;
  /// Sees the arguments of the launch before it is submitted. The first observer that does not
  /// return `dispatch` decides. With `failed` it fills in `error`; a kernel and a place that it
  /// leaves empty become those of the launch.
  LaunchVerdict (*inspect)(void* user, const LaunchRecord& launch, const BackendCalls& calls,
                           const LaunchArguments& arguments, LaunchError& error) noexcept = nullptr;
  /// The runtime or an observer has answered; times in nanoseconds of CLOCK_MONOTONIC.
  /// `launch.state` is `submitted` or `refused`.
  void (*launched)(void* user, const LaunchRecord& launch, std::uint64_t begun,
                   std::uint64_t ended) noexcept = nullptr;
  /// The last call for this launch. If it was submitted, the observer may wait for it, and returns
  /// true with the fault in `error` if it failed. If it was refused, `error` says why.
  bool (*finish)(void* user, const LaunchRecord& launch, const BackendCalls& calls,
                 LaunchError& error) noexcept = nullptr;
  /// A check refused a launch. Returns whether to launch regardless.
  bool (*continues_after)(void* user, LaunchError& error) noexcept = nullptr;

  // Other calls.

  /// With checks only. The library is about to make the call, or has made an allocation, a stream,
  /// an event's record or the beginning of a capture.
  void (*called)(void* user, const CallRecord& call) noexcept = nullptr;

  // Waits.

  /// The host is about to wait; `what` is the name of the wait, as in WaitRecord.
  void (*waiting)(void* user, Name what) noexcept = nullptr;
  /// Waits in place of the runtime's call. Returns the runtime's status; not_ready means that the
  /// wait was abandoned. Only the first observer with this function waits.
  int (*wait)(void* user, const WaitCalls& calls, void* handle,
              const WaitTarget& place) noexcept = nullptr;
  /// Whether `wait` should also be called before a call that waits inside the runtime.
  bool (*watches_waits)(void* user) noexcept = nullptr;
  void (*waited)(void* user, const WaitRecord& wait) noexcept = nullptr;
  /// A wait begins, or an event is recorded. Returns the time on a clock of the observer, from 1.
  /// Only the first observer with this function is asked.
  std::uint64_t (*begin_wait)(void* user) noexcept = nullptr;
  /// The work that was submitted to the stream with this number before the time `began` has ended
  /// without a fault.
  void (*reached)(void* user, Vendor vendor, std::int32_t device, std::uint64_t stream,
                  std::uint64_t began) noexcept = nullptr;
  /// All work of the device has ended without a fault.
  void (*device_idle)(void* user, Vendor vendor, std::int32_t device) noexcept = nullptr;

  // Errors.

  /// A runtime status has become `error`, on `device` (-1 if unknown): completes it.
  /// `earlier_work` means that the fault belongs to work submitted earlier.
  void (*complete)(void* user, LaunchError& error, std::int32_t device,
                   bool earlier_work) noexcept = nullptr;
  /// An error occurred: the runtime reported one, or a check or an observer refused a launch.
  void (*failed)(void* user, const LaunchError& error) noexcept = nullptr;
  /// Appends what the observer knows about the error to its text.
  void (*explain)(void* user, TextBuffer& out, const LaunchError& error) noexcept = nullptr;
  /// Writes a warning.
  void (*warn)(void* user, const char* text) noexcept = nullptr;

  /// Whether all Streams of a device share one native stream.
  bool (*one_stream)(void* user) noexcept = nullptr;

  void* user = nullptr;      ///< passed to each function
  Observer* next = nullptr;  ///< for the library's use
};

namespace detail {

/// One variable for the whole program.
[[gnu::visibility("default")]] inline Observer* observers_in_use = nullptr;

/// The first observer; nullptr: none.
[[nodiscard, gnu::always_inline]] inline const Observer* observers() noexcept {
  return __atomic_load_n(&observers_in_use, __ATOMIC_ACQUIRE);
}
/// The pointer to `observer` in the list, or that at its end.
[[nodiscard]] inline Observer** link_to(const Observer& observer) noexcept {
  Observer** link = &observers_in_use;
  while (*link != nullptr && *link != &observer) link = &(*link)->next;
  return link;
}

}  // namespace detail

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
