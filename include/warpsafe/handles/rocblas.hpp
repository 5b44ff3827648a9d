// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/hip/hip_backend.hpp>
#include <warpsafe/handles/detail/scalar_rows.hpp>
#include <warpsafe/handles/stream_bound.hpp>

#include <rocblas/rocblas.h>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// rocBLAS: `StreamBound<rocblas_handle>::create(stream)`, `blas.call<rocblas_sgemm>(…)`. All
/// functions of a handle share one workspace, which the library enlarges if a function needs more.
/// Because of this, rebind orders the new stream after the old one.
template <>
struct handle_traits<rocblas_handle>
    : HandleCalls<hip_backend, rocblas_create_handle, rocblas_destroy_handle, rocblas_set_stream,
                  rocblas_get_stream>,
      PointerModeCalls<rocblas_set_pointer_mode, rocblas_get_pointer_mode,
                       rocblas_pointer_mode_host, rocblas_pointer_mode_device> {
  using refused = Functions<rocblas_set_stream, rocblas_destroy_handle, rocblas_set_pointer_mode>;
  static constexpr Name name = Name::of("rocBLAS");

  static constexpr int inner_handles = 0;
  static constexpr unsigned scalar_pointers(Name function) noexcept {
    return detail::blas_scalars(name, function);
  }
  /// rocblas-types.h: besides success, two statuses answer queries of a size, and one says that the
  /// work was done with less memory than ideal.
  static bool is_success(status value) noexcept {
    return value == rocblas_status_success || value == rocblas_status_perf_degraded ||
           value == rocblas_status_size_increased || value == rocblas_status_size_unchanged;
  }
  static Name status_name(status value) noexcept {
    return Name::of(rocblas_status_to_string(value));
  }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
