// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/call_site.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/error/errc.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace warpsafe {

/// Everything known about one failure, as plain data: trivially copyable, a literal type, no
/// allocation. All pointers in it live as long as the program. `message(error)` (message.hpp) makes
/// the text.
///
/// Its default constructor leaves it uninitialised at run time, on purpose: Outcome
/// default-constructs the error of every successful result, and zeroing it there costs more than
/// the rest of a release launch. Make one with `LaunchError::make`.
struct LaunchError {
  Errc code;
  Stage stage;
  Severity severity;
  Axis axis;             ///< which axis `value` and `limit` are about, or Axis::none
  Vendor vendor;         ///< whose code `raw` is
  bool limit_is_floor;   ///< `limit` is the documented floor, since the device did not report one
  bool opt_in_included;  ///< `limit` is the one with the kernel's opt-in attribute raised
  bool blocking_was_on;  ///< a launch-blocking mode was on (environment), so timing was not the
                         ///< usual
  std::int32_t raw;      ///< the runtime's own code; 0: the runtime was not asked
  std::int32_t device;   ///< ordinal, or -1
  Name raw_name;         ///< the runtime's name of `raw`, e.g. cudaErrorInvalidValue
  Name raw_text;         ///< the runtime's text of `raw`
  Name kernel;           ///< empty: no kernel is concerned
  Name device_name;
  Name operation;  ///< the runtime's or library's function that failed or was not called
  std::uint32_t grid[3];
  std::uint32_t block[3];
  std::uint64_t dynamic_shared;  ///< bytes
  std::uint64_t value;           ///< the offending number: what it counts follows from `code`
  std::uint64_t limit;           ///< what it was compared with
  std::uint64_t extra;           ///< a third number where `code` needs one
  std::uint64_t held;            ///< out_of_memory: bytes that this program's buffers hold there
  const void* stream;            ///< the native stream, or nullptr
  std::uint64_t sequence;        ///< the launch's number in the journal; 0: none
  std::uint64_t incident;        ///< checked builds: which fault's suspects belong to it
                                 ///< (debug::suspects); 0: it is no fault of running work
  call_site site;

  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): see above
  constexpr LaunchError() noexcept {
    if (__builtin_is_constant_evaluated()) *this = make(Errc{}, Stage{});
  }

  /// An error with every field set to "nothing known", but for what is given.
  [[nodiscard]] static constexpr LaunchError make(Errc code, Stage stage,
                                                  call_site site = {}) noexcept {
    return LaunchError(code, stage, site);
  }
  /// The same with the two numbers that most checks compare.
  [[nodiscard]] static constexpr LaunchError make(Errc code, Stage stage, std::uint64_t value,
                                                  std::uint64_t limit, Axis axis = Axis::none,
                                                  call_site site = {}) noexcept {
    LaunchError error(code, stage, site);
    error.value = value;
    error.limit = limit;
    error.axis = axis;
    return error;
  }

  /// Makes an error that is there what `make` makes: no copy, which is 400 bytes of code wherever
  /// one is.
  constexpr void reset(Errc its_code, Stage its_stage, const call_site& its_site = {}) noexcept {
    code = its_code;
    stage = its_stage;
    severity = Severity::recoverable;
    axis = Axis::none;
    vendor = Vendor::unknown;
    limit_is_floor = false;
    opt_in_included = false;
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
  /// Puts the numbers of the launch beside the error.
  constexpr LaunchError& with_shape(const LaunchShape& shape) noexcept {
    for (int i = 0; i < 3; ++i) {
      grid[i] = shape.grid[i];
      block[i] = shape.block[i];
    }
    dynamic_shared = shape.dynamic_shared;
    return *this;
  }
  /// Names the device that the limit belongs to.
  constexpr LaunchError& with_device(const DeviceLimits& limits) noexcept {
    device = limits.device;
    device_name = limits.name;
    vendor = limits.vendor;
    return *this;
  }
  [[nodiscard]] constexpr bool recoverable() const noexcept {
    return severity == Severity::recoverable;
  }

 private:
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): reset() has them all
  constexpr LaunchError(Errc its_code, Stage its_stage, call_site its_site) noexcept {
    reset(its_code, its_stage, its_site);
  }
};

static_assert(std::is_trivially_copyable_v<LaunchError>);

namespace detail {
/// Puts a problem into `error`, and is false: how every check ends that finds one.
constexpr bool refuse(LaunchError& error, Errc code, Stage stage, std::uint64_t value,
                      std::uint64_t limit, Axis axis = Axis::none,
                      std::uint64_t extra = 0) noexcept {
  error.reset(code, stage);
  error.value = value;
  error.limit = limit;
  error.axis = axis;
  error.extra = extra;
  return false;
}
}  // namespace detail

}  // namespace warpsafe
