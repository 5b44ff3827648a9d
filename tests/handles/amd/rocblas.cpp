// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// rocBLAS through a bound handle, compiled against the library's own header.

#include "amd.hpp"
#include <warpsafe/handles/rocblas.hpp>

ws::result<void> with_rocblas(const HipStream& stream, const HipStream& other, int n,
                              Buffer<float>& a, Buffer<float>& c) {
  auto blas = ws::StreamBound<rocblas_handle>::create(stream);
  if (!blas.has_value()) return blas.error();
  const float zero = 0.0F;
  const auto done = blas.value().call<rocblas_sgemm>(
      rocblas_operation_none, rocblas_operation_none, n, n, n, ws::host_scalar(1.0F), a.view(), n,
      a.view(), n, ws::host_scalar(zero), c.view(), n);
  if (!done.has_value()) return done;
  auto moved = std::move(blas).value().rebind(other);
  if (!moved.has_value()) return moved.error();
  return moved.value().call<rocblas_sdot>(n, a.view(), 1, a.view(), 1, ws::device_scalar(c.view()));
}
