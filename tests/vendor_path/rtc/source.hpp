// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

namespace rtc_test {

/// A kernel of everything that kernel_api.hpp offers, for the compilers that work at run time.
inline constexpr const char* source = R"(
#include <warpsafe/kernel_api.hpp>
extern "C" WARPSAFE_KERNEL_EXTERN void WARPSAFE_LAUNCH_BOUNDS(256, 2)
everything(warpsafe::DeviceSpan<float> values, warpsafe::extent<2> size, unsigned* counter) {
  auto* dynamic = warpsafe::dynamic_shared<float>();
  auto* fixed = warpsafe::shared_array<float, 256>([] {});
  fixed[warpsafe::thread_in_block().x] = 1.0F;
  dynamic[warpsafe::thread_in_block().x] = 2.0F;
  warpsafe::sync_block();
  for (auto i : warpsafe::grid_stride(values.size())) values[i] += fixed[0] + dynamic[0];
  if (size.contains(warpsafe::thread_index())) warpsafe::atomic_add(counter, 1U);
}
)";

}  // namespace rtc_test
