// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/cuda.hpp>
#include <warpsafe/stream_bound.hpp>

#include <cublas_v2.h>

namespace warpsafe {

/// cuBLAS: `StreamBound<cublasHandle_t>::create(stream)`, `blas.call<cublasSgemm>(…)`.
template <>
struct handle_traits<cublasHandle_t> {
  using backend = cuda_backend;
  using native = cublasHandle_t;

  static int create(native& handle, cudaStream_t stream) noexcept {
    const cublasStatus_t status = cublasCreate(&handle);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    const cublasStatus_t bound = cublasSetStream(handle, stream);
    if (bound != CUBLAS_STATUS_SUCCESS) static_cast<void>(cublasDestroy(handle));
    return bound;
  }
  static int destroy(native handle) noexcept { return cublasDestroy(handle); }
  static int bind(native handle, cudaStream_t stream) noexcept {
    return cublasSetStream(handle, stream);
  }
  static int stream_of(native handle, cudaStream_t& stream) noexcept {
    return cublasGetStream(handle, &stream);
  }
  static Name status_name(int status) noexcept {
    return Name::of(cublasGetStatusName(static_cast<cublasStatus_t>(status)));
  }
  static Name status_text(int status) noexcept {
    return Name::of(cublasGetStatusString(static_cast<cublasStatus_t>(status)));
  }
  template <auto Fn>
  static constexpr bool undoes_binding = false;
};
template <>
inline constexpr bool handle_traits<cublasHandle_t>::undoes_binding<cublasSetStream> = true;
template <>
inline constexpr bool handle_traits<cublasHandle_t>::undoes_binding<cublasDestroy> = true;

}  // namespace warpsafe
