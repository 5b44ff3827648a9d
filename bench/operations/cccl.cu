// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "operation.hpp"

#if __has_include(<cuda/buffer>)
#include <cuda/buffer>
#include <cuda/devices>
#include <cuda/memory_pool>
#include <cuda/stream>

#include <memory>

namespace {
struct Objects {
  cuda::stream stream{cuda::devices[0]};
  cuda::device_memory_pool_ref pool = cuda::device_default_memory_pool(cuda::devices[0]);
};
}  // namespace

const char* operations::add_cccl() {
  add(allocation, "cuda::buffer", [all = std::make_shared<Objects>()]() {
    const auto made = cuda::make_buffer<float>(all->stream, all->pool, count, cuda::no_init);
    use(made);
  });
  return nullptr;
}
#else
const char* operations::add_cccl() {
  return "this CCCL has no <cuda/buffer>, which came with CCCL 3.2 (CUDA 13.2)";
}
#endif
