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

// Scalars on the device and on the host in turns, of which the table of BLAS knows the places.
ws::result<void> with_scalars(ws::StreamBound<rocblas_handle>& blas, int n, Buffer<float>& x,
                              Buffer<float>& y) {
  const float two = 2.0F;
  auto done = blas.call<rocblas_saxpy>(n, ws::device_scalar(y.view()), x.view(), 1, y.view(), 1);
  if (!done.has_value()) return done;
  done = blas.call<rocblas_saxpy>(n, &two, x.view(), 1, y.view(), 1);
  if (!done.has_value()) return done;
  return blas.call<rocblas_snrm2_strided_batched>(n, x.view(), 1, n, 1,
                                                  ws::device_scalar(y.view()));
}
static_assert(ws::detail::scalars_of<ws::handle_traits<rocblas_handle>, rocblas_saxpy> ==
              (0b1U | ws::others_on_device));
