// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/hip/hip_backend.hpp>
#include <warpsafe/handles/stream_bound.hpp>

#include <hipsolver/hipsolver.h>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// A handle of hipSOLVER. The library's own handle is a void* and has no type of its own.
struct HipsolverHandle {};

/// hipSOLVER, dense: `StreamBound<HipsolverHandle>::create(stream)`,
/// `solver.call<hipsolverSgetrf>(…)`, or with cuSOLVER's names `solver.call<hipsolverDnSgetrf>(…)`.
template <>
struct handle_traits<HipsolverHandle> : HandleCalls<hip_backend, hipsolverCreate, hipsolverDestroy,
                                                    hipsolverSetStream, hipsolverGetStream> {
  using refused =
      Functions<hipsolverSetStream, hipsolverDestroy, hipsolverDnSetStream, hipsolverDnDestroy>;
  static constexpr Name name = Name::of("hipSOLVER");

  static constexpr int inner_handles = 0;
  static Name status_name(status value) noexcept {
    return detail::enumerator_name<HIPSOLVER_STATUS_NOT_INITIALIZED, HIPSOLVER_STATUS_ALLOC_FAILED,
                                   HIPSOLVER_STATUS_INVALID_VALUE, HIPSOLVER_STATUS_MAPPING_ERROR,
                                   HIPSOLVER_STATUS_EXECUTION_FAILED,
                                   HIPSOLVER_STATUS_INTERNAL_ERROR, HIPSOLVER_STATUS_NOT_SUPPORTED,
                                   HIPSOLVER_STATUS_ARCH_MISMATCH,
                                   HIPSOLVER_STATUS_HANDLE_IS_NULLPTR,
                                   HIPSOLVER_STATUS_INVALID_ENUM, HIPSOLVER_STATUS_UNKNOWN>(value);
  }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
