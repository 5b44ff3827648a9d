// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "core/kernel/written_parameter.hpp"

#include <gtest/gtest.h>

using warpsafe::watch::no_parameter;
using warpsafe::watch::written_parameter;

TEST(WrittenParameter, IsTheOnlyPointerToWhatIsNotConst) {
  EXPECT_EQ(written_parameter("_ZN4demo4axpyEfPKfPfi"), 2U);  // float, const float*, float*, int
  EXPECT_EQ(written_parameter("_ZN4demo4fillEPfm"), 0U);
  EXPECT_EQ(written_parameter("_Z4fillP7double2i"), 0U);
}

TEST(WrittenParameter, OfATemplateAsItIsInstantiated) {
  EXPECT_EQ(written_parameter("_ZN4demo5scaleIfLi4EEEvPKT_PS1_i"), 1U);
}

TEST(WrittenParameter, IsNoneWhereThereAreSeveral) {
  EXPECT_EQ(written_parameter("_ZN4demo4swapEPfS0_"), no_parameter);
}

TEST(WrittenParameter, IsNoneWhereAnotherMayHideAPointer) {
  EXPECT_EQ(written_parameter("_Z3runPf6Params"), no_parameter);  // a structure by value
  EXPECT_EQ(written_parameter("_Z3runPfPS_"), no_parameter);      // float*, float**
  EXPECT_EQ(written_parameter("_Z4drawPfy"), no_parameter);       // a surface's handle
  EXPECT_EQ(written_parameter("_Z4callPfPFviE"), no_parameter);   // a function's address
}

TEST(WrittenParameter, MayDependOnAnIndexInMemory) {
  using warpsafe::watch::may_read_an_index;
  EXPECT_TRUE(may_read_an_index({"float*", "int const*"}));
  EXPECT_TRUE(may_read_an_index({"unsigned long const*", "float*"}));
  EXPECT_FALSE(may_read_an_index({"float*", "float const*", "double const*", "int"}));
  EXPECT_FALSE(may_read_an_index({"int*"}));
}

TEST(WrittenParameter, IsNoneWhereNothingIsKnown) {
  EXPECT_EQ(written_parameter("triton_poi_fused_0"), no_parameter);
  EXPECT_EQ(written_parameter("_Z7nothingv"), no_parameter);
  EXPECT_EQ(written_parameter("_Z4readPKfi"), no_parameter);
  EXPECT_EQ(written_parameter(nullptr), no_parameter);
}
