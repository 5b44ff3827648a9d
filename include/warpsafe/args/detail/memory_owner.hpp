// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/device_ptr.hpp>
#include <warpsafe/core/cxx20.hpp>

// What a launch needs to know about the memory behind a view: the stream that frees it, and how to
// record a use by another stream. The launch does not know the buffer. No standard header.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

// MemoryOwner::of_device of memory that no device may use.
inline constexpr int memory_was_freed = -2;
inline constexpr int memory_is_at_host = -3;       ///< managed, between to_host and to_device
inline constexpr int memory_of_idle_graph = -4;    ///< a graph allocates it, and has not run
inline constexpr int memory_of_lost_capture = -5;  ///< of a graph that cannot run any more
/// What a buffer's views know about its memory. Lives as long as the memory is held.
struct MemoryOwner {
  /// The number of the stream whose order frees the memory; 0: each use is recorded.
  unsigned long freed_on = 0;
  /// Records that the memory may be freed only after the work submitted so far to `stream` of
  /// `device`, which has that number for the calling thread. Returns the runtime's status.
  int (*add_use)(MemoryOwner& self, void* stream, int device,
                 unsigned long number) noexcept = nullptr;
  unsigned char vendor = 0;  ///< the memory's Vendor. Other vendors' uses are not recorded.
  int of_device = -1;        ///< the memory's device
  void* start = nullptr;     ///< its first byte; nullptr: none
  /// Bit n: device n is known to have access. Only grows. All bits: every device has, or the access
  /// is not known.
  unsigned long accessed_from = 0;
  /// Counts the owners that this storage has held.
  unsigned life = 0;
  bool knows_access = false;  ///< `accessed_from` has every device with access: nobody is asked
};

/// The owner behind a view whose memory is gone: launches, copies and library calls refuse it.
[[gnu::visibility("default")]] inline constinit MemoryOwner closed_memory{
    .add_use = [](MemoryOwner&, void*, int, unsigned long) noexcept { return 0; },
    .of_device = memory_was_freed};

/// A view's owner. The storage of an owner becomes that of a later owner, and is never given back:
/// so a view that outlives its memory can ask whose the storage is.
class OwnerRef {
 public:
  constexpr OwnerRef() noexcept = default;
  constexpr OwnerRef(MemoryOwner* owner) noexcept  // NOLINT(google-explicit-constructor)
      : owner_(owner), life_(owner == nullptr ? 0 : owner->life) {}
  /// nullptr if the view has none; `closed_memory` if its memory was freed.
  [[nodiscard]] constexpr MemoryOwner* get() const noexcept {
    return owner_ == nullptr || owner_->life == life_ ? owner_ : &closed_memory;
  }
  /// The same, but a freed or a later owner if the memory was freed.
  [[nodiscard]] constexpr MemoryOwner* unchecked() const noexcept { return owner_; }

 private:
  MemoryOwner* owner_ = nullptr;
  unsigned life_ = 0;
};

/// Whether A is a view of a buffer.
template <class A>
inline constexpr bool is_view = false;

/// Whether A is another type that may hold a view, and has `memory_owner()`.
template <class A>
inline constexpr bool holds_owner = false;

/// What a kernel gets for an argument: the span in a view, and any other argument unchanged.
template <class A>
constexpr decltype(auto) kernel_form(const A& argument) noexcept {
  if constexpr (is_view<A>) {
    return DeviceAccess::kernel_form(argument);
  } else {
    return (argument);
  }
}

/// The memory behind a view; nullptr for any other argument. For recording a use: of an old view,
/// it may be a later owner.
template <class A>
constexpr MemoryOwner* owner_of([[maybe_unused]] const A& argument) noexcept {
  if constexpr (is_view<A>) {
    return DeviceAccess::owner(argument).unchecked();
  } else if constexpr (holds_owner<A>) {
    return argument.memory_owner();
  }
  return nullptr;
}

/// As owner_of, but `closed_memory` for a view whose memory was freed.
template <class A>
constexpr MemoryOwner* checked_owner_of(const A& argument) noexcept {
  if constexpr (is_view<A>) {
    return DeviceAccess::owner(argument).get();
  } else {
    return owner_of(argument);
  }
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
