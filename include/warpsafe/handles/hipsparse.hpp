// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/hip/hip_backend.hpp>
#include <warpsafe/handles/detail/scalar_rows.hpp>
#include <warpsafe/handles/stream_bound.hpp>

#include <hipsparse/hipsparse.h>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// A handle of hipSPARSE. The library's own handle is a void* and has no type of its own.
struct HipsparseHandle {};

/// hipSPARSE: `StreamBound<HipsparseHandle>::create(stream)`, `sparse.call<hipsparseSpMV>(…)`.
template <>
struct handle_traits<HipsparseHandle>
    : HandleCalls<hip_backend, hipsparseCreate, hipsparseDestroy, hipsparseSetStream,
                  hipsparseGetStream>,
      PointerModeCalls<hipsparseSetPointerMode, hipsparseGetPointerMode,
                       HIPSPARSE_POINTER_MODE_HOST, HIPSPARSE_POINTER_MODE_DEVICE> {
  using refused = Functions<hipsparseSetStream, hipsparseDestroy, hipsparseSetPointerMode>;
  static constexpr Name name = Name::of("hipSPARSE");

  static constexpr int inner_handles = 0;
  static constexpr unsigned scalar_pointers(Name function) noexcept {
    return detail::sparse_scalars(name, function);
  }
  // The supported releases are older than the library's function for status names.
  static Name status_name(status value) noexcept {
    return detail::enumerator_name<
        HIPSPARSE_STATUS_NOT_INITIALIZED, HIPSPARSE_STATUS_ALLOC_FAILED,
        HIPSPARSE_STATUS_INVALID_VALUE, HIPSPARSE_STATUS_ARCH_MISMATCH,
        HIPSPARSE_STATUS_MAPPING_ERROR, HIPSPARSE_STATUS_EXECUTION_FAILED,
        HIPSPARSE_STATUS_INTERNAL_ERROR, HIPSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED,
        HIPSPARSE_STATUS_ZERO_PIVOT, HIPSPARSE_STATUS_NOT_SUPPORTED,
        HIPSPARSE_STATUS_INSUFFICIENT_RESOURCES>(value);
  }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
