// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "tools/ranks/record/call_place.hpp"

#include <alloca.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace warpsafe::ranks {
namespace {

CallPlaces* places = nullptr;
std::vector<CallPlace>* added = nullptr;

// Stands for a function of NCCL.
[[gnu::noinline]] std::uint32_t collective() {
  void* const call = __builtin_return_address(0);
  const std::uint32_t number = places->number_of(call, ReturnAddresses::of(call), *added);
  asm volatile("");  // no tail call
  return number;
}
[[gnu::noinline]] std::uint32_t step() {
  const std::uint32_t number = collective();
  asm volatile("");
  return number;
}
// Two callers with frames of one size.
[[gnu::noinline]] std::uint32_t forward() {
  const std::uint32_t number = step();
  asm volatile("" ::"r"(1));
  return number;
}
[[gnu::noinline]] std::uint32_t backward() {
  const std::uint32_t number = step();
  asm volatile("" ::"r"(2));
  return number;
}
/// `Alignment` above 16: the frame is realigned.
template <std::size_t Alignment = 8>
[[gnu::noinline]] std::uint32_t with_room(std::size_t bytes) {
  alignas(Alignment) char line[Alignment];
  asm volatile("" ::"r"(line) : "memory");
  auto* const room = static_cast<volatile char*>(::alloca(bytes));
  room[0] = 1;
  const std::uint32_t number = step();
  room[bytes - 1] = 1;
  return number;
}
[[gnu::noinline]] std::uint32_t deep(int depth) {  // NOLINT(misc-no-recursion)
  const std::uint32_t number = depth == 0 ? forward() : deep(depth - 1);
  asm volatile("");
  return number;
}

// Two callers of a function whose frame has another size each time. The outer frame of the second
// has room for the whole of the first's, and leaves its old return addresses there.
template <std::size_t Alignment>
[[gnu::noinline]] std::uint32_t small_frame(std::size_t bytes) {
  const std::uint32_t number = with_room<Alignment>(bytes);
  asm volatile("");
  return number;
}
template <std::size_t Alignment>
[[gnu::noinline]] std::uint32_t large_frame(std::size_t bytes) {
  char room[4096];
  asm volatile("" ::"r"(room) : "memory");
  const std::uint32_t number = with_room<Alignment>(bytes);
  asm volatile("" ::"r"(room) : "memory");
  return number;
}

/// Runs a call on a stack that ends at `end`.
class OnStack {
 public:
  static std::uint32_t run(char* end, std::size_t bytes) {
    asked = bytes;
    constexpr std::size_t size = std::size_t{128} << 10;
    ::getcontext(&inside);
    inside.uc_stack.ss_sp = end - size;
    inside.uc_stack.ss_size = size;
    inside.uc_link = &before;
    ::makecontext(
        &inside, [] { number = with_room(asked); }, 0);
    ::swapcontext(&before, &inside);
    return number;
  }

 private:
  static inline ucontext_t before, inside;
  static inline std::size_t asked;
  static inline std::uint32_t number;
};

class CallPlaceTest : public ::testing::Test {
 protected:
  CallPlaceTest() {
    places = &places_;
    added = &added_;
  }
  CallPlaces places_;
  std::vector<CallPlace> added_;
};

TEST_F(CallPlaceTest, TheSameCallsFromOneStackAreOnePlace) {
  std::uint32_t (*const calls[])() = {forward, backward, forward, backward, backward, forward};
  std::vector<std::uint32_t> numbers;
  for (auto* call : calls) numbers.push_back(call());
  EXPECT_NE(numbers[0], numbers[1]);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_EQ(numbers[i], calls[i] == forward ? numbers[0] : numbers[1]) << i;
  }
}

TEST_F(CallPlaceTest, AKnownCallAddsNothing) {
  deep(3);
  EXPECT_FALSE(added_.empty());
  for (int turn = 0; turn < 2; ++turn) {
    added_.clear();
    std::thread(deep, 3).join();
  }
  EXPECT_TRUE(added_.empty());
}

TEST_F(CallPlaceTest, AFrameOfAnotherSizeIsTheSamePlace) {
  std::set<std::uint32_t> numbers;
  for (const std::size_t bytes : {64U, 16U, 64U, 4096U, 64U, 48U, 80U}) {
    numbers.insert(with_room(bytes));
  }
  EXPECT_EQ(numbers.size(), 1U);
}

template <std::size_t Alignment>
void frames_of_other_sizes_are_told_apart() {
  std::uint32_t (*const volatile calls[])(std::size_t) = {small_frame<Alignment>,
                                                          large_frame<Alignment>};
  for (std::size_t bytes = 8192; bytes > 2048; bytes -= 16) {
    std::uint32_t numbers[2];
    // One instruction calls both, from one frame.
    for (std::size_t i = 0; i < 2; ++i) numbers[i] = calls[i](i == 0 ? 8192 : bytes);
    ASSERT_NE(numbers[0], numbers[1]) << bytes;
  }
}
TEST_F(CallPlaceTest, OldAddressesOnTheStackAreNoCallers) {
  frames_of_other_sizes_are_told_apart<8>();
}
TEST_F(CallPlaceTest, RealignedFramesOfOtherSizesAreToldApart) {
  frames_of_other_sizes_are_told_apart<64>();
}

TEST_F(CallPlaceTest, NothingBeyondASmallerStackIsRead) {
  constexpr std::size_t half = std::size_t{256} << 10;
  auto* const stack = static_cast<char*>(
      ::mmap(nullptr, 2 * half, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(stack, MAP_FAILED);
  // The inner frames are at one address, however the outer ones are laid out.
  constexpr std::size_t shift = std::size_t{32} << 10;
  const std::uint32_t number = OnStack::run(stack + half + shift, shift + 16384);
  ASSERT_EQ(::mprotect(stack + half, half, PROT_NONE), 0);
  EXPECT_EQ(OnStack::run(stack + half, 16384), number);
  ::munmap(stack, 2 * half);
}

TEST_F(CallPlaceTest, EachThreadReadsItsOwnStack) {
  std::set<std::uint32_t> here;
  std::set<std::uint32_t> there;
  for (int turn = 0; turn < 3; ++turn) {
    here.insert(deep(3));
    std::thread([&] { there.insert(forward()); }).join();
  }
  EXPECT_EQ(here.size(), 1U);
  EXPECT_EQ(there.size(), 1U);
  EXPECT_NE(here, there);
}

// The places say which functions led to a call, whichever was called before from a frame at the
// same address.
TEST_F(CallPlaceTest, EachPlaceHasTheCallersOfItsCall) {
  std::map<std::uint32_t, CallPlace> known;
  std::uint64_t outer[2] = {};
  for (int turn = 0; turn < 4; ++turn) {
    const std::uint32_t number = turn % 2 == 0 ? forward() : backward();
    for (const CallPlace& place : added_) known[place.number] = place;
    added_.clear();
    const CallPlace& inner = known.at(number);
    const std::uint64_t caller = known.at(known.at(inner.caller).number).offset;
    const std::uint64_t of_caller = known.at(known.at(inner.caller).caller).offset;
    ASSERT_NE(caller, 0U);
    if (turn < 2) outer[turn] = of_caller;
    EXPECT_EQ(of_caller, outer[turn % 2]);
  }
  EXPECT_NE(outer[0], outer[1]);
}

// A function with aligned variables, which the program calls.
template <std::size_t Alignment>
[[gnu::noinline]] ReturnAddresses from_a_realigned_frame(std::size_t bytes, void*& call) {
  alignas(Alignment) char line[Alignment];
  void* const room = ::alloca(bytes);
  asm volatile("" ::"r"(line), "r"(room) : "memory");
  call = __builtin_return_address(0);
  const ReturnAddresses found = ReturnAddresses::of(call);
  asm volatile("" ::"r"(line), "r"(room) : "memory");
  return found;
}
TEST_F(CallPlaceTest, TheCalledFunctionMayHaveARealignedFrame) {
  std::set<void*> callers;
  for (std::size_t bytes = 16; bytes < 2048; bytes += 48) {
    void* call = nullptr;
    const ReturnAddresses found = from_a_realigned_frame<64>(bytes, call);
    ASSERT_GE(found.count, 3U);
    EXPECT_EQ(found.list[0], call);
    callers.insert(found.list[1]);
  }
  EXPECT_EQ(callers.size(), 1U);
}

std::uint32_t number_in_handler = 0;
TEST_F(CallPlaceTest, AHandlersCallHasTheFunctionsBelowTheSignal) {
  struct sigaction handler {};
  handler.sa_handler = [](int) { number_in_handler = step(); };
  struct sigaction before {};
  ASSERT_EQ(::sigaction(SIGUSR1, &handler, &before), 0);
  std::set<std::uint32_t> numbers;
  for (int turn = 0; turn < 2; ++turn) {
    ::raise(SIGUSR1);
    numbers.insert(number_in_handler);
  }
  ::sigaction(SIGUSR1, &before, nullptr);
  EXPECT_EQ(numbers.size(), 1U);
  std::map<std::uint32_t, CallPlace> known;
  for (const CallPlace& place : added_) known[place.number] = place;
  const CallPlace& inner = known.at(number_in_handler);
  ASSERT_NE(inner.caller, 0U);
  // The handler, and the test, whose call of raise the C library passed on.
  const CallPlace& in_handler = known.at(inner.caller);
  EXPECT_EQ(in_handler.object, inner.object);
}

TEST_F(CallPlaceTest, ADeepStackIsReadFromTheCallOn) {
  void* const call = __builtin_return_address(0);
  EXPECT_LE(ReturnAddresses::of(call).count, ReturnAddresses::most);
  const std::uint32_t number = deep(500);
  EXPECT_EQ(deep(500), number);
  EXPECT_EQ(deep(501), number) << "the functions nearest to the call tell the place";
}

TEST_F(CallPlaceTest, ACallThatIsNotOnTheStackIsAPlaceByItself) {
  // As below generated code, through which the stack cannot be read.
  void* const call = reinterpret_cast<void*>(&::raise);
  const ReturnAddresses none = ReturnAddresses::of(call);
  EXPECT_EQ(none.count, 0U);
  const std::uint32_t number = places_.number_of(call, none, added_);
  EXPECT_EQ(places_.number_of(call, none, added_), number);
  ASSERT_EQ(added_.size(), 1U);
  EXPECT_EQ(added_[0].caller, 0U);
}

// The frames of the two libraries have other sizes, at the same instructions.
TEST_F(CallPlaceTest, AnotherLibraryAtTheSameAddressHasItsOwnPlaces) {
  using Passed = std::uint32_t(std::uint32_t(*)());
  std::map<std::uint32_t, CallPlace> known;
  std::set<const void*> functions;
  std::map<std::string, std::uint32_t> numbers;
  for (const char* file : {RANKS_SMALL_FRAME, RANKS_LARGE_FRAME, RANKS_SMALL_FRAME}) {
    void* const library = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << ::dlerror();
    auto* const pass = reinterpret_cast<Passed*>(::dlsym(library, "pass_on"));
    functions.insert(reinterpret_cast<const void*>(pass));
    for (int turn = 0; turn < 2; ++turn) {
      const std::uint32_t number = pass(collective);
      for (const CallPlace& place : added_) known[place.number] = place;
      EXPECT_EQ(known.at(number).object, file);
      // A library that comes back has its old places.
      EXPECT_EQ(numbers.try_emplace(file, number).first->second, number);
      ASSERT_NE(known.at(number).caller, 0U) << file;
      EXPECT_NE(known.at(known.at(number).caller).object, file);
    }
    ::dlclose(library);
  }
  EXPECT_EQ(functions.size(), 1U) << "no library came to the place of another";
}

}  // namespace
}  // namespace warpsafe::ranks
