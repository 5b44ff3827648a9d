// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/cuda/cuda_backend.hpp>
#include <warpsafe/handles/stream_bound.hpp>

#include <cublasLt.h>

namespace warpsafe {

/// cuBLASLt: `StreamBound<cublasLtHandle_t>::create(stream)`, `lt.call<cublasLtMatmul>(…,
/// workspace.view(), workspace.size())`. `call` passes the stream, which is the last parameter. The
/// library requires the caller to provide the workspace. The descriptor says where the scalars are
/// (CUBLASLT_MATMUL_DESC_POINTER_MODE, CUBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE; the host by
/// default): pass host_scalar or device_scalar to match it. `call` does not read the descriptor.
template <>
struct handle_traits<cublasLtHandle_t>
    : HandleCalls<cuda_backend, cublasLtCreate, cublasLtDestroy> {
  static constexpr Name name = Name::of("cuBLASLt");

  static constexpr unsigned scalar_pointers(Name function) noexcept {
    return detail::lt_scalars(name, function);
  }
  // The descriptor holds the pointer mode, and the handle has none.
  static constexpr bool descriptors_place_scalars = true;
  static status set_scalars_on_device(native, bool) noexcept { return CUBLAS_STATUS_SUCCESS; }
  static status get_scalars_on_device(native, bool& on) noexcept {
    on = false;
    return CUBLAS_STATUS_SUCCESS;
  }

  static Name status_name(status value) noexcept { return Name::of(cublasLtGetStatusName(value)); }
  static Name status_text(status value) noexcept {
    return Name::of(cublasLtGetStatusString(value));
  }
};

}  // namespace warpsafe
