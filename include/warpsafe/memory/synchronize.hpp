// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/error/result.hpp>
#include <warpsafe/memory/pending.hpp>
#include <warpsafe/stream/detail/beside_captures.hpp>
#include <warpsafe/stream/stream.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// Waits once for `stream` and returns the values of several Pending objects: `auto [a, b] =
/// synchronize(stream, std::move(x), std::move(y)).value();`. Waits separately for a Pending of
/// another stream. On an error no value is returned: Errc::execution_failed for a fault of earlier
/// work, ::pending_taken if a Pending is given twice, or the first Pending's own error (see `get`).
/// Each Pending then keeps what it owns until its copy has ended.
template <CheckLevel Level = current_level, class B, class... T>
[[nodiscard]] result<std::tuple<T...>> synchronize(std::type_identity_t<detail::Located<B>> stream,
                                                   basic_pending<B, T>&&... pending) noexcept {
  using Access = detail::PendingAccess;
  LaunchError error;
  if ((Access::error_before_wait(pending, error, stream.site) || ...)) return error;
  const void* const given[] = {&pending..., nullptr};
  for (std::size_t i = 1; i < sizeof...(T); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (given[i] != given[j]) continue;
      return LaunchError::make(Errc::pending_taken, Stage::construction, stream.site);
    }
  }
  const result<void> waited = detail::wait_for<Level>(stream.stream, stream.site);
  if (!waited.has_value()) return waited.assume_error();
  bool failed = false;
  const auto wait_for_own = [&](auto& one) noexcept {
    if (failed) return;
    const result<void> own = Access::wait_for_other_stream<Level>(one, stream.stream, stream.site);
    if (own.has_value()) return;
    error = own.assume_error();
    failed = true;
  };
  (wait_for_own(pending), ...);
  if (failed) return error;
  return std::tuple<T...>(Access::take(pending)...);
}

/// Diagnoses a Pending that is not moved in: a named one would be left without its value. The
/// return type is deduced, so that this is the first error.
template <class S, class... P>
requires(detail::is_stream<S> && sizeof...(P) != 0 &&
         !(... && (detail::is_pending<P> && !std::is_const_v<P>)))
    [[nodiscard]] auto synchronize(const S&, P&&...) noexcept {
  static_assert(
      sizeof...(P) == 0,
      "warpsafe: synchronize(stream, std::move(pending)…) takes the tokens of copies by move and returns their values");
  return success();
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
