// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "library_launch.hpp"
#include <warpsafe/handles/hipfft.hpp>

namespace {

// hipFFT calls rocFFT, which compiles its kernels by hipRTC when a plan is made.
TEST_F(LibraryOverAmd, HipfftTransformsOnTheStreamOfItsPlan) {
  constexpr int size = 64;
  auto in = buffer<hipfftComplex>(size);
  auto out = buffer<hipfftComplex>(size);
  auto fft = ws::StreamBound<ws::HipfftPlan>::create(stream_).value();
  std::size_t bytes = 0;
  expect_success(fft.call<hipfftMakePlan1d>(size, HIPFFT_C2C, 1, &bytes));
  expect_launch(
      stream_, other_,
      [&] { return fft.call<hipfftExecC2C>(in.view(), out.view(), HIPFFT_FORWARD); }, {"fft"},
      out.view().pointer().get());
  auto moved = std::move(fft).rebind(other_).value();
  expect_launch(
      other_, stream_,
      [&] { return moved.call<hipfftExecC2C>(out.view(), in.view(), HIPFFT_BACKWARD); }, {"fft"},
      in.view().pointer().get());
}

TEST_F(LibraryOverAmd, AnErrorOfHipfftHasTheNameOfItsStatus) {
  auto data = buffer<hipfftComplex>(8);
  auto fft = ws::StreamBound<ws::HipfftPlan>::create(stream_).value();
  const auto failed = fft.call<hipfftExecC2C>(data.view(), data.view(), HIPFFT_FORWARD);
  ASSERT_FALSE(failed.has_value()) << "the plan is empty";
  EXPECT_EQ(failed.error().code, ws::Errc::library_failed);
  EXPECT_THAT(ws::message(failed.error()), testing::HasSubstr("hipfftExecC2C"));
}

}  // namespace
