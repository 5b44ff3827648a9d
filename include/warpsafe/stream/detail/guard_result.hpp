// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/error/result.hpp>

// The result of a guard knows whether the program has looked at it. A guard is never used
// afterwards, so nothing else would tell that there is none.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

template <class B>
class basic_device_guard;

namespace detail {

[[WARPSAFE_DETAIL_RARE]] inline void report_unseen(const LaunchError& error) noexcept {
  char text[1024];
  TextBuffer out(text, sizeof text);
  out << "warpsafe: nothing looked at the result of DeviceGuard::create(DeviceId(" << error.device
      << ")), which failed: " << error.raw_text
      << "; the work that followed used the device that was current\n  made at "
      << (error.site.file == nullptr ? "?" : error.site.file) << ':' << error.site.line
      << "; write WARPSAFE_TRY(const auto guard, DeviceGuard::create(device))\n";
  write_stderr({text, out.size()});
}

}  // namespace detail

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION

namespace BOOST_OUTCOME_V2_NAMESPACE::detail {

/// Outcome's part of a result that says what it holds. It is specialised, because a class that is
/// derived from the result would not know that a function returned, moved or took the result.
template <class B, class E>
class basic_result_final<warpsafe::basic_device_guard<B>, E, warpsafe::detail::UnwrapWithTryOrValue>
    : public select_basic_result_impl<warpsafe::basic_device_guard<B>, E,
                                      warpsafe::detail::UnwrapWithTryOrValue> {
  using Guard = warpsafe::basic_device_guard<B>;
  using Outcome = select_basic_result_impl<Guard, E, warpsafe::detail::UnwrapWithTryOrValue>;
  using call_site = warpsafe::call_site;

 public:
  using Outcome::Outcome;
  basic_result_final(basic_result_final&& other) noexcept
      : Outcome(static_cast<Outcome&&>(other)), unseen_(other.unseen_) {
    other.unseen_ = false;
  }
  basic_result_final(const basic_result_final&) = delete;
  basic_result_final& operator=(const basic_result_final&) = delete;
  basic_result_final& operator=(basic_result_final&&) = delete;
  ~basic_result_final() {
    if (unseen_) [[unlikely]]
      warpsafe::detail::report_unseen(Outcome::assume_error());
  }

  explicit operator bool() const noexcept { return has_value(); }
  bool has_value() const noexcept { return seen()._state._status.have_value(); }
  bool has_error() const noexcept { return seen()._state._status.have_error(); }
  bool has_failure() const noexcept { return has_error(); }
  bool has_exception() const noexcept { return false; }
  Guard& value() & { return seen().Outcome::value(); }
  const Guard& value() const& { return seen().Outcome::value(); }
  Guard value() && { return static_cast<Outcome&&>(seen()).value(); }
  E& error(const call_site& site = call_site::current()) & { return seen().Outcome::error(site); }
  const E& error(const call_site& site = call_site::current()) const& {
    return seen().Outcome::error(site);
  }
  E error(const call_site& site = call_site::current()) && { return seen().Outcome::error(site); }
  E& assume_error() & noexcept { return seen().Outcome::assume_error(); }
  const E& assume_error() const& noexcept { return seen().Outcome::assume_error(); }

  /// Prints a line if this result ends before anything has looked at its error.
  void expect_a_look() noexcept { unseen_ = true; }

 private:
  [[nodiscard]] basic_result_final& seen() noexcept {
    unseen_ = false;
    return *this;
  }
  [[nodiscard]] const basic_result_final& seen() const noexcept {
    unseen_ = false;
    return *this;
  }
  mutable bool unseen_ = false;
};

}  // namespace BOOST_OUTCOME_V2_NAMESPACE::detail
