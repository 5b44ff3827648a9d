// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A seed runs an order that the program allows, the same each time, and every order has a seed.
// Compares random programs with brute force.

#include "brute_force.hpp"
#include <warpsafe/args/trust.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/race/adversarial.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <span>
#include <string>
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
  std::array<host::StreamState*, streams> native{};
  for (auto& stream : native) ASSERT_EQ(host_backend::stream_create(stream, 0), 0);
  std::array<host::EventState*, events> event{};
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
