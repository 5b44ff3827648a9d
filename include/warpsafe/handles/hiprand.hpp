// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/hip/hip_backend.hpp>
#include <warpsafe/handles/stream_bound.hpp>

#include <hiprand/hiprand.h>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// A generator of hipRAND. The library's own handle type belongs to another library as well: to
/// rocRAND on AMD's platform, to cuRAND on NVIDIA's.
struct HiprandGenerator {};

/// hipRAND: `StreamBound<HiprandGenerator>::create(stream, HIPRAND_RNG_PSEUDO_PHILOX4_32_10)`,
/// `random.call<hiprandGenerateUniform>(numbers.view(), numbers.size())`. The library has no
/// function that returns a generator's stream, so checks cannot find a changed stream.
template <>
struct handle_traits<HiprandGenerator>
    : HandleCalls<hip_backend, hiprandCreateGenerator, hiprandDestroyGenerator, hiprandSetStream> {
  using options = hiprandRngType_t;
  static constexpr Name name = Name::of("hipRAND");

  static constexpr int inner_handles = 0;
  static Name status_name(status value) noexcept {
    return detail::enumerator_name<
        HIPRAND_STATUS_VERSION_MISMATCH, HIPRAND_STATUS_NOT_INITIALIZED,
        HIPRAND_STATUS_ALLOCATION_FAILED, HIPRAND_STATUS_TYPE_ERROR, HIPRAND_STATUS_OUT_OF_RANGE,
        HIPRAND_STATUS_LENGTH_NOT_MULTIPLE, HIPRAND_STATUS_DOUBLE_PRECISION_REQUIRED,
        HIPRAND_STATUS_LAUNCH_FAILURE, HIPRAND_STATUS_PREEXISTING_FAILURE,
        HIPRAND_STATUS_INITIALIZATION_FAILED, HIPRAND_STATUS_ARCH_MISMATCH,
        HIPRAND_STATUS_INTERNAL_ERROR, HIPRAND_STATUS_NOT_IMPLEMENTED>(value);
  }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
