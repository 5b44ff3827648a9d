// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Which kernels see old contents of memory because of dependent launches, with kernels whose run
// the test plays itself.

#include <warpsafe/backend/detail/host_thread.hpp>
#include <warpsafe/backend/host/detail/operation.hpp>
#include <warpsafe/backend/host/detail/runtime.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/race/detail/dependent_launches.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace warpsafe::host {
namespace {

constexpr char function = 0;

class Dependents : public testing::Test {
 protected:
  StreamState stream{*Runtime::get().devices[0], 0};
  MemoryRegistry memory;
  HostRaceRecorder recorder;
  DependentLaunches launches;
  std::size_t random = 0;          // what each random number is, if it may be so large
  std::vector<std::size_t> asked;  // below what the random numbers were
  int* x = add_memory();
  int* y = add_memory();
  static constexpr unsigned char zero = 0;  // the value of a fill

  Dependents() { recorder.begin(); }
  void SetUp() override {
    if (thread_sanitizer) GTEST_SKIP() << "ThreadSanitizer would report the change of the memory";
  }

  int* add_memory(std::size_t bytes = sizeof(int)) {
    Allocation made{Storage(bytes), bytes, MemoryKind::device, 0};
    auto* const at = static_cast<int*>(made.storage.get());
    memory.add(std::move(made));
    *at = 1;
    return at;
  }
  [[nodiscard]] static MemoryAccess writes(const void* at) {
    return MemoryAccess::of(at, MemoryAccess::whole_allocation, AccessKind::write);
  }
  [[nodiscard]] static MemoryAccess reads(const void* at) {
    return MemoryAccess::of(at, MemoryAccess::whole_allocation, AccessKind::read);
  }
  Shared<KernelOperation> submit(bool dependent, Array<MemoryAccess> accesses,
                                 std::uint32_t blocks = 1, std::uint32_t threads = 1) {
    LaunchShape shape{};
    for (int axis = 0; axis < 3; ++axis) shape.grid[axis] = shape.block[axis] = 1;
    shape.grid[0] = blocks;
    shape.block[0] = threads;
    shape.programmatic = dependent;
    const KernelEntry entry{&function, nullptr, nullptr, 0};
    auto made = make_shared<KernelOperation>(entry, shape, nullptr, Runtime::get().pool);
    made->accesses = std::move(accesses);
    submit(made);
    return made;
  }
  void submit(const Shared<Operation>& operation) {
    recorder.submitted(stream, *operation);
    stream.queue.push_back(operation);
  }
  /// Runs the front operation as `body`. Returns whether it saw old contents of memory.
  template <class Body>
  bool run(const Body& body) {
    const auto below = [&](std::size_t end) {
      asked.push_back(end);
      return random < end ? random : end - 1;
    };
    EXPECT_TRUE(launches.begin(stream, memory, recorder, below));
    const bool hides = launches.hides();
    const Shared<Operation> front = stream.queue.front();
    body();
    stream.queue.pop_front();
    EXPECT_TRUE(launches.end(stream, front, recorder));
    EXPECT_FALSE(launches.hides());
    return hides;
  }
  bool run() {
    return run([] {});
  }
  /// Whether a dependent kernel after a write of x sees x as it was, with `between` submitted
  /// before it.
  template <class Between>
  bool sees_old(const Between& between, bool dependent = true, bool begins_alone = false) {
    submit(false, {writes(x)});
    const std::size_t added = stream.queue.size();
    between();
    const std::size_t others = stream.queue.size() - added;
    submit(dependent, {reads(x)})->begins_alone = begins_alone;
    *x = 1;
    EXPECT_FALSE(run([&] { *x = 2; }));
    for (std::size_t i = 0; i < others; ++i) run();
    int seen = 0;
    const bool hides = run([&] { seen = *x; });
    EXPECT_EQ(seen, hides ? 1 : 2);
    EXPECT_EQ(*x, 2) << "in the end its own contents";
    return hides;
  }
};

TEST_F(Dependents, OnlyADependentLaunchSeesOldContents) {
  const auto nothing = [] {};
  EXPECT_TRUE(sees_old(nothing));
  EXPECT_FALSE(sees_old(nothing, false));
  EXPECT_FALSE(sees_old(nothing, true, true)) << "the host knew that the kernel had ended";
  random = 1;
  EXPECT_FALSE(sees_old(nothing)) << "a matter of chance";
}

TEST_F(Dependents, ARecordOrAnAllocationBetweenChangesNothingAndAFillOrdersBoth) {
  EXPECT_TRUE(sees_old([&] { submit(make_shared<MarkOperation>()); }));
  EXPECT_TRUE(sees_old([&] { submit(make_shared<AllocateOperation>(y, sizeof *y)); }));
  EXPECT_TRUE(sees_old([&] {
    submit(make_shared<MarkOperation>());
    submit(make_shared<MarkOperation>());
  }));
  EXPECT_TRUE(sees_old([&] {
    submit(make_shared<GraphOperation>(Shared<const GraphNodes>(make_shared<GraphNodes>())));
  })) << "a graph without nodes";
  EXPECT_FALSE(sees_old([&] { submit(make_shared<FillOperation>(y, zero, sizeof *y)); }));
  EXPECT_FALSE(sees_old([&] { submit(false, {}); })) << "a kernel that is no dependent";
}

// CUDA leaves out a wait for an event that is over.
TEST_F(Dependents, AWaitOrdersThemOnlyIfItsEventComesAfterTheFirstByWayOfAnotherStream) {
  StreamState other{*Runtime::get().devices[0], 1};
  const auto mark = [](const Shared<const Operation>& after = nullptr) {
    auto made = make_shared<MarkOperation>();
    made->after = after;
    return made;
  };
  const auto mark_on_other = [&](const Shared<const Operation>& after) {
    const auto made = mark(after);
    recorder.submitted(other, *made);
    return Shared<const Operation>(made);
  };
  EXPECT_TRUE(sees_old([&] { submit(mark(mark_on_other(nullptr))); })) << "it may be over";
  const auto record = [&] {
    const auto own = mark();
    submit(own);
    return Shared<const Operation>(own);
  };
  EXPECT_TRUE(sees_old([&] { submit(mark(record())); })) << "the stream's own event";
  EXPECT_FALSE(sees_old([&] { submit(mark(mark_on_other(record()))); }));
  EXPECT_FALSE(sees_old([&] {
    const auto allocation = make_shared<AllocateOperation>(y, sizeof *y);
    allocation->after = mark_on_other(record());
    submit(allocation);
  }));
  const auto before = mark_on_other(nullptr);
  EXPECT_TRUE(sees_old([&] { submit(mark(before)); })) << "the event is older than the first";
}

TEST_F(Dependents, OnlyWhatTheKernelWroteIsOld) {
  submit(false, {reads(y), writes(x), writes(x), writes(nullptr)});
  submit(true, {reads(x), reads(y)});
  EXPECT_FALSE(run([&] { *x = *y = 2; }));
  int seen[2]{};
  EXPECT_TRUE(run([&] {
    seen[0] = *x;
    seen[1] = *y;
  }));
  EXPECT_EQ(seen[0], 1);
  EXPECT_EQ(seen[1], 2);
  submit(false, {writes(x), writes(y)});
  submit(true, {reads(x), reads(y)});
  EXPECT_FALSE(run([&] { *x = *y = 3; }));
  EXPECT_TRUE(run([&] {
    seen[0] = *x;
    seen[1] = *y;
  }));
  EXPECT_EQ(seen[0], 2);
  EXPECT_EQ(seen[1], 2);
}

TEST_F(Dependents, MemoryThatWasFreedIsLeftAlone) {
  submit(false, {writes(x)});
  submit(true, {});
  EXPECT_FALSE(run([&] { *x = 2; }));
  memory.at(x)->freed = true;
  EXPECT_FALSE(run());
  EXPECT_EQ(*x, 2);
}

TEST_F(Dependents, MemoryOfAnotherSizeIsLeftAlone) {
  submit(false, {writes(x)});
  submit(true, {});
  EXPECT_FALSE(run([&] { *x = 2; }));
  memory.at(x)->bytes = 2 * sizeof(int);
  EXPECT_FALSE(run());
  EXPECT_EQ(*x, 2);
}

TEST_F(Dependents, ContentsAreKeptUpToALimit) {
  int* const large = add_memory(std::size_t{64} << 20U);
  submit(false, {writes(large), writes(x)});
  submit(true, {});
  EXPECT_FALSE(run([&] { *large = *x = 2; }));
  EXPECT_TRUE(run([&] {
    EXPECT_EQ(*large, 1);
    EXPECT_EQ(*x, 2) << "nothing is left for it";
  }));
  EXPECT_EQ(*large, 2);
}

TEST_F(Dependents, AsksForOneRandomNumberForEachDecision) {
  submit(false, {writes(x)});
  submit(true, {writes(x)}, 64, 128);
  submit(true, {}, 1024, 4);
  submit(true, {});
  run();
  EXPECT_EQ(asked, (std::vector<std::size_t>{2})) << "whether the next sees old contents";
  asked.clear();
  run();
  EXPECT_EQ(asked, (std::vector<std::size_t>{2, 1, 3})) << "and of which kernel, and which blocks";
  asked.clear();
  run();
  EXPECT_EQ(asked, (std::vector<std::size_t>{2, 2, 2})) << "the second did not wait";
  asked.clear();
  run();
  EXPECT_EQ(asked, (std::vector<std::size_t>{3, 1})) << "nothing follows";
}

TEST_F(Dependents, OfMorePendingKernelsThanSixteenTheOldestHaveEnded) {
  for (int i = 0; i < 20; ++i) submit(true, {});
  for (std::size_t i = 0; i < 20; ++i) {
    asked.clear();
    run();
    if (i == 0) continue;
    const std::size_t pending = i < 16 ? i : 16;
    ASSERT_GE(asked.size(), 2U);
    EXPECT_EQ(asked[asked.size() - 2], pending);
  }
}

TEST_F(Dependents, AfterItIsClearedNothingIsOld) {
  submit(false, {writes(x)});
  submit(true, {reads(x)});
  EXPECT_FALSE(run([&] { *x = 2; }));
  launches.clear();
  EXPECT_FALSE(run());
}

TEST_F(Dependents, AKernelThatNeverWaitedIsRemarked) {
  submit(true, {});
  submit(true, {})->never_waited = true;
  submit(false, {})->never_waited = true;
  for (int i = 0; i < 3; ++i) {
    auto* const kernel = static_cast<KernelOperation*>(stream.queue.front().get());
    run([&] { EXPECT_EQ(kernel->followed, i != 2); });
    EXPECT_FALSE(kernel->followed);
    EXPECT_EQ(kernel->grid.watch, nullptr);
  }
  ASSERT_EQ(recorder.remarks.size(), 1U);
  EXPECT_EQ(recorder.remarks[0], std::pair(debug::Point{1}, debug::Mistake::missing_wait));
}

TEST_F(Dependents, AKernelThatDoesNotWaitPassesItsPredecessorOn) {
  const auto third_sees_old = [&](bool second_waits) {
    *x = 1;
    submit(false, {writes(x)});
    const auto second = submit(true, {});
    submit(true, {reads(x)});
    random = 0;
    EXPECT_FALSE(run([&] { *x = 2; }));
    // The oldest pending kernel is the first.
    run([&] {
      if (second_waits) {
        second->grid.depend(true);
        static_cast<void>(second->grid.watch->begin_block(0));
        second->grid.watch->wait({}, "a.cpp", 1);
        second->grid.watch->end_block();
      }
    });
    return run();
  };
  EXPECT_TRUE(third_sees_old(false));
  EXPECT_FALSE(third_sees_old(true));
}

TEST_F(Dependents, WithoutMemoryForTheirOrderAKernelRunsAsAnOrdinaryOne) {
  // At each of its three random numbers.
  for (std::size_t failing = 1; failing <= 3; ++failing) {
    *x = 1;
    submit(false, {writes(x)});
    const auto second = submit(true, {writes(x)});
    submit(true, {});
    run([&] { *x = 2; });
    std::size_t drawn = 0;
    EXPECT_FALSE(launches.begin(stream, memory, recorder, [&](std::size_t) -> std::size_t {
      if (++drawn == failing) throw std::bad_alloc();
      return 0;
    }));
    EXPECT_EQ(drawn, failing);
    EXPECT_FALSE(launches.hides());
    EXPECT_EQ(*x, 2) << "what the kernel before wrote";
    EXPECT_FALSE(second->followed);
    EXPECT_EQ(second->grid.watch, nullptr);
    const Shared<Operation> front = stream.queue.front();
    *x = 3;
    stream.queue.pop_front();
    EXPECT_TRUE(launches.end(stream, front, recorder));
    asked.clear();
    EXPECT_FALSE(run()) << "old contents were not kept";
    EXPECT_EQ(asked, (std::vector<std::size_t>{1, 1})) << "only the kernel before is pending";
    EXPECT_EQ(*x, 3);
  }
}

TEST_F(Dependents, AsksWhetherTheNextKernelSeesOldContentsOnlyIfItCanOverlap) {
  const auto asks = [&](const auto& next) {
    submit(false, {writes(x)});
    next();
    asked.clear();
    run();
    const bool did = !asked.empty();
    asked.clear();
    while (!stream.queue.empty()) run();
    return did;
  };
  const auto record = [&] { submit(make_shared<MarkOperation>()); };
  EXPECT_FALSE(asks([] {}));
  EXPECT_TRUE(asks([&] { submit(true, {}); }));
  EXPECT_FALSE(asks([&] { submit(false, {}); }));
  EXPECT_FALSE(asks([&] { submit(true, {})->begins_alone = true; }));
  EXPECT_FALSE(asks([&] { submit(false, {})->begins_alone = true; }));
  EXPECT_FALSE(asks(record));
  EXPECT_TRUE(asks([&] {
    record();
    submit(true, {});
  }));
  EXPECT_FALSE(asks([&] {
    submit(make_shared<FillOperation>(y, zero, sizeof *y));
    submit(true, {});
  }));
  EXPECT_EQ(asked, (std::vector<std::size_t>{1})) << "after another operation nothing is pending";
  EXPECT_TRUE(asks([&] {
    const auto wait = make_shared<MarkOperation>();
    wait->after = make_shared<MarkOperation>();
    submit(wait);
    submit(true, {});
  })) << "the event may be over";
  submit(false, {writes(x)});
  const auto alone = submit(true, {});
  run();
  alone->begins_alone = true;
  asked.clear();
  run();
  EXPECT_EQ(asked, (std::vector<std::size_t>{1})) << "nor where the host has waited";
}

TEST_F(Dependents, AnAccessOfTheLastByteIsOneOfTheAllocation) {
  submit(false, {writes(reinterpret_cast<const char*>(x) + sizeof *x - 1)});
  submit(true, {});
  run([&] { *x = 2; });
  EXPECT_TRUE(run([&] { EXPECT_EQ(*x, 1); }));
  EXPECT_EQ(*x, 2);
}

TEST_F(Dependents, AnAllocationThatIsWrittenTwiceCountsOnce) {
  constexpr std::size_t bytes = std::size_t{22} << 20U;  // of 64 MiB that are kept
  int* const large = add_memory(bytes);
  int* const other = add_memory(bytes);
  submit(false, {writes(large), writes(large), writes(other)});
  submit(true, {});
  run([&] { *large = *other = 2; });
  EXPECT_TRUE(run([&] {
    EXPECT_EQ(*large, 1);
    EXPECT_EQ(*other, 1);
  }));
}

TEST_F(Dependents, MemoryThatIsGoneIsLeftAlone) {
  submit(false, {writes(x)});
  submit(true, {});
  run([&] { *x = 2; });
  static_cast<void>(memory.remove(x));
  EXPECT_FALSE(run());
}

TEST_F(Dependents, ItsWaitCoversTheKernelDirectlyBeforeAlone) {
  for (const std::size_t chosen : {std::size_t{0}, std::size_t{1}}) {
    *x = *y = 1;
    submit(false, {writes(x)});
    submit(true, {writes(y)});
    const auto third = submit(true, {});
    random = 0;
    run([&] { *x = 2; });
    run([&] { *y = 2; });
    random = chosen;  // of the first two
    EXPECT_TRUE(run([&] {
      EXPECT_EQ(*x, chosen == 0 ? 1 : 2);
      EXPECT_EQ(*y, chosen == 1 ? 1 : 2);
      static_cast<void>(third->grid.watch->begin_block(0));
      third->grid.watch->wait({}, "a.cpp", 1);
      EXPECT_EQ(*x, chosen == 0 ? 1 : 2) << "the second did not wait for the first";
      EXPECT_EQ(*y, 2);
      third->grid.watch->end_block();
    }));
    EXPECT_EQ(*x, 2);
  }
}

/// Accesses that are noted: not under the sanitizers, which have their own handlers of faults.
class EarlyAccesses : public Dependents {
 protected:
  warpsafe::detail::HostThread self{};

  void SetUp() override {
    if (address_sanitizer || thread_sanitizer)
      GTEST_SKIP() << "the sanitizers have their own handler";
    random = 1;  // nothing is hidden
  }
  /// Runs `body` as the only thread of the front kernel.
  template <class Body>
  void run_thread(const Body& body) {
    run([&] {
      auto* const kernel = static_cast<KernelOperation*>(stream.queue.front().get());
      kernel->grid.begin();
      if (kernel->grid.watch != nullptr) static_cast<void>(kernel->grid.watch->begin_block(0));
      warpsafe::detail::host_thread = &self;
      body(*kernel);
      warpsafe::detail::host_thread = nullptr;
      if (kernel->grid.watch != nullptr) kernel->grid.watch->end_block();
    });
  }
  static void touch(volatile int* at, bool stores) {
    if (stores) {
      *at = 3;
    } else {
      static_cast<void>(*at);
    }
  }
  void wait(KernelOperation& kernel) {
    kernel.grid.depend(true);
    kernel.grid.watch->wait(self, "a.cpp", 1);
  }
  /// Whether the system may read it. A protected page makes the call fail.
  [[nodiscard]] static bool is_readable(const void* at) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe(ends.data()), 0);
    const bool read = write(ends[1], at, 1) == 1;
    for (const int end : ends) close(end);
    return read;
  }
};

TEST_F(EarlyAccesses, OnlyMemoryOfPendingKernelsIsProtected) {
  submit(false, {writes(x)});
  submit(true, {reads(x), writes(y)});
  submit(true, {});
  submit(false, {});
  submit(true, {});
  run_thread([](auto&) {});
  run_thread([&](auto& kernel) {
    EXPECT_FALSE(is_readable(x));
    EXPECT_TRUE(is_readable(y));
    wait(kernel);
    EXPECT_TRUE(is_readable(x));
  });
  run_thread([&](auto&) {
    EXPECT_TRUE(is_readable(x)) << "the second waited for the first";
    EXPECT_FALSE(is_readable(y));
  });
  run_thread([&](auto&) { EXPECT_TRUE(is_readable(y)); });
  run_thread([&](auto&) {
    EXPECT_TRUE(is_readable(x));
    EXPECT_TRUE(is_readable(y));
  });
}

TEST_F(EarlyAccesses, OfAKernelThatAllowsItsDependentsTheReadsCountToo) {
  volatile int* const at = x;
  for (const bool allows : {false, true}) {
    for (const bool stores : {false, true}) {
      recorder.races.clear();
      const auto first = submit(false, {reads(x)});
      submit(true, {});
      run_thread([&](auto& kernel) {
        if (allows) kernel.grid.depend(false);
      });
      run_thread([&](auto&) { touch(at, stores); });
      ASSERT_EQ(recorder.races.size(), allows && stores ? 1U : 0U);
      if (recorder.races.empty()) continue;
      const debug::Race& race = recorder.races[0];
      EXPECT_EQ(race.first + 1, race.second);
      EXPECT_EQ(race.first_access.kind, AccessKind::read);
      EXPECT_EQ(race.second_access.kind, AccessKind::write);
      EXPECT_EQ(race.first_access.begin, reinterpret_cast<std::uintptr_t>(x));
      EXPECT_EQ(race.first_access.bytes, sizeof *x);
    }
  }
}

TEST_F(EarlyAccesses, ARaceIsWithTheKernelsOfThatMemoryAlone) {
  volatile int* const at = x;
  for (const bool late : {false, true}) {
    recorder.begin();
    launches.clear();
    submit(false, {writes(x)});
    submit(true, {writes(x + 1)});  // behind it
    submit(true, {reads(x)});
    run_thread([](auto&) {});
    run_thread([](auto&) {});
    run_thread([&](auto& kernel) {
      if (late) wait(kernel);
      static_cast<void>(*at);
    });
    ASSERT_EQ(recorder.races.size(), 1U);
    const debug::Race& race = recorder.races[0];
    EXPECT_EQ(race.first, 0U);
    EXPECT_EQ(race.second, 2U);
    EXPECT_EQ(race.overlap.after_wait, late);
    EXPECT_EQ(race.overlap.through, late ? 1U : debug::no_point) << "who did not wait";
  }
}

TEST_F(EarlyAccesses, EachPendingKernelRacesOnlyWithWhatItForbids) {
  volatile int* const at = x;
  enum class Does { nothing, reads, writes };
  for (const Does does : {Does::nothing, Does::reads, Does::writes}) {
    for (const bool allows : {false, true}) {
      for (const bool stores : {false, true}) {
        recorder.begin();
        launches.clear();
        Array<MemoryAccess> accesses;
        if (does != Does::nothing) accesses.push_back(does == Does::reads ? reads(x) : writes(x));
        submit(false, accesses);
        submit(true, {writes(x)});
        submit(true, {writes(x)});
        run_thread([&](auto& kernel) {
          if (allows) kernel.grid.depend(false);
        });
        run_thread([](auto&) {});
        run_thread([&](auto&) { touch(at, stores); });
        const bool with_first = does == Does::writes || (does == Does::reads && allows && stores);
        ASSERT_EQ(recorder.races.size(), with_first ? 2U : 1U);
        EXPECT_EQ(recorder.races[0].first, with_first ? 0U : 1U);
      }
    }
  }
}

TEST_F(EarlyAccesses, AfterAKernelWithoutMemoryNothingOlderIsPending) {
  submit(false, {writes(x)});
  submit(true, {});
  const auto third = submit(true, {});
  submit(true, {});
  run_thread([](auto&) {});
  run_thread([](auto&) {});
  EXPECT_FALSE(launches.begin(stream, memory, recorder,
                              [](std::size_t) -> std::size_t { throw std::bad_alloc(); }));
  third->grid.depend(true);
  stream.queue.pop_front();
  EXPECT_TRUE(launches.end(stream, third, recorder));
  run_thread([&](auto& kernel) {
    EXPECT_TRUE(is_readable(x));
    wait(kernel);
    EXPECT_TRUE(is_readable(x));
  });
}

}  // namespace
}  // namespace warpsafe::host
