// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The output of docs/tools/debugging.md from a real GPU: debugging_demo [check|hang]. A kernel that
// reads out of bounds, a kernel whose own check fails, or a slow kernel.

#include <warpsafe/debug.hpp>
#include <warpsafe/device_check.hpp>
#include <warpsafe/error/message.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/stream/event.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <iostream>
#include <string_view>

namespace ws = warpsafe;

// clang-format off
#line 10 "demo.cu"
WARPSAFE_KERNEL void matmul_f32(float* out, std::size_t n) {
  for (auto i : ws::grid_stride(n)) out[i] = 1.0F;
}
WARPSAFE_KERNEL void softmax(const float* in, float* out, std::size_t n, std::size_t skip) {
  for (auto i : ws::grid_stride(n)) out[i] = in[i + skip];
}
WARPSAFE_KERNEL void dequantize(float* out, std::size_t n) {
  const auto i = ws::thread_index().x;
  WARPSAFE_DEVICE_CHECK(i < n, "the last block is guarded");
  out[i] = 2.0F;
}
WARPSAFE_KERNEL void wait_for_peer(unsigned long long nanoseconds) {
  unsigned long long begun = 0, now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begun));
  do { asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); } while (now - begun < nanoseconds);
}

ws::result<void> run(ws::StreamRef compute, ws::StreamRef copies, std::string_view what) {
  constexpr std::size_t n = 10'000;
  WARPSAFE_TRY(auto a, ws::DeviceBuffer<float>::create(compute, n));
  WARPSAFE_TRY(auto b, ws::DeviceBuffer<float>::create(compute, n));
  WARPSAFE_TRY(auto grid, ws::SafeGrid<>::cover(n, ws::block<256>));
  if (what == "hang") { WARPSAFE_TRYV(ws::launch(compute, ws::LaunchConfig{ws::grid<1>, ws::block<1>}, ws::kernel<wait_for_peer>, 1'000'000'000)); }
  WARPSAFE_TRYV(ws::launch(compute, grid, ws::kernel<matmul_f32>, a.view(), n));
  if (what == "check") { WARPSAFE_TRYV(ws::launch(compute, grid, ws::kernel<dequantize>, a.view(), n)); }
  if (what == "") { WARPSAFE_TRYV(ws::launch(compute, grid, ws::kernel<softmax>, a.view(), b.view(), n, std::size_t{1} << 40)); }
  WARPSAFE_TRY(const auto multiplied, compute.record());
  WARPSAFE_TRYV(ws::wait(copies, multiplied));
  return copies.synchronize();
}

int main(int count, char** words) {
  const auto compute = ws::Stream::create();
  if (!compute.has_value()) {
    std::cerr << compute.error() << '\n';
    return 2;
  }
  const auto copies = ws::Stream::create().value();
  const auto outcome = run(compute.value(), copies, count > 1 ? words[1] : "");
  if (!outcome.has_value()) std::cerr << outcome.error() << '\n';
}
