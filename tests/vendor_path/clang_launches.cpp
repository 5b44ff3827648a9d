// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Compiled by clang++.
#include "device_launches.hpp"
#include "kernels.hpp"

namespace vendor_test {

namespace ws = warpsafe;

ws::result<void> launch_floats_from_clang(ws::StreamRef stream, float a, double b) {
  return ws::launch(stream, ws::LaunchConfig{ws::grid<1>, ws::block<32>}, ws::kernel<floats>, a, b);
}

}  // namespace vendor_test
