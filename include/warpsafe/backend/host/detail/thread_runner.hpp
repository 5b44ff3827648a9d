// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/block.hpp>
#include <warpsafe/backend/host/detail/exceptions.hpp>
#include <warpsafe/backend/host/detail/grid.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace warpsafe::host {

/// Runs a grid's blocks with one OS thread for each GPU thread, so that ThreadSanitizer sees data
/// races between a block's threads. Slow; for tests only.
class ThreadRunner {
 public:
  /// As FibreRunner's. ThreadSanitizer supports at most 8128 threads.
  static constexpr unsigned max_helpers = 2;

  /// As FibreRunner's. Nothing is kept here.
  void begin_grid() noexcept {}
  void end_grid() noexcept {}

  /// Runs the `number`th block to its end or to the first failure, which `grid` then holds.
  void run_block(Grid& grid, std::uint64_t number) {
    grid_ = &grid;
    grid.block_index(number, block_);
    running_ = grid.shape.threads_per_block();
    waiting_ = 0;
    finished_ = 0;
    broken_ = false;
    asks_dynamic_ = false;
    shared_.begin_block(grid.shape.dynamic_shared);
    // Its threads run at once, so none is followed by itself.
    if (grid.watch != nullptr) static_cast<void>(grid.watch->begin_block(number));

    // A single thread never has to be cancelled, so it runs on the caller's OS thread.
    if (running_ == 1) {
      run_thread(0);
      return end_block(grid);
    }
    std::vector<std::thread> threads;
    const int status = guarded(
        [&] {
          for (std::uint64_t i = 0; i < grid.shape.threads_per_block(); ++i) {
            threads.emplace_back([this, i] { run_thread(i); });
          }
          return 0;
        },
        raw(HostStatus::out_of_memory));
    if (status != 0) {
      grid.fail(HostStatus::out_of_memory, "no OS thread for a thread of the block");
      break_barrier();
    }
    for (std::thread& thread : threads) thread.join();
    end_block(grid);
  }

 private:
  struct Player : HostThread {
    ThreadRunner* runner;
  };

  void end_block(Grid& grid) const {
    shared_.end_block(grid, block_, asks_dynamic_);
    if (grid.watch != nullptr) grid.watch->end_block();
  }

  void run_thread(std::uint64_t number) {
    Player player{};
    player.runner = this;
    for (int axis = 0; axis < 3; ++axis) {
      player.block[axis] = block_[axis];
      player.block_dim[axis] = grid_->shape.block[axis];
      player.grid_dim[axis] = grid_->shape.grid[axis];
    }
    set_thread_index(player, number);
    player.dynamic_shared_bytes = grid_->shape.dynamic_shared;
    player.dynamic_shared = shared_.dynamic(player.dynamic_shared_bytes);
    player.sync = &ThreadRunner::sync;
    player.static_shared = &ThreadRunner::static_shared;
    player.leave = &ThreadRunner::leave;
    player.fault = &ThreadRunner::fault;
    player.depend = &ThreadRunner::depend;
    host_thread = &player;
    call_kernel([this] { grid_->call(); },
                [&](const char* what) { fail_exception(*grid_, player, what); });
    host_thread = nullptr;
    const std::lock_guard lock(mutex_);
    ++finished_;
    asks_dynamic_ = asks_dynamic_ || player.asks_dynamic_shared;
    if (waiting_ != 0 && waiting_ + finished_ == running_) diverge();
  }

  static void sync(HostThread& self, const char* file, unsigned line) {
    static_cast<Player&>(self).runner->wait({file, line});
  }

  void wait(const BarrierSite& site) {
    std::unique_lock lock(mutex_);
    if (waiting_ == 0) {
      first_ = site;
      elsewhere_ = 0;
    } else if (!site.same_as(first_)) {
      other_ = site;
      ++elsewhere_;
    }
    ++waiting_;
    if (waiting_ + finished_ == running_) {
      if (finished_ == 0 && elsewhere_ == 0) {
        waiting_ = 0;
        ++generation_;
        all_here_.notify_all();
        return;
      }
      diverge();
    }
    const std::uint64_t mine = generation_;
    all_here_.wait(lock, [&] { return generation_ != mine || broken_; });
    if (generation_ != mine) return;
    lock.unlock();
    cancel_thread();
  }

  /// The barrier can never open again. @pre the mutex is held
  void diverge() {
    if (!broken_) {
      fail_divergence(*grid_, block_, finished_, first_, waiting_ - elsewhere_, other_, elsewhere_);
    }
    broken_ = true;
    all_here_.notify_all();
  }
  void break_barrier() {
    const std::lock_guard lock(mutex_);
    broken_ = true;
    all_here_.notify_all();
  }

  static void leave(HostThread& self, const char*, unsigned) {
    ThreadRunner& runner = *static_cast<Player&>(self).runner;
    runner.grid_->stop();
    runner.break_barrier();
    cancel_thread();
  }

  static void fault(HostThread& self, const char* text) {
    static_cast<Player&>(self).runner->grid_->fail(HostStatus::illegal_address, text);
    leave(self, "", 0);
  }

  static void depend(HostThread& self, bool waits, const char* file, unsigned line) {
    ThreadRunner& runner = *static_cast<Player&>(self).runner;
    Grid& grid = *runner.grid_;
    grid.depend(waits);
    if (grid.watch == nullptr) return;
    const std::lock_guard lock(runner.mutex_);
    waits ? grid.watch->wait(self, file, line) : grid.watch->allow();
  }

  static void* static_shared(HostThread& self, const void* key, std::size_t bytes, std::size_t) {
    ThreadRunner& runner = *static_cast<Player&>(self).runner;
    const std::lock_guard lock(runner.mutex_);
    return runner.shared_.variable(key, bytes);
  }

  Grid* grid_ = nullptr;
  unsigned block_[3] = {};
  SharedMemory shared_;
  std::mutex mutex_;
  std::condition_variable all_here_;
  std::uint64_t running_ = 0;    // threads of the block
  std::uint64_t waiting_ = 0;    // at the barrier
  std::uint64_t elsewhere_ = 0;  // of those, at another line than the first
  std::uint64_t finished_ = 0;
  std::uint64_t generation_ = 0;  // barriers that opened
  bool broken_ = false;
  bool asks_dynamic_ = false;  // any thread
  BarrierSite first_;
  BarrierSite other_;
};

}  // namespace warpsafe::host
