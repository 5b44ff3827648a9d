// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/element_type.hpp>
#include <warpsafe/core/launch_shape.hpp>

#include <cstdint>

namespace warpsafe::detail {

/// The reference's results may differ by the rounding of their type.
struct OwnTolerance {
  static constexpr Tolerance tolerance{};
};

/// A kernel's reference function on the host (reference.hpp), without its types.
struct HostReference {
  /// Calls the function. `values` are the kernel's parameters. For each parameter that points to
  /// memory, `memory` and `bytes` are the host's copy and its size.
  void (*run)(const LaunchShape& shape, void* const* values, void* const* memory,
              const std::uint64_t* bytes);
  Tolerance tolerance;
  bool has_tolerance;  ///< if false, each type has its own
};

}  // namespace warpsafe::detail
