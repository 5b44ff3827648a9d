// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <cuda_runtime.h>

// Programmatic dependent launch. A line with a mistake names its row after `finds:`; every other
// line must have no finding. Each part has a mistake that was reported for a public library, in
// small, and the right code.

void look(cudaError_t status);
void done() { look(cudaGetLastError()); }

__global__ void produce(float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 1;
}

// 1. A kernel of several in a file has no wait at all.

namespace no_wait {
__global__ void multiply(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
__global__ void multiply_after_wait(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  cudaGridDependencySynchronize();
  if (i < n) out[i] = 2 * in[i];
}
void wrong(cudaStream_t stream, float* x, float* y, int n) {
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute[0].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = 4;
  config.blockDim = 256;
  config.stream = stream;
  config.attrs = attribute;
  config.numAttrs = 1;
  produce<<<4, 256, 0, stream>>>(x, n);
  look(cudaLaunchKernelEx(&config, multiply, (const float*)x, y, n));  // finds: C18
  look(cudaLaunchKernelEx(&config, multiply_after_wait, (const float*)x, y, n));
  cudaLaunchConfig_t later{};
  later.gridDim = 4;
  later.blockDim = 256;
  later.stream = stream;
  look(cudaLaunchKernelEx(&later, multiply, (const float*)x, y, n));
  done();
}
}  // namespace no_wait

// 2. The wait is a function that is empty unless a macro is defined, and no one defines it.

namespace empty_wait {
__device__ inline void wait_for_grids() {
#if defined(LIBRARY_ENABLES_GRID_CONTROL)
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
__device__ inline void wait_for_grids_on_new_devices() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
__global__ void scale(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  wait_for_grids();
  if (i < n) out[i] = 3 * in[i];
}
__global__ void scale_after_wait(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  wait_for_grids_on_new_devices();
  if (i < n) out[i] = 3 * in[i];
}
void both(cudaLaunchConfig_t config, float* x, float* y, int n, bool enable) {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = enable;
  config.attrs = &attribute;
  config.numAttrs = 1;
  look(cudaLaunchKernelEx(&config, scale, (const float*)x, y, n));  // finds: C18
  look(cudaLaunchKernelEx(&config, scale_after_wait, (const float*)x, y, n));
}
}  // namespace empty_wait

// 3. The kernel between two kernels does not wait, so the wait of the third does not cover the
// first.

namespace between {
__global__ void count(int* counts) { counts[blockIdx.x] = threadIdx.x; }
__global__ void gather(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void gather_after_wait(const float* in, float* out) {
  cudaGridDependencySynchronize();
  out[threadIdx.x] = in[threadIdx.x];
}
__global__ void finish(const int* counts, const float* in, float* out) {
  cudaGridDependencySynchronize();
  out[threadIdx.x] = in[threadIdx.x] * counts[blockIdx.x];
}
void wrong(cudaLaunchConfig_t config, int* counts, const float* in, float* middle, float* out) {
  cudaLaunchAttribute attribute;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &attribute;
  count<<<4, 32>>>(counts);
  look(cudaLaunchKernelEx(&config, gather, in, middle));  // finds: C18
  look(cudaLaunchKernelEx(&config, finish, (const int*)counts, (const float*)middle, out));
  done();
}
void right(cudaLaunchConfig_t config, int* counts, const float* in, float* middle, float* out) {
  cudaLaunchAttribute attribute;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &attribute;
  count<<<4, 32>>>(counts);
  look(cudaLaunchKernelEx(&config, gather_after_wait, in, middle));
  look(cudaLaunchKernelEx(&config, finish, (const int*)counts, (const float*)middle, out));
  done();
}
}  // namespace between

// 4. An object is constructed before the wait, and its constructor reads the input.

namespace constructor {
struct Arguments {
  const float* weights;
  const float* residual;
  float* out;
};
class Fused {
 public:
  __device__ Fused(const Arguments& arguments, int i) : arguments_(arguments) {
    weight_ = arguments.weights[i];
    residual_ = arguments.residual[i];
  }
  __device__ void update(int i) { arguments_.out[i] = weight_ * residual_; }

 private:
  const Arguments arguments_;
  float weight_;
  float residual_;
};
__global__ void fuse(Arguments arguments) {
  Fused fused(arguments, threadIdx.x);  // finds: C18
  cudaGridDependencySynchronize();
  fused.update(threadIdx.x);
}
__global__ void fuse_after_wait(Arguments arguments) {
  cudaGridDependencySynchronize();
  Fused fused(arguments, threadIdx.x);
  fused.update(threadIdx.x);
}
__global__ void preload(Arguments arguments) {
  const float weight = arguments.weights[threadIdx.x];
  cudaGridDependencySynchronize();
  arguments.out[threadIdx.x] = weight * arguments.residual[threadIdx.x];
}
void all(cudaLaunchConfig_t config, const float* weights, float* residual, float* out, int n) {
  cudaLaunchAttribute attribute;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &attribute;
  Arguments arguments;
  arguments.weights = weights;
  arguments.residual = residual;
  arguments.out = out;
  produce<<<4, 256>>>(residual, n);
  look(cudaLaunchKernelEx(&config, fuse, arguments));
  produce<<<4, 256>>>(residual, n);
  look(cudaLaunchKernelEx(&config, fuse_after_wait, arguments));
  produce<<<4, 256>>>(residual, n);
  look(cudaLaunchKernelEx(&config, preload, arguments));
  done();
}
}  // namespace constructor

// 5. A kernel reads its input, and then waits.

namespace too_late {
__global__ void sum(const float* out, const float* gradient, float* sums, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    sum += out[i] * __ldg(gradient + i);  // finds: C18
  }
  cudaGridDependencySynchronize();
  sums[threadIdx.x] = sum;
}
__global__ void sum_after_wait(const float* out, const float* gradient, float* sums, int n) {
  float sum = 0;
  cudaGridDependencySynchronize();
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += out[i] * __ldg(gradient + i);
  sums[threadIdx.x] = sum;
}
void both(cudaLaunchConfig_t config, float* gradient, const float* out, float* sums, int n) {
  cudaLaunchAttribute attribute;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &attribute;
  produce<<<4, 256>>>(gradient, n);
  look(cudaLaunchKernelEx(&config, sum, out, (const float*)gradient, sums, n));
  produce<<<4, 256>>>(gradient, n);
  look(cudaLaunchKernelEx(&config, sum_after_wait, out, (const float*)gradient, sums, n));
  done();
}
}  // namespace too_late

// 6. One of the paths, or one of the warps, waits.

namespace one_path {
__global__ void blocks(const int* mask, const float* in, float* out) {
  if (mask != nullptr) {
    out[mask[threadIdx.x]] = in[threadIdx.x];  // finds: C18
  } else {
    cudaGridDependencySynchronize();
    out[threadIdx.x] = in[threadIdx.x];
  }
}
__global__ void blocks_after_wait(const int* mask, const float* in, float* out) {
  cudaGridDependencySynchronize();
  if (mask != nullptr) {
    out[mask[threadIdx.x]] = in[threadIdx.x];
  } else {
    out[threadIdx.x] = in[threadIdx.x];
  }
}
__global__ void warps(const float* in, float* out) {
  __shared__ float tile[64];
  const int warp_id = threadIdx.x / 32;
  if (warp_id == 0) {
    cudaGridDependencySynchronize();
    tile[threadIdx.x] = in[threadIdx.x];
  } else {
    tile[threadIdx.x] = 2 * in[threadIdx.x];  // finds: C18
  }
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
__global__ void warps_after_a_barrier(const float* in, float* out) {
  const int warp_id = threadIdx.x / 32;
  if (warp_id == 0) cudaGridDependencySynchronize();
  __syncthreads();
  out[threadIdx.x] = in[threadIdx.x];
}
template <bool UsePdl>
__global__ void by_template(const float* in, float* out) {
  if constexpr (UsePdl) cudaGridDependencySynchronize();
  out[threadIdx.x] = in[threadIdx.x];
}
__global__ void by_parameter(const float* in, float* out, bool enable_pdl) {
  if (enable_pdl) cudaGridDependencySynchronize();
  out[threadIdx.x] = in[threadIdx.x];
}
__global__ void returns_first(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  cudaGridDependencySynchronize();
  out[i] = in[i];
}
}  // namespace one_path

// 7. A warp triggers before the others have written, and a path of the next kernel does not wait.

namespace trigger {
__global__ void quantize(float* out, float* scales) {
  out[threadIdx.x] = 1;
  cudaTriggerProgrammaticLaunchCompletion();  // finds: C18
  if (threadIdx.x % 32 == 0) scales[threadIdx.x / 32] = 2;
}
__global__ void quantize_then_trigger(float* out, float* scales) {
  out[threadIdx.x] = 1;
  if (threadIdx.x % 32 == 0) scales[threadIdx.x / 32] = 2;
  __threadfence();
  __syncthreads();
  cudaTriggerProgrammaticLaunchCompletion();
}
__global__ void multiply(const float* in, const float* scales, float* out) {
  const float scale = scales[threadIdx.x / 32];  // finds: C18
  cudaGridDependencySynchronize();
  out[threadIdx.x] = scale * in[threadIdx.x];
}
__global__ void multiply_after_wait(const float* in, const float* scales, float* out) {
  cudaGridDependencySynchronize();
  const float scale = scales[threadIdx.x / 32];
  out[threadIdx.x] = scale * in[threadIdx.x];
}
void wrong(cudaLaunchConfig_t config, float* x, float* scales, float* y) {
  cudaLaunchAttribute attribute;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &attribute;
  quantize<<<4, 256>>>(x, scales);
  look(cudaLaunchKernelEx(&config, multiply, (const float*)x, (const float*)scales, y));
  done();
}
// An early trigger is right if the next kernel waits.
void right(cudaLaunchConfig_t config, float* x, float* scales, float* y) {
  cudaLaunchAttribute attribute;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &attribute;
  quantize<<<4, 256>>>(x, scales);
  look(cudaLaunchKernelEx(&config, multiply_after_wait, (const float*)x, (const float*)scales, y));
  quantize_then_trigger<<<4, 256>>>(x, scales);
  look(cudaLaunchKernelEx(&config, multiply_after_wait, (const float*)x, (const float*)scales, y));
  done();
}
}  // namespace trigger
