// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/cuda/cuda_backend.hpp>
#include <warpsafe/handles/stream_bound.hpp>

#include <cufft.h>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// A plan of cuFFT. The library's own handle is an int and has no type of its own.
struct CufftPlan {};

/// cuFFT: `StreamBound<CufftPlan>::create(stream)` makes an empty plan,
/// `fft.call<cufftMakePlan1d>(n, CUFFT_C2C, 1, &bytes)` fills it, and
/// `fft.call<cufftExecC2C>(in.view(), out.view(), CUFFT_FORWARD)` runs it. The library has no
/// function that returns a plan's stream, so checks cannot find a changed stream.
template <>
struct handle_traits<CufftPlan>
    : HandleCalls<cuda_backend, cufftCreate, cufftDestroy, cufftSetStream> {
  static constexpr Name name = Name::of("cuFFT");

  static constexpr int inner_handles = 0;
  static Name status_name(status value) noexcept {
    return detail::enumerator_name<CUFFT_INVALID_PLAN, CUFFT_ALLOC_FAILED, CUFFT_INVALID_TYPE,
                                   CUFFT_INVALID_VALUE, CUFFT_INTERNAL_ERROR, CUFFT_EXEC_FAILED,
                                   CUFFT_SETUP_FAILED, CUFFT_INVALID_SIZE, CUFFT_UNALIGNED_DATA,
                                   CUFFT_INVALID_DEVICE, CUFFT_NO_WORKSPACE, CUFFT_NOT_IMPLEMENTED,
                                   CUFFT_NOT_SUPPORTED>(value);
  }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
