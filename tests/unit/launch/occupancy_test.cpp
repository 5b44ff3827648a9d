// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A grid that is capped by the blocks that are resident at once holds for one launch.
#include "launch_fixture.hpp"
#include <warpsafe/launch/occupancy.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <string>

namespace warpsafe::core_test {
namespace {

using ::testing::HasSubstr;

WARPSAFE_KERNEL void stride_over(std::size_t n) {
  for (auto i : grid_stride(n)) static_cast<void>(i);
}
WARPSAFE_KERNEL void stride_too(std::size_t n) {
  for (auto i : grid_stride(n)) static_cast<void>(i);
}
constexpr auto strides = kernel<stride_over, grid_stride_kernel>;
constexpr auto other = kernel<stride_too, grid_stride_kernel>;
constexpr std::size_t items = 100000;

// FNV-1a of 64 bits, with the values of its authors' test suite.
static_assert(detail::hash_of(Name::of("")) == 0xcbf29ce484222325U);
static_assert(detail::hash_of(Name::of("a")) == 0xaf63dc4c8601ec8cU);
static_assert(detail::hash_of(Name::of("foobar")) == 0x85944171f73967e8U);
TEST(OccupancyHash, TellsNamesApart) {
  const auto hash = [](const std::string& name) {
    return detail::hash_of(Name{name.data(), name.size()});
  };
  EXPECT_EQ(hash("foobar"), 0x85944171f73967e8U);
}

class Occupancy : public LaunchTest {
 protected:
  template <CheckLevel Level = CheckLevel::full, class K, class... Options>
  [[nodiscard]] result<void> run(K kernel, BlockDim block, max_blocks most,
                                 const Options&... options) const {
    return launch<Level>(stream, configure(SafeGrid<>::grid_stride(items, block, most), options...),
                         kernel, items);
  }
};

TEST_F(Occupancy, OfThisLaunchIsRight) {
  const auto block = BlockDim::create(64).value();
  const auto most = max_resident_blocks(stream, strides, block).value();
  EXPECT_TRUE(run(strides, block, most).has_value());
  EXPECT_TRUE(run(strides, block, most, cooperative).has_value());
  EXPECT_TRUE(
      launch(stream, SafeGrid<>::grid_stride(items, block, most), strides, items).has_value());
  const auto bytes = shared<float>(16);
  const auto with = max_resident_blocks(stream, strides, block, Bytes(64)).value();
  EXPECT_TRUE(run(strides, block, with, bytes).has_value());
  // A smaller block of another type is as good as one of this type.
  const auto typed = max_resident_blocks(stream, strides, warpsafe::block<64>).value();
  EXPECT_TRUE(run(strides, block, typed).has_value());
}

// A cap of 0 would only be found at the grid, which cannot say why.
TEST_F(Occupancy, OfZeroNamesTheResource) {
  const LaunchError memory =
      error_in(max_resident_blocks(stream, strides, warpsafe::block<64>, Bytes(400000)));
  EXPECT_EQ(memory.code, Errc::shared_too_large);
  EXPECT_THAT(message(memory), HasSubstr("stride_over' not launched: shared memory 400000 bytes "
                                         "exceeds limit"));
  KernelLimits limits;
  limits.known = true;
  limits.max_threads_per_block = 32;
  ASSERT_TRUE(host::set_kernel_limits(0, strides.entry().function, limits));
  const LaunchError threads = error_in(max_resident_blocks(stream, strides, warpsafe::block<64>));
  EXPECT_EQ(threads.code, Errc::kernel_threads_exceeded);
  EXPECT_EQ(threads.limit, 32U);
}

TEST_F(Occupancy, OfMoreThreadsThan32BitsCountNamesTheBlock) {
  const auto block = BlockDim::from_vendor(VendorDims{256, 16'777'217, 1});  // 2^32 + 256
  EXPECT_EQ(error_in(max_resident_blocks(stream, strides, block)).code, Errc::block_too_large);
}

TEST_F(Occupancy, OfOtherBytesIsRefused) {
  const auto block = BlockDim::create(64).value();
  const auto most = max_resident_blocks(stream, strides, block).value();
  const LaunchError error = error_in(run(strides, block, most, shared<float>(16)));
  EXPECT_EQ(error.code, Errc::occupancy_mismatch);
  EXPECT_EQ(error.value, 64U);
  EXPECT_EQ(error.limit, 0U);
  EXPECT_THAT(message(error), HasSubstr("capped by the resident blocks with 0 bytes of dynamic "
                                        "shared memory, and launched with 64"));
  EXPECT_EQ(error_in(run(strides, block, most, shared<float>(16), cooperative)).code,
            Errc::occupancy_mismatch);
  EXPECT_TRUE(run<CheckLevel::off>(strides, block, most, shared<float>(16)).has_value());
  const auto less = max_resident_blocks(stream, strides, block, Bytes(64)).value();
  EXPECT_EQ(error_in(run(strides, block, less)).code, Errc::occupancy_mismatch);
}

TEST_F(Occupancy, OfAnotherBlockOrKernelIsRefused) {
  const auto small = BlockDim::create(32).value();
  const auto large = BlockDim::create(64).value();
  const auto most = max_resident_blocks(stream, strides, small).value();
  const LaunchError error = error_in(run(strides, large, most));
  EXPECT_EQ(error.code, Errc::occupancy_mismatch);
  EXPECT_THAT(message(error), HasSubstr("capped by the resident blocks of 32 threads, and launched "
                                        "with 64"));
  EXPECT_THAT(message(error_in(run(other, small, most))),
              HasSubstr("capped by the resident blocks of another kernel"));
}

TEST_F(Occupancy, OfSeveralDifferencesTheFirstIsNamed) {
  const auto small = BlockDim::create(32).value();
  const auto large = BlockDim::create(64).value();
  const auto most = max_resident_blocks(stream, strides, small).value();
  EXPECT_EQ(error_in(run(other, large, most, shared<float>(16))).subcode, Subcode::none)
      << "the kernel";
  const LaunchError error = error_in(run(strides, large, most, shared<float>(16)));
  EXPECT_EQ(error.subcode, Subcode::cap_threads);
  EXPECT_EQ(error.value, 64U);
  EXPECT_EQ(error.limit, 32U);
}

TEST_F(Occupancy, OfAnotherDeviceIsRefused) {
  host::set_device_count(2);
  const auto block = BlockDim::create(64).value();
  const Stream there = Stream::create(DeviceId(1)).value();
  const auto most = max_resident_blocks(there, strides, block).value();
  EXPECT_THAT(message(error_in(run(strides, block, most))),
              HasSubstr("capped by the blocks resident on device 1, and launched on device 0"));
  const auto guard = DeviceGuard::create(DeviceId(1)).value();
  EXPECT_TRUE(
      launch(there, SafeGrid<>::grid_stride(items, block, most), strides, items).has_value());
}

TEST_F(Occupancy, ANumberOfOnesOwnFitsEveryLaunch) {
  const auto block = BlockDim::create(64).value();
  const auto most = max_resident_blocks(stream, strides, BlockDim::create(32).value()).value();
  EXPECT_TRUE(run(other, block, max_blocks(most.count.magnitude), shared<float>(4)).has_value());
  EXPECT_TRUE(run(other, block, max_blocks(2)).has_value());
}

TEST(KernelLimitsQuery, ThatFailsNamesTheKernelAndItsDevice) {
  host::reset();
  host::set_device_count(2);
  const Stream there = Stream::create(DeviceId(1)).value();
  host::fail_next(call_of<&host_backend::attributes_of>, 1, HostStatus::invalid_value);
  const LaunchError error = error_in(kernel_limits(there, strides, app));
  EXPECT_EQ(error.device, 1);
  EXPECT_EQ(text(error.kernel), "stride_over");
  EXPECT_EQ(text(error.operation), "kernel attributes");
  EXPECT_TRUE(is_app(error.site));
}

}  // namespace
}  // namespace warpsafe::core_test
