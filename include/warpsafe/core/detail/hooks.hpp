// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/core/name.hpp>

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

// Launches and waits reach the optional parts of a program through these hooks: device checks,
// captures and the debug tools. Each part has one pointer for the whole program, so a program
// without the part pays one load.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

struct KernelEntry;                    // backend/kernel_entry.hpp
struct LaunchError;                    // error/error.hpp
enum class Stage : std::uint8_t;       // error/errc.hpp
enum class CopyKind : std::uint8_t;    // backend/backend.hpp
enum class MemoryKind : std::uint8_t;  // backend/backend.hpp
namespace debug {
struct LaunchRecord;  // core/launch_record.hpp
}

namespace detail {

/// The status of a wait if the runtime reports no fault but a WARPSAFE_DEVICE_CHECK has failed. No
/// vendor uses this number.
inline constexpr int failed_check_status = -20260001;

/// How launches and waits reach device_check.hpp.
struct CheckHooks {
  /// Called before a checked launch: lets kernels on the device leave a record. Returns the
  /// runtime's status.
  int (*prepare)(Vendor vendor, int device) noexcept;
  /// Whether a kernel has left a record.
  bool (*failed)() noexcept;
  /// Moves the record into `error`, the error of a wait.
  void (*take)(LaunchError& error) noexcept;
};

/// The value of an environment variable, or nullptr. Also nullptr in a program that runs with more
/// rights than its caller (setuid): the caller could otherwise make it write files or skip checks.
[[nodiscard, gnu::always_inline]] inline const char* read_environment(const char* name) noexcept {
  return ::secure_getenv(name);
}

/// The variables that the debug tools read.
inline constexpr Name environment_switches[] = {
    Name::of("WARPSAFE_LOG"),     Name::of("WARPSAFE_SYNC"),      Name::of("WARPSAFE_BREAK"),
    Name::of("WARPSAFE_TRACE"),   Name::of("WARPSAFE_REFERENCE"), Name::of("WARPSAFE_SHADOW"),
    Name::of("WARPSAFE_TIMEOUT"), Name::of("WARPSAFE_ON_ERROR")};

/// Makes dlclose keep the shared object of `address`, an object in static storage, because the
/// program finds it through a list or a pointer until its end. g++'s objects stay anyway, by their
/// unique symbols. Does nothing for the program itself.
inline void keep_loaded(const void* address) noexcept {
  Dl_info info;
  // A program that the shell found has no slash, and a shared object has one.
  if (::dladdr(address, &info) == 0 || __builtin_strchr(info.dli_fname, '/') == nullptr) return;
  void* const loaded = ::dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  if (loaded != nullptr) ::dlclose(loaded);
}

/// One variable for the whole program.
[[gnu::visibility("default")]] inline const CheckHooks* check_hooks_in_use = nullptr;

[[nodiscard, gnu::always_inline]] inline const CheckHooks* check_hooks() noexcept {
  return __atomic_load_n(&check_hooks_in_use, __ATOMIC_ACQUIRE);
}

/// The status of a wait, or that of a failed device check if the wait reports no fault.
[[nodiscard]] inline int status_with_device_check(int status) noexcept {
  const CheckHooks* const hooks = check_hooks();
  return status == 0 && hooks != nullptr && hooks->failed() ? failed_check_status : status;
}

/// A stream as a call names it, and which one this is (StreamRef::number; 0: not known).
struct WhichStream {
  const void* handle = nullptr;
  std::uint64_t number = 0;

  constexpr WhichStream() noexcept = default;
  constexpr WhichStream(const void* its_handle,  // NOLINT(google-explicit-constructor)
                        std::uint64_t its_number = 0) noexcept
      : handle(its_handle), number(its_number) {}
};

/// What an open capture must know about other calls of the library.
struct CaptureHooks {
  /// A call of the runtime or of a library failed; it may have broken a capture.
  void (*failed)(const LaunchError& error) noexcept;
  /// Whether waiting for the stream or event, or querying it, would break a capture; either may be
  /// nullptr. If so, `error` says why. `relaxed` means that the calling thread has set the relaxed
  /// capture mode.
  bool (*refuses)(WhichStream stream, const void* event, bool relaxed, LaunchError& error) noexcept;
  /// Returns the number of the capture that the event belongs to; 0: none.
  std::uint64_t (*recorded)(const void* event, WhichStream stream) noexcept;
  bool (*is_open)(std::uint64_t capture) noexcept;
  /// Called before and after a stream waits for an event. `before` is the result of `waiting`.
  std::uint64_t (*waiting)(WhichStream stream) noexcept;
  void (*waited)(WhichStream stream, const void* event, std::uint64_t before,
                 call_site site) noexcept;
  /// A checked launch was captured: its graph monitors the memory behind its pointers.
  void (*launched)(WhichStream stream, const KernelEntry& entry, void* const* args) noexcept;
  /// A kernel, a copy, a fill or a library's work is about to be submitted to a stream, which need
  /// not capture.
  void (*submitting)(WhichStream stream, const Name& what, const call_site& site) noexcept;
};

/// nullptr unless this library has an open capture in any thread. One variable for the whole
/// program.
[[gnu::visibility("default")]] inline const CaptureHooks* capture_hooks = nullptr;

[[nodiscard, gnu::always_inline]] inline const CaptureHooks* open_captures() noexcept {
  return __atomic_load_n(&capture_hooks, __ATOMIC_ACQUIRE);
}
/// The captures of this library that are open or about to begin. One variable for the whole
/// program.
[[gnu::visibility("default")]] inline int counted_captures = 0;

/// Counts a capture, from before its beginning until after its end.
struct CountedCapture {
  CountedCapture() noexcept { __atomic_add_fetch(&counted_captures, 1, __ATOMIC_ACQ_REL); }
  ~CountedCapture() { __atomic_sub_fetch(&counted_captures, 1, __ATOMIC_ACQ_REL); }
  CountedCapture(const CountedCapture&) = delete;
  CountedCapture& operator=(const CountedCapture&) = delete;
};
/// Whether there may be a capture that a call must spare. With checks off only this library's
/// captures count, so that a program without one asks the driver for none.
template <CheckLevel Level>
[[nodiscard, gnu::always_inline]] inline bool may_meet_captures() noexcept {
  return Level != CheckLevel::off || __atomic_load_n(&counted_captures, __ATOMIC_RELAXED) != 0;
}
/// Tells the open captures that work is about to be submitted to `stream`, a StreamRef.
template <class S>
[[gnu::always_inline]] inline void tell_captures(const S& stream, const Name& what,
                                                 const call_site& site) noexcept {
  if (const CaptureHooks* const hooks = open_captures()) [[unlikely]] {
    hooks->submitting({stream.native(), stream.number()}, what, site);
  }
}
[[gnu::always_inline]] inline void report_to_captures(const LaunchError& error) noexcept {
  if (const CaptureHooks* const hooks = open_captures()) hooks->failed(error);
}

class TextBuffer;
struct WaitTarget;  // stream/detail/waiting.hpp

/// How a runtime waits for `handle`, which is a stream or an event (waiting.hpp).
struct WaitCalls {
  Name what;
  Vendor vendor;
  int not_ready;
  int (*wait)(void* handle) noexcept;
  int (*query)(void* handle) noexcept;
  /// Whether a wait may poll: a query breaks no capture, and a later query can give another answer.
  bool (*may_query)(void* handle) noexcept;
};
/// The calls of a backend that the debug tools use, as pointers, so that the tools are written and
/// compiled once for all backends (stream/detail/backend_calls.hpp). `stream` is always the
/// launch's stream, and its device is current.
struct BackendCalls {
  Name name;
  Vendor vendor;
  int (*peek_last_error)() noexcept;
  Name (*error_name)(int status) noexcept;
  Name (*error_text)(int status) noexcept;
  int (*stream_capturing)(void* stream, bool& capturing) noexcept;
  const WaitCalls* stream_wait;
  /// runtime_error of this backend.
  LaunchError (*error)(int status, Name operation, call_site site, Stage stage,
                       int device) noexcept;
  /// The limits that the device reports; for anything it does not report, the floor applies.
  int (*limits_of)(int device, DeviceLimits& limits) noexcept;
  const DeviceLimits* floor;
  Name (*device_name)(int device) noexcept;
  /// Copies `bytes` bytes in stream order.
  int (*copy)(void* to, const void* from, std::size_t bytes, CopyKind kind, void* stream) noexcept;
  int (*pointer_kind)(const void* memory, MemoryKind& kind, int& device) noexcept;
  /// Starts or stops a profiler that waits for this; nullptr if the runtime cannot.
  int (*profile)(bool on) noexcept;
};

struct LaunchArguments;

/// What a LaunchRecord is made from.
struct LaunchFacts {
  const Name& kernel;
  const LaunchShape& shape;
  const KernelLimits* limits;  ///< of the kernel; nullptr if unknown
  const void* stream;
  std::uint64_t stream_number;
  std::int32_t device;
  const call_site& site;
};

/// What happens to a launch after its data was inspected.
enum class Inspected : unsigned char {
  dispatch,  ///< it is submitted
  done,      ///< another computation has produced its results
  failed,    ///< it is not submitted, and the error says why
};
/// A bit in the result of `launching`: the debug tools want to see the launch's data.
inline constexpr std::uint64_t asks_for_data = std::uint64_t{1} << 63;

/// The debug tools' functions for launches, waits, errors and the text of errors. Because of the
/// pointer, a launch compiles to the same code with and without debug.hpp.
struct DebugHooks {
  /// A wait begins, or an event is recorded. Returns the time, which is never 0.
  std::uint64_t (*begin_wait)() noexcept;
  /// Waits through `calls`, with a time limit if there is one (WARPSAFE_TIMEOUT). Returns the
  /// runtime's status; not_ready means that the wait was abandoned.
  int (*wait)(const WaitCalls& calls, void* handle, const WaitTarget& place) noexcept;
  /// Whether WARPSAFE_TIMEOUT is on.
  bool (*watches_waits)() noexcept;
  /// The work that was submitted to the stream with this number before `began` has ended without a
  /// fault.
  void (*waited)(Vendor vendor, std::int32_t device, std::uint64_t stream,
                 std::uint64_t began) noexcept;
  /// All work of the device has ended without a fault.
  void (*device_idle)(Vendor vendor, std::int32_t device) noexcept;
  /// A runtime status has become `error`, on `device` (-1 if unknown). `earlier_work` means that
  /// the fault belongs to work submitted earlier, so the tools can name suspects.
  void (*error_created)(LaunchError& error, std::int32_t device, bool earlier_work) noexcept;
  /// Appends the suspects that `error_created` found to the error's text.
  void (*put_suspects)(TextBuffer& out, const LaunchError& error) noexcept;
  /// A checked launch (level full) is about to be submitted: fills in its record and numbers it.
  /// The result is passed to `submitted` or `refused`. If it contains `asks_for_data`, `inspect` is
  /// called first.
  std::uint64_t (*launching)(debug::LaunchRecord& record, const LaunchFacts& facts,
                             const BackendCalls& calls) noexcept;
  /// The runtime accepted the launch. Returns true, with the fault in `error`, if the tools waited
  /// for the launch and it failed.
  bool (*submitted)(const debug::LaunchRecord& record, const BackendCalls& calls,
                    std::uint64_t begun, LaunchError& error) noexcept;
  /// The runtime refused the launch with `error`.
  void (*refused)(const debug::LaunchRecord& record, const BackendCalls& calls, std::uint64_t begun,
                  LaunchError& error) noexcept;
  /// A check refused the launch. Returns whether to launch regardless (WARPSAFE_ON_ERROR=warn).
  bool (*continues_after)(LaunchError& error) noexcept;
  /// Inspects the data of a launch for which `launching` returned `asks_for_data`, before it is
  /// submitted.
  Inspected (*inspect)(const debug::LaunchRecord& record, const BackendCalls& calls,
                       const LaunchArguments& arguments, LaunchError& error) noexcept;
  /// Whether all Streams of a device share one native stream (WARPSAFE_SYNC=one-stream).
  bool (*one_stream)() noexcept;
  /// Writes a warning to the log whatever its level, except with WARPSAFE_LOG=off.
  void (*warn)(const char* text) noexcept;
};

/// One variable for the whole program.
[[gnu::visibility("default")]] inline const DebugHooks* debug_hooks_in_use = nullptr;

/// nullptr if no file of the program that is compiled with checks includes debug.hpp.
[[nodiscard, gnu::always_inline]] inline const DebugHooks* debug_hooks() noexcept {
  return __atomic_load_n(&debug_hooks_in_use, __ATOMIC_ACQUIRE);
}

}  // namespace detail

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
