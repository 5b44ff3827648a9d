// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Which kernels see old contents of memory because of dependent launches, with kernels whose run
// the test plays itself.

#include <warpsafe/backend/host/detail/operation.hpp>
#include <warpsafe/backend/host/detail/runtime.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/race/detail/dependent_launches.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
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
  [[nodiscard]] static Access writes(const void* at) {
    return {at, Access::whole_allocation, true};
  }
  [[nodiscard]] static Access reads(const void* at) {
    return {at, Access::whole_allocation, false};
  }
  std::shared_ptr<KernelOperation> submit(bool dependent, std::vector<Access> accesses,
                                          std::uint32_t blocks = 1, std::uint32_t threads = 1) {
    LaunchShape shape{};
    for (int axis = 0; axis < 3; ++axis) shape.grid[axis] = shape.block[axis] = 1;
    shape.grid[0] = blocks;
    shape.block[0] = threads;
    shape.programmatic = dependent;
    const KernelEntry entry{&function, nullptr, nullptr, 0};
    auto made = std::make_shared<KernelOperation>(entry, shape, nullptr, Runtime::get().pool);
    made->accesses = std::move(accesses);
    submit(made);
    return made;
  }
  void submit(const std::shared_ptr<Operation>& operation) {
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
    EXPECT_TRUE(launches.begin(stream, memory, below));
    const bool hides = launches.hides();
    const std::shared_ptr<Operation> front = stream.queue.front();
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

TEST_F(Dependents, ARecordBetweenChangesNothingAndAWaitOrACopyOrdersBoth) {
  EXPECT_TRUE(sees_old([&] { submit(std::make_shared<MarkOperation>()); }));
  EXPECT_TRUE(sees_old([&] {
    submit(std::make_shared<MarkOperation>());
    submit(std::make_shared<MarkOperation>());
  }));
  EXPECT_FALSE(sees_old([&] {
    const auto wait = std::make_shared<MarkOperation>();
    wait->after = std::make_shared<MarkOperation>();
    submit(wait);
  }));
  EXPECT_FALSE(sees_old([&] { submit(std::make_shared<AllocateOperation>(y, sizeof *y)); }));
  EXPECT_FALSE(sees_old([&] { submit(false, {}); })) << "a kernel that is no dependent";
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
    const auto kernel = std::static_pointer_cast<KernelOperation>(stream.queue.front());
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

}  // namespace
}  // namespace warpsafe::host
