// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "core/kernel/kernel_name.hpp"

#include <gtest/gtest.h>

#include <string>

using warpsafe::watch::kernel_name;

TEST(KernelName, WithoutParameters) {
  EXPECT_EQ(kernel_name("_ZN4demo4axpyEfPKfPfi"), "demo::axpy");
}

TEST(KernelName, OfATemplateWithoutItsReturnType) {
  EXPECT_EQ(kernel_name("_ZN4demo4tileIfEEvPT_"), "demo::tile<float>");
}

TEST(KernelName, KeepsAnonymousNamespaces) {
  // (anonymous namespace)::scale<int>(int*)
  EXPECT_EQ(kernel_name("_ZN12_GLOBAL__N_15scaleIiEEvPT_"), "(anonymous namespace)::scale<int>");
}

TEST(KernelName, OfC) {
  EXPECT_EQ(kernel_name("triton_poi_fused_0"), "triton_poi_fused_0");
  EXPECT_EQ(kernel_name(""), "(unnamed)");
  EXPECT_EQ(kernel_name(nullptr), "(unnamed)");
}

TEST(KernelName, OneThatEndsInASpaceIsKept) {
  // f g (long, vec)
  EXPECT_EQ(kernel_name("_Z4f g l3vec"), "f g ");
}

TEST(KernelName, LongOnesAreCut) {
  const std::string name = kernel_name(std::string(1000, 'k').c_str());
  EXPECT_EQ(name.size(), warpsafe::watch::longest_name);
  EXPECT_EQ(name.substr(name.size() - 4), "k...");
}
