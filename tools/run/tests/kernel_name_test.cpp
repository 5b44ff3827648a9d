// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "core/kernel/kernel_name.hpp"

#include "core/kernel/parameter_types.hpp"

#include <cxxabi.h>
#include <gtest/gtest.h>

#include <cstdlib>
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

// Each level of the template doubles the name: the last would have half a gigabyte.
TEST(KernelName, OfAGigabyteIsShownAsItIs) {
  constexpr char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string name = "_Z1k1AIccE";
  for (std::size_t i = 0; i < 26; ++i) {
    const std::string last = std::string("S") + digits[i] + '_';
    name += "S_I" + last + last + 'E';
  }
  EXPECT_EQ(kernel_name(name.c_str()), warpsafe::watch::without_excess(name));
  EXPECT_TRUE(warpsafe::watch::parameter_types(name.c_str()).empty());
}

// The same with a local name, which is not measured.
TEST(KernelName, OfAGigabyteWithALambdaIsShownAsItIs) {
  std::string name = "_Z1kIZ4mainEUlvE_1AIccE";
  for (int i = 0; i < 26; ++i) name += "S_IS1_S1_E";
  EXPECT_EQ(kernel_name((name + "EvT_").c_str()), warpsafe::watch::without_excess(name + "EvT_"));
}

// As CUTLASS has them: 70 repeated parts, and few letters in each.
TEST(KernelName, WithManySmallRepeatedPartsIsDemangled) {
  std::string name = "_ZN7cutlass6KernelIN4cute5tupleIJ";
  for (int i = 0; i < 35; ++i) name += "NS1_1CILi" + std::to_string(i % 3) + "EEE";
  for (int i = 0; i < 35; ++i) name += "NS1_6LayoutE";
  name += "EEEEEvT_";
  EXPECT_EQ(kernel_name(name.c_str()).substr(0, 44),
            "cutlass::Kernel<cute::tuple<cute::C<0>, cute");
}

TEST(KernelName, OfATemplatesTemplateIsMeasured) {
  using warpsafe::watch::MangledSize;
  for (const char* name :
       {"_Z5scaleIfEvPfi", "_ZN12_GLOBAL__N_15scaleIiEEvPT_", "_ZN1a1kINS_1bIfEES2_S2_EEvT_T0_T1_",
        "_ZNSt6vectorIiSaIiEE9push_backERKi", "_Z1kISt4pairIiS0_IiiEEEvT_", "_Z1kIJifdEEvDpT_",
        "_Z1kPFviEA3_iM1AKFvvE"}) {
    int status = 0;
    char* const text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
    ASSERT_NE(text, nullptr) << name;
    const std::size_t length = std::string(text).size();
    std::free(text);
    EXPECT_GE(MangledSize::of(name).value_or(0), length) << name;
    EXPECT_LE(MangledSize::of(name).value_or(0), 20 * length) << name;
  }
  for (const char* name : {"k", "", "_Z1kIXsr1AIT_E1bEEvv", "_Z1kIZ4mainEUlvE_EvT_", "_Z9k",
                           "_ZN1a", "_Z1kS_", "_Z1kIiEvT_S9_"}) {
    EXPECT_FALSE(MangledSize::of(name).has_value()) << name;
  }
  EXPECT_FALSE(MangledSize::of("_Z1k" + std::string(100'000, 'P') + 'i').has_value());
}

// Names of libraries repeat some parts.
TEST(KernelName, WithAFewRepeatedPartsIsDemangled) {
  EXPECT_EQ(kernel_name("_ZN1a1kINS_1bIfEES2_S2_EEvT_T0_T1_"),
            "a::k<a::b<float>, a::b<float>, a::b<float> >");
}

TEST(KernelName, LongOnesAreCut) {
  const std::string name = kernel_name(std::string(1000, 'k').c_str());
  EXPECT_EQ(name.size(), warpsafe::watch::longest_name);
  EXPECT_EQ(name.substr(name.size() - 4), "k...");
}
TEST(KernelName, ShowsControlCharactersEscaped) {
  EXPECT_EQ(kernel_name("a\x1b[2J\nwarpsafe: forged\tb"), "a\\x1b[2J\\x0awarpsafe: forged\\x09b");
  EXPECT_EQ(kernel_name("\xc2\x9b"), "\\x9b");
  EXPECT_EQ(kernel_name("\xc3\xa4"), "\xc3\xa4");
}

TEST(KernelName, LimitsANameWithControlCharactersAndCutsNoEscape) {
  const std::string name = kernel_name(std::string(100, '\x1b').c_str());
  EXPECT_LE(name.size(), warpsafe::watch::longest_name);
  // 59 escapes of four letters, and no part of the 60th.
  EXPECT_EQ(name.size(), 59 * 4 + 3);
  EXPECT_EQ(name.substr(name.size() - 7), "\\x1b...");
}

TEST(KernelName, IsCutBetweenLetters) {
  std::string name(236, 'a');
  for (int i = 0; i < 10; ++i) name += "\xe2\x82\xac";
  EXPECT_EQ(kernel_name(name.c_str()), std::string(236, 'a') + "...");
}
