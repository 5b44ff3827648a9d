// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What the mangled name of a kernel says of its parameters.

#include "beside_a_name.hpp"
#include "core_test.hpp"
#include <warpsafe/module/detail/mangled_parameters.hpp>

#include <gtest/gtest.h>

#include <new>
#include <string>
#include <string_view>

namespace warpsafe::core_test {
namespace {

using detail::MangledParameters;

/// The parameters of a mangled name: "r" and "w" for pointers that are read and written, with the
/// element's number; "v" for a value. Ends where the rest is not known.
std::string parameters_of(Name mangled) {
  MangledParameters all(mangled);
  std::string told;
  ParameterInfo parameter;
  for (int i = 0; i < 64 && all.next(parameter); ++i) {
    told += parameter.is_pointer ? (parameter.writes ? 'w' : 'r') : 'v';
    told += std::to_string(static_cast<int>(parameter.element)) + ' ';
  }
  EXPECT_FALSE(all.next(parameter)) << text(mangled) << ": the rest stays unknown";
  return told;
}
/// The same, whatever follows the name in memory.
std::string parameters(std::string_view mangled) {
  const Fenced fence;
  const std::string told = parameters_of(fence.at_end(mangled));
  for (const char* const behind : {"i", "1Ai", "0", "9", "_", "S_", "0_", "E1ki", "Kf"}) {
    EXPECT_EQ(parameters_of(Cut(mangled, behind).name()), told) << mangled << " before " << behind;
  }
  return told;
}
std::string element(ElementType type) { return std::to_string(static_cast<int>(type)) + ' '; }

TEST(MangledParameters, AreNumbersPointersAndClasses) {
  const std::string f = element(ElementType::float32);
  const std::string i = element(ElementType::int32);
  const std::string none = element(ElementType{});
  EXPECT_EQ(parameters("_Z1kPfi"), "w" + f + "v" + i);
  EXPECT_EQ(parameters("_Z1kPKfi"), "r" + f + "v" + i);
  EXPECT_EQ(parameters("_ZL1kPf"), "w" + f) << "a static function";
  EXPECT_EQ(parameters("_ZN3app1kEPf"), "w" + f);
  EXPECT_EQ(parameters("_ZN3app4core1kEPfi"), "w" + f + "v" + i);
  EXPECT_EQ(parameters("_Z1k4Pairi"), "v" + none + "v" + i);
  EXPECT_EQ(parameters("_Z1kP4Pairi"), "w" + none + "v" + i);
  EXPECT_EQ(parameters("_Z10kkkkkkkkkki"), "v" + i);
  EXPECT_EQ(parameters("_Z1k9ABCDEFGHIi"), "v" + none + "v" + i);
  EXPECT_EQ(parameters("_Z1k10ABCDEFGHIJi"), "v" + none + "v" + i);
  EXPECT_EQ(parameters("_Z1k01Ai"), "v" + none + "v" + i);
  EXPECT_EQ(parameters("_Z1k/i"), "");
  EXPECT_EQ(parameters("_Z1k:i"), "");
  EXPECT_EQ(parameters("_Z1kKfi"), "") << "only what a pointer points to is const";
  EXPECT_EQ(parameters("_Z9kkkkkkkkki"), "v" + i);
  EXPECT_EQ(parameters("_ZN12_GLOBAL__N_11kEPfi"), "w" + f + "v" + i) << "an anonymous namespace";
  const struct {
    char letter;
    ElementType type;
  } numbers[] = {
      {'v', ElementType::bytes},  {'b', ElementType::boolean}, {'c', ElementType::int8},
      {'a', ElementType::int8},   {'h', ElementType::uint8},   {'s', ElementType::int16},
      {'t', ElementType::uint16}, {'i', ElementType::int32},   {'j', ElementType::uint32},
      {'l', ElementType::int64},  {'m', ElementType::uint64},  {'x', ElementType::int64},
      {'y', ElementType::uint64}, {'f', ElementType::float32}, {'d', ElementType::float64}};
  for (const auto& [letter, type] : numbers) {
    EXPECT_EQ(parameters(std::string("_Z1kP") + letter), "w" + element(type)) << letter;
  }
}

TEST(MangledParameters, ATypeThatANameHasHadIsMeantAgain) {
  const std::string f = element(ElementType::float32);
  const std::string d = element(ElementType::float64);
  EXPECT_EQ(parameters("_Z1kPfS_"), "w" + f + "w" + f);
  EXPECT_EQ(parameters("_Z1kPfPdS_S0_"), "w" + f + "w" + d + "w" + f + "w" + d);
  EXPECT_EQ(parameters("_Z1kPKfS0_"), "r" + f + "r" + f) << "S_ is the const type";
  EXPECT_EQ(parameters("_Z1kPKfS_"), "r" + f) << "a const type is no parameter here";
  EXPECT_EQ(parameters("_ZN3app1kEPfS0_"), "w" + f + "w" + f) << "S_ is the namespace";
  EXPECT_EQ(parameters("_ZN3app1kEPfS_"), "w" + f);
  EXPECT_EQ(parameters("_ZN3app4core1kEPfS1_"), "w" + f + "w" + f) << "S0_ is the inner namespace";
  EXPECT_EQ(parameters("_ZN3app4core1kEPfS0_"), "w" + f);
  EXPECT_EQ(parameters("_ZN1kEPfS_"), "w" + f + "w" + f) << "no namespace";
  EXPECT_EQ(parameters("_Z1k1APfS0_"), "v" + element(ElementType{}) + "w" + f + "w" + f);
  EXPECT_EQ(parameters("_Z1kPfS0_i"), "w" + f) << "there is no second type";
  EXPECT_EQ(parameters("_Z1kPfSi"), "w" + f);
  EXPECT_EQ(parameters("_Z1kPfS"), "w" + f);
  EXPECT_EQ(parameters("_Z1kPfS0"), "w" + f);
  EXPECT_EQ(parameters("_Z1kPfS9_i"), "w" + f);
  EXPECT_EQ(parameters("_Z1kPfS/_i"), "w" + f);
  EXPECT_EQ(parameters("_Z1kPfPdPfPdPfPdPfPdPfPdPdS9_"), "w" + f + "w" + d + "w" + f + "w" + d +
                                                             "w" + f + "w" + d + "w" + f + "w" + d +
                                                             "w" + f + "w" + d + "w" + d + "w" + d);
  EXPECT_EQ(parameters("_Z1k1A1BPfS_S1_"),
            "v" + element(ElementType{}) + "v" + element(ElementType{}) + "w" + f)
      << "S_ is a class";
  EXPECT_EQ(parameters("_Z1k1A1BPfS1_"),
            "v" + element(ElementType{}) + "v" + element(ElementType{}) + "w" + f + "w" + f);
}

TEST(MangledParameters, TheRestIsUnknownBehindAnythingElse) {
  const std::string i = element(ElementType::int32);
  for (const char* const name :
       {"", "_", "_Z", "k", "i", "_i", "Zi", "_Z18446744073709551617ki", "Z1ki", "_Z1", "_Z9k",
        "_Z0i", "_Z99999999999999999999k", "_ZN3app", "_ZN3app1k"}) {
    EXPECT_EQ(parameters(name), "") << name;
  }
  EXPECT_EQ(parameters("_Z1kiDnii"), "v" + i);
  EXPECT_EQ(parameters("_Z1ki3Ai"), "v" + i) << "the class's name is cut";
  EXPECT_EQ(parameters("_Z1ki2AB"), "v" + i + "v" + element(ElementType{}));
  EXPECT_EQ(parameters("_Z1ki51bcde"), "v" + i) << "there are no 51 letters";
  EXPECT_EQ(parameters("_Z1kiPP"), "v" + i);
  EXPECT_EQ(parameters("_Z1kiPPf"), "v" + i);
  EXPECT_EQ(parameters(std::string_view("_Z1ki\0i", 7)), "v" + i);
  // More types than have a number of one digit.
  std::string many;
  std::string told = "_Z1k";
  for (int n = 0; n < 40; ++n) {
    told += n < 38 ? "Pi" : n == 38 ? "S_" : "S9_";
    many += "w" + i;
  }
  EXPECT_EQ(parameters(told), many);
  // The object itself, before memory that may not be written.
  const Fenced fence;
  const Name place = fence.at_end(std::string(sizeof(MangledParameters), ' '));
  auto* const fenced = ::new (const_cast<char*>(place.data)) MangledParameters(name_of(told));
  ParameterInfo parameter;
  for (int n = 0; n < 40; ++n) EXPECT_TRUE(fenced->next(parameter)) << n;
  EXPECT_EQ(parameters("_Z1k"), "") << "the name ends here";
  EXPECT_EQ(parameters("_Z2k"), "") << "the name ends here";
}

}  // namespace
}  // namespace warpsafe::core_test
