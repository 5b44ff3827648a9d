// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../shell.hpp"

#include <gtest/gtest.h>

#include <string>

/// Tests that run dependent.cpp on the first cubin of dependent.cu, over stand-ins for the driver
/// and CUPTI.
struct DependentProgram : testing::Test {
  void SetUp() override {
    if (cubin().empty()) GTEST_SKIP() << "nvcc is not installed";
  }
  [[nodiscard]] static std::string cubin() {
    const std::string all = WATCH_CUBINS;
    return all.substr(0, all.find(':'));
  }
  /// Returns what a run with these steps prints. `run` is the beginning of the command.
  [[nodiscard]] static std::string watched(const std::string& steps, const std::string& options,
                                           const std::string& run = WATCH_RUN " --cuda ") {
    const Ran ran = shell("env LD_LIBRARY_PATH=" WATCH_STAND_IN " " + run + options +
                          " " WATCH_DEPENDENT " " + cubin() + " " + steps);
    EXPECT_EQ(ran.status, 0);
    return ran.out;
  }
};
