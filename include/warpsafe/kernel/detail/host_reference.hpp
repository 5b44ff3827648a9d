// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/element_type.hpp>
#include <warpsafe/core/launch_shape.hpp>

#include <cstdint>

namespace warpsafe::detail {

/// The reference's results may differ by what their type's rounding explains.
struct OwnTolerance {
  static constexpr Tolerance tolerance{};
};

/// The host's function that a kernel carries (reference.hpp), without its types.
struct HostReference {
  /// Calls it: `values` as the kernel gets them, and for each parameter that reaches memory the
  /// host's copy of it and the bytes there.
  void (*run)(const LaunchShape& shape, void* const* values, void* const* memory,
              const std::uint64_t* bytes);
  Tolerance tolerance;
  bool has_tolerance;  ///< else each type's own
};

}  // namespace warpsafe::detail
