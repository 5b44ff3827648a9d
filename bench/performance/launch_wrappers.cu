// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The launches of launch_ways.cpp by cuda-api-wrappers, in a program of their own, because its
// names and CCCL's share a namespace. Its errors are exceptions, so a launch that returns has
// succeeded.

#include "launch_kernels.cu"

#include <cuda/api.hpp>

namespace {

// Created once, because its creation is not part of a launch.
const cuda::stream_t our_stream =
    cuda::stream::wrap(0, nullptr, reinterpret_cast<cudaStream_t>(64));

struct wrappers {
  using stream_type = const cuda::stream_t*;
  using grid_type = cuda::grid::dimensions_t;
  using block_type = cuda::grid::block_dimensions_t;
  using result_type = bool;
  static stream_type stream() { return &our_stream; }
  static grid_type grid() { return {5, 1, 1}; }
  static block_type block() { return {256, 1, 1}; }
  static const float* in() { return nullptr; }
  static float* out() { return nullptr; }
  static bool good(bool done) { return done; }
  template <auto Kernel, class... A>
  [[gnu::always_inline]] static bool by_size(stream_type stream, std::size_t n, const A&... args) {
    const auto config = cuda::launch_config_builder().overall_size(n).block_size(256).build();
    stream->enqueue.kernel_launch(Kernel, config, args...);
    return true;
  }
  template <auto Kernel, class... A>
  [[gnu::always_inline]] static bool by_dims(stream_type stream, const grid_type& grid,
                                             const block_type& block, const A&... args) {
    stream->enqueue.kernel_launch(Kernel, cuda::launch_configuration_t(grid, block), args...);
    return true;
  }
};

}  // namespace

COUNT_WAY(wrappers)

int main() {
  for (int round = 0; round < 2; ++round) all_of_wrappers();
  return all_good ? 0 : 1;
}
