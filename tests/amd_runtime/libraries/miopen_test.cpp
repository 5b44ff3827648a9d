// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "library_launch.hpp"
#include <warpsafe/handles/stream_bound.hpp>

#include <miopen/miopen.h>

#include <algorithm>

// warpsafe has no header for MIOpen, so this is also a test of traits that a user writes.
template <>
struct warpsafe::handle_traits<miopenHandle_t>
    : HandleCalls<hip_backend, miopenCreate, miopenDestroy, miopenSetStream, miopenGetStream> {
  static constexpr Name name = Name::of("MIOpen");
  static constexpr int inner_handles = 0;
  static Name status_text(status value) noexcept { return Name::of(miopenGetErrorString(value)); }
};

namespace {

// A convolution of one pixel is a product of matrices, which rocBLAS computes. MIOpen compiles its
// own kernels at run time, which Debian's package cannot do (docs/tools/amd.md).
TEST_F(LibraryOverAmd, MiopenConvolvesOnTheStreamOfItsHandle) {
  auto x = buffer<float>(512);
  auto filter = buffer<float>(64);
  auto y = buffer<float>(512);
  miopenTensorDescriptor_t image = nullptr;
  miopenTensorDescriptor_t filters = nullptr;
  miopenConvolutionDescriptor_t convolution = nullptr;
  ASSERT_EQ(miopenCreateTensorDescriptor(&image), miopenStatusSuccess);
  ASSERT_EQ(miopenSet4dTensorDescriptor(image, miopenFloat, 1, 8, 8, 8), miopenStatusSuccess);
  ASSERT_EQ(miopenCreateTensorDescriptor(&filters), miopenStatusSuccess);
  ASSERT_EQ(miopenSet4dTensorDescriptor(filters, miopenFloat, 8, 8, 1, 1), miopenStatusSuccess);
  ASSERT_EQ(miopenCreateConvolutionDescriptor(&convolution), miopenStatusSuccess);
  ASSERT_EQ(miopenInitConvolutionDescriptor(convolution, miopenConvolution, 0, 0, 1, 1, 1, 1),
            miopenStatusSuccess);
  auto dnn = ws::StreamBound<miopenHandle_t>::create(stream_).value();
  miopenConvSolution_t solutions[32] = {};
  std::size_t count = 0;
  expect_success(dnn.call<miopenConvolutionForwardGetSolution>(filters, image, convolution, image,
                                                               32U, &count, &solutions[0]));
  const auto* const product = std::find_if(
      solutions, solutions + count,
      [](const miopenConvSolution_t& one) { return one.algorithm == miopenConvolutionAlgoGEMM; });
  ASSERT_NE(product, solutions + count);
  ASSERT_EQ(product->workspace_size, 0U);
  const auto call = [&] {
    return dnn.call<miopenConvolutionForwardImmediate>(filters, filter.view(), image, x.view(),
                                                       convolution, image, y.view(), nullptr, 0U,
                                                       product->solution_id);
  };
  expect_launch(stream_, other_, call, {"Cijk"}, y.view().pointer().get());
  EXPECT_EQ(miopenDestroyConvolutionDescriptor(convolution), miopenStatusSuccess);
  EXPECT_EQ(miopenDestroyTensorDescriptor(filters), miopenStatusSuccess);
  EXPECT_EQ(miopenDestroyTensorDescriptor(image), miopenStatusSuccess);
}

TEST_F(LibraryOverAmd, AnErrorOfMiopenHasItsText) {
  auto dnn = ws::StreamBound<miopenHandle_t>::create(stream_).value();
  const auto failed = dnn.call<miopenConvolutionForwardGetSolution>(nullptr, nullptr, nullptr,
                                                                    nullptr, 0U, nullptr, nullptr);
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().code, ws::Errc::library_failed);
  EXPECT_THAT(ws::message(failed.error()), testing::HasSubstr("miopenStatus"));
}

}  // namespace
