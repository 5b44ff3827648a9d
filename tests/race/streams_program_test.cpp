// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The program that a device runs with cuBLAS (tests/gpu/streams_program/streams_program_test.cu),
// on the modelled GPU with a made-up library: right on four streams, and wrong with the handle on
// another stream.

#include "../gpu/streams_program/streams_program.hpp"

#include "../handles/toy_library.hpp"
#include <warpsafe/race/adversarial.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::streams_program {
namespace {

using debug::RaceReport;
using testing::HasSubstr;

/// By columns, as BLAS has them.
WARPSAFE_KERNEL void product(int n, const float* a, const float* b, float* c) {
  for (int column = 0; column < n; ++column) {
    for (int row = 0; row < n; ++row) c[row + column * n] = 0;
    for (int k = 0; k < n; ++k) {
      for (int row = 0; row < n; ++row) {
        c[row + column * n] += a[row + k * n] * b[k + column * n];
      }
    }
  }
}
toy::toy_status toy_multiply(toy::toy_handle handle, int n, const float* a, const float* b,
                             float* c) {
  return toy::submit(handle->stream, kernel<product>, n, toy::memory(a), toy::memory(b),
                     toy::memory(c));
}

/// The program with a handle on each of `handle_streams`.
template <class Handle, class B>
result<std::vector<std::uint64_t>> run_toy(const std::vector<basic_stream<B>>& streams,
                                           const std::vector<basic_stream<B>>& handle_streams,
                                           unsigned iterations, unsigned seed) {
  std::vector<StreamBound<Handle>> handles;
  for (const auto& stream : handle_streams) {
    handles.push_back(StreamBound<Handle>::create(stream).value());
  }
  const auto multiply = [&](std::size_t lane, auto& x, auto& before, auto& y) {
    return handles[lane % handles.size()].template call<toy_multiply>(
        order, x.view(), std::as_const(before).view(), y.view());
  };
  return run(streams, iterations, seed, multiply);
}

TEST(StreamsProgram, FourStreamsGiveTheNumbersOfOne) {
  constexpr unsigned iterations = 42;
  const auto one = make_streams<host_backend>(1);
  const auto serial = run_toy<toy::toy_handle>(one, one, iterations, 0).value();
  EXPECT_NE(serial[4], serial[8]);
  const auto four = make_streams<host_backend>(lanes);
  const auto numbers = run_toy<toy::toy_handle>(four, four, iterations, 1).value();
  EXPECT_EQ(wrong(numbers, serial), 0U);
  auto changed = numbers;
  changed[7] ^= 1U;
  EXPECT_EQ(wrong(changed, serial), 1U);
}

TEST(StreamsProgram, TheModelsDetectorFindsNothingUnlessTheHandleIsElsewhere) {
  const RaceReport right = adversarial::run(20, [] {
    const auto streams = make_streams<host_backend>(lanes);
    return run_toy<toy::toy_handle>(streams, streams, 9, 1);
  });
  EXPECT_TRUE(right.clean()) << right;
  const RaceReport astray = adversarial::run(1, [] {
    const auto streams = make_streams<host_backend>(lanes);
    const auto other = make_streams<host_backend>(1);
    return run_toy<toy::toy_handle>(streams, other, 9, 1);
  });
  EXPECT_THAT(astray.text(), HasSubstr("Race: nothing orders these two"));
  EXPECT_THAT(astray.text(),
              HasSubstr("kernel 'product' on stream 1, at streams_program_test.cpp:"));
}

}  // namespace
}  // namespace warpsafe::streams_program
