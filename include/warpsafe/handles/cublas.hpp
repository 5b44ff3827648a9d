// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/cuda/cuda_backend.hpp>
#include <warpsafe/handles/detail/scalar_rows.hpp>
#include <warpsafe/handles/stream_bound.hpp>

#include <cublas_v2.h>

#include <cstddef>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// cuBLAS: `StreamBound<cublasHandle_t>::create(stream)`, `blas.call<cublasSgemm>(…)`. The
/// StreamBound owns its workspace, and each graph another, so that no call allocates in a graph.
template <>
struct handle_traits<cublasHandle_t>
    : HandleCalls<cuda_backend, cublasCreate, cublasDestroy, cublasSetStream, cublasGetStream>,
      PointerModeCalls<cublasSetPointerMode, cublasGetPointerMode, CUBLAS_POINTER_MODE_HOST,
                       CUBLAS_POINTER_MODE_DEVICE> {
  using refused =
      Functions<cublasSetStream, cublasDestroy, cublasSetWorkspace, cublasSetPointerMode>;
  static constexpr Name name = Name::of("cuBLAS");
  static constexpr Name version_suffix = Name::of("_v2");

  /// The overloads of cublas_api.h by compute type; the older overloads with a cudaDataType are
  /// left out.
  template <class... Matrix>
  using GemmEx = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                                const void*, Matrix..., cublasComputeType_t, cublasGemmAlgo_t);
  using overloaded =
      Signatures<GemmEx<const void*, cudaDataType, int, const void*, cudaDataType, int, const void*,
                        void*, cudaDataType, int>,
                 GemmEx<const void* const*, cudaDataType, int, const void* const*, cudaDataType,
                        int, const void*, void* const*, cudaDataType, int, int>,
                 GemmEx<const void*, cudaDataType, int, long long, const void*, cudaDataType, int,
                        long long, const void*, void*, cudaDataType, int, long long, int>>;

  static constexpr int inner_handles = 0;
  static constexpr unsigned scalar_pointers(Name function) noexcept {
    return detail::blas_scalars(name, function);
  }
  /// cuBLAS documentation, cublasSetWorkspace(): 32 MiB recommended from Hopper (compute capability
  /// 9.0) on, 4 MiB before; cublasSetStream() restores the default workspace.
  static std::size_t workspace_bytes(int device) noexcept {
    int capability = 0;
    const cudaError_t asked =
        cudaDeviceGetAttribute(&capability, cudaDevAttrComputeCapabilityMajor, device);
    const std::size_t mebibytes = asked != cudaSuccess || capability >= 9 ? 32 : 4;
    return mebibytes << 20U;
  }
  static status set_workspace(native handle, void* memory, std::size_t bytes) noexcept {
    return cublasSetWorkspace(handle, memory, bytes);
  }
  static Name status_name(status value) noexcept { return Name::of(cublasGetStatusName(value)); }
  static Name status_text(status value) noexcept { return Name::of(cublasGetStatusString(value)); }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
