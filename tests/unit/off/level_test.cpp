// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A release build: the effect of the level for code that does not name it.

#include "launch_fixture.hpp"
#include <warpsafe/debug/run/run_recorder.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <string>

WARPSAFE_KERNEL void nothing() {}
WARPSAFE_KERNEL void takes_unsigned(unsigned n, unsigned* out) { *out = n; }
/// Its address is not what `&` returns.
struct Reference {
  unsigned value;
  const void* operator&() const { return nullptr; }  // NOLINT(google-runtime-operator)
};
WARPSAFE_KERNEL void takes_reference(Reference n, unsigned* out) { *out = n.value; }

namespace warpsafe::core_test {
namespace {

static_assert(current_level == CheckLevel::off);

struct ReleaseBuild : LaunchTest {};

TEST_F(ReleaseBuild, AnIndexIsNotChecked) {
  int memory[5] = {1, 2, 3, 4, 5};
  const DeviceSpan<int> two(detail::DeviceAccess::pointer(memory), 2);
  EXPECT_EQ(two[4], 5);
  EXPECT_EQ(two.subspan(1, 2).pointer().get(), nullptr) << "a part is there or has no address";
}

TEST_F(ReleaseBuild, ALaunchIsOneCallOfTheDriver) {
  const auto config = configure(SafeGrid<>::cover(1000, block<256>));
  ASSERT_TRUE(launch(stream, config, kernel<nothing>).has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::launch>), 1U);
  for (const Call call :
       {call_of<&host_backend::limits_of>, call_of<&host_backend::attributes_of>,
        call_of<&host_backend::pointer_kind>, call_of<&host_backend::peek_last_error>,
        call_of<&host_backend::stream_device>, call_of<&host_backend::raise_dynamic_shared>}) {
    EXPECT_EQ(host::calls_made(call), 0U) << "member " << call.name();
  }
}

TEST_F(ReleaseBuild, AnArgumentIsReadAtItsAddress) {
  auto* const out = device_array<unsigned>(1);
  const LaunchConfig once{grid<1>, block<1>};
  ASSERT_TRUE(launch(stream, once, kernel<takes_reference>, Reference{42}, trust(out)).has_value());
  ASSERT_TRUE(stream.synchronize().has_value());
  EXPECT_EQ(*out, 42U);
}

TEST_F(ReleaseBuild, AnImpossibleSizeIsRefusedByTheRuntimeWithNameAndDimensions) {
  for (const std::int64_t size : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 62}) {
    const auto config = configure(SafeGrid<>::cover(size, block<256>));
    ASSERT_TRUE(config.has_value());
    const auto refused = launch(stream, config, kernel<nothing>);
    const std::string line = std::to_string(__LINE__ - 1);
    EXPECT_EQ(error_in(refused).code, Errc::launch_refused);
    EXPECT_EQ(said(refused),
              "Kernel 'nothing' launch failed: hostErrorInvalidConfiguration (grid=(0,1,1), "
              "block=(256,1,1))\n  at level_test.cpp:" +
                  line);
  }
}

TEST_F(ReleaseBuild, AnUntrustedSizeIsStillChecked) {
  const auto grid = SafeGrid<>::cover_untrusted(-1, block<256>, kernel<nothing>, NoOption{}, app);
  EXPECT_EQ(finding(error_in(grid)),
            (Finding{Errc::size_negative, Stage::construction, 1, 0, Axis::none}));
  EXPECT_EQ(said(launch(stream, configure(grid), kernel<nothing>)),
            "Kernel 'nothing' not launched: the size is -1; a size must be at least 0\n"
            "  at app.cpp:7");
  EXPECT_EQ(error_in(SafeGrid<>::cover_untrusted(0, block<256>)).code, Errc::size_zero);
}

TEST_F(ReleaseBuild, ABlockOfRunTimeNumbersIsStillChecked) {
  EXPECT_EQ(error_in(BlockDim::create(2048)).code, Errc::block_axis_too_large);
  EXPECT_EQ(error_in(GridDim::from_blocks(1, 70000)).code, Errc::grid_too_large);
}

TEST_F(ReleaseBuild, AnEmptyGridStillLaunchesNothing) {
  const auto empty = configure(SafeGrid<>::cover_or_empty(0, block<256>));
  EXPECT_TRUE(launch(stream, empty, kernel<nothing>).has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::launch>), 0U);
}

TEST_F(ReleaseBuild, ArgumentsStillArrive) {
  unsigned* const out = device_array<unsigned>(1);
  const LaunchConfig one{grid<1>, block<1>};
  ASSERT_TRUE(launch(stream, one, kernel<takes_unsigned>, 7, trust(out)).has_value());
  wait();
  EXPECT_EQ(*out, 7U);
}

TEST_F(ReleaseBuild, ACheckCanBeAskedForByItsLevel) {
  const LaunchConfig a_thousand{grid<1>, BlockDim::create(1024).value()};
  DeviceLimits small = limits::sm_90;
  small.max_threads_per_block = 512;
  ASSERT_TRUE(host::set_limits(0, small));
  EXPECT_EQ(error_in(launch<CheckLevel::full>(stream, a_thousand, kernel<nothing>)).code,
            Errc::block_too_large);
  EXPECT_EQ(error_in(launch(stream, a_thousand, kernel<nothing>)).code, Errc::launch_refused);
}

TEST_F(ReleaseBuild, ARecorderSaysThatItRecordsNothing) {
  testing::internal::CaptureStderr();
  debug::RunRecorder recorder;
  recorder.start();
  recorder.stop();
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::StartsWith(
                  "warpsafe: this RunRecorder records nothing: no file of the program is compiled "
                  "with all checks; build one without NDEBUG, or with WARPSAFE_CHECKS=1"));
}

}  // namespace
}  // namespace warpsafe::core_test
