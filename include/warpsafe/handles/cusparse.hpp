// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/cuda/cuda_backend.hpp>
#include <warpsafe/handles/detail/scalar_rows.hpp>
#include <warpsafe/handles/stream_bound.hpp>

#include <cusparse.h>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// cuSPARSE: `StreamBound<cusparseHandle_t>::create(stream)`, `sparse.call<cusparseSpMV>(…)`.
template <>
struct handle_traits<cusparseHandle_t>
    : HandleCalls<cuda_backend, cusparseCreate, cusparseDestroy, cusparseSetStream,
                  cusparseGetStream>,
      PointerModeCalls<cusparseSetPointerMode, cusparseGetPointerMode, CUSPARSE_POINTER_MODE_HOST,
                       CUSPARSE_POINTER_MODE_DEVICE> {
  using refused = Functions<cusparseSetStream, cusparseDestroy, cusparseSetPointerMode>;
  static constexpr Name name = Name::of("cuSPARSE");

  static constexpr int inner_handles = 0;
  static constexpr unsigned scalar_pointers(Name function) noexcept {
    return detail::sparse_scalars(name, function);
  }
  static Name status_name(status value) noexcept { return Name::of(cusparseGetErrorName(value)); }
  static Name status_text(status value) noexcept { return Name::of(cusparseGetErrorString(value)); }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
