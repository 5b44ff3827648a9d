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
