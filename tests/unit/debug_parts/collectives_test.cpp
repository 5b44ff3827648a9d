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

#include <filesystem>
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

TEST(Collectives, AreThoseOfNcclRcclAndMpi) {
  if (debug::detail::has_collectives())
    GTEST_SKIP() << "this program has a library of NCCL, RCCL or MPI already";
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
  if (!debug::detail::has_collectives()) expect_asked(0, 0);
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

}  // namespace
}  // namespace warpsafe::core_test
