// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "operation.hpp"

#if __has_include(<rmm/device_uvector.hpp>)
#include <rmm/cuda_stream.hpp>
#include <rmm/device_uvector.hpp>
#include <rmm/mr/device/cuda_async_memory_resource.hpp>

#include <memory>

namespace {
struct Objects {
  rmm::cuda_stream stream{};
  rmm::mr::cuda_async_memory_resource pool{};
};
}  // namespace

const char* operations::add_rmm() {
  add(allocation, "rmm::device_uvector", [all = std::make_shared<Objects>()]() {
    const rmm::device_uvector<float> made(count, all->stream.view(), all->pool);
    use(made);
  });
  return nullptr;
}
#else
const char* operations::add_rmm() { return "CMake's find_package(rmm) found nothing"; }
#endif
