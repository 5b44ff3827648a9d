// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A recorder in a program that does not include <warpsafe/debug.hpp>.

#include <warpsafe/debug/run/run_recorder.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gtest/gtest.h>

WARPSAFE_KERNEL void recorded() {}

namespace warpsafe::core_test {
namespace {

TEST(RecorderAlone, RecordsLaunches) {
  const Stream stream = Stream::create().value();
  debug::RunRecorder recorder;
  recorder.start();
  ASSERT_TRUE(launch(stream, LaunchConfig{grid<1>, block<1>}, kernel<recorded>).has_value());
  ASSERT_TRUE(stream.synchronize().has_value());
  recorder.stop();
  const debug::RunRecord run = recorder.run();
  ASSERT_EQ(run.launches.size(), 1U);
  EXPECT_EQ(run.launches[0].record.kernel, Name::of("recorded"));
  EXPECT_EQ(run.waits.size(), 1U);
}

}  // namespace
}  // namespace warpsafe::core_test
