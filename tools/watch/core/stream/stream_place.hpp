// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstdint>

namespace warpsafe::watch {

/// What a stream is to the legacy default stream of its device (CUDA Runtime API, "Stream
/// synchronization behavior").
enum class StreamOrder : std::uint8_t {
  legacy,    ///< it is that one
  blocking,  ///< they wait for each other
  apart,     ///< made non-blocking: neither waits for the other
};

/// A stream, as order is told of it.
struct StreamPlace {
  const void* key = nullptr;  ///< no two streams that live have the same; nullptr: the legacy one
  const void* handle = nullptr;  ///< as texts have it
  std::int32_t device = 0;
  StreamOrder order = StreamOrder::apart;
};

}  // namespace warpsafe::watch
