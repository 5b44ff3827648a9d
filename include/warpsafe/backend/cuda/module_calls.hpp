// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/backend.hpp>
#include <warpsafe/backend/cuda/cuda_backend.hpp>
#include <warpsafe/backend/detail/code_image.hpp>
#include <warpsafe/backend/kernel_entry.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

static_assert(CUDART_VERSION >= 12080,
              "warpsafe: modules need CUDA 12.8 or newer (cudaLibraryLoadData)");

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// CUDA Runtime API, "Library Management": a library belongs to no context, and is loaded on each
/// device when one of its kernels is first needed there. Its kernels are accepted wherever the
/// runtime takes a kernel's symbol.
template <>
struct ModuleCalls<cuda_backend> {
  using native_module = cudaLibrary_t;
  using kernel_calls = cuda_backend;
  static constexpr bool per_device = false;
  template <class Element>
  static constexpr bool is_image_of = sizeof(Element) == 1 && !std::is_class_v<Element>;

  static int module_load(native_module& module, const unsigned char* image, std::size_t bytes,
                         char* log, std::size_t log_bytes) noexcept {
    // The compiler's messages for PTX; other images are not compiled.
    cudaJitOption options[] = {cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes};
    void* values[] = {log, reinterpret_cast<void*>(log_bytes)};
    const unsigned count = detail::kind_of({image, bytes}) == detail::ImageKind::ptx ? 2 : 0;
    return cudaLibraryLoadData(&module, image, options, values, count, nullptr, nullptr, 0);
  }
  static int module_unload(native_module module) noexcept { return cudaLibraryUnload(module); }
  static int module_function(native_module module, const char* name, KernelEntry& entry) noexcept {
    cudaKernel_t kernel = nullptr;
    const cudaError_t status = cudaLibraryGetKernel(&kernel, module, name);
    entry.function = kernel;
    return status;
  }
  static bool not_found(int status) noexcept { return status == cudaErrorSymbolNotFound; }
  static constexpr bool lists_names = true;
  template <class Visit>
  static int module_names(native_module module, Visit visit) noexcept {
    unsigned count = 0;
    cudaError_t status = cudaLibraryGetKernelCount(&count, module);
    if (status != cudaSuccess || count == 0) return status;
    auto* const kernels = static_cast<cudaKernel_t*>(std::calloc(count, sizeof(cudaKernel_t)));
    if (kernels == nullptr) return cudaErrorMemoryAllocation;
    status = cudaLibraryEnumerateKernels(kernels, count, module);
    for (unsigned i = 0; status == cudaSuccess && i < count; ++i) {
      const char* name = nullptr;
      status = cudaFuncGetName(&name, kernels[i]);
      if (status == cudaSuccess) visit(Name::of(name));
    }
    std::free(kernels);
    return status;
  }
  /// Calls the driver's function, because asking the runtime for a parameter that does not exist
  /// leaves an error in its last-error slot.
  static int kernel_parameter(const KernelEntry& entry, std::size_t index, std::size_t& offset,
                              std::size_t& size) noexcept {
    return get_parameter()(entry.function, index, &offset, &size);
  }
  static bool tells_parameters() noexcept { return get_parameter() != nullptr; }

 private:
  /// CUDA Driver API, cuKernelGetParamInfo, from CUDA 12.4 on. A CUkernel is a cudaKernel_t.
  using GetParameter = int (*)(const void* kernel, std::size_t index, std::size_t* offset,
                               std::size_t* size);
  static GetParameter get_parameter() noexcept {
    static const GetParameter found = find_get_parameter();
    return found;
  }
  static GetParameter find_get_parameter() noexcept {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    const cudaError_t status = cudaGetDriverEntryPointByVersion("cuKernelGetParamInfo", &function,
                                                                12040, cudaEnableDefault, &found);
    return status == cudaSuccess && found == cudaDriverEntryPointSuccess
               ? reinterpret_cast<GetParameter>(function)
               : nullptr;
  }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
