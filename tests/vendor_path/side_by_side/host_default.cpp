// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Compiled by nvcc and by hipcc, with WARPSAFE_BACKEND_HOST.
#include "header_kernel.hpp"
#include "recorded.hpp"
#include <warpsafe/warpsafe.hpp>

#if defined(__HIPCC__)
#include <warpsafe/backend/hip/hip_backend.hpp>
#else
#include <warpsafe/backend/cuda/cuda_backend.hpp>
#endif

#include <type_traits>

namespace side_by_side {

namespace ws = warpsafe;
#if defined(__HIPCC__)
using Device = ws::hip_backend;
#else
using Device = ws::cuda_backend;
#endif
static_assert(std::is_same_v<ws::default_backend, ws::host_backend>);

DeviceSide launch_where_the_host_is_the_default() {
  return record([] {
    const ws::Stream host_stream = ws::Stream::create().value();
    const auto stream = ws::basic_stream<Device>::create().value();
    const auto launched = ws::launch(stream, ws::LaunchConfig{ws::grid<1>, ws::block<32>},
                                     ws::kernel<twice>, nullptr, 64);
    const auto waited = host_stream.synchronize();
    return waited.has_value() ? launched : waited;
  });
}

}  // namespace side_by_side
