// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Blocks that wait for one that has failed end with it, as on a GPU.

#include "data_fixture.hpp"
#include "host_test_kernel.hpp"
#include <warpsafe/kernel_api.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <cstddef>
#include <string>
#include <vector>

namespace warpsafe::core_test {
namespace {

using testing::HasSubstr;

/// A barrier of the grid. The last thread of the last block reads outside of the span if `offset`
/// is not 0.
WARPSAFE_KERNEL void meet(unsigned* here, DeviceSpan<const int> x, DeviceSpan<int> y,
                          std::size_t offset, bool yields) {
  const std::size_t i = thread_index().x;
  const int mine = x[i + offset];
  sync_block();
  if (thread_in_block().x == 0) {
    __atomic_fetch_add(here, 1U, __ATOMIC_RELAXED);
    while (__atomic_load_n(here, __ATOMIC_RELAXED) < grid_size().x) {
      if (yields) sched_yield();
    }
  }
  sync_block();
  y[i] = mine;
}
WARPSAFE_KERNEL void wait_for(const unsigned* flag, unsigned* begun) {
  __atomic_store_n(begun, 1U, __ATOMIC_RELAXED);
  while (__atomic_load_n(flag, __ATOMIC_RELAXED) == 0) {
  }
}
WARPSAFE_KERNEL void set_flag(DeviceSpan<const int> x, std::size_t i, unsigned* flag,
                              const unsigned* begun) {
  while (__atomic_load_n(begun, __ATOMIC_RELAXED) == 0) {
  }
  __atomic_store_n(flag, static_cast<unsigned>(x[i]), __ATOMIC_RELAXED);
}

struct HostWaitingBlock : DataTest {
  void SetUp() override {
    if (host_test::under_sanitizer) GTEST_SKIP() << "a sanitizer has its own handler of signals";
#if !defined(DLFO_STRUCT_HAS_EH_DBASE)
    GTEST_SKIP() << "the C library cannot tell whose code runs";
#endif
    DataTest::SetUp();
  }
};

TEST_F(HostWaitingBlock, EndsWithAnotherBlockOfItsGrid) {
  const LaunchConfig four{grid<4>, block<32>, cooperative};
  for (const bool yields : {false, true}) {
    for (const bool fails : {false, true, false}) {
      auto x = filled(counting(128));
      auto y = filled(counting(128));
      auto here = filled(std::vector<unsigned>{0});
      const auto waited = [&]() -> result<void> {
        WARPSAFE_TRYV(launch(stream, four, kernel<meet>, here.view(), x.view(), y.view(),
                             std::size_t{fails ? 1U : 0U}, yields));
        return stream.synchronize();
      }();
      ASSERT_EQ(waited.has_value(), !fails);
      if (!fails) continue;
      EXPECT_THAT(text(error_in(waited).raw_text),
                  HasSubstr("used element 128 of 128, in block (3,0,0), thread (31,0,0)"));
      host::reset();
    }
  }
}

TEST_F(HostWaitingBlock, EndsWithAKernelOfAnotherStreamOfItsDevice) {
  const LaunchConfig one{grid<1>, block<1>};
  const auto other = Stream::create().value();
  for (const bool fails : {false, true}) {
    auto x = filled(counting(128));
    auto flag = filled(std::vector<unsigned>{0});
    auto begun = filled(std::vector<unsigned>{0});
    ASSERT_TRUE(stream.synchronize().has_value());
    ASSERT_TRUE(launch(other, one, kernel<wait_for>, flag.view(), begun.view()).has_value());
    ASSERT_TRUE(launch(stream, one, kernel<set_flag>, x.view(), std::size_t{fails ? 128U : 127U},
                       flag.view(), begun.view())
                    .has_value());
    const auto waited = other.synchronize();
    ASSERT_EQ(waited.has_value(), !fails);
    if (fails) {
      EXPECT_EQ(error_in(waited).code, Errc::execution_failed);
      EXPECT_THAT(text(error_in(waited).raw_text), HasSubstr("used element 128 of 128"));
    }
  }
  host::reset();
}

}  // namespace
}  // namespace warpsafe::core_test
