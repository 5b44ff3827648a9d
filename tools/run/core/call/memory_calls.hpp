// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../place/host_stack.hpp"
#include "../stream/captures.hpp"
#include "../stream/stream_names.hpp"
#include "../watcher.hpp"
#include "memory_kind.hpp"
#include "stream_call.hpp"
#include <warpsafe/backend/memory_access.hpp>

#include <cstddef>
#include <cstdint>

namespace warpsafe::watch {

/// Handles the runtime's successful calls that allocate, copy and fill memory, for the suspicions.
class MemoryCalls {
 public:
  /// `kind_of` returns what the runtime knows about an address.
  MemoryCalls(Watcher& watcher, Captures& captures, MemoryKind (*kind_of)(std::uintptr_t) noexcept)
      : watcher_(watcher), captures_(captures), kind_of_(kind_of) {}

  /// Returns the number of the last allocation that has ended. Call when a free begins.
  [[nodiscard]] std::uint64_t allocations() const noexcept {
    return __atomic_load_n(&allocations_, __ATOMIC_SEQ_CST);
  }
  /// Handles a call that has succeeded. May throw std::bad_alloc.
  void done(StreamCall of) {
    if (allocates(of.call))
      of.number_of_memory = __atomic_add_fetch(&allocations_, 1, __ATOMIC_SEQ_CST);
    // A call of a pool is too short for a look at the stack.
    const HostStack stack = has_time(of.call) ? HostStack::here() : HostStack{};
    keep(of, stack);
    if (!watcher_.quiet()) follow(of, stack);
  }
  /// Whether the call gives memory back, and `done` asks when it began.
  [[nodiscard]] static bool frees(Call call) noexcept {
    return call == Call::free || call == Call::free_async || call == Call::free_host;
  }

 private:
  [[nodiscard]] static bool allocates(Call call) noexcept {
    return call == Call::allocate || call == Call::allocate_pitch ||
           call == Call::allocate_managed || call == Call::allocate_async ||
           call == Call::allocate_host;
  }
  [[nodiscard]] static bool has_time(Call call) noexcept {
    switch (call) {
      case Call::allocate:
      case Call::allocate_pitch:
      case Call::allocate_managed:
      case Call::allocate_host:
      case Call::free:
      case Call::free_host:
        return true;
      default:
        return false;
    }
  }
  /// Keeps what the program has allocated and freed, for the reports of failed calls.
  void keep(const StreamCall& of, const HostStack& stack) {
    switch (of.call) {
      case Call::allocate:
      case Call::allocate_pitch:
      case Call::allocate_async:
        return allocated(of, AllocationKind::device, stack);
      case Call::allocate_managed:
        return allocated(of, AllocationKind::managed, stack);
      case Call::allocate_host:
        return allocated(of, AllocationKind::pinned, stack);
      case Call::free:
      case Call::free_host:
      case Call::free_async:
        return memory().freed(of.to, of.whole_name(), stack, of.number_of_memory);
      default:
        return;
    }
  }
  /// Follows the work, for the suspicions.
  void follow(const StreamCall& of, const HostStack& stack) {
    CopySizes& copies = watcher_.suspicions().copies;
    follow_freed(of);
    follow_pinned(of);
    switch (of.call) {
      case Call::allocate:
        if (of.to == 0) return;
        copies.allocated(of.to, of.bytes, is_for_pool(stack));
        if (*watcher_.platform().caller.library(stack) != '\0') return;
        return order().allocated(of.to, of.bytes, false);
      case Call::allocate_async:
      case Call::allocate_pitch:
      case Call::allocate_managed:
        if (of.to != 0) order().allocated(of.to, of.bytes, of.call == Call::allocate_managed);
        // In the order of the stream: other streams have the memory only after it.
        if (of.to != 0 && of.call == Call::allocate_async && follows_pools())
          work(of, of.to, 0, false);
        return;
      case Call::free:
        copies.freed(of.to);
        order().freed(of.to);
        return order().host_waited_for_all();  // it waits, or may wait, for the device
      case Call::free_async:
        // The allocator may hand the memory out again from here on.
        if (follows_pools()) {
          StreamCall whole = of;
          whole.bytes = order().bytes_at(of.to);
          work(whole, of.to, 0, false);
        }
        return order().freed(of.to);
      case Call::copy_in:
      case Call::copy_in_async:
        copies.copied(of.to, of.bytes);
        break;
      case Call::copy_out:
      case Call::copy_out_async:
        copies.copied(of.from, of.bytes);
        break;
      case Call::copy_any:
      case Call::copy_any_async:
      case Call::copy_device:
      case Call::copy_device_async:
        copies.used(of.from);
        copies.used(of.to);
        break;
      case Call::fill:
      case Call::fill_async:
        copies.filled(of.to, of.bytes);
        break;
      default:
        break;
    }
    if (order().on()) copied(of);
  }

  /// Follows memory of the driver's pools that is used after its free.
  void follow_freed(const StreamCall& of) {
    FreedUse& freed = watcher_.suspicions().freed;
    switch (of.call) {
      case Call::allocate:
      case Call::allocate_managed:
      case Call::allocate_pitch:
      case Call::allocate_async:
      case Call::allocate_host:
        // A graph allocates its memory again at each launch.
        return freed.allocated(of.to, of.bytes, of.call == Call::allocate_async && !is_captured(of),
                               of.number_of_memory);
      case Call::free_async:
        if (!is_captured(of)) freed.freed(of.to, of.whole_name(), of.number_of_memory);
        return;
      case Call::copy_in:
      case Call::copy_in_async:
      case Call::copy_out:
      case Call::copy_out_async:
      case Call::copy_any:
      case Call::copy_any_async:
      case Call::copy_device:
      case Call::copy_device_async:
      case Call::fill:
      case Call::fill_async:
        if (!freed.any()) return;
        freed.used(work_of(of), of.to);
        return freed.used(work_of(of), of.from);
      default:
        return;
    }
  }
  /// Follows copies to pinned host memory. Some waits of HIP are not seen.
  void follow_pinned(const StreamCall& of) {
    if (watcher_.platform().calls->vendor != Vendor::nvidia) return;
    UnawaitedCopies& unawaited = watcher_.suspicions().unawaited;
    switch (of.call) {
      case Call::allocate_host:
        return unawaited.allocated(of.to, of.bytes, of.number_of_memory);
      case Call::free_host:
        return unawaited.freed(of.to, of.number_of_memory);
      case Call::copy_in_async:
        if (!unawaited.is_pinned(of.from)) unawaited.waited();
        return;
      case Call::copy_out_async:
      case Call::copy_any_async:
        if (!unawaited.is_pinned(of.to) && !unawaited.is_pinned(of.from)) unawaited.waited();
        if (!is_captured(of)) unawaited.copied(work_of(of), of.to);
        return;
      default:
        return;
    }
  }
  [[nodiscard]] bool is_captured(const StreamCall& of) {
    return captures_.is_capturing(name_of(of.stream, of.per_thread));
  }
  /// The call as the program wrote it.
  [[nodiscard]] StreamWork work_of(const StreamCall& of) {
    return {of.whole_name(), false, of.bytes, "",
            place_of(of.stream, of.per_thread, of.device, watcher_.streams())};
  }

  [[nodiscard]] OrderWatch& order() noexcept { return watcher_.suspicions().order; }
  /// HIP's layer does not pass the stream of these calls.
  [[nodiscard]] bool follows_pools() noexcept {
    return order().on() && order().suspects_own() &&
           watcher_.platform().calls->vendor == Vendor::nvidia;
  }
  [[nodiscard]] MemoryTable& memory() noexcept { return watcher_.failed_calls().memory(); }

  void allocated(const StreamCall& of, AllocationKind kind, const HostStack& stack) {
    Allocation one;
    one.begin = of.to;
    one.bytes = of.bytes;
    one.kind = kind;
    one.device = of.device;
    one.made_by = of.whole_name();
    one.number = of.number_of_memory;
    one.of_graph = of.call == Call::allocate_async && is_captured(of);
    memory().allocated(one, stack);
  }

  void copied(const StreamCall& of) {
    switch (of.call) {
      case Call::copy_in:
        return work(of, of.to, 0, true);
      case Call::copy_out:
        return work(of, 0, of.from, true);
      case Call::copy_in_async:
        return copy_in(of);
      case Call::copy_out_async:
        return work(of, 0, of.from, host_waits(of.to));
      case Call::copy_any:
        return work(of, of.to, of.from, !(is_on_device(of.to) && is_on_device(of.from)));
      case Call::copy_any_async:
        return work(of, of.to, of.from, host_waits(of.to) || host_waits(of.from));
      case Call::copy_device:        // "No host-side synchronization is performed" (CUDA's API
      case Call::copy_device_async:  // synchronization behavior)
        return work(of, of.to, of.from, false);
      case Call::fill:
      case Call::fill_async:
        return work(of, of.to, 0, order().is_managed(of.to));
      default:
        return;
    }
  }

  /// A copy from ordinary host memory waits for the stream, and returns when the host's memory may
  /// be changed. CUDA's may not have reached the device then (CUDA Runtime API, "API
  /// synchronization behavior"); HIP's has.
  void copy_in(const StreamCall& of) {
    const bool waits = host_waits(of.from);
    const bool is_there = watcher_.platform().calls->vendor != Vendor::nvidia;
    if (waits && !is_there && !is_captured(of)) {
      order().host_knows(place_of(of.stream, of.per_thread, of.device, watcher_.streams()));
    }
    work(of, of.to, 0, waits && is_there);
  }
  /// An address of 0 means host memory. `done`: the host waits for the work.
  void work(const StreamCall& of, std::uintptr_t to, std::uintptr_t from, bool done) {
    if (is_captured(of)) return;
    const StreamPlace at = place_of(of.stream, of.per_thread, of.device, watcher_.streams());
    const MemoryAccess both[] = {{to, to == 0 ? 0 : of.bytes, AccessKind::write},
                                 {from, from == 0 ? 0 : of.bytes, AccessKind::read}};
    order().submitted({of.name, false, of.bytes, "", at}, both);
    if (done || of.host_waits) order().host_knows(at);
  }
  [[nodiscard]] bool is_on_device(std::uintptr_t memory) noexcept {
    return kind_of_(memory) == MemoryKind::device;
  }
  /// Returns true for ordinary host memory: a copy from or to it "might be synchronous" (the same
  /// page).
  [[nodiscard]] bool host_waits(std::uintptr_t memory) noexcept {
    return kind_of_(memory) == MemoryKind::ordinary;
  }

  Watcher& watcher_;
  Captures& captures_;
  MemoryKind (*kind_of_)(std::uintptr_t) noexcept;
  std::uint64_t allocations_ = 0;
};

}  // namespace warpsafe::watch
