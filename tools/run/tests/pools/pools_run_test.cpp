// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Tests warpsafe-run on a program with a memory pool of its own, over stand-ins for the driver and
// CUPTI.

#include "../programs/dependent.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct PoolsRun : DependentProgram {
  [[nodiscard]] static std::string watched(const std::string& steps,
                                           const std::string& options = "--races",
                                           const std::string& run = WATCH_RUN " --cuda ") {
    return DependentProgram::watched(steps, options, run);
  }
};

/// A block is used on the second stream, and given back without a wait for that stream.
const std::string uses = "take:p512 plain:xp record wait_event,2 swaps:py,2 ";
const std::string again = "give_back:p take:q512 plain:xq";

TEST_F(PoolsRun, ABlockThatIsHandedOutTooEarly) {
  const std::string out = watched(uses + again);
  EXPECT_THAT(out, HasSubstr("  suspicion: nothing orders 'swaps' on stream 0x"));
  EXPECT_THAT(out, HasSubstr(" before 'plain' on stream 0x"));
  EXPECT_THAT(out,
              HasSubstr(": a pool has freed the memory of the first, and handed it out again"));
  EXPECT_THAT(out, HasSubstr("; the memory is 512 bytes for stream 0x"));
  EXPECT_THAT(out, HasSubstr(", allocated in app.py:take:p512, and then 512 bytes for stream 0x"));
  EXPECT_THAT(out, HasSubstr("; the first follows the allocation in app.py:take:p512; the second"));
}
TEST_F(PoolsRun, ABlockThatIsHandedOutInTime) {
  const std::string suspicion = "suspicion: nothing";
  EXPECT_THAT(watched(uses + "record,2 wait_event " + again), Not(HasSubstr(suspicion)));
  EXPECT_THAT(watched(uses + "give_back:p record,2 wait_event take:q512 plain:xq"),
              Not(HasSubstr(suspicion)));
  EXPECT_THAT(watched(uses + "give_back:p take:q1024 plain:xq"), Not(HasSubstr(suspicion)));
  EXPECT_THAT(watched(uses + "give_back:p sync,2 take:q512 plain:xq"), Not(HasSubstr(suspicion)));
}
TEST_F(PoolsRun, AFreeInTheOrderOfAStream) {
  EXPECT_THAT(watched(uses + "drop:p"),
              AllOf(HasSubstr("nothing orders 'swaps' on stream 0x"),
                    HasSubstr(" before a pool's free of 512 bytes on stream 0x"),
                    HasSubstr("; the second is submitted in ")));
  EXPECT_THAT(watched(uses + "record,2 wait_event drop:p"), Not(HasSubstr("suspicion: nothing")));
}
TEST_F(PoolsRun, ACaptureTakesNoBlocks) {
  EXPECT_THAT(watched(uses + "give_back:p begin_capture take:q512 end_capture plain:xq"),
              Not(HasSubstr("suspicion: nothing")));
}
TEST_F(PoolsRun, OnlyRacesFollowsPools) {
  EXPECT_THAT(watched(uses + again, ""), Not(HasSubstr("suspicion")));
  EXPECT_THAT(watched(uses + again, "--quiet --races"), Not(HasSubstr("suspicion")));
  EXPECT_EQ(watched(uses + again, "", ""), "");
}

}  // namespace
