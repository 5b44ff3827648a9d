// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/host_thread.hpp>
#include <warpsafe/backend/host/detail/containers.hpp>
#include <warpsafe/backend/host/detail/exceptions.hpp>
#include <warpsafe/backend/host/detail/grid.hpp>
#include <warpsafe/backend/host/detail/kernel_faults.hpp>
#include <warpsafe/backend/host/detail/shared_memory.hpp>
#include <warpsafe/backend/host/detail/threads.hpp>

#include <cstddef>
#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// Sets the indices of the `number`th thread, x fastest. Divides in 32 bits: several times as fast.
inline void set_thread_index(HostThread& thread, std::uint64_t number) noexcept {
  const auto place = static_cast<unsigned>(number);
  thread.thread[0] = place % thread.block_dim[0];
  const unsigned row = place / thread.block_dim[0];
  thread.thread[1] = row % thread.block_dim[1];
  thread.thread[2] = row / thread.block_dim[1];
}

/// Runs a grid's blocks with one OS thread for each GPU thread, so that ThreadSanitizer sees data
/// races between a block's threads. Slow; for tests only. The blocks of a grid run on the same
/// threads, because ThreadSanitizer takes long to start one.
class ThreadRunner {
 public:
  /// As FibreRunner's. ThreadSanitizer supports at most 8128 threads.
  static constexpr unsigned max_helpers = 2;

  ThreadRunner() = default;
  ThreadRunner(const ThreadRunner&) = delete;
  ThreadRunner& operator=(const ThreadRunner&) = delete;
  ~ThreadRunner() { end_grid(); }

  /// As FibreRunner's. The threads are started by the first block, and end with the grid.
  void begin_grid() noexcept {}
  void end_grid() noexcept {
    for (const auto& member : members_) member->call(false);
    for (const auto& member : members_) member->thread.join();
    members_.clear();
  }

  /// Runs the `number`th block to its end or to the first failure, which `grid` then holds.
  void run_block(Grid& grid, std::uint64_t number) {
    grid_ = &grid;
    grid.block_index(number, block_);
    running_ = grid.shape.threads_per_block();
    waiting_ = 0;
    finished_ = 0;
    broken_ = false;
    asks_dynamic_ = false;
    use_ = {};
    shared_.begin_block(grid.shape.dynamic_shared);
    // Its threads run at once, so none is followed by itself.
    if (grid.watch != nullptr) static_cast<void>(grid.watch->begin_block(number));

    // A single thread never has to be cancelled, so it runs on the caller's OS thread.
    if (running_ == 1) {
      run_thread(0);
    } else if (start_threads()) {
      for (std::uint64_t i = 0; i < running_; ++i) members_[i]->call(true);
      Lock lock(mutex_);
      all_finished_.wait(lock, [this] { return finished_ == running_; });
    } else {
      grid.fail(HostStatus::out_of_memory, "no OS thread for a thread of the block");
    }
    shared_.end_block(grid, block_, asks_dynamic_);
    grid.add_use(use_);
    if (grid.watch != nullptr) grid.watch->end_block();
  }

 private:
  struct Player : HostThread {
    ThreadRunner* runner;
  };

  /// An OS thread that runs one thread of each block. Each has a mutex of its own for the start of
  /// a block: from one that all of them locked, ThreadSanitizer would conclude that the threads of
  /// a block run one after the other, and would report no race between them.
  struct Member {
    void call(bool runs) {
      const Lock lock(mutex);
      (runs ? has_block : dismissed) = true;
      called.notify_one();
    }
    /// Waits for the next block. False if there is none.
    bool take_block() {
      Lock lock(mutex);
      called.wait(lock, [this] { return has_block || dismissed; });
      has_block = false;
      return !dismissed;
    }
    Mutex mutex;
    Condition called;
    bool has_block = false;
    bool dismissed = false;
    Thread thread;
  };

  /// Starts the threads that the block has more than the blocks before it. False if the system does
  /// not give them.
  bool start_threads() {
    const int status = guarded(
        [this] {
          while (members_.size() < running_) start_thread(members_.size());
          return 0;
        },
        raw(HostStatus::out_of_memory));
    // The last one may have no thread.
    if (!members_.empty() && !members_.back()->thread.joinable()) members_.pop_back();
    return status == 0;
  }
  void start_thread(std::uint64_t number) {
    Member& member = *members_.push_back(make_owned<Member>());
    member.thread = Thread([this, number, &member] {
      while (member.take_block()) run_thread(number);
      pass_on_signals();
    });
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
    player.watched = grid_->watched();
    player.dynamic_shared = shared_.dynamic(player.dynamic_shared_bytes);
    player.sync = &ThreadRunner::sync;
    player.static_shared = &ThreadRunner::static_shared;
    player.leave = &ThreadRunner::leave;
    player.fault = &ThreadRunner::fault;
    player.depend = &ThreadRunner::depend;
    player.lack_shared = &end_without_shared;
    player.ask_shared = &ThreadRunner::ask_shared;
    watch_elements(player.watched.most != 0);
    host_thread = &player;
    call_kernel([this] { grid_->call(); },
                [&](const char* what) { fail_exception(*grid_, player, what); });
    host_thread = nullptr;
    watch_elements(false);
    const Lock lock(mutex_);
    ++finished_;
    asks_dynamic_ = asks_dynamic_ || player.asks_dynamic_shared;
    use_.add(player.use);
    if (waiting_ != 0 && waiting_ + finished_ == running_) diverge();
    if (finished_ == running_) all_finished_.notify_one();
  }

  static void sync(HostThread& self, const char* file, unsigned line) {
    static_cast<Player&>(self).runner->wait({file, line});
  }

  void wait(const BarrierSite& site) {
    Lock lock(mutex_);
    if (waiting_ == 0) {
      first_ = site;
      elsewhere_ = 0;
    } else if (!site.same_as(first_)) {
      other_ = site;
      ++elsewhere_;
    }
    ++waiting_;
    if (grid_->stopped()) {
      broken_ = true;
      all_here_.notify_all();
    } else if (waiting_ + finished_ == running_) {
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
    const Lock lock(mutex_);
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
    const Lock lock(runner.mutex_);
    waits ? grid.watch->wait(self, file, line) : grid.watch->allow();
  }

  static void ask_shared(HostThread& self, std::size_t count, std::size_t size, const char* file,
                         unsigned line) {
    Grid& grid = *static_cast<Player&>(self).runner->grid_;
    grid.requests.add(count, size, file, line, grid.shape.dynamic_shared);
    self.asked = {file, line, count * size};
  }

  static void* static_shared(HostThread& self, const void* key, std::size_t bytes, std::size_t) {
    ThreadRunner& runner = *static_cast<Player&>(self).runner;
    const Lock lock(runner.mutex_);
    return runner.shared_.variable(key, bytes);
  }

  Grid* grid_ = nullptr;
  unsigned block_[3] = {};
  SharedMemory shared_;
  Array<Owned<Member>> members_;
  Mutex mutex_;
  Condition all_here_;
  Condition all_finished_;
  std::uint64_t running_ = 0;    // threads of the block
  std::uint64_t waiting_ = 0;    // at the barrier
  std::uint64_t elsewhere_ = 0;  // of those, at another line than the first
  std::uint64_t finished_ = 0;
  std::uint64_t generation_ = 0;  // barriers that opened
  bool broken_ = false;
  bool asks_dynamic_ = false;         // any thread
  warpsafe::detail::IndexUse use_{};  // of all threads
  BarrierSite first_;
  BarrierSite other_;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
