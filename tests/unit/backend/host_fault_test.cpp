// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A kernel of the host backend that leaves its memory fails. It neither hangs nor ends the program.

#include "data_fixture.hpp"
#include <warpsafe/kernel_api.hpp>
#include <warpsafe/memory/pitched_buffer.hpp>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace warpsafe::core_test {

namespace {

using testing::HasSubstr;
using testing::StartsWith;

#line 3 "/home/me/src/spans.cpp"
WARPSAFE_KERNEL void fill(DeviceSpan<int> x, std::size_t n) {
  for (auto i : grid_stride(n)) x[i] = 1;
}
WARPSAFE_KERNEL void read_before(DeviceSpan<const int> x, DeviceSpan<int> y) {
  const std::size_t i = thread_index().x;
  y[i] = x[i - 1];
}
WARPSAFE_KERNEL void take_part(DeviceSpan<int> x, std::size_t offset, std::size_t count) {
  x.subspan(offset, count)[0] = 2;
}
WARPSAFE_KERNEL void take_row(PitchedSpan<int> x, std::size_t row) { x.row(row)[0] = 3; }
WARPSAFE_KERNEL void take_window(PitchedSpan<int> x, int row, int high) {
  const auto part = x.window(extent<2>{rows{row}, cols{0}}, extent<2>{rows{high}, cols{1}});
  part[Index3{0, 0, 0}] = 4;
}
WARPSAFE_KERNEL void write_element(PitchedSpan<int> x, Index3 at) { x[at] = 5; }
WARPSAFE_KERNEL void after_a_barrier(DeviceSpan<int> x) {
  sync_block();
  __atomic_store_n(&x[thread_in_block().x], 1, __ATOMIC_RELAXED);  // all blocks write it
  sync_block();
}
WARPSAFE_KERNEL void fill_shared(DeviceSpan<int> x, std::size_t count) {
  double* const values = dynamic_shared<double>(count);
  if (count != 0) x[thread_in_block().x] = static_cast<int>(values[0] = 7);
}
WARPSAFE_KERNEL void use_shared(DeviceSpan<int> x) { x[0] = *dynamic_shared<char>() = 8; }
#line 53 "host_fault_test.cpp"
WARPSAFE_KERNEL void fill_pointer(int* x, std::size_t n) {
  for (auto i : grid_stride(n)) x[i] = 1;
}
WARPSAFE_KERNEL void pointer_after_a_barrier(int* x, std::size_t offset) {
  sync_block();
  x[offset * thread_in_block().x] = 1;
  sync_block();
}
/// 64 bytes of static shared memory; asks for the dynamic one where the block has this number.
WARPSAFE_KERNEL void static_and_dynamic(DeviceSpan<int> x, unsigned asks) {
  int* const mine = shared_array<int, 16>([] {});
  if (block_index().x == asks) static_cast<void>(dynamic_shared<int>(0));
  mine[thread_in_block().x] = 3;
  if (block_index().x == 0) x[thread_in_block().x] = mine[thread_in_block().x];
}

#line 3 "/home/me/src/arrays.cpp"
/// Takes two calls for two arrays.
WARPSAFE_KERNEL void two_arrays(DeviceSpan<int> x, std::size_t floats, std::size_t flags) {
  float* const values = dynamic_shared<float>(floats);
  char* const marks = dynamic_shared<char>(flags);
  const unsigned t = thread_in_block().x;
  values[t] = 1;
  sync_block();
  marks[t] = 2;
  if (t == 0) x[block_index().x] = marks[0];
}
#line 5 "/home/me/src/marks.hpp"
WARPSAFE_FN char* marks_of(std::size_t flags) { return dynamic_shared<char>(flags); }
#line 16 "/home/me/src/arrays.cpp"
/// The same, where both calls have the line number 5.
WARPSAFE_KERNEL void arrays_of_two_files(DeviceSpan<int> x, std::size_t floats, std::size_t flags) {
  const unsigned t = thread_in_block().x;
  float* const values =
#line 5
      dynamic_shared<float>(floats);
#line 23
  values[t] = 1;
  sync_block();
  marks_of(flags)[t] = 2;
  if (t == 0) x[block_index().x] = marks_of(flags)[0];
}
/// Each thread calls it in a loop, and a function that it calls asks for the same memory.
WARPSAFE_FN int* memory_of(std::size_t count) { return dynamic_shared<int>(count); }
WARPSAFE_KERNEL void one_array(DeviceSpan<int> x, std::size_t count) {
  const unsigned t = thread_in_block().x;
  for (std::size_t i = 0; i < count; ++i) {
    int& one = dynamic_shared<int>(count)[i];
    if (i == t) one = 1;
  }
  if (t == 0) x[block_index().x] = memory_of(1)[0];
}
/// Knows that each call returns the same memory.
WARPSAFE_KERNEL void two_halves(DeviceSpan<int> x, std::size_t count) {
  int* const first = dynamic_shared<int>(count);
  int* const second = dynamic_shared<int>(count) + count;
  const unsigned t = thread_in_block().x;
  first[t] = 1;
  second[t] = 2;
  if (t == 0) x[block_index().x] = first[0] + second[0];
}
/// Two phases with another type each.
WARPSAFE_KERNEL void two_phases(DeviceSpan<int> x, std::size_t count) {
  const unsigned t = thread_in_block().x;
  dynamic_shared<double>(count)[t] = 1;
  sync_block();
  dynamic_shared<int>(2 * count)[t] = 2;
  sync_block();
  if (t == 0) x[block_index().x] = dynamic_shared<int>()[0];
}
#line 108 "host_fault_test.cpp"
WARPSAFE_KERNEL void stride_alone(int* x, std::size_t n) {
  for (auto i : grid_stride(n)) __atomic_fetch_add(&x[i], 1, __ATOMIC_RELAXED);
}
WARPSAFE_KERNEL void stride_twice(int* x, std::size_t n) {
  for (auto i : grid_stride(n)) __atomic_fetch_add(&x[i], 1, __ATOMIC_RELAXED);
  sync_block();
  for (auto i : grid_stride(n)) __atomic_fetch_add(&x[i], 1, __ATOMIC_RELAXED);
}
WARPSAFE_KERNEL void stride_along_a_row(int* x, std::size_t n, unsigned height) {
  const std::size_t row = thread_index().y;
  if (row >= height) return;
  for (auto i : grid_stride(n)) __atomic_fetch_add(&x[row * n + i], 1, __ATOMIC_RELAXED);
}
WARPSAFE_KERNEL void stride_in_a_batch(int* x, std::size_t n) {
  for (auto i : grid_stride(n)) x[block_index().z * n + i] = 1;
}
WARPSAFE_KERNEL void stride_in_one_row(int* x, std::size_t n) {
  if (thread_in_block().y != 0) return;
  for (auto i : grid_stride(n)) x[i] = 1;
}
template <unsigned Bytes>
WARPSAFE_KERNEL void static_bytes(DeviceSpan<int> x) {
  char* const mine = shared_array<char, Bytes>([] {});
  mine[thread_in_block().x] = 3;
  if (thread_in_block().x == 0) x[0] = mine[0];
}

class HostFault : public DataTest {
 protected:
  template <class... A>
  [[nodiscard]] std::string text_of(const A&... launched) {
    const auto accepted = launch(stream, launched...);
    EXPECT_TRUE(accepted.has_value()) << said(accepted);
    const auto waited = stream.synchronize();
    if (waited.has_value()) return "";
    const LaunchError error = error_in(waited);
    EXPECT_EQ(error.code, Errc::execution_failed);
    const std::string text(error.raw_text.data, error.raw_text.size);
    host::reset();
    return text;
  }
};

TEST_F(HostFault, AnIndexBeyondASpanNamesTheLine) {
  auto ten = filled(counting(10));
  const auto wide = SafeGrid<>::cover(std::size_t{10000000}, block<256>);
  EXPECT_THAT(text_of(wide, kernel<fill>, ten.view(), std::size_t{10000000}),
              testing::MatchesRegex("the kernel used element [0-9]+ of 10, in block "
                                    "\\([0-9]+,0,0\\), thread \\([0-9]+,0,0\\), at spans.cpp:4"));
}

TEST_F(HostFault, EachAccessNamesItsOwnLine) {
  auto ten = filled(counting(10));
  auto other = filled(counting(10));
  const LaunchConfig one{grid<1>, block<10>};
  EXPECT_EQ(text_of(one, kernel<read_before>, ten.view(), other.view()),
            "the kernel used element 18446744073709551615 of 10, in block (0,0,0), thread "
            "(0,0,0), at spans.cpp:8");
}

TEST_F(HostFault, APartMustBeInsideOfItsSpan) {
  const LaunchConfig one{grid<1>, block<1>};
  const auto part = [&](std::size_t offset, std::size_t count) {
    auto ten = filled(counting(10));
    return text_of(one, kernel<take_part>, ten.view(), offset, count);
  };
  EXPECT_EQ(part(0, 10), "");
  EXPECT_EQ(part(9, 1), "");
  EXPECT_EQ(part(9, 2),
            "the kernel took 2 elements from 9 on, of 10, in block (0,0,0), thread (0,0,0), at "
            "spans.cpp:11");
  EXPECT_THAT(part(~std::size_t{0}, 10), HasSubstr("spans.cpp:11"));
  EXPECT_THAT(part(10, 0), StartsWith("the kernel used element 0 of 0,"))
      << "the part itself is there, and has no element";
}

TEST_F(HostFault, DynamicSharedMemoryThatTheLaunchDoesNotGiveNamesTheLine) {
  const auto run = [&](std::size_t given, std::size_t count) {
    auto ten = filled(counting(10));
    const LaunchConfig one{grid<1>, block<1>, shared(Bytes(given))};
    return text_of(one, kernel<fill_shared>, ten.view(), count);
  };
  EXPECT_EQ(run(24, 3), "");
  EXPECT_EQ(run(24, 4),
            "the kernel asks dynamic_shared for 4 elements of 8 bytes, and the launch gives 24 "
            "bytes (set them with shared<T>(count)), in block (0,0,0), thread (0,0,0), at "
            "spans.cpp:25");
  EXPECT_THAT(run(23, 3), HasSubstr("for 3 elements of 8 bytes, and the launch gives 23 bytes"));
  EXPECT_THAT(run(24, ~std::size_t{0}), HasSubstr("for -1 elements of 8 bytes"))
      << "a negative number, as the kernel wrote it";
  EXPECT_EQ(run(0, 0), "") << "a kernel may use the memory only in some launches";
}

TEST_F(HostFault, AKernelThatDeclaresNoSharedMemoryNeedsAnElement) {
  auto ten = filled(counting(10));
  EXPECT_THAT(text_of(LaunchConfig{grid<1>, block<1>}, kernel<use_shared>, ten.view()),
              StartsWith("the kernel asks dynamic_shared for 1 element of 1 byte, and the launch "
                         "gives 0 bytes"));
  EXPECT_EQ(
      text_of(LaunchConfig{grid<1>, block<1>, shared<char>(1)}, kernel<use_shared>, ten.view()),
      "");
}

TEST_F(HostFault, StaticSharedMemoryThatIsGivenAgainAsDynamicMemoryIsReported) {
  const auto run = [this](std::uint32_t blocks, int given, unsigned asks) {
    auto ten = filled(counting(10));
    return text_of(
        LaunchConfig{GridDim::from_blocks(blocks).value(), block<1>, shared(Bytes(given))},
        kernel<static_and_dynamic>, ten.view(), asks);
  };
  constexpr unsigned none = 1000;
  EXPECT_EQ(run(1, 64, none),
            "the launch gives 64 bytes of dynamic shared memory, which is the size of the kernel's "
            "shared_array memory, and no thread asks for it; leave it out (or call "
            "dynamic_shared<T>(0) in the kernel)");
  EXPECT_THAT(run(300, 64, none), StartsWith("the launch gives 64 bytes"));
  EXPECT_EQ(run(1, 64, 0), "") << "the sizes are equal, and both are used";
  EXPECT_EQ(run(300, 64, 299), "") << "one block uses it";
  EXPECT_EQ(run(1, 60, none), "") << "memory that nobody needs is no error";
  EXPECT_EQ(run(1, 0, none), "");
}

TEST_F(HostFault, StaticSharedMemoryHasTheDevicesLimits) {
  auto ten = filled(counting(10));
  host::set_limits(0, limits::sm_90);
  const LaunchConfig one{grid<1>, block<1>};
  EXPECT_EQ(text_of(one, kernel<static_bytes<49152>>, ten.view()), "");
  host::set_limits(0, limits::sm_90);
  EXPECT_EQ(text_of(one, kernel<static_bytes<49153>>, ten.view()),
            "the kernel's shared_array memory takes 49153 bytes, and the limit of static shared "
            "memory is 49152 bytes for each block; make it dynamic_shared<T>(count), and give the "
            "launch shared<T>(count)");
  host::set_limits(0, limits::gfx90a);
  EXPECT_EQ(text_of(one, kernel<static_bytes<49153>>, ten.view()), "") << "AMD has 64 KiB";
  const auto with = [&](std::size_t given) {
    host::set_limits(0, limits::sm_90);
    return text_of(LaunchConfig{grid<1>, block<1>, shared<char>(given)},
                   kernel<static_bytes<49152>>, ten.view());
  };
  EXPECT_EQ(with(232448 - 49152), "");
  EXPECT_EQ(with(232448 - 49152 + 1),
            "the kernel's shared_array memory takes 49152 bytes and the launch gives 183297 "
            "bytes: 232449 together, and the limit of a block is 232448 bytes of shared memory; "
            "use smaller arrays");
}

TEST_F(HostFault, TwoCallsOfDynamicSharedMakeOneArray) {
  auto ten = filled(counting(10));
  const auto run = [&](std::size_t given, std::size_t floats, std::size_t flags) {
    return text_of(LaunchConfig{grid<3>, block<4>, shared(Bytes(given))}, kernel<two_arrays>,
                   ten.view(), floats, flags);
  };
  EXPECT_EQ(run(20, 4, 4),
            "the kernel calls dynamic_shared in several lines, and all calls return the same "
            "memory: 16 bytes at arrays.cpp:5, 4 bytes at arrays.cpp:6; the launch gives 20 bytes, "
            "as for separate arrays: call it once, and add to the pointer for the next array");
  const LaunchConfig odd{grid<3>, block<1>, shared(Bytes(9))};
  EXPECT_THAT(text_of(odd, kernel<two_arrays>, ten.view(), std::size_t{1}, std::size_t{5}),
              HasSubstr("4 bytes at arrays.cpp:5, 5 bytes at arrays.cpp:6"));
  EXPECT_THAT(text_of(LaunchConfig{grid<3>, block<4>, shared(Bytes(20))},
                      kernel<arrays_of_two_files>, ten.view(), std::size_t{4}, std::size_t{4}),
              HasSubstr("16 bytes at arrays.cpp:5, 4 bytes at marks.hpp:5"));
  EXPECT_EQ(run(16, 4, 4), "") << "both may mean the same memory";
  EXPECT_EQ(run(24, 4, 4), "");
  EXPECT_EQ(run(20, 4, 0), "") << "the second call asks for nothing";
}

TEST_F(HostFault, SeveralCallsOfDynamicSharedMayMeanOneArray) {
  auto ten = filled(counting(10));
  const LaunchConfig config{grid<3>, block<4>, shared<double>(4)};
  EXPECT_EQ(text_of(config, kernel<one_array>, ten.view(), std::size_t{8}), "");
  EXPECT_EQ(text_of(config, kernel<two_phases>, ten.view(), std::size_t{4}), "");
  const LaunchConfig halves{grid<3>, block<4>, shared<int>(8)};
  EXPECT_EQ(text_of(halves, kernel<two_halves>, ten.view(), std::size_t{4}), "")
      << "the launch gives the sum, and the kernel uses all of it";
  const LaunchConfig two{grid<1>, block<1>, shared<int>(2)};
  EXPECT_EQ(text_of(two, kernel<one_array>, ten.view(), std::size_t{1}), "")
      << "a call without a number declares no size";
}

TEST_F(HostFault, GridStrideInAGridOfSeveralRowsNeedsTheRow) {
  auto ten = filled(counting(10));
  const extent size{rows{3}, cols{10}};
  const auto flat = SafeGrid<>::cover(size, block<4, 2>);
  EXPECT_EQ(text_of(flat, kernel<stride_alone>, ten.view(), std::size_t{10}),
            "the grid has 4 rows of threads along y and z, and grid_stride runs along x only: each "
            "row did the work of all, because no thread asks for its row; launch a grid of one "
            "dimension, such as cover(count, block<256>), or take the row from thread_index().y");
  EXPECT_THAT(text_of(flat, kernel<stride_twice>, ten.view(), std::size_t{10}),
              StartsWith("the grid has 4 rows"));
  EXPECT_THAT(text_of(LaunchConfig{grid<2, 1, 3>, block<4>}, kernel<stride_alone>, ten.view(),
                      std::size_t{10}),
              StartsWith("the grid has 3 rows"));
  EXPECT_THAT(text_of(LaunchConfig{grid<1>, block<4, 1, 2>}, kernel<stride_twice>, ten.view(),
                      std::size_t{10}),
              StartsWith("the grid has 2 rows"));
}

TEST_F(HostFault, GridStrideInAGridOfSeveralRowsRunsWithARow) {
  auto many = filled(std::vector<int>(60, 0));
  const extent size{rows{3}, cols{10}};
  const auto flat = SafeGrid<>::cover(size, block<4, 2>);
  const std::size_t n = 10;
  EXPECT_EQ(text_of(flat, kernel<stride_along_a_row>, many.view(), n, 3U), "");
  EXPECT_EQ(
      text_of(LaunchConfig{grid<2, 1, 3>, block<4>}, kernel<stride_in_a_batch>, many.view(), n),
      "");
  EXPECT_EQ(text_of(LaunchConfig{grid<2>, block<4, 2>}, kernel<stride_in_one_row>, many.view(), n),
            "");
  EXPECT_EQ(text_of(LaunchConfig{grid<2, 1, 3>, block<4>}, kernel<stride_in_a_batch>, many.view(),
                    std::size_t{0}),
            "")
      << "a batch without elements, in which no thread comes to ask";
  EXPECT_EQ(text_of(LaunchConfig{grid<3>, block<4>}, kernel<stride_twice>, many.view(), n), "")
      << "one row";
}

TEST_F(HostFault, AMatrixIsCheckedInRowsAndColumns) {
  const LaunchConfig one{grid<1>, block<1>};
  const auto matrix = [&] {
    return PitchedBuffer<int>::create(stream, extent<2>{rows{3}, cols{5}}).value();
  };
  const auto row = [&](std::size_t number) {
    auto made = matrix();
    return text_of(one, kernel<take_row>, made.view(), number);
  };
  EXPECT_EQ(row(2), "");
  EXPECT_THAT(row(3), HasSubstr("used element 3 of 3, in block (0,0,0), thread (0,0,0), at "
                                "spans.cpp:13"));
  const auto window = [&](int first, int high) {
    auto made = matrix();
    return text_of(one, kernel<take_window>, made.view(), first, high);
  };
  EXPECT_EQ(window(2, 1), "");
  EXPECT_THAT(window(2, 2), HasSubstr("took 2 elements from 2 on, of 3"));
  EXPECT_THAT(window(-1, 1), HasSubstr("spans.cpp:15"));
  const auto element = [&](Index3 at) {
    auto made = matrix();
    return text_of(one, kernel<write_element>, made.view(), at);
  };
  EXPECT_EQ(element({4, 2, 0}), "");
  EXPECT_THAT(element({5, 2, 0}), HasSubstr("used element 5 of 5"));
  EXPECT_THAT(element({0, 3, 0}), HasSubstr("spans.cpp:18"));
}

TEST_F(HostFault, ThreadsThatWaitAtABarrierDoNotHang) {
  auto ten = filled(counting(10));
  const LaunchConfig one{grid<4>, block<32>};
  // Under ThreadSanitizer the threads of a block run at the same time, and any may be the first.
  EXPECT_THAT(text_of(one, kernel<after_a_barrier>, ten.view()),
              testing::MatchesRegex("the kernel used element [123][0-9] of 10, in .*"));
}

TEST_F(HostFault, APointerFarBehindItsMemoryFaults) {
  if (host::address_sanitizer || host::thread_sanitizer)
    GTEST_SKIP() << "the sanitizer ends the program first";
  for (const std::size_t n : {std::size_t{2000}, std::size_t{1000000}, std::size_t{100000000}}) {
    auto ten = filled(counting(10));
    EXPECT_THAT(text_of(SafeGrid<>::cover(n, block<256>), kernel<fill_pointer>, ten.view(), n),
                testing::MatchesRegex("the kernel accessed address 0x[0-9a-f]+, where it has no "
                                      "memory, in block \\([0-9]+,0,0\\), thread .*"));
    // What was written between the buffer's end and the fault is found when it is freed.
    EXPECT_THAT(said(ten.close()),
                testing::ContainsRegex("written past the end of 40 bytes of memory that were "
                                       "allocated at .*; found when the memory was freed at "));
    host::reset();
  }
  const LaunchConfig one{grid<2>, block<32>};
  auto ten = filled(counting(10));
  EXPECT_THAT(text_of(one, kernel<pointer_after_a_barrier>, ten.view(), std::size_t{100000}),
              HasSubstr("where it has no memory"));
}

TEST_F(HostFault, TheNearestMemoryIsNamed) {
  if (host::address_sanitizer || host::thread_sanitizer)
    GTEST_SKIP() << "the sanitizer ends the program first";
  auto ten = filled(counting(10));
  EXPECT_THAT(text_of(LaunchConfig{grid<1>, block<128>}, kernel<fill_pointer>, ten.view(), 128),
              HasSubstr("; that is 216 bytes past the end of 40 bytes that were allocated at "));
  EXPECT_THAT(text_of(LaunchConfig{grid<1>, block<1>}, kernel<fill_pointer>, nullptr, 1),
              testing::Not(HasSubstr("that is")));
}

TEST_F(HostFault, ANullPointerFaults) {
  if (host::address_sanitizer || host::thread_sanitizer)
    GTEST_SKIP() << "the sanitizer ends the program first";
  EXPECT_THAT(text_of(LaunchConfig{grid<1>, block<1>}, kernel<fill_pointer>, nullptr, 1),
              HasSubstr("accessed address 0x0,"));
}

TEST_F(HostFault, TheDeviceRunsKernelsAfterAReset) {
  {
    auto ten = filled(counting(10));
    EXPECT_NE(text_of(LaunchConfig{grid<1>, block<32>}, kernel<fill>, ten.view(), 11), "");
  }
  auto more = filled(counting(10));
  ASSERT_TRUE(
      launch(stream, LaunchConfig{grid<1>, block<32>}, kernel<fill>, more.view(), 10).has_value());
  EXPECT_EQ(read(more), std::vector<int>(10, 1));
}

TEST_F(HostFault, FaultsOfTheProgramItselfGoToItsOwnHandler) {
  if (host::address_sanitizer || host::thread_sanitizer) GTEST_SKIP() << "has its own handler";
  EXPECT_EXIT(static_cast<void>(std::raise(SIGSEGV)), testing::KilledBySignal(SIGSEGV), "");
  int* volatile nowhere = nullptr;
  EXPECT_EXIT(*nowhere = 1, testing::KilledBySignal(SIGSEGV), "");
}

/// Uses about `kibibytes` KiB of the stack.
[[gnu::noinline]] int go_down(int kibibytes, volatile char* before) {
  volatile char room[1000];
  room[0] = before == nullptr ? '\1' : before[0];
  return kibibytes == 0 ? room[0] : go_down(kibibytes - 1, room) + room[0];
}
WARPSAFE_KERNEL void needs_stack(int* x, int kibibytes) {
  if (thread_in_block().x == 3) x[0] = go_down(kibibytes, nullptr);
  sync_block();
}
WARPSAFE_KERNEL void has_large_locals(int* x, std::size_t at) {
  volatile float table[150000];  // 600 KB
  for (volatile float& one : table) one = 1;
  sync_block();
  x[thread_in_block().x] = static_cast<int>(table[at]);
}

struct HostStackDeathTest : testing::Test {
  // A new process, not a fork: the modelled GPU has threads.
  HostStackDeathTest() { testing::FLAGS_gtest_death_test_style = "threadsafe"; }

  [[nodiscard]] static bool runs(int kibibytes) {
    const Stream other = Stream::create().value();
    auto x = DeviceBuffer<int>::create(other, 4).value();
    const LaunchConfig config{grid<2>, block<8>};
    return launch(other, config, kernel<needs_stack>, x.view(), kibibytes).has_value() &&
           other.synchronize().has_value();
  }
  /// Runs it with WARPSAFE_HOST_STACK, and ends with 0 if it succeeds.
  [[noreturn]] static void run_and_exit(const char* stack, int kibibytes) {
    ::setenv("WARPSAFE_HOST_STACK", stack, 1);
    std::_Exit(runs(kibibytes) ? 0 : 1);
  }
};

TEST_F(HostStackDeathTest, AStackThatIsUsedUpIsToldBeforeTheProgramEnds) {
  if (host::address_sanitizer || host::thread_sanitizer) GTEST_SKIP() << "has its own handler";
  EXPECT_EXIT(
      run_and_exit("", 2000), testing::KilledBySignal(SIGSEGV),
      "^warpsafe: kernel '.*needs_stack' used up the stack of a thread, 786432 bytes, in block "
      "\\([01],0,0\\), thread \\(3,0,0\\)\n  its local variables and calls need more; set "
      "WARPSAFE_HOST_STACK=1536K, or call host::set_stack_bytes before the launch\n"
      "(qemu: .*\n)?$");  // an emulator adds a line
  EXPECT_EXIT(run_and_exit("64K", 100), testing::KilledBySignal(SIGSEGV),
              "65536 bytes, .*WARPSAFE_HOST_STACK=128K");
  const auto with_a_handler = [] {
    struct sigaction own {};
    own.sa_handler = [](int) { std::_Exit(7); };
    own.sa_flags = SA_ONSTACK;
    static_cast<void>(sigaction(SIGSEGV, &own, nullptr));
    run_and_exit("", 2000);
  };
  EXPECT_EXIT(with_a_handler(), testing::ExitedWithCode(7), "used up the stack");
}

TEST_F(HostStackDeathTest, TheSwitchRaisesItAndAMalformedValueIsTold) {
  if (host::address_sanitizer || host::thread_sanitizer) GTEST_SKIP() << "has its own stacks";
  EXPECT_EXIT(run_and_exit("4M", 2000), testing::ExitedWithCode(0), "^$");
  EXPECT_EXIT(run_and_exit("3000000", 2000), testing::ExitedWithCode(0), "^$");
  EXPECT_EXIT(
      run_and_exit("12\n\x1b[2J", 1), testing::ExitedWithCode(0),
      "^warpsafe: WARPSAFE_HOST_STACK=12.x0a.x1b.2J is not the size of a kernel thread's stack, from "
      "64K to 1024M, such as 1048576, 1024K or 1M; 768K is used\n$");
}

WARPSAFE_KERNEL void write_at(int* x, int at) { x[at] = 1; }

struct MemoryGuardDeathTest : HostStackDeathTest {
  /// Writes x[at] of 10 elements with WARPSAFE_GUARD, prints what is said, and ends with 0 if
  /// nothing failed until the memory was freed.
  [[noreturn]] static void write_and_exit(const char* guard, int at) {
    ::setenv("WARPSAFE_GUARD", guard, 1);
    const Stream other = Stream::create().value();
    auto x = DeviceBuffer<int>::create(other, 10).value();
    const LaunchConfig one{grid<1>, block<1>};
    const bool launched = launch(other, one, kernel<write_at>, x.view(), at).has_value();
    const auto after_kernel = other.synchronize();
    if (!after_kernel) std::fprintf(stderr, "%s", said(after_kernel).c_str());
    std::_Exit(launched && after_kernel.has_value() ? 0 : 1);
  }
};

TEST_F(MemoryGuardDeathTest, FindsTheFirstElementPastTheEndAndBeforeTheBeginning) {
  if (host::address_sanitizer || host::thread_sanitizer)
    GTEST_SKIP() << "the sanitizer has its own guards";
  const auto right = testing::ExitedWithCode(0);
  const auto wrong = testing::ExitedWithCode(1);
  EXPECT_EXIT(write_and_exit("0", 12), wrong,
              "written past the end of 40 bytes of memory that were allocated at "
              "host_fault_test.cpp:[0-9]+; found at the end of kernel 'write_at', launched at "
              "host_fault_test.cpp:[0-9]+");
  EXPECT_EXIT(write_and_exit("1", 12), wrong, "that is 8 bytes past the end of 40 bytes");
  EXPECT_EXIT(write_and_exit("1", 9), right, "^$");
  EXPECT_EXIT(write_and_exit("0", -1), right, "^$");
  EXPECT_EXIT(write_and_exit("before", -1), wrong, "that is 4 bytes before the beginning of 40 b");
  EXPECT_EXIT(write_and_exit("before", 0), right, "^$");
  EXPECT_EXIT(write_and_exit("-1\n", 0), right,
              "^warpsafe: WARPSAFE_GUARD=-1.x0a is none of 0, 1 and before; 0 is "
              "used\n$");
}

WARPSAFE_KERNEL void print_text(const char* text, std::size_t offset) {
  std::printf("text: %s\n", text + offset);
}
WARPSAFE_KERNEL void copy_bytes(char* to, std::size_t offset, std::size_t count) {
  std::memcpy(to + offset, &count, count);
}
WARPSAFE_KERNEL void wait_for_signal(int* x) {
  static_cast<void>(::kill(::getpid(), SIGSEGV));
  *x = 1;
}
constexpr std::size_t far_away = std::size_t{1} << 20U;

/// Runs a kernel on an array of bytes. Ends with 0 if it ran, with 1 if an error was returned.
template <auto Fn, class... A>
[[noreturn]] void run_bytes_and_exit(const A&... values) {
  const Stream own = Stream::create().value();
  auto bytes = DeviceBuffer<char>::create(own, 16).value();
  const LaunchConfig one{grid<1>, block<1>};
  const bool launched = bytes.zero(own).has_value() &&
                        launch(own, one, kernel<Fn>, bytes.view(), values...).has_value();
  const auto ended = own.synchronize();
  if (!ended.has_value()) std::fprintf(stderr, "%s", said(ended).c_str());
  std::_Exit(launched && ended.has_value() ? 0 : 1);
}

using HostFaultDeathTest = HostStackDeathTest;

// printf holds the lock of stdout. Nothing could release it, and the next printf would wait for
// ever.
TEST_F(HostFaultDeathTest, AFunctionThatMayHoldALockEndsTheProgram) {
  if (host::address_sanitizer || host::thread_sanitizer) GTEST_SKIP() << "has its own handler";
#if !defined(DLFO_STRUCT_HAS_EH_DBASE)
  GTEST_SKIP() << "the C library does not tell a handler where a function is";
#endif
  EXPECT_EXIT(
      run_bytes_and_exit<print_text>(far_away), testing::KilledBySignal(SIGSEGV),
      "^warpsafe: kernel '.*print_text' called a function of [^ ]+, which accessed address "
      "0x[0-9a-f]+, where it has no memory, in block \\(0,0,0\\), thread \\(0,0,0\\)\n  the "
      "function may hold a lock, so the program ends\n(qemu: .*\n)?$");
  const auto with_a_handler = [] {
    struct sigaction own {};
    own.sa_handler = [](int) { std::_Exit(7); };
    static_cast<void>(sigaction(SIGSEGV, &own, nullptr));
    run_bytes_and_exit<print_text>(far_away);
  };
  EXPECT_EXIT(with_a_handler(), testing::ExitedWithCode(7), "may hold a lock");
  EXPECT_EXIT(run_bytes_and_exit<print_text>(std::size_t{0}), testing::ExitedWithCode(0), "^$");
}

TEST_F(HostFaultDeathTest, AFunctionThatHoldsNoLockFailsItsKernel) {
  if (host::address_sanitizer || host::thread_sanitizer) GTEST_SKIP() << "has its own handler";
  EXPECT_EXIT(run_bytes_and_exit<copy_bytes>(far_away, sizeof(std::size_t)),
              testing::ExitedWithCode(1),
              "the kernel accessed address 0x[0-9a-f]+, where it has no memory, in block");
}

TEST_F(HostFaultDeathTest, ASignalThatIsSentIsNoFaultOfTheKernel) {
  if (host::address_sanitizer || host::thread_sanitizer) GTEST_SKIP() << "has its own handler";
  const auto send = [](void (*handler)(int)) {
    struct sigaction own {};
    own.sa_handler = handler;
    static_cast<void>(sigaction(SIGSEGV, &own, nullptr));  // before the backend's
    const Stream stream = Stream::create().value();
    auto x = DeviceBuffer<int>::create(stream, 1).value();
    const bool launched =
        launch(stream, LaunchConfig{grid<1>, block<1>}, kernel<wait_for_signal>, x.view())
            .has_value();
    std::_Exit(launched && stream.synchronize().has_value() ? 0 : 1);
  };
  EXPECT_EXIT(send([](int) { static_cast<void>(::write(STDERR_FILENO, "own\n", 4) == 4); }),
              testing::ExitedWithCode(0), "^own\n$");
  EXPECT_EXIT(send(SIG_IGN), testing::ExitedWithCode(0), "^$");
  EXPECT_EXIT(send(SIG_DFL), testing::KilledBySignal(SIGSEGV), "^$");
}

TEST_F(HostFault, LocalVariablesOfHalfAMebibyteFit) {
  auto x = filled(std::vector<int>(8));
  ASSERT_TRUE(launch(stream, LaunchConfig{grid<1>, block<8>}, kernel<has_large_locals>, x.view(),
                     std::size_t{149999})
                  .has_value());
  EXPECT_EQ(read(x), std::vector<int>(8, 1));
}

TEST_F(HostFault, AProgramSetsTheStack) {
  EXPECT_FALSE(host::set_stack_bytes(host::least_stack_bytes - 1));
  EXPECT_FALSE(host::set_stack_bytes(host::most_stack_bytes + 1));
  const std::size_t before = host::stack_bytes();
  ASSERT_TRUE(host::set_stack_bytes(std::size_t{4} << 20U));
  if (!host::address_sanitizer && !host::thread_sanitizer) {
    EXPECT_TRUE(HostStackDeathTest::runs(2000));
  }
  ASSERT_TRUE(host::set_stack_bytes(before));
}

const Stream* stream_of_kernel = nullptr;
std::string said_in_kernel;
WARPSAFE_KERNEL void waits_for_itself(int* x) {
  const auto waited = stream_of_kernel->synchronize();
  said_in_kernel = waited.has_value() ? "" : message(error_in(waited));
  const auto made = DeviceBuffer<int>::create(*stream_of_kernel, 4);
  x[0] = made.has_value() ? 1 : 2;
}

TEST_F(HostFault, AKernelThatWaitsForItsOwnStreamIsToldInsteadOfHanging) {
  stream_of_kernel = &stream;
  auto x = filled(std::vector<int>(1));
  ASSERT_TRUE(launch(stream, LaunchConfig{grid<1>, block<1>}, kernel<waits_for_itself>, x.view())
                  .has_value());
  EXPECT_EQ(read(x), std::vector<int>{2});
  EXPECT_THAT(said_in_kernel,
              HasSubstr("a kernel called a host function of the runtime, and a wait for its own "
                        "stream would never end; call it outside of kernels"));
  EXPECT_EQ(host::take_last_error(), HostStatus::success);
}

// The handler has a stack of its own, and leaves it by switching fibres.
TEST_F(HostFault, ManyFaultsInARow) {
  if (host::address_sanitizer || host::thread_sanitizer)
    GTEST_SKIP() << "the sanitizer ends the program first";
  for (int i = 0; i < 200; ++i) {
    EXPECT_THAT(text_of(LaunchConfig{grid<1>, block<1>}, kernel<fill_pointer>, nullptr, 1),
                HasSubstr("accessed address 0x0,"));
  }
}

enum Place : unsigned char { third = 2 };
struct Counted {
  operator std::size_t() const { return 3; }
};

// Whatever converts to a number is an index, in every spelling.
TEST_F(HostFault, AnIndexHasAnyTypeThatConverts) {
  int memory[5] = {};
  const DeviceSpan<int> span(detail::DeviceAccess::pointer(memory), 5);
  const unsigned char small = 1;
  const std::int64_t wide = 4;
  EXPECT_EQ(&span[0], memory);
  EXPECT_EQ(&span[small], memory + 1);
  EXPECT_EQ(&span[third], memory + 2);
  EXPECT_EQ(&span[std::size_t{Counted()}], memory + 3);
  EXPECT_EQ(&span[wide], memory + 4);
  EXPECT_EQ(&span['\1'], memory + 1);
  EXPECT_EQ(&span[Counted()], memory + 3);
  const std::integral_constant<int, 2> two;
  EXPECT_EQ(&span[two], memory + 2);
}

}  // namespace

}  // namespace warpsafe::core_test
