// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/cuda/cuda_backend.hpp>
#include <warpsafe/handles/stream_bound.hpp>

#include <curand.h>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// cuRAND: `StreamBound<curandGenerator_t>::create(stream, CURAND_RNG_PSEUDO_PHILOX4_32_10)`,
/// `random.call<curandGenerateUniform>(numbers.view(), numbers.size())`. The library has no
/// function that returns a generator's stream, so checks cannot find a changed stream.
template <>
struct handle_traits<curandGenerator_t>
    : HandleCalls<cuda_backend, curandCreateGenerator, curandDestroyGenerator, curandSetStream> {
  using options = curandRngType_t;
  static constexpr Name name = Name::of("cuRAND");

  static constexpr int inner_handles = 0;
  static Name status_name(status value) noexcept {
    return detail::enumerator_name<CURAND_STATUS_VERSION_MISMATCH, CURAND_STATUS_NOT_INITIALIZED,
                                   CURAND_STATUS_ALLOCATION_FAILED, CURAND_STATUS_TYPE_ERROR,
                                   CURAND_STATUS_OUT_OF_RANGE, CURAND_STATUS_LENGTH_NOT_MULTIPLE,
                                   CURAND_STATUS_DOUBLE_PRECISION_REQUIRED,
                                   CURAND_STATUS_LAUNCH_FAILURE, CURAND_STATUS_PREEXISTING_FAILURE,
                                   CURAND_STATUS_INITIALIZATION_FAILED, CURAND_STATUS_ARCH_MISMATCH,
                                   CURAND_STATUS_INTERNAL_ERROR>(value);
  }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
