// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// rocBLAS.

#include "on_copied_data.hpp"

#include <rocblas/rocblas.h>

int main(int argc, char** argv) {
  constexpr int order = 64;
  rocblas_handle handle = nullptr;
  return on_copied_data(
      argc, argv,
      [&](hipStream_t stream) {
        const int made = rocblas_create_handle(&handle);
        return made + rocblas_set_stream(handle, stream);
      },
      [&](const Memory& memory) {
        auto* const a = static_cast<float*>(memory.in);
        auto* const x = static_cast<float*>(memory.more);
        auto* const y = static_cast<float*>(memory.out);
        const float one = 1;
        const float zero = 0;
        const int added = rocblas_saxpy(handle, order, &one, a, 1, x, 1);
        return added + rocblas_sgemv(handle, rocblas_operation_none, order, order, &one, a, order,
                                     x, 1, &zero, y, 1);
      });
}
