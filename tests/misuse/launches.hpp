// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// The launch and the backend of the current compiler. A host compiler gets the smallest backend in
// place of the host backend: a misuse is compiled many times and never linked, and the real backend
// would take two thirds of each compilation.

#include <warpsafe/args/trust.hpp>
#include <warpsafe/dims/launch_options.hpp>
#include <warpsafe/dims/make_dims.hpp>
#include <warpsafe/dims/safe_grid.hpp>
#include <warpsafe/kernel/needs.hpp>
#include <warpsafe/kernel_api.hpp>
#include <warpsafe/launch/launch.hpp>
#include <warpsafe/launch/launch_config.hpp>
#include <warpsafe/stream/event.hpp>

#if defined(__HIPCC__)
#include <warpsafe/backend/hip/hip_backend.hpp>
#elif defined(__CUDACC__)
#include <warpsafe/backend/cuda/cuda_backend.hpp>
#else

#include "../archetype/archetype_backend.hpp"
#include <warpsafe/backend/declare_launch.hpp>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

struct host_backend : archetype::backend {
  static constexpr Vendor vendor = Vendor::host;
  static constexpr Name name = Name::of("host");
  static constexpr bool has_clusters = true;
  static constexpr const DeviceLimits& floor = limits::cuda_floor;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION

WARPSAFE_DECLARE_LAUNCH(warpsafe::host_backend);

#endif

// Kernels of several files, which are read as one translation unit.
WARPSAFE_KERNEL void fill(float*, int) {}
WARPSAFE_KERNEL void nothing() {}
