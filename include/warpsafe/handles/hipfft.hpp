// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/hip/hip_backend.hpp>
#include <warpsafe/handles/stream_bound.hpp>

#include <hipfft/hipfft.h>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// A plan of hipFFT. The library's own handle is an int on some platforms and has no type of its
/// own there.
struct HipfftPlan {};

/// hipFFT: `StreamBound<HipfftPlan>::create(stream)` makes an empty plan,
/// `fft.call<hipfftMakePlan1d>(n, HIPFFT_C2C, 1, &bytes)` fills it, and
/// `fft.call<hipfftExecC2C>(in.view(), out.view(), HIPFFT_FORWARD)` runs it. The library has no
/// function that returns a plan's stream, so checks cannot find a changed stream.
template <>
struct handle_traits<HipfftPlan>
    : HandleCalls<hip_backend, hipfftCreate, hipfftDestroy, hipfftSetStream> {
  static constexpr Name name = Name::of("hipFFT");

  static constexpr int inner_handles = 0;
  static Name status_name(status value) noexcept {
    return detail::enumerator_name<
        HIPFFT_INVALID_PLAN, HIPFFT_ALLOC_FAILED, HIPFFT_INVALID_TYPE, HIPFFT_INVALID_VALUE,
        HIPFFT_INTERNAL_ERROR, HIPFFT_EXEC_FAILED, HIPFFT_SETUP_FAILED, HIPFFT_INVALID_SIZE,
        HIPFFT_UNALIGNED_DATA, HIPFFT_INCOMPLETE_PARAMETER_LIST, HIPFFT_INVALID_DEVICE,
        HIPFFT_PARSE_ERROR, HIPFFT_NO_WORKSPACE, HIPFFT_NOT_IMPLEMENTED, HIPFFT_NOT_SUPPORTED>(
        value);
  }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
