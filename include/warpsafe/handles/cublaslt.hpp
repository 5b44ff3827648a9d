// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/cuda/cuda_backend.hpp>
#include <warpsafe/handles/detail/scalar_rows.hpp>
#include <warpsafe/handles/stream_bound.hpp>

#include <cublasLt.h>

#include <cstddef>
#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// cuBLASLt: `StreamBound<cublasLtHandle_t>::create(stream)`, `lt.call<cublasLtMatmul>(…,
/// workspace.view(), workspace.size())`. `call` passes the stream, which is the last parameter. The
/// library requires the caller to provide the workspace. The descriptor says where the scalars are
/// (CUBLASLT_MATMUL_DESC_POINTER_MODE, CUBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE; the host by
/// default): pass host_scalar or device_scalar to match it, otherwise Errc::handle_pointer_mode.
template <>
struct handle_traits<cublasLtHandle_t>
    : HandleCalls<cuda_backend, cublasLtCreate, cublasLtDestroy> {
  static constexpr Name name = Name::of("cuBLASLt");
  static constexpr bool has_functions_without_stream = true;  // heuristics, layouts

  static constexpr unsigned scalar_pointers(Name function) noexcept {
    return detail::lt_scalars(name, function);
  }
  // The descriptor holds the pointer mode, and the handle has none.
  static constexpr bool descriptors_place_scalars = true;
  static bool scalars_fit(cublasLtMatmulDesc_t descriptor, bool host, bool device) noexcept {
    return scalars_fit<cublasLtMatmulDescGetAttribute>(
        descriptor, CUBLASLT_MATMUL_DESC_POINTER_MODE, host, device);
  }
  static bool scalars_fit(cublasLtMatrixTransformDesc_t descriptor, bool host,
                          bool device) noexcept {
    return scalars_fit<cublasLtMatrixTransformDescGetAttribute>(
        descriptor, CUBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE, host, device);
  }
  template <class Other>
  static bool scalars_fit(const Other&, bool, bool) noexcept {
    return true;
  }
  static status set_scalars_on_device(native, bool) noexcept { return CUBLAS_STATUS_SUCCESS; }
  static status get_scalars_on_device(native, bool& on) noexcept {
    on = false;
    return CUBLAS_STATUS_SUCCESS;
  }

  static Name status_name(status value) noexcept { return Name::of(cublasLtGetStatusName(value)); }
  static Name status_text(status value) noexcept {
    return Name::of(cublasLtGetStatusString(value));
  }

 private:
  template <auto GetAttribute, class Descriptor, class Attribute>
  static bool scalars_fit(Descriptor descriptor, Attribute attribute, bool host,
                          bool device) noexcept {
    std::int32_t mode = CUBLASLT_POINTER_MODE_HOST;
    std::size_t written = 0;
    if (GetAttribute(descriptor, attribute, &mode, sizeof mode, &written) !=
        CUBLAS_STATUS_SUCCESS) {
      return true;  // the call itself reports a descriptor that is wrong
    }
    switch (mode) {
      case CUBLASLT_POINTER_MODE_HOST:
        return !device;
      case CUBLASLT_POINTER_MODE_DEVICE:
      case CUBLASLT_POINTER_MODE_DEVICE_VECTOR:
        return !host;
      default:
        return device || !host;  // alpha is a vector on the device
    }
  }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
