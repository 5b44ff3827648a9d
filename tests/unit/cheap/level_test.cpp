// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Check level cheap: it compares numbers only, and does not query the driver.

#include "launch_fixture.hpp"

#include <cstdint>

WARPSAFE_KERNEL void nothing() {}
WARPSAFE_KERNEL void reads(const float*) {}

namespace warpsafe::core_test {
namespace {

static_assert(current_level == CheckLevel::cheap);

struct VendorDims {
  std::uint32_t x, y, z;
};
struct CheapBuild : LaunchTest {};

TEST_F(CheapBuild, FindsWhatTheDocumentedLimitsTell) {
  const LaunchConfig deep{grid<1>, BlockDim::from_vendor(VendorDims{1, 1, 65})};
  const LaunchError error = error_in(launch(stream, deep, kernel<nothing>));
  EXPECT_EQ(finding(error),
            (Finding{Errc::block_axis_too_large, Stage::validation, 65, 64, Axis::z}));
  EXPECT_EQ(error.device, 0);
  EXPECT_EQ(text(error.kernel), "nothing");
  EXPECT_EQ(error_in(SafeGrid<>::cover(-1, block<256>)).code, Errc::size_negative);
  EXPECT_EQ(host::calls_made(call_of<&host_backend::launch>), 0U);
}

TEST_F(CheapBuild, AsksTheDriverNothing) {
  float on_the_stack = 0;
  const auto before = host::calls_made(call_of<&host_backend::current_device>);
  ASSERT_TRUE(launch(stream, LaunchConfig{grid<1>, block<1>}, kernel<reads>, trust(&on_the_stack))
                  .has_value())
      << "whether it is device memory, only the driver knows";
  ASSERT_TRUE(stream.synchronize().has_value());
  for (const Call call : {call_of<&host_backend::limits_of>, call_of<&host_backend::attributes_of>,
                          call_of<&host_backend::pointer_kind>}) {
    EXPECT_EQ(host::calls_made(call), 0U) << "member " << call.name();
  }
  EXPECT_EQ(host::calls_made(call_of<&host_backend::current_device>), before);
}

TEST_F(CheapBuild, LeavesWhatOnlyADeviceKnowsToTheRuntime) {
  const LaunchConfig large{grid<1>, block<32>, shared(Bytes(100000))};
  const LaunchError error = error_in(launch(stream, large, kernel<nothing>));
  EXPECT_EQ(error.stage, Stage::launch);
  EXPECT_EQ(error.dynamic_shared, 100000U);
}

}  // namespace
}  // namespace warpsafe::core_test
