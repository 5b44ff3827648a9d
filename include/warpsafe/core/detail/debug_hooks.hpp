// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/call_site.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/core/name.hpp>

#include <cstddef>
#include <cstdint>

namespace warpsafe {

struct LaunchError;

namespace detail {

/// What a wait returns where the runtime has no fault and a WARPSAFE_DEVICE_CHECK has failed: no
/// vendor's number.
inline constexpr int failed_check_status = -20260001;

/// What launches and waits ask of device_check.hpp, through a pointer: a program without a check in
/// its kernels has one load where it waits, and where it launches with checks.
struct CheckHooks {
  /// Before a checked launch: the kernels of the device can leave a record. The runtime's status.
  int (*prepare)(Vendor vendor, int device) noexcept;
  /// Whether a kernel has left one.
  bool (*failed)() noexcept;
  /// Takes it, as the error of a wait.
  void (*take)(LaunchError& error) noexcept;
};

/// One variable for the whole program.
[[gnu::visibility("default")]] inline const CheckHooks* check_hooks_in_use = nullptr;

[[nodiscard]] inline const CheckHooks* check_hooks() noexcept {
  return __atomic_load_n(&check_hooks_in_use, __ATOMIC_ACQUIRE);
}

/// The status of a wait, or that of a failed check if the wait found no fault.
[[nodiscard]] inline int or_failed_check(int status) noexcept {
  const CheckHooks* const hooks = check_hooks();
  return status == 0 && hooks != nullptr && hooks->failed() ? failed_check_status : status;
}

}  // namespace detail

struct LaunchError;               // error/error.hpp
enum class Stage : std::uint8_t;  // the same

enum class CopyKind : std::uint8_t;    // backend.hpp
enum class MemoryKind : std::uint8_t;  // the same
namespace debug {
struct LaunchRecord;
}

namespace detail {

class TextBuffer;

/// One way of waiting, as a runtime has it; `handle` is its stream or event (waiting.hpp).
struct WaitCalls {
  Name what;
  Vendor vendor;
  int not_ready;
  int (*wait)(void* handle) noexcept;
  int (*query)(void* handle) noexcept;
  /// Whether asking breaks no capture, and can be answered otherwise the next time.
  bool (*may_query)(void* handle) noexcept;
};
/// What is waited for, and where that is written.
struct WaitPlace {
  const void* stream;
  std::int32_t device;
  call_site site;
  bool may_stop;  ///< false: memory that the work uses is given back after the wait
};

/// What a launch's debug tools ask of its backend, so that they are written, and compiled, once for
/// all of them (backend_calls.hpp). The stream of a call is the launch's, whose device is current.
struct BackendCalls {
  Name name;
  Vendor vendor;
  int (*peek_last_error)() noexcept;
  Name (*error_name)(int status) noexcept;
  Name (*error_text)(int status) noexcept;
  int (*stream_capturing)(void* stream, bool& capturing) noexcept;
  const WaitCalls* stream_wait;
  /// runtime_error, of this backend.
  LaunchError (*error)(int status, Name operation, call_site site, Stage stage,
                       int device) noexcept;
  /// As the device reports them; what it does not report, the floor has.
  int (*limits_of)(int device, DeviceLimits& limits) noexcept;
  const DeviceLimits* floor;
  Name (*device_name)(int device) noexcept;
  /// Bytes, in the order of the stream.
  int (*copy)(void* to, const void* from, std::size_t bytes, CopyKind kind, void* stream) noexcept;
  int (*pointer_kind)(const void* memory, MemoryKind& kind, int& device) noexcept;
  /// Switches a profiler that waits for it on and off; nullptr where the runtime cannot.
  int (*profile)(bool on) noexcept;
};

struct LaunchArguments;

/// A launch as its record is made of it.
struct LaunchFacts {
  const Name& kernel;
  const LaunchShape& shape;
  const KernelLimits* limits;  ///< of the kernel; nullptr: not known
  const void* stream;
  std::int32_t device;
  const call_site& site;
};

/// What becomes of a launch whose data was looked at.
enum class Inspected : unsigned char {
  dispatch,  ///< it is made
  done,      ///< something else has computed its results
  failed,    ///< it is not made: the error says why
};
/// In what `launching` returns: the launch's data is asked for.
inline constexpr std::uint64_t asks_for_data = std::uint64_t{1} << 63;

/// What the debug tools do where something is launched or waited for, where an error is made and
/// where its text is. They are reached through a pointer: what launches is the same for the
/// compiler whether a program has the tools (debug.hpp) or not, and is spared most of their weight.
struct DebugHooks {
  /// A wait begins, or an event is recorded: the time of that, never 0.
  std::uint64_t (*begin_wait)() noexcept;
  /// Waits: as `calls` says, or watched (WARPSAFE_TIMEOUT). The runtime's status; not_ready: given
  /// up.
  int (*wait)(const WaitCalls& calls, void* handle, const WaitPlace& place) noexcept;
  /// Whether WARPSAFE_TIMEOUT is on.
  bool (*watches_waits)() noexcept;
  /// What was submitted to the stream before that time has ended without a fault.
  void (*waited)(Vendor vendor, std::int32_t device, const void* stream,
                 std::uint64_t began) noexcept;
  /// All work of the device has ended without a fault.
  void (*device_idle)(Vendor vendor, std::int32_t device) noexcept;
  /// A status of the runtime has become `error`, on a device (-1: unknown). `earlier_work` tells
  /// that the fault is that of work which was submitted before, so that suspects can be named.
  void (*noticed)(LaunchError& error, std::int32_t device, bool earlier_work) noexcept;
  /// The end of the error's text, where `noticed` has found suspects.
  void (*put_suspects)(TextBuffer& out, const LaunchError& error) noexcept;
  /// A checked launch (level full) is about to be dispatched: makes its record, with its number.
  /// What this returns goes to one of the next two; with `asks_for_data` in it, `inspect` comes
  /// first.
  std::uint64_t (*launching)(debug::LaunchRecord& record, const LaunchFacts& facts,
                             const BackendCalls& calls) noexcept;
  /// The runtime took it. True with the fault in `error` if it was waited for and failed.
  bool (*submitted)(const debug::LaunchRecord& record, const BackendCalls& calls,
                    std::uint64_t begun, LaunchError& error) noexcept;
  /// The runtime refused it, with `error`.
  void (*refused)(const debug::LaunchRecord& record, const BackendCalls& calls, std::uint64_t begun,
                  LaunchError& error) noexcept;
  /// A check refused a launch: whether it goes on all the same (WARPSAFE_ON_ERROR=warn).
  bool (*goes_on)(LaunchError& error) noexcept;
  /// The data of a launch for which `launching` has asked, before it is dispatched.
  Inspected (*inspect)(const debug::LaunchRecord& record, const BackendCalls& calls,
                       const LaunchArguments& arguments, LaunchError& error) noexcept;
  /// Whether a new Stream is to be its device's only one (WARPSAFE_SYNC=one-stream).
  bool (*one_stream)() noexcept;
};

/// One variable for the whole program.
[[gnu::visibility("default")]] inline const DebugHooks* debug_hooks_in_use = nullptr;

/// nullptr where no file of the program that is compiled with checks includes debug.hpp.
[[nodiscard, gnu::always_inline]] inline const DebugHooks* debug_hooks() noexcept {
  return __atomic_load_n(&debug_hooks_in_use, __ATOMIC_ACQUIRE);
}

/// A point in a stream up to which its work may be known to have ended.
struct StreamPoint {
  const void* stream = nullptr;
  std::uint64_t time = 0;  ///< 0: nothing is known
  std::int32_t device = -1;

  /// What the stream has reached now. Call it before it is waited for, or an event is recorded.
  [[nodiscard]] static StreamPoint of(const void* stream, std::int32_t device) noexcept {
    const DebugHooks* const hooks = debug_hooks();
    return {stream, hooks == nullptr ? 0 : hooks->begin_wait(), device};
  }
  /// A wait for it has succeeded: what was submitted before is no suspect any more.
  void reached(Vendor vendor) const noexcept {
    const DebugHooks* const hooks = debug_hooks();
    if (hooks != nullptr && time != 0) hooks->waited(vendor, device, stream, time);
  }
};

}  // namespace detail

}  // namespace warpsafe
