// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/name.hpp>

#include <cstdint>

// Who calls a backend, for a backend that wants to know: the host backend does, whose reports name
// the line.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Whether a backend records its callers.
template <class B>
concept RecordsCallers = requires(const call_site& site, Name kernel,
                                  const std::uint64_t* windows) {
  typename B::caller;
  B::enter_call(site, kernel, windows);
};

/// During its lifetime, this thread's calls to the backend belong to the user's line `site`. An
/// inner scope does not change the line. Of a launch, it also tells the kernel and its windows: the
/// bytes that each pointer parameter may access, counted from its address, or `unknown_extent` for
/// all of the allocation; nullptr: not told. Without effect for a backend that records no callers.
template <class B>
class [[maybe_unused]] CallScope {
 public:
  explicit CallScope(const call_site&, Name = {}, const std::uint64_t* = nullptr) noexcept {}
};
template <RecordsCallers B>
class [[maybe_unused]] CallScope<B> {
 public:
  explicit CallScope(const call_site& site, Name kernel = {},
                     const std::uint64_t* windows = nullptr) noexcept
      : outer_(B::enter_call(site, kernel, windows)) {}
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;
  ~CallScope() { B::leave_call(outer_); }

 private:
  typename B::caller outer_;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
