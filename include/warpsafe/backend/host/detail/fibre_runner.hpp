// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/context_switch.hpp>
#include <warpsafe/backend/host/detail/exceptions.hpp>
#include <warpsafe/backend/host/detail/fibre.hpp>
#include <warpsafe/backend/host/detail/grid.hpp>
#include <warpsafe/backend/host/detail/kernel_faults.hpp>
#include <warpsafe/backend/host/detail/sanitizers.hpp>
#include <warpsafe/backend/host/detail/shared_memory.hpp>
#include <warpsafe/backend/host/detail/threads.hpp>

#include <cstddef>
#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// Runs the blocks of a grid one after another on the calling OS thread.
///
/// A fibre loops over the block's threads (run_threads). When a thread calls sync_block(), its
/// fibre waits, and another fibre continues the loop with the next thread. After the loop, the
/// waiting fibres resume in turn from barrier to barrier, each switching directly to the next,
/// because switches are the main cost. A kernel without barriers therefore runs as one loop.
///
/// If all threads wait, the block's fibres have one thread each, in the threads' order. If not, the
/// block has failed, and no fibre resumes. So the fibre after the one that runs always has the next
/// thread. A fibre whose thread has ended waits in the loop for the next block of its grid. The
/// next grid starts the fibre anew, because its kernel or arguments are others.
///
/// The processor's modes, such as the rounding mode, take as long to read as a switch. So a block's
/// threads share them, unless its first thread has changed them at a barrier: from then on, each
/// thread of the grid has its own.
class FibreRunner {
 public:
  /// How many helpers of a pool may run blocks beside the thread that launched them.
  static constexpr unsigned max_helpers = ~0U;

  FibreRunner() noexcept {
    self_.runner = this;
    self_.static_shared = &FibreRunner::static_shared;
    self_.leave = &FibreRunner::leave;
    self_.fault = &FibreRunner::fault;
    self_.depend = &FibreRunner::depend;
    self_.lack_shared = &end_without_shared;
    self_.ask_shared = &FibreRunner::ask_shared;
  }
  FibreRunner(const FibreRunner&) = delete;
  FibreRunner& operator=(const FibreRunner&) = delete;
  ~FibreRunner() = default;

  /// Call it before the first block of a grid and after the last, on the OS thread that runs them.
  void begin_grid() noexcept {
    modes_ = Switch::Modes::now();
    own_modes_ = false;
    self_.asked = {};
  }
  void end_grid() {
    if (modes_.changed()) modes_.set();
    leave_loop();
  }
  /// Runs the `number`th block to its end or to the first failure, which `grid` then holds.
  void run_block(Grid& grid, std::uint64_t number) {
    begin_block(grid, number);
    running_block = {&fibres_, &grid, &in_model_, 0, ~std::size_t{0}};
    watch_elements(self_.watched.most != 0);
    host_thread = &self_;
    while (threads_left() && !grid.stopped()) {
      if (Fibre* const next = fibres_.after(fibre_); next != nullptr) {
        fibre_ = next;
        if (!next->prepared()) prepare(next);
        own_.switch_to(*next);
      } else {
        grid.fail(HostStatus::out_of_memory, "no memory for the stack of a thread that waits");
      }
    }
    host_thread = nullptr;
    watch_elements(false);
    if (grid.stopped() || at_first_ != 0) end_failed_block();
    shared_.end_block(grid, self_.block, self_.asks_dynamic_shared);
    grid.add_use(self_.use);
    if (grid.watch != nullptr) grid.watch->end_block();
  }

 private:
  /// Whether fibres may wait in the kernel's loop.
  static constexpr bool stay_in_loop = Switch::restarts && !address_sanitizer;

  /// The thread that runs. One for all fibres, so that a switch changes little more than the index.
  struct Current : HostThread {
    FibreRunner* runner = nullptr;
  };
  /// During its lifetime the kernel is in a function of the model that end_waiting_block must not
  /// leave.
  class InModel {
   public:
    explicit InModel(FibreRunner& runner) noexcept : runner_(runner), before_(runner.in_model_) {
      set(true);
    }
    InModel(const InModel&) = delete;
    InModel& operator=(const InModel&) = delete;
    ~InModel() { set(before_); }

   private:
    void set(bool value) noexcept {
      runner_.in_model_ = value;
      __atomic_signal_fence(__ATOMIC_SEQ_CST);
    }
    FibreRunner& runner_;
    const bool before_;
  };
  [[nodiscard]] static FibreRunner& of(HostThread& self) noexcept {
    return *static_cast<Current&>(self).runner;
  }

  void begin_block(Grid& grid, std::uint64_t number) {
    grid_ = &grid;
    fibre_ = nullptr;
    threads_ = grid.shape.threads_per_block();
    known_ = {};
    at_first_ = 0;
    elsewhere_ = 0;
    shared_.begin_block(grid.shape.dynamic_shared);
    grid.block_index(number, self_.block);
    for (int axis = 0; axis < 3; ++axis) {
      self_.thread[axis] = 0;
      self_.block_dim[axis] = grid.shape.block[axis];
      self_.grid_dim[axis] = grid.shape.grid[axis];
    }
    self_.dynamic_shared_bytes = grid.shape.dynamic_shared;
    self_.dynamic_shared = shared_.dynamic(self_.dynamic_shared_bytes);
    self_.asks_dynamic_shared = false;
    self_.use = {};
    self_.watched = grid.watched();
    self_.shared_key = nullptr;
    followed_ = grid.watch != nullptr && grid.watch->begin_block(number) ? grid.watch : nullptr;
    beginning_ = followed_ != nullptr;
    in_model_ = beginning_;  // which is a part of each of its steps
    if (beginning_) leave_loop();
    self_.continues = !beginning_;
    self_.sync = beginning_ ? &FibreRunner::followed_sync : &FibreRunner::sync<false>;
    self_.end = stay_in_loop && !beginning_ ? &FibreRunner::end : nullptr;
    if (own_modes_) modes_.set();
  }
  /// Prepares `first` and the fibres after it.
  [[gnu::cold, gnu::noinline]] void prepare(Fibre* first) {
    for (Fibre* fibre = first; fibre != nullptr; fibre = fibre->following()) {
      fibre->prepare<&FibreRunner::loop>(this);
    }
  }
  /// Makes the fibres that wait in the kernel's loop begin anew.
  void leave_loop() noexcept {
    if constexpr (stay_in_loop) {
      Fibre* fibre = in_loop_ != 0 ? fibres_.after(nullptr) : nullptr;
      for (; in_loop_ != 0; --in_loop_, fibre = fibre->following()) fibre->restart();
    }
  }
  /// Waiting fibres are dropped: their stacks are reused.
  [[gnu::cold, gnu::noinline]] void end_failed_block() {
    prepare(fibres_.after(nullptr));
    if (grid_->stopped()) return;
    fail_divergence(*grid_, self_.block, threads_ - at_first_ - elsewhere_, first_, at_first_,
                    other_, elsewhere_);
  }

  /// Whether the index is that of a thread.
  [[nodiscard]] bool threads_left() const noexcept { return self_.thread[2] < self_.block_dim[2]; }
  /// The fibre to switch to from the running one, which waits or has ended its thread: that of the
  /// next thread, or run_block's if there is none.
  [[gnu::always_inline]] inline Fibre& next_fibre() {
    Fibre* const next = self_.next() ? fibre_->following() : nullptr;
    if (next == nullptr) [[unlikely]]
      return own_;
    next->prefetch_following();
    fibre_ = next;
    return *next;
  }

  static Fibre& loop(void* argument) {
    FibreRunner& runner = *static_cast<FibreRunner*>(argument);
    for (;;) {
      if (runner.beginning_) runner.followed_->begin_thread();
      call_kernel([&] { runner.grid_->call(); },
                  [&](const char* what) { fail_exception(*runner.grid_, runner.self_, what); });
      Fibre& from = *runner.fibre_;
      if (runner.beginning_ && !runner.grid_->stopped() && runner.self_.next()) continue;
      if (runner.self_.continues || runner.beginning_ || runner.grid_->stopped()) {
        from.switch_to(runner.own_);
      } else {
        from.switch_to(runner.next_fibre());
      }
    }
  }
  /// HostThread::end. The fibre stays in the kernel's loop: the next block continues there, without
  /// the calls that lead into the kernel.
  static void end(HostThread& self, void*) {
    FibreRunner& runner = of(self);
    Fibre& from = *runner.fibre_;
    return from.switch_to(runner.next_fibre());
  }

  /// HostThread::sync while threads of the block begin (not `Resuming`), and afterwards. Nothing
  /// follows a switch, so that the compiler makes it a jump and it returns to the kernel.
  template <bool Resuming>
  static void sync(HostThread& self, const char* file, unsigned line) {
    FibreRunner& runner = of(self);
    if (line != runner.known_.line || file != runner.known_.file) [[unlikely]] {
      return runner.wait_at({file, line});
    }
    if (++runner.at_first_ == runner.threads_) [[unlikely]]
      return runner.open_barrier();
    Fibre& from = *runner.fibre_;
    Fibre& to = runner.next_fibre();
    return Resuming ? from.switch_to_same_place(to) : from.switch_to(to);
  }
  /// As `sync`, for a block whose threads are followed.
  static void followed_sync(HostThread& self, const char* file, unsigned line) {
    FibreRunner& runner = of(self);
    runner.followed_->arrive();
    runner.wait_at({file, line});
    runner.followed_->leave_barrier();
  }
  /// As `sync`, for the first thread at a barrier, one at another line than the first thread's, and
  /// every thread with its own modes.
  [[gnu::noinline]] void wait_at(const BarrierSite& site) {
    if (at_first_ == 0) {
      first_ = site;
      own_modes_ = own_modes_ || modes_.changed();
      if (!own_modes_) known_ = site;
    }
    if (site.same_as(first_)) {
      ++at_first_;
    } else {
      other_ = site;
      ++elsewhere_;
    }
    if (!own_modes_) return wait();
    const auto modes = Switch::Modes::now();
    modes_.set();
    wait();
    modes.set();
  }
  void wait() {
    if (at_first_ == threads_) return open_barrier();
    Fibre& from = *fibre_;
    from.switch_to(next_fibre());
  }
  /// The last thread has reached the barrier, and all wait at one line.
  [[gnu::noinline]] void open_barrier() {
    if (grid_->stopped()) return end_thread();
    at_first_ = 0;
    known_ = {};
    self_.continues = false;
    beginning_ = false;
    if (self_.end != nullptr) in_loop_ = threads_;
    if (followed_ == nullptr) {
      self_.sync = &FibreRunner::sync<true>;
    } else {
      followed_->open_barrier();
    }
    for (unsigned& index : self_.thread) index = 0;
    Fibre& from = *fibre_;
    fibre_ = fibres_.after(nullptr);
    if (fibre_ != &from) from.switch_to(*fibre_);
  }

  /// Leaves a thread of a grid that is stopped. Does not return.
  void end_thread() {
    for (;;) fibre_->switch_to(own_);
  }
  static void leave(HostThread& self, const char*, unsigned) {
    of(self).grid_->stop();
    of(self).end_thread();
  }
  static void fault(HostThread& self, const char* text) {
    of(self).grid_->fail(HostStatus::illegal_address, text);
    of(self).end_thread();
  }

  static void depend(HostThread& self, bool waits, const char* file, unsigned line) {
    Grid& grid = *of(self).grid_;
    grid.depend(waits);
    if (grid.watch == nullptr) return;
    const InModel here(of(self));
    waits ? grid.watch->wait(self, file, line) : grid.watch->allow();
  }

  static void ask_shared(HostThread& self, std::size_t count, std::size_t size, const char* file,
                         unsigned line) {
    Grid& grid = *of(self).grid_;
    const InModel here(of(self));
    grid.requests.add(count, size, file, line, grid.shape.dynamic_shared);
    self.asked = {file, line, count * size};
  }

  static void* static_shared(HostThread& self, const void* key, std::size_t bytes, std::size_t) {
    const InModel here(of(self));
    self.shared_variable = of(self).shared_.variable(key, bytes);
    self.shared_key = key;
    return self.shared_variable;
  }

  Fibre own_;                    // of run_block
  Fibre* fibre_ = nullptr;       // runs, or ran last
  std::uint64_t at_first_ = 0;   // threads that wait at the first one's line
  std::uint64_t threads_ = 0;    // of the block
  std::uint64_t elsewhere_ = 0;  // threads that wait at another line than the first one's
  std::uint64_t in_loop_ = 0;    // fibres that may be in the loop of the grid's kernel
  Grid* grid_ = nullptr;
  PredecessorWatch* followed_ = nullptr;  // follows the block's threads
  BarrierSite known_;  // the first one's line; empty until it waits, and with own_modes_
  BarrierSite first_;  // that line
  BarrierSite other_;  // another line
  FibrePool fibres_;
  SharedMemory shared_;
  Current self_{};
  Switch::Modes modes_ = Switch::Modes::now();  // of the OS thread, with which threads begin
  bool own_modes_ = false;                      // each thread has its own modes
  bool in_model_ = false;                       // as RunningBlock has it
  bool beginning_ = false;  // they begin one by one, without a loop over them in the kernel
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
