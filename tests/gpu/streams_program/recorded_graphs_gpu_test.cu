// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Recordings of graphs that a device ran: their races, their correct twins without races, and a
// library's call inside a graph.

#include "../../race/recorded_graph_programs.hpp"
#include "../gpu.hpp"
#include <warpsafe/handles/cublas.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace warpsafe::recorded_graphs {
namespace {

using debug::RecordedHandle;
using OnDevice = Told<cuda_backend>;

WARPSAFE_KERNEL void put(float* x) { *x = 1; }
WARPSAFE_KERNEL void add(const float* from, float* to) { *to += *from; }

struct Kernels {
  static constexpr auto put = kernel<recorded_graphs::put>;
  static constexpr auto add = kernel<recorded_graphs::add>;
};

struct RecordedGraphsOnGpu : testing::Test {
  void SetUp() override { WARPSAFE_TEST_NEEDS_GPU(); }
};

TEST_F(RecordedGraphsOnGpu, EachMistakeAndNoOtherIsFound) {
  expect_each_mistake_and_no_other<cuda_backend, Kernels>();
}

/// y = 2 x by cuBLAS on one branch of a graph, and x + 1 on the other: 100 launches.
RaceReport library_in_a_graph(bool joined, float& y) {
  return record([&] {
    Parts<OnDevice, Kernels> parts;
    auto blas = must(StreamBound<RecordedHandle<cublasHandle_t>>::create(parts.side));
    must(parts.side.synchronize());
    auto graph = parts.graph_of([&] {
      parts.put_on(parts.stream);
      must(wait(parts.side, must(parts.stream.record())));
      must(blas.call<cublasSaxpy>(1, host_scalar(2.0F), parts.x.view(), 1, parts.y.view(), 1));
      const auto branch = must(parts.side.record());
      if (joined) must(wait(parts.stream, branch));
      parts.put_on(parts.stream);
      must(wait(parts.stream, branch));
    });
    for (int i = 0; i < 100; ++i) must(graph.launch(parts.stream));
    y = must(parts.y.to_host(parts.stream).get()).front();
    parts.end();
  });
}

TEST_F(RecordedGraphsOnGpu, ALibrarysCallInAGraphIsSeen) {
  float y = 0;
  const RaceReport joined = library_in_a_graph(true, y);
  EXPECT_TRUE(joined.clean()) << joined;
  EXPECT_EQ(y, 200.0F);
  EXPECT_GT(RaceRecorder::get().size(), 400U);
  const RaceReport race = library_in_a_graph(false, y);
  ASSERT_FALSE(race.clean());
  EXPECT_THAT(race.findings.front().text, testing::HasSubstr("kernel 'cublasSaxpy' in graph #"));
  EXPECT_THAT(race.findings.front().text, testing::HasSubstr("inside a graph"));
}

}  // namespace
}  // namespace warpsafe::recorded_graphs
