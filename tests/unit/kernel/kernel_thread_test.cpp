// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Functions of kernel code in a thread that the test makes: what they compute, and what they ask of
// the backend.

#include "core_test.hpp"
#include "empty_check_records.hpp"
#include "host_test_kernel.hpp"
#include <warpsafe/kernel_api.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpsafe::core_test {
namespace {

using detail::CheckRecord;

/// What the backend was asked to end.
struct Ended {
  detail::HostThread* self = nullptr;
  std::vector<std::uint64_t> numbers;
  std::string file;
  unsigned line = 0;
};
Ended ended;

/// A thread of a kernel. What ends a kernel returns here.
class KernelThread : public EmptyCheckRecords {
 protected:
  KernelThread() {
    ended = {};
    self_.leave = [](detail::HostThread& self, const char* file, unsigned line) {
      ended = {&self, {}, file, line};
    };
    self_.lack_shared = [](detail::HostThread& self, std::size_t count, std::size_t size,
                           const char* file, unsigned line) {
      ended = {&self, {count, size}, file, line};
    };
    detail::host_thread = &self_;
  }
  ~KernelThread() override {
    detail::host_thread = nullptr;
    ended = {};
  }
  KernelThread(const KernelThread&) = delete;
  KernelThread& operator=(const KernelThread&) = delete;

  detail::HostThread self_{};
};

TEST_F(KernelThread, KnowsItsIndexInTheGrid) {
  struct Case {
    unsigned thread[3];
    unsigned block[3];
    unsigned size[3];
    std::uint64_t index[3];
  };
  const Case cases[] = {{{0, 0, 0}, {0, 0, 0}, {1, 1, 1}, {0, 0, 0}},
                        {{1, 2, 3}, {4, 5, 6}, {8, 9, 10}, {33, 47, 63}},
                        {{3, 1, 0}, {2, 0, 5}, {4, 3, 2}, {11, 1, 10}},
                        {{1023, 0, 63},
                         {0xffffffff, 0xffff, 0xffff},
                         {1024, 1, 64},
                         {std::uint64_t{0xffffffff} * 1024 + 1023, 0xffff, 0xffff * 64 + 63}}};
  for (const Case& one : cases) {
    for (unsigned axis = 0; axis < 3; ++axis) {
      self_.thread[axis] = one.thread[axis];
      self_.block[axis] = one.block[axis];
      self_.block_dim[axis] = one.size[axis];
    }
    const Index3 index = thread_index();
    EXPECT_EQ(index.x, one.index[0]);
    EXPECT_EQ(index.y, one.index[1]);
    EXPECT_EQ(index.z, one.index[2]);
  }
}

TEST_F(KernelThread, StridesOverTheGridAlongX) {
  self_.thread[0] = 2;
  self_.block[0] = 1;
  self_.block_dim[0] = 4;
  self_.grid_dim[0] = 3;
  const auto handled = [](size_type n) {
    std::vector<size_type> indices;
    for (const size_type i : grid_stride(n)) indices.push_back(i);
    return indices;
  };
  using Indices = std::vector<size_type>;
  EXPECT_EQ(handled(0), Indices{});
  EXPECT_EQ(handled(6), Indices{});
  EXPECT_EQ(handled(7), Indices{6});
  EXPECT_EQ(handled(18), Indices{6});
  EXPECT_EQ(handled(31), (Indices{6, 18, 30}));
}

/// The indices that a thread handles of `n` elements, at most three.
template <class N>
std::vector<size_type> first_strides(N n) {
  std::vector<size_type> indices;
  for (const size_type i : grid_stride(n)) {
    indices.push_back(i);
    if (indices.size() == 3) break;
  }
  return indices;
}
TEST_F(KernelThread, StridesOverSignedSizes) {
  self_.block_dim[0] = 1024;
  self_.grid_dim[0] = 1U << 20U;
  const auto check = [this](auto zero) {
    using N = decltype(zero);
    using Indices = std::vector<size_type>;
    constexpr N largest = std::numeric_limits<N>::max();
    self_.thread[0] = 0;
    EXPECT_EQ(first_strides(N(-1)), Indices{});
    EXPECT_EQ(first_strides(std::numeric_limits<N>::min()), Indices{});
    EXPECT_EQ(first_strides(zero), Indices{});
    EXPECT_EQ(first_strides(N(1)), Indices{0});
    self_.thread[0] = 100;
    const size_type step = size_type{1} << 30U;
    const Indices most = largest > 3 * step ? Indices{100, 100 + step, 100 + 2 * step}
                         : largest > step   ? Indices{100, 100 + step}
                                            : Indices{100};
    EXPECT_EQ(first_strides(largest), most);
  };
  check(static_cast<signed char>(0));
  check(short{0});
  check(0);
  check(0L);
  check(0LL);
}
TEST_F(KernelThread, FailsWhereItsStridesWouldNotEnd) {
  self_.block_dim[0] = 256;
  self_.grid_dim[0] = 1;
  self_.fault = [](detail::HostThread& self, const char* text) { ended = {&self, {}, text, 0}; };
  static_cast<void>(grid_stride(~size_type{0} >> 1U));
  EXPECT_EQ(ended.self, nullptr);
  const std::vector<int> nothing;
  static_cast<void>(grid_stride(nothing.size() - 1));
  EXPECT_EQ(ended.self, &self_);
  EXPECT_NE(ended.file.find("2^63"), std::string::npos) << ended.file;
}

TEST_F(KernelThread, EndsIfTheLaunchGivesTooLittleSharedMemory) {
  alignas(16) unsigned char memory[16] = {};
  self_.dynamic_shared = memory;
  struct Case {
    std::size_t bytes;
    size_type count;
    bool ends;
  };
  const Case cases[] = {{16, 4, false}, {16, 5, true}, {15, 4, true}, {0, 0, false},
                        {0, 1, true},   {3, 1, true},  {4, 1, false}, {16, ~size_type{0}, true}};
  for (const Case& one : cases) {
    ended = {};
    self_.dynamic_shared_bytes = one.bytes;
    self_.asks_dynamic_shared = false;
    const void* const given = dynamic_shared<float, CheckLevel::full>(one.count, {"/src/a.cu", 9});
    EXPECT_EQ(given, memory);
    EXPECT_TRUE(self_.asks_dynamic_shared);
    EXPECT_EQ(ended.line, one.ends ? 9U : 0U) << one.bytes << ' ' << one.count;
    if (!one.ends) continue;
    EXPECT_EQ(ended.numbers, (std::vector<std::uint64_t>{one.count, 4}));
    EXPECT_EQ(ended.file, "/src/a.cu");
  }
  ended = {};
  self_.dynamic_shared_bytes = 0;
  EXPECT_EQ((dynamic_shared<float, CheckLevel::off>(4)), static_cast<void*>(memory));
  EXPECT_EQ(ended.line, 0U) << "only checked builds look";
  // Threads of another runner may have nothing to end them.
  self_.lack_shared = nullptr;
  EXPECT_EQ((dynamic_shared<float, CheckLevel::full>(4)), static_cast<void*>(memory));
}

TEST_F(KernelThread, TellsWhichIndicesItAsksFor) {
  const auto asked = [&](auto&& ask) {
    self_.use = {};
    static_cast<void>(ask());
    const detail::IndexUse& use = self_.use;
    std::string all;
    if (use.strides) all += " strides";
    if (use.thread) all += " thread";
    if (use.block) all += " block";
    if (use.block_size) all += " block_size";
    if (use.grid_size) all += " grid_size";
    if (use.adds) all += " adds";
    return all;
  };
  EXPECT_EQ(asked([] { return grid_stride(7); }), " strides grid_size");
  EXPECT_EQ(asked([] { return grid_stride(1); }), " strides grid_size");
  EXPECT_EQ(asked([] { return grid_stride(0); }), " grid_size") << "no element";
  EXPECT_EQ(asked([] { return thread_in_block(); }), " thread");
  EXPECT_EQ(asked([] { return block_index(); }), " block");
  EXPECT_EQ(asked([] { return thread_index(); }), " thread block");
  EXPECT_EQ(asked([] { return block_size(); }), " block_size");
  EXPECT_EQ(asked([] { return grid_size(); }), " grid_size");
  int number = 0;
  EXPECT_EQ(asked([&] { return atomic_add(&number, 1); }), " adds");
}

TEST_F(KernelThread, TellsALinesLargestRequestOfSharedMemory) {
  alignas(16) unsigned char memory[64] = {};
  self_.dynamic_shared = memory;
  self_.dynamic_shared_bytes = sizeof memory;
  self_.ask_shared = [](detail::HostThread& self, std::size_t count, std::size_t size,
                        const char* file, unsigned line) {
    ended.numbers.push_back(count * size);
    self.asked = {file, line, count * size};
  };
  const auto ask = [](size_type count, unsigned line) {
    static_cast<void>(dynamic_shared<float, CheckLevel::full>(count, {"/src/a.cu", line}));
  };
  ask(4, 9);
  ask(4, 9);
  ask(3, 9);
  ask(5, 9);
  ask(4, 10);
  ask(4, 9);
  EXPECT_EQ(ended.numbers, (std::vector<std::uint64_t>{16, 20, 16, 16}));
  ended = {};
  static_cast<void>(dynamic_shared<float, CheckLevel::off>(16, {"/src/a.cu", 11}));
  EXPECT_EQ(ended.numbers, std::vector<std::uint64_t>{});
}

TEST_F(KernelThread, AsksTheBackendToWaitInThisLine) {
  self_.sync = [](detail::HostThread& self, const char* file, unsigned line) {
    ended = {&self, {}, file, line};
  };
  self_.depend = [](detail::HostThread& self, bool waits, const char* file, unsigned line) {
    ended = {&self, {waits ? 1U : 0U}, file, line};
  };
  sync_block("/src/a.cu", 4);
  EXPECT_EQ(ended.self, &self_);
  EXPECT_EQ(ended.file, "/src/a.cu");
  EXPECT_EQ(ended.line, 4U);
  wait_for_predecessor("/src/a.cu", 5);
  EXPECT_EQ(ended.numbers, std::vector<std::uint64_t>{1});
  EXPECT_EQ(ended.line, 5U);
  allow_dependents("/src/b.cu", 6);
  EXPECT_EQ(ended.self, &self_);
  EXPECT_EQ(ended.numbers, std::vector<std::uint64_t>{0});
  EXPECT_EQ(ended.file, "/src/b.cu");
  EXPECT_EQ(ended.line, 6U);
}

TEST_F(KernelThread, AddsToACounterAndGetsWhatItWas) {
  float real = 1.5F;
  EXPECT_EQ(atomic_add(&real, 2.25F), 1.5F);
  EXPECT_EQ(real, 3.75F);
  EXPECT_EQ(atomic_add(&real, -4.0F), 3.75F);
  EXPECT_EQ(real, -0.25F);
  double wide = 0.5;
  EXPECT_EQ(atomic_add(&wide, 0.25), 0.5);
  EXPECT_EQ(wide, 0.75);
  int number = -3;
  EXPECT_EQ(atomic_add(&number, 5), -3);
  EXPECT_EQ(number, 2);
  unsigned long long count = 7;
  EXPECT_EQ(atomic_add(&count, 0ULL), 7U);
  EXPECT_EQ(count, 7U);
}

template <class Site>
bool is_site() {
  return detail::is_call_site<Site>(0);
}

TEST_F(KernelThread, MakesAnArrayOnlyForALambdaWithoutCaptures) {
  const auto empty = [] {};
  const auto capturing = [this] { self_.continues = false; };
  static_cast<void>(capturing);
  using Empty = std::remove_const_t<decltype(empty)>;
  using Capturing = std::remove_const_t<decltype(capturing)>;
  const std::vector<std::pair<bool (*)(), bool>> cases = {
      {&is_site<Empty>, true},      {&is_site<Empty&>, false},     {&is_site<const Empty&>, false},
      {&is_site<Capturing>, false}, {&is_site<void (*)()>, false}, {&is_site<void (&)()>, false},
      {&is_site<int>, false},
  };
  for (const auto& [is, expected] : cases) EXPECT_EQ(is(), expected) << &is - &cases[0].first;
}

// Failed checks.

TEST_F(KernelThread, FillsTheFirstRecordOnceAndAlwaysEnds) {
  self_.block[0] = 7;
  self_.block[2] = 9;
  self_.thread[1] = 5;
  CheckRecord records[2] = {};
  checks_.of(Vendor::host).records[1] = &records[0];
  checks_.of(Vendor::host).records[2] = &records[1];
  detail::fail_device_check("text (a < b)", "/src/a.cu", 12, "scale");
  EXPECT_EQ(ended.self, &self_);
  EXPECT_EQ(ended.file, "/src/a.cu");
  EXPECT_EQ(ended.line, 12U);
  EXPECT_EQ(records[0].state, CheckRecord::filled);
  EXPECT_EQ(records[0].line, 12U);
  EXPECT_EQ(std::string(records[0].text), "text (a < b)");
  EXPECT_EQ(std::string(records[0].file), "a.cu");
  EXPECT_EQ(std::string(records[0].kernel), "scale");
  for (unsigned axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(records[0].block[axis], self_.block[axis]);
    EXPECT_EQ(records[0].thread[axis], self_.thread[axis]);
  }
  EXPECT_EQ(records[1].state, CheckRecord::empty);

  ended = {};
  detail::fail_device_check("other", "/src/b.cu", 13, "other");
  EXPECT_EQ(ended.line, 13U);
  EXPECT_EQ(std::string(records[0].text), "text (a < b)") << "the first stays";
  records[0].state = CheckRecord::filling;
  detail::fail_device_check("other", "/src/b.cu", 14, "other");
  EXPECT_EQ(ended.line, 14U);
  EXPECT_EQ(records[0].line, 12U) << "its thread writes it";
}

TEST_F(KernelThread, WithoutARecordEndsAllTheSame) {
  checks_.of(Vendor::host).prepared = ~std::uint64_t{0};
  detail::fail_device_check("text", "a.cu", 15, "scale");
  EXPECT_EQ(ended.line, 15U);
  CheckRecord last{};
  checks_.of(Vendor::host).records[63] = &last;
  detail::fail_device_check("text", "a.cu", 16, "scale");
  EXPECT_EQ(ended.line, 16U);
  EXPECT_EQ(last.line, 16U);
}

/// The text that stays in a place for `Size` characters, of which none behind it is touched.
template <unsigned Size, class Copy>
std::string kept_of(const char* text, Copy copy) {
  struct {
    char place[Size];
    char behind[4];
  } memory{};
  std::fill(std::begin(memory.place), std::end(memory.place), '#');
  std::fill(std::begin(memory.behind), std::end(memory.behind), '#');
  copy(memory.place, text);
  EXPECT_EQ(std::string(memory.behind, 4), "####");
  return memory.place;
}

TEST(CheckText, IsCutToFit) {
  const auto copy = [](auto& place, const char* text) { detail::copy_check_text(place, text); };
  EXPECT_EQ(kept_of<1>("abc", copy), "");
  EXPECT_EQ(kept_of<2>("abc", copy), "a");
  EXPECT_EQ(kept_of<3>("abc", copy), "ab");
  EXPECT_EQ(kept_of<4>("abc", copy), "abc");
  EXPECT_EQ(kept_of<5>("abc", copy), "abc");
  EXPECT_EQ(kept_of<8>("", copy), "");
  char place[8] = "#######";
  detail::copy_check_text(place, "ab\0cdefghi");
  EXPECT_EQ(std::string(place, 7), std::string("ab\0####", 7)) << "nothing behind its end";
}

TEST(CheckText, OfAFileHasNoFolders) {
  const auto copy = [](auto& place, const char* text) { detail::copy_check_file(place, text); };
  EXPECT_EQ(kept_of<16>("/home/me/a.cu", copy), "a.cu");
  EXPECT_EQ(kept_of<16>("a.cu", copy), "a.cu");
  EXPECT_EQ(kept_of<16>("src/", copy), "");
  EXPECT_EQ(kept_of<3>("src/kernels.cu", copy), "ke");
}

TEST(CheckRecordDeathTest, WithoutMemoryTheStatusSaysSo) {
  if (host_test::under_sanitizer)
    GTEST_SKIP() << "the sanitizers' allocators end a program without memory";
  testing::FLAGS_gtest_death_test_style = "fast";
  const auto exhausted = [] {
    rlimit limit{};
    if (setrlimit(RLIMIT_DATA, &limit) != 0) return false;
    for (int i = 0; i < 10'000'000; ++i) {
      void* memory = nullptr;
      const int status = detail::allocate_check_record(memory);
      if (memory == nullptr) return status == 2;
      if (status != 0) return false;
    }
    return false;
  };
  EXPECT_EXIT(std::_Exit(exhausted() ? 0 : 1), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace warpsafe::core_test
