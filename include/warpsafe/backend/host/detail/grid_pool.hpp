// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/containers.hpp>
#include <warpsafe/backend/host/detail/exceptions.hpp>
#include <warpsafe/backend/host/detail/fibre_runner.hpp>
#include <warpsafe/backend/host/detail/grid.hpp>
#include <warpsafe/backend/host/detail/kernel_faults.hpp>
#include <warpsafe/backend/host/detail/sanitizers.hpp>
#include <warpsafe/backend/host/detail/thread_runner.hpp>
#include <warpsafe/backend/host/detail/threads.hpp>
#include <warpsafe/core/detail/text.hpp>

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

using BlockRunner = std::conditional_t<thread_sanitizer, ThreadRunner, FibreRunner>;

/// Distributes the blocks of a grid over the machine's processors. The thread that calls `run`
/// works on its own grid, so every grid makes progress, however many streams there are.
class GridPool {
 public:
  /// How many threads help on a machine with that many processors (0: unknown), of which the thread
  /// that calls `run` takes one.
  [[nodiscard]] static constexpr unsigned helpers_for(unsigned processors) noexcept {
    const unsigned wanted = processors == 0 ? 0 : processors - 1;
    return wanted < BlockRunner::max_helpers ? wanted : BlockRunner::max_helpers;
  }
  /// Runs all blocks of `grid`. Returns when the last one has ended.
  void run(Grid& grid) {
    const std::uint64_t blocks = grid.shape.blocks();
    const std::uint64_t cluster = grid.shape.has_cluster ? grid.shape.blocks_per_cluster() : 1;
    Job job{grid, blocks};
    if (blocks > 1 && grid.shape.cooperative) {
      run_together(job, blocks);
    } else if (cluster > 1 && grid.watch == nullptr) {  // a watch follows one block at a time
      // As many clusters at a time as there are processors for.
      const std::uint64_t groups = serial_ ? 1 : (helpers_wanted() + cluster) / cluster;
      const std::uint64_t clusters = blocks / cluster;
      job.groups = groups < clusters ? groups : clusters;
      run_together(job, job.groups * cluster);
    } else {
      const bool shared = blocks > 1 && !serial_;
      if (shared) offer(job);
      work(job);
      if (shared) withdraw(job);
    }
    grid.check_use();
  }
  /// Whether the blocks of a grid run one after another, always in the same order. Those of a
  /// cooperative grid or of a cluster may wait for one another, so they run together all the same.
  void run_serially(bool serial) noexcept { serial_ = serial; }

  /// Writes a line about a grid none of whose blocks has ended since the last call, while others
  /// have not begun: a block that waits for one of those waits for ever, on a GPU too. Returns
  /// whether it wrote one, which it does once for each grid.
  [[nodiscard]] bool put_standstill(warpsafe::detail::TextBuffer& out) {
    const Lock lock(mutex_);
    for (Job* job : jobs_) {
      const std::uint64_t begun = job->next.load();
      const bool together = job->grid.shape.cooperative || job->groups != 0;
      if (job->told || together || begun >= job->blocks) continue;
      if (!job->asked.exchange(true)) continue;
      job->told = true;
      const Name kernel = job->grid.kernel;
      out << "warpsafe: no block of kernel '" << (kernel.empty() ? Name::of("(unknown)") : kernel)
          << "' has ended for a while, and " << job->blocks - begun << " of " << job->blocks
          << " have not begun; if its blocks wait for each other, launch it with cooperative";
      return true;
    }
    return false;
  }

  /// Ends all grids of a device whose context is lost, as a GPU does. One that begins later ends at
  /// once.
  void end_grids_of(const Atomic<bool>& device_lost) {
    const auto is_there = [&](const Working& one) { return one.grid.device_lost == &device_lost; };
    {
      const Lock lock(mutex_);
      if (!device_lost) return;  // a test has reset it
      each_working(is_there, [](const Working& one) { one.grid.stop(); });
    }
    end_blocks([&](const Working& one) { return is_there(one) && one.grid.stopped(); });
  }

  /// Makes the next grids use new stacks. @pre no grid runs
  void drop_stacks() {
    const Lock lock(mutex_);
    runners_.clear();
  }

  /// Stops all running grids at the next block, and lets the helpers end. `run` may still be
  /// called.
  void close() {
    const Lock lock(mutex_);
    closing_ = true;
    for (Job* job : jobs_) job->grid.stop();
    work_.notify_all();
  }
  /// Whether all helpers have ended, and can be joined.
  [[nodiscard]] bool idle() {
    const Lock lock(mutex_);
    return gone_ == helpers_.size();
  }
  void join() {
    for (Thread& helper : helpers_) helper.join();
  }
  void detach() {
    for (Thread& helper : helpers_) helper.detach();
  }

 private:
  struct Job {
    Grid& grid;
    std::uint64_t blocks;
    std::uint64_t groups = 0;  // of threads, of which each runs whole clusters; 0: no clusters
    Atomic<std::uint64_t> next = 0;
    unsigned inside = 0;         // helpers
    bool all_started = true;     // the threads of its own
    Atomic<bool> asked = false;  // by put_standstill, since a block ended
    bool told = false;           // by put_standstill

    Job(Grid& its_grid, std::uint64_t its_blocks) : grid(its_grid), blocks(its_blocks) {}
    [[nodiscard]] bool over() const noexcept { return next.load() >= blocks || grid.stopped(); }
  };

  /// An OS thread that runs blocks of a grid.
  class Working {
   public:
    Working(GridPool& its_pool, Grid& its_grid) noexcept : grid(its_grid), pool_(its_pool) {
      const Lock lock(pool_.mutex_);
      next = pool_.working_;
      pool_.working_ = this;
      if (grid.device_lost != nullptr && *grid.device_lost) grid.stop();
    }
    Working(const Working&) = delete;
    Working& operator=(const Working&) = delete;
    ~Working() {
      const Lock lock(pool_.mutex_);
      Working** at = &pool_.working_;
      while (*at != this) at = &(*at)->next;
      *at = next;
      if (pool_.ending_ != 0) pool_.left_.notify_all();
    }
    Grid& grid;
    const pthread_t thread = pthread_self();
    Working* next = nullptr;

   private:
    GridPool& pool_;
  };
  /// @pre `mutex_` is held
  template <class Which, class Body>
  bool each_working(const Which& which, const Body& body) const {
    bool any = false;
    for (const Working* one = working_; one != nullptr; one = one->next) {
      if (!which(*one)) continue;
      any = true;
      body(*one);
    }
    return any;
  }
  /// Ends the blocks of stopped grids that do not end by themselves soon: those that wait for a
  /// block that has failed would wait for ever.
  template <class Which>
  void end_blocks(const Which& which) {
    constexpr Time patience = 500 * millisecond;
    const Time long_after = now() + 10'000 * millisecond;
    Lock lock(mutex_);
    ++ending_;
    const auto all_left = [&] { return !each_working(which, [](const Working&) {}); };
    for (Time pause = patience; !closing_ && !left_.wait_for(lock, pause, all_left);
         pause = millisecond) {
      const Working* left = nullptr;
      each_working(which, [&](const Working& one) {
        left = &one;
        request_end(one.thread);
      });
      if (left == nullptr || now() < long_after || left->grid.told_unending) continue;
      left->grid.told_unending = true;
      tell_unending(left->grid, lock);
    }
    --ending_;
  }
  static void tell_unending(const Grid& grid, Lock& lock) {
    char text[1024];
    warpsafe::detail::TextBuffer out(text, sizeof text);
    const Name kernel = grid.kernel;
    out << "warpsafe: kernel '" << (kernel.empty() ? Name::of("(unknown)") : kernel)
        << "' has failed, and a block of it has not ended for a while; it may wait for one that "
           "failed";
    if (const Name why = grid.failure_text(); !why.empty()) out << ": " << why;
    lock.unlock();
    warpsafe::detail::tell_warning(text);
    lock.lock();
  }

  void offer(Job& job) {
    const Lock lock(mutex_);
    if (closing_) return;
    // With fewer helpers or none, the grid only takes longer.
    static_cast<void>(guarded([this] { return start_helpers(); }, 0));
    jobs_.push_back(&job);
    work_.notify_all();
  }
  void withdraw(Job& job) {
    Lock lock(mutex_);
    jobs_.erase_if([&job](const Job* one) { return one == &job; });
    left_.wait(lock, [&job] { return job.inside == 0; });
  }

  /// Runs the job with so many threads of its own, the calling one among them. If the system has
  /// not as many, fails the grid before its first block: a block would wait for one that never
  /// begins.
  void run_together(Job& job, std::uint64_t threads) {
    Array<Thread> own;
    start_all(job, own, threads);
    offer(job);
    work(job);
    for (Thread& thread : own) thread.join();
    withdraw(job);
    drop_surplus_runners();
  }
  void start_all(Job& job, Array<Thread>& own, std::uint64_t threads) {
    job.all_started = false;
    const auto start = [&] {
      while (own.size() + 1 < threads) {
        own.push_back(Thread([this, &job] {
          {
            Lock lock(mutex_);
            all_started_.wait(lock, [&job] { return job.all_started; });
          }
          work(job);
        }));
      }
      return 0;
    };
    if (guarded(start, 1) != 0) {
      job.grid.fail(HostStatus::out_of_memory,
                    "no thread for each block of a cooperative grid or of a cluster");
    }
    const Lock lock(mutex_);
    job.all_started = true;
    all_started_.notify_all();
  }

  void work(Job& job) {
    const int out_of_memory = raw(HostStatus::out_of_memory);
    {
      const Working here(*this, job.grid);
      if (guarded([&] { return run_blocks(job); }, out_of_memory) != 0) {
        job.grid.fail(HostStatus::out_of_memory, "");
      }
    }
    if (job.grid.stopped()) {
      end_blocks([&job](const Working& one) { return &one.grid == &job.grid; });
    }
  }
  int run_blocks(Job& job) {
    FaultStack::provide();
    Owned<BlockRunner> runner = take_runner();
    runner->begin_grid();
    if (job.groups != 0) {
      run_clusters(job, *runner);
      runner->end_grid();
      return_runner(std::move(runner));
      return 0;
    }
    // Several blocks at a time, so that tiny blocks do not compete for the counter, but few enough
    // to share the last ones evenly.
    const std::uint64_t share =
        job.grid.shape.cooperative ? 1 : job.blocks / (std::uint64_t{8} * (helpers_wanted() + 1));
    const std::uint64_t step = share < 1 ? 1 : share > 256 ? 256 : share;
    for (;;) {
      const std::uint64_t first = job.next.fetch_add(step);
      for (std::uint64_t i = first; i < first + step; ++i) {
        if (i >= job.blocks || job.grid.stopped()) {
          runner->end_grid();
          return_runner(std::move(runner));
          return 0;
        }
        runner->run_block(job.grid, i);
        if (job.asked.load(__ATOMIC_RELAXED)) job.asked.store(false, __ATOMIC_RELAXED);
      }
    }
  }

  /// Runs the same block of each cluster of the thread's group. The other threads of the group run
  /// the others: those of the first cluster that has not ended are all under way.
  static void run_clusters(Job& job, BlockRunner& runner) {
    const std::uint64_t cluster = job.grid.shape.blocks_per_cluster();
    const std::uint64_t thread = job.next.fetch_add(1);
    const std::uint64_t clusters = job.blocks / cluster;
    for (std::uint64_t i = thread / cluster; i < clusters && !job.grid.stopped(); i += job.groups) {
      runner.run_block(job.grid, job.grid.block_of_cluster(i, thread % cluster));
    }
  }

  void help() {
    Lock lock(mutex_);
    for (;;) {
      Job* job = nullptr;
      work_.wait(lock, [&] { return closing_ || (job = open_job()) != nullptr; });
      if (closing_) break;
      ++job->inside;
      lock.unlock();
      work(*job);
      pass_on_signals();
      lock.lock();
      --job->inside;
      left_.notify_all();
    }
    ++gone_;
  }
  [[nodiscard]] Job* open_job() {
    for (Job* job : jobs_) {
      if (!job->over() && job->groups == 0) return job;
    }
    return nullptr;
  }

  [[nodiscard, gnu::visibility("default")]] static unsigned helpers_wanted() noexcept {
    static const unsigned wanted = helpers_for(Thread::processors());
    return wanted;
  }
  int start_helpers() {
    while (helpers_.size() < helpers_wanted()) helpers_.push_back(Thread([this] { help(); }));
    return 0;
  }

  [[nodiscard]] Owned<BlockRunner> take_runner() {
    const Lock lock(mutex_);
    if (runners_.empty()) return make_owned<BlockRunner>();
    Owned<BlockRunner> runner = std::move(runners_.back());
    runners_.pop_back();
    return runner;
  }
  void return_runner(Owned<BlockRunner> runner) {
    const Lock lock(mutex_);
    runners_.push_back(std::move(runner));
  }
  /// A cooperative grid leaves as many as it has blocks, each with the stacks of its threads.
  void drop_surplus_runners() {
    const Lock lock(mutex_);
    while (runners_.size() > helpers_wanted() + 1) runners_.pop_back();
  }

  Mutex mutex_;
  Condition work_;  // a job was offered, or the pool closes
  Condition left_;  // a thread left a job
  Condition all_started_;
  Array<Job*> jobs_;  // of several blocks
  Array<Owned<BlockRunner>> runners_;
  Array<Thread> helpers_;
  Working* working_ = nullptr;
  unsigned ending_ = 0;  // threads in end_blocks
  std::size_t gone_ = 0;
  bool closing_ = false;
  Atomic<bool> serial_ = false;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
