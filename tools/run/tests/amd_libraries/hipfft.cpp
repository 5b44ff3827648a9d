// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// hipFFT, which calls rocFFT.

#include "on_copied_data.hpp"

#include <hipfft/hipfft.h>

int main(int argc, char** argv) {
  hipfftHandle plan{};
  return on_copied_data(
      argc, argv,
      [&](hipStream_t stream) {
        const int made = hipfftPlan1d(&plan, 1024, HIPFFT_C2C, 1);
        return made + hipfftSetStream(plan, stream);
      },
      [&](const Memory& memory) {
        return static_cast<int>(hipfftExecC2C(plan, static_cast<hipfftComplex*>(memory.in),
                                              static_cast<hipfftComplex*>(memory.out),
                                              HIPFFT_FORWARD));
      });
}
