// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/hip/hip_backend.hpp>
#include <warpsafe/handles/detail/scalar_rows.hpp>
#include <warpsafe/handles/stream_bound.hpp>

#include <hipblas/hipblas.h>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// A handle of hipBLAS. The library's own handle is a void* and has no type of its own.
struct HipblasHandle {};

/// hipBLAS: `StreamBound<HipblasHandle>::create(stream)`, `blas.call<hipblasSgemm>(…)`.
template <>
struct handle_traits<HipblasHandle>
    : HandleCalls<hip_backend, hipblasCreate, hipblasDestroy, hipblasSetStream, hipblasGetStream>,
      PointerModeCalls<hipblasSetPointerMode, hipblasGetPointerMode, HIPBLAS_POINTER_MODE_HOST,
                       HIPBLAS_POINTER_MODE_DEVICE> {
  using refused = Functions<hipblasSetStream, hipblasDestroy, hipblasSetPointerMode>;
  static constexpr Name name = Name::of("hipBLAS");
  static constexpr Name version_suffix = Name::of("_v2");

  static constexpr int inner_handles = 0;
  static constexpr unsigned scalar_pointers(Name function) noexcept {
    return detail::blas_scalars(name, function);
  }
  static Name status_name(status value) noexcept { return Name::of(hipblasStatusToString(value)); }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
