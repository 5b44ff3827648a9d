// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "library_launch.hpp"
#include <warpsafe/handles/rocblas.hpp>

namespace {

TEST_F(LibraryOverAmd, RocblasWorksOnTheStreamOfItsHandle) {
  auto x = buffer<float>(1000);
  auto y = buffer<float>(1000);
  auto blas = ws::StreamBound<rocblas_handle>::create(stream_).value();
  const auto with = [&](const auto& factor) {
    return [&] { return blas.call<rocblas_saxpy>(1000, factor, x.view(), 1, y.view(), 1); };
  };
  const float two = 2;
  expect_launch(stream_, other_, with(ws::host_scalar(two)), {"axpy"}, y.view().pointer().get());
  expect_launch(stream_, other_, with(ws::device_scalar(x.view())), {"axpy"},
                y.view().pointer().get());
  expect_launch(
      stream_, other_,
      [&] {
        return blas.call<rocblas_snrm2_strided_batched>(1000, x.view(), 1, 1000, 1,
                                                        ws::device_scalar(y.view()));
      },
      {"nrm2"}, x.view().pointer().get());
}

}  // namespace
