// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Which kernels see old contents of memory because of dependent launches, with kernels whose run
// the test plays itself.

#include <warpsafe/backend/host/detail/operation.hpp>
#include <warpsafe/backend/host/detail/runtime.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/race/detail/dependent_launches.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
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
  std::size_t random = 0;  // what each random number is, if it may be so large
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
  std::shared_ptr<KernelOperation> submit(bool dependent, std::vector<Access> accesses) {
    LaunchShape shape{};
    for (int axis = 0; axis < 3; ++axis) shape.grid[axis] = shape.block[axis] = 1;
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
    const auto below = [&](std::size_t end) { return random < end ? random : end - 1; };
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
