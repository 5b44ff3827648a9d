// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Measures a call of a library's function that does nothing, at all distances from the end of a
// page. Run it alone, and under `warpsafe-run --cuda`:
//   LD_LIBRARY_PATH=build/tests/tools/run/tests/driver:build/tests/tools/run/tests/cupti call_cost

#include "stand_in.hpp"

#include <alloca.h>
#include <cuda.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

/// Nanoseconds of a call whose frame begins `depth` bytes deeper.
[[gnu::noinline]] double cost(std::size_t depth) {
  constexpr int calls = 20000;
  auto* const room = static_cast<volatile char*>(alloca(depth + 16));
  room[0] = 0;
  double best = 1e9;
  for (int run = 0; run < 5; ++run) {
    const auto begun = Clock::now();
    for (int i = 0; i < calls; ++i) static_cast<void>(cublasReturn(0));
    const std::chrono::duration<double, std::nano> took = Clock::now() - begun;
    best = std::min(best, took.count() / calls);
  }
  return best;
}

}  // namespace

int main() {
  if (cuInit(0) != CUDA_SUCCESS) return 1;
  static_cast<void>(cublasReturn(0));
  std::vector<double> all;
  double sum = 0;
  for (std::size_t depth = 0; depth < 4096; depth += 16) {
    all.push_back(cost(depth));
    sum += all.back();
  }
  std::sort(all.begin(), all.end());
  std::printf("a call: median %.1f ns, mean %.1f ns, most %.1f ns\n", all[all.size() / 2],
              sum / static_cast<double>(all.size()), all.back());
  CUevent event = nullptr;
  if (cuEventCreate(&event, 0) != CUDA_SUCCESS) return 1;
  const auto begun = Clock::now();
  for (int i = 0; i < 20000; ++i) static_cast<void>(cuEventQuery(event));
  const std::chrono::duration<double, std::nano> took = Clock::now() - begun;
  std::printf("a driver call of the stand-in: %.1f ns\n", took.count() / 20000);
}
