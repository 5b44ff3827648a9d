// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/known_streams.hpp"
#include "../core/stream_place.hpp"

#include <cuda.h>

#include <cstdint>

// What a stream of a driver's call is. `per_thread`: the call is one of those that take 0 for the
// thread's own default stream.

namespace warpsafe::watch {

/// Whether it is the legacy default stream.
[[nodiscard]] inline bool is_legacy(CUstream stream, bool per_thread) noexcept {
  return stream == CU_STREAM_LEGACY || (stream == nullptr && !per_thread);
}
/// As the journal has it; nullptr: the legacy one.
[[nodiscard]] inline const void* name_of(CUstream stream, bool per_thread) noexcept {
  if (is_legacy(stream, per_thread)) return nullptr;
  return stream == nullptr ? CU_STREAM_PER_THREAD : stream;
}
[[nodiscard]] inline StreamPlace place_of(CUstream stream, bool per_thread, std::int32_t device,
                                          KnownStreams& streams) {
  if (is_legacy(stream, per_thread)) return {nullptr, nullptr, device, StreamOrder::legacy};
  const void* const handle = name_of(stream, per_thread);
  if (handle == CU_STREAM_PER_THREAD) {
    thread_local const char mine = 0;  // each thread's is another
    return {&mine, handle, device, StreamOrder::blocking};
  }
  return {handle, handle, device,
          streams.is_apart(handle) ? StreamOrder::apart : StreamOrder::blocking};
}

}  // namespace warpsafe::watch
