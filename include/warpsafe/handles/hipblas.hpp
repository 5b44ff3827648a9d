// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/hip/hip_backend.hpp>
#include <warpsafe/handles/stream_bound.hpp>

#include <hipblas/hipblas.h>

namespace warpsafe {

/// A handle of hipBLAS. The library's own is a void*, which anything could be.
struct HipblasHandle {};

/// hipBLAS: `StreamBound<HipblasHandle>::create(stream)`, `blas.call<hipblasSgemm>(…)`.
template <>
struct handle_traits<HipblasHandle> {
  using backend = hip_backend;
  using native = hipblasHandle_t;
  using status = hipblasStatus_t;
  using refused = Functions<hipblasSetStream, hipblasDestroy, hipblasSetPointerMode>;
  static constexpr Name name = Name::of("hipBLAS");
  static constexpr Name version_suffix = Name::of("_v2");

  static status create(native& handle) noexcept { return hipblasCreate(&handle); }
  static status destroy(native handle) noexcept { return hipblasDestroy(handle); }
  static constexpr int inner_handles = 0;
  static status set_stream(native handle, hipStream_t stream) noexcept {
    return hipblasSetStream(handle, stream);
  }
  static status get_stream(native handle, hipStream_t& stream) noexcept {
    return hipblasGetStream(handle, &stream);
  }
  static status set_scalars_on_device(native handle, bool on) noexcept {
    return hipblasSetPointerMode(handle,
                                 on ? HIPBLAS_POINTER_MODE_DEVICE : HIPBLAS_POINTER_MODE_HOST);
  }
  static status get_scalars_on_device(native handle, bool& on) noexcept {
    hipblasPointerMode_t mode = HIPBLAS_POINTER_MODE_HOST;
    const status asked = hipblasGetPointerMode(handle, &mode);
    on = mode == HIPBLAS_POINTER_MODE_DEVICE;
    return asked;
  }
  static Name status_name(status value) noexcept { return Name::of(hipblasStatusToString(value)); }
  static Name status_text(status) noexcept { return {}; }  // the library has names alone
};

}  // namespace warpsafe
