// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The parts of the host backend that need no running work: grids, operations, graphs, devices, the
// book of calls, and the verdicts about launches, compared with tables and simple models.

#include "host_test_kernel.hpp"
#include <warpsafe/backend/host/detail/calls.hpp>
#include <warpsafe/backend/host/detail/capture_state.hpp>
#include <warpsafe/backend/host/detail/context_switch.hpp>
#include <warpsafe/backend/host/detail/device.hpp>
#include <warpsafe/backend/host/detail/grid.hpp>
#include <warpsafe/backend/host/detail/kernel_calls.hpp>
#include <warpsafe/backend/host/detail/operation.hpp>

#include <gmock/gmock.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <cfenv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace warpsafe::host_test {
namespace {

using host::Call;
using host::CallBook;
using host::CaptureWork;
using host::Device;
using host::Failure;
using host::Grid;
using host::NodeSet;
using host::Operation;
using host::OperationKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Grids.

TEST(HostArguments, ArePackedByTheirAlignment) {
  struct Case {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> sizes;  // and alignments
    std::vector<std::ptrdiff_t> offsets;                         // from the first
  };
  const Case cases[] = {{{{1, 1}}, {0}},
                        {{{1, 1}, {8, 8}, {2, 2}, {4, 4}}, {0, 8, 16, 20}},
                        {{{8, 8}, {1, 1}, {1, 1}, {2, 2}}, {0, 8, 9, 10}},
                        {{{4, 4}, {64, 64}, {3, 1}, {128, 64}}, {0, 64, 128, 192}},
                        {{{256, 256}, {1, 1}, {16, 16}}, {0, 256, 272}}};
  std::array<unsigned char, 256> source{};
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<unsigned char>(i);
  for (const Case& one : cases) {
    std::vector<ParameterInfo> parameters;
    std::vector<void*> args;
    for (const auto& [size, alignment] : one.sizes) {
      args.push_back(source.data() + parameters.size());
      parameters.push_back({size, alignment, false, false});
    }
    // Other allocations move the storage to other alignments.
    std::vector<std::unique_ptr<unsigned char[]>> holes;
    for (std::size_t round = 0; round < 20; ++round) {
      holes.push_back(std::make_unique<unsigned char[]>(24 + 16 * round));
      const KernelEntry entry{nullptr, nullptr, parameters.data(),
                              static_cast<std::uint32_t>(parameters.size())};
      host::ArgumentBlock block(entry, args.data());
      auto* const first = static_cast<unsigned char*>(block.values()[0]);
      for (std::size_t i = 0; i < args.size(); ++i) {
        auto* const value = static_cast<unsigned char*>(block.values()[i]);
        EXPECT_EQ(value - first, one.offsets[i]) << i;
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(value) % parameters[i].alignment, 0U) << i;
        EXPECT_EQ(std::memcmp(value, args[i], parameters[i].size), 0) << i;
      }
    }
  }
}

struct HostGrid : ::testing::Test {
  [[nodiscard]] static std::unique_ptr<Grid> grid(std::uint64_t dynamic_shared) {
    void* args[] = {nullptr};
    return std::make_unique<Grid>(entry_of(nothing), shape_of(1, 1, dynamic_shared), args);
  }
};

TEST_F(HostGrid, SaysNothingAtFirst) {
  const auto made = grid(1);
  EXPECT_FALSE(made->waited());
  EXPECT_FALSE(made->allowed());
  EXPECT_FALSE(made->stopped());
  EXPECT_EQ(made->watch, nullptr);
  EXPECT_TRUE(made->kernel.empty());
  EXPECT_EQ(made->function(), reinterpret_cast<const void*>(&nothing));
  made->check_shared_use();
  EXPECT_EQ(made->take_failure().status, 0);
}

TEST_F(HostGrid, CountsEachBlockOfThreeAxes) {
  LaunchShape shape = shape_of(3, 1);
  shape.grid[1] = 4;
  shape.grid[2] = 5;
  void* args[] = {nullptr};
  const Grid made(entry_of(nothing), shape, args);
  std::uint64_t number = 0;
  for (unsigned z = 0; z < 5; ++z) {
    for (unsigned y = 0; y < 4; ++y) {
      for (unsigned x = 0; x < 3; ++x) {
        unsigned index[3] = {9, 9, 9};
        made.block_index(number++, index);
        EXPECT_THAT(index, ElementsAre(x, y, z));
      }
    }
  }
}

TEST_F(HostGrid, FailsWhoseStaticArraysWereGivenAsDynamicMemory) {
  struct Case {
    std::uint64_t given;
    std::size_t used;
    bool asks;
    bool fails;
  };
  const Case cases[] = {{64, 64, false, true}, {64, 63, false, false}, {64, 65, false, false},
                        {64, 64, true, false}, {64, 0, false, false},  {0, 0, false, false},
                        {0, 64, false, false}, {1, 1, false, true}};
  for (const Case& one : cases) {
    const auto made = grid(one.given);
    made->add_shared_use(one.asks, one.used);
    made->add_shared_use(false, one.used);
    made->check_shared_use();
    EXPECT_EQ(made->stopped(), one.fails) << one.given << ' ' << one.used;
    const Failure failure = made->take_failure();
    EXPECT_EQ(failure.status, one.fails ? raw(HostStatus::launch_failure) : 0);
    if (one.fails) {
      EXPECT_THAT(string_of(failure.text),
                  HasSubstr("the launch gives " + std::to_string(one.given) +
                            " bytes of dynamic shared memory"));
    }
  }
  const auto stopped = grid(64);
  stopped->add_shared_use(false, 64);
  stopped->stop();
  stopped->check_shared_use();
  EXPECT_EQ(stopped->take_failure().status, 0) << "it did not run to its end";
}

TEST_F(HostGrid, KeepsTheFirstFailureUntilItIsTaken) {
  const auto made = grid(0);
  made->fail(HostStatus::illegal_address, "first");
  made->fail(HostStatus::launch_failure, "second");
  EXPECT_TRUE(made->stopped());
  const Failure failure = made->take_failure();
  EXPECT_EQ(failure.status, raw(HostStatus::illegal_address));
  EXPECT_EQ(string_of(failure.text), "first");
  EXPECT_FALSE(made->stopped()) << "a graph runs it again";
  EXPECT_EQ(made->take_failure().status, 0);
  made->depend(true);
  EXPECT_TRUE(made->waited());
  EXPECT_FALSE(made->allowed());
  made->depend(false);
  EXPECT_TRUE(made->allowed());
  made->begin();
  EXPECT_FALSE(made->waited());
  EXPECT_FALSE(made->allowed());
}

// Operations.

MemoryAccess writes(const void* address, std::size_t bytes, std::size_t rows = 1,
                    std::size_t pitch = 0) {
  return MemoryAccess::of(address, bytes, AccessKind::write, rows, pitch);
}
MemoryAccess reads(const void* address, std::size_t bytes, std::size_t rows = 1,
                   std::size_t pitch = 0) {
  return MemoryAccess::of(address, bytes, AccessKind::read, rows, pitch);
}

TEST(HostOperation, ASubmittedMarkHasNoAccesses) {
  const host::MarkOperation mark;
  EXPECT_EQ(mark.kind(), OperationKind::mark);
  EXPECT_TRUE(mark.survives_loss());
  EXPECT_FALSE(mark.done);
  EXPECT_EQ(mark.number, 0U);
  EXPECT_THAT(mark.accesses, IsEmpty());
  EXPECT_EQ(host::MarkOperation().run().status, 0);
  const host::AllocateOperation allocation(&mark, 24);
  EXPECT_EQ(allocation.kind(), OperationKind::allocate);
  EXPECT_THAT(allocation.accesses, ElementsAre(MemoryAccess::of(&mark, 24, AccessKind::allocate)));
}

TEST(HostOperation, TheExtentOfRowsEndsAtTheLastByte) {
  struct Case {
    std::size_t width, rows, pitch, extent;
  };
  const Case cases[] = {{0, 0, 8, 0},
                        {0, 3, 8, 0},
                        {3, 0, 8, 0},
                        {3, 1, 8, 3},
                        {3, 2, 8, 11},
                        {3, 3, 8, 19},
                        {8, 2, 8, 16},
                        {1, 2, SIZE_MAX - 1, SIZE_MAX},
                        {2, 2, SIZE_MAX - 1, SIZE_MAX},
                        {1, 3, SIZE_MAX / 2, SIZE_MAX},
                        {5, 4, SIZE_MAX / 3, SIZE_MAX},
                        {5, 4, SIZE_MAX / 2, SIZE_MAX}};
  for (const Case& one : cases) {
    EXPECT_EQ((host::Rows{one.width, one.rows}.extent(one.pitch)), one.extent)
        << one.width << ' ' << one.rows << ' ' << one.pitch;
  }
}

TEST(HostOperation, ACopyMovesRowsAsTheyAreWhenItRunsOrIsStaged) {
  for (const bool staged : {false, true}) {
    std::string from = "abcXdefX";
    std::string to = "..........";
    host::CopyOperation copy(to.data(), 5, from.data(), 4, {3, 2});
    EXPECT_EQ(copy.kind(), OperationKind::copy);
    EXPECT_FALSE(copy.survives_loss());
    EXPECT_THAT(copy.accesses,
                ElementsAre(writes(to.data(), 3, 2, 5), reads(from.data(), 3, 2, 4)));
    if (staged) copy.stage();
    from = "ABCYDEFY";
    EXPECT_EQ(copy.run().status, 0);
    EXPECT_EQ(to, staged ? "abc..def.." : "ABC..DEF..");
  }
  unsigned char bytes[6] = {1, 1, 1, 1, 1, 1};
  host::FillOperation fill(bytes + 1, 7, 4);
  EXPECT_EQ(fill.kind(), OperationKind::fill);
  EXPECT_FALSE(fill.survives_loss());
  EXPECT_THAT(fill.accesses, ElementsAre(writes(bytes + 1, 4)));
  EXPECT_EQ(fill.run().status, 0);
  EXPECT_THAT(bytes, ElementsAre(1, 7, 7, 7, 7, 1));
}

TEST(HostOperation, AKernelAccessesWhatItsPointersReach) {
  int first = 0;
  int second = 0;
  struct Span {
    int* data;
    std::size_t size;
  } span{&second, 4};
  int* pointer = &first;
  int* null = nullptr;
  std::uint32_t small = 7;  // of 4 bytes: it cannot hold a pointer
  std::uint64_t number = 8;
  const ParameterInfo parameters[] = {{8, 8, true, true},
                                      {8, 8, true, true},
                                      {4, 4, true, true},
                                      {8, 8, false, true},
                                      {16, 8, true, false}};
  const KernelEntry entry{nullptr, nullptr, parameters, 5};
  void* args[] = {&pointer, &null, &small, &number, &span};
  host::GridPool pool;
  const auto whole = MemoryAccess::whole_allocation;
  {
    host::KernelOperation kernel(entry, shape_of(1, 1), args, pool);
    EXPECT_THAT(kernel.accesses, ElementsAre(writes(&first, whole), reads(&second, whole)));
    EXPECT_EQ(kernel.kind(), OperationKind::kernel);
    EXPECT_FALSE(kernel.survives_loss());
    EXPECT_FALSE(kernel.begins_alone);
    EXPECT_FALSE(kernel.followed);
    EXPECT_FALSE(kernel.never_waited);
    EXPECT_EQ(kernel.watch, nullptr);
    kernel.injected = {raw(HostStatus::assert), Name::of("asked for")};
    kernel.caller.site.line = 77;
    const auto copy = kernel.copy();
    EXPECT_EQ(copy->accesses, kernel.accesses);
    EXPECT_EQ(copy->caller.site.line, 77U);
    EXPECT_EQ(string_of(copy->run().text), "asked for");
    EXPECT_EQ(copy->injected.status, 0) << "once";
    EXPECT_EQ(std::memcmp(copy->grid.values()[3], &number, 8), 0);
  }
  const std::uint64_t windows[] = {40, 41, 42, 43, 44};
  host::caller().windows = windows;
  const host::KernelOperation narrow(entry, shape_of(1, 1), args, pool);
  host::caller().windows = nullptr;
  EXPECT_THAT(narrow.accesses, ElementsAre(writes(&first, 40), reads(&second, 44)));
}

struct CountingWatch final : host::KernelWatch {
  void begins(const host::KernelOperation&) noexcept override { ++begun; }
  void has_run(const host::KernelOperation&) noexcept override { ended += begun; }
  int begun = 0;
  int ended = 0;
};

void add_one_to(int* runs) { ++*runs; }
void wait_and_count(int* runs) {
  self().depend(self(), true, "file.cpp", 1);
  ++*runs;
}

TEST(HostOperation, ADependentKernelThatNeverWaitsFails) {
  for (const bool waits : {false, true}) {
    for (const bool programmatic : {false, true}) {
      for (const bool followed : {false, true}) {
        int runs = 0;
        int* argument = &runs;
        void* args[] = {&argument};
        LaunchShape shape = shape_of(1, 1);
        shape.programmatic = programmatic;
        host::GridPool pool;
        host::KernelOperation kernel(entry_of(waits ? wait_and_count : add_one_to), shape, args,
                                     pool);
        kernel.followed = followed;
        CountingWatch watch;
        kernel.watch = &watch;
        const bool never = programmatic && !waits;
        EXPECT_EQ(kernel.run().status, never && !followed ? raw(HostStatus::never_waited) : 0);
        EXPECT_EQ(kernel.never_waited, never);
        EXPECT_EQ(runs, 1);
        EXPECT_EQ(watch.ended, 1);
        EXPECT_EQ(kernel.watch, nullptr) << "of one run only";
        static_cast<void>(kernel.run());
        EXPECT_EQ(watch.begun, 1);
        pool.close();
        while (!pool.idle()) std::this_thread::yield();
        pool.join();
      }
    }
  }
}

// Graphs.

TEST(HostCapture, AUnionHasEachNodeOnceInOrder) {
  EXPECT_EQ(host::union_of({1, 4, 6}, {2, 4, 7}), (NodeSet{1, 2, 4, 6, 7}));
  EXPECT_EQ(host::union_of({}, {3}), NodeSet{3});
}

TEST(HostCapture, ANodeWaitsForTheTailAndBecomesIt) {
  CaptureWork work;
  EXPECT_FALSE(work.broken);
  EXPECT_FALSE(work.ended);
  EXPECT_EQ(work.mode, CaptureMode::global);
  NodeSet tail;
  EXPECT_TRUE(work.reaches_all(tail));
  for (int i = 0; i < 3; ++i) work.add(host::make_shared<host::MarkOperation>(), tail);
  EXPECT_EQ(tail, NodeSet{2});
  EXPECT_THAT(work.nodes[0].after, IsEmpty());
  EXPECT_EQ(work.nodes[2].after, NodeSet{1});
  NodeSet fork{0};
  work.add(host::make_shared<host::MarkOperation>(), fork);
  EXPECT_EQ(fork, NodeSet{3});
  EXPECT_EQ(work.nodes[3].after, NodeSet{0});
  EXPECT_FALSE(work.reaches_all({2}));
  EXPECT_FALSE(work.reaches_all({3}));
  EXPECT_FALSE(work.reaches_all({1, 3}));
  EXPECT_FALSE(work.reaches_all({}));
  EXPECT_TRUE(work.reaches_all({2, 3}));
}

TEST(HostCapture, ANodeIsReplacedByOneOfItsKindAndPlace) {
  const auto mark = host::make_shared<host::MarkOperation>();
  const auto fill = host::make_shared<host::FillOperation>(nullptr, static_cast<unsigned char>(0),
                                                           std::size_t{0});
  const host::GraphNode first{mark, {1, 2}};
  EXPECT_EQ(first.change_to({mark, {1, 2}}), GraphChange::none);
  EXPECT_EQ(first.change_to({mark, {1}}), GraphChange::topology);
  EXPECT_EQ(first.change_to({fill, {1, 2}}), GraphChange::node_kind);
  EXPECT_EQ(first.change_to({fill, {1}}), GraphChange::node_kind);
}

struct FailingOperation final : Operation {
  Failure run() override {
    ++runs;
    return {status, {}};
  }
  int status = 0;
  int runs = 0;
};

TEST(HostCapture, AGraphRunsItsNodesInOrderUntilOneFails) {
  auto nodes = host::make_shared<host::GraphNodes>();
  std::vector<host::Shared<FailingOperation>> all;
  for (int i = 0; i < 3; ++i) {
    all.push_back(host::make_shared<FailingOperation>());
    all.back()->accesses = {writes(&all, static_cast<std::size_t>(i))};
    nodes->push_back({all.back(), {}});
  }
  host::GraphOperation graph(nodes);
  EXPECT_EQ(graph.kind(), OperationKind::graph);
  EXPECT_FALSE(graph.survives_loss());
  EXPECT_THAT(graph.accesses, ElementsAre(writes(&all, 0), writes(&all, 1), writes(&all, 2)));
  EXPECT_EQ(graph.run().status, 0);
  EXPECT_EQ(all[2]->runs, 1);
  all[1]->status = 5;
  EXPECT_EQ(graph.run().status, 5);
  EXPECT_EQ(all[1]->runs, 2);
  EXPECT_EQ(all[2]->runs, 1);
}

TEST(HostCapture, AStreamRunsItsFrontOnceItsPredecessorIsDone) {
  Device device(0);
  host::StreamState stream(device, 3);
  EXPECT_FALSE(stream.closing || stream.exited || stream.is_default || stream.blocking);
  EXPECT_FALSE(stream.runnable());
  EXPECT_TRUE(stream.idle());
  const auto other = host::make_shared<host::MarkOperation>();
  const auto mark = host::make_shared<host::MarkOperation>();
  stream.queue.push_back(mark);
  EXPECT_TRUE(stream.runnable());
  EXPECT_FALSE(stream.idle());
  mark->after = other;
  EXPECT_FALSE(stream.runnable());
  other->done = true;
  EXPECT_TRUE(stream.runnable());
  const host::EventState event;
  EXPECT_EQ(event.device, 0);
  EXPECT_FALSE(event.timed);
}

TEST(HostCapture, BlockingStreamsOfADeviceAreInTheOrderOfTheirCreation) {
  Device here(0);
  Device there(1);
  host::StreamTable streams;
  host::Array<host::StreamState*> meant;
  for (std::uint64_t number = 0; number < 40; ++number) {
    auto made = host::make_owned<host::StreamState>(number % 5 == 1 ? there : here, number);
    made->blocking = number % 3 != 0;
    if (number % 7 == 2) made->capture = host::make_shared<CaptureWork>();
    if (number % 5 != 1 && number % 3 != 0 && number % 7 != 2) meant.push_back(made.get());
    streams.add(std::move(made));
  }
  EXPECT_EQ(host::blocking_streams(streams, here), meant);
}

// The book of calls.

TEST(HostCallBook, NamesAreCutAfter31Letters) {
  EXPECT_STREQ(Call(Name::of("allocate")).name(), "allocate");
  const std::string letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  const Name whole{letters.data(), 31};
  EXPECT_EQ(Call(whole).name(), letters.substr(0, 31));
  EXPECT_EQ(Call(Name{letters.data(), 36}).name(), letters.substr(0, 31));
  EXPECT_TRUE(Call(Name{letters.data(), 36}) == Call(whole));
  EXPECT_FALSE(Call(Name{letters.data(), 30}) == Call(whole));
  EXPECT_EQ(string_of(host::member_name(Name::of("a::b::member"))), "member");
  EXPECT_EQ(string_of(host::member_name(Name::of("member"))), "member");
  EXPECT_EQ(string_of(host::member_name(Name::of("a::"))), "");
  EXPECT_EQ(string_of(host::member_name(Name::of(":x"))), "x");
  EXPECT_EQ(string_of(host::member_name(Name::of(""))), "");
}

TEST(HostCallBook, CountsCallsAndFailsTheOneThatWasAskedFor) {
  CallBook book;
  const Call first{Name::of("first")};
  const Call second{Name::of("second")};
  EXPECT_EQ(book.made(first), 0U);
  book.fail_next(first, 2, HostStatus::unknown);
  book.fail_next(second, 1, HostStatus::not_supported);
  book.fail_next(second, 1, HostStatus::unknown);
  EXPECT_EQ(book.enter(first), 0);
  EXPECT_EQ(book.enter(second), raw(HostStatus::not_supported)) << "the first of two";
  EXPECT_EQ(book.enter(second), 0) << "both are used up";
  EXPECT_EQ(book.enter(first), raw(HostStatus::unknown));
  EXPECT_EQ(book.enter(first), 0);
  EXPECT_EQ(book.made(first), 3U);
  EXPECT_EQ(book.made(second), 2U);
  ASSERT_EQ(book.counts().size(), 2U);
  EXPECT_STREQ(book.counts()[0].call.name(), "first");
  EXPECT_STREQ(book.counts()[1].call.name(), "second");
  EXPECT_EQ(book.kernel_fault(), 0);
  book.fail_kernel(2, HostStatus::assert);
  EXPECT_EQ(book.kernel_fault(), 0);
  EXPECT_EQ(book.enter(first), 0);
  EXPECT_EQ(book.kernel_fault(), raw(HostStatus::assert));
  EXPECT_EQ(book.kernel_fault(), 0);
}

// Devices and statuses.

TEST(HostDevice, ItsFirstLimitsAreFloorsOfItsKind) {
  Device device(3);
  device.peers = 1;
  device.set_kernel(&device, {});
  EXPECT_TRUE(device.raise_dynamic_shared(&device, 10));
  device.fail({raw(HostStatus::unknown), {}});
  device.reset(2, Name::of("name"), 6);
  const DeviceLimits& limits = device.limits;
  EXPECT_EQ(limits.vendor, Vendor::host);
  EXPECT_EQ(limits.device, 2);
  EXPECT_EQ(string_of(limits.name), "name");
  EXPECT_FALSE(limits.floored);
  EXPECT_EQ(limits.multiprocessors, 6U);
  EXPECT_EQ(limits.max_threads_per_multiprocessor, 1024U);
  EXPECT_EQ(limits.max_blocks_per_multiprocessor, 16U);
  EXPECT_EQ(limits.registers_per_block, 65536U);
  EXPECT_EQ(limits.shared_per_multiprocessor, 65536U);
  EXPECT_TRUE(limits.cooperative_launch);
  EXPECT_TRUE(limits.memory_pools);
  EXPECT_EQ(device.used, 0U);
  EXPECT_EQ(device.capacity, static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                                 static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  EXPECT_EQ(device.peers, 0U);
  EXPECT_EQ(device.failure().status, 0);
  EXPECT_EQ(device.kernel(&device).max_dynamic_shared, limits.shared_per_block);
  EXPECT_EQ(Device(0).limits.multiprocessors, 1U);
}

TEST(HostDevice, AccessesItsOwnMemoryAndThatOfItsPeers) {
  Device device(70);
  EXPECT_TRUE(device.accesses(70));
  device.peers = ~std::uint64_t{0};
  for (const int other : {0, 1, 63}) EXPECT_TRUE(device.accesses(other)) << other;
  for (const int other : {-1, -64, 64, 65, 128}) EXPECT_FALSE(device.accesses(other)) << other;
  device.peers = (std::uint64_t{1} << 63U) | 2;
  for (const int other : {0, 2, 62}) EXPECT_FALSE(device.accesses(other)) << other;
  for (const int other : {1, 63}) EXPECT_TRUE(device.accesses(other)) << other;
}

TEST(HostDevice, AKernelsDynamicMemoryIsWhatItsStaticArraysLeave) {
  Device device(0);
  device.limits.shared_per_block = 1000;
  device.limits.shared_per_block_optin = 1500;
  int function = 0;
  KernelLimits kernel;
  EXPECT_TRUE(device.kernel(&function).known);
  EXPECT_EQ(device.kernel(&function).max_threads_per_block, device.limits.max_threads_per_block);
  for (const auto& [used, left] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {0, 1000}, {1, 999}, {999, 1}, {1000, 0}, {1001, 0}}) {
    kernel.static_shared = used;
    device.set_kernel(&function, kernel);
    EXPECT_EQ(device.kernel(&function).max_dynamic_shared, left) << used;
  }
  kernel.static_shared = 100;
  kernel.max_threads_per_block = 77;
  kernel.max_dynamic_shared = 55;
  device.set_kernel(&function, kernel);
  EXPECT_EQ(device.kernel(&function).max_threads_per_block, 77U);
  EXPECT_EQ(device.kernel(&function).max_dynamic_shared, 55U);
  EXPECT_FALSE(device.raise_dynamic_shared(&function, 1401));
  EXPECT_EQ(device.kernel(&function).max_dynamic_shared, 55U);
  EXPECT_TRUE(device.raise_dynamic_shared(&function, 1400));
  EXPECT_EQ(device.kernel(&function).max_dynamic_shared, 1400U);
  EXPECT_TRUE(device.raise_dynamic_shared(&function, 20));
  EXPECT_EQ(device.kernel(&function).max_dynamic_shared, 20U);
  device.limits.shared_per_block_optin = 0;  // no opt-in
  EXPECT_TRUE(device.raise_dynamic_shared(&function, 900));
  EXPECT_FALSE(device.raise_dynamic_shared(&function, 901));
}

TEST(HostDevice, KeepsTheFirstFailureUnlessAWorseOneFollows) {
  const int usual = raw(HostStatus::unknown);
  const int other = raw(HostStatus::invalid_value);
  const int lost = raw(HostStatus::illegal_address);
  const int also_lost = raw(HostStatus::assert);
  struct Case {
    std::vector<int> failures;
    int kept;
  };
  const Case cases[] = {{{}, 0},
                        {{0}, 0},
                        {{usual}, usual},
                        {{usual, other}, usual},
                        {{usual, 0}, usual},
                        {{usual, lost}, lost},
                        {{lost, usual}, lost},
                        {{lost, also_lost}, lost},
                        {{lost, 0}, lost}};
  for (const Case& one : cases) {
    Device device(0);
    for (const int status : one.failures) device.fail({status, Name::of("text")});
    EXPECT_EQ(device.failure().status, one.kept);
    const bool is_lost = one.kept == lost;
    EXPECT_EQ(device.lost(), is_lost ? lost : 0);
    EXPECT_EQ(device.take_failure().status, one.kept);
    EXPECT_EQ(device.take_failure().status, is_lost ? lost : 0);
    device.recover();
    EXPECT_EQ(device.lost(), 0);
  }
}

TEST(HostStatuses, AThreadBeginsOnDevice0WithoutAnError) {
  std::thread([] {
    const host::ThreadState& state = host::thread_state();
    EXPECT_EQ(state.device, 0);
    EXPECT_EQ(state.capture_mode, 0);
    EXPECT_EQ(state.last_error, 0);
    EXPECT_EQ(state.failure_status, 0);
    EXPECT_TRUE(state.failure_text.empty());
  }).join();
}

TEST(HostStatuses, AnUndefinedStatusIsAnUnknownError) {
  for (const host::StatusRow& row : host::status_table::rows) {
    EXPECT_EQ(&host::row_of(raw(row.status)), &row);
    EXPECT_EQ(host::is_sticky(raw(row.status)), row.severity == Severity::context_lost);
  }
  EXPECT_EQ(host::row_of(-5).status, HostStatus::unknown);
  EXPECT_EQ(host::row_of(1000).status, HostStatus::unknown);
  EXPECT_EQ(host::row_of(100000).status, HostStatus::unknown);
}

// Verdicts about launches.

TEST(HostVerdict, TheParameterBlockIsPacked) {
  const ParameterInfo parameters[] = {{1, 1, false, false},
                                      {8, 8, false, false},
                                      {2, 2, false, false},
                                      {4, 4, false, false},
                                      {1, 1, false, false}};
  const std::uint64_t bytes[] = {0, 1, 16, 18, 24, 25};
  for (std::uint32_t count = 0; count <= 5; ++count) {
    EXPECT_EQ(host::parameter_bytes({nullptr, nullptr, parameters, count}), bytes[count]) << count;
  }
}

TEST(HostVerdict, ResidentBlocksAreBoundByEachResource) {
  DeviceLimits device{};
  device.max_blocks_per_multiprocessor = 16;
  device.max_threads_per_multiprocessor = 1024;
  device.warp_size = 32;
  device.registers_per_block = 65536;
  device.shared_per_multiprocessor = 65536;
  device.reserved_shared_per_block = 1024;
  KernelLimits kernel{};
  kernel.max_threads_per_block = 512;
  kernel.max_dynamic_shared = 48000;
  kernel.registers = 32;
  struct Case {
    std::uint64_t threads, dynamic_shared, static_shared;
    std::uint32_t blocks;
  };
  const Case cases[] = {{0, 0, 0, 0},     {1, 0, 0, 16},    {64, 0, 0, 16},   {65, 0, 0, 10},
                        {96, 0, 0, 10},   {97, 0, 0, 8},    {512, 0, 0, 2},   {513, 0, 0, 0},
                        {1, 48000, 0, 1}, {1, 48001, 0, 0}, {1, 3072, 0, 16}, {1, 3073, 0, 15},
                        {1, 15360, 0, 4}, {1, 15360, 1, 3}, {1, 0, 64512, 1}, {1, 0, 64513, 0},
                        {1, 0, 31744, 2}};
  for (const Case& one : cases) {
    kernel.static_shared = one.static_shared;
    EXPECT_EQ(host::resident_blocks(one.threads, one.dynamic_shared, device, kernel), one.blocks)
        << one.threads << ' ' << one.dynamic_shared << ' ' << one.static_shared;
  }
  kernel.static_shared = 0;
  kernel.registers = 256;
  EXPECT_EQ(host::resident_blocks(64, 0, device, kernel), 4U);
  EXPECT_EQ(host::resident_blocks(65, 0, device, kernel), 3U);
  kernel.registers = 0;
  EXPECT_EQ(host::resident_blocks(64, 0, device, kernel), 16U);
  device.max_blocks_per_multiprocessor = 0;
  EXPECT_EQ(host::resident_blocks(32, 0, device, kernel), 32U);
  device.warp_size = 0;
  EXPECT_EQ(host::resident_blocks(100, 0, device, kernel), 10U);
  EXPECT_EQ(host::resident_blocks(1, 0, device, kernel), 64U) << "the reserved shared memory";
  device.shared_per_multiprocessor = 0;
  EXPECT_EQ(host::resident_blocks(1, 0, device, kernel), 1024U);
}

TEST(HostVerdict, EachRuleRefusesOnlyBeyondItsLimit) {
  DeviceLimits device{};
  for (int axis = 0; axis < 3; ++axis) {
    device.max_grid[axis] = 100 + static_cast<std::uint32_t>(axis);
    device.max_block[axis] = 20 + static_cast<std::uint32_t>(axis);
  }
  device.max_threads_per_block = 300;
  device.max_threads_per_axis = 1000;
  device.max_parameter_bytes = 16;
  device.multiprocessors = 3;
  device.max_blocks_per_multiprocessor = 2;
  device.max_threads_per_multiprocessor = 1000;
  KernelLimits kernel{};
  kernel.max_threads_per_block = 200;
  kernel.max_dynamic_shared = 500;
  const ParameterInfo parameters[] = {
      {8, 8, false, false}, {8, 8, false, false}, {1, 1, false, false}};
  KernelEntry entry{nullptr, nullptr, parameters, 2};
  LaunchShape shape = shape_of(1, 1);
  const auto verdict = [&] { return host::launch_verdict(entry, shape, device, kernel); };
  const auto with = [&](std::uint32_t& number, std::uint32_t value) {
    const std::uint32_t before = std::exchange(number, value);
    const HostStatus said = verdict();
    number = before;
    return said;
  };
  const HostStatus fine = HostStatus::success;
  const HostStatus wrong = HostStatus::invalid_configuration;
  EXPECT_EQ(verdict(), fine);
  for (std::uint32_t axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(with(shape.grid[axis], 0), wrong);
    EXPECT_EQ(with(shape.grid[axis], 100 + axis), fine);
    EXPECT_EQ(with(shape.grid[axis], 101 + axis), wrong);
    EXPECT_EQ(with(shape.block[axis], 0), wrong);
    EXPECT_EQ(with(shape.block[axis], 20 + axis), fine);
    EXPECT_EQ(with(shape.block[axis], 21 + axis), wrong);
    shape.block[axis] = 10;
    EXPECT_EQ(with(shape.grid[axis], 100), fine) << "1000 threads on the axis";
    shape.block[axis] = 11;
    EXPECT_EQ(with(shape.grid[axis], 91), wrong) << "1001 threads on the axis";
    device.max_threads_per_axis = 0;
    EXPECT_EQ(with(shape.grid[axis], 100), fine);
    device.max_threads_per_axis = 1000;
    shape.block[axis] = 1;
  }
  shape.block[0] = 20;
  EXPECT_EQ(with(shape.block[1], 10), fine);
  EXPECT_EQ(with(shape.block[1], 11), HostStatus::launch_out_of_resources) << "220 of 200";
  EXPECT_EQ(with(shape.block[1], 15), HostStatus::launch_out_of_resources) << "300 of 300";
  EXPECT_EQ(with(shape.block[1], 16), wrong) << "320 of 300";
  shape.block[0] = 1;
  shape.dynamic_shared = 500;
  EXPECT_EQ(verdict(), fine);
  shape.dynamic_shared = 501;
  EXPECT_EQ(verdict(), HostStatus::invalid_value);
  shape.dynamic_shared = 0;
  EXPECT_EQ(with(entry.parameter_count, 3), HostStatus::invalid_value);
  device.max_parameter_bytes = 0;
  EXPECT_EQ(with(entry.parameter_count, 3), fine);

  // Clusters.
  shape.has_cluster = true;
  EXPECT_EQ(verdict(), HostStatus::not_supported);
  device.max_cluster_blocks = 8;
  device.max_cluster_blocks_optin = 12;
  EXPECT_EQ(verdict(), fine);
  for (std::uint32_t axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(with(shape.cluster[axis], 0), HostStatus::invalid_cluster_size);
    EXPECT_EQ(with(shape.cluster[axis], 2), HostStatus::invalid_cluster_size) << "of 1 block";
    shape.grid[axis] = 72;
    EXPECT_EQ(with(shape.cluster[axis], 8), fine);
    EXPECT_EQ(with(shape.cluster[axis], 9), HostStatus::invalid_cluster_size);
    shape.non_portable_cluster = true;
    EXPECT_EQ(with(shape.cluster[axis], 12), fine);
    EXPECT_EQ(with(shape.cluster[axis], 18), HostStatus::invalid_cluster_size);
    shape.non_portable_cluster = false;
    shape.grid[axis] = 1;
  }
  shape.has_cluster = false;

  // Cooperative launches.
  shape.cooperative = true;
  EXPECT_EQ(verdict(), HostStatus::not_supported);
  device.cooperative_launch = true;
  EXPECT_EQ(with(shape.grid[0], 6), fine);
  EXPECT_EQ(with(shape.grid[0], 7), HostStatus::cooperative_too_large);
}

// Leaving code.

TEST(HostExceptions, ABodyThatThrowsHasTheStatusForNoMemory) {
  EXPECT_EQ(host::guarded([] { return 7; }, 2), 7);
  EXPECT_EQ(host::guarded([]() -> int { throw std::bad_alloc(); }, 2), 2);
  std::string said;
  const auto keep = [&](const char* what) { said = what; };
  host::call_kernel([] {}, keep);
  EXPECT_EQ(said, "");
  host::call_kernel([] { host::cancel_thread(); }, keep);
  EXPECT_EQ(said, "");
  host::call_kernel([] { throw std::runtime_error("why"); }, keep);
  EXPECT_EQ(said, "why");
  host::call_kernel([] { throw 7; }, keep);
  EXPECT_EQ(said, "an exception that is not a std::exception");
  EXPECT_THROW(host::throw_bad_alloc(), std::bad_alloc);
  int undone = 0;
  {
    const host::OnFailure step{[&] { ++undone; }};
  }
  EXPECT_EQ(undone, 1);
  {
    host::OnFailure step{[&] { ++undone; }};
    step.active = false;
  }
  EXPECT_EQ(undone, 1);
}

#if defined(__x86_64__) && !defined(__ILP32__)
TEST(HostExceptions, ThePlacesOfFlagsAreNoModes) {
  using Modes = host::Switch::Modes;
  const unsigned before = _mm_getcsr();
  const unsigned base = before & ~0x3FU;
  _mm_setcsr(base);
  const Modes modes = Modes::now();
  EXPECT_EQ(modes.mxcsr, base);
  EXPECT_FALSE(modes.changed());
  for (unsigned flag = 1; flag < 0x40; flag *= 2) {
    _mm_setcsr(base | flag);
    EXPECT_FALSE(modes.changed()) << flag;
    EXPECT_EQ(Modes::now().mxcsr, base) << flag;
  }
  for (unsigned mode = 0x40; mode <= 0x8000; mode *= 2) {
    _mm_setcsr(base ^ mode);
    const bool changed = modes.changed();
    const unsigned seen = Modes::now().mxcsr;
    modes.set();
    const unsigned restored = _mm_getcsr();
    EXPECT_TRUE(changed) << mode;
    EXPECT_EQ(seen, base ^ mode);
    EXPECT_EQ(restored & ~0x3FU, base);
  }
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  const Modes up = Modes::now();
  modes.set();
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  up.set();
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  modes.set();
  _mm_setcsr(before);
}
#endif

}  // namespace
}  // namespace warpsafe::host_test
