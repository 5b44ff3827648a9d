// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// hipSOLVER through a bound handle, compiled against the library's own header.

#include "amd.hpp"
#include <warpsafe/handles/hipsolver.hpp>

ws::result<void> with_hipsolver(const HipStream& stream, const HipStream& other,
                                Buffer<float>& matrix, Buffer<float>& scratch, Buffer<int>& pivots,
                                Buffer<int>& info) {
  auto solver = ws::StreamBound<ws::HipsolverHandle>::create(stream);
  if (!solver.has_value()) return solver.error();
  int elements = 0;
  const auto asked = solver.value().call<hipsolverSgetrf_bufferSize>(3, 3, matrix.view(), 3,
                                                                     ws::host_scalar(elements));
  if (!asked.has_value()) return asked;
  auto moved = std::move(solver).value().rebind(other);
  if (!moved.has_value()) return moved.error();
  // The same through the names that resemble cuSOLVER's.
  const auto done = moved.value().call<hipsolverDnSgetrf>(3, 3, matrix.view(), 3, scratch.view(),
                                                          pivots.view(), info.view());
  if (!done.has_value()) return done;
  return moved.value().call<hipsolverSgetrf>(3, 3, matrix.view(), 3, scratch.view(), elements,
                                             pivots.view(), info.view());
}
