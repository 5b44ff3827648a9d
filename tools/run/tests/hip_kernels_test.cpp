// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "hip/hip_kernels.hpp"

#include <gtest/gtest.h>

TEST(HipKernels, AStubOfAnUnloadedLibraryMayBecomeAnotherKernel) {
  warpsafe::watch::HipKernels kernels;
  int stub = 0;
  EXPECT_FALSE(kernels.of_program(&stub, "_Z3onev"));
  EXPECT_FALSE(kernels.of_program(&stub, "_Z3onev"));
  EXPECT_TRUE(kernels.of_program(&stub, "_Z3twov"));
  EXPECT_EQ(kernels.name(&stub), "_Z3twov");
}
TEST(HipKernels, TheEndOfAModuleLeavesTheKernelsOfOthers) {
  warpsafe::watch::HipKernels kernels;
  int stub = 0;
  int first = 0;
  int second = 0;
  int modules[2] = {};
  kernels.of_program(&stub, "_Z3onev");
  kernels.of_module(&first, "first", &modules[0]);
  kernels.of_module(&second, "second", &modules[1]);
  kernels.forget_module(&modules[1]);
  EXPECT_EQ(kernels.name(&first), "first");
  EXPECT_TRUE(kernels.is_of_module(&first));
  EXPECT_EQ(kernels.name(&second), "");
  kernels.forget_modules();
  EXPECT_EQ(kernels.name(&first), "");
  EXPECT_EQ(kernels.name(&stub), "_Z3onev");
}
