// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/error/error.hpp>

namespace warpsafe::detail {

/// Whether a launch that raises nothing, as `<<<>>>`, has no more dynamic shared memory than the
/// kernel's attribute allows now; else Errc::shared_not_opted_in in `error`. `now`: the attributes
/// as they are, of no cache; a maximum of 0 is not known.
[[nodiscard]] constexpr bool shared_is_opted_in(const LaunchShape& shape, const KernelLimits& now,
                                                LaunchError& error) noexcept {
  if (now.max_dynamic_shared == 0 || shape.dynamic_shared <= now.max_dynamic_shared) return true;
  return refuse(error, Errc::shared_not_opted_in, Stage::validation, shape.dynamic_shared,
                now.max_dynamic_shared);
}

}  // namespace warpsafe::detail
