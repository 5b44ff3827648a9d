// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/memory_access.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <vector>

// Small stream programs and every order in which they can run. A machine finds the orders by trying
// each next step, without clocks. Tests compare the race checker's results with this.

namespace warpsafe::brute_force {

enum class What : std::uint8_t {
  operation,  // on a stream, with accesses
  record,     // an event, on a stream
  wait,       // a stream for an event's newest record; does nothing without one
  host,       // the host itself touches memory
  stream_synchronize,
  event_synchronize,
};

/// One call of the host.
struct Step {
  What what = What::operation;
  std::size_t stream = 0;
  std::size_t event = 0;
  std::vector<MemoryAccess> accesses{};

  [[nodiscard]] bool on_a_stream() const {
    return what == What::operation || what == What::record || what == What::wait;
  }
};
using Program = std::vector<Step>;

inline constexpr std::size_t streams = 3;
inline constexpr std::size_t events = 2;
inline constexpr std::size_t most_steps = 8;
inline constexpr std::uintptr_t allocation_bytes = 4;
/// The address of an allocation of 4 bytes, apart from the other one.
[[nodiscard]] inline std::uintptr_t allocation(std::size_t number) { return 64 * (number + 1); }

/// A random program of up to `most_steps` calls.
[[nodiscard]] inline Program random_program(std::mt19937& random) {
  const auto below = [&](std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
  };
  Program program;
  enum class State : std::uint8_t { untouched, never_allocated, live, released };
  std::array<State, 2> states{};
  const auto some_access = [&]() -> MemoryAccess {
    const std::size_t memory = below(2);
    const std::size_t offset = below(4);
    const AccessKind kind = below(2) == 0 ? AccessKind::read : AccessKind::write;
    // Bytes in a row, the whole of it, or one byte of each of two rows.
    switch (below(4)) {
      case 0:
        return {allocation(memory) + offset, MemoryAccess::whole_allocation, kind};
      case 1:
        return {allocation(memory) + offset % 2, 1, kind, 2, 2};
      default:
        return {allocation(memory) + offset, 1 + below(4 - offset), kind};
    }
  };
  const std::size_t steps = 2 + below(most_steps - 1);
  while (program.size() < steps) {
    Step step;
    step.stream = below(streams);
    step.event = below(events);
    const std::size_t memory = below(2);
    switch (below(12)) {
      case 0:
      case 1:
        step.what = What::record;
        break;
      case 2:
      case 3:
        step.what = What::wait;
        break;
      case 4:
        step.what = What::host;
        step.accesses = {some_access()};
        break;
      case 5:
        step.what = What::stream_synchronize;
        break;
      case 6:
        step.what = What::event_synchronize;
        break;
      case 7:
        if (states[memory] != State::untouched) continue;
        states[memory] = State::live;
        step.accesses = {{allocation(memory), allocation_bytes, AccessKind::allocate}};
        break;
      case 8:
        if (states[memory] != State::live) continue;
        states[memory] = State::released;
        step.accesses = {{allocation(memory), allocation_bytes, AccessKind::release}};
        break;
      default:
        step.accesses = {some_access()};
        if (below(2) == 0) step.accesses.push_back(some_access());
    }
    // Memory is allocated before its first access, or never. Only allocated memory has a known end.
    bool known = true;
    for (const MemoryAccess& access : step.accesses) {
      State& state = states[access.begin / 64 - 1];
      if (state == State::untouched) state = State::never_allocated;
      known = known &&
              (state != State::never_allocated || access.bytes != MemoryAccess::whole_allocation);
    }
    if (known) program.push_back(std::move(step));
  }
  return program;
}

/// The machine: the pending work of each stream, and the host's position.
class Machine {
 public:
  explicit Machine(const Program& program) : program_(program), newest_record_(events) { submit(); }
  /// The steps that may happen next.
  [[nodiscard]] std::vector<std::size_t> ready() const {
    std::vector<std::size_t> steps;
    for (const auto& queue : queues_) {
      if (!queue.empty() && waits_over(queue.front())) steps.push_back(queue.front());
    }
    if (host_ < program_.size() && waits_over(host_)) steps.push_back(host_);
    return steps;
  }
  void happen(std::size_t step) {
    happened_.push_back(step);
    done_[step] = true;
    if (program_[step].on_a_stream()) {
      auto& queue = queues_[program_[step].stream];
      queue.erase(queue.begin());
    } else {
      ++host_;
      submit();
    }
  }
  [[nodiscard]] bool finished() const { return happened_.size() == program_.size(); }
  [[nodiscard]] const std::vector<std::size_t>& happened() const { return happened_; }

 private:
  /// The host submits everything that it can without waiting, since a submission blocks nothing.
  void submit() {
    for (; host_ < program_.size() && program_[host_].on_a_stream(); ++host_) {
      const Step& step = program_[host_];
      if (step.what == What::record) newest_record_[step.event] = host_;
      if (step.what == What::wait) waits_for_[host_] = newest_record_[step.event];
      queues_[step.stream].push_back(host_);
    }
    if (host_ == program_.size()) return;
    const Step& step = program_[host_];
    if (step.what == What::event_synchronize) waits_for_[host_] = newest_record_[step.event];
  }
  [[nodiscard]] bool waits_over(std::size_t step) const {
    if (program_[step].what == What::stream_synchronize) {
      return queues_[program_[step].stream].empty();
    }
    return !waits_for_[step].has_value() || done_[*waits_for_[step]];
  }

  const Program& program_;
  std::size_t host_ = 0;
  std::array<std::vector<std::size_t>, streams> queues_{};
  std::vector<std::optional<std::size_t>> newest_record_;
  std::array<std::optional<std::size_t>, most_steps> waits_for_{};
  std::array<bool, most_steps> done_{};
  std::vector<std::size_t> happened_;
};

/// Calls `visit` with every order in which the program's steps can happen.
inline void for_each_order(const Program& program,
                           const std::function<void(const std::vector<std::size_t>&)>& visit) {
  const std::function<void(const Machine&)> go_on = [&](const Machine& machine) {
    if (machine.finished()) return visit(machine.happened());
    for (const std::size_t step : machine.ready()) {
      Machine next = machine;
      next.happen(step);
      go_on(next);
    }
  };
  go_on(Machine(program));
}

/// The bytes of the two allocations that an access touches, one bit each.
[[nodiscard]] inline unsigned bytes_of(const MemoryAccess& access) {
  const std::size_t number = access.begin / 64 - 1;
  if (access.bytes == MemoryAccess::whole_allocation) return 0xFU << (4 * number);
  unsigned bits = 0;
  for (std::size_t row = 0; row < access.rows; ++row) {
    for (std::size_t i = 0; i < access.bytes; ++i) {
      bits |= 1U << (4 * number + (access.begin % 64) + row * access.pitch + i);
    }
  }
  return bits;
}

/// A pair of steps, in the host's order, and the memory.
struct Conflict {
  std::size_t first;
  std::size_t second;
  std::uintptr_t allocation;  // where it begins; 0 for memory that was not allocated
  friend auto operator<=>(const Conflict&, const Conflict&) = default;
};

/// Every pair that races: two accesses, one of them a write, that can run in either order; or an
/// access that can run before its memory is allocated or after it is freed.
[[nodiscard]] inline std::set<Conflict> races_of(const Program& program) {
  std::array<std::array<bool, most_steps>, most_steps> seen{};
  for_each_order(program, [&](const std::vector<std::size_t>& order) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::size_t j = i + 1; j < order.size(); ++j) seen[order[i]][order[j]] = true;
    }
  });
  std::set<std::uintptr_t> allocated;
  for (const Step& step : program) {
    for (const MemoryAccess& access : step.accesses) {
      if (access.kind == AccessKind::allocate) allocated.insert(access.begin);
    }
  }
  std::set<Conflict> races;
  for (std::size_t a = 0; a < program.size(); ++a) {
    for (std::size_t b = a + 1; b < program.size(); ++b) {
      for (const MemoryAccess& x : program[a].accesses) {
        for (const MemoryAccess& y : program[b].accesses) {
          if ((bytes_of(x) & bytes_of(y)) == 0) continue;
          if (x.kind == AccessKind::read && y.kind == AccessKind::read) continue;
          const bool wrong = x.kind == AccessKind::release    ? seen[a][b]
                             : y.kind == AccessKind::release  ? seen[b][a]
                             : x.kind == AccessKind::allocate ? seen[b][a]
                                                              : seen[a][b] && seen[b][a];
          const std::uintptr_t memory = x.begin / 64 * 64;
          if (wrong) races.insert({a, b, allocated.count(memory) != 0 ? memory : 0});
        }
      }
    }
  }
  return races;
}

}  // namespace warpsafe::brute_force
