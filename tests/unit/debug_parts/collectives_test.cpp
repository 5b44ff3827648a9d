// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Whether a blocking launch may wait for another rank: a library of that name is loaded. The test
// loads a small library of the system under such names.

#include "core_test.hpp"
#include <warpsafe/debug/hooks/detail/collectives.hpp>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace warpsafe::core_test {
namespace {

/// A library of that file name, loaded during this object's lifetime.
class LoadedAs {
 public:
  explicit LoadedAs(const std::string& name)
      : folder_("collectives_test." + std::to_string(::getpid())) {
    void* const original = ::dlopen("libdl.so.2", RTLD_NOW);
    ::link_map* place = nullptr;
    if (original == nullptr || ::dlinfo(original, RTLD_DI_LINKMAP, &place) != 0) return;
    std::filesystem::create_directory(folder_);
    const std::string path = "./" + folder_ + '/' + name;
    std::filesystem::copy_file(place->l_name, path);
    library_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    ::dlclose(original);
  }
  ~LoadedAs() {
    if (library_ != nullptr) ::dlclose(library_);
    std::filesystem::remove_all(folder_);
  }
  LoadedAs(const LoadedAs&) = delete;
  LoadedAs& operator=(const LoadedAs&) = delete;
  [[nodiscard]] bool worked() const { return library_ != nullptr; }

 private:
  std::string folder_;
  void* library_ = nullptr;
};

struct Asked {
  int queries = 0;
  int questions = 0;
  bool may_query = true;
};
Asked count_of;
constexpr detail::WaitCalls asked_calls{Name::of("stream synchronize"),
                                        Vendor::amd,
                                        34,
                                        [](void*) noexcept { return 0; },
                                        [](void*) noexcept {
                                          ++count_of.queries;
                                          return 0;
                                        },
                                        [](void*) noexcept {
                                          ++count_of.questions;
                                          return count_of.may_query;
                                        }};

/// Whether a launch that has ended would be left; `questions` and `queries` that this takes.
void expect_asked(int questions, int queries) {
  detail::BackendCalls calls{};
  calls.stream_wait = &asked_calls;
  count_of.queries = count_of.questions = 0;
  EXPECT_FALSE(debug::detail::gives_up_launch(calls, nullptr, LaunchRecord{}));
  EXPECT_EQ(count_of.questions, questions);
  EXPECT_EQ(count_of.queries, queries);
}

/// Whether this program has such a library without the tests.
bool has_one_anyway() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    for (const char* const name : {"/libnccl", "/librccl", "/libmpi"}) {
      if (line.find(name) != std::string::npos) return true;
    }
  }
  return false;
}
TEST(Collectives, AreThoseOfNcclRcclAndMpi) {
  if (has_one_anyway()) GTEST_SKIP() << "this program has a library of NCCL, RCCL or MPI already";
  for (const char* const name : {"libnccl.so.2", "librccl.so", "libmpi_cxx.so.40"}) {
    {
      const LoadedAs loaded(name);
      if (!loaded.worked()) GTEST_SKIP() << "no copy of libdl.so.2 can be loaded here";
      EXPECT_TRUE(debug::detail::has_collectives()) << name;
    }
    EXPECT_FALSE(debug::detail::has_collectives()) << name;
  }
  for (const char* const name : {"libmp.so", "my-libnccl.so", "libNCCL.so"}) {
    const LoadedAs loaded(name);
    EXPECT_FALSE(debug::detail::has_collectives()) << name;
  }
}

TEST(Collectives, ALaunchIsAskedAboutOnlyWhereItMayWaitForAnotherRank) {
  count_of = {};
  if (!has_one_anyway()) expect_asked(0, 0);
  const LoadedAs loaded("libnccl.so.2");
  if (!loaded.worked()) GTEST_SKIP() << "no copy of libdl.so.2 can be loaded here";
  expect_asked(1, 1);
  count_of.may_query = false;
  expect_asked(1, 0);
  count_of.may_query = true;
  debug::set_timeout(60'000, true);
  expect_asked(0, 0);  // the wait itself is given up
  debug::clear_timeout();
  const detail::CaptureHooks* const before = detail::capture_hooks;
  constexpr detail::CaptureHooks open{};
  detail::capture_hooks = &open;
  expect_asked(0, 0);
  detail::capture_hooks = before;
}

int queries_left = 0;
TEST(Collectives, ALaunchThatEndsInTimeIsNotGivenUp) {
  constexpr detail::WaitCalls ends_late{Name::of("stream synchronize"),
                                        Vendor::amd,
                                        34,
                                        [](void*) noexcept { return 0; },
                                        [](void*) noexcept { return --queries_left > 0 ? 34 : 0; },
                                        [](void*) noexcept { return true; }};
  const LoadedAs loaded("libnccl.so.2");
  if (!loaded.worked()) GTEST_SKIP() << "no copy of libdl.so.2 can be loaded here";
  detail::BackendCalls calls{};
  calls.stream_wait = &ends_late;
  queries_left = 5;
  EXPECT_FALSE(debug::detail::gives_up_launch(calls, nullptr, LaunchRecord{}, 60'000));
  EXPECT_EQ(queries_left, 0);
}
/// In a process of its own, since a process gives up only three launches.
[[noreturn]] void give_up_three(bool has_site) {
  constexpr detail::WaitCalls never_ends{Name::of("stream synchronize"),
                                         Vendor::amd,
                                         34,
                                         [](void*) noexcept { return 0; },
                                         [](void*) noexcept { return 34; },
                                         [](void*) noexcept { return true; }};
  detail::BackendCalls calls{};
  calls.stream_wait = &never_ends;
  LaunchRecord record{};
  record.kernel = Name::of("all_to_all");
  if (has_site) record.site = app;
  debug::set_blocking(true);
  for (int i = 0; i < 3; ++i) {
    if (!debug::blocking()) std::_Exit(8 + i);
    if (!debug::detail::gives_up_launch(calls, nullptr, record, 0)) std::_Exit(18 + i);
  }
  std::_Exit(debug::blocking() ? 28 : 0);
}
TEST(Collectives, AfterThreeLaunchesThatMayWaitForAnotherRankNoneIsWaitedFor) {
  const LoadedAs loaded("libnccl.so.2");
  if (!loaded.worked()) GTEST_SKIP() << "no copy of libdl.so.2 can be loaded here";
  const auto line = [](const std::string& place, const std::string& later) {
    return "warpsafe: debug::set_blocking: kernel 'all_to_all' has not ended after 0 s, at " +
           place +
           "; it may wait for another rank, in a collective of NCCL, RCCL or MPI, so the program "
           "goes on; " +
           later + '\n';
  };
  for (const bool has_site : {true, false}) {
    const std::string place = has_site ? "/home/me/src/app.cpp:7" : "\\?:0";
    const std::string waits = line(place, "later launches wait");
    EXPECT_EXIT(give_up_three(has_site), ::testing::ExitedWithCode(0),
                '^' + waits + waits + line(place, "no launch waits from now on") + '$');
  }
}

}  // namespace
}  // namespace warpsafe::core_test
