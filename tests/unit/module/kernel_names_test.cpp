// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// How a wrong name of a kernel finds the right one, and what a mangled name says of the parameters.

#include "core_test.hpp"
#include <warpsafe/module/detail/kernel_names.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace warpsafe::core_test {
namespace {

using detail::Demangled;
using detail::KernelNames;
using detail::MangledParameters;

/// A name that ends where the text ends; what follows it in memory would change the answer.
class Cut {
 public:
  Cut(std::string_view text, std::string_view behind)
      : text_(std::string(text) + std::string(behind)), size_(text.size()) {}
  [[nodiscard]] Name name() const noexcept { return {text_.data(), size_}; }

 private:
  std::string text_;
  std::size_t size_;
};
[[nodiscard]] Name name_of(std::string_view text) { return {text.data(), text.size()}; }

/// The distance by its definition.
std::size_t plain_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> all(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        all[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = all[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U);
      all[i][j] = std::min({replaced, all[i - 1][j] + 1, all[i][j - 1] + 1});
    }
  }
  return all[a.size()][b.size()];
}

TEST(EditDistance, IsTheNumberOfLettersToChange) {
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    std::string words[2];
    for (std::string& word : words) {
      word.resize(random() % 9);
      for (char& letter : word) letter = static_cast<char>('a' + random() % 3);
    }
    const Cut a(words[0], words[1]);
    const Cut b(words[1], words[0]);
    EXPECT_EQ(detail::edit_distance(a.name(), b.name()), plain_distance(words[0], words[1]))
        << words[0] << ' ' << words[1];
  }
}

TEST(EditDistance, IgnoresWhatFollowsThe255thLetter) {
  const std::string word(255, 'a');
  EXPECT_EQ(detail::edit_distance(name_of(word), name_of(word + "b")), 0U);
  EXPECT_EQ(detail::edit_distance(name_of(word + "bc"), name_of(word)), 0U);
  EXPECT_EQ(detail::edit_distance(name_of(word.substr(1) + "bcd"), name_of(word)), 1U);
  EXPECT_EQ(detail::edit_distance(name_of(word), name_of("")), 255U);
}

TEST(RepeatedParts, AreCountedInAMangledName) {
  const struct {
    const char* text;
    std::size_t parts;
  } names[] = {{"", 0},    {"S", 0},       {"S_", 1},  {"xS_", 1}, {"S0_", 1},     {"S9_", 1},
               {"SA_", 1}, {"SZ1_", 1},    {"Sa_", 0}, {"S/_", 0}, {"S:_", 0},     {"S@_", 0},
               {"S[_", 0}, {"S_S_S0_", 3}, {"SS_", 2}, {"S0", 0},  {"_ZS1AS_", 2}, {"S0S", 0}};
  for (const auto& [text, parts] : names) {
    EXPECT_EQ(detail::repeated_parts(Cut(text, "_S_").name()), parts) << text;
  }
}

TEST(Demangled, SplitsACppName) {
  const struct {
    const char* mangled;
    const char* whole;
    const char* base;
  } names[] = {
      {"_Z5scalePfi", "scale(float*, int)", "scale"},
      {"_Z5scaleIfEvPT_i", "void scale<float>(float*, int)", "scale"},
      {"_ZN3app5scaleEPfi", "app::scale(float*, int)", "scale"},
      {"_ZN3app5scaleIiEEvPT_", "void app::scale<int>(int*)", "scale"},
      {"_Z1kv", "k()", "k"},
      {"scale", "", ""},
      {"_", "", ""},
      {"", "", ""},
      {"Z1kv", "", ""},
  };
  for (const auto& [mangled, whole, base] : names) {
    const Cut cut(mangled, "i");
    const Demangled demangled(cut.name());
    EXPECT_EQ(text(demangled.whole()), whole) << mangled;
    EXPECT_EQ(text(demangled.base()), base) << mangled;
  }
}

TEST(Demangled, LeavesNamesAloneThatAreTooLongOrRepeatTooMuch) {
  const auto long_name = [](std::size_t size) {
    const std::string digits = std::to_string(size - 6);  // _Z, three digits, v
    return "_Z" + digits + std::string(size - 3 - digits.size(), 'k') + "v";
  };
  EXPECT_FALSE(Demangled(name_of(long_name(1023))).whole().empty());
  EXPECT_TRUE(Demangled(name_of(long_name(1024))).whole().empty());
  const auto repeating = [](int parts) {
    std::string name = "_Z1kPf";
    for (int i = 0; i < parts; ++i) name += "S_";
    return name;
  };
  EXPECT_FALSE(Demangled(name_of(repeating(36))).whole().empty());
  EXPECT_TRUE(Demangled(name_of(repeating(37))).whole().empty());
}

/// The parameters of a mangled name: "r" and "w" for pointers that are read and written, with the
/// element's number; "v" for a value. Ends where the rest is not known.
std::string parameters_before(std::string_view mangled, std::string_view behind) {
  const Cut cut(mangled, behind);
  MangledParameters all(cut.name());
  std::string told;
  ParameterInfo parameter;
  for (int i = 0; i < 64 && all.next(parameter); ++i) {
    told += parameter.is_pointer ? (parameter.writes ? 'w' : 'r') : 'v';
    told += std::to_string(static_cast<int>(parameter.element)) + ' ';
  }
  EXPECT_FALSE(all.next(parameter)) << mangled << ": the rest stays unknown";
  return told;
}
/// The same, whatever follows the name in memory.
std::string parameters(std::string_view mangled) {
  const std::string told = parameters_before(mangled, "");
  for (const char* const behind : {"i", "1Ai", "0", "9", "_", "S_", "0_", "E1ki", "Kf"}) {
    EXPECT_EQ(parameters_before(mangled, behind), told) << mangled << " before " << behind;
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
  EXPECT_EQ(parameters("_Z1k1APfS0_"), "v" + element(ElementType{}) + "w" + f + "w" + f);
  EXPECT_EQ(parameters("_Z1kPfS0_i"), "w" + f) << "there is no second type";
  EXPECT_EQ(parameters("_Z1kPfSi"), "w" + f);
  EXPECT_EQ(parameters("_Z1kPfS"), "w" + f);
  EXPECT_EQ(parameters("_Z1kPfS0"), "w" + f);
  EXPECT_EQ(parameters("_Z1kPfS9_i"), "w" + f);
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
  for (const char* const name : {"", "_", "_Z", "k", "Z1ki", "_Z1", "_Z9k", "_Z0i",
                                 "_Z99999999999999999999k", "_ZN3app", "_ZN3app1k"}) {
    EXPECT_EQ(parameters(name), "") << name;
  }
  EXPECT_EQ(parameters("_Z1kiDnii"), "v" + i);
  EXPECT_EQ(parameters("_Z1ki3Ai"), "v" + i) << "the class's name is cut";
  EXPECT_EQ(parameters("_Z1ki2AB"), "v" + i + "v" + element(ElementType{}));
  EXPECT_EQ(parameters("_Z1kiPP"), "v" + i);
  EXPECT_EQ(parameters("_Z1k"), "") << "the name ends here";
  EXPECT_EQ(parameters("_Z2k"), "") << "the name ends here";
}

std::string told(std::string_view wanted, const std::vector<std::string>& names) {
  KernelNames all(name_of(wanted));
  for (const std::string& name : names) all.add(name_of(name));
  char buffer[4096];
  detail::TextBuffer out(buffer, sizeof buffer);
  all.put(out);
  return {buffer, out.size()};
}

TEST(KernelNames, NamesTheClosestAndListsAll) {
  EXPECT_EQ(told("axpy", {}), "it holds no kernels");
  EXPECT_EQ(told("axpy", {"scale"}), "it holds: scale");
  EXPECT_EQ(told("axpi", {"scale", "axpy"}), "did you mean 'axpy'? It holds: scale, axpy");
  EXPECT_EQ(told("axpi", {"axpy", "axpo"}), "did you mean 'axpy'? It holds: axpy, axpo")
      << "the first of two that are equally close";
  EXPECT_EQ(told("axpy", {"_Z4axpyPfi", "_Z5scalePfi"}),
            "did you mean '_Z4axpyPfi' (axpy(float*, int))? It holds: _Z4axpyPfi, _Z5scalePfi");
  EXPECT_EQ(told("_Z4axpyPf", {"_Z4axpyPfi"}),
            "did you mean '_Z4axpyPfi' (axpy(float*, int))? It holds: _Z4axpyPfi");
}

TEST(KernelNames, ANameMayDifferInTwoLettersOfFive) {
  EXPECT_THAT(told("abcde", {"abcxy"}), ::testing::StartsWith("did you mean"));
  EXPECT_EQ(told("abcde", {"abxyz"}), "it holds: abxyz");
  EXPECT_EQ(told("abcd", {"abxy"}), "it holds: abxy");
  EXPECT_THAT(told("abcd", {"abcx"}), ::testing::StartsWith("did you mean"));
}

TEST(KernelNames, AListThatIsTooLongIsCutBetweenNames) {
  const std::string long_name(511, 'a');
  EXPECT_EQ(told("x", {long_name, long_name}), "it holds: " + long_name + ", and 1 more");
  const std::string first(600, 'a');
  const std::string fits(1024 - 600 - 3, 'b');  // with ", " and the end of the text
  EXPECT_EQ(told("x", {first, fits.substr(2)}), "it holds: " + first + ", " + fits.substr(2));
  EXPECT_EQ(told("x", {first, fits + "bb"}), "it holds: " + first + ", and 1 more");
  EXPECT_EQ(told("x", {first, fits + "bb", "c"}), "it holds: " + first + ", c, and 1 more");
}

}  // namespace
}  // namespace warpsafe::core_test
