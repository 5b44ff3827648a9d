// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/dims/launch_options.hpp>
#include <warpsafe/dims/safe_grid.hpp>
#include <warpsafe/dims/static_dims.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/launch/config.hpp>

// LaunchConfig (config.hpp) and its parts: SafeGrid and the launch options.

namespace warpsafe {

/// Makes a LaunchConfig of parts, any of which may be a `result`. Returns the first error among
/// them. Checked builds also return Errc::shared_negative, ::shared_overflow and
/// ::cluster_not_divisor.
template <CheckLevel Level = current_level, class... Parts>
[[nodiscard, gnu::always_inline]] constexpr auto configure(const Parts&... parts) noexcept {
  using Config = decltype(LaunchConfig(detail::value_of(parts)...));
  const LaunchError* error = nullptr;
  ((error = error != nullptr ? error : detail::error_of(parts)), ...);
  if (error != nullptr) return detail::failure<Config>(*error);
  if constexpr (Level != CheckLevel::off) {
    const LaunchError problem = Config(detail::value_of(parts)...).problem();
    if (problem.code != Errc{}) return detail::failure<Config>(problem);
  }
  return detail::result_of<Config>(detail::value_of(parts)...);
}

}  // namespace warpsafe
