// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/name.hpp>

#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Whether a backend records the source lines of its callers.
template <class B>
concept RecordsCallers = requires(const call_site& site, Name what) {
  typename B::caller;
  B::enter_call(site, what);
};

/// During its lifetime, this thread's calls to the backend belong to the user's line `site` and,
/// for a launch, to the kernel `what`. An inner scope does not change the line. It only has an
/// effect for backends that record callers, such as the host backend, whose reports name the line.
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

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// The user's line that a call comes from, if known, and the kernel that it launches.
struct Caller {
  call_site site{nullptr, nullptr, 0};
  Name kernel{nullptr, 0};
};

/// The caller of this thread, set by detail::CallScope.
[[nodiscard, gnu::visibility("default")]] inline Caller& caller() noexcept {
  static thread_local Caller current;
  return current;
}

/// The bytes that each pointer parameter of this thread's launch may access, counted from its
/// address; `unknown_window`: all of the allocation. nullptr: no launch told.
inline constexpr std::uint64_t unknown_window = ~std::uint64_t{0};
[[nodiscard, gnu::visibility("default")]] inline const std::uint64_t*& launch_windows() noexcept {
  static thread_local const std::uint64_t* current = nullptr;
  return current;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
