// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// As the page shows it.
// clang-format off
#include <warpsafe/warpsafe.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/handles/cublas.hpp>
namespace ws = warpsafe;

ws::result<void> multiply(const ws::Stream& stream, int n, ws::DeviceBuffer<float>& a, ws::DeviceBuffer<float>& b,
                          ws::DeviceBuffer<float>& c) {
  WARPSAFE_TRY(auto blas, ws::StreamBound<cublasHandle_t>::create(stream));
  return blas.call<cublasSgemm>(CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, ws::host_scalar(1.0F), a.view(), n, b.view(), n,
                                ws::host_scalar(0.0F), c.view(), n);
}
