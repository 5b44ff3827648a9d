// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstdint>

namespace warpsafe::watch {

/// A stream's relation to the legacy default stream of its device (CUDA Runtime API, "Stream
/// synchronization behavior").
enum class StreamOrder : std::uint8_t {
  legacy,    ///< the legacy default stream itself
  blocking,  ///< blocking: both wait for each other
  apart,     ///< non-blocking: neither waits for the other
};

/// A stream, as the OrderWatch identifies it.
struct StreamPlace {
  std::uint64_t key = 0;         ///< KnownStreams::number_of
  const void* handle = nullptr;  ///< handle for texts
  std::int32_t device = 0;
  StreamOrder order = StreamOrder::apart;
};

}  // namespace warpsafe::watch
