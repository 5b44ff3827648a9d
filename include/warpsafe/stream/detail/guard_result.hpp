// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/error/result.hpp>

#include <cstdio>
#include <utility>

// What DeviceGuard::create returns.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

template <class B>
class basic_device_guard;

namespace detail {

[[WARPSAFE_DETAIL_RARE]] inline void report_unseen(const LaunchError& error) noexcept {
  std::fprintf(stderr,
               "warpsafe: nothing looked at the result of DeviceGuard::create(DeviceId(%d)), which "
               "failed: %.*s; the work that followed used the device that was current\n  made at "
               "%s:%u; write WARPSAFE_TRY(const auto guard, DeviceGuard::create(device))\n",
               static_cast<int>(error.device), static_cast<int>(error.raw_text.size),
               error.raw_text.data, error.site.file == nullptr ? "?" : error.site.file,
               static_cast<unsigned>(error.site.line));
}

/// A result of a guard that knows whether the program has looked at it. A guard is never used
/// afterwards, so nothing else would tell that there is none.
template <class B>
class [[nodiscard]] GuardResult : public result<basic_device_guard<B>> {
  using Guard = basic_device_guard<B>;
  using Outcome = result<Guard>;

 public:
  // Implicit, so that a function can return either.
  GuardResult(Guard&& made) noexcept  // NOLINT(google-explicit-constructor)
      : Outcome(BOOST_OUTCOME_V2_NAMESPACE::in_place_type<Guard>, std::move(made)) {}
  GuardResult(const LaunchError& error, bool is_checked) noexcept
      : Outcome(BOOST_OUTCOME_V2_NAMESPACE::in_place_type<LaunchError>, error),
        unseen_(is_checked) {}
  GuardResult(GuardResult&& other) noexcept
      : Outcome(static_cast<Outcome&&>(other)), unseen_(std::exchange(other.unseen_, false)) {}
  GuardResult(const GuardResult&) = delete;
  GuardResult& operator=(const GuardResult&) = delete;
  GuardResult& operator=(GuardResult&&) = delete;
  ~GuardResult() {
    if (unseen_) [[unlikely]]
      report_unseen(Outcome::assume_error());
  }

  [[nodiscard]] bool has_value() const noexcept { return seen().has_value(); }
  [[nodiscard]] bool has_error() const noexcept { return seen().has_error(); }
  [[nodiscard]] bool has_failure() const noexcept { return seen().has_failure(); }
  explicit operator bool() const noexcept { return has_value(); }
  Guard& value() & { return seen().value(); }
  const Guard& value() const& { return seen().value(); }
  Guard value() && { return std::move(seen()).value(); }
  LaunchError& error(const call_site& site = call_site::current()) & { return seen().error(site); }
  const LaunchError& error(const call_site& site = call_site::current()) const& {
    return seen().error(site);
  }
  LaunchError error(const call_site& site = call_site::current()) && { return seen().error(site); }
  Guard& assume_value() & noexcept { return seen().assume_value(); }
  const Guard& assume_value() const& noexcept { return seen().assume_value(); }
  Guard&& assume_value() && noexcept { return std::move(seen()).assume_value(); }
  LaunchError& assume_error() & noexcept { return seen().assume_error(); }
  const LaunchError& assume_error() const& noexcept { return seen().assume_error(); }

 private:
  [[nodiscard]] Outcome& seen() noexcept {
    unseen_ = false;
    return *this;
  }
  [[nodiscard]] const Outcome& seen() const noexcept {
    unseen_ = false;
    return *this;
  }
  mutable bool unseen_ = false;  // an error that nothing has looked at, in a checked build
};

}  // namespace detail

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
