// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// hipBLAS, which calls rocBLAS.

#include "on_copied_data.hpp"

#include <hipblas/hipblas.h>

int main(int argc, char** argv) {
  constexpr int order = 64;
  hipblasHandle_t handle = nullptr;
  return on_copied_data(
      argc, argv,
      [&](hipStream_t stream) {
        const int made = hipblasCreate(&handle);
        return made + hipblasSetStream(handle, stream);
      },
      [&](const Memory& memory) {
        auto* const a = static_cast<float*>(memory.in);
        auto* const x = static_cast<float*>(memory.more);
        auto* const y = static_cast<float*>(memory.out);
        const float one = 1;
        const float zero = 0;
        const int added = hipblasSaxpy(handle, order, &one, a, 1, x, 1);
        return added +
               hipblasSgemv(handle, HIPBLAS_OP_N, order, order, &one, a, order, x, 1, &zero, y, 1);
      });
}
