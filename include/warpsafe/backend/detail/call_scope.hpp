// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/call_site.hpp>
#include <warpsafe/core/name.hpp>

namespace warpsafe::detail {

/// Whether a backend records the source lines of its callers.
template <class B>
concept RecordsCallers = requires(const call_site& site, Name what) {
  typename B::caller;
  B::enter_call(site, what);
};

/// During its lifetime, this thread's calls to the backend belong to the user's line `site` and,
/// for a launch, to the kernel `what`. An inner scope does not change the line. It only has an
/// effect for backends that record callers, such as the host backend, whose race detector reports
/// both lines of a race.
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
