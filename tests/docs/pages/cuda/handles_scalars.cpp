// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// As the page shows it.
// clang-format off
#include <warpsafe/warpsafe.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/handles/cublas.hpp>
namespace ws = warpsafe;

ws::result<float> dot(ws::StreamBound<cublasHandle_t>& blas, int n, ws::DeviceBuffer<float>& x, ws::DeviceBuffer<float>& y,
                      ws::DeviceBuffer<float>& result) {
  float sum = 0.0F;
  WARPSAFE_TRYV(blas.call<cublasSdot>(n, x.view(), 1, y.view(), 1, ws::device_scalar(result.view())));  // stays on the device
  WARPSAFE_TRYV(blas.call<cublasSdot>(n, x.view(), 1, y.view(), 1, ws::host_scalar(sum)));              // waits for the result
  return sum;
}
