// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// hipBLAS through a bound handle, compiled against the library's own header.

#include "amd.hpp"
#include <warpsafe/handles/hipblas.hpp>

ws::result<void> with_hipblas(const HipStream& stream, const HipStream& other, int n,
                              Buffer<float>& a, Buffer<float>& c) {
  auto blas = ws::StreamBound<ws::HipblasHandle>::create(stream);
  if (!blas.has_value()) return blas.error();
  const float zero = 0.0F;
  const auto done =
      blas.value().call<hipblasSgemm>(HIPBLAS_OP_N, HIPBLAS_OP_N, n, n, n, ws::host_scalar(1.0F),
                                      a.view(), n, a.view(), n, ws::host_scalar(zero), c.view(), n);
  if (!done.has_value()) return done;
  auto moved = std::move(blas).value().rebind(other);
  if (!moved.has_value()) return moved.error();
  return moved.value().call<hipblasSdot>(n, a.view(), 1, a.view(), 1, ws::device_scalar(c.view()));
}

// Scalars on the device and on the host in turns, of which the table of BLAS knows the places.
ws::result<void> with_scalars(ws::StreamBound<ws::HipblasHandle>& blas, int n, Buffer<float>& x,
                              Buffer<float>& y) {
  const float two = 2.0F;
  const auto done =
      blas.call<hipblasSaxpy>(n, ws::device_scalar(y.view()), x.view(), 1, y.view(), 1);
  if (!done.has_value()) return done;
  return blas.call<hipblasSaxpy>(n, &two, x.view(), 1, y.view(), 1);
}
static_assert(ws::detail::scalars_of<ws::handle_traits<ws::HipblasHandle>, hipblasSaxpy> ==
              (0b1U | ws::others_on_device));
