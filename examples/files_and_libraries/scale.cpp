// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "scale.hpp"

#include "kernels.hpp"

namespace ws = warpsafe;

ws::result<void> scale(ws::StreamRef stream, float factor, ws::DeviceView<float> x) {
  const auto grid = ws::SafeGrid<>::cover(x.size(), ws::block<256>);
  return ws::launch(stream, grid, ws::kernel<scale_kernel>, factor, x, x.size());
}
