// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/block.hpp>
#include <warpsafe/backend/host/detail/exceptions.hpp>
#include <warpsafe/backend/host/detail/fibre.hpp>
#include <warpsafe/backend/host/detail/grid.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>

namespace warpsafe::host {

/// Runs the blocks of a grid one after another on the calling OS thread.
///
/// A fibre loops over the block's threads (run_threads). When a thread calls sync_block(), its
/// fibre is parked, and another fibre continues the loop with the next thread. After the loop, the
/// parked fibres resume in turn from barrier to barrier, each switching directly to the next,
/// because switches are the main cost. A kernel without barriers therefore runs as one loop.
class FibreRunner {
 public:
  /// How many runners may be active at once, per processor.
  static constexpr unsigned max_concurrent = ~0U;

  /// Runs the `number`th block to its end or to the first failure, which `grid` then holds.
  void run_block(Grid& grid, std::uint64_t number) {
    begin_block(grid, number);
    running_block = {&fibres_, &grid};
    while (next_ < threads_ && !grid.stopped()) {
      if (opened_ < lanes_.size() || make_lane()) {
        own_.switch_to(enter(open_lane()));
      } else {
        grid.fail(HostStatus::out_of_memory, "no memory for the stack of a thread that waits");
      }
    }
    // Parked fibres that are not resumed are dropped: their stacks are reused.
    resuming_ = true;
    while (!grid.stopped() && all_at_barrier()) own_.switch_to(enter(lanes_.front()));
    host_thread = nullptr;
    shared_.end_block(grid, block_);
  }

 private:
  /// A fibre and the thread that it currently runs.
  struct Lane : HostThread {
    FibreRunner* runner;
    Fibre* fibre;
    Lane* next;  // created after this one
    BarrierSite site;
  };

  void begin_block(Grid& grid, std::uint64_t number) {
    grid_ = &grid;
    next_ = 0;
    opened_ = 0;
    waiting_ = 0;
    at_site_ = 0;
    resuming_ = false;
    threads_ = grid.shape.threads_per_block();
    shared_.begin_block(grid.shape.dynamic_shared);
    grid.block_index(number, block_);
  }

  /// Returns false if there is no memory for its stack.
  [[nodiscard]] bool make_lane() {
    Fibre* const fibre = fibres_.at(lanes_.size());
    if (fibre == nullptr) return false;
    Lane* const before = lanes_.empty() ? nullptr : &lanes_.back();
    Lane& lane = lanes_.emplace_back();
    if (before != nullptr) before->next = &lane;
    lane.runner = this;
    lane.fibre = fibre;
    lane.next = nullptr;
    lane.sync = &FibreRunner::sync;
    lane.static_shared = &FibreRunner::static_shared;
    lane.leave = &FibreRunner::leave;
    lane.fault = &FibreRunner::fault;
    return true;
  }
  /// Prepares the next existing lane for the next thread.
  [[nodiscard]] Lane& open_lane() noexcept {
    Lane& lane = opened_ == 0 ? lanes_.front() : *last_->next;
    last_ = &lane;
    ++opened_;
    for (int axis = 0; axis < 3; ++axis) {
      lane.block[axis] = block_[axis];
      lane.block_dim[axis] = grid_->shape.block[axis];
      lane.grid_dim[axis] = grid_->shape.grid[axis];
    }
    lane.dynamic_shared_bytes = grid_->shape.dynamic_shared;
    lane.dynamic_shared = shared_.dynamic(lane.dynamic_shared_bytes);
    set_thread_index(lane, next_);
    lane.continues = true;
    lane.fibre->prepare<&FibreRunner::loop>(&lane);
    return lane;
  }
  [[nodiscard]] static Fibre& enter(Lane& lane) noexcept {
    host_thread = &lane;
    return *lane.fibre;
  }
  /// The fibre to switch to when `lane` waits or has ended: the next one to run, or run_block if
  /// something must be created or decided first.
  [[nodiscard]] Fibre& after(const Lane& lane) noexcept {
    if (grid_->stopped()) return own_;
    if (resuming_) return &lane != last_ ? enter(*lane.next) : own_;
    return next_ < threads_ && opened_ < lanes_.size() ? enter(open_lane()) : own_;
  }

  static Fibre& loop(void* argument) {
    Lane& lane = *static_cast<Lane*>(argument);
    FibreRunner& runner = *lane.runner;
    Grid& grid = *runner.grid_;
    call_kernel(
        [&] {
          grid.call();
          if (lane.continues) runner.next_ = runner.threads_;
        },
        [&](const char* what) { fail_exception(grid, lane, what); });
    return runner.after(lane);
  }

  static void sync(HostThread& self, const char* file, unsigned line) {
    Lane& lane = static_cast<Lane&>(self);
    FibreRunner& runner = *lane.runner;
    lane.site = {file, line};
    if (runner.waiting_++ == 0) runner.site_ = lane.site;
    runner.at_site_ += lane.site.same_as(runner.site_) ? 1U : 0U;
    if (lane.continues) {
      lane.continues = false;
      runner.next_ = thread_number(lane) + 1;
    }
    lane.fibre->switch_to(runner.after(lane));
  }

  /// A stopped grid resumes no fibre, so this never returns.
  static void leave(HostThread& self, const char* file, unsigned line) {
    static_cast<Lane&>(self).runner->grid_->stop();
    sync(self, file, line);
  }

  static void fault(HostThread& self, const char* text) {
    static_cast<Lane&>(self).runner->grid_->fail(HostStatus::illegal_address, text);
    sync(self, "", 0);
  }

  static void* static_shared(HostThread& self, const void* key, std::size_t bytes, std::size_t) {
    return static_cast<Lane&>(self).runner->shared_.variable(key, bytes);
  }

  /// Returns true if every thread of the block waits at the same line, and false if none waits.
  /// Reports a divergence in every other case.
  [[nodiscard]] bool all_at_barrier() {
    const std::uint64_t waiting = waiting_;
    const std::uint64_t at_first = at_site_;
    waiting_ = 0;
    at_site_ = 0;
    if (at_first == threads_) return true;
    if (waiting == 0) return false;
    BarrierSite other;
    for (std::size_t i = 0; i < opened_ && waiting != at_first; ++i) {
      const Lane& lane = lanes_[i];
      if (!lane.fibre->done() && !lane.site.same_as(site_)) other = lane.site;
    }
    fail_divergence(*grid_, block_, threads_ - waiting, site_, at_first, other, waiting - at_first);
    return false;
  }

  Fibre own_;  // of run_block
  FibrePool fibres_;
  std::deque<Lane> lanes_;
  SharedMemory shared_;
  Grid* grid_ = nullptr;
  unsigned block_[3] = {};
  std::uint64_t threads_ = 0;  // of the block
  std::uint64_t next_ = 0;     // the thread that the next fibre begins with
  std::size_t opened_ = 0;     // fibres that this block uses
  Lane* last_ = nullptr;       // the last of them
  std::uint64_t waiting_ = 0;  // threads that have reached a barrier in this round
  std::uint64_t at_site_ = 0;  // of those, the threads at the first one's line
  BarrierSite site_;           // that line
  bool resuming_ = false;      // no thread is left to begin: fibres go from barrier to barrier
};

}  // namespace warpsafe::host
