// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "core/place/known_code.hpp"

#include "core/place/source_place.hpp"
#include "core/suspicion/call_stack.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

int asked = 0;
void (*on_question)() = nullptr;

}  // namespace

/// Replaces the loader's function in this program, and counts its calls.
extern "C" int dladdr(const void* address, Dl_info* info) noexcept {
  static auto* const original =
      reinterpret_cast<int (*)(const void*, Dl_info*)>(::dlsym(RTLD_NEXT, "dladdr"));
  ++asked;
  if (on_question != nullptr) std::exchange(on_question, nullptr)();
  return original(address, info);
}

namespace {

using namespace warpsafe::watch;

/// The object files of the frames.
std::vector<std::string> files_of(const HostStack& stack) {
  std::vector<std::string> files;
  KnownCode::each(stack, [&](const Dl_info& info) {
    files.emplace_back(detail::file_of(info.dli_fname));
    return true;
  });
  return files;
}
HostStack stack_of(void* frame) {
  HostStack stack;
  stack.frames[stack.count++] = frame;
  return stack;
}

TEST(KnownCode, AsksTheLoaderOncePerCaller) {
  const HostStack stack = HostStack::here();
  ASSERT_GT(stack.count, 3U);
  const std::vector<std::string> files = files_of(stack);
  EXPECT_GT(files.size(), 3U);
  asked = 0;
  EXPECT_EQ(files_of(stack), files);
  EXPECT_FALSE(is_for_pool(stack));
  static constexpr const char* names[] = {"libcublas"};
  EXPECT_STREQ(calling_library(stack, names), "");
  EXPECT_EQ(asked, 0);
}

// As a constructor of a library, which has the loader's lock, on another thread.
TEST(KnownCode, AnswersWhileAnotherThreadAsksTheLoader) {
  static std::future_status answered{};
  on_question = [] {
    std::packaged_task<void()> ask([] { static_cast<void>(files_of(HostStack::here())); });
    const std::future<void> done = ask.get_future();
    std::thread other(std::move(ask));
    answered = done.wait_for(std::chrono::seconds(10));
    answered == std::future_status::ready ? other.join() : other.detach();
  };
  static_cast<void>(files_of(stack_of(reinterpret_cast<char*>(&stack_of) + 1)));
  ASSERT_EQ(on_question, nullptr) << "the loader was not asked";
  EXPECT_EQ(answered, std::future_status::ready);
}

TEST(KnownCode, StopsWhereItIsTold) {
  int frames = 0;
  KnownCode::each(HostStack::here(), [&](const Dl_info&) { return ++frames < 2; });
  EXPECT_EQ(frames, 2);
}

TEST(KnownCode, LeavesOutWhatIsNoCode) {
  static char data[2];
  HostStack stack = stack_of(nullptr);
  stack.frames[stack.count++] = reinterpret_cast<void*>(16);
  EXPECT_TRUE(files_of(stack).empty());
  EXPECT_EQ(files_of(stack_of(&data[1])).size(), 1U) << "the program's own object";
}

TEST(KnownCode, ForgetsWhatIsUnloaded) {
  // A small library of the C library's package that no program uses.
  void* const library = ::dlopen("libBrokenLocale.so.1", RTLD_NOW);
  if (library == nullptr) GTEST_SKIP() << ::dlerror();
  const HostStack inside =
      stack_of(static_cast<char*>(::dlsym(library, "__ctype_get_mb_cur_max")) + 1);
  EXPECT_EQ(files_of(inside), std::vector<std::string>{"libBrokenLocale.so.1"});
  ::dlclose(library);
  EXPECT_EQ(files_of(inside), std::vector<std::string>{});
  asked = 0;
  const HostStack own = stack_of(reinterpret_cast<char*>(&files_of) + 1);
  EXPECT_EQ(files_of(own).size(), 1U);
  EXPECT_EQ(asked, 1);
}

TEST(SourcePlace, KnowsTheFunctionThatNvccMakesForALaunch) {
  EXPECT_TRUE(
      (SourcePlace{"main", "/tmp/tmpxft_00006ba9_00000000-6_app.cudafe1.stub.c", 17, "app", 1}
           .is_stub()));
  EXPECT_TRUE((SourcePlace{"demo::__device_stub__axpy", "", 0, "app", 1}.is_stub()));
  EXPECT_FALSE((SourcePlace{"main", "app.cu", 17, "app", 1}.is_stub()));
}

}  // namespace
