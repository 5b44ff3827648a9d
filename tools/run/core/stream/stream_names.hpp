// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "known_streams.hpp"
#include "stream_place.hpp"

#include <cstdint>

// Identifies a stream argument. `per_thread`: the call belongs to the functions for which 0 means
// the thread's own default stream. Both vendors use the same two handles for the default streams.

namespace warpsafe::watch {

/// Returns whether the argument is the legacy default stream.
[[nodiscard]] inline bool is_legacy(const void* stream, bool per_thread) noexcept {
  return stream == legacy_handle() || (stream == nullptr && !per_thread);
}
/// Returns the name in the journal; nullptr: the legacy stream.
[[nodiscard]] inline const void* name_of(const void* stream, bool per_thread) noexcept {
  if (is_legacy(stream, per_thread)) return nullptr;
  return stream == nullptr ? per_thread_handle() : stream;
}
[[nodiscard]] inline StreamPlace place_of(const void* stream, bool per_thread, std::int32_t device,
                                          KnownStreams& streams) {
  const void* const handle = name_of(stream, per_thread);
  const std::uint64_t key = streams.number_of(handle, device);
  if (is_legacy(stream, per_thread)) return {key, nullptr, device, StreamOrder::legacy};
  const bool is_apart = handle != per_thread_handle() && streams.is_non_blocking(handle);
  return {key, handle, device, is_apart ? StreamOrder::apart : StreamOrder::blocking};
}

}  // namespace warpsafe::watch
