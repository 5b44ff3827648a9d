// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/cuda/cuda_backend.hpp>
#include <warpsafe/handles/stream_bound.hpp>

#include <cusolverDn.h>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// cuSOLVER, dense: `StreamBound<cusolverDnHandle_t>::create(stream)`,
/// `solver.call<cusolverDnSgetrf>(…)`.
template <>
struct handle_traits<cusolverDnHandle_t>
    : HandleCalls<cuda_backend, cusolverDnCreate, cusolverDnDestroy, cusolverDnSetStream,
                  cusolverDnGetStream> {
  static constexpr Name name = Name::of("cuSOLVER");

  static constexpr int inner_handles = 0;
  static Name status_name(status value) noexcept {
    return detail::enumerator_name<
        CUSOLVER_STATUS_NOT_INITIALIZED, CUSOLVER_STATUS_ALLOC_FAILED,
        CUSOLVER_STATUS_INVALID_VALUE, CUSOLVER_STATUS_ARCH_MISMATCH, CUSOLVER_STATUS_MAPPING_ERROR,
        CUSOLVER_STATUS_EXECUTION_FAILED, CUSOLVER_STATUS_INTERNAL_ERROR,
        CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED, CUSOLVER_STATUS_NOT_SUPPORTED,
        CUSOLVER_STATUS_ZERO_PIVOT, CUSOLVER_STATUS_INVALID_LICENSE,
        CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED, CUSOLVER_STATUS_IRS_PARAMS_INVALID,
        CUSOLVER_STATUS_IRS_INTERNAL_ERROR, CUSOLVER_STATUS_IRS_NOT_SUPPORTED,
        CUSOLVER_STATUS_IRS_OUT_OF_RANGE, CUSOLVER_STATUS_IRS_MATRIX_SINGULAR,
        CUSOLVER_STATUS_INVALID_WORKSPACE>(value);
  }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
