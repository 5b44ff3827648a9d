// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/kernel/named_parameters.hpp"
#include "../core/launch/judge.hpp"
#include "hip_kernels.hpp"
#include <warpsafe/backend/hip/hip_backend.hpp>

#include <hip/hip_runtime_api.h>

#include <cstdint>
#include <string>

namespace warpsafe::watch {

namespace detail {

/// The runtime reports less about a module's function.
inline void describe_function(hipFunction_t function, KernelLimits& limits) noexcept {
  int value = 0;
  if (hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function) !=
      hipSuccess) {
    return;
  }
  limits.max_threads_per_block = static_cast<std::uint32_t>(value);
  if (hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function) == hipSuccess) {
    limits.static_shared = static_cast<std::uint64_t>(value);
  }
  limits.known = true;
}

}  // namespace detail

/// Platform::describe for HIP.
inline void describe_kernel(const void* handle, std::int32_t device, const Launch* launch,
                            Kernel& kernel) noexcept {
  try {
    KernelLimits& limits = kernel.limits;
    if (kernel.parameters.empty()) {
      kernel.parameters = named_parameters(HipKernels::get().name(handle).c_str());
    }
    if (HipKernels::get().is_of_module(handle)) {
      return detail::describe_function(static_cast<hipFunction_t>(const_cast<void*>(handle)),
                                       limits);
    }
    KernelEntry entry{};
    entry.function = handle;
    if (hip_backend::attributes_of(entry, limits) != hipSuccess) return;
    limits.known = true;
    if (launch == nullptr || !launch->shape.cooperative) return;
    int blocks = 0;
    int multiprocessors = 0;
    if (hip_backend::resident_blocks(entry,
                                     static_cast<std::uint32_t>(launch->shape.threads_per_block()),
                                     launch->shape.dynamic_shared, blocks) == hipSuccess &&
        hipDeviceGetAttribute(&multiprocessors, hipDeviceAttributeMultiprocessorCount, device) ==
            hipSuccess) {
      limits.resident_blocks = static_cast<std::uint32_t>(blocks * multiprocessors);
    }
  } catch (...) {  // out of memory: its limits stay unknown
    return;
  }
}

}  // namespace warpsafe::watch
