// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Launches on a backend that the library does not know.

#include "fixture.hpp"
#include <warpsafe/args/trust.hpp>
#include <warpsafe/device_check.hpp>
#include <warpsafe/error/try.hpp>
#include <warpsafe/kernel/functor.hpp>
#include <warpsafe/kernel/needs.hpp>
#include <warpsafe/launch/check.hpp>
#include <warpsafe/launch/occupancy.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// At global scope: messages are compared with the kernels' plain names.
WARPSAFE_KERNEL void add_one(float* x, std::size_t n) {
  for (auto i : warpsafe::grid_stride(n)) x[i] += 1.0F;
}
WARPSAFE_KERNEL void takes_unsigned(unsigned, float*) {}
WARPSAFE_KERNEL void reaches_a_barrier() { warpsafe::sync_block(); }
WARPSAFE_KERNEL void sum_in_shared(float* out, unsigned n) {
  float* const part = warpsafe::dynamic_shared<float>();
  part[warpsafe::thread_in_block().x] = 1.0F;
  if (warpsafe::thread_in_block().x + 1 == n) {
    for (unsigned i = 0; i < n; ++i) *out += part[i];
  }
}
WARPSAFE_KERNEL void checks_a_bound(int n) { WARPSAFE_DEVICE_CHECK(n < 3, "n is small"); }

namespace serial_test::launch_test {
namespace {

using testing::HasSubstr;
using ws::block;
using ws::Errc;
using ws::grid;
using ws::kernel;

struct FourthLaunch : SerialTest {
  DeviceBuffer<float> x = DeviceBuffer<float>::from(stream, counting(1000)).value();

  /// The increase of the elements.
  [[nodiscard]] float raised() {
    const std::vector<float> now = x.to_host(stream).get().value();
    for (std::size_t i = 0; i < now.size(); ++i) {
      EXPECT_EQ(now[i] - static_cast<float>(i), now[0]) << i;
    }
    return now[0];
  }
};

TEST_F(FourthLaunch, TakesEveryConfiguration) {
  const auto covered = ws::SafeGrid<serial::backend>::cover(x.size(), block<128>);
  ASSERT_TRUE(launch(stream, covered, kernel<add_one>, x.view(), x.size()).has_value());
  ASSERT_TRUE(launch(stream, covered.value(), kernel<add_one>, x.view(), x.size()).has_value());
  const auto config = ws::configure(covered, ws::shared<float>(4));
  ASSERT_TRUE(launch(stream, config, kernel<add_one>, x.view(), x.size()).has_value());
  ASSERT_TRUE(launch(stream, config.value(), kernel<add_one>, x.view(), x.size()).has_value());
  const ws::LaunchConfig few{grid<2>, block<32>};
  ASSERT_TRUE(
      launch(stream, few, kernel<add_one, ws::grid_stride_kernel>, x.view(), x.size()).has_value());
  ASSERT_TRUE(ws::launch(stream.ref(), few, kernel<add_one>, x.view(), x.size()).has_value());
  EXPECT_EQ(raised(), 6.0F);
}

TEST_F(FourthLaunch, RunsAtEveryLevel) {
  const ws::LaunchConfig config{grid<4>, block<64>};
  using Level = ws::CheckLevel;
  ASSERT_TRUE(ws::launch<Level::off>(stream, config, kernel<add_one>, x.view(), x.size()));
  ASSERT_TRUE(ws::launch<Level::cheap>(stream, config, kernel<add_one>, x.view(), x.size()));
  ASSERT_TRUE(ws::launch<Level::full>(stream, config, kernel<add_one>, x.view(), x.size()));
  EXPECT_EQ(raised(), 3.0F);
}

TEST_F(FourthLaunch, RunsFunctors) {
  const auto add = [](float* values, std::size_t n) {
    for (auto i : ws::grid_stride(n)) values[i] += 2.0F;
  };
  const ws::LaunchConfig config{grid<4>, block<64>};
  ASSERT_TRUE(launch(stream, config, ws::functor(add), x.view(), x.size()).has_value());
  EXPECT_EQ(raised(), 2.0F);
}

TEST_F(FourthLaunch, GivesDynamicSharedMemory) {
  auto out = DeviceBuffer<float>::from(stream, std::vector<float>{0}).value();
  const ws::LaunchConfig config{grid<1>, block<100>, ws::shared<float>(100)};
  ASSERT_TRUE(
      launch(stream, config, kernel<sum_in_shared, ws::needs_shared<float>>, out.view(), 100U));
  EXPECT_EQ(out.to_host(stream).get().value().front(), 100.0F);
}

TEST_F(FourthLaunch, AnEmptyGridLaunchesNothing) {
  const std::uint64_t before = serial::Runtime::get().launches;
  const auto none = ws::SafeGrid<serial::backend>::cover_or_empty(0, block<256>);
  EXPECT_TRUE(launch(stream, none, kernel<add_one>, x.view(), x.size()).has_value());
  EXPECT_TRUE(stream.synchronize().has_value());
  EXPECT_EQ(serial::Runtime::get().launches, before);
}

// Wrong launches: the kernel, the caller's line, and this backend's limits.

TEST_F(FourthLaunch, ALaunchThatIsRefusedNamesKernelLimitAndLine) {
  const ws::LaunchConfig config{grid<1>, block<1024>};
  const auto refused = launch(stream, config, kernel<add_one>, x.view(), x.size());
  const std::string line = std::to_string(__LINE__ - 1);
  ASSERT_FALSE(refused.has_value());
  EXPECT_STREQ(refused.error().site.file, __FILE__);
  EXPECT_EQ(refused.error().stream, stream.native());
  const std::string text = error_text(refused);
  EXPECT_THAT(text, HasSubstr("Kernel 'add_one'"));
  EXPECT_THAT(text, HasSubstr("launch_test.cpp:" + line));
  if (checked) {
    EXPECT_EQ(refused.error().code, Errc::block_too_large);
    EXPECT_THAT(text, HasSubstr("1024"));
    EXPECT_THAT(text, HasSubstr("512"));
    if (asks_driver) {
      EXPECT_THAT(text, HasSubstr("'Serial'"));
    }
  } else {
    EXPECT_EQ(refused.error().code, Errc::launch_refused);
    EXPECT_THAT(text, HasSubstr("invalidLaunch"));
  }
}

TEST_F(FourthLaunch, AGridIsCoveredByThisBackendsRules) {
  constexpr std::uint64_t too_many = (std::uint64_t{1} << 20U) * 256 + 1;
  const auto refused = launch(stream, ws::SafeGrid<serial::backend>::cover(too_many, block<256>),
                              kernel<add_one, ws::index<std::uint64_t>>, x.view(), x.size());
  EXPECT_EQ(error_code(refused), checked ? Errc::grid_too_large : Errc::launch_refused);
  EXPECT_THAT(error_text(refused), HasSubstr("Kernel 'add_one'"));
}

TEST_F(FourthLaunch, AnErrorOfTheConfigurationComesOutWithTheKernel) {
  const auto grid = ws::SafeGrid<serial::backend>::cover(-1, block<256>);
  const auto refused = launch(stream, grid, kernel<add_one>, x.view(), x.size());
  EXPECT_EQ(error_code(refused), checked ? Errc::size_negative : Errc::launch_refused);
  EXPECT_THAT(error_text(refused), HasSubstr("Kernel 'add_one'"));
}

TEST_F(FourthLaunch, ChecksItsArguments) {
  if (!checked) GTEST_SKIP();
  const ws::LaunchConfig config{grid<1>, block<1>};
  EXPECT_EQ(error_code(launch(stream, config, kernel<takes_unsigned>, -1, nullptr)),
            Errc::argument_negative);
  if (!asks_driver) GTEST_SKIP();
  float on_the_host = 0;
  EXPECT_EQ(error_code(launch(stream, config, kernel<takes_unsigned>, 1U, ws::trust(&on_the_host))),
            Errc::argument_host_pointer);
  EXPECT_TRUE(
      launch(stream, config, kernel<takes_unsigned>, 1U, ws::trust(x.view().pointer().get()))
          .has_value());
}

TEST_F(FourthLaunch, ChecksItsStream) {
  if (!checked) GTEST_SKIP();
  const ws::LaunchConfig config{grid<1>, block<1>};
  Stream moved = std::move(other);
  // NOLINTNEXTLINE(bugprone-use-after-move): that is what is tested
  EXPECT_EQ(error_code(launch(other, config, kernel<add_one>, x.view(), x.size())),
            Errc::stream_null);
  if (!asks_driver) GTEST_SKIP();
  const Stream elsewhere = Stream::create(ws::DeviceId(1)).value();
  EXPECT_EQ(error_code(launch(elsewhere, config, kernel<add_one>, x.view(), x.size())),
            Errc::stream_wrong_device);
}

TEST_F(FourthLaunch, AFaultComesOutOfTheNextWait) {
  const ws::LaunchConfig config{grid<1>, block<2>};
  ASSERT_TRUE(launch(stream, config, kernel<reaches_a_barrier>).has_value());
  const auto waited = stream.synchronize();
  EXPECT_EQ(error_code(waited), Errc::execution_failed);
  EXPECT_FALSE(waited.error().recoverable());
  EXPECT_EQ(error_code(launch(stream, config, kernel<reaches_a_barrier>)), Errc::pending_error);
  serial::Runtime::get().lost[0] = 0;
}

TEST_F(FourthLaunch, AFailedDeviceCheckIsReported) {
  if (!asks_driver) GTEST_SKIP();
  const ws::LaunchConfig config{grid<1>, block<2>};
  ASSERT_TRUE(launch(stream, config, kernel<checks_a_bound>, 3).has_value());
  const auto waited = stream.synchronize();
  EXPECT_EQ(error_code(waited), Errc::device_check_failed);
  EXPECT_THAT(error_text(waited), HasSubstr("n is small (n < 3)"));
  EXPECT_TRUE(stream.synchronize().has_value());
}

// The rest of the launch room.

TEST_F(FourthLaunch, ChecksALaunchOfTheVendors) {
  struct Dims {
    unsigned x, y, z;
  };
  EXPECT_TRUE(ws::check<serial::backend>(kernel<add_one>, Dims{4, 1, 1}, 64, 0, stream.native())
                  .has_value());
  const auto refused = ws::check<serial::backend>(kernel<add_one>, 1, 1024, 0, stream.native());
  EXPECT_EQ(error_code(refused), checked ? Errc::block_too_large : Errc{});
}

TEST_F(FourthLaunch, KnowsTheOccupancy) {
  EXPECT_EQ(ws::kernel_limits(stream, kernel<add_one>).value().max_threads_per_block, 512U);
  const auto most = ws::max_resident_blocks(stream, kernel<add_one>, block<256>).value();
  EXPECT_EQ(most.count.magnitude, 4U);
  const auto strided = ws::SafeGrid<serial::backend>::grid_stride(x.size(), block<256>, most);
  ASSERT_TRUE(launch(stream, strided, kernel<add_one, ws::grid_stride_kernel>, x.view(), x.size())
                  .has_value());
  EXPECT_EQ(raised(), 1.0F);
}

}  // namespace
}  // namespace serial_test::launch_test
