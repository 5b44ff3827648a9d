// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "random_walk.hpp"

#include <cuda_runtime_api.h>

namespace warpsafe::random_walk {

/// Lets the kernels of `user` access the pool memory of `owner`.
[[nodiscard]] inline cudaError_t share_memory(int owner, int user) {
  cudaMemPool_t pool{};
  const cudaMemAccessDesc access{{cudaMemLocationTypeDevice, user},
                                 cudaMemAccessFlagsProtReadWrite};
  const cudaError_t status = cudaDeviceGetDefaultMemPool(&pool, owner);
  return status == cudaSuccess ? cudaMemPoolSetAccess(pool, &access, 1) : status;
}

/// A walk with the default streams of CUDA.
[[nodiscard]] inline Options options(std::uint64_t seed, unsigned threads, unsigned steps) {
  Options made;
  made.seed = seed;
  made.threads = threads;
  made.steps = steps;
  made.default_streams = {cudaStreamLegacy, cudaStreamPerThread};
  return made;
}

}  // namespace warpsafe::random_walk
