// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// As the page shows it.
// clang-format off
#include "pages.hpp"

#include <warpsafe/race.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gtest/gtest.h>

namespace ws = warpsafe;

static ws::result<void> pipeline(const int elements) {
  WARPSAFE_TRY(const auto stream, ws::Stream::create());
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<float>::create(stream, elements));
  return x.zero(stream);
}

TEST(Pipeline, HasNoRace) {
  const auto report = warpsafe::adversarial::run(1000, [] { return pipeline(10); });
  EXPECT_TRUE(report.clean()) << report;
}

bool race_detector() {
  int count = 1;
  char name[] = "race_detector";
  char* arguments[] = {name, nullptr};
  testing::InitGoogleTest(&count, arguments);
  return RUN_ALL_TESTS() == 0;
}
