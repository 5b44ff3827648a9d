// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "private_member.hpp"
#include "scripted_runtime.hpp"
#include <warpsafe/memory/detail/device_memory.hpp>
#include <warpsafe/memory/detail/postponed_frees.hpp>

#include <gmock/gmock.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <latch>
#include <string>
#include <thread>
#include <utility>
#include <vector>

// Device memory below its buffers: which calls of the runtime it makes, in which order.

namespace warpsafe::core_test {

struct HoldersOfMemory {
  friend constexpr auto member(HoldersOfMemory);
};
template struct PrivateMember<HoldersOfMemory, &detail::DeviceMemory<ScriptedRuntime>::holders_>;

namespace {

struct DeviceMemoryTest : ScriptedTest {
  using Memory = detail::DeviceMemory<ScriptedRuntime>;
  using Owners = detail::Owners<ScriptedRuntime>;

  template <CheckLevel Level = CheckLevel::full>
  static result<Memory*> made(std::size_t bytes, int stream = 1, int device = 0,
                              bool managed = false) {
    return Memory::allocate<Level>(
        basic_stream_hold(Runtime::stream(static_cast<std::uintptr_t>(stream), device)),
        Bytes(bytes), managed, app);
  }
  static int use(Memory* memory, std::uintptr_t stream, int device = 0) {
    return memory->record_use<CheckLevel::full>(Runtime::stream(stream, device));
  }
  static int order(Memory* memory, std::uintptr_t stream) {
    return memory->order_uses_before(Runtime::stream(stream));
  }
  static void capture(std::uintptr_t stream) {
    script.capturing.insert(Runtime::handle<void*>(stream));
  }
  /// Runs the postponed frees, in a call with that stream.
  static void retry(std::uintptr_t stream) {
    detail::run_postponed_frees<ScriptedRuntime>(Runtime::handle<void*>(stream));
  }
  /// What is asked once per device.
  static void know_pools(int device) {
    static_cast<void>(made(1, 1, device).value()->release());
    static_cast<void>(script.taken());
  }
  DeviceMemoryTest() { know_pools(0); }
};

TEST_F(DeviceMemoryTest, IsAllocatedAndFreedInTheOrderOfItsStream) {
  Memory* const memory = made(24).value();
  EXPECT_EQ(script.taken(), Calls{"allocate 24 1 ~"});
  EXPECT_EQ(memory->data(), Runtime::handle<void*>(2));
  EXPECT_EQ(Owners::bytes_held(0), 24U);
  EXPECT_EQ(memory->freed_on, Runtime::stream(1).number());
  memory->retain();
  EXPECT_EQ(memory->release(), 0);
  EXPECT_EQ(script.taken(), Calls{});
  EXPECT_EQ(memory->release(), 0);
  EXPECT_EQ(script.taken(), Calls{"deallocate 2 1 ~"});
  EXPECT_EQ(Owners::bytes_held(0), 0U);
  // Its owner can still be asked.
  EXPECT_EQ(memory->of_device, detail::memory_was_freed);
  EXPECT_EQ(memory->start, nullptr);
}

TEST_F(DeviceMemoryTest, OfNoBytesMakesNoCall) {
  Memory* const memory = made(0).value();
  EXPECT_EQ(memory->data(), nullptr);
  EXPECT_EQ(use(memory, 2), 0);
  capture(1);
  EXPECT_EQ(memory->release(), 0);
  EXPECT_EQ(script.taken(), Calls{});
  EXPECT_EQ(memory->of_device, detail::memory_was_freed) << "nothing to wait for";
}

TEST_F(DeviceMemoryTest, AUseByAnotherStreamComesBeforeTheFree) {
  Memory* const memory = made(8).value();
  static_cast<void>(script.taken());
  EXPECT_EQ(use(memory, 1), 0) << "its own";
  capture(4);
  EXPECT_EQ(use(memory, 4), 0) << "that of a graph";
  EXPECT_EQ(script.taken(), Calls{});
  EXPECT_EQ(use(memory, 2), 0);
  EXPECT_EQ(use(memory, 3), 0);
  EXPECT_EQ(use(memory, 2), 0);
  EXPECT_EQ(script.taken(), (Calls{"event_record 1 2", "event_record 2 3", "event_record 1 2"}));
  EXPECT_EQ(memory->release(), 0);
  EXPECT_EQ(script.taken(), (Calls{"stream_wait 1 2", "stream_wait 1 1", "deallocate 2 1 ~",
                                   "event_destroy 2", "event_destroy 1"}));
}

TEST_F(DeviceMemoryTest, AUseThatCannotBeRecordedHasEnded) {
  Memory* const memory = made(8).value();
  static_cast<void>(script.taken());
  script.fails["event_record"] = 7;
  EXPECT_EQ(use(memory, 2), 7);
  EXPECT_EQ(script.taken(), (Calls{"event_record 1 2", "stream_synchronize 2 ~"}));
  EXPECT_EQ(memory->release(), 0);
}

TEST_F(DeviceMemoryTest, AFreeThatCannotBeOrderedWaits) {
  Memory* const memory = made(8).value();
  EXPECT_EQ(use(memory, 2), 0);
  EXPECT_EQ(use(memory, 3), 0);
  static_cast<void>(script.taken());
  script.fails = {{"stream_wait", 7}, {"deallocate", 9}};
  EXPECT_EQ(memory->release(), 7) << "the first";
  EXPECT_EQ(script.taken(), (Calls{"stream_wait 1 2", "event_synchronize 2 ~", "stream_wait 1 1",
                                   "event_synchronize 1 ~", "deallocate 2 1 ~", "event_destroy 2",
                                   "event_destroy 1"}));
  Memory* const next = made(8).value();
  EXPECT_EQ(next->release(), 9);
}

TEST_F(DeviceMemoryTest, IsNotFreedUnderWorkThatMayRun) {
  const auto released = [](Memory* memory, int status) {
    static_cast<void>(script.taken());
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(memory->release(), status);
    const bool says = ::testing::internal::GetCapturedStderr().find(
                          "warpsafe: 8 bytes of device memory are never freed: work that uses them "
                          "may still run") != std::string::npos;
    bool frees = false;
    for (const std::string& call : script.taken()) frees |= call.rfind("deallocate", 0) == 0;
    EXPECT_NE(says, frees);
    script.fails = {};
    return frees;
  };
  const auto used = [] {
    Memory* const memory = made(8).value();
    EXPECT_EQ(use(memory, 2), 0);
    return memory;
  };
  Memory* memory = used();
  script.fails = {{"stream_wait", 7}, {"event_synchronize", 8}};
  EXPECT_FALSE(released(memory, 7));
  EXPECT_EQ(Owners::bytes_held(0), 8U) << "they are held for ever";
  memory = used();
  script.fails = {{"stream_wait", 7}};
  EXPECT_TRUE(released(memory, 7)) << "the wait has seen its end";
  memory = used();
  script.fails = {{"stream_wait", 700}, {"event_synchronize", 700}};
  EXPECT_TRUE(released(memory, 700)) << "nothing runs in a lost context";
  memory = used();
  script.fails = {{"stream_wait", 4}, {"event_synchronize", 4}};
  EXPECT_TRUE(released(memory, 4)) << "nothing runs after the end of the runtime";
  // Without a record, and without a wait.
  memory = made(8).value();
  script.fails = {{"event_record", 7}, {"stream_synchronize", 8}};
  EXPECT_EQ(use(memory, 2), 7);
  script.fails = {};
  EXPECT_FALSE(released(memory, 0));
  for (const bool is_used : {true, false}) {
    memory = made(8, 1, 0, true).value();
    if (is_used) {
      EXPECT_EQ(use(memory, 2), 0);
    }
    script.fails = {{"event_synchronize", 7}};
    EXPECT_FALSE(released(memory, 7));
    memory = made(8, 1, 0, true).value();
    script.fails = {{"event_record", 7}};
    EXPECT_TRUE(released(memory, 7)) << "the wait for the whole stream has seen its end";
    memory = made(8, 1, 0, true).value();
    script.fails = {{"event_record", 7}, {"stream_synchronize", 8}};
    EXPECT_FALSE(released(memory, 7));
  }
}

TEST_F(DeviceMemoryTest, WithoutPoolsTheFreeWaitsOnItsDevice) {
  script.pools = false;
  know_pools(5);
  script.memories = script.events = 1;
  Memory* const memory = made(8, 1, 5).value();
  EXPECT_EQ(use(memory, 2, 5), 0);
  EXPECT_EQ(script.taken(), (Calls{"set_device 5 ~", "allocate_unordered 8 ~", "set_device 0 ~",
                                   "set_device 5", "event_record 2 2", "set_device 0"}));
  EXPECT_EQ(memory->release(), 0);
  EXPECT_EQ(script.taken(),
            (Calls{"set_device 5", "event_record 3 1", "set_device 0", "event_synchronize 2 ~",
                   "event_synchronize 3 ~", "set_device 5 ~", "deallocate_unordered 2 ~",
                   "set_device 0 ~", "event_destroy 2", "event_destroy 3"}));
  EXPECT_EQ(Owners::bytes_held(5), 0U);
  Memory* const of_three = made(8, 1, 5).value();
  EXPECT_EQ(use(of_three, 2, 5), 0);
  EXPECT_EQ(use(of_three, 3, 5), 0);
  static_cast<void>(script.taken());
  EXPECT_EQ(of_three->release(), 0);
  EXPECT_THAT(script.taken(),
              testing::IsSupersetOf(
                  {"event_synchronize 5 ~", "event_synchronize 4 ~", "event_synchronize 6 ~"}));
  const struct {
    const char* fails;
    int status;
  } failures[] = {{"event_synchronize", 3}, {"event_record", 4}, {"deallocate_unordered", 5}};
  for (const auto& [fails, status] : failures) {
    Memory* const next = made(8, 1, 5).value();
    EXPECT_EQ(use(next, 2, 5), 0);
    script.fails = {{fails, status}};
    EXPECT_EQ(next->release(), status) << fails;
    script.fails = {};
  }
}

TEST_F(DeviceMemoryTest, ManagedMemoryIsForEveryDevice) {
  Memory* const memory = made(8, 1, 0, true).value();
  EXPECT_EQ(script.taken(), Calls{"allocate_managed 8 ~"});
  EXPECT_EQ(memory->accessed_from, ~0UL);
  EXPECT_EQ(memory->release(), 0);
  EXPECT_EQ(script.taken(), (Calls{"event_record 1 1", "event_synchronize 1 ~",
                                   "deallocate_unordered 2 ~", "event_destroy 1"}));
  Memory* const other = made(8).value();
  EXPECT_EQ(other->accessed_from, 0U);
  EXPECT_EQ(other->release(), 0);
}

TEST_F(DeviceMemoryTest, LaterWorkOfAStreamComesAfterAllUses) {
  Memory* const memory = made(8).value();
  for (const std::uintptr_t stream : {2U, 3U}) EXPECT_EQ(use(memory, stream), 0);
  static_cast<void>(script.taken());
  EXPECT_EQ(order(memory, 3), 0);
  EXPECT_EQ(script.taken(),
            (Calls{"stream_wait 3 1", "event_record 3 1", "stream_wait 3 3", "event_destroy 3"}));
  EXPECT_EQ(order(memory, 1), 0) << "its own";
  EXPECT_EQ(script.taken(), (Calls{"stream_wait 1 2", "stream_wait 1 1"}));
  script.fails = {{"event_record", 6}};
  EXPECT_EQ(order(memory, 4), 6);
  EXPECT_EQ(script.taken(),
            (Calls{"stream_wait 4 2", "stream_wait 4 1", "event_record 4 1", "event_destroy 4"}));
  script.fails = {{"stream_wait", 5}};
  EXPECT_EQ(order(memory, 4), 5);
  EXPECT_EQ(script.taken(), Calls{"stream_wait 4 2"}) << "the first that fails";
  script.fails = {};
  EXPECT_EQ(memory->release(), 0);
}

TEST_F(DeviceMemoryTest, MovedToAnotherStreamItIsFreedThere) {
  Memory* const memory = made(8).value();
  static_cast<void>(script.taken());
  memory->move_to(basic_stream_hold(Runtime::stream(2)));
  EXPECT_EQ(memory->stream(), Runtime::stream(2));
  EXPECT_EQ(memory->freed_on, Runtime::stream(2).number());
  EXPECT_EQ(use(memory, 2), 0);
  EXPECT_EQ(memory->release(), 0);
  EXPECT_EQ(script.taken(), Calls{"deallocate 2 2 ~"});
}

TEST_F(DeviceMemoryTest, FreedInACaptureItIsKeptUntilAnAllocation) {
  Memory* const first = made(8).value();
  Memory* const second = made(8, 2).value();
  Memory* const third = made(8, 3).value();
  static_cast<void>(script.taken());
  for (const std::uintptr_t stream : {1U, 2U, 3U}) capture(stream);
  for (Memory* memory : {first, second, third}) EXPECT_EQ(memory->release(), 0);
  EXPECT_EQ(script.taken(), Calls{});
  EXPECT_EQ(Owners::bytes_held(0), 24U);
  retry(1);
  EXPECT_EQ(script.taken(), Calls{}) << "they capture still";
  script.capturing.erase(Runtime::handle<void*>(2));
  retry(1);
  EXPECT_EQ(script.taken(), Calls{"deallocate 3 2 ~"});
  script.capturing = {};
  Memory* const next = made(16).value();
  EXPECT_THAT(script.taken(), ::testing::UnorderedElementsAre(
                                  "deallocate 2 1 ~", "deallocate 4 3 ~", "allocate 16 1 ~"));
  retry(1);
  EXPECT_EQ(script.taken(), Calls{}) << "each once";
  EXPECT_EQ(Owners::bytes_held(0), 16U);
  EXPECT_EQ(next->release(), 0);
}

TEST_F(DeviceMemoryTest, NoneIsLostThatTwoThreadsFreeInACaptureAtOnce) {
  constexpr std::size_t each = 10'000;  // threads that run at once meet in hundreds of them
  std::vector<Memory*> memories(2 * each);
  for (Memory*& memory : memories) memory = made(1).value();
  capture(1);
  std::atomic<int> ready = 0;
  std::atomic<int> failures = 0;
  const auto free_from = [&](std::size_t first) {
    ++ready;
    while (ready < 2) {
    }
    for (std::size_t i = first; i < first + each; ++i) {
      if (memories[i]->release() != 0) ++failures;
    }
  };
  std::thread other(free_from, each);
  free_from(0);
  other.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(Owners::bytes_held(0), memories.size());
  script.capturing = {};
  retry(1);
  EXPECT_EQ(Owners::bytes_held(0), 0U);
}

TEST_F(DeviceMemoryTest, ThatOfACaptureIsFreedInIt) {
  capture(1);
  Memory* const memory = made(8).value();
  EXPECT_EQ(memory->release(), 0);
  EXPECT_EQ(script.taken(), (Calls{"allocate 8 1 ~", "deallocate 2 1 ~"}));
}

TEST_F(DeviceMemoryTest, OnlyFreedMemoryThatTheGraphDoesNotOwnStopsTheGraph) {
  for (const bool captured : {false, true}) {
    const detail::ResourcesPtr graph(new detail::GraphResources);
    if (captured) capture(1);
    Memory* const memory = made(8).value();
    void* const start = memory->data();
    graph->add_memory(static_cast<char*>(start) + 7);
    graph->add_memory(static_cast<char*>(start) + 8);
    EXPECT_EQ(memory->release(), 0);
    EXPECT_EQ(graph->freed(), captured ? nullptr : static_cast<char*>(start) + 7);
  }
}

/// Calls a function at its end.
struct AtEnd {
  explicit AtEnd(std::function<void()> its_call) : call(std::move(its_call)) {}
  AtEnd(AtEnd&& other) noexcept : call(std::exchange(other.call, nullptr)) {}
  ~AtEnd() {
    if (call) call();
  }
  std::function<void()> call;
};

// The last buffer is stopped between its count and its mark, and the last graph goes in between.
TEST_F(DeviceMemoryTest, IsMarkedInGraphsBeforeItsAddressHasAnotherOwner) {
  Memory* const memory = made(8).value();
  const void* const start = memory->data();
  const auto holders = [memory] {
    return __atomic_load_n(&(memory->*member(HoldersOfMemory{})), __ATOMIC_ACQUIRE);
  };
  const auto until_changed = [&](auto before) {
    while (holders() == before) std::this_thread::yield();
  };
  const detail::ResourcesPtr uses(new detail::GraphResources);
  uses->add_memory(start);
  // A graph lets go of memory after what it keeps.
  std::latch begins(1), goes_on(1);
  detail::ResourcesPtr holds(new detail::GraphResources);
  ASSERT_TRUE(memory->hold_in(*holds.get()));
  ASSERT_NE(holds->keep(AtEnd([&] {
    begins.count_down();
    goes_on.wait();
  })),
            nullptr);
  std::thread graph([&] { holds = {}; });
  begins.wait();
  std::thread buffer;
  {
    const detail::GraphLock marks;
    auto before = holders();
    buffer = std::thread([&] { EXPECT_EQ(memory->release(), 0); });
    until_changed(before);
    before = holders();
    goes_on.count_down();
    until_changed(before);
    EXPECT_NE(holders(), 0U) << "it is freed, and not yet marked";
  }
  buffer.join();
  graph.join();
  EXPECT_EQ(uses->freed(), start);
  EXPECT_EQ(script.taken(), (Calls{"allocate 8 1 ~", "deallocate 2 1 ~"}));
}

TEST_F(DeviceMemoryTest, AFailedAllocationSaysWhatThereIs) {
  Memory* const held = made(8).value();
  script.fails = {{"allocate", host::raw(host::HostStatus::out_of_memory)}};
  LaunchError error = error_in(made(16));
  EXPECT_EQ(finding(error),
            (Finding{Errc::out_of_memory, Stage::runtime_call, 16, 50, Axis::none}));
  EXPECT_EQ(error.extra, 40U);
  EXPECT_EQ(error.held, 8U);
  EXPECT_EQ(error.device, 0);
  EXPECT_EQ(text(error.operation), "allocate device memory");
  EXPECT_TRUE(is_app(error.site));
  script.fails["memory_info"] = 1;
  error = error_in(made(16));
  EXPECT_EQ(finding(error), (Finding{Errc::out_of_memory, Stage::runtime_call, 16, 0, Axis::none}));
  script.fails = {{"allocate", host::raw(host::HostStatus::unknown)}};
  error = error_in(made(16));
  EXPECT_EQ(finding(error),
            (Finding{Errc::runtime_failed, Stage::runtime_call, 16, 0, Axis::none}));
  script.fails = {};
  EXPECT_EQ(Owners::bytes_held(0), 8U);
  EXPECT_EQ(held->release(), 0);
}

TEST_F(DeviceMemoryTest, AnyThreadMayFreeIt) {
  auto* const owner =
      detail::SharedStream<ScriptedRuntime>::make(Runtime::handle<Runtime::native_stream>(1), 0);
  const auto stream = detail::StreamAccess::make<ScriptedRuntime>(owner->native, 0, owner->number);
  const auto allocated = [&] {
    return Memory::allocate<CheckLevel::full>(basic_stream_hold(stream), Bytes(8), false, app)
        .value();
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(allocated()->release(), 0) << "the storage is used again";
  Memory* const first = allocated();
  Memory* const second = allocated();
  EXPECT_EQ(Owners::bytes_held(0), 16U);
  std::thread([&] { EXPECT_EQ(first->release(), 0); }).join();
  EXPECT_EQ(Owners::bytes_held(0), 8U);
  EXPECT_EQ(allocated()->release(), 0) << "counted by two threads";
  EXPECT_EQ(owner->release(), 0);
  std::uint64_t held_at_end = 1;
  script.during = [&](const std::string& call) {
    if (call == "stream_destroy 1") held_at_end = Owners::bytes_held(0);
  };
  std::thread([&] { EXPECT_EQ(second->release(), 0); }).join();
  EXPECT_EQ(held_at_end, 0U);
  EXPECT_EQ(Owners::bytes_held(0), 0U);
  EXPECT_EQ(made(8).value()->release(), 0) << "in storage that the stream has given back";
}

TEST_F(DeviceMemoryTest, KeepsItsStreamAsLongAsItLives) {
  const auto destroyed = [](auto&& use) {
    auto* const owner =
        detail::SharedStream<ScriptedRuntime>::make(Runtime::handle<Runtime::native_stream>(1), 0);
    use();
    static_cast<void>(script.taken());
    EXPECT_EQ(owner->release(), 0);
    return script.taken() == Calls{"stream_destroy 1"};
  };
  EXPECT_TRUE(destroyed([] { EXPECT_EQ(made(8).value()->release(), 0); }));
  EXPECT_TRUE(destroyed([] { EXPECT_EQ(made<CheckLevel::off>(8).value()->release(), 0); }));
  EXPECT_TRUE(destroyed([] {
    script.fails = {{"allocate", 1}};
    EXPECT_FALSE(made(8).has_value());
    script.fails = {};
  }));
  Memory* memory = nullptr;
  EXPECT_FALSE(destroyed([&] { memory = made(8).value(); }));
  EXPECT_EQ(memory->release(), 0);
  EXPECT_EQ(script.taken(), (Calls{"deallocate 4 1 ~", "stream_destroy 1"}));
}

// Streams of the library.

struct OwnStreams : DeviceMemoryTest {
  using Shared = detail::SharedStream<ScriptedRuntime>;
  Shared* const user = made_stream(2);
  Memory* const memory = made(8).value();
  OwnStreams() {
    static_cast<void>(script.taken());
    script.events = 0;
  }
  static Shared* made_stream(std::uintptr_t number) {
    return Shared::make(Runtime::handle<Runtime::native_stream>(number), 0);
  }
};

TEST_F(OwnStreams, AreMarkedOnceAtTheFree) {
  Shared* const other = made_stream(3);
  for (const std::uintptr_t stream : {2U, 3U, 2U, 3U}) EXPECT_EQ(use(memory, stream), 0);
  capture(2);
  EXPECT_EQ(use(memory, 2), 0) << "in a capture";
  script.capturing = {};
  EXPECT_EQ(script.taken(), Calls{});
  EXPECT_EQ(memory->release(), 0);
  EXPECT_EQ(script.taken(),
            (Calls{"event_record 1 3", "event_record 2 2", "stream_wait 1 1", "stream_wait 1 2",
                   "deallocate 2 1 ~", "event_destroy 1", "event_destroy 2"}));
  EXPECT_EQ(user->release(), 0);
  EXPECT_EQ(other->release(), 0);
  EXPECT_EQ(script.taken(), (Calls{"stream_destroy 2", "stream_destroy 3"}))
      << "the memory is gone";
}

// A graph is closed while its last stream captures, which cannot be recorded then.
TEST_F(OwnStreams, ThatAGraphLeftInACaptureAreRecordedForManagedMemory) {
  Memory* const managed = made(8, 1, 0, true).value();
  capture(2);
  EXPECT_EQ(managed->note_launch(Runtime::stream(2)), 0);
  script.capturing = {};
  static_cast<void>(script.taken());
  EXPECT_EQ(use(managed, 2), 0);
  EXPECT_EQ(order(managed, 1), 0);
  EXPECT_EQ(script.taken(), (Calls{"event_record 1 2", "stream_wait 1 1"}));
  EXPECT_EQ(managed->release(), 0);
  EXPECT_EQ(memory->release(), 0);
  EXPECT_EQ(user->release(), 0);
}

TEST_F(OwnStreams, AreMarkedAtTheirEndIfThatComesFirst) {
  Memory* const also = made(8).value();
  for (Memory* const one : {memory, also}) EXPECT_EQ(use(one, 2), 0);
  static_cast<void>(script.taken());
  EXPECT_EQ(user->release(), 0);
  EXPECT_EQ(script.taken(), (Calls{"event_record 1 2", "stream_destroy 2"}));
  EXPECT_EQ(memory->release(), 0);
  EXPECT_EQ(script.taken(), (Calls{"stream_wait 1 1", "deallocate 2 1 ~"}));
  EXPECT_EQ(also->release(), 0);
  EXPECT_EQ(script.taken(), (Calls{"stream_wait 1 1", "deallocate 3 1 ~", "event_destroy 1"}));
}

TEST_F(OwnStreams, ThatEndWithoutAMarkAreWaitedFor) {
  EXPECT_EQ(use(memory, 2), 0);
  script.fails = {{"event_record", 7}};
  EXPECT_EQ(user->release(), 0);
  EXPECT_EQ(script.taken(), (Calls{"event_record 1 2", "event_destroy 1", "stream_synchronize 2 ~",
                                   "stream_destroy 2"}));
  EXPECT_EQ(memory->release(), 0);
  EXPECT_EQ(script.taken(), Calls{"deallocate 2 1 ~"});
}

TEST_F(OwnStreams, OfWhoseEndNothingIsKnownTheFreeWaitsForTheDevice) {
  EXPECT_EQ(use(memory, 2), 0);
  script.fails = {{"event_record", 7}, {"stream_synchronize", 7}};
  EXPECT_EQ(user->release(), 0);
  static_cast<void>(script.taken());
  EXPECT_EQ(memory->release(), 0);
  EXPECT_EQ(script.taken(), (Calls{"device_synchronize ~", "deallocate 2 1 ~"}));
}

TEST_F(OwnStreams, OfWhoseEndNothingIsKnownKeepAllMemoryThatTheyUsed) {
  Memory* const also = made(8).value();
  for (Memory* const one : {memory, also}) EXPECT_EQ(use(one, 2), 0);
  script.fails = {{"event_record", 7}, {"stream_synchronize", 7}};
  EXPECT_EQ(user->release(), 0);
  script.fails = {{"device_synchronize", 7}};
  static_cast<void>(script.taken());
  ::testing::internal::CaptureStderr();
  for (Memory* const one : {memory, also}) {
    EXPECT_EQ(one->release(), 7);
    EXPECT_EQ(script.taken(), Calls{"device_synchronize ~"}) << "it may still run";
  }
  ::testing::internal::GetCapturedStderr();
  script.fails = {};
}

TEST_F(OwnStreams, ThatEndWhileTheyCaptureAreNeitherMarkedNorWaitedFor) {
  EXPECT_EQ(use(memory, 2), 0);
  capture(2);
  EXPECT_EQ(user->release(), 0);
  EXPECT_EQ(script.taken(), Calls{"stream_destroy 2"});
  script.fails = {{"device_synchronize", host::raw(host::HostStatus::stream_capture_unsupported)}};
  EXPECT_EQ(memory->release(), 0);
  EXPECT_EQ(script.taken(), Calls{"device_synchronize ~"}) << "other streams capture";
  script.fails = {};
  retry(1);
  EXPECT_EQ(script.taken(), (Calls{"device_synchronize ~", "deallocate 2 1 ~"}));
}

TEST_F(OwnStreams, ThatCapturePostponeTheFree) {
  EXPECT_EQ(use(memory, 2), 0);
  capture(2);
  EXPECT_EQ(memory->release(), 0);
  EXPECT_EQ(script.taken(), Calls{});
  script.capturing = {};
  retry(1);
  EXPECT_EQ(script.taken(),
            (Calls{"event_record 1 2", "stream_wait 1 1", "deallocate 2 1 ~", "event_destroy 1"}));
  EXPECT_EQ(user->release(), 0);
}

TEST_F(OwnStreams, ThatCannotBeMarkedAreWaitedFor) {
  EXPECT_EQ(use(memory, 2), 0);
  script.fails = {{"event_record", 7}};
  EXPECT_EQ(memory->release(), 7);
  EXPECT_EQ(script.taken(), (Calls{"event_record 1 2", "stream_synchronize 2 ~", "event_destroy 1",
                                   "deallocate 2 1 ~"}));
  EXPECT_EQ(user->release(), 0);
}

TEST_F(OwnStreams, AreMarkedAtEachUseOfManagedMemory) {
  Memory* const managed = made(8, 1, 0, true).value();
  static_cast<void>(script.taken());
  EXPECT_EQ(use(managed, 2), 0);
  EXPECT_EQ(script.taken(), Calls{"event_record 1 2"});
  EXPECT_EQ(managed->release(), 0);
  EXPECT_EQ(memory->release(), 0);
  EXPECT_EQ(user->release(), 0);
}

// Whoever frees memory must not take the end of a wait for the end of the work.
TEST_F(DeviceMemoryTest, ATimeOutStopsNoWaitBeforeAFree) {
  const WatchedWaits watched;
  Memory* const memory = made(8).value();
  EXPECT_EQ(use(memory, 2, 3), 0);
  static_cast<void>(script.taken());
  script.fails = {{"event_record", 1}};
  EXPECT_EQ(use(memory, 2, 3), 1);
  EXPECT_THAT(script.taken(), ::testing::Contains("waits 2 3 ~"));
  script.fails = {{"stream_wait", 1}};
  EXPECT_EQ(memory->release(), 1);
  EXPECT_THAT(script.taken(), ::testing::Contains("waits 1 3 ~"));
  script.fails = {};
  Memory* const managed = made(8, 1, 0, true).value();
  EXPECT_EQ(use(managed, 2, 3), 0);
  static_cast<void>(script.taken());
  EXPECT_EQ(managed->release(), 0);
  EXPECT_EQ(script.taken(),
            (Calls{"event_record 3 1", "waits 2 3 ~", "waits 3 0 ~", "deallocate_unordered 3 ~",
                   "event_destroy 2", "event_destroy 3"}));
}

TEST_F(DeviceMemoryTest, AStreamThatWasClosedHasNone) {
  const LaunchError error = error_in(made(8, 0));
  EXPECT_EQ(error.code, Errc::stream_null);
  EXPECT_EQ(text(error.operation), "allocate device memory");
  EXPECT_EQ(script.taken(), Calls{});
}

TEST_F(DeviceMemoryTest, AUseThroughItsOwnerIsRecorded) {
  Memory* const memory = made(8).value();
  static_cast<void>(script.taken());
  EXPECT_EQ(memory->add_use(*memory, Runtime::handle<void*>(2), 0, 2), 0);
  EXPECT_EQ(script.taken(), Calls{"event_record 1 2"});
  EXPECT_EQ(memory->release(), 0);
}

struct ChangingRuntime : ScriptedRuntime {
  static constexpr bool limits_may_change = true;
};

TEST_F(DeviceMemoryTest, DevicesAreAskedForPoolsOnceIfTheirLimitsStay) {
  for (const int device : {9, detail::cached_devices - 1, detail::cached_devices, -1}) {
    const bool cached = device >= 0 && device < detail::cached_devices;
    const auto asked = [&] { return detail::has_memory_pools<ScriptedRuntime>(device); };
    const auto asked_again = [&] { return detail::has_memory_pools<ChangingRuntime>(device); };
    script.pools = false;
    if (!cached) {
      script.fails = {{"has_memory_pools", 1}};
      EXPECT_TRUE(asked()) << "the allocation will report the error";
      script.fails = {};
    }
    EXPECT_FALSE(asked());
    EXPECT_FALSE(asked_again());
    static_cast<void>(script.taken());
    script.pools = true;
    EXPECT_EQ(asked(), !cached) << device;
    EXPECT_EQ(script.taken().empty(), cached) << device;
    EXPECT_TRUE(asked_again());
  }
}

TEST_F(DeviceMemoryTest, MemoryInfoIsOfItsDevice) {
  Memory* const memory = made(8, 1, 1).value();
  static_cast<void>(script.taken());
  const MemoryInfo info = memory_info<ScriptedRuntime>(DeviceId(1)).value();
  EXPECT_EQ(info.total, 50U);
  EXPECT_EQ(info.free, 40U);
  EXPECT_EQ(info.held, 8U);
  EXPECT_EQ(script.taken(), (Calls{"set_device 1", "set_device 0"}));
  script.fails = {{"memory_info", 1}};
  const LaunchError error = error_in(memory_info<ScriptedRuntime>(DeviceId(1), app));
  EXPECT_EQ(error.device, 1);
  EXPECT_EQ(text(error.operation), "memory info");
  EXPECT_TRUE(is_app(error.site));
  EXPECT_EQ(memory->release(), 0);
  const MemoryInfo none;
  EXPECT_EQ(none.total + none.free + none.held, 0U);
}

TEST_F(DeviceMemoryTest, IsToldFromALaterOneInItsPlace) {
  Memory* const memory = made(8).value();
  const detail::OwnerRef owner = memory;
  EXPECT_EQ(owner.get(), memory);
  EXPECT_EQ(memory->release(), 0);
  EXPECT_EQ(owner.get(), &detail::closed_memory);
  EXPECT_EQ(memory->add_use(*memory, nullptr, 0, 0), 0) << "without checks";
  Memory* const later = made(8).value();
  EXPECT_EQ(later, memory) << "the storage is used again";
  EXPECT_EQ(owner.get(), &detail::closed_memory);
  EXPECT_EQ(detail::OwnerRef(later).get(), later);
  EXPECT_EQ(later->release(), 0);
}

TEST_F(DeviceMemoryTest, IsCountedForTheDevicesThatHaveACount) {
  for (const int device : {-1, 0, 63, 64}) {
    const bool is_counted = device == 0 || device == 63;
    void* const first = Owners::add(sizeof(Memory), device, 5, nullptr);
    void* const second = Owners::add(sizeof(Memory), device, 3, nullptr);
    EXPECT_EQ(Owners::bytes_held(device), is_counted ? 8U : 0U) << device;
    Owners::retire(first, 1, device, 5, nullptr);
    Owners::retire(second, 1, device, 3, nullptr);
    EXPECT_EQ(Owners::bytes_held(device), 0U) << device;
  }
}

}  // namespace
}  // namespace warpsafe::core_test
