// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A seed runs an order that the program allows, the same each time, and every order has a seed.
// Compares random programs with brute force, and the scheduler itself with a model of it.

#include "brute_force.hpp"
#include <warpsafe/args/trust.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/race/adversarial.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace warpsafe::brute_force {
namespace {

using Order = std::vector<std::size_t>;

Order happened;  // the programs' kernels and hosts append their steps here, on one thread

WARPSAFE_KERNEL void note_read(std::size_t step, const float*) { happened.push_back(step); }
WARPSAFE_KERNEL void note_write(std::size_t step, float*) { happened.push_back(step); }

/// Programs whose steps are all visible, and whose kernels access whole allocations.
[[nodiscard]] Program visible_program(std::mt19937& random) {
  Program program = random_program(random);
  for (Step& step : program) {
    if (step.accesses.empty()) continue;
    MemoryAccess& access = step.accesses.front();
    const AccessKind kind = access.kind == AccessKind::read ? AccessKind::read : AccessKind::write;
    step.accesses = {{access.begin / 64 * 64, allocation_bytes, kind}};
  }
  return program;
}
[[nodiscard]] bool is_visible(const Step& step) {
  return step.what == What::operation || step.what == What::host;
}

/// The program on the host backend.
void perform(const Program& program) {
  happened.clear();
  std::array<host::StreamHandle*, streams> native{};
  for (auto& stream : native) ASSERT_EQ(host_backend::stream_create(stream, 0), 0);
  std::array<host::EventHandle*, events> event{};
  for (auto& one : event) ASSERT_EQ(host_backend::event_create(one, false), 0);
  std::array<void*, 2> memory{};
  for (auto& one : memory) ASSERT_EQ(host_backend::allocate_unordered(one, allocation_bytes), 0);

  const LaunchConfig once{grid<1>, block<1>};
  for (std::size_t i = 0; i < program.size(); ++i) {
    const Step& step = program[i];
    float* touched = nullptr;
    const bool reads = !step.accesses.empty() && step.accesses.front().kind == AccessKind::read;
    if (is_visible(step)) {
      touched = static_cast<float*>(memory[step.accesses.front().begin / 64 - 1]);
    }
    switch (step.what) {
      case What::operation: {
        const auto on = StreamRef::borrow(native[step.stream], DeviceId(0)).value();
        const auto done = reads ? launch(on, once, kernel<note_read>, i, trust(touched))
                                : launch(on, once, kernel<note_write>, i, trust(touched));
        ASSERT_TRUE(done.has_value());
        break;
      }
      case What::record:
        ASSERT_EQ(host_backend::event_record(event[step.event], native[step.stream]), 0);
        break;
      case What::wait:
        ASSERT_EQ(host_backend::stream_wait(native[step.stream], event[step.event]), 0);
        break;
      case What::host: {
        const std::span<float> bytes(touched, allocation_bytes / sizeof(float));
        reads ? adversarial::reads(bytes) : adversarial::writes(bytes);
        happened.push_back(i);
        break;
      }
      case What::stream_synchronize:
        ASSERT_EQ(host_backend::stream_synchronize(native[step.stream]), 0);
        break;
      case What::event_synchronize:
        ASSERT_EQ(host_backend::event_synchronize(event[step.event]), 0);
        break;
    }
  }
  // Last, the program frees everything, in order, so that this races with nothing.
  ASSERT_EQ(host_backend::device_synchronize(), 0);
  for (void* one : memory) ASSERT_EQ(host_backend::deallocate_unordered(one), 0);
  for (auto& one : event) ASSERT_EQ(host_backend::event_destroy(one), 0);
  for (auto& stream : native) ASSERT_EQ(host_backend::stream_destroy(stream), 0);
}

[[nodiscard]] std::set<Order> possible_orders(const Program& program) {
  std::set<Order> orders;
  for_each_order(program, [&](const Order& order) {
    Order visible;
    for (const std::size_t step : order) {
      if (is_visible(program[step])) visible.push_back(step);
    }
    orders.insert(visible);
  });
  return orders;
}

TEST(Schedules, AreThePossibleOnesAndRacesAreThoseOfBruteForce) {
  std::mt19937 random(2);
  int with_races = 0;
  for (int i = 0; i < 2000; ++i) {
    const Program program = visible_program(random);
    const std::set<Order> possible = possible_orders(program);
    const auto report = adversarial::run(3, [&] {
      perform(program);
      EXPECT_EQ(possible.count(happened), 1U) << "program " << i;
    });
    ASSERT_EQ(report.clean(), races_of(program).empty()) << "program " << i << '\n' << report;
    EXPECT_EQ(report.seeds_run, report.clean() ? 3U : 1U) << "the first seed finds what there is";
    with_races += report.clean() ? 0 : 1;
  }
  EXPECT_GT(with_races, 300);
  EXPECT_LT(with_races, 1700);
}

TEST(Schedules, EveryPossibleOneHasASeed) {
  std::mt19937 random(3);
  int tried = 0;
  while (tried < 20) {
    const Program program = visible_program(random);
    const std::set<Order> possible = possible_orders(program);
    if (possible.size() < 3 || possible.size() > 24) continue;
    ++tried;
    std::set<Order> seen;
    for (std::uint64_t seed = 1; seed <= 6000 && seen.size() < possible.size(); ++seed) {
      static_cast<void>(adversarial::run({1, seed}, [&] { perform(program); }));
      seen.insert(happened);
    }
    EXPECT_EQ(seen, possible);
  }
}

TEST(Schedules, TheSameSeedGivesTheSameRun) {
  std::mt19937 random(4);
  int races = 0;
  for (int i = 0; i < 200; ++i) {
    const Program program = visible_program(random);
    const auto text_of = [&](std::uint64_t seed) {
      const auto report = adversarial::run({1, seed}, [&] { perform(program); });
      races += report.clean() ? 0 : 1;
      std::string text = report.text();
      for (const std::size_t step : happened) text += ' ' + std::to_string(step);
      return text;
    };
    for (std::uint64_t seed = 1; seed <= 3; ++seed) ASSERT_EQ(text_of(seed), text_of(seed));
  }
  EXPECT_GT(races, 100);
}

}  // namespace
}  // namespace warpsafe::brute_force

namespace warpsafe::host {
namespace {

/// An operation that does what the test says.
struct PlayedOperation final : Operation {
  std::function<void()> play;
  explicit PlayedOperation(std::function<void()> what) : play(std::move(what)) {}
  Failure run() override {
    play();
    return {};
  }
};

/// A scheduler of streams that no program made.
class ScheduledByHand : public testing::Test {
 protected:
  ~ScheduledByHand() override { scheduler_.drain(lock_); }
  Shared<Operation> submit(std::size_t stream, Shared<Operation> operation,
                           Shared<const Operation> after = nullptr) {
    operation->after = std::move(after);
    scheduler_.submitted(*streams_[stream], *operation);
    streams_[stream]->queue.push_back(operation);
    return operation;
  }
  Shared<Operation> submit(
      std::size_t stream, std::function<void()> play = [] {},
      Shared<const Operation> after = nullptr) {
    return submit(stream, host::make_shared<PlayedOperation>(std::move(play)), std::move(after));
  }
  void finish(const Shared<Operation>& operation) {
    const Shared<const Operation> known = operation;
    scheduler_.finish(lock_, {&known, 1});
  }
  /// A seed for which nothing runs before the first call.
  static std::uint64_t seed_of_nothing() {
    // Of 16: the second draw of a seed whose chance is 1 decides that.
    const auto nothing_runs = [](std::uint64_t seed) {
      Random random(seed);
      return random.below(5) == 0 && random.below(16) != 0;
    };
    std::uint64_t seed = 3;
    while (!nothing_runs(seed)) ++seed;
    return seed;
  }
  /// Memory of the backend, as it is handed out.
  unsigned char* add_memory(MemoryKind kind, std::size_t bytes = 16) {
    Allocation made{Storage(bytes), bytes, kind, 0};
    auto* const at = static_cast<unsigned char*>(made.storage.get());
    runtime_.memory.add(std::move(made));
    return at;
  }

  Runtime& runtime_ = Runtime::get();
  Lock lock_{runtime_.mutex};
  std::array<Owned<StreamState>, 3> streams_ = [this] {
    std::array<Owned<StreamState>, 3> made;
    for (auto& one : made) one = make_owned<StreamState>(*runtime_.devices[0], std::uint64_t{900});
    return made;
  }();
  SeededScheduler scheduler_{runtime_};
};

TEST_F(ScheduledByHand, TheSeedAloneDecidesWhatRunsBeforeEachCall) {
  std::vector<int> ran;
  std::vector<int> expected;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    // The model: what is queued on each stream, in the order of the streams' first work.
    Random random(seed);
    const std::array<std::size_t, 5> chances{1, 4, 8, 12, 15};
    const std::size_t chance = chances.at(random.below(5));
    std::vector<std::pair<std::size_t, std::vector<int>>> queues;
    std::size_t pending = 0;
    std::set<std::size_t> closing;  // a stream without work that closes is forgotten
    const auto run_one = [&] {
      std::erase_if(queues,
                    [&](auto& one) { return closing.count(one.first) != 0 && one.second.empty(); });
      std::vector<std::vector<int>*> able;
      for (auto& [stream, queue] : queues) {
        if (!queue.empty()) able.push_back(&queue);
      }
      if (able.empty()) return false;
      std::vector<int>& queue = *able[random.below(able.size())];
      expected.push_back(queue.front());
      queue.erase(queue.begin());
      return true;
    };

    ran.clear();
    expected.clear();
    scheduler_.begin(seed);
    std::mt19937_64 program(seed);
    for (int step = 0; step < 120; ++step) {
      const std::size_t what = seed % 4 == 0 ? 2 + program() % 40 : program() % 12;
      if (what < 3 && program() % 8 == 0) {
        streams_.at(what)->closing = true;
        closing.insert(what);
      } else if (what < 3) {
        streams_.at(what)->closing = false;
        closing.erase(what);
        submit(what, [&ran, step] { ran.push_back(step); });
        auto found = std::find_if(queues.begin(), queues.end(),
                                  [&](const auto& one) { return one.first == what; });
        if (found == queues.end()) found = queues.insert(found, {what, {}});
        found->second.push_back(step);
      } else if (what == 3) {
        EXPECT_EQ(scheduler_.hands_out_again(), random.below(2) == 0);
      } else if (what == 4 && program() % 8 == 0) {
        scheduler_.known_done({});
        pending = 0;
      } else if (what > 4) {
        scheduler_.begin_call(lock_);
        if (pending > 32) run_one();
        while (random.below(16) < chance && run_one()) {
        }
        if (what > 7) {
          scheduler_.known_pending();
          ++pending;
        }
      }
      ASSERT_EQ(ran, expected) << "seed " << seed << ", step " << step;
    }
    scheduler_.drain(lock_);
    while (run_one()) {
    }
    ASSERT_EQ(ran, expected) << "seed " << seed;
    for (auto& stream : streams_) stream->closing = false;
  }
}

TEST_F(ScheduledByHand, ASeedBeginsWithNothingOfTheOneBefore) {
  scheduler_.begin(1);
  for (int i = 0; i < 40; ++i) scheduler_.known_pending();
  scheduler_.recorder.remark(*submit(0), debug::Mistake::unwritten_read);
  scheduler_.drain(lock_);
  scheduler_.begin(2);
  EXPECT_EQ(scheduler_.recorder.history.size(), 0U);
  EXPECT_TRUE(scheduler_.recorder.remarks.empty());
  scheduler_.begin(seed_of_nothing());
  bool ran = false;
  submit(0, [&] { ran = true; });
  scheduler_.begin_call(lock_);
  EXPECT_FALSE(ran) << "the program has not queried";
  scheduler_.drain(lock_);
  EXPECT_TRUE(ran);
}

TEST_F(ScheduledByHand, OfMoreThanAThousandOperationsTheNextCallRunsOne) {
  scheduler_.begin(seed_of_nothing());
  int ran = 0;
  const auto add = [&] { submit(0, [&] { ++ran; }); };
  for (int i = 0; i < 1024; ++i) add();
  scheduler_.begin_call(lock_);
  EXPECT_EQ(ran, 0);
  add();
  scheduler_.begin_call(lock_);
  EXPECT_GE(ran, 1);
  scheduler_.drain(lock_);
  EXPECT_EQ(ran, 1025);
}

TEST_F(ScheduledByHand, WhatRunsIsRecorded) {
  scheduler_.begin(1);
  submit(0);
  const auto moments = [&] { return scheduler_.recorder.history.moments(); };
  ASSERT_EQ(moments().size(), 1U);
  EXPECT_TRUE(moments()[0].moment.handed_over);
  scheduler_.drain(lock_);
  ASSERT_EQ(moments().size(), 2U);
  EXPECT_FALSE(moments()[1].moment.handed_over);
  EXPECT_EQ(moments()[1].moment.action, moments()[0].moment.action);
}

TEST_F(ScheduledByHand, AWaitEndsWithWhatWasWaitedFor) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    scheduler_.begin(seed);
    std::vector<int> ran;
    submit(0, [&] { ran.push_back(0); });
    const auto second = submit(0, [&] { ran.push_back(1); });
    submit(0, [&] { ran.push_back(2); });
    const auto third = submit(
        1, [&] { ran.push_back(3); }, second);
    finish(second);
    EXPECT_TRUE(second->done);
    EXPECT_EQ(ran, (std::vector<int>{0, 1}));
    finish(second);
    EXPECT_EQ(ran.size(), 2U) << "nothing is left to wait for";
    finish(third);
    EXPECT_TRUE(third->done);
    scheduler_.drain(lock_);
    EXPECT_EQ(ran.size(), 4U);
  }
}

/// Two threads of a program: while work runs, the other thread waits for it and runs nothing.
TEST_F(ScheduledByHand, WorkRunsOnOneThreadAtATime) {
  enum class Call { begin, finish, drain };
  for (const Call call : {Call::begin, Call::finish, Call::drain}) {
    scheduler_.begin(1);
    int runs = 0;
    bool waits = false;
    Condition changed;
    Shared<Operation> first;
    std::thread other;
    const auto wait_there = [&] {
      Lock lock(runtime_.mutex);
      waits = true;
      changed.notify_all();
      const Shared<const Operation> known = first;
      if (call == Call::begin) {
        for (int i = 0; i < 40; ++i) scheduler_.begin_call(lock);
        EXPECT_FALSE(first->done);
      } else if (call == Call::finish) {
        scheduler_.finish(lock, {&known, 1});
        EXPECT_TRUE(first->done);
      } else {
        scheduler_.drain(lock);
        EXPECT_TRUE(first->done);
      }
    };
    first = submit(0, [&] {
      if (++runs != 1) return;
      other = std::thread(wait_there);
      if (call == Call::begin) return other.join();
      Lock lock(runtime_.mutex);
      changed.wait(lock, [&] { return waits; });
    });
    finish(first);
    lock_.unlock();
    if (other.joinable()) other.join();
    lock_.lock();
    scheduler_.drain(lock_);
    EXPECT_EQ(runs, 1);
  }
}

TEST_F(ScheduledByHand, ACopyToTheHostOfMemoryThatNothingWroteIsRemarked) {
  unsigned char* const fresh = add_memory(MemoryKind::device);
  unsigned char* const partly = add_memory(MemoryKind::device);
  unsigned char* const pinned = add_memory(MemoryKind::pinned);
  std::fill_n(partly + 8, 8, static_cast<unsigned char>(1));
  std::vector<unsigned char> host(16);
  const struct {
    const char* what;
    void* to;
    std::size_t to_pitch;
    const void* from;
    std::size_t from_pitch;
    Rows rows;
    bool remarked;
  } cases[] = {
      {"all of it", host.data(), 16, fresh, 16, {16, 1}, true},
      {"from its second byte on", host.data(), 16, fresh + 1, 16, {15, 1}, true},
      {"from its fifth byte on", host.data(), 16, fresh + 4, 16, {12, 1}, true},
      {"four bytes", host.data(), 4, fresh + 2, 4, {4, 1}, true},
      {"three bytes", host.data(), 3, fresh, 3, {3, 1}, true},
      {"four rows of a byte", host.data(), 1, fresh + 3, 3, {1, 4}, true},
      {"three rows of a byte", host.data(), 1, fresh, 3, {1, 3}, true},
      {"rows that were not written", host.data(), 3, fresh, 5, {3, 3}, true},
      {"of rows that were not written, the last byte alone",
       host.data(),
       1,
       fresh + 15,
       0,
       {1, 4},
       true},
      {"a row that was written after one that was not", host.data(), 8, partly, 8, {8, 2}, false},
      {"the row that was not written", host.data(), 8, partly, 8, {8, 1}, true},
      {"the row that was written", host.data(), 8, partly + 8, 8, {8, 1}, false},
      {"to pinned memory", pinned, 16, fresh, 16, {16, 1}, true},
      {"of pinned memory", host.data(), 16, pinned, 16, {16, 1}, false},
      {"of the program's own memory", host.data(), 8, host.data() + 8, 8, {8, 1}, false},
      {"within the device", partly, 8, fresh, 8, {8, 1}, false},
      {"to the last byte of a device's memory", partly + 15, 0, fresh, 1, {1, 4}, false},
  };
  for (const auto& one : cases) {
    scheduler_.begin(1);
    const std::vector<unsigned char> kept(partly, partly + 16);
    fill_pattern(pinned, 16, fresh_pattern);
    const auto copy =
        make_shared<CopyOperation>(one.to, one.to_pitch, one.from, one.from_pitch, one.rows);
    submit(0, copy);
    scheduler_.drain(lock_);
    std::memcpy(partly, kept.data(), kept.size());
    const auto& remarks = scheduler_.recorder.remarks;
    EXPECT_EQ(remarks.size(), one.remarked ? 1U : 0U) << one.what;
    for (const auto& [point, mistake] : remarks) {
      EXPECT_EQ(mistake, debug::Mistake::unwritten_read);
      EXPECT_EQ(point, 0U);
    }
  }
  scheduler_.begin(1);
  submit(0, make_shared<FillOperation>(fresh, std::uint8_t{1}, std::size_t{16}));
  scheduler_.drain(lock_);
  EXPECT_TRUE(scheduler_.recorder.remarks.empty()) << "a fill reads nothing";
  for (void* one : {fresh, partly, pinned}) static_cast<void>(runtime_.memory.remove(one));
}

TEST_F(ScheduledByHand, WorkOfALostDeviceIsNotWatchedLater) {
  scheduler_.begin(1);
  constexpr char code = 0;
  const KernelEntry entry{&code, nullptr, nullptr, 0};
  const auto kernel = [&] {
    return make_shared<KernelOperation>(entry, LaunchShape{}, nullptr, runtime_.pool);
  };
  const auto single = kernel();
  const auto node = kernel();
  const auto nodes = make_shared<GraphNodes>();
  nodes->push_back({node, {}});
  runtime_.devices[0]->fail({raw(HostStatus::illegal_address), {}});
  ASSERT_NE(runtime_.devices[0]->lost(), 0);
  submit(0, single);
  submit(0, make_shared<GraphOperation>(nodes));
  scheduler_.drain(lock_);
  EXPECT_EQ(single->watch, nullptr);
  EXPECT_EQ(node->watch, nullptr);
  runtime_.devices[0]->recover();
}

TEST_F(ScheduledByHand, AKernelKnowsWhetherItBeginsAlone) {
  scheduler_.begin(1);
  constexpr char code = 0;
  const KernelEntry entry{&code, nullptr, nullptr, 0};
  const auto kernel = [&] {
    const auto made = make_shared<KernelOperation>(entry, LaunchShape{}, nullptr, runtime_.pool);
    made->injected.status = raw(HostStatus::out_of_memory);
    return made;
  };
  const auto first = kernel();
  const auto second = kernel();
  const auto third = kernel();
  submit(0, first);
  EXPECT_TRUE(first->begins_alone);
  submit(0, second);
  EXPECT_FALSE(second->begins_alone);
  finish(second);
  const Shared<const Operation> known = second;
  scheduler_.known_done({&known, 1});
  submit(0, third);
  EXPECT_TRUE(third->begins_alone);
  scheduler_.drain(lock_);
  runtime_.devices[0]->recover();
}

TEST_F(ScheduledByHand, TheHostsOwnAccessesCountDuringARunAlone) {
  const int values[2] = {};
  const call_site line{"program.cpp", "main", 7};
  const auto touch = [&](std::size_t bytes, AccessKind kind) {
    lock_.unlock();
    AdversarialSession::touch(values, bytes, kind, line);
    lock_.lock();
  };
  scheduler_.begin(1);
  touch(4, AccessKind::read);
  runtime_.set_scheduler(&scheduler_);
  touch(0, AccessKind::write);
  const auto& history = scheduler_.recorder.history;
  EXPECT_EQ(history.size(), 0U);
  touch(1, AccessKind::read);
  touch(8, AccessKind::write);
  runtime_.set_scheduler(nullptr);
  ASSERT_EQ(history.size(), 2U);
  EXPECT_EQ(history[0].kind, debug::ActionKind::host_read);
  EXPECT_EQ(history[0].bytes, 1U);
  EXPECT_EQ(history[0].site.line, 7U);
  EXPECT_EQ(history[1].kind, debug::ActionKind::host_write);
  EXPECT_EQ(history[1].bytes, 8U);
  touch(4, AccessKind::read);
  EXPECT_EQ(history.size(), 2U);
}

TEST(Session, LeavesFailuresAloneThatAreNotOfItsRun) {
  Device& device = *Runtime::get().devices[0];
  for (const bool runs : {false, true}) {
    {
      AdversarialSession session;
      bool again = true;
      if (runs) {
        ASSERT_TRUE(session.begin(1));
        EXPECT_TRUE(session.end(again));
        EXPECT_FALSE(again);
      }
      device.fail({raw(HostStatus::out_of_memory), {}});
    }
    EXPECT_EQ(device.failure().status, raw(HostStatus::out_of_memory));
    device.recover();
  }
}

}  // namespace
}  // namespace warpsafe::host
