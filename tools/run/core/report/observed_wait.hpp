// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "wait_watch.hpp"
#include <warpsafe/core/name.hpp>

#include <cstddef>
#include <cstdint>

namespace warpsafe::watch {

/// A wait while the program is inside it.
struct ObservedWait {
  Name what{};
  const void* stream = nullptr;
  std::uint64_t stream_number = 0;  ///< KnownStreams::number_of
  std::int32_t device = -1;
  std::uint64_t began = 0;  ///< in debug::Completion's clock
  std::uint64_t begun = 0;  ///< nanoseconds; 0: not needed
  std::size_t watched = WaitWatch::none;
};
/// The work that a successful wait covers.
enum class WaitScope : std::uint8_t { nothing, stream, device };

}  // namespace warpsafe::watch
