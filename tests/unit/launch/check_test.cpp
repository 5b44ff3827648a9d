// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The checks in front of `<<<>>>`, and a launch in its argument order.

#include "launch_driver.hpp"
#include <warpsafe/launch/check.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace warpsafe::core_test {
namespace {

WARPSAFE_KERNEL void written() {}
WARPSAFE_KERNEL void written_too() {}

class CheckTest : public ScriptedTest {
 protected:
  using Driver = LaunchDriver;
  CheckTest() {
    Driver::begin();
    detail::kernel_slots<Driver>(kernel<written>) = {};
    detail::kernel_slots<Driver>(kernel<written_too>) = {};
    Driver::streams_device = 2;
    script.device = 2;
  }
  static constexpr std::uint64_t wide = std::uint64_t{1} << 32U;
  template <CheckLevel Level = CheckLevel::full, class G, class Bk>
  static result<void> checked(const G& grid, const Bk& block, std::uint64_t bytes = 0) {
    return check<Driver, Level>(kernel<written>, grid, block, bytes,
                                Driver::handle<Driver::native_stream>(4), app);
  }
};

TEST_F(CheckTest, ANumberKeepsAllItsBitsUntilItIsChecked) {
  std::uint32_t axes[3] = {9, 9, 9};
  LaunchError error = LaunchError::make(Errc{}, Stage{});
  const auto raw = [&](auto size, Errc too_large = Errc::grid_too_large) {
    error = LaunchError::make(Errc{}, Stage{});
    return detail::raw_dims(size, axes, too_large, 77, error);
  };
  EXPECT_TRUE(raw(wide - 1));
  EXPECT_EQ(axes[0], 0xffffffffU);
  EXPECT_EQ(axes[1], 1U);
  EXPECT_EQ(axes[2], 1U);
  EXPECT_EQ(error.code, Errc{});
  EXPECT_FALSE(raw(wide));
  EXPECT_EQ(axes[0], 0U) << "which every runtime refuses";
  EXPECT_EQ(finding(error), (Finding{Errc::grid_too_large, Stage::validation, wide, 77, Axis::x}));
  EXPECT_EQ(error.subcode, Subcode::none);
  for (const Errc too_large : {Errc::grid_too_large, Errc::block_axis_too_large}) {
    EXPECT_FALSE(raw(-3, too_large));
    EXPECT_EQ(finding(error),
              (Finding{Errc::dimension_negative, Stage::validation, 3, 77, Axis::x}));
    EXPECT_EQ(error.subcode,
              too_large == Errc::grid_too_large ? Subcode::grid_axis : Subcode::block_axis);
  }
}

TEST_F(CheckTest, TellsWhichOfTheTwoNumbersIsWrong) {
  EXPECT_EQ(said(checked(wide, 32)),
            "Kernel 'written' not launched: grid.x 4294967296 invalid (limit: 1..2147483647); "
            "give each thread more items (items_per_thread<N>), or use grid_stride\n"
            "  at app.cpp:7");
  EXPECT_EQ(error_in(checked(wide, 32)).device, 2);
  EXPECT_EQ(finding(error_in(checked(1, wide))),
            (Finding{Errc::block_axis_too_large, Stage::validation, wide, 1024, Axis::x}));
  EXPECT_EQ(error_in(checked(1, -1)).subcode, Subcode::block_axis);
  EXPECT_EQ(error_in(checked(-1, 1)).subcode, Subcode::grid_axis);
  EXPECT_TRUE(checked(1, 32).has_value());
  EXPECT_TRUE(checked(VendorDims{1, 2}, VendorDims{8, 8}).has_value());
}

TEST_F(CheckTest, BothArgumentsAreNumbersOrDims) {
  const auto check_types = &detail::check_raw_dims<int, VendorDims>;
  EXPECT_TRUE(check_types());
}

TEST_F(CheckTest, WithoutAnOptInTheAttributeLimitsTheSharedMemory) {
  KernelLimits now;
  LaunchShape shape;
  LaunchError error = LaunchError::make(Errc{}, Stage{});
  const struct {
    std::uint64_t bytes, most;
    bool fine;
  } cases[] = {{0, 0, true},  {1, 0, true},  {90000, 0, true}, {0, 1, true},   {1, 1, true},
               {2, 1, false}, {9, 10, true}, {10, 10, true},   {11, 10, false}};
  const auto is_opted_in = &detail::shared_is_opted_in;
  for (const auto& one : cases) {
    shape.dynamic_shared = one.bytes;
    now.max_dynamic_shared = one.most;
    error = LaunchError::make(Errc{}, Stage{});
    EXPECT_EQ(is_opted_in(shape, now, error), one.fine) << one.bytes << " of " << one.most;
    EXPECT_EQ(finding(error), one.fine ? finding(LaunchError::make(Errc{}, Stage{}))
                                       : (Finding{Errc::shared_not_opted_in, Stage::validation,
                                                  one.bytes, one.most, Axis::none}));
  }
}

TEST_F(CheckTest, TheAttributeIsAskedOnlyAboveWhatEveryKernelMayHave) {
  Driver::kernel_limits.static_shared = 1000;
  const std::uint64_t every = Driver::device_limits.shared_per_block;
  EXPECT_TRUE(checked(1, 32, every - 1000).has_value());
  EXPECT_EQ(script.taken(), (Calls{"stream_device", "limits_of 2", "attributes_of"}));
  EXPECT_TRUE(checked(1, 32, every - 1000).has_value());
  EXPECT_EQ(script.taken(), Calls{"stream_device"}) << "remembered";
  Driver::kernel_limits.max_dynamic_shared = every;
  EXPECT_TRUE(checked(1, 32, every - 999).has_value());
  EXPECT_EQ(script.taken(), (Calls{"stream_device", "attributes_of"})) << "as it is now";
  EXPECT_EQ(finding(error_in(checked(1, 32, every + 1))),
            (Finding{Errc::shared_not_opted_in, Stage::validation, every + 1, every, Axis::none}));
  script.fails["attributes_of"] = 1;
  EXPECT_TRUE(checked(1, 32, every + 1).has_value()) << "the launch itself will tell";
}

TEST_F(CheckTest, LevelFullAlsoChecksTheDevicesOwnLimits) {
  EXPECT_EQ(finding(error_in(checked(1, 2048))),
            (Finding{Errc::block_too_large, Stage::validation, 2048, 1024, Axis::none}));
  Driver::kernel_limits.max_threads_per_block = 256;
  detail::kernel_slots<Driver>(kernel<written>) = {};
  EXPECT_EQ(finding(error_in(checked(1, 257))),
            (Finding{Errc::kernel_threads_exceeded, Stage::validation, 257, 256, Axis::none}));
  detail::kernel_slots<Driver>(kernel<written>) = {};
  script.fails = {{"attributes_of", 1}};
  const LaunchError error = error_in(checked(1, 32));
  EXPECT_EQ(error.raw, 1);
  EXPECT_EQ(error.device, 2);
}

TEST_F(CheckTest, WithoutChecksNothingIsAskedNorChecked) {
  script.fails = {{"current_device", 1}};
  EXPECT_TRUE(checked<CheckLevel::off>(1, 1025).has_value());
  EXPECT_EQ(script.taken(), Calls{});
}

TEST_F(CheckTest, WithoutACurrentDeviceNothingIsChecked) {
  script.fails = {{"current_device", 100}};
  const auto refused = checked(1, 2048);
  EXPECT_EQ(error_in(refused).raw, 100);
  EXPECT_EQ(said(refused),
            "current device failed: no device was found: no device (hostErrorNoDevice, 100)\n"
            "  at app.cpp:7");
  EXPECT_EQ(script.taken(), Calls{});
}

TEST_F(CheckTest, AStreamOfAnotherDeviceIsRefused) {
  Driver::streams_device = 1;
  EXPECT_EQ(finding(error_in(checked(1, 32))),
            (Finding{Errc::stream_wrong_device, Stage::validation, 2, 1, Axis::none}));
  EXPECT_EQ(script.taken(), (Calls{"stream_device", "limits_of 2"}));
  EXPECT_TRUE((check<Driver>(kernel<written>, 1, 32)).has_value()) << "the default stream has none";
  EXPECT_EQ(script.taken(), (Calls{"limits_of 2", "attributes_of"}));
}

}  // namespace
}  // namespace warpsafe::core_test
