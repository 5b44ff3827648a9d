// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// `check` above `<<<>>>`, and launches despite a failed check.
#include "../kernels.hpp"
#include "../stand_in.hpp"
#include <warpsafe/debug.hpp>
#include <warpsafe/launch/check.hpp>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace vendor_test {
namespace {

namespace ws = warpsafe;
using testing::HasSubstr;
using ws::Errc;

class Written : public VendorTest {
 protected:
  template <class Result>
  static void expect_refused(const Result& outcome, Errc code) {
    const ws::LaunchError error = error_in(outcome);
    EXPECT_EQ(error.code, code) << ws::message(error);
    EXPECT_THAT(place(error), HasSubstr("written_test.cpp:"));
    EXPECT_TRUE(launches().empty());
  }
};

TEST_F(Written, CheckTakesWhatStandsInTheLaunch) {
  const ws::Stream stream = make_stream();
  EXPECT_THAT(ws::check(ws::kernel<nothing>, 4, 64), Succeeds());
  EXPECT_THAT(ws::check(ws::kernel<nothing>, dim3(4, 5), dim3(64, 2), 1000), Succeeds());
  EXPECT_THAT(ws::check(ws::kernel<nothing>, 4U, dim3(64), 0, stream.native()), Succeeds());
  EXPECT_THAT(ws::check(ws::kernel<nothing>, std::int64_t{2147483647}, std::uint8_t{1}),
              Succeeds());
  EXPECT_TRUE(launches().empty()) << "it launches nothing";
}

TEST_F(Written, CheckKeepsAllBitsOfANumber) {
  const auto error = error_in(ws::check(ws::kernel<nothing>, (std::int64_t{1} << 32) + 1, 256));
  EXPECT_EQ(error.code, Errc::grid_too_large);
  EXPECT_EQ(error.value, 4294967297U);
  EXPECT_EQ(ws::message(error),
            "Kernel 'vendor_test::nothing' not launched: grid.x 4294967297 invalid (limit: "
            "1..2147483647); give each thread more items (items_per_thread<N>), or use "
            "grid_stride\n  at " +
                place(error));
  expect_refused(ws::check(ws::kernel<nothing>, -1, 256), Errc::dimension_negative);
  expect_refused(ws::check(ws::kernel<nothing>, 1, std::int64_t{1} << 40),
                 Errc::block_axis_too_large);
  expect_refused(ws::check(ws::kernel<nothing>, 1, -256L), Errc::dimension_negative);
}

TEST_F(Written, CheckFindsWhatTheRuntimeWouldRefuse) {
  expect_refused(ws::check(ws::kernel<nothing>, 0, 256), Errc::grid_zero);
  expect_refused(ws::check(ws::kernel<nothing>, 1, 0), Errc::block_zero);
  expect_refused(ws::check(ws::kernel<nothing>, dim3(1, 70000), 32), Errc::grid_too_large);
  expect_refused(ws::check(ws::kernel<nothing>, 1, 2048), Errc::block_too_large);
  expect_refused(ws::check(ws::kernel<bounded>, 1, 257), Errc::kernel_threads_exceeded);
  expect_refused(ws::check(ws::kernel<nothing>, 1, 32, shared_limit + 1), Errc::shared_too_large);
}

TEST_F(Written, CheckKnowsThatNobodyRaisedTheAttribute) {
  const auto checked = ws::check(ws::kernel<other_static>, 1, 32, 50000);
  if (is_cuda) {
    const auto error = error_in(checked);
    EXPECT_EQ(error.code, Errc::shared_not_opted_in);
    EXPECT_EQ(error.value, 50000U);
    EXPECT_EQ(error.limit, 49152U - 6000U);
    const ws::KernelEntry entry = ws::kernel<other_static>.entry();
    ASSERT_EQ(Backend::raise_dynamic_shared(entry, 50000), 0);
    EXPECT_THAT(ws::check(ws::kernel<other_static>, 1, 32, 50000), Succeeds());
  } else {  // AMD's runtime has no such limit
    EXPECT_THAT(checked, Succeeds());
  }
}

#if defined(WARPSAFE_BACKEND_CUDA)
TEST_F(Written, CheckFindsAStreamOfAnotherDevice) {
  const ws::Stream stream = make_stream(2);
  const auto error = error_in(ws::check(ws::kernel<nothing>, 1, 32, 0, stream.native()));
  EXPECT_EQ(error.code, Errc::stream_wrong_device);
  EXPECT_THAT(
      ws::message(error),
      HasSubstr("the stream belongs to device 2, but device 0 is current; make device 2 current"));
}
#endif

/// WARPSAFE_ON_ERROR is read once per process, so each of these tests has a separate process.
class OnError : public VendorTest {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    VendorTest::SetUp();
  }
  /// Ends the process with 0 if all was as it should be.
  template <class Work>
  [[noreturn]] static void in_child(const char* value, const Work& work) {
    setenv("WARPSAFE_ON_ERROR", value, 1);
    std::exit(work() ? 0 : 1);
  }
  /// Refused only because of the kernel's declaration: the runtime accepts it.
  static bool launches_33() {
    const ws::Stream stream = make_stream();
    const ws::LaunchConfig config{ws::grid<1>, ws::BlockDim::from_vendor(dim3(33))};
    const auto launched =
        ws::launch(stream, config, ws::kernel<nothing, ws::block_multiple_of<32>>);
    return launched.has_value() && launches().size() == 1;
  }
};

TEST_F(OnError, WarnLaunchesAllTheSame) {
  EXPECT_EXIT(in_child("warn", launches_33), testing::ExitedWithCode(0),
              "warpsafe: Kernel 'vendor_test::nothing' not launched: block=.33,1,1. is 33 threads, "
              "not a multiple of 32, which the kernel requires\n"
              "(.|\n)*WARPSAFE_ON_ERROR=warn: launched anyway");
}

TEST_F(OnError, WarnLeavesTheRuntimesRefusalAnError) {
  EXPECT_EXIT(
      in_child("warn",
               [] {
                 const ws::Stream stream = make_stream();
                 const ws::LaunchConfig config{ws::grid<1>, ws::BlockDim::from_vendor(dim3(512))};
                 const auto launched = ws::launch(stream, config, ws::kernel<bounded>);
                 return error_in(launched).stage == ws::Stage::launch && launches().size() == 1;
               }),
      testing::ExitedWithCode(0), "launched anyway");
}

TEST_F(OnError, WarnCountsForCheck) {
  EXPECT_EXIT(in_child("warn",
                       [] {
                         constexpr auto in_warps = ws::kernel<nothing, ws::block_multiple_of<32>>;
                         return ws::check(in_warps, 1, 33).has_value();
                       }),
              testing::ExitedWithCode(0), "not a multiple of 32");
}

TEST_F(OnError, AnotherWordChangesNothing) {
  EXPECT_EXIT(in_child("ignore", [] { return !launches_33() && launches().empty(); }),
              testing::ExitedWithCode(0), "WARPSAFE_ON_ERROR=ignore is not one of error, warn");
}

}  // namespace
}  // namespace vendor_test
