// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/cuda/cuda_backend.hpp>
#include <warpsafe/handles/stream_bound.hpp>

#include <cusparse.h>

namespace warpsafe {

/// cuSPARSE: `StreamBound<cusparseHandle_t>::create(stream)`, `sparse.call<cusparseSpMV>(…)`.
template <>
struct handle_traits<cusparseHandle_t> {
  using backend = cuda_backend;
  using native = cusparseHandle_t;
  using status = cusparseStatus_t;
  using refused = Functions<cusparseSetStream, cusparseDestroy, cusparseSetPointerMode>;
  static constexpr Name name = Name::of("cuSPARSE");

  static status create(native& handle) noexcept { return cusparseCreate(&handle); }
  static status destroy(native handle) noexcept { return cusparseDestroy(handle); }
  static constexpr int inner_handles = 0;
  static status set_stream(native handle, cudaStream_t stream) noexcept {
    return cusparseSetStream(handle, stream);
  }
  static status get_stream(native handle, cudaStream_t& stream) noexcept {
    return cusparseGetStream(handle, &stream);
  }
  static status set_scalars_on_device(native handle, bool on) noexcept {
    return cusparseSetPointerMode(handle,
                                  on ? CUSPARSE_POINTER_MODE_DEVICE : CUSPARSE_POINTER_MODE_HOST);
  }
  static status get_scalars_on_device(native handle, bool& on) noexcept {
    cusparsePointerMode_t mode = CUSPARSE_POINTER_MODE_HOST;
    const status asked = cusparseGetPointerMode(handle, &mode);
    on = mode == CUSPARSE_POINTER_MODE_DEVICE;
    return asked;
  }
  static Name status_name(status value) noexcept { return Name::of(cusparseGetErrorName(value)); }
  static Name status_text(status value) noexcept { return Name::of(cusparseGetErrorString(value)); }
};

}  // namespace warpsafe
