// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/host_thread.hpp>
#include <warpsafe/backend/host/detail/containers.hpp>
#include <warpsafe/backend/host/detail/sanitizers.hpp>
#include <warpsafe/backend/host/detail/threads.hpp>
#include <warpsafe/core/name.hpp>

#include <sys/mman.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// The memory that earlier kernels of the stream use, as pages that can be protected.
struct PredecessorMemory {
  /// What a kernel must not do yet: write, because an earlier kernel may still read; or access at
  /// all, because an earlier kernel writes.
  enum class Rule : std::uint8_t { none, no_write, no_access };

  std::uintptr_t begin = 0;  ///< of the allocation
  std::size_t bytes = 0;
  void* pages = nullptr;
  std::size_t page_bytes = 0;  ///< 0 if it has no pages of its own
  Rule early = Rule::none;     ///< for a thread that has not waited for the predecessor
  Rule late = Rule::none;      ///< for every thread, because the wait does not cover that kernel
};

/// An access that breaks a rule. Each kind of access to an allocation is noted once.
struct EarlyTouch {
  std::size_t memory = 0;  ///< the number of the PredecessorMemory
  bool early = false;      ///< the thread had not waited
  bool writes = false;
  unsigned block[3] = {};
  unsigned thread[3] = {};
  call_site wait{nullptr, nullptr, 0};  ///< where the thread waited afterwards, if it did
};

/// Follows a grid that may run before its predecessors have ended (dependent_launch), for the race
/// detector. A protected page faults at the first access, which is noted and then goes on. The
/// blocks run one after another. Under a sanitizer nothing is noted, because the backend's memory
/// has no pages of its own then.
class PredecessorWatch {
 public:
  PredecessorWatch() = default;
  PredecessorWatch(const PredecessorWatch&) = delete;
  PredecessorWatch& operator=(const PredecessorWatch&) = delete;
  ~PredecessorWatch() { end(); }

  /// Begins to follow a grid: the threads of block 0 and of every `every`th block from `offset` on,
  /// since each thread costs calls of the system.
  void begin(Array<PredecessorMemory> memory, std::uint64_t every, std::uint64_t offset) {
    memory_ = std::move(memory);
    states_ = {memory_.size(), State{}};
    touches_.clear();
    touches_.reserve(4 * memory_.size());
    every_ = every;
    offset_ = offset;
    covered_ = false;
    active().store(this, __ATOMIC_RELEASE);
    apply(true);
  }
  /// Ends it: all memory is accessible again, with its own contents.
  void end() {
    reveal(true);
    if (active().load(__ATOMIC_RELAXED) != this) return;
    for (State& state : states_) state.open = true;
    apply(waited_);
    active().store(nullptr, __ATOMIC_RELEASE);
  }
  /// Until the first thread waits, the grid sees `old` in place of what the predecessor has
  /// written; with `late` until its end. Not under ThreadSanitizer, where a block's threads run at
  /// once: it would report the change.
  void hide(void* memory, const Array<unsigned char>& old, bool late) {
    if constexpr (thread_sanitizer) return;
    auto* const at = static_cast<unsigned char*>(memory);
    hidden_.push_back({at, {at, at + old.size()}, old, late});
    std::memcpy(at, old.data(), old.size());
  }
  [[nodiscard]] bool hides() const noexcept { return !hidden_.empty(); }
  [[nodiscard]] const Array<EarlyTouch>& touches() const noexcept { return touches_; }
  /// Whether the grid's dependents could begin only after its own predecessor had ended: a block
  /// waited before it allowed them.
  [[nodiscard]] bool covered() const noexcept { return covered_; }

  /// Returns whether the block's threads are followed one by one.
  [[nodiscard]] bool begin_block(std::uint64_t number) {
    followed_ = number == 0 || number % every_ == offset_;
    block_waited_ = arrived_ = opened_ = allowed_ = false;
    set_waited(!followed_);
    return followed_;
  }
  void end_block() noexcept { covered_ = covered_ || (block_waited_ && !allowed_); }
  void begin_thread() { set_waited(false); }
  /// The running thread arrives at a barrier, which all threads reach; then the barrier opens; then
  /// each thread goes on. After it, what one thread has waited for has ended for all.
  void arrive() noexcept { arrived_ = arrived_ || waited_; }
  void open_barrier() noexcept { opened_ = arrived_; }
  void leave_barrier() { set_waited(opened_); }

  /// The running thread waits for the predecessor.
  void wait(const warpsafe::detail::HostThread& self, const char* file, unsigned line) {
    for (EarlyTouch& touch : touches_) {
      const bool same = std::memcmp(touch.block, self.block, sizeof touch.block) == 0 &&
                        std::memcmp(touch.thread, self.thread, sizeof touch.thread) == 0;
      if (same && touch.early && touch.wait.file == nullptr) touch.wait = {file, nullptr, line};
    }
    block_waited_ = true;
    reveal(false);
    set_waited(true);
  }
  /// The running thread allows the dependents to begin, as far as its block is concerned.
  void allow() noexcept {
    covered_ = covered_ || (!allowed_ && (followed_ ? waited_ : block_waited_));
    allowed_ = true;
  }

  /// Whether a fault comes from a protected page; the access can then go on. For a signal handler.
  [[nodiscard]] static bool takes(const void* address, void* context) noexcept {
    PredecessorWatch* const watch = active().load(__ATOMIC_ACQUIRE);
    return watch != nullptr && watch->take(reinterpret_cast<std::uintptr_t>(address), context);
  }

 private:
  using Rule = PredecessorMemory::Rule;
  struct State {
    int protection = PROT_READ | PROT_WRITE;
    // What was noted: 0 nothing, 1 a read, 2 a write.
    int early_noted = 0;
    int late_noted = 0;
    bool open = false;
  };
  struct Hidden {
    unsigned char* at;
    Array<unsigned char> now;
    Array<unsigned char> old;
    bool late;
  };

  [[nodiscard, gnu::visibility("default")]] static Atomic<PredecessorWatch*>& active() noexcept {
    static Atomic<PredecessorWatch*> one = nullptr;
    return one;
  }
  [[nodiscard]] int wanted(std::size_t number) const noexcept {
    const State& state = states_[number];
    const Rule rule = waited_ ? memory_[number].late : memory_[number].early;
    const bool late_more = waited_ && state.late_noted > state.early_noted;
    const int noted = late_more ? state.late_noted : state.early_noted;
    if (state.open || rule == Rule::none || noted == 2) return PROT_READ | PROT_WRITE;
    return rule == Rule::no_access && noted == 0 ? PROT_NONE : PROT_READ;
  }
  void protect(std::size_t number, int protection) noexcept {
    if (states_[number].protection == protection) return;
    if (mprotect(memory_[number].pages, memory_[number].page_bytes, protection) == 0) {
      states_[number].protection = protection;
    }
  }
  void apply(bool waited) noexcept {
    waited_ = waited;
    if (active().load(__ATOMIC_RELAXED) != this) return;
    for (std::size_t i = 0; i < memory_.size(); ++i) protect(i, wanted(i));
  }
  void set_waited(bool waited) noexcept {
    if (waited != waited_) apply(waited);
  }
  void reveal(bool late_too) {
    for (Hidden& hidden : hidden_) {
      if (hidden.late && !late_too) continue;
      for (std::size_t i = 0; i < memory_.size(); ++i) {
        if (memory_[i].begin == reinterpret_cast<std::uintptr_t>(hidden.at)) {
          protect(i, PROT_READ | PROT_WRITE);
        }
      }
      for (std::size_t i = 0; i < hidden.old.size(); ++i) {
        if (hidden.at[i] == hidden.old[i]) hidden.at[i] = hidden.now[i];
      }
    }
    hidden_.erase_if([&](const Hidden& hidden) { return !hidden.late || late_too; });
    apply(waited_);
  }
  [[nodiscard]] bool take(std::uintptr_t address, void* context) noexcept {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const auto pages = reinterpret_cast<std::uintptr_t>(memory_[i].pages);
      if (address - pages >= memory_[i].page_bytes) continue;
      State& state = states_[i];
      const int all = PROT_READ | PROT_WRITE;
      if (state.protection == all) return false;
      const warpsafe::detail::HostThread* const self = warpsafe::detail::host_thread;
      if (self == nullptr) {  // another thread of the program, for which the rules do not hold
        protect(i, all);
        return true;
      }
      const bool writes = state.protection == PROT_READ || is_write(context);
      (waited_ ? state.late_noted : state.early_noted) = writes ? 2 : 1;
      if (touches_.size() < touches_.capacity()) {
        EarlyTouch touch{i, !waited_, writes};
        std::memcpy(touch.block, self->block, sizeof touch.block);
        std::memcpy(touch.thread, self->thread, sizeof touch.thread);
        touches_.push_back(touch);
      }
      protect(i, wanted(i));
      return true;
    }
    return false;
  }
  /// Whether the access that faulted is a write. Where the processor's state does not tell, it
  /// counts as a read, and a write faults a second time.
  [[nodiscard]] static bool is_write([[maybe_unused]] const void* context) noexcept {
#if defined(__x86_64__)
    constexpr int error_register = 19;  // REG_ERR, which only _GNU_SOURCE names
    return (static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[error_register] & 2) != 0;
#else
    return false;
#endif
  }

  Array<PredecessorMemory> memory_;
  Array<State> states_;
  Array<EarlyTouch> touches_;
  Array<Hidden> hidden_;
  std::uint64_t every_ = 1;
  std::uint64_t offset_ = 0;
  bool followed_ = false;
  bool waited_ = false;        // the running thread
  bool block_waited_ = false;  // a thread of the running block
  bool arrived_ = false;       // a thread that has waited is at the block's barrier, or was
  bool opened_ = false;        // one was when the newest barrier opened
  bool allowed_ = false;       // the running block allows the dependents
  bool covered_ = false;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
