// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/core/name.hpp>

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

// Launches and waits reach the optional parts of the library through these hooks: device checks and
// captures. Each part has one pointer for the whole program, so a program without the part pays one
// load. Tools watch a program through core/observer.hpp.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

struct KernelEntry;  // backend/kernel_entry.hpp
struct LaunchError;  // error/error.hpp

namespace detail {

class GraphResources;  // memory/detail/graph_resources.hpp

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

/// The variables that only tools read.
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
/// Of each module.
[[gnu::visibility("hidden")]] inline bool module_is_kept = false;
/// Keeps the module of the caller, for functions of its that the program finds through a pointer.
/// Call it without a lock, because it takes the loader's.
[[gnu::visibility("hidden")]] inline void keep_module() noexcept {
  if (__atomic_load_n(&module_is_kept, __ATOMIC_RELAXED)) return;
  keep_loaded(&module_is_kept);
  __atomic_store_n(&module_is_kept, true, __ATOMIC_RELAXED);
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
  /// What the graph of the stream's capture keeps, with one reference for the caller. nullptr if
  /// the stream takes part in no capture.
  GraphResources* (*resources)(WhichStream stream) noexcept;
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

}  // namespace detail

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
