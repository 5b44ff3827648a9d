// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Computes two matrix products with cuBLAS, each on its own stream. Then a kernel adds them.
// Compiles with nvcc; link cuBLAS.

#include <warpsafe/handles/cublas.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <iostream>
#include <vector>

namespace ws = warpsafe;

WARPSAFE_KERNEL void add(const float* x, float* y, std::size_t n) {
  for (auto i : ws::grid_stride(n)) y[i] += x[i];
}

// c = a * b, on the handle's stream. The handle cannot run on another stream.
ws::result<void> multiply(ws::StreamBound<cublasHandle_t>& blas, int n,
                          ws::DeviceView<const float> a, ws::DeviceView<const float> b,
                          ws::DeviceView<float> c) {
  return blas.call<cublasSgemm>(CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, ws::host_scalar(1.0F), a, n, b,
                                n, ws::host_scalar(0.0F), c, n);
}

ws::result<std::vector<float>> run(int n) {
  const auto count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  WARPSAFE_TRY(const auto left, ws::Stream::create(ws::DeviceId(0)));
  WARPSAFE_TRY(const auto right, ws::Stream::create(ws::DeviceId(0)));
  WARPSAFE_TRY(auto left_blas, ws::StreamBound<cublasHandle_t>::create(left));
  WARPSAFE_TRY(auto right_blas, ws::StreamBound<cublasHandle_t>::create(right));

  const std::vector<float> ones(count, 1.0F);
  const std::vector<float> twos(count, 2.0F);
  WARPSAFE_TRY(auto a, ws::DeviceBuffer<float>::from(left, ones));
  WARPSAFE_TRY(auto b, ws::DeviceBuffer<float>::from(left, twos));
  WARPSAFE_TRY(auto c, ws::DeviceBuffer<float>::create(left, count));
  WARPSAFE_TRY(auto d, ws::DeviceBuffer<float>::from(right, twos));
  WARPSAFE_TRY(auto e, ws::DeviceBuffer<float>::from(right, twos));
  WARPSAFE_TRY(auto f, ws::DeviceBuffer<float>::create(right, count));
  WARPSAFE_TRYV(multiply(left_blas, n, a.view(), b.view(), c.view()));
  WARPSAFE_TRYV(multiply(right_blas, n, d.view(), e.view(), f.view()));

  // The left stream adds, after it has waited for the right stream's product.
  WARPSAFE_TRY(const auto right_done, right.record());
  WARPSAFE_TRYV(ws::wait(left, right_done));
  const auto config = ws::configure(ws::SafeGrid<>::cover(count, ws::block<256>));
  WARPSAFE_TRYV(ws::launch(left, config, ws::kernel<add>, f.view(), c.view(), count));
  return c.to_host(left).get();
}

int main() {
  constexpr int n = 256;
  const auto sums = run(n);
  if (!sums.has_value()) {
    std::cerr << sums.error() << '\n';
    return 2;
  }
  for (const float sum : sums.value()) {
    if (sum != 2.0F * n + 4.0F * n) return 1;
  }
  std::cout << "1 * 2 and 2 * 2, " << n << " times, add up to " << sums.value()[0] << '\n';
}
