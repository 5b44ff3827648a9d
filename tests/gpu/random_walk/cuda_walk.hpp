// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "random_walk.hpp"

#include <cuda_runtime_api.h>

namespace warpsafe::random_walk {

/// Lets the kernels of each of the devices access the pool memory of the others. False if the
/// devices cannot.
[[nodiscard]] inline bool share_memory(int devices) {
  for (int owner = 0; owner < devices; ++owner) {
    for (int user = 0; user < devices; ++user) {
      if (owner == user) continue;
      int possible = 0;
      cudaMemPool_t pool{};
      const cudaMemAccessDesc access{{cudaMemLocationTypeDevice, user},
                                     cudaMemAccessFlagsProtReadWrite};
      if (cudaDeviceCanAccessPeer(&possible, user, owner) != cudaSuccess || possible == 0 ||
          cudaDeviceGetDefaultMemPool(&pool, owner) != cudaSuccess ||
          cudaMemPoolSetAccess(pool, &access, 1) != cudaSuccess) {
        return false;
      }
    }
  }
  return true;
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
