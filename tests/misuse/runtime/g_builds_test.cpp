// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Group G, builds and the environment.
#include "misuse.hpp"
#include <warpsafe/debug.hpp>
#include <warpsafe/launch/occupancy.hpp>

#include <string>

namespace misuse_test {

warpsafe::result<void> launch_at_the_other_level(warpsafe::StreamRef stream);

namespace {

using ws::block;
using ws::grid;
using ws::kernel;
using ws::launch;

using MisuseD10 = Misuse;
using MisuseG01 = Misuse;
using MisuseG06 = Misuse;
using MisuseG07 = Misuse;
using MisuseG08 = Misuse;

TEST_F(MisuseG01, BlockingModeIsInEveryError) {
  const auto launched = [&] {
    return launch(stream, as_written(one_block, {2048}), kernel<nothing>);
  };
  const std::string note_of_it = "(a launch-blocking mode was on, which changes the timing)";
  EXPECT_THAT(message(error_in(launched())), testing::Not(testing::HasSubstr(note_of_it)));
  ws::debug::set_blocking(true);
  const ws::LaunchError error = error_in(launched());
  ws::debug::set_blocking(false);
  if (!checked) {
    EXPECT_FALSE(error.blocking_was_on) << "the switches are part of the checks";
    note("let through", "");
    return RecordProperty("open", "yes");
  }
  EXPECT_TRUE(error.blocking_was_on);
  EXPECT_THAT(message(error), testing::HasSubstr(note_of_it));
  note("launch", note_of_it);
}

TEST_F(MisuseD10, WhatIsLoggedIsReturnedToo) {
  std::string log;
  const ws::debug::LogSink sink{
      [](void* user, ws::debug::LogLevel, const char* text, std::size_t size) noexcept {
        static_cast<std::string*>(user)->append(text, size);
      },
      &log};
  ws::debug::set_log_sink(&sink);
  ws::debug::set_log_level(ws::debug::LogLevel::error);
  const auto launched = launch(stream, as_written(one_block, {2048}), kernel<nothing>);
  ws::debug::set_log_level(ws::debug::LogLevel::off);
  ws::debug::set_log_sink(nullptr);
  EXPECT_FALSE(launched.has_value());
  if (checked) {
    EXPECT_THAT(log, testing::HasSubstr("Kernel 'nothing' not launched: "));
  }
  note("avoidable", "an error that is logged is also returned: no error is only in the log");
}

#if !defined(WARPSAFE_BACKEND_HOST)
TEST_F(MisuseG06, LevelReachesTheDeviceCompiler) {
  EXPECT_EQ(level_of_device_code(), WARPSAFE_CHECKS);
  note_impossible("the CMake targets carry the level to every language's compiler");
}
#endif

TEST_F(MisuseG07, EachTranslationUnitKeepsItsLevel) {
  const auto here = launch(stream, as_written(one_block, {2048}), kernel<nothing>);
  const auto there = launch_at_the_other_level(stream);
  EXPECT_EQ(error_in(here).stage, checked ? Stage::validation : Stage::launch);
  EXPECT_EQ(error_in(there).stage, checked ? Stage::launch : Stage::validation);
  note_impossible("two levels in one program are two functions: each object keeps its own");
}

TEST_F(MisuseG08, KernelIsLoadedBeforeItsFirstLaunch) {
  const auto limits = ws::kernel_limits(stream, kernel<prepared>);
  ASSERT_TRUE(limits.has_value());
#if defined(WARPSAFE_BACKEND_HOST)
  const auto asked = [] {
    return ws::host::calls_made(ws::host::call_of<&ws::host_backend::attributes_of>);
  };
#else
  const auto asked = [] { return vendor_test::count("FuncGetAttributes"); };
#endif
  const auto before = asked();
  EXPECT_GT(before, 0U);
  expect_fine(launch(stream, LaunchConfig{grid<1>, block<32>}, kernel<prepared>));
  // The host backend is queried each time, because tests change its limits.
  if (!is_host) {
    EXPECT_EQ(asked(), before) << "the launch asks no more";
  }
  note("avoidable", "kernel_limits(stream, kernel<k>) loads a kernel's code ahead of its launch");
}

}  // namespace
}  // namespace misuse_test
