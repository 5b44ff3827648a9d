// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/hip/hip_backend.hpp>
#include <warpsafe/handles/stream_bound.hpp>

#include <hipsparse/hipsparse.h>

namespace warpsafe {

/// A handle of hipSPARSE. The library's own is a void*, which anything could be.
struct HipsparseHandle {};

/// hipSPARSE: `StreamBound<HipsparseHandle>::create(stream)`, `sparse.call<hipsparseSpMV>(…)`.
template <>
struct handle_traits<HipsparseHandle> {
  using backend = hip_backend;
  using native = hipsparseHandle_t;
  using status = hipsparseStatus_t;
  using refused = Functions<hipsparseSetStream, hipsparseDestroy, hipsparseSetPointerMode>;
  static constexpr Name name = Name::of("hipSPARSE");

  static status create(native& handle) noexcept { return hipsparseCreate(&handle); }
  static status destroy(native handle) noexcept { return hipsparseDestroy(handle); }
  static constexpr int inner_handles = 0;
  static status set_stream(native handle, hipStream_t stream) noexcept {
    return hipsparseSetStream(handle, stream);
  }
  static status get_stream(native handle, hipStream_t& stream) noexcept {
    return hipsparseGetStream(handle, &stream);
  }
  static status set_scalars_on_device(native handle, bool on) noexcept {
    return hipsparseSetPointerMode(
        handle, on ? HIPSPARSE_POINTER_MODE_DEVICE : HIPSPARSE_POINTER_MODE_HOST);
  }
  static status get_scalars_on_device(native handle, bool& on) noexcept {
    hipsparsePointerMode_t mode = HIPSPARSE_POINTER_MODE_HOST;
    const status asked = hipsparseGetPointerMode(handle, &mode);
    on = mode == HIPSPARSE_POINTER_MODE_DEVICE;
    return asked;
  }
  // The library's own names came later than the releases that this is compiled against.
  static Name status_name(status value) noexcept {
    return detail::enumerator_name<
        HIPSPARSE_STATUS_NOT_INITIALIZED, HIPSPARSE_STATUS_ALLOC_FAILED,
        HIPSPARSE_STATUS_INVALID_VALUE, HIPSPARSE_STATUS_ARCH_MISMATCH,
        HIPSPARSE_STATUS_MAPPING_ERROR, HIPSPARSE_STATUS_EXECUTION_FAILED,
        HIPSPARSE_STATUS_INTERNAL_ERROR, HIPSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED,
        HIPSPARSE_STATUS_ZERO_PIVOT, HIPSPARSE_STATUS_NOT_SUPPORTED,
        HIPSPARSE_STATUS_INSUFFICIENT_RESOURCES>(value);
  }
  static Name status_text(status) noexcept { return {}; }  // the library has none
};

}  // namespace warpsafe
