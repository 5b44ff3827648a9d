// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "library_launch.hpp"
#include <warpsafe/handles/hipblas.hpp>

namespace {

TEST_F(LibraryOverAmd, HipblasWorksOnTheStreamOfItsHandle) {
  auto x = buffer<float>(1000);
  auto y = buffer<float>(1000);
  auto blas = ws::StreamBound<ws::HipblasHandle>::create(stream_).value();
  const auto with = [&](const auto& factor) {
    return [&] { return blas.call<hipblasSaxpy>(1000, factor, x.view(), 1, y.view(), 1); };
  };
  const float two = 2;
  expect_launch(stream_, other_, with(ws::host_scalar(two)), {"axpy"}, y.view().pointer().get());
  expect_launch(stream_, other_, with(ws::device_scalar(x.view())), {"axpy"},
                y.view().pointer().get());
}

}  // namespace
