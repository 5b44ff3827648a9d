// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/backend.hpp>
#include <warpsafe/backend/detail/code_image.hpp>
#include <warpsafe/backend/hip/hip_backend.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/detail/limit_fields.hpp>

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#if defined(__HIP_PLATFORM_NVIDIA__)
static_assert(CUDA_VERSION >= 12040,
              "warpsafe: modules of HIP on NVIDIA's platform need CUDA 12.4 or newer "
              "(cuModuleEnumerateFunctions)");
#endif

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

namespace detail {

#if defined(__HIP_PLATFORM_NVIDIA__)

/// The calls that differ between HIP's platforms. On NVIDIA's platform modules and functions are
/// those of the CUDA driver, which answers what HIP has no call for.
struct HipImageCalls {
  static int load(hipModule_t& module, ImageBytes image, char* log,
                  std::size_t log_bytes) noexcept {
    // The compiler's messages for PTX; other images are not compiled.
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, reinterpret_cast<void*>(log_bytes)};
    const unsigned count = kind_of(image) == ImageKind::ptx ? 2 : 0;
    return hipModuleLoadDataEx(&module, image.data, count, options, values);
  }
  static constexpr bool lists_names = true;
  template <class Visit>
  static int visit_names(hipModule_t module, Visit visit) noexcept {
    unsigned count = 0;
    CUresult status = cuModuleGetFunctionCount(&count, module);
    if (status != CUDA_SUCCESS || count == 0) return hipCUResultTohipError(status);
    auto* const functions = static_cast<CUfunction*>(std::calloc(count, sizeof(CUfunction)));
    if (functions == nullptr) return hipErrorOutOfMemory;
    status = cuModuleEnumerateFunctions(functions, count, module);
    for (unsigned i = 0; status == CUDA_SUCCESS && i < count; ++i) {
      const char* name = nullptr;
      status = cuFuncGetName(&name, functions[i]);
      if (status == CUDA_SUCCESS) visit(Name::of(name));
    }
    std::free(functions);
    return hipCUResultTohipError(status);
  }
  static constexpr bool tells_parameters = true;
  static int parameter(hipFunction_t function, std::size_t index, std::size_t& offset,
                       std::size_t& size) noexcept {
    return hipCUResultTohipError(cuFuncGetParamInfo(function, index, &offset, &size));
  }
  static int raise_dynamic_shared(hipFunction_t function, std::uint64_t bytes) noexcept {
    return hipCUResultTohipError(cuFuncSetAttribute(
        function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(bytes)));
  }
};

#else

/// The calls that differ between HIP's platforms. AMD's runtime lists neither names nor parameters.
struct HipImageCalls {
  static int load(hipModule_t& module, ImageBytes image, char*, std::size_t) noexcept {
    return hipModuleLoadData(&module, image.data);
  }
  static constexpr bool lists_names = false;
  template <class Visit>
  static int visit_names(hipModule_t, Visit) noexcept {
    return hipErrorNotSupported;
  }
  static constexpr bool tells_parameters = false;
  static int parameter(hipFunction_t, std::size_t, std::size_t&, std::size_t&) noexcept {
    return hipErrorNotSupported;
  }
  /// AMD's devices need no opt-in, and hipFuncSetAttribute accepts only symbols (ROCm/clr
  /// hipamd/src/hip_module.cpp).
  static int raise_dynamic_shared(hipFunction_t, std::uint64_t) noexcept { return hipSuccess; }
};

#endif

/// The kernel calls of hip_backend for a module's function in place of a kernel's symbol.
struct HipModuleKernelCalls {
  // A trace of the calls names the backend and the status.
  static constexpr Name name = hip_backend::name;
  static Name error_name(int status) noexcept { return hip_backend::error_name(status); }

  static int attributes_of(const KernelEntry& kernel, KernelLimits& limits) noexcept {
    const auto query = [&](int& value, int attribute) noexcept -> int {
      return hipFuncGetAttribute(&value, static_cast<hipFunction_attribute>(attribute),
                                 native(kernel));
    };
    AttributeReader ask(hipSuccess, query);
#define WARPSAFE_KERNEL_LIMIT(type, name, member, attribute) limits.name = ask(HIP_##attribute);
#include <warpsafe/core/limit_rows.hpp>
#undef WARPSAFE_KERNEL_LIMIT
    return ask.status();
  }
  static int raise_dynamic_shared(const KernelEntry& kernel, std::uint64_t bytes) noexcept {
    return HipImageCalls::raise_dynamic_shared(native(kernel), bytes);
  }
  static int resident_blocks(const KernelEntry& kernel, std::uint32_t threads,
                             std::uint64_t dynamic_bytes, int& per_multiprocessor) noexcept {
    return hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
        &per_multiprocessor, native(kernel), static_cast<int>(threads), dynamic_bytes);
  }
  static int max_cluster_blocks(const KernelEntry& kernel, const LaunchShape& shape,
                                int& blocks) noexcept {
    return hip_backend::max_cluster_blocks(kernel, shape, blocks);
  }
  static int launch(const KernelEntry& kernel, const LaunchShape& shape, void** args,
                    hipStream_t stream) noexcept {
    if (shape.has_attributes()) {
      if (shape.has_priority || shape.has_cluster || shape.programmatic)
        return hipErrorNotSupported;
      if (!hip_cooperative_fits(shape)) return hipErrorCooperativeLaunchTooLarge;
#if HIP_VERSION >= 60000000 || defined(__HIP_PLATFORM_NVIDIA__)
      return hipModuleLaunchCooperativeKernel(
          native(kernel), shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0],
          shape.block[1], shape.block[2], shape.dynamic_shared_32(), stream, args);
#else  // 5.2's headers do not declare it
      return hipErrorNotSupported;
#endif
    }
    return hipModuleLaunchKernel(native(kernel), shape.grid[0], shape.grid[1], shape.grid[2],
                                 shape.block[0], shape.block[1], shape.block[2],
                                 shape.dynamic_shared_32(), stream, args, nullptr);
  }

  static hipFunction_t native(const KernelEntry& kernel) noexcept {
    return static_cast<hipFunction_t>(const_cast<void*>(kernel.function));
  }
};

}  // namespace detail

/// A module of HIP belongs to the device that was current when it was loaded.
template <class Platform>
struct ModuleCalls<basic_hip_backend<Platform>> {
  using native_module = hipModule_t;
  using kernel_calls = detail::HipModuleKernelCalls;
  static constexpr bool per_device = true;
  template <class Element>
  static constexpr bool is_image_of = sizeof(Element) == 1 && !std::is_class_v<Element>;

  static int module_load(native_module& module, const unsigned char* image, std::size_t bytes,
                         char* log, std::size_t log_bytes) noexcept {
    return detail::HipImageCalls::load(module, {image, bytes}, log, log_bytes);
  }
  static int module_unload(native_module module) noexcept { return hipModuleUnload(module); }
  static int module_function(native_module module, const char* name, KernelEntry& entry) noexcept {
    hipFunction_t function = nullptr;
    const hipError_t status = hipModuleGetFunction(&function, module, name);
    entry.function = function;
    return status;
  }
  static bool not_found(int status) noexcept { return status == hipErrorNotFound; }
  /// AMD's runtime answers bytes that are not a code object with the status that otherwise means
  /// missing code (seen on 5.2.3 and 5.7.1).
  static bool is_no_code_object(int status) noexcept { return status == hipErrorInvalidKernelFile; }
  static constexpr bool lists_names = detail::HipImageCalls::lists_names;
  template <class Visit>
  static int module_names(native_module module, Visit visit) noexcept {
    return detail::HipImageCalls::visit_names(module, visit);
  }
  static constexpr bool tells_parameters() noexcept {
    return detail::HipImageCalls::tells_parameters;
  }
  static int kernel_parameter(const KernelEntry& kernel, std::size_t index, std::size_t& offset,
                              std::size_t& size) noexcept {
    return detail::HipImageCalls::parameter(kernel_calls::native(kernel), index, offset, size);
  }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
