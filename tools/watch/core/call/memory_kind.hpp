// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstdint>

namespace warpsafe::watch {

/// What a vendor's runtime knows of an address.
enum class MemoryKind : std::uint8_t {
  ordinary,  ///< nothing: the host's own
  pinned,    ///< or managed: of the host, and known
  device,
};

}  // namespace warpsafe::watch
