// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Both ways to run a block, independent of the one that this build uses: fibres, and one OS thread
// per GPU thread.

#include "host_test_kernel.hpp"
#include <warpsafe/backend/host/detail/fibre_runner.hpp>
#include <warpsafe/backend/host/detail/thread_runner.hpp>

#include <gmock/gmock.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpsafe::host_test {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

template <class Runner>
struct HostRunner : ::testing::Test {
  /// Runs all blocks of a grid, and says how that ended.
  template <class... P>
  host::Failure run(const LaunchShape& shape, void (*function)(P...),
                    std::type_identity_t<P>... values) {
    void* args[] = {static_cast<void*>(&values)..., nullptr};
    host::Grid grid(entry_of(function), shape, args);
    for (std::uint64_t i = 0; i < shape.blocks(); ++i) runner.run_block(grid, i);
    EXPECT_EQ(detail::host_thread, nullptr);
    return grid.take_failure();
  }
  Runner runner;
};
// ThreadSanitizer does not understand the switches between fibres.
using Runners = std::conditional_t<host::thread_sanitizer, ::testing::Types<host::ThreadRunner>,
                                   ::testing::Types<host::FibreRunner, host::ThreadRunner>>;
TYPED_TEST_SUITE(HostRunner, Runners);

void rotate(int* data, int rounds) {
  const unsigned threads = self().block_dim[0];
  const unsigned mine = self().thread[0];
  int* const block = data + block_number() * threads;
  for (int i = 0; i < rounds; ++i) {
    const int next = block[(mine + 1) % threads];
    sync_block();
    block[mine] = next;
    sync_block();
  }
}

TYPED_TEST(HostRunner, BarriersHoldEveryThread) {
  std::vector<int> data{0, 1, 2, 3, 4, 5, 6, 7};
  const host::Failure failure = this->run(shape_of(2, 4), rotate, data.data(), 3);
  EXPECT_EQ(failure.status, 0);
  EXPECT_EQ(data, (std::vector<int>{3, 0, 1, 2, 7, 4, 5, 6}));
}

void number_threads(unsigned* numbers) {
  numbers[thread_number()] = thread_number();
  if (self().block_dim[0] == 3) sync_block();
}

TYPED_TEST(HostRunner, ThreadsAreNumberedXFirst) {
  for (const std::uint32_t x : {2U, 3U}) {
    LaunchShape shape = shape_of(1, x);
    shape.block[1] = 2;
    shape.block[2] = 4;
    std::vector<unsigned> numbers(x * 8, 99);
    EXPECT_EQ(this->run(shape, number_threads, numbers.data()).status, 0);
    for (unsigned i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], i);
  }
}

void some_finish() {
  if (self().thread[0] < 3) sync_block("some.cu", 12);
}
void others_finish() {
  if (self().thread[0] >= 5) sync_block("others.cu", 4);
}
void two_places() { sync_block("two.cu", self().thread[0] == 0 ? 1 : 2); }
void leaves_after_the_first() {
  sync_block("loop.cu", 1);
  if (self().thread[0] != 7) sync_block("loop.cu", 2);
}

TYPED_TEST(HostRunner, DivergenceIsReportedWithItsNumbers) {
  const int divergence = host::raw(HostStatus::barrier_divergence);
  host::Failure failure = this->run(shape_of(1, 8), some_finish);
  EXPECT_EQ(failure.status, divergence);
  EXPECT_EQ(failure.text,
            "barrier divergence in block (0,0,0): of 8 threads, 3 wait at some.cu:12, 5 have "
            "finished");
  failure = this->run(shape_of(1, 8), others_finish);
  EXPECT_EQ(failure.status, divergence);
  EXPECT_THAT(failure.text, HasSubstr("of 8 threads, 3 wait at others.cu:4, 5 have finished"));
  failure = this->run(shape_of(1, 8), two_places);
  EXPECT_EQ(failure.status, divergence);
  // The scheduler decides which of the two comes first.
  const bool one_first =
      failure.text.find("1 wait at two.cu:1, 7 at two.cu:2") != std::string::npos;
  const bool two_first =
      failure.text.find("7 wait at two.cu:2, 1 at two.cu:1") != std::string::npos;
  EXPECT_TRUE(one_first || two_first) << failure.text;
  failure = this->run(shape_of(1, 8), leaves_after_the_first);
  EXPECT_EQ(failure.status, divergence);
  EXPECT_THAT(failure.text, HasSubstr("7 wait at loop.cu:2, 1 have finished"));
}

// Two translation units with the same file name: its text is compared, not its address.
void same_name_elsewhere() {
  static const char first[] = "same.cu";
  static const char second[] = "same.cu";
  sync_block(self().thread[0] == 0 ? static_cast<const char*>(first) : second, 3);
}

TYPED_TEST(HostRunner, OneBarrierMayHaveItsNameTwice) {
  EXPECT_EQ(this->run(shape_of(1, 4), same_name_elsewhere).status, 0);
}

/// Each thread writes one byte, from `first` on.
void write_dynamic(int first) {
  self().dynamic_shared[static_cast<unsigned>(first) + self().thread[0]] = 1;
}
void write_static(int first) {
  static const char key = 0;
  auto* const memory =
      static_cast<unsigned char*>(self().static_shared(self(), &key, 100, alignof(int)));
  sync_block();
  memory[static_cast<unsigned>(first) + self().thread[0]] = 1;
}

TYPED_TEST(HostRunner, WritingBehindSharedMemoryIsReported) {
  const int bad_access = host::raw(HostStatus::illegal_address);
  LaunchShape shape = shape_of(2, 8);
  shape.dynamic_shared = 50;
  EXPECT_EQ(this->run(shape, write_dynamic, 42).status, 0) << "to the last byte";
  host::Failure failure = this->run(shape, write_dynamic, 43);
  EXPECT_EQ(failure.status, bad_access);
  EXPECT_EQ(failure.text,
            "the kernel wrote behind the end of its 50 bytes of dynamic shared memory, in block "
            "(0,0,0)");
  EXPECT_EQ(this->run(shape, write_dynamic, 0).status, 0) << "each block begins anew";
  for (const std::uint32_t threads : {1U, 8U}) {
    EXPECT_EQ(this->run(shape_of(2, threads), write_static, 92).status, 0);
    failure = this->run(shape_of(2, threads), write_static, 100);
    EXPECT_EQ(failure.status, bad_access);
    EXPECT_THAT(failure.text, HasSubstr("behind the end of its 100 bytes of static shared memory"));
  }
  EXPECT_EQ(this->run(shape_of(2, 8), write_static, 92).status, 0);
}

void throws_between_barriers(int* passed) {
  sync_block();
  if (self().thread[0] == 2) throw std::runtime_error("two");
  sync_block();
  passed[self().thread[0]] = 1;
}
void throws_anything() {
  if (self().thread[0] == 1) throw 3;
}

TYPED_TEST(HostRunner, AnExceptionEndsTheBlockAndIsReported) {
  std::vector<int> passed(8, 0);
  host::Failure failure = this->run(shape_of(3, 8), throws_between_barriers, passed.data());
  EXPECT_EQ(failure.status, host::raw(HostStatus::launch_failure));
  EXPECT_EQ(failure.text, "the kernel threw in block (0,0,0), thread (2,0,0): two");
  EXPECT_THAT(passed, Each(0));
  failure = this->run(shape_of(1, 2), throws_anything);
  EXPECT_THAT(failure.text, HasSubstr("an exception that is no std::exception"));
}

TYPED_TEST(HostRunner, ARunnerGoesOnAfterAFailure) {
  std::vector<int> data{0, 1, 2, 3};
  for (int i = 0; i < 10; ++i) {
    EXPECT_NE(this->run(shape_of(1, 8), some_finish).status, 0);
    EXPECT_EQ(this->run(shape_of(1, 4), rotate, data.data(), 4).status, 0);
  }
  EXPECT_EQ(data, (std::vector<int>{0, 1, 2, 3}));
}

void deep(unsigned bytes, int* out) {
  volatile char stack[80 * 1024];
  for (unsigned i = 0; i < bytes; i += 512) stack[i] = static_cast<char>(i / 512);
  sync_block();
  out[self().thread[0]] = stack[512 * 7];
}

TYPED_TEST(HostRunner, AThreadHasRoomForHostFunctions) {
  std::vector<int> out(4, 0);
  EXPECT_EQ(this->run(shape_of(1, 4), deep, 80U * 1024, out.data()).status, 0);
  EXPECT_THAT(out, Each(7));
}

host::Fibre* starter = nullptr;
host::Fibre& end_at_once(void*) { return *starter; }

TEST(HostFibreDeathTest, AFinishedFibreIsNotResumedAsIfItHadSucceeded) {
  if (host::thread_sanitizer) GTEST_SKIP() << "ThreadSanitizer does not understand fibres";
  const auto resume = [] {
    host::Fibre own;
    host::FibrePool pool;
    starter = &own;
    host::Fibre& fibre = *pool.at(0);
    fibre.prepare<&end_at_once>(nullptr);
    own.switch_to(fibre);
    if (!fibre.done()) return;
    own.switch_to(fibre);
  };
  EXPECT_EXIT(resume(), ::testing::KilledBySignal(SIGABRT),
              "warpsafe: internal error: the host backend resumed a fibre whose thread has ended");
}

TEST(HostStack, ItsSizeIsBytesKiBOrMiB) {
  EXPECT_EQ(host::parse_stack_bytes("65536"), 65536U);
  EXPECT_EQ(host::parse_stack_bytes("64K"), 65536U);
  EXPECT_EQ(host::parse_stack_bytes("8M"), std::size_t{8} << 20U);
  EXPECT_EQ(host::parse_stack_bytes("1024M"), std::size_t{1} << 30U);
  for (const char* const text :
       {"", "K", "65535", "63K", "1025M", "1G", "64k", "64KB", "-1", " 64K", "64 K", "1e6",
        "99999999999999999999", "18446744073709551615K", "0x10000"}) {
    EXPECT_EQ(host::parse_stack_bytes(text), 0U) << text;
  }
}

TEST(HostStack, EachHasAGuardBelowIt) {
  const host::StackSlab slab(100000);
  ASSERT_TRUE(slab.valid());
  for (const std::size_t number : {std::size_t{0}, std::size_t{1}, host::StackSlab::stacks - 1}) {
    unsigned char* const bottom = slab.bottom(number);
    EXPECT_GE(slab.overflowed(bottom - 1), 100000U) << number;
    EXPECT_GE(slab.overflowed(bottom - 200000), 100000U) << number;
    EXPECT_EQ(slab.overflowed(bottom), 0U) << number;
    EXPECT_EQ(slab.overflowed(slab.top(number) - 1), 0U) << number;
    EXPECT_GE(slab.top(number) - bottom, 100000 - 16 * 256) << number;
  }
  EXPECT_EQ(slab.overflowed(slab.bottom(0) - 400000), 0U);
}

TEST(HostArguments, AreAlignedAsTheirTypes) {
  alignas(256) char wide[256] = "wide";
  char narrow = 'n';
  const ParameterInfo parameters[] = {{1, 1, false, false}, {256, 256, false, false}};
  const KernelEntry entry{nullptr, nullptr, parameters, 2};
  void* args[] = {&narrow, wide};
  host::ArgumentBlock block(entry, args);
  narrow = wide[0] = '-';
  EXPECT_EQ(*static_cast<char*>(block.values()[0]), 'n');
  EXPECT_STREQ(static_cast<char*>(block.values()[1]), "wide");
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.values()[1]) % 256, 0U);
}

}  // namespace
}  // namespace warpsafe::host_test
