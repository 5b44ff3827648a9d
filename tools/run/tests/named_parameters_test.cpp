// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "core/kernel/named_parameters.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace {

using warpsafe::watch::KernelParameter;
using warpsafe::watch::named_parameters;
using warpsafe::watch::no_offset;

void expect(const char* mangled, const std::vector<KernelParameter>& wanted) {
  const std::vector<KernelParameter> found = named_parameters(mangled);
  ASSERT_EQ(found.size(), wanted.size()) << mangled;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].offset, wanted[i].offset) << mangled << ' ' << i;
    EXPECT_EQ(found[i].bytes, wanted[i].bytes) << mangled << ' ' << i;
  }
}

TEST(NamedParameters, LieAtMultiplesOfTheirSizes) {
  expect("_ZN4demo4axpyEfPKfPfi", {{0, 4}, {8, 8}, {16, 8}, {24, 4}});
  expect("_Z4bitsbsxdPPKf", {{0, 1}, {2, 2}, {8, 8}, {16, 8}, {24, 8}});
}

TEST(NamedParameters, BehindAStructureHaveNoOffset) {
  expect("_Z3runPf6ParamsPKfi", {{0, 8}, {no_offset, 0}, {no_offset, 8}, {no_offset, 4}});
}

TEST(NamedParameters, AreNoneWhereTheNameTellsNone) {
  expect("Cijk_Ailk_Bljk_SB_MT64x64x16", {});
  expect("_Z7nothingv", {});
  expect(nullptr, {});
}

}  // namespace
