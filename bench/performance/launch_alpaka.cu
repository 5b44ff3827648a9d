// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The launches of launch_ways.cpp by alpaka 3 on its executor for CUDA, written like its own
// examples: kernels are function objects, and a frame is the block. Its errors are exceptions, so a
// launch that returns has succeeded. Built only if the caller names alpaka's folder.

#include "launch_ways.hpp"

#include <alpaka/alpaka.hpp>

#include <cstdint>

namespace {

namespace onHost = alpaka::onHost;

struct None {
  ALPAKA_FN_ACC void operator()(const auto&) const {}
};
struct Four {
  ALPAKA_FN_ACC void operator()(const auto&, PARAMETERS_4(0)) const { y0[n0] = a0 * x0[0]; }
};
struct Sixteen {
  ALPAKA_FN_ACC void operator()(const auto&, PARAMETERS_16) const {
    y0[n0] = a0 * x0[0] + a1 * x1[n1] + a2 * x2[n2] + a3 * x3[n3] + y1[0] + y2[0] + y3[0];
  }
};
constexpr None none;
constexpr Four four;
constexpr Sixteen sixteen;

// Created once, because its creation is not part of a launch.
const auto our_queue =
    onHost::makeDeviceSelector(onHost::DeviceSpec{alpaka::api::cuda, alpaka::deviceKind::nvidiaGpu})
        .makeDevice(0)
        .makeQueue();

struct alpaka_queue {
  using stream_type = decltype(&our_queue);
  using grid_type = std::uint32_t;
  using block_type = std::uint32_t;
  using result_type = bool;
  static stream_type stream() { return &our_queue; }
  static grid_type grid() { return 5; }
  static block_type block() { return 256; }
  static const float* in() { return nullptr; }
  static float* out() { return nullptr; }
  static bool good(bool done) { return done; }
  template <auto Kernel, class... A>
  [[gnu::always_inline]] static bool by_size(stream_type queue, std::size_t n, const A&... args) {
    queue->enqueue(onHost::FrameSpec{static_cast<std::uint32_t>((n + 255) / 256),
                                     alpaka::CVec<std::uint32_t, 256>{}, alpaka::exec::gpuCuda},
                   Kernel, args...);
    return true;
  }
  template <auto Kernel, class... A>
  [[gnu::always_inline]] static bool by_dims(stream_type queue, grid_type grid, block_type block,
                                             const A&... args) {
    queue->enqueue(onHost::FrameSpec{alpaka::Vec{grid}, alpaka::Vec{block}, alpaka::exec::gpuCuda},
                   Kernel, args...);
    return true;
  }
};

}  // namespace

COUNT_WAY(alpaka_queue)

int main() {
  for (int round = 0; round < 2; ++round) all_of_alpaka_queue();
  return all_good ? 0 : 1;
}
