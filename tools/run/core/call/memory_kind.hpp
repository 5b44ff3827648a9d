// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstdint>

namespace warpsafe::watch {

/// What a vendor's runtime knows about an address.
enum class MemoryKind : std::uint8_t {
  ordinary,  ///< unknown to the runtime: ordinary host memory
  pinned,    ///< pinned or managed: host memory that the runtime knows
  device,
};

}  // namespace warpsafe::watch
