// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// hipFFT through a bound handle, compiled against the library's own header.

#include "amd.hpp"
#include <warpsafe/handles/hipfft.hpp>

ws::result<void> with_hipfft(const HipStream& stream, int n, Buffer<hipfftComplex>& in,
                             Buffer<hipfftComplex>& out) {
  auto fft = ws::StreamBound<ws::HipfftPlan>::create(stream);
  if (!fft.has_value()) return fft.error();
  std::size_t bytes = 0;
  const auto made = fft.value().call<hipfftMakePlan1d>(n, HIPFFT_C2C, 1, &bytes);
  if (!made.has_value()) return made;
  return fft.value().call<hipfftExecC2C>(in.view(), out.view(), HIPFFT_FORWARD);
}

/// A plan that other code made.
ws::result<void> with_plan(const HipStream& stream, hipfftHandle plan, Buffer<hipfftComplex>& in,
                           Buffer<hipfftComplex>& out) {
  auto fft = ws::StreamBound<ws::HipfftPlan>::adopt(plan, stream);
  if (!fft.has_value()) return fft.error();
  return fft.value().call<hipfftExecC2C>(in.view(), out.view(), HIPFFT_BACKWARD);
}
