// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Slips in the names of switches, and in the kernels' names that they hold.

#include "launch_fixture.hpp"
#include "log_fixture.hpp"
#include <warpsafe/debug/detail/environment_names.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>

WARPSAFE_KERNEL void scale_rows() {}

namespace warpsafe::core_test {
namespace {

constexpr const char* all_names =
    "it reads WARPSAFE_LOG, WARPSAFE_SYNC, WARPSAFE_BREAK, WARPSAFE_TRACE, WARPSAFE_REFERENCE, "
    "WARPSAFE_SHADOW, WARPSAFE_TIMEOUT, WARPSAFE_ON_ERROR, WARPSAFE_GUARD, WARPSAFE_HOST_STACK";

struct EnvironmentNames : ::testing::Test, LogSinkTest {
  /// What is said of an environment that has this variable, too.
  [[nodiscard]] std::string said(const std::string& name) {
    messages.clear();
    ::setenv(name.c_str(), "1", 1);
    debug::detail::log_unknown_variables();
    ::unsetenv(name.c_str());
    std::string found;
    for (const std::string& text : all_texts()) {
      if (text.find(' ' + name + ' ') != std::string::npos) found += text;
    }
    return found;
  }
};

TEST_F(EnvironmentNames, ASlipIsSaidWithTheNameThatWasMeant) {
  for (const auto& [name, meant] : {std::pair{"WARPSAFE_LOGS", "WARPSAFE_LOG"},
                                    std::pair{"WARPSAFE_SYNCHRONIZE", "WARPSAFE_SYNC"},
                                    std::pair{"WARPSAFE_TIME_OUT", "WARPSAFE_TIMEOUT"},
                                    std::pair{"WARPSAFE_TRCE", "WARPSAFE_TRACE"},
                                    std::pair{"WARPSAFE_ONERROR", "WARPSAFE_ON_ERROR"},
                                    std::pair{"WARPSAFE_SHADOWS", "WARPSAFE_SHADOW"},
                                    std::pair{"WARPSAFE_REFERENCES", "WARPSAFE_REFERENCE"},
                                    std::pair{"WARPSAFE_BRAEK", "WARPSAFE_BREAK"},
                                    std::pair{"WARPSAFE_STACK", "WARPSAFE_HOST_STACK"}}) {
    EXPECT_EQ(said(name),
              std::string("warpsafe: ") + name +
                  " is set, and the library reads no variable of that name; did you mean " + meant +
                  "? " + all_names);
  }
  // The last was a variable of warpsafe's own tests.
  for (const std::string name : {"WARPSAFE_XYZ", "WARPSAFE_TEST_SEEDS"}) {
    EXPECT_EQ(said(name), "warpsafe: " + name +
                              " is set, and the library reads no variable of that name; " +
                              all_names);
  }
}
TEST_F(EnvironmentNames, AMacroOfTheCompilerIsNoVariable) {
  EXPECT_EQ(said("WARPSAFE_CHECKS"),
            "warpsafe: WARPSAFE_CHECKS is set in the environment, where it has no effect: it is a "
            "macro; compile with -DWARPSAFE_CHECKS=LEVEL");
}
TEST_F(EnvironmentNames, NamesOfOtherPartsAreRight) {
  for (const char* const name :
       {"WARPSAFE_LOG", "WARPSAFE_GUARD", "WARPSAFE_HOST_STACK", "WARPSAFE_RUN", "WARPSAFE_RANKS",
        "WARPSAFE_RANKS_CHECKSUMS", "WARPSAFE_BUILD_TESTS", "WARPSAFE_ROOT", "WARPSAFE_DIR",
        "WARPSAFE_BACKEND_HOST", "MY_WARPSAFE_LOGS", "WARPSAFE", "warpsafe_ROOT"}) {
    EXPECT_EQ(said(name), "") << name;
  }
  EXPECT_EQ(said("WARPSAFE_" + std::string(5000, 'X')), "");
}

struct IdleFilters : LaunchTest, LogSinkTest {
  ~IdleFilters() override {
    debug::set_shadow(nullptr);
    debug::set_trace(nullptr);
  }
  void launch_it() {
    EXPECT_TRUE(launch(stream, LaunchConfig{grid<1>, block<1>}, kernel<scale_rows>).has_value());
  }
  [[nodiscard]] static std::string at_the_end() {
    ::testing::internal::CaptureStderr();
    debug::detail::print_idle_filters();
    return ::testing::internal::GetCapturedStderr();
  }
};
TEST_F(IdleFilters, AFilterThatSelectsNothingNamesTheMostSimilarKernel) {
  debug::set_shadow("axpy,scale_row");
  EXPECT_EQ(
      at_the_end(),
      "warpsafe: WARPSAFE_SHADOW=axpy,scale_row selected no launch: no kernel was launched in this process\n");
  launch_it();
  EXPECT_EQ(
      at_the_end(),
      "warpsafe: WARPSAFE_SHADOW=axpy,scale_row selected no launch: no kernel of that name was "
      "launched; the most similar is 'scale_rows'\n");
  debug::set_shadow("scale_rows:3");
  launch_it();
  launch_it();
  EXPECT_EQ(
      at_the_end(),
      "warpsafe: WARPSAFE_SHADOW=scale_rows:3 selected no launch: these kernels had 2 launches, and the "
      "first 3 are left out\n");
  launch_it();
  launch_it();
  EXPECT_EQ(at_the_end(), "");
  debug::set_shadow(nullptr);
  EXPECT_EQ(at_the_end(), "");
}

TEST(ListedKernels, TheMostSimilarKernelIsRemembered) {
  debug::detail::ListedKernels listed;
  EXPECT_STREQ(listed.nearest(), "");
  for (const char* const name : {"reduce", "ns::soft_max<float, 4>", "norm", "softcap", ""}) {
    EXPECT_FALSE(listed.contains(Name::of(name), "softmax,unknown"));
  }
  EXPECT_STREQ(listed.nearest(), "soft_max");
  EXPECT_FALSE(listed.found());
  EXPECT_TRUE(listed.contains(Name::of("a::softmax<int>"), "softmax,unknown"));
  EXPECT_TRUE(listed.found());
  listed.clear();
  const std::string length(500, 'k');
  EXPECT_FALSE(listed.contains(Name::of(length.c_str()), "k"));
  EXPECT_EQ(listed.nearest(), length.substr(0, 127));
}
// A name of LaunchRecord ends where its size says, not at a '\0'.
TEST(ListedKernels, AKernelsNameIsRememberedUpToItsSizeAndItsRoom) {
  const std::string letters(200, 'k');
  for (const std::size_t size : {1U, 7U, 126U, 127U, 128U, 129U, 200U}) {
    debug::detail::ListedKernels listed;
    EXPECT_FALSE(listed.contains(Name{letters.data(), size}, "none"));
    EXPECT_EQ(std::string(listed.nearest()).size(), std::min<std::size_t>(size, 127)) << size;
  }
}
TEST(ListedKernels, EachNameOfTheListIsComparedWithAKernels) {
  for (const char* const list : {"softmax,unknown", "unknown,softmax", "unknown,softmax,other"}) {
    debug::detail::ListedKernels listed;
    for (const char* const name : {"norm", "soft_max", "reduce"}) {
      EXPECT_FALSE(listed.contains(Name::of(name), list));
    }
    EXPECT_STREQ(listed.nearest(), "soft_max") << list;
  }
}
TEST(ListedKernels, AreForgottenAtANewList) {
  debug::detail::ListedKernels listed;
  EXPECT_FALSE(listed.contains(Name::of("softmax2"), "softmax"));
  EXPECT_TRUE(listed.contains(Name::of("softmax"), "softmax"));
  EXPECT_FALSE(listed.contains(Name::of("softmax1"), "softmax_1"));
  EXPECT_STREQ(listed.nearest(), "softmax2") << "one was found, so no slip is looked for";
  listed.clear();
  EXPECT_FALSE(listed.found());
  EXPECT_STREQ(listed.nearest(), "");
  // The first kernel is remembered whatever it shares, and another one only if it shares more.
  EXPECT_FALSE(listed.contains(Name::of("a"), "z"));
  EXPECT_FALSE(listed.contains(Name::of("b"), "z"));
  EXPECT_STREQ(listed.nearest(), "a");
  EXPECT_FALSE(listed.contains(Name::of("az"), "z"));
  EXPECT_STREQ(listed.nearest(), "az");
}
TEST(SimilarNames, ShareHalfOfTheShorterOneAtTheirEnds) {
  struct Row {
    const char* a;
    const char* b;
    std::size_t shared;
    bool similar;
  };
  for (const auto& [a, b, shared, similar] : {Row{"abcdefgh", "abcdefgh", 8, true},
                                              {"abcxxxxxde", "abcyyyyyde", 5, true},
                                              {"abxxxxxxde", "abyyyyyyde", 4, false},
                                              {"axxxxxxxde", "ayyyyyyyde", 3, false},
                                              {"abcd", "xabcd", 4, true},
                                              {"abcd", "abcdx", 4, true},
                                              {"aa", "aaaa", 2, true},
                                              {"ab", "ba", 0, false},
                                              {"abcde", "ab", 2, true},
                                              {"", "", 0, false},
                                              {"", "abc", 0, false}}) {
    EXPECT_EQ(debug::detail::shared_letters(Name::of(a), Name::of(b)), shared) << a << ' ' << b;
    EXPECT_EQ(debug::detail::shared_letters(Name::of(b), Name::of(a)), shared) << a << ' ' << b;
    EXPECT_EQ(debug::detail::is_similar(Name::of(a), Name::of(b)), similar) << a << ' ' << b;
  }
  // Parts of longer names, which go on alike.
  EXPECT_EQ(debug::detail::shared_letters(Name{"abcd", 2}, Name{"abcd", 2}), 2U);
  EXPECT_EQ(debug::detail::shared_letters(Name{"abcd", 2}, Name{"abcd", 3}), 2U);
  EXPECT_EQ(debug::detail::shared_letters(Name{&"xab"[1], 2}, Name{&"xcb"[1], 2}), 1U);
}
using IdleFiltersDeathTest = IdleFilters;
TEST_F(IdleFiltersDeathTest, TheEndOfTheProgramSaysIt) {
  EXPECT_EXIT(
      {
        debug::detail::look_at_filters_at_exit();
        debug::set_shadow("scale_row");
        launch_it();
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "WARPSAFE_SHADOW=scale_row selected no launch");
}

}  // namespace
}  // namespace warpsafe::core_test
