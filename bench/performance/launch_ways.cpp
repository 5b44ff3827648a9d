// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Every way to launch, once each, in functions that callgrind counts by name (launch_ways.hpp).
// Compiled by nvcc, by hipcc, and by g++ for kernels in another file (KERNELS_ELSEWHERE). WITH_CCCL
// adds CCCL's cuda::launch.

#include "launch_ways.hpp"

#include <warpsafe/warpsafe.hpp>

#if defined(WITH_CCCL)
#include <cuda/hierarchy>
#include <cuda/launch>
#include <cuda/stream>
#endif

namespace ws = warpsafe;

#if defined(WARPSAFE_BACKEND_HIP)
#define VENDOR(name) hip##name
using backend = ws::hip_backend;
static hipStream_t vendor_stream() { return reinterpret_cast<hipStream_t>(64); }
#else
#define VENDOR(name) cuda##name
using backend = ws::cuda_backend;
static cudaStream_t vendor_stream() { return reinterpret_cast<cudaStream_t>(64); }
#endif

#if defined(KERNELS_ELSEWHERE)
WARPSAFE_KERNEL_EXTERN void none();
WARPSAFE_KERNEL_EXTERN void four(PARAMETERS_4(0));
WARPSAFE_KERNEL_EXTERN void sixteen(PARAMETERS_16);
#else
#include "launch_kernels.cu"
#endif

namespace {

struct Raw {
  using stream_type = VENDOR(Stream_t);
  using grid_type = dim3;
  using block_type = dim3;
  using result_type = VENDOR(Error_t);
  static stream_type stream() { return vendor_stream(); }
  static dim3 grid() { return dim3(5); }
  static dim3 block() { return dim3(256); }
  static const float* in() { return nullptr; }
  static float* out() { return nullptr; }
  static bool good(result_type status) { return status == VENDOR(Success); }
};

/// Builds a raw way from its launch with dimensions; computes the grid for n in the usual way.
template <class Way>
struct RawWay : Raw {
  template <auto Kernel, class... A>
  [[gnu::always_inline]] static auto by_size(stream_type stream, std::size_t n, const A&... args) {
    return Way::template by_dims<Kernel>(stream, dim3(static_cast<unsigned>((n + 255) / 256)),
                                         dim3(256), args...);
  }
};

#if !defined(KERNELS_ELSEWHERE)
struct chevron : RawWay<chevron> {
  template <auto Kernel, class... A>
  [[gnu::always_inline]] static result_type by_dims(stream_type stream, const dim3& grid,
                                                    const dim3& block, const A&... args) {
    Kernel<<<grid, block, 0, stream>>>(args...);
    return VENDOR(PeekAtLastError)();
  }
};
#endif

#if defined(WARPSAFE_BACKEND_HIP)
struct ggl : RawWay<ggl> {
  template <auto Kernel, class... A>
  [[gnu::always_inline]] static result_type by_dims(stream_type stream, const dim3& grid,
                                                    const dim3& block, const A&... args) {
    hipLaunchKernelGGL(Kernel, grid, block, 0, stream, args...);
    return hipPeekAtLastError();
  }
};
#endif

struct kernel_call : RawWay<kernel_call> {
  template <auto Kernel, class... A>
  [[gnu::always_inline]] static result_type by_dims(stream_type stream, const dim3& grid,
                                                    const dim3& block, const A&... args) {
    void* pointers[sizeof...(A) + 1] = {const_cast<void*>(static_cast<const void*>(&args))...};
    return VENDOR(LaunchKernel)(reinterpret_cast<const void*>(Kernel), grid, block, pointers, 0,
                                stream);
  }
};

/// The smallest code that returns what `launch` returns: the numbers of a refused launch, and no
/// grid that is smaller than n.
struct by_hand : Raw {
  using result_type = ws::result<void>;
  static bool good(const result_type& done) { return done.has_value(); }
  [[gnu::cold, gnu::noinline]] static result_type refused(int status, const dim3& grid,
                                                          const dim3& block,
                                                          const stream_type& stream,
                                                          const char* kernel) {
    ws::LaunchError error = ws::LaunchError::make(ws::Errc::launch_refused, ws::Stage::launch);
    error.raw = status;
    error.kernel = ws::Name::of(kernel);
    error.stream = stream;
    error.grid[0] = grid.x;
    error.grid[1] = grid.y;
    error.grid[2] = grid.z;
    error.block[0] = block.x;
    error.block[1] = block.y;
    error.block[2] = block.z;
    return error;
  }
  template <auto Kernel, class... A>
  [[gnu::always_inline]] static result_type by_size(stream_type stream, std::size_t n,
                                                    const A&... args) {
    const std::size_t blocks = (n + 255) / 256;
    return by_dims<Kernel>(stream, dim3(blocks < std::size_t{1} << 31 ? unsigned(blocks) : 0U),
                           dim3(256), args...);
  }
  template <auto Kernel, class... A>
  [[gnu::always_inline]] static result_type by_dims(stream_type stream, const dim3& grid,
                                                    const dim3& block, const A&... args) {
    void* pointers[sizeof...(A) + 1];
    [[maybe_unused]] std::size_t count = 0;
    ((pointers[count++] = const_cast<void*>(static_cast<const void*>(&args))), ...);
    const int status = VENDOR(LaunchKernel)(reinterpret_cast<const void*>(Kernel), grid, block,
                                            pointers, 0, stream);
    if (status != 0) [[unlikely]]
      return refused(status, grid, block, stream, "kernel");
    return ws::success();
  }
};

#if defined(WARPSAFE_BACKEND_CUDA)
struct kernel_ex : RawWay<kernel_ex> {
  template <auto Kernel, class... A>
  [[gnu::always_inline]] static result_type by_dims(stream_type stream, const dim3& grid,
                                                    const dim3& block, const A&... args) {
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = block;
    config.stream = stream;
#if defined(__CUDACC__)
    return cudaLaunchKernelEx(&config, Kernel, args...);
#else
    void* pointers[sizeof...(A) + 1] = {const_cast<void*>(static_cast<const void*>(&args))...};
    return cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(Kernel), pointers);
#endif
  }
};
#endif

// Created once, because their creation is not part of a launch.
const auto our_stream =
    ws::basic_stream_ref<backend>::borrow(vendor_stream(), ws::DeviceId(0)).value();
const auto our_grid = ws::GridDim::from_blocks(5).value();
const auto our_block = ws::BlockDim::create(256).value();

struct ours {
  using stream_type = ws::basic_stream_ref<backend>;
  using grid_type = ws::GridDim;
  using block_type = ws::BlockDim;
  using result_type = ws::result<void>;
  static stream_type stream() { return our_stream; }
  static grid_type grid() { return our_grid; }
  static block_type block() { return our_block; }
  static ws::device_ptr<const float> in() { return nullptr; }
  static ws::device_ptr<float> out() { return nullptr; }
  static bool good(const result_type& done) { return done.has_value(); }
  template <auto Kernel, class... A>
  [[gnu::always_inline]] static result_type by_size(stream_type stream, std::size_t n,
                                                    const A&... args) {
    return ws::launch(stream, ws::SafeGrid<>::cover(n, ws::block<256>), ws::kernel<Kernel>,
                      args...);
  }
  template <auto Kernel, class... A>
  [[gnu::always_inline]] static result_type by_dims(stream_type stream, const grid_type& grid,
                                                    const block_type& block, const A&... args) {
    return ws::launch(stream, ws::LaunchConfig{grid, block}, ws::kernel<Kernel>, args...);
  }
};

#if defined(WITH_CCCL)
/// Its errors are exceptions, so a launch that returns has succeeded.
struct cccl : Raw {
  using stream_type = cuda::stream_ref;
  using result_type = bool;
  static stream_type stream() { return stream_type(vendor_stream()); }
  static bool good(bool done) { return done; }
  template <auto Kernel, class... A>
  [[gnu::always_inline]] static bool by_size(stream_type stream, std::size_t n, const A&... args) {
    cuda::launch(stream, cuda::distribute<256>(static_cast<int>(n)), Kernel, args...);
    return true;
  }
  template <auto Kernel, class... A>
  [[gnu::always_inline]] static bool by_dims(stream_type stream, const dim3& grid,
                                             const dim3& block, const A&... args) {
    cuda::launch(stream, cuda::make_config(cuda::grid_dims(grid), cuda::block_dims(block)), Kernel,
                 args...);
    return true;
  }
};
#endif

}  // namespace

#if !defined(KERNELS_ELSEWHERE)
COUNT_WAY(chevron)
#endif
COUNT_WAY(kernel_call)
COUNT_WAY(by_hand)
COUNT_WAY(ours)
#if defined(WARPSAFE_BACKEND_HIP)
COUNT_WAY(ggl)
#else
COUNT_WAY(kernel_ex)
#endif
#if defined(WITH_CCCL)
COUNT_WAY(cccl)
#endif

int main() {
  // The second round counts, because the first `<<<>>>` of a kernel also looks the kernel up.
  for (int round = 0; round < 2; ++round) {
#if !defined(KERNELS_ELSEWHERE)
    all_of_chevron();
#endif
    all_of_kernel_call();
    all_of_by_hand();
    all_of_ours();
#if defined(WARPSAFE_BACKEND_HIP)
    all_of_ggl();
#else
    all_of_kernel_ex();
#endif
#if defined(WITH_CCCL)
    all_of_cccl();
#endif
  }
  return all_good ? 0 : 1;
}
