// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/exceptions.hpp>
#include <warpsafe/backend/host/detail/operation.hpp>
#include <warpsafe/backend/host/detail/runtime.hpp>
#include <warpsafe/race/detail/dependent_launches.hpp>
#include <warpsafe/race/detail/host_race_recorder.hpp>
#include <warpsafe/race/detail/unwritten_reads.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// Random numbers that depend only on the seed, on every machine and with every standard library:
/// splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

  [[nodiscard]] std::uint64_t next() noexcept {
    std::uint64_t mixed = state_ += 0x9E3779B97F4A7C15U;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31);
  }
  /// One of 0 … end - 1. `end` is not 0 and far below 2^32, so that no number is noticeably
  /// favoured.
  [[nodiscard]] std::size_t below(std::size_t end) noexcept { return (next() >> 32) * end >> 32; }

 private:
  std::uint64_t state_;
};

/// Runs the operations of a program one at a time, in an order that depends on the seed. At each
/// call of the program, some of the pending work runs first, or none. Every order that the streams
/// and their waits allow is possible, and a query sees the work that has run.
class SeededScheduler final : public Scheduler {
 public:
  explicit SeededScheduler(Runtime& runtime) : runtime_(runtime) {}
  HostRaceRecorder recorder;

  /// Begins a run.
  void begin(std::uint64_t seed) {
    random_ = Random(seed);
    handles_ = Random(~seed);
    recorder.begin();
    dependents_.clear();
    watches_.unwritten.clear();
    lacks_memory_ = false;
    streams_.clear();
    pending_queries_ = 0;
    waiting_ = 0;
    // From a device that is far behind the host to one that finishes at once.
    constexpr std::uint32_t odds[] = {1, 4, 8, 12, 15};
    odds_ = odds[random_.below(std::size(odds))];
  }
  /// Runs all remaining work.
  void drain(Lock& lock) {
    while (running_ || run_one(lock)) {
      if (running_) runtime_.progress.wait(lock);
    }
  }

  void begin_call(Lock& lock) override {
    if (running_) return;
    // The call has submitted nothing yet, so it can fail.
    if (std::exchange(lacks_memory_, false)) throw_bad_alloc();
    // Ends loops of a program that queries until the answer is yes.
    if (pending_queries_ > 32) run_one(lock);
    // A device's queue is full at some time, too; the host then waits in its call.
    while (!running_ && waiting_ > most_waiting && run_one(lock)) {
    }
    while (!running_ && random_.below(16) < odds_ && run_one(lock)) {
    }
  }
  void submitted(StreamState& stream, Operation& operation) override {
    if (operation.kind() == OperationKind::kernel) {
      static_cast<KernelOperation&>(operation).begins_alone = recorder.host_knows(stream);
    }
    // Before what may run out of memory: the submission then fails, but later ones must run.
    if (std::find(streams_.begin(), streams_.end(), &stream) == streams_.end()) {
      streams_.push_back(&stream);
    }
    recorder.submitted(stream, operation);
    ++waiting_;
  }
  void finish(Lock& lock, Operations operations) override {
    const auto done = [](const auto& operation) { return operation->done; };
    while (!std::all_of(operations.begin(), operations.end(), done)) {
      if (running_ || !run_one(lock)) runtime_.progress.wait(lock);
    }
  }
  void known_done(Operations operations) override {
    pending_queries_ = 0;
    recorder.known_done(operations);
  }
  [[nodiscard]] bool host_knows(const Operation& operation) const override {
    return recorder.host_knows(operation);
  }
  void known_pending() override {
    ++pending_queries_;
    recorder.host(debug::ActionKind::not_done);
  }
  bool hands_out_again() override { return random_.below(2) == 0; }
  bool reuses_handle() override { return handles_.below(2) == 0; }
  void empty_wait(StreamState&) override { recorder.host(debug::ActionKind::empty_wait); }
  void touched(const MemoryAccess& access) override {
    using debug::ActionKind;
    const ActionKind kind = access.kind == AccessKind::allocate  ? ActionKind::host_allocate
                            : access.kind == AccessKind::release ? ActionKind::host_release
                            : access.kind == AccessKind::write   ? ActionKind::host_write
                                                                 : ActionKind::host_read;
    recorder.host(kind, {}, {&access, 1});
  }
  void destroyed(StreamState& stream) override { recorder.destroyed(stream); }
  void forgotten(const StreamState& stream) override {
    std::erase(streams_, &stream);
    dependents_.forgotten(stream);
    recorder.forgotten(stream);
  }
  void refused(const StreamState* stream) override { recorder.refused(stream); }

 private:
  /// What is watched in a kernel's run.
  struct Watches final : KernelWatch {
    explicit Watches(OutsideWrites& its_outside) noexcept : outside(its_outside) {}
    void begins(const KernelOperation& kernel) noexcept override {
      outside.begins(kernel);
      unwritten.begins(kernel);
    }
    void has_run(const KernelOperation& kernel) noexcept override {
      unwritten.has_run(kernel);
      outside.has_run(kernel);
    }
    OutsideWrites& outside;
    UnwrittenReads unwritten;
  };

  /// Lets `by` watch the kernels of an operation in its next run.
  static void watch(Operation& operation, KernelWatch* by) noexcept {
    if (operation.kind() == OperationKind::kernel) {
      static_cast<KernelOperation&>(operation).watch = by;
    } else if (operation.kind() == OperationKind::graph) {
      for (const GraphNode& node : *static_cast<GraphOperation&>(operation).nodes) {
        watch(*node.operation, by);
      }
    }
  }
  /// Runs the oldest operation of a random stream. False if none can run.
  bool run_one(Lock& lock) {
    std::erase_if(streams_, [](auto* stream) { return stream->closing && stream->idle(); });
    runnable_.clear();
    for (StreamState* stream : streams_) {
      if (stream->runnable()) runnable_.push_back(stream);
    }
    if (runnable_.empty()) return false;
    StreamState& stream = *runnable_[random_.below(runnable_.size())];
    const Shared<Operation> operation = stream.queue.front();
    recorder.runs(*operation);
    recorder.look_for_addresses(*operation, runtime_.memory);
    if (watches_.unwritten.in_copy(*operation, runtime_.memory)) {
      recorder.remark(*operation, debug::Mistake::unwritten_read);
    }
    const bool begun = dependents_.begin(stream, runtime_.memory, recorder,
                                         [this](std::size_t end) { return random_.below(end); });
    // Old contents of memory that a kernel sees until its wait would look like its writes.
    watch(*operation, dependents_.hides() ? nullptr : &watches_);
    running_ = true;
    runtime_.run_front(stream, lock);
    --waiting_;
    running_ = false;
    watch(*operation, nullptr);  // a lost device runs nothing, and a graph outlives this
    watches_.unwritten.add_writes(*operation, runtime_.memory);
    if (watches_.unwritten.takes_found()) {
      recorder.remark(*operation, debug::Mistake::unwritten_read);
    }
    const bool ended = dependents_.end(stream, operation, recorder);
    lacks_memory_ = lacks_memory_ || !begun || !ended;
    return true;
  }

  Runtime& runtime_;
  Watches watches_{recorder.outside};
  Random random_{0};
  Random handles_{0};  // numbers of its own: a stream's end does not change the order of the work
  std::uint32_t odds_ = 8;  // of 16: the chance that one more operation runs before a call
  std::uint32_t pending_queries_ = 0;
  static constexpr std::size_t most_waiting = 1024;
  std::size_t waiting_ = 0;    // operations that have not run
  bool running_ = false;       // an operation runs, without the lock
  bool lacks_memory_ = false;  // for the order of dependent launches: the next call reports it
  DependentLaunches dependents_;
  std::vector<StreamState*> streams_;   // of this run that may have work, by their first work
  std::vector<StreamState*> runnable_;  // of these
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
