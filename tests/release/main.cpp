// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Makes every launch twice, each in a separate function: count_instructions.py counts the
// instructions of the second one.

#include "launches.hpp"

#include <cuda_runtime_api.h>

cudaError_t raw_static(cudaStream_t stream, float a, const float* x, float* y, std::size_t n);
cudaError_t raw_dynamic(cudaStream_t stream, dim3 grid, dim3 block, float a, const float* x,
                        float* y, std::size_t n);
bool raw_static_inlined(cudaStream_t stream, float a, const float* x, float* y, std::size_t n);
bool raw_dynamic_inlined(cudaStream_t stream, dim3 grid, dim3 block, float a, const float* x,
                         float* y, std::size_t n);

namespace {

const Stream stream = Stream::borrow(cudaStreamLegacy, warpsafe::DeviceId(0)).value();
const warpsafe::GridDim grid = warpsafe::GridDim::from_blocks(5).value();
const warpsafe::BlockDim block = warpsafe::BlockDim::create(256).value();
const In x(nullptr, 1100);
const Out y(nullptr, 1100);
bool all_good = true;

void note(bool good) { all_good = all_good && good; }

}  // namespace

extern "C" {
[[gnu::noinline]] void count_raw_static_returned() {
  note(raw_static(cudaStreamLegacy, 2.0F, nullptr, nullptr, 1100) == cudaSuccess);
}
[[gnu::noinline]] void count_raw_dynamic_returned() {
  note(raw_dynamic(cudaStreamLegacy, dim3(5), dim3(256), 2.0F, nullptr, nullptr, 1100) ==
       cudaSuccess);
}
[[gnu::noinline]] void count_raw_static_inlined() {
  note(raw_static_inlined(cudaStreamLegacy, 2.0F, nullptr, nullptr, 1100));
}
[[gnu::noinline]] void count_raw_dynamic_inlined() {
  note(raw_dynamic_inlined(cudaStreamLegacy, dim3(5), dim3(256), 2.0F, nullptr, nullptr, 1100));
}
[[gnu::noinline]] void count_static_returned() {
  note(static_returned(stream, 2.0F, x, y).has_value());
}
[[gnu::noinline]] void count_dynamic_returned() {
  note(dynamic_returned(stream, grid, block, 2.0F, x, y).has_value());
}
[[gnu::noinline]] void count_configured_returned() {
  note(configured_returned(stream, grid, block, 2.0F, x, y).has_value());
}
[[gnu::noinline]] void count_static_inlined() { note(static_inlined(stream, 2.0F, x, y)); }
[[gnu::noinline]] void count_dynamic_inlined() {
  note(dynamic_inlined(stream, grid, block, 2.0F, x, y));
}
[[gnu::noinline]] void count_configured_inlined() {
  note(configured_inlined(stream, grid, block, 2.0F, x, y));
}
}

int main() {
  // The first `<<<>>>` of a kernel also looks the kernel up.
  for (int round = 0; round < 2; ++round) {
    count_raw_static_returned();
    count_raw_dynamic_returned();
    count_raw_static_inlined();
    count_raw_dynamic_inlined();
    count_static_returned();
    count_dynamic_returned();
    count_configured_returned();
    count_static_inlined();
    count_dynamic_inlined();
    count_configured_inlined();
  }
  return all_good ? 0 : 1;
}
