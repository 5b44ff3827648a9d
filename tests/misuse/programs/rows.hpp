// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// What the programs share: mistakes that were written down before anyone looked at whether the
// library finds them. Each program is a function that a user of the library would
// write. It returns true if the numbers are right, and an error if it was told of one. A row's
// wrong lines are compiled with WRONG_<number> defined, its right lines without.

#include <warpsafe/compare.hpp>
#include <warpsafe/core/limits_table.hpp>
#include <warpsafe/graph.hpp>
#include <warpsafe/handles/handle_traits.hpp>
#include <warpsafe/handles/library_scalar.hpp>
#include <warpsafe/handles/stream_bound.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/kernel/functor.hpp>
#include <warpsafe/launch/occupancy.hpp>
#include <warpsafe/launch/validate.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/module.hpp>
#include <warpsafe/race.hpp>
#include <warpsafe/warpsafe.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace ws = warpsafe;

using Floats = std::vector<float>;
using Answer = ws::result<bool>;

WARPSAFE_KERNEL void fill_with(float value, float* x, std::size_t n) {
  for (auto i : ws::grid_stride(n)) x[i] = value;
}
WARPSAFE_KERNEL void add_one(float* x, std::size_t n) {
  for (auto i : ws::grid_stride(n)) x[i] += 1;
}
WARPSAFE_KERNEL void copy_over(const float* from, float* to, std::size_t n) {
  for (auto i : ws::grid_stride(n)) to[i] = from[i];
}
WARPSAFE_KERNEL void shift_left(const float* from, float* to, std::size_t n) {
  for (auto i : ws::grid_stride(n)) to[i] = i + 1 < n ? from[i + 1] : 0;
}
WARPSAFE_KERNEL void accumulate(const float* x, float* sum, std::size_t n) {
  if (ws::thread_index().x == 0) {
    for (std::size_t i = 0; i < n; ++i) *sum += x[i];
  }
}
WARPSAFE_KERNEL void span_fill(ws::DeviceSpan<float> x, float value) {
  for (auto i : ws::grid_stride(x.size())) x[i] = value;
}

inline ws::result<void> fill(ws::StreamRef stream, ws::DeviceView<float> x, float value) {
  return ws::launch(stream, ws::SafeGrid<>::cover(x.size(), ws::block<64>), ws::kernel<fill_with>,
                    value, x, x.size());
}
inline bool all_are(const Floats& values, float value) {
  for (const float each : values) {
    if (each != value) return false;
  }
  return !values.empty();
}
