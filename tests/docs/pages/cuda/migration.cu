// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// As the page shows it.
// clang-format off
#include <warpsafe/launch/check.hpp>
#include <warpsafe/warpsafe.hpp>
namespace ws = warpsafe;

static __global__ void gelu(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

void step_1(float* out, const float* in, int n, dim3 grid_size, dim3 block_size, size_t bytes, cudaStream_t stream) {
  ws::check(ws::kernel<gelu>, grid_size, block_size, bytes, stream).value();   // new
  gelu<<<grid_size, block_size, bytes, stream>>>(out, in, n);                  // untouched
}

void step_2(float* out, const float* in, int n, ws::StreamRef stream_ref) {
  auto grid = ws::SafeGrid<>::cover(n, ws::block<128>);
  ws::launch(stream_ref, grid, ws::kernel<gelu>, ws::trust(out), ws::trust(in), n).value();
}
