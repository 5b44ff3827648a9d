// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "device_side.hpp"
#include <warpsafe/error/message.hpp>

#if defined(__HIPCC__)
#include "amd_control.hpp"
#else
#include "stand_in_cuda.hpp"
#endif

namespace side_by_side {

#if defined(__HIPCC__)
inline void forget() { amd_control_reset(); }
inline auto recorded() { return amd_control::launches(); }
#else
inline void forget() { stand_in_cuda_reset(); }
inline auto recorded() { return stand_in_cuda::launches(); }
#endif

/// Runs `launch` and returns what reached the device's runtime.
template <class Launch>
DeviceSide record(const Launch& launch) {
  forget();
  const auto launched = launch();
  const auto all = recorded();
  return {all.empty() ? "" : all.back().kernel, all.size(),
          launched.has_value() ? "" : warpsafe::message(launched.error())};
}

}  // namespace side_by_side
