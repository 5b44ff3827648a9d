// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "core/options.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

using warpsafe::watch::Options;

TEST(Options, NothingAsked) {
  const Options options = Options::parse(nullptr);
  EXPECT_FALSE(options.quiet);
  EXPECT_FALSE(options.races);
  EXPECT_FALSE(options.stop_on_error);
  EXPECT_FALSE(options.share_cupti);
  EXPECT_FALSE(options.no_libraries);
  EXPECT_EQ(options.kernels, "");
  EXPECT_EQ(Options::parse("").unknown, "");
}

TEST(Options, EachLineIsOne) {
  const Options options = Options::parse(
      "quiet\nraces\nstop-on-error\nshare-cupti\nno-libraries\nkernel=axpy\nkernel=tile<float, 4>\njournal=/a=b c\ntimeline=/t\n"
      "cupti=/b/libcupti.so.13\ncupti=/a/libcupti.so.12\n");
  EXPECT_TRUE(options.quiet);
  EXPECT_TRUE(options.races);
  EXPECT_TRUE(options.stop_on_error);
  EXPECT_TRUE(options.share_cupti);
  EXPECT_TRUE(options.no_libraries);
  EXPECT_EQ(options.kernels, "axpy,tile<float, 4>");
  EXPECT_EQ(options.journal, "/a=b c");
  EXPECT_EQ(options.timeline, "/t");
  EXPECT_EQ(options.cupti, (std::vector<std::string>{"/b/libcupti.so.13", "/a/libcupti.so.12"}));
  EXPECT_EQ(options.unknown, "");
}

TEST(Options, TheFirstUnknownOneIsKept) {
  EXPECT_EQ(Options::parse("loud\nquiet\nwhat=1").unknown, "loud");
}
