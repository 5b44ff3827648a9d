// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The program of streams_program.hpp with cuBLAS on a device. Four streams give the same numbers as
// one; with the handle left on the default stream they do not.
//
// Short runs are for tools that slow a program down: compute-sanitizer ./streams_program
// --gtest_filter=Short/*

#include "../gpu.hpp"
#include "streams_program.hpp"
#include <warpsafe/error/message.hpp>
#include <warpsafe/handles/cublas.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <map>
#include <utility>
#include <vector>

namespace warpsafe::streams_program {
namespace {

template <class Outcome>
auto value_of(Outcome&& outcome) {
  EXPECT_TRUE(outcome.has_value()) << message(outcome.error());
  return std::forward<Outcome>(outcome).value();
}

/// Multiplies with bound handles, one for each stream.
template <class Handle, class StreamLike>
auto bound(const std::vector<StreamLike>& streams) {
  std::vector<StreamBound<Handle>> handles;
  for (const StreamLike& stream : streams) {
    handles.push_back(value_of(StreamBound<Handle>::create(stream)));
  }
  return [handles = std::move(handles)](std::size_t lane, auto& x, auto& before, auto& y) mutable {
    const int n = order;
    return handles[lane % handles.size()].template call<cublasSgemm>(
        CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, host_scalar(1.0F), x.view(), n, before.view(), n,
        host_scalar(0.0F), y.view(), n);
  };
}

/// The parameter is the number of iterations.
struct StreamsProgram : testing::TestWithParam<unsigned> {
  void SetUp() override { WARPSAFE_TEST_NEEDS_GPU(); }
  [[nodiscard]] static const std::vector<std::uint64_t>& serial_run() {
    static std::map<unsigned, std::vector<std::uint64_t>> runs;
    std::vector<std::uint64_t>& numbers = runs[GetParam()];
    if (numbers.empty()) {
      const auto streams = make_streams<cuda_backend>(1);
      numbers = value_of(run(streams, GetParam(), 0, bound<cublasHandle_t>(streams)));
    }
    return numbers;
  }
  const unsigned iterations = GetParam();
};
INSTANTIATE_TEST_SUITE_P(Full, StreamsProgram, testing::Values(10000U));
INSTANTIATE_TEST_SUITE_P(Short, StreamsProgram, testing::Values(200U));

TEST_P(StreamsProgram, FourStreamsGiveTheNumbersOfOne) {
  const auto streams = make_streams<cuda_backend>(lanes);
  for (const unsigned seed : {1U, 2U, 3U}) {
    const auto numbers = value_of(run(streams, iterations, seed, bound<cublasHandle_t>(streams)));
    EXPECT_EQ(wrong(numbers, serial_run()), 0U) << "seed " << seed;
  }
}

/// Keeps a stream busy for some 2 ms.
__global__ void hold_up() {
  for (const long long begun = clock64(); clock64() - begun < 4'000'000LL;) {
  }
}

/// cuBLAS by hand, and cublasSetStream forgotten: every call succeeds.
TEST_P(StreamsProgram, AHandleLeftOnTheDefaultStreamGivesWrongNumbers) {
  const auto streams = make_streams<cuda_backend>(lanes);
  cublasHandle_t handle{};
  ASSERT_EQ(cublasCreate(&handle), CUBLAS_STATUS_SUCCESS);
  const auto raw = [](const auto& from) { return from.view().pointer().get(); };
  unsigned calls = 0;
  const auto multiply = [&](std::size_t lane, auto& x, auto& before, auto& y) -> result<void> {
    const float one = 1.0F;
    const float zero = 0.0F;
    EXPECT_EQ(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, order, order, order, &one, raw(x),
                          order, raw(before), order, &zero, y.view().pointer().get(), order),
              CUBLAS_STATUS_SUCCESS);
    // Holds up the kernel that writes the next x, so that cuBLAS, which does not wait for it, is
    // certainly early.
    if (calls % 16 == 0) hold_up<<<1, 1, 0, streams[lane].native()>>>();
    // Without this wait, memory would be freed while cuBLAS still uses it: the program waits only
    // for its streams.
    if (++calls == iterations) {
      EXPECT_EQ(cudaStreamSynchronize(cudaStreamLegacy), cudaSuccess);
    }
    return success();
  };
  const auto numbers = value_of(run(streams, iterations, 1, multiply));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const std::size_t count = wrong(numbers, serial_run());
  EXPECT_EQ(cublasDestroy(handle), CUBLAS_STATUS_SUCCESS);
  std::cout << "handle on the default stream: " << count << " of " << iterations
            << " iterations are wrong, and every call succeeded\n";
  EXPECT_GT(count, 0U);
}

}  // namespace
}  // namespace warpsafe::streams_program
