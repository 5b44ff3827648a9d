// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/refused.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/error/errc.hpp>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <type_traits>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

enum class GraphChange : std::uint8_t;  // core/capture_types.hpp

/// Everything known about one failure, as plain data: trivially copyable, a literal type, no
/// allocation. The texts that it points to live as long as the program. `message(error)`
/// (message.hpp) makes its text.
///
/// The default constructor leaves it uninitialised at run time: Outcome default-constructs the
/// error of every successful result, and zeroing it there costs more than the rest of a release
/// launch. Make one with `LaunchError::make`.
struct LaunchError {
  Errc code;
  Stage stage;
  Severity severity;
  Axis axis;             ///< which axis `value` and `limit` are about, or Axis::none
  Vendor vendor;         ///< whose code `raw` is
  bool limit_is_floor;   ///< `limit` is the documented floor, because the device reported no limit
  Subcode subcode;       ///< which case of `code`, if the code has several
  bool blocking_was_on;  ///< a launch-blocking mode was on (environment), which changes timing
  std::int32_t raw;      ///< the runtime's own code; 0: the runtime was not called
  std::int32_t device;   ///< ordinal, or -1
  Name raw_name;         ///< the runtime's name of `raw`, e.g. cudaErrorInvalidValue
  Name raw_text;         ///< the runtime's text of `raw`
  Name kernel;           ///< empty: no kernel is concerned
  Name device_name;
  Name operation;  ///< the runtime's or library's function that failed or was not called
  std::uint32_t grid[3];
  std::uint32_t block[3];
  std::uint64_t dynamic_shared;  ///< bytes
  std::uint64_t value;           ///< the offending number; what it counts follows from `code`
  std::uint64_t limit;           ///< what it was compared with
  std::uint64_t extra;           ///< a third number if `code` needs it: argument() and so on
  std::uint64_t held;            ///< out_of_memory: bytes that this program's buffers hold there
  const void* stream;            ///< the native stream, or nullptr
  std::uint64_t sequence;        ///< LaunchRecord::sequence of the launch; 0: none
  std::uint64_t incident;        ///< checked builds: the number that an observer gave the fault;
                                 ///< 0: not a fault of running work
  call_site site;

  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): see above
  [[gnu::always_inline]] constexpr LaunchError() noexcept {
    if (__builtin_is_constant_evaluated()) *this = make(Errc{}, Stage{});
  }

  /// An error from the given values; every other field says "nothing known".
  [[nodiscard, gnu::always_inline]] static constexpr LaunchError make(
      Errc code, Stage stage, call_site site = {}) noexcept {
    return LaunchError(code, stage, site);
  }
  /// As above, with the two numbers that most checks compare.
  [[nodiscard]] static constexpr LaunchError make(Errc code, Stage stage, std::uint64_t value,
                                                  std::uint64_t limit, Axis axis = Axis::none,
                                                  call_site site = {}) noexcept {
    LaunchError error(code, stage, site);
    error.value = value;
    error.limit = limit;
    error.axis = axis;
    return error;
  }

  /// Sets every field as `make` does, but without a copy, which takes 400 bytes of code each time.
  [[WARPSAFE_DETAIL_RARE]] constexpr void reset(Errc its_code, Stage its_stage,
                                                const call_site& its_site = {}) noexcept {
    code = its_code;
    stage = its_stage;
    severity = Severity::recoverable;
    axis = Axis::none;
    vendor = Vendor::unknown;
    limit_is_floor = false;
    subcode = Subcode::none;
    blocking_was_on = false;
    raw = 0;
    device = -1;
    raw_name = {};
    raw_text = {};
    kernel = {};
    device_name = {};
    operation = {};
    for (int i = 0; i < 3; ++i) grid[i] = block[i] = 0;
    dynamic_shared = 0;
    value = 0;
    limit = 0;
    extra = 0;
    held = 0;
    stream = nullptr;
    sequence = 0;
    incident = 0;
    site = its_site;
  }
  /// Adds the numbers of the launch.
  [[gnu::always_inline]] constexpr LaunchError& with_shape(const LaunchShape& shape) noexcept {
    for (int i = 0; i < 3; ++i) {
      grid[i] = shape.grid[i];
      block[i] = shape.block[i];
    }
    dynamic_shared = shape.dynamic_shared;
    return *this;
  }
  /// Adds the device that the limit belongs to.
  [[gnu::always_inline]] constexpr LaunchError& with_device(const DeviceLimits& limits) noexcept {
    device = limits.device;
    device_name = limits.name;
    vendor = limits.vendor;
    return *this;
  }
  [[nodiscard]] constexpr bool recoverable() const noexcept {
    return severity == Severity::recoverable;
  }

  // `extra` and `value` by the names that they have for a code.

  /// The argument of the launch, counted from 1. Errc::argument_negative, ::argument_host_pointer,
  /// ::reference_differs; ::handle_pointer_mode, with 0 for no single argument.
  [[nodiscard]] constexpr std::uint64_t argument() const noexcept { return extra; }
  /// The parameter of the kernel, counted from 1; 0 with Subcode::parameter_count.
  /// Errc::signature_mismatch.
  [[nodiscard]] constexpr std::uint64_t parameter() const noexcept { return extra; }
  /// The threads that a smaller block of this shape may have; 0 if no such block is known to be
  /// accepted. Errc::block_too_large, ::kernel_threads_exceeded.
  [[nodiscard]] constexpr std::uint64_t accepted_threads() const noexcept { return extra; }
  /// The kernel's static shared memory in bytes. Errc::shared_too_large.
  [[nodiscard]] constexpr std::uint64_t static_shared() const noexcept { return extra; }
  /// Bytes that are free on the device. Errc::out_of_memory.
  [[nodiscard]] constexpr std::uint64_t free_bytes() const noexcept { return extra; }
  /// The third extent; `value` and `limit` are the first two. Errc::size_overflow.
  [[nodiscard]] constexpr std::uint64_t third_extent() const noexcept { return extra; }
  /// Why the graph cannot be updated. Errc::graph_update_refused.
  [[nodiscard]] constexpr GraphChange graph_change() const noexcept {
    return static_cast<GraphChange>(value);
  }

 private:
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): reset() sets each
  [[gnu::always_inline]] constexpr LaunchError(Errc its_code, Stage its_stage,
                                               call_site its_site) noexcept {
    reset(its_code, its_stage, its_site);
  }
};

static_assert(__is_trivially_copyable(LaunchError));

#define WARPSAFE_DETAIL_SENTENCE "warpsafe: to print an error, include <warpsafe/print.hpp>"
/// Diagnoses `<<` without its header, whose function is preferred.
template <class Char, class Traits WARPSAFE_DETAIL_WHY>
WARPSAFE_DETAIL_REFUSED std::basic_ostream<Char, Traits>& operator<<(
    std::basic_ostream<Char, Traits>&, const LaunchError&) WARPSAFE_DETAIL_REFUSAL_IN_BODY(Char);
#undef WARPSAFE_DETAIL_SENTENCE

namespace detail {
/// Fills in `error` and returns false.
[[WARPSAFE_DETAIL_RARE]] constexpr bool refuse(LaunchError& error, Errc code, Stage stage,
                                               std::uint64_t value = 0, std::uint64_t limit = 0,
                                               Axis axis = Axis::none, std::uint64_t extra = 0,
                                               Subcode subcode = Subcode::none) noexcept {
  error.reset(code, stage);
  error.value = value;
  error.limit = limit;
  error.axis = axis;
  error.extra = extra;
  error.subcode = subcode;
  return false;
}
}  // namespace detail

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
