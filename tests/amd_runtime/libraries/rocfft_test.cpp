// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "library_launch.hpp"
#include <warpsafe/handles/stream_bound.hpp>

#include <rocfft/rocfft.h>

// rocFFT's stream is a part of the execution's information, which rocfft_execute takes last.
template <>
struct warpsafe::handle_traits<rocfft_execution_info>
    : HandleCalls<hip_backend, rocfft_execution_info_create, rocfft_execution_info_destroy,
                  rocfft_execution_info_set_stream> {
  static constexpr Name name = Name::of("rocFFT");
  static constexpr int inner_handles = 0;
};

namespace {

TEST_F(LibraryOverAmd, RocfftTransformsOnTheStreamOfItsInformation) {
  constexpr std::size_t size = 64;
  auto data = buffer<float>(2 * size);
  ASSERT_EQ(rocfft_setup(), rocfft_status_success);
  rocfft_plan plan = nullptr;
  ASSERT_EQ(
      rocfft_plan_create(&plan, rocfft_placement_inplace, rocfft_transform_type_complex_forward,
                         rocfft_precision_single, 1, &size, 1, nullptr),
      rocfft_status_success);
  {
    auto fft = ws::StreamBound<rocfft_execution_info>::create(stream_).value();
    void* memory[] = {data.view().pointer().get()};
    expect_launch(
        stream_, other_, [&] { return fft.call<rocfft_execute>(plan, memory, nullptr); }, {"fft"},
        memory[0]);
  }
  EXPECT_EQ(rocfft_plan_destroy(plan), rocfft_status_success);
  EXPECT_EQ(rocfft_cleanup(), rocfft_status_success);
}

}  // namespace
