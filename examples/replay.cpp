// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A run with one wrong launch among forty, and a replay of that launch alone.
//
//   replay           the run; ends with 1 because its sum is wrong
//   replay FOLDER    repeats the launch that WARPSAFE_TRACE wrote there, and compares
//
// WARPSAFE_SHADOW=all replay          reports which launch is wrong, and where
// WARPSAFE_TRACE=diffuse:26:1 replay  writes that launch into warpsafe-trace/000027-diffuse
// bisect replay                       finds that launch by running this program repeatedly

#include <warpsafe/compare.hpp>
#include <warpsafe/debug.hpp>
#include <warpsafe/debug/data/launch_dump.hpp>
#include <warpsafe/kernel/reference.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cmath>
#include <cstddef>
#include <iostream>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace ws = warpsafe;

/// The mean of an element and its neighbours on a ring. The sum of all elements stays the same.
WARPSAFE_FN inline float mean(const float* u, std::size_t i, std::size_t n) {
  return (u[i == 0 ? n - 1 : i - 1] + 2 * u[i] + u[i + 1 == n ? 0 : i + 1]) / 4;
}
WARPSAFE_KERNEL void diffuse(const float* u, float* next, std::size_t n, unsigned step) {
  for (auto i : ws::grid_stride(n)) next[i] = mean(u, i, n);
  if (step == 26 && ws::thread_index().x == 500) next[500] = u[500] + 1;  // the mistake
}
/// The reference: the same computation in a plain loop on the host.
void diffuse_host(const float* u, float* next, std::size_t n, unsigned) {
  for (std::size_t i = 0; i < n; ++i) next[i] = mean(u, i, n);
}
constexpr auto checked_diffuse = ws::kernel<diffuse, ws::reference<diffuse_host>>;

/// Runs forty steps. Returns true if the sum has not changed.
ws::result<bool> run(ws::StreamRef stream) {
  const std::size_t n = 1000;
  std::vector<float> start(n);
  for (std::size_t i = 0; i < n; ++i) start[i] = static_cast<float>(i % 100);
  WARPSAFE_TRY(auto now, ws::DeviceBuffer<float>::from(stream, start));
  WARPSAFE_TRY(auto next, ws::DeviceBuffer<float>::create(stream, n));
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<128>));
  for (unsigned step = 0; step < 40; ++step) {
    WARPSAFE_TRYV(ws::launch(stream, config, checked_diffuse, now.view(), next.view(), n, step));
    std::swap(now, next);
  }
  WARPSAFE_TRY(const auto end, now.to_host(stream).get());
  const double before = std::accumulate(start.begin(), start.end(), 0.0);
  const double after = std::accumulate(end.begin(), end.end(), 0.0);
  std::cout << "the sum was " << before << " before and is " << after << '\n';
  return std::abs(after - before) < 0.5;
}

/// Repeats the launch in `folder` with its inputs and grid. Returns true if the output is the same.
ws::result<bool> replay(ws::StreamRef stream, const std::string& folder) {
  ws::debug::LaunchDump dump;
  std::string problem;
  std::vector<float> u, before, recorded;
  std::size_t n = 0;
  unsigned step = 0;
  if (!dump.open(folder, problem) || !dump.input(1, u, problem) ||
      !dump.input(2, before, problem) || !dump.output(2, recorded, problem) ||
      !dump.value(3, n, problem) || !dump.value(4, step, problem)) {
    std::cerr << problem << '\n';
    return false;
  }
  WARPSAFE_TRY(const auto du, ws::DeviceBuffer<float>::from(stream, u));
  WARPSAFE_TRY(auto dnext, ws::DeviceBuffer<float>::from(stream, before));
  WARPSAFE_TRY(const auto grid, ws::GridDim::from_blocks(dump.grid[0], dump.grid[1], dump.grid[2]));
  WARPSAFE_TRY(const auto block, ws::BlockDim::create(dump.block[0], dump.block[1], dump.block[2]));
  WARPSAFE_TRYV(ws::launch(stream, ws::LaunchConfig{grid, block}, checked_diffuse, du.view(),
                           dnext.view(), n, step));
  WARPSAFE_TRY(const auto again, ws::compare(stream, dnext, recorded));
  std::cout << "compared with the recorded results: " << again << '\n';
  diffuse_host(u.data(), before.data(), n, step);
  WARPSAFE_TRY(const auto reference, ws::compare(stream, dnext, before));
  std::cout << "compared with the reference: " << reference << '\n';
  return again.agrees();
}

int main(int count, char** words) {
  const auto stream = ws::Stream::create(ws::DeviceId(0));
  if (!stream.has_value()) {
    std::cerr << stream.error() << '\n';
    return 2;
  }
  const auto good = count > 1 ? replay(stream.value(), words[1]) : run(stream.value());
  if (!good.has_value()) {
    std::cerr << good.error() << '\n';
    return 3;
  }
  return good.value() ? 0 : 1;
}
