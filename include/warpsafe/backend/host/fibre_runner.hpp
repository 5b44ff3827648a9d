// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/block.hpp>
#include <warpsafe/backend/host/exceptions.hpp>
#include <warpsafe/backend/host/fibre.hpp>
#include <warpsafe/backend/host/grid.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>

namespace warpsafe::host {

/// Runs a grid's blocks, one after the other, on the OS thread that calls it.
///
/// A fibre loops over the block's threads (play_threads). A thread that calls sync_block() takes
/// the fibre with it: it is parked, and another fibre goes on with the loop at the next thread.
/// Once the loop is through, the parked fibres go round from barrier to barrier. So a kernel
/// without barriers is one loop.
class FibreRunner {
 public:
  /// How many of these may run at once, per processor.
  static constexpr unsigned most_at_once = ~0U;

  /// Runs the `number`th block, to its end or to the first failure, which `grid` then holds.
  void run_block(Grid& grid, std::uint64_t number) {
    begin_block(grid, number);
    while (next_ < threads_ && !grid.stopped()) {
      if (Lane* const lane = open_lane(opened_); lane != nullptr) {
        ++opened_;
        lane->fibre->start<&FibreRunner::loop>(lane);
      } else {
        grid.fail(HostStatus::out_of_memory, "no memory for the stack of a thread that waits");
      }
    }
    // Parked fibres that are not resumed are dropped: their stacks are simply used again.
    while (!grid.stopped() && everyone_waits()) {
      for (std::size_t i = 0; i < opened_ && !grid.stopped(); ++i) resume(lanes_[i]);
    }
    host_thread = nullptr;
  }

 private:
  /// One fibre and the thread that it plays now.
  struct Lane : HostThread {
    FibreRunner* runner;
    Fibre* fibre;
    BarrierSite site;
  };

  void begin_block(Grid& grid, std::uint64_t number) {
    grid_ = &grid;
    next_ = 0;
    opened_ = 0;
    threads_ = grid.shape.threads_per_block();
    shared_.begin_block(grid.shape.dynamic_shared);
    grid.block_index(number, block_);
  }

  [[nodiscard]] Lane* open_lane(std::size_t number) {
    if (number == lanes_.size()) {
      Fibre* const fibre = fibres_.at(number);
      if (fibre == nullptr) return nullptr;
      lanes_.emplace_back();
      lanes_.back().runner = this;
      lanes_.back().fibre = fibre;
      lanes_.back().sync = &FibreRunner::sync;
      lanes_.back().static_shared = &FibreRunner::static_shared;
      lanes_.back().leave = &FibreRunner::leave;
    }
    Lane& lane = lanes_[number];
    for (int axis = 0; axis < 3; ++axis) {
      lane.block[axis] = block_[axis];
      lane.block_dim[axis] = grid_->shape.block[axis];
      lane.grid_dim[axis] = grid_->shape.grid[axis];
    }
    lane.dynamic_shared_bytes = grid_->shape.dynamic_shared;
    lane.dynamic_shared = shared_.dynamic(lane.dynamic_shared_bytes);
    return &lane;
  }

  static void loop(void* argument) {
    Lane& lane = *static_cast<Lane*>(argument);
    FibreRunner& runner = *lane.runner;
    Grid& grid = *runner.grid_;
    host_thread = &lane;
    set_thread_index(lane, runner.next_);
    lane.goes_on = true;
    call_kernel(
        [&] {
          grid.call();
          if (lane.goes_on) runner.next_ = runner.threads_;
        },
        [&](const char* what) { fail_exception(grid, lane, what); });
  }

  static void resume(Lane& lane) {
    host_thread = &lane;
    lane.fibre->resume();
  }

  static void sync(HostThread& self, const char* file, unsigned line) {
    Lane& lane = static_cast<Lane&>(self);
    lane.site = {file, line};
    if (lane.goes_on) {
      lane.goes_on = false;
      lane.runner->next_ = thread_number(lane) + 1;
    }
    lane.fibre->suspend();
  }

  /// Nobody resumes it: a grid that was stopped resumes none.
  static void leave(HostThread& self, const char* file, unsigned line) {
    static_cast<Lane&>(self).runner->grid_->stop();
    sync(self, file, line);
  }

  static void* static_shared(HostThread& self, const void* key, std::size_t bytes, std::size_t) {
    return static_cast<Lane&>(self).runner->shared_.variable(key, bytes);
  }

  /// True if every thread of the block waits at the same place; false if none waits. Everything
  /// between is reported.
  [[nodiscard]] bool everyone_waits() {
    const BarrierSite* first = nullptr;
    const BarrierSite* other = nullptr;
    std::uint64_t at_first = 0;
    std::uint64_t elsewhere = 0;
    for (std::size_t i = 0; i < opened_; ++i) {
      const Lane& lane = lanes_[i];
      if (lane.fibre->done()) continue;
      if (first == nullptr) first = &lane.site;
      if (lane.site.same_as(*first)) {
        ++at_first;
      } else {
        other = &lane.site;
        ++elsewhere;
      }
    }
    if (first == nullptr) return false;
    if (at_first == threads_) return true;
    fail_divergence(*grid_, block_, threads_ - at_first - elsewhere, *first, at_first,
                    other != nullptr ? *other : BarrierSite{}, elsewhere);
    return false;
  }

  FibrePool fibres_;
  std::deque<Lane> lanes_;
  SharedMemory shared_;
  Grid* grid_ = nullptr;
  unsigned block_[3] = {};
  std::uint64_t threads_ = 0;  // of the block
  std::uint64_t next_ = 0;     // the thread that the next fibre begins with
  std::size_t opened_ = 0;     // fibres that this block uses
};

}  // namespace warpsafe::host
