// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// As the page shows it.
// clang-format off
#include "pages.hpp"

#include <warpsafe/core/limits_table.hpp>
#include <warpsafe/launch/validate.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <iostream>

namespace ws = warpsafe;

WARPSAFE_KERNEL void sums(const float* in, float* out, std::size_t n) {
  auto* const parts = ws::dynamic_shared<float>();
  const auto thread = ws::thread_in_block().x;
  const auto i = ws::thread_index().x;
  parts[thread] = i < n ? in[i] : 0;
  ws::sync_block();
  if (thread != 0) return;
  for (unsigned k = 1; k < ws::block_size().x; ++k) parts[0] += parts[k];
  out[ws::block_index().x] = parts[0];
}

namespace {

ws::result<void> run(const ws::Stream& stream, std::size_t floats) {
  constexpr std::size_t n = 1000;
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::create(stream, n));
  WARPSAFE_TRY(auto y, ws::DeviceBuffer<float>::create(stream, n));
  auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>), ws::shared<float>(floats));
  return ws::launch(stream, config, ws::kernel<sums, ws::needs_shared<float>>, x.view(), y.view(), n);
}

constexpr ws::LaunchConfig one_block{ws::grid<1>, ws::block<32>, ws::shared<float>(32)};

void ask(const char* name, const ws::DeviceLimits& limits) {
  constexpr ws::LaunchConfig config{ws::grid<1>, ws::block<256>, ws::shared<float>(20000)};
  const auto verdict = ws::validate(config, ws::kernel<sums, ws::needs_shared<float>>, limits);
  std::cout << name << ": " << (verdict.has_value() ? "yes" : ws::message(verdict.error())) << '\n';
}

}  // namespace

bool launch_config() {
  const auto stream = ws::Stream::create();
  if (!stream.has_value() || !run(stream.value(), 256).has_value()) return false;
  shown();
  std::cout << one_block << '\n';
  shown();
  const auto too_much = run(stream.value(), 20000);
  if (too_much.has_value()) return false;
  std::cout << too_much.error() << '\n';
  shown();
  ask("sm_75", ws::limits::sm_75);
  ask("sm_90", ws::limits::sm_90);
  ask("gfx942", ws::limits::gfx942);
  return true;
}
