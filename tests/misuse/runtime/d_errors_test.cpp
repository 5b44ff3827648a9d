// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Group D, errors.
#include "misuse.hpp"
#include <warpsafe/stream/event.hpp>

#include <type_traits>

namespace misuse_test {
namespace {

using ws::block;
using ws::grid;
using ws::kernel;
using ws::launch;

using MisuseD02 = Misuse;
using MisuseD03 = Misuse;
using MisuseD04 = Misuse;
using MisuseD06 = Misuse;
using MisuseD07 = Misuse;
using MisuseD09 = Misuse;
using MisuseD12 = Misuse;
using MisuseD14 = Misuse;

constexpr LaunchConfig good{grid<1>, block<32>};

TEST_F(MisuseD02, EarlierErrorIsNotBlamedOnTheLaunch) {
  plant_error();
  expect_fine(launch(stream, good, kernel<nothing>));
  const ws::LaunchError error =
      error_in(launch(stream, as_written(one_block, {2048}), kernel<nothing>));
  EXPECT_EQ(error.code, checked ? Errc::block_too_large : Errc::launch_refused);
  note_impossible("a launch reports the status of its own call; it does not read the last error");
}

TEST_F(MisuseD03, ErrorOfSomebodyElseStays) {
  plant_error();
  expect_fine(launch(stream, good, kernel<nothing>));
  EXPECT_TRUE(planted_error_is_there());
  expect_fine(stream.synchronize());
  EXPECT_TRUE(planted_error_is_there());
  if (checked) {
    EXPECT_FALSE(launch(stream, as_written(one_block, {2048}), kernel<nothing>).has_value());
    EXPECT_TRUE(planted_error_is_there());
  }
  note_impossible("no function of the library clears the runtime's last error");
}

TEST_F(MisuseD04, ErrorDoesNotDependOnWhatTheRuntimeKeeps) {
  refuse_next_launch();
  const auto refused = launch(stream, good, kernel<nothing>);
  // AMD's runtime before release 7 has forgotten it after this.
  expect_fine(launch(stream, good, kernel<nothing>));
  const ws::LaunchError error = error_in(refused);
  EXPECT_EQ(error.stage, Stage::launch);
  EXPECT_THAT(message(error), testing::StartsWith("Kernel 'nothing' launch failed: " + prefix() +
                                                  "ErrorInvalidValue"));
  note_impossible("each call returns its own error, whatever the runtime keeps afterwards");
}

TEST_F(MisuseD06, FaultIsReportedByTheWaitAsTheDevices) {
  fault_in_next_kernel();
  expect_fine(launch(stream, good, kernel<nothing>));
  fault_after_launch();
  const ws::LaunchError error = error_in(stream.synchronize());
  EXPECT_EQ(error.code, Errc::execution_failed);
  EXPECT_EQ(error.stage, Stage::completion);
  EXPECT_THAT(message(error), testing::StartsWith("Device synchronization failed"));
  EXPECT_THAT(message(error),
              testing::AnyOf(testing::HasSubstr("an illegal memory access was encountered"),
                             testing::HasSubstr("hipErrorIllegalAddress")))
      << "HIP 5.2 has its name for a text";
  note("completion", message(error));
}

TEST_F(MisuseD07, LostContextSaysThatRetryingIsUseless) {
  fault_in_next_kernel();
  expect_fine(launch(stream, good, kernel<nothing>));
  fault_after_launch();
  const ws::LaunchError error = error_in(stream.synchronize());
  EXPECT_EQ(error.severity, ws::Severity::context_lost);
  EXPECT_FALSE(error.recoverable());
  const std::string all = message(error);
  const std::string advice =
      "the device's context is lost: every later call of this process fails; restart the process";
  EXPECT_THAT(all, testing::HasSubstr(advice));
  if (!is_hip) {  // AMD's runtime before release 7 forgets it; the real one ends the process
    const ws::LaunchError again = error_in(launch(stream, good, kernel<nothing>));
    EXPECT_FALSE(again.recoverable());
    EXPECT_THAT(message(again), testing::HasSubstr("the device's context is lost"));
  }
  note("completion", advice);
}

TEST_F(MisuseD09, NothingThrowsFromADestructor) {
  static_assert(std::is_nothrow_destructible_v<ws::Stream>);
  static_assert(std::is_nothrow_destructible_v<ws::Event>);
  static_assert(std::is_nothrow_destructible_v<ws::DeviceGuard>);
  const auto fail_destruction = [] {
#if defined(WARPSAFE_BACKEND_HOST)
    ws::host::fail_next(ws::host::call_of<&ws::host_backend::stream_destroy>, 1,
                        ws::host::HostStatus::invalid_value);
#else
    vendor_test::fail("StreamDestroy", 1, vendor_test::code::invalid_value);
#endif
  };
  {
    auto failing = ws::Stream::create();
    ASSERT_TRUE(failing.has_value());
    fail_destruction();
  }
  auto told = ws::Stream::create();
  ASSERT_TRUE(told.has_value());
  fail_destruction();
  const ws::LaunchError error = error_in(told.value().close());
  EXPECT_EQ(error.raw, 1);
  note_impossible("destructors return nothing and throw nothing; close() returns the status");
}

TEST_F(MisuseD12, EachLaunchAnswersForItself) {
  expect_fine(launch(stream, good, kernel<nothing>));
  refuse_next_launch();
  const auto second = launch(stream, good, kernel<another>);
  expect_fine(launch(stream, good, kernel<nothing>));
  const ws::LaunchError error = error_in(second);
  EXPECT_EQ(ws::core_test::text(error.kernel), "another");
  note("reported", message(error));
}

TEST_F(MisuseD14, RuntimesOwnRefusalHasKernelAndDimensions) {
  refuse_next_launch();
  const ws::LaunchError error =
      error_in(launch(stream, as_written({7, 1, 1}, {32, 2, 1}), kernel<takes_unsigned>, 1U));
  EXPECT_EQ(error.code, Errc::launch_refused);
  const std::string expected = "Kernel 'takes_unsigned' launch failed: " + prefix() +
                               "ErrorInvalidValue (grid=(7,1,1), block=(32,2,1))";
  EXPECT_THAT(message(error), testing::StartsWith(expected));
  note("reported", message(error));
}

}  // namespace
}  // namespace misuse_test
