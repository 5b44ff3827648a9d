// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Counters that nothing set to 0 before a kernel adds to them, and copies of a few bytes that
// nothing wrote.

#include "run_fixture.hpp"
#include <warpsafe/graph.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/memory.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpsafe::adversarial::unwritten_reads {
namespace {

using debug::Mistake;
using testing::HasSubstr;

constexpr std::uint64_t some_seeds = 30;
constexpr std::size_t count = 1000;

template <class T>
WARPSAFE_KERNEL void count_up(T* counters) {
  atomic_add(&counters[1], T{1});
}
struct Counters {
  DeviceSpan<unsigned> all;
};
WARPSAFE_KERNEL void count_inside(Counters counters) { atomic_add(&counters.all[1], 1U); }
WARPSAFE_KERNEL void set_and_count(unsigned* counters) {
  if (thread_index().x == 0) counters[1] = 0;
  sync_block();
  atomic_add(&counters[1], 1U);
}
WARPSAFE_KERNEL void set_all(unsigned* counters) {
  for (auto i : grid_stride(count)) counters[i] = 0;
}
WARPSAFE_KERNEL void set_span(DeviceSpan<unsigned> counters) {
  for (auto i : grid_stride(counters.size())) counters[i] = 0;
}
WARPSAFE_KERNEL void add_number(int* counters, int number) {
  atomic_add(counters, number);
  atomic_add(counters, 1);
}

/// A program with a buffer of T that nothing has written, and a stream.
template <class T, class Body>
debug::RaceReport run_with(const Body& body) {
  return run(some_seeds, [&]() -> result<void> {
    WARPSAFE_TRY(const auto stream, Stream::create(DeviceId(0)));
    WARPSAFE_TRY(auto counters, DeviceBuffer<T>::create(stream, count));
    WARPSAFE_TRYV(body(stream, counters));
    return stream.synchronize();
  });
}
void expect_one(const debug::RaceReport& report) {
  ASSERT_EQ(report.findings.size(), 1U) << report;
  EXPECT_EQ(report.findings[0].mistake, Mistake::unwritten_read);
  EXPECT_EQ(report.seeds_run, 1U);
}

template <class T>
class Unwritten : public testing::Test {};
using Types = testing::Types<int, unsigned, unsigned long long, float>;
TYPED_TEST_SUITE(Unwritten, Types);

TYPED_TEST(Unwritten, CountersAreReported) {
  using T = TypeParam;
  const auto report = run_with<T>([](const Stream& stream, DeviceBuffer<T>& counters) {
    return launch(stream, once, kernel<count_up<T>>, counters.view());
  });
  expect_one(report);
  EXPECT_THAT(report.text(), HasSubstr("Read of memory that nothing has written\n  #2 kernel "));
  EXPECT_THAT(report.text(), HasSubstr("adds to it by atomic_add\n  write the memory first"));
}
TYPED_TEST(Unwritten, CountersThatWereSetAreNot) {
  using T = TypeParam;
  const auto zeroed =
      run_with<T>([](const Stream& stream, DeviceBuffer<T>& counters) -> result<void> {
        WARPSAFE_TRYV(counters.zero(stream));
        return launch(stream, once, kernel<count_up<T>>, counters.view());
      });
  EXPECT_TRUE(zeroed.clean()) << zeroed;
  const auto copied =
      run_with<T>([](const Stream& stream, DeviceBuffer<T>& counters) -> result<void> {
        WARPSAFE_TRY(const auto zeros, DeviceBuffer<T>::from(stream, std::vector<T>(count)));
        WARPSAFE_TRYV(copy(stream, from(zeros), to(counters)));
        return launch(stream, once, kernel<count_up<T>>, counters.view());
      });
  EXPECT_TRUE(copied.clean()) << copied;
}

WARPSAFE_KERNEL void set_bytes(char* x, std::size_t size) {
  for (auto i : grid_stride(size)) x[i] = static_cast<char>(0xFA);
}
/// A run that copies `size` of 100 bytes, or of `size` bytes, to the host. `write` may write them.
template <class Write>
debug::RaceReport copied(std::size_t size, std::size_t all, const Write& write) {
  return run(some_seeds, [&]() -> result<void> {
    WARPSAFE_TRY(const auto stream, Stream::create(DeviceId(0)));
    WARPSAFE_TRY(auto x, DeviceBuffer<char>::create(stream, all));
    WARPSAFE_TRYV(write(stream, x));
    WARPSAFE_TRY(const auto part, x.view().subspan(0, size));
    std::vector<char> host(size);
    return copy_and_wait(stream, from(part), to(host));
  });
}

// The byte that the backend puts into new memory is a byte like any other.
TEST(UnwrittenBytes, FewerThanAnElementAreReported) {
  for (const std::size_t size : {1U, 2U, 3U}) {
    for (const std::size_t all : {size, std::size_t{100}}) {
      expect_one(copied(size, all, [](const Stream&, DeviceBuffer<char>&) { return success(); }));
      const auto zeroed = copied(
          size, all, [](const Stream& stream, DeviceBuffer<char>& x) { return x.zero(stream); });
      EXPECT_TRUE(zeroed.clean()) << zeroed;
      const auto set = copied(size, all, [](const Stream& stream, DeviceBuffer<char>& x) {
        return launch(stream, once, kernel<set_bytes>, x.view(), x.size());
      });
      EXPECT_TRUE(set.clean()) << set;
    }
  }
}

TEST(UnwrittenBytes, AtAnyOffsetAreReported) {
  for (const std::size_t size : {4U, 5U, 7U, 9U}) {
    for (std::size_t begin = 0; begin < 6; ++begin) {
      expect_one(run(some_seeds, [&]() -> result<void> {
        WARPSAFE_TRY(const auto stream, Stream::create(DeviceId(0)));
        WARPSAFE_TRY(auto x, DeviceBuffer<char>::create(stream, 100));
        WARPSAFE_TRY(const auto part, x.view().subspan(begin, size));
        std::vector<char> host(size);
        return copy_and_wait(stream, from(part), to(host));
      }));
    }
  }
}
/// A run that copies the bytes 0xFA into a buffer, and one of its bytes to the host.
template <class Write>
debug::RaceReport after(const Write& write) {
  return copied(1, 100, write);
}
// Each kind of work writes.
TEST(UnwrittenBytes, ThatACopyAFillOrAGraphWroteAreNotReported) {
  const auto by_copy = after([](const Stream& stream, DeviceBuffer<char>& x) {
    return copy_and_wait(stream, from(std::vector<char>(100, static_cast<char>(0xFA))), to(x));
  });
  EXPECT_TRUE(by_copy.clean()) << by_copy;
  const auto by_fill = after([](const Stream& stream, DeviceBuffer<char>& x) -> result<void> {
    EXPECT_EQ(host_backend::fill(x.view().pointer().get(), 0xFA, 100, stream.native()), 0);
    return success();
  });
  EXPECT_TRUE(by_fill.clean()) << by_fill;
  const auto by_graph = after([](const Stream& stream, DeviceBuffer<char>& x) -> result<void> {
    WARPSAFE_TRY(auto graph, capture(stream, [&](Capture&) {
                   return launch(stream, once, kernel<set_bytes>, x.view(), x.size());
                 }));
    WARPSAFE_TRY(auto executable, graph.instantiate());
    WARPSAFE_TRYV(executable.launch(stream));
    return stream.synchronize();
  });
  EXPECT_TRUE(by_graph.clean()) << by_graph;
}
TEST(UnwrittenBytes, AfterAKernelThatHasOtherMemoryAreReported) {
  expect_one(after([](const Stream& stream, DeviceBuffer<char>&) -> result<void> {
    WARPSAFE_TRY(auto other, DeviceBuffer<char>::create(stream, 100));
    WARPSAFE_TRYV(launch(stream, once, kernel<set_bytes>, other.view(), other.size()));
    return stream.synchronize();
  }));
}
struct Hiding {
  explicit Hiding(char* memory) : address(reinterpret_cast<std::uintptr_t>(memory)) {}
  std::uintptr_t address;
};
// The kernel may have written the byte.
TEST(UnwrittenBytes, ThatAKernelMayHaveWrittenUnseenAreNotReported) {
  for (const bool other_kernel_follows : {false, true}) {
    const auto report = after([&](const Stream& stream, DeviceBuffer<char>& x) -> result<void> {
      const auto write = functor([](Hiding to) { *reinterpret_cast<char*>(to.address) = '\xFA'; });
      WARPSAFE_TRYV(launch(stream, once, write, Hiding(x.view().pointer().get())));
      if (other_kernel_follows) WARPSAFE_TRYV(launch(stream, once, functor([] {})));
      return success();
    });
    ASSERT_EQ(report.findings.size(), 1U) << report;
    EXPECT_EQ(report.findings[0].mistake, Mistake::unseen_memory) << report;
  }
}
// What is known of the memory of one seed's run says nothing about the next.
TEST(UnwrittenBytes, OfALaterRunAreReported) {
  for (const bool unseen : {false, true}) {
    int runs = 0;
    const auto report = run(some_seeds, [&]() -> result<void> {
      WARPSAFE_TRY(const auto stream, Stream::create(DeviceId(0)));
      WARPSAFE_TRY(auto x, DeviceBuffer<char>::create(stream, 1));
      if (++runs == 1 && !unseen) {
        WARPSAFE_TRYV(launch(stream, once, kernel<set_bytes>, x.view(), x.size()));
      } else if (runs == 1) {
        WARPSAFE_TRYV(
            launch(stream, once, functor([](Hiding) {}), Hiding(x.view().pointer().get())));
      }
      std::vector<char> host(1);
      return copy_and_wait(stream, from(x), to(host));
    });
    const auto found = [&](const debug::Finding& one) {
      return one.mistake == Mistake::unwritten_read;
    };
    EXPECT_EQ(std::count_if(report.findings.begin(), report.findings.end(), found), 1) << report;
  }
}
// Only the host's values come from the copy.
TEST(UnwrittenBytes, AreReportedWhereTheyReachTheHost) {
  enum class Target { device, pinned, plain };
  for (const Target target : {Target::device, Target::pinned, Target::plain}) {
    const auto report = run(some_seeds, [&]() -> result<void> {
      WARPSAFE_TRY(const auto stream, Stream::create(DeviceId(0)));
      WARPSAFE_TRY(auto x, DeviceBuffer<int>::create(stream, 8));
      WARPSAFE_TRY(auto other, DeviceBuffer<int>::create(stream, 8));
      WARPSAFE_TRY(auto pinned, PinnedBuffer<int>::create(8));
      std::vector<int> plain(8);
      if (target == Target::plain) return copy_and_wait(stream, from(x), to(plain));
      if (target == Target::pinned) return copy_and_wait(stream, from(x), to(pinned.span()));
      WARPSAFE_TRYV(copy(stream, from(x), to(other)));
      return stream.synchronize();
    });
    if (target == Target::device) {
      EXPECT_TRUE(report.clean()) << report;
    } else {
      expect_one(report);
    }
  }
  const auto to_the_last_byte = run(some_seeds, []() -> result<void> {
    WARPSAFE_TRY(const auto stream, Stream::create(DeviceId(0)));
    WARPSAFE_TRY(auto x, DeviceBuffer<char>::create(stream, 1));
    WARPSAFE_TRY(auto other, DeviceBuffer<char>::create(stream, 8));
    WARPSAFE_TRY(auto last, other.view().subspan(7));
    WARPSAFE_TRYV(copy(stream, from(x), to(last)));
    return stream.synchronize();
  });
  EXPECT_TRUE(to_the_last_byte.clean()) << to_the_last_byte;
  // The host itself may have written the memory that comes from there.
  const auto managed = run(some_seeds, []() -> result<void> {
    WARPSAFE_TRY(const auto stream, Stream::create(DeviceId(0)));
    WARPSAFE_TRY(auto x, ManagedBuffer<int>::create(stream, 8));
    std::vector<int> plain(8);
    return copy_and_wait(stream, from(x.view()), to(plain));
  });
  EXPECT_TRUE(managed.clean()) << managed;
  const auto from_host = run(some_seeds, []() -> result<void> {
    WARPSAFE_TRY(const auto stream, Stream::create(DeviceId(0)));
    WARPSAFE_TRY(auto pinned, PinnedBuffer<int>::create(8));
    std::vector<int> plain(8);
    WARPSAFE_TRY(auto x, DeviceBuffer<int>::create(stream, 8));
    WARPSAFE_TRYV(copy_and_wait(stream, from(pinned.span()), to(x)));
    return copy_and_wait(stream, from(plain), to(x));
  });
  EXPECT_TRUE(from_host.clean()) << from_host;
}
WARPSAFE_KERNEL void set_row(PitchedSpan<int> x, unsigned row) {
  for (unsigned i = 0; i < 8; ++i) x.row(row)[i] = 1;
}
// Part of a matrix may be unused.
TEST(UnwrittenRows, AreReportedIfAllAreUnwritten) {
  for (const int written : {-1, 0, 1, 2}) {
    const auto report = run(some_seeds, [&]() -> result<void> {
      WARPSAFE_TRY(const auto stream, Stream::create(DeviceId(0)));
      WARPSAFE_TRY(auto x, PitchedBuffer<int>::create(stream, extent{rows{3}, cols{8}}));
      if (written >= 0) {
        const auto row = static_cast<unsigned>(written);
        WARPSAFE_TRYV(launch(stream, once, kernel<set_row>, x.view(), row));
      }
      std::vector<int> host(24);
      return copy_and_wait(stream, from(x), to(host));
    });
    if (written < 0) {
      expect_one(report);
    } else {
      EXPECT_TRUE(report.clean()) << written << report;
    }
  }
}

constexpr unsigned number_of_new_memory = 0xFFFAFAFA;
WARPSAFE_KERNEL void add_at(unsigned* counters, std::size_t at) { atomic_add(&counters[at], 1U); }
/// A run on a buffer of `size` counters, of which the kernel counts one.
debug::RaceReport counted(std::size_t size, std::size_t at) {
  return run(some_seeds, [&]() -> result<void> {
    WARPSAFE_TRY(const auto stream, Stream::create(DeviceId(0)));
    WARPSAFE_TRY(auto counters, DeviceBuffer<unsigned>::create(stream, size));
    WARPSAFE_TRYV(launch(stream, once, kernel<add_at>, counters.view(), at));
    return stream.synchronize();
  });
}
TEST(UnwrittenCounters, OfBuffersOfAnySizeAreReported) {
  for (const std::size_t size : {1U, 2U, 63U, 64U, 65U, 127U, 128U, 129U}) {
    for (const std::size_t at : {std::size_t{0}, size / 2, size - 1}) expect_one(counted(size, at));
  }
}
WARPSAFE_KERNEL void set_part(unsigned* counters, std::size_t begin, std::size_t end) {
  for (auto i : grid_stride(end - begin)) counters[begin + i] = number_of_new_memory;
}
// It is a number like any other where something was written.
TEST(UnwrittenCounters, BesideOnesThatHoldTheNumberOfNewMemoryAreNot) {
  for (const bool first_half : {true, false}) {
    const auto report =
        run_with<unsigned>([&](const Stream& stream, auto& counters) -> result<void> {
          // An end that holds another number shows that the buffer is in use.
          const std::size_t begin = first_half ? 1 : 500;
          const std::size_t end = first_half ? 500 : 999;
          WARPSAFE_TRY(const auto used, counters.view().subspan(first_half ? 0 : 999, 1));
          WARPSAFE_TRYV(launch(stream, once, kernel<set_span>, used));
          WARPSAFE_TRYV(launch(stream, once, kernel<set_part>, counters.view(), begin, end));
          return launch(stream, once, kernel<add_at>, counters.view(), begin + 1);
        });
    EXPECT_TRUE(report.clean()) << report;
  }
}
WARPSAFE_KERNEL void add_beside(unsigned* counters, unsigned*) { atomic_add(&counters[1], 1U); }
// Of the kernel's memory, only the new one is watched.
TEST(UnwrittenCounters, InMemoryBesideNewMemoryAreRight) {
  for (const bool lower : {true, false}) {
    const auto report = run(some_seeds, [&]() -> result<void> {
      WARPSAFE_TRY(const auto stream, Stream::create(DeviceId(0)));
      WARPSAFE_TRY(auto first, DeviceBuffer<unsigned>::create(stream, 100));
      WARPSAFE_TRY(auto second, DeviceBuffer<unsigned>::create(stream, 100));
      const bool ascend = first.view().pointer().get() < second.view().pointer().get();
      auto& used = ascend == lower ? first : second;
      auto& unused = ascend == lower ? second : first;
      WARPSAFE_TRYV(used.zero(stream));
      WARPSAFE_TRYV(
          launch(stream, once, kernel<set_part>, used.view(), std::size_t{1}, std::size_t{2}));
      WARPSAFE_TRYV(launch(stream, once, kernel<add_beside>, used.view(), unused.view()));
      return stream.synchronize();
    });
    EXPECT_TRUE(report.clean()) << report;
  }
}
WARPSAFE_KERNEL void use(unsigned*) {}
// The kernel before was given the memory when it was new.
TEST(UnwrittenCounters, AreNotThoseOfAnEarlierKernel) {
  const auto report = run_with<unsigned>([](const Stream& stream, auto& counters) -> result<void> {
    WARPSAFE_TRYV(launch(stream, once, kernel<use>, counters.view()));
    WARPSAFE_TRYV(counters.zero(stream));
    WARPSAFE_TRYV(
        launch(stream, once, kernel<set_part>, counters.view(), std::size_t{1}, std::size_t{2}));
    WARPSAFE_TRY(auto unused, DeviceBuffer<unsigned>::create(stream, 100));
    WARPSAFE_TRYV(launch(stream, once, kernel<add_beside>, counters.view(), unused.view()));
    return stream.synchronize();
  });
  EXPECT_TRUE(report.clean()) << report;
}
// The host may have set them, which no work shows.
TEST(UnwrittenCounters, InMemoryOfTheHostAreNotReported) {
  const auto report = run(some_seeds, []() -> result<void> {
    WARPSAFE_TRY(const auto stream, Stream::create(DeviceId(0)));
    WARPSAFE_TRY(auto pinned, PinnedBuffer<unsigned>::create(100));
    WARPSAFE_TRY(auto managed, ManagedBuffer<unsigned>::create(stream, 100));
    WARPSAFE_TRYV(launch(stream, once, kernel<count_up<unsigned>>, trust(pinned.span().data())));
    WARPSAFE_TRYV(launch(stream, once, kernel<count_up<unsigned>>, managed.view()));
    return stream.synchronize();
  });
  EXPECT_TRUE(report.clean()) << report;
}

TEST(UnwrittenCounters, InAStructureAreReported) {
  expect_one(run_with<unsigned>([](const Stream& stream, auto& counters) {
    return launch(stream, once, kernel<count_inside>, Counters{counters.view().span()});
  }));
}
TEST(UnwrittenCounters, InAGraphAreReported) {
  expect_one(run_with<unsigned>([](const Stream& stream, auto& counters) -> result<void> {
    WARPSAFE_TRY(auto graph, capture(stream, [&](Capture&) {
                   return launch(stream, once, kernel<count_up<unsigned>>, counters.view());
                 }));
    WARPSAFE_TRY(auto executable, graph.instantiate());
    WARPSAFE_TRYV(executable.launch(stream));
    return stream.synchronize();
  }));
}
TEST(UnwrittenCounters, BesideAPartThatWasWrittenAreReported) {
  expect_one(run_with<unsigned>([](const Stream& stream, auto& counters) -> result<void> {
    WARPSAFE_TRY(const auto left, counters.view().subspan(0, 500));
    WARPSAFE_TRY(const auto right, counters.view().subspan(500));
    WARPSAFE_TRYV(launch(stream, once, kernel<set_span>, left));
    return launch(stream, once, kernel<count_up<unsigned>>, right);
  }));
  expect_one(run_with<unsigned>([](const Stream& stream, auto& counters) -> result<void> {
    WARPSAFE_TRY(const auto left, counters.view().subspan(0, 500));
    WARPSAFE_TRY(const auto right, counters.view().subspan(500));
    WARPSAFE_TRYV(launch(stream, once, kernel<set_span>, right));
    return launch(stream, once, kernel<count_up<unsigned>>, left);
  }));
}
TEST(UnwrittenCounters, ThatTheKernelSetsItselfAreRight) {
  const auto in_kernel = run_with<unsigned>([](const Stream& stream, auto& counters) {
    return launch(stream, LaunchConfig{grid<1>, block<32>}, kernel<set_and_count>, counters.view());
  });
  EXPECT_TRUE(in_kernel.clean()) << in_kernel;
  const auto before = run_with<unsigned>([](const Stream& stream, auto& counters) -> result<void> {
    WARPSAFE_TRYV(launch(stream, once, kernel<set_all>, counters.view()));
    return launch(stream, once, kernel<count_up<unsigned>>, counters.view());
  });
  EXPECT_TRUE(before.clean()) << before;
}
// The number that the backend puts into new memory is a number like any other.
TEST(UnwrittenCounters, MayCountPastTheNumberOfNewMemory) {
  const auto report = run_with<int>([](const Stream& stream, auto& counters) -> result<void> {
    WARPSAFE_TRYV(counters.zero(stream));
    return launch(stream, once, kernel<add_number>, counters.view(), static_cast<int>(0xFFFAFAFA));
  });
  EXPECT_TRUE(report.clean()) << report;
}
TEST(UnwrittenCounters, OfAnotherStreamAreARaceInstead) {
  const auto report = run(some_seeds, []() -> result<void> {
    WARPSAFE_TRY(const auto stream, Stream::create(DeviceId(0)));
    WARPSAFE_TRY(const auto other, Stream::create(DeviceId(0)));
    WARPSAFE_TRY(auto counters, DeviceBuffer<unsigned>::create(stream, count));
    WARPSAFE_TRY(const auto allocated, stream.record());
    WARPSAFE_TRYV(wait(other, allocated));
    WARPSAFE_TRYV(launch(stream, once, kernel<count_up<unsigned>>, counters.view()));
    WARPSAFE_TRYV(counters.zero(other));
    WARPSAFE_TRYV(stream.synchronize());
    return other.synchronize();
  });
  ASSERT_EQ(report.findings.size(), 1U) << report;
  EXPECT_EQ(report.findings[0].mistake, Mistake::race);
}
TEST(UnwrittenCounters, AreSeenOnlyWhileTheDetectorRuns) {
  static_cast<void>(run_with<unsigned>([](const Stream& stream, auto& counters) {
    return launch(stream, once, kernel<count_up<unsigned>>, counters.view());
  }));
  EXPECT_EQ(detail::atomic_read, nullptr);
}

}  // namespace
}  // namespace warpsafe::adversarial::unwritten_reads
