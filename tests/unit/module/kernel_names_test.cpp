// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// How a wrong name of a kernel finds the right one.

#include "beside_a_name.hpp"
#include "core_test.hpp"
#include <warpsafe/module/detail/kernel_names.hpp>

#include <gmock/gmock.h>
#include <malloc.h>

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
  const Fenced fences[4];
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    std::string words[2];
    for (std::string& word : words) {
      word.resize(random() % 9);
      for (char& letter : word) letter = static_cast<char>('a' + random() % 3);
    }
    const Cut a(words[0], words[1]);
    const Cut b(words[1], words[0]);
    const std::size_t right = plain_distance(words[0], words[1]);
    EXPECT_EQ(detail::edit_distance(a.name(), b.name()), right) << words[0] << ' ' << words[1];
    EXPECT_EQ(detail::edit_distance(fences[0].at_end(words[0]), fences[1].at_end(words[1])), right);
    EXPECT_EQ(detail::edit_distance(fences[2].at_begin(words[0]), fences[3].at_begin(words[1])),
              right);
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
  const Fenced fence;
  for (const auto& [text, parts] : names) {
    EXPECT_EQ(detail::repeated_parts(Cut(text, "_S_").name()), parts) << text;
    EXPECT_EQ(detail::repeated_parts(fence.at_end(text)), parts) << text;
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
      {"_ZN12_GLOBAL__N_15scaleEPfi", "(anonymous namespace)::scale(float*, int)", "scale"},
      {"_ZN12_GLOBAL__N_15scaleIfEEvPT_", "void (anonymous namespace)::scale<float>(float*)",
       "scale"},
      {"_ZN3app12_GLOBAL__N_15scaleEPfi", "app::(anonymous namespace)::scale(float*, int)",
       "scale"},
      {"_ZN12_GLOBAL__N_16number", "", ""},
      {"_Z1kv", "k()", "k"},
      {"_Z4scal", "scal", "scal"},
      {"scale", "", ""},
      {"f", "", ""},  // which __cxa_demangle takes for the type float
      {"Pi", "", ""},
      {"_", "", ""},
      {"", "", ""},
      {"Z1kv", "", ""},
  };
  const Fenced fence;
  for (const auto& [mangled, whole, base] : names) {
    const Cut cut(mangled, "i");
    for (const Name name : {cut.name(), fence.at_end(mangled)}) {
      const Demangled demangled(name);
      EXPECT_EQ(text(demangled.whole()), whole) << mangled;
      EXPECT_EQ(text(demangled.base()), base) << mangled;
    }
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

TEST(Demangled, ItsTextEndsWithIt) {
  const std::size_t before = ::mallinfo2().uordblks;
  for (int n = 0; n < 1000; ++n) {
    EXPECT_FALSE(Demangled(name_of("_Z5scalePfi")).whole().empty());
  }
  EXPECT_LT(::mallinfo2().uordblks, before + 500 * sizeof "scale(float*, int)");
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

TEST(KernelNames, NamesAKernelOfAnAnonymousNamespace) {
  EXPECT_EQ(told("scael", {"_ZN12_GLOBAL__N_15scaleEPfi"}),
            "did you mean '_ZN12_GLOBAL__N_15scaleEPfi' ((anonymous namespace)::scale(float*, "
            "int))? It holds: _ZN12_GLOBAL__N_15scaleEPfi");
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
  EXPECT_EQ(told("x", {first, fits}), "it holds: " + first + ", " + fits);
  EXPECT_EQ(told("x", {first, fits + "b"}), "it holds: " + first + ", and 1 more");
  EXPECT_EQ(told("x", {first, fits + "bb"}), "it holds: " + first + ", and 1 more");
  EXPECT_EQ(told("x", {first, fits + "bb", "c"}), "it holds: " + first + ", c, and 1 more");
}

}  // namespace
}  // namespace warpsafe::core_test
