// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/call_site.hpp>
#include <warpsafe/core/name.hpp>

namespace warpsafe::detail {

/// Whether a backend wants to know where its callers' lines are.
template <class B>
concept RecordsCallers = requires(const call_site& site, Name what) {
  typename B::caller;
  B::enter_call(site, what);
};

/// As long as it lives, the calls of this thread to the backend are those of the user's line
/// `site`, and launch `what`; a scope inside of another leaves the line as it is. For backends that
/// ask for it (the host backend, whose race detector names both lines of a race); for the others it
/// is nothing.
template <class B>
class [[maybe_unused]] CallScope {
 public:
  explicit CallScope(const call_site&, Name = {}) noexcept {}
};
template <RecordsCallers B>
class [[maybe_unused]] CallScope<B> {
 public:
  explicit CallScope(const call_site& site, Name what = {}) noexcept
      : outer_(B::enter_call(site, what)) {}
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;
  ~CallScope() { B::leave_call(outer_); }

 private:
  typename B::caller outer_;
};

}  // namespace warpsafe::detail
