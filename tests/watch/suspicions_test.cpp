// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "core/suspicion/copy_sizes.hpp"
#include "core/suspicion/legacy_use.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace warpsafe::watch;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

template <class One>
std::vector<std::string> reported(One& one) {
  std::vector<std::string> all;
  one.each([&](const std::string& text) { all.push_back(text); });
  return all;
}

TEST(LegacyUse, IsNothingAloneAndASuspicionBesideOtherStreams) {
  Kernel axpy;
  axpy.name = "axpy";
  LegacyUse use;
  use.launched(axpy, true);
  EXPECT_THAT(reported(use), IsEmpty());
  use.launched(axpy, false);
  use.launched(axpy, true);
  use.launched(axpy, true);
  EXPECT_THAT(reported(use),
              ElementsAre(HasSubstr("suspicion: 2 launches on the legacy default stream "
                                    "while other streams were in use, first 'axpy'")));
}

TEST(CopySizes, ElementsTakenForBytes) {
  CopySizes sizes;
  sizes.allocated(0x1000, 4096);
  sizes.copied(0x1000, 1024);
  sizes.freed(0x1000);
  EXPECT_THAT(reported(sizes),
              ElementsAre(HasSubstr("suspicion: 1 allocation of which only the first "
                                    "1/4 was ever copied (1024 of 4096 bytes)")));
}

TEST(CopySizes, EighthsOfWhatIsStillAllocated) {
  CopySizes sizes;
  sizes.allocated(0x1000, 4096);
  sizes.copied(0x1000, 512);
  EXPECT_THAT(reported(sizes), ElementsAre(HasSubstr("1/8 was ever copied")));
}

TEST(CopySizes, APoolIsNone) {
  CopySizes sizes;
  sizes.allocated(0x1000, 4096);
  sizes.copied(0x1000, 1024);
  sizes.copied(0x1400, 1024);  // a second part that is handed out
  sizes.allocated(0x3000, 4096);
  sizes.copied(0x3000, 1024);
  sizes.used(0x3800);
  sizes.allocated(0x5000, 4096, true);
  sizes.copied(0x5000, 1024);
  EXPECT_THAT(reported(sizes), IsEmpty());
  // Work at the beginning says nothing, and neither does work behind the end.
  CopySizes whole;
  whole.allocated(0x1000, 4096);
  whole.copied(0x1000, 1024);
  whole.used(0x1000);
  whole.used(0x2000);
  whole.copied(0x2000, 64);
  EXPECT_THAT(reported(whole), testing::SizeIs(1));
}

TEST(CopySizes, WhatIsCopiedWholeOnceIsNone) {
  CopySizes sizes;
  sizes.allocated(0x1000, 4096);
  sizes.copied(0x1000, 1024);
  sizes.copied(0x1000, 4096);
  sizes.allocated(0x3000, 256);
  sizes.copied(0x3000, 32);  // copies of a few bytes are usually intended
  sizes.copied(0x9000, 64);  // unknown memory
  EXPECT_THAT(reported(sizes), IsEmpty());
}

}  // namespace
