// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/capture_state.hpp>
#include <warpsafe/backend/host/detail/memory.hpp>
#include <warpsafe/backend/host/detail/operation.hpp>
#include <warpsafe/backend/host/detail/predecessor_watch.hpp>
#include <warpsafe/debug/detail/catch_bad_alloc.hpp>
#include <warpsafe/race/detail/host_race_recorder.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// Which kernels of a stream may overlap because of dependent launches, and the races between them.
///
/// CUDA lets a kernel that is launched with programmatic stream serialization begin once the kernel
/// before it has triggered in every block or has ended, and promises no visibility of writes before
/// griddepcontrol.wait (CUDA Programming Guide, "Programmatic Dependent Launch and
/// Synchronization"). The wait covers the kernel directly before. That kernel's end covers what it
/// has waited for itself, so a kernel that does not wait passes its own predecessors on.
///
/// The scheduler runs a kernel after the kernels before it, or with their old contents of memory
/// until its first wait. It reports an access that comes too early whichever it did.
class DependentLaunches {
 public:
  using Kernel = Shared<const KernelOperation>;

  void clear() { chains_.clear(); }
  /// The runtime drops the stream, which has no work left.
  void forgotten(const StreamState& stream) noexcept { chains_.erase(&stream); }

  /// The front operation of `stream` is about to run. `below(n)` is a random number below n. False:
  /// no host memory, and the kernel runs as an ordinary one. An exception would leave work in the
  /// queue whose caller gives its memory up.
  template <class Below>
  [[nodiscard]] bool begin(const StreamState& stream, const MemoryRegistry& memory,
                           const HostRaceRecorder& recorder, const Below& below) noexcept {
    if (debug::detail::has_memory_for([&] { prepare(stream, memory, recorder, below); })) {
      return true;
    }
    watch_.end();
    // Only a kernel needs memory.
    static_cast<KernelOperation&>(*stream.queue.front()).followed = false;
    forget(stream);
    return false;
  }
  /// Whether that operation sees old contents of memory.
  [[nodiscard]] bool hides() const noexcept { return watch_.hides(); }
  /// That operation has run, and left the queue. False: no host memory for what it needs to know.
  [[nodiscard]] bool end(const StreamState& stream, const Shared<Operation>& operation,
                         HostRaceRecorder& recorder) noexcept {
    const bool done = debug::detail::has_memory_for([&] { conclude(stream, operation, recorder); });
    if (!done) forget(stream);
    return done;
  }

 private:
  void forget(const StreamState& stream) noexcept {
    chains_.erase(&stream);
    early_.clear();
    late_.clear();
    old_.clear();
  }
  template <class Below>
  void prepare(const StreamState& stream, const MemoryRegistry& memory,
               const HostRaceRecorder& recorder, const Below& below) {
    const Operation& front = *stream.queue.front();
    if (front.kind() != OperationKind::kernel) {
      if (orders_work(front)) {
        chains_.erase(&stream);
      } else if (front.after != nullptr) {
        forget_ended(stream, *front.after, recorder);
      }
      return;
    }
    auto& kernel = static_cast<KernelOperation&>(*stream.queue.front());
    Chain& chain = chains_[&stream];
    if (is_dependent(kernel) && chain.last.kernel != nullptr) {
      late_ = chain.waited ? chain.late : chain.early;
      for (Pending& one : late_) {
        if (one.through == nullptr) one.through = chain.last.kernel;
      }
      early_ = chain.covered ? std::move(chain.late) : std::move(chain.early);
      early_.push_back(chain.last);
      if (early_.size() > most_pending) early_.erase(early_.begin());
    }
    // A kernel after this one may begin before what this one writes is seen.
    if (dependent_follows(stream) && below(2) == 0) old_ = contents(kernel, memory);
    // The blocks of a cooperative grid run at once, and the watch follows one at a time.
    kernel.followed = kernel.grid.shape.programmatic && !kernel.grid.shape.cooperative;
    if (!kernel.followed) return;
    const std::uint64_t threads =
        kernel.grid.shape.blocks() * kernel.grid.shape.threads_per_block();
    const std::uint64_t every = threads / most_followed + 1;
    hide(memory, below);
    set_rules(memory);
    watch_.begin(rules_, every, below(static_cast<std::size_t>(every)));
    kernel.grid.watch = &watch_;
  }
  void conclude(const StreamState& stream, const Shared<Operation>& operation,
                HostRaceRecorder& recorder) {
    if (operation->kind() != OperationKind::kernel) return;
    const Shared<KernelOperation> kernel(static_cast<KernelOperation*>(operation.get()));
    const Grid& grid = kernel->grid;
    const bool followed = std::exchange(kernel->followed, false);
    if (followed) {
      watch_.end();
      kernel->grid.watch = nullptr;
      report(kernel, recorder);
      if (kernel->never_waited) recorder.remark(*kernel, debug::Mistake::missing_wait);
    }
    Chain& chain = chains_[&stream];
    chain.last = {kernel, grid.allowed(), std::make_shared<Contents>(std::move(old_)), nullptr};
    // Of an ordinary kernel these mean nothing, since its lists are empty.
    chain.waited = grid.waited();
    chain.covered = watch_.covered();
    chain.early = std::exchange(early_, {});
    chain.late = std::exchange(late_, {});
  }

  /// What allocations held before a kernel wrote to them.
  struct OldMemory {
    void* begin;
    Array<unsigned char> bytes;
  };
  using Contents = std::vector<OldMemory>;
  /// A kernel that may not have ended.
  struct Pending {
    Kernel kernel;
    bool allows = false;  ///< it lets its dependents begin before it has ended
    std::shared_ptr<const Contents> old;
    Kernel through;  ///< the kernel that did not wait for it
  };
  /// The newest kernel of a stream, and what was not known to have ended while it ran.
  struct Chain {
    Pending last;
    bool waited = true;   ///< it waited
    bool covered = true;  ///< it waited before its dependents could begin
    std::vector<Pending> early;
    std::vector<Pending> late;
  };
  // Kernels that let the next one begin before they wait could all overlap; older ones than these
  // are taken to have ended.
  static constexpr std::size_t most_pending = 16;
  static constexpr std::uint64_t most_followed = 4096;  // threads of a grid, about
  static constexpr std::size_t most_old_bytes = std::size_t{64} << 20U;

  /// Whether what follows on the stream comes after this operation and what precedes it. Not after
  /// the record of an event, an allocation, a free or a graph without nodes, which need no work of
  /// the device: a dependent launch behind them overlaps with the kernel before them, and new
  /// memory may be what that kernel still uses. Nor after a wait for an event that is over when the
  /// wait is submitted, which is left out (an H200, driver 580.159.04); any event may be.
  [[nodiscard]] static bool orders_work(const Operation& operation) {
    const OperationKind kind = operation.kind();
    return kind != OperationKind::mark && kind != OperationKind::release && !operation.is_no_work();
  }
  /// The stream waits for `after`: forgets the kernels that have ended once that is over.
  void forget_ended(const StreamState& stream, const Operation& after,
                    const HostRaceRecorder& recorder) {
    const auto found = chains_.find(&stream);
    if (found == chains_.end()) return;
    const auto has_ended = [&](const Pending& one) {
      return one.kernel != nullptr && recorder.ends_before(*one.kernel, after, stream);
    };
    Chain& chain = found->second;
    std::erase_if(chain.early, has_ended);
    std::erase_if(chain.late, has_ended);
    // Whatever comes after the newest one comes after all of its stream.
    if (has_ended(chain.last)) chains_.erase(found);
  }
  [[nodiscard]] static bool is_dependent(const KernelOperation& kernel) {
    return kernel.grid.shape.programmatic && !kernel.begins_alone;
  }
  /// Whether the operation after the front one is a dependent launch.
  [[nodiscard]] static bool dependent_follows(const StreamState& stream) {
    for (std::size_t i = 1; i < stream.queue.size(); ++i) {
      const Operation& next = *stream.queue[i];
      if (next.kind() == OperationKind::kernel) {
        return is_dependent(static_cast<const KernelOperation&>(next));
      }
      if (orders_work(next)) return false;
    }
    return false;
  }
  /// Calls `visit(allocation, writes)` with each allocation that the kernel may access.
  template <class Visit>
  static void each_memory(const KernelOperation& kernel, const MemoryRegistry& memory,
                          const Visit& visit) {
    for (const MemoryAccess& access : kernel.accesses) {
      const Allocation* const found = memory.around(access.address());
      if (found != nullptr) visit(*found, access.writes());
    }
  }
  [[nodiscard]] static Contents contents(const KernelOperation& kernel,
                                         const MemoryRegistry& memory) {
    Contents kept;
    std::size_t bytes = 0;
    each_memory(kernel, memory, [&](const Allocation& one, bool writes) {
      const bool known = std::any_of(kept.begin(), kept.end(), [&](const OldMemory& old) {
        return old.begin == one.storage.get();
      });
      if (!writes || known || one.bytes > most_old_bytes - bytes) return;
      bytes += one.bytes;
      const auto* const from = static_cast<const unsigned char*>(one.storage.get());
      kept.push_back({one.storage.get(), {from, from + one.bytes}});
    });
    return kept;
  }
  /// Lets the grid see what memory held before one of the pending kernels, if that was kept.
  template <class Below>
  void hide(const MemoryRegistry& memory, const Below& below) {
    if (early_.empty()) return;
    const Pending& one = early_[below(early_.size())];
    const bool late = std::any_of(late_.begin(), late_.end(),
                                  [&](const Pending& other) { return other.kernel == one.kernel; });
    for (const OldMemory& old : *one.old) {
      const Allocation* const found = memory.around(old.begin, old.bytes.size());
      const bool same = found != nullptr && !found->freed && found->bytes == old.bytes.size();
      if (same) watch_.hide(old.begin, old.bytes, late);
    }
  }
  void set_rules(const MemoryRegistry& memory) {
    rules_.clear();
    using Rule = PredecessorMemory::Rule;
    const auto add = [&](const std::vector<Pending>& pending, Rule PredecessorMemory::*its_rule) {
      for (const Pending& one : pending) {
        each_memory(*one.kernel, memory, [&](const Allocation& found, bool writes) {
          if (!writes && !one.allows) return;
          const auto begin = reinterpret_cast<std::uintptr_t>(found.storage.get());
          auto known = std::find_if(rules_.begin(), rules_.end(),
                                    [&](const auto& rule) { return rule.begin == begin; });
          if (known == rules_.end()) {
            rules_.push_back(
                {begin, found.bytes, found.storage.pages(), found.storage.page_bytes()});
            known = std::prev(rules_.end());
          }
          Rule& rule = (*known).*its_rule;
          if (rule != Rule::no_access) rule = writes ? Rule::no_access : Rule::no_write;
        });
      }
    };
    add(early_, &PredecessorMemory::early);
    add(late_, &PredecessorMemory::late);
  }
  /// Reports each access that came too early, with each kernel that it came too early for.
  void report(const Kernel& kernel, HostRaceRecorder& recorder) const {
    for (const EarlyTouch& touch : watch_.touches()) {
      const PredecessorMemory& rule = rules_[touch.memory];
      for (const Pending& one : touch.early ? early_ : late_) {
        bool reads = false;
        bool writes = false;
        for (const MemoryAccess& access : one.kernel->accesses) {
          if (access.begin - rule.begin >= rule.bytes) continue;
          (access.writes() ? writes : reads) = true;
        }
        if (!writes && !(reads && touch.writes && one.allows)) continue;
        const MemoryAccess first{rule.begin, rule.bytes,
                                 writes ? AccessKind::write : AccessKind::read};
        const MemoryAccess second{rule.begin, rule.bytes,
                                  touch.writes ? AccessKind::write : AccessKind::read};
        recorder.overlaps(*one.kernel, *kernel, one.through.get(), first, second,
                          {true, !touch.early, touch.wait, debug::no_point});
      }
    }
  }

  std::unordered_map<const StreamState*, Chain> chains_;
  PredecessorWatch watch_;
  // Of the kernel that runs: what may not have ended before its wait, and after it.
  std::vector<Pending> early_;
  std::vector<Pending> late_;
  Contents old_;
  Array<PredecessorMemory> rules_;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
