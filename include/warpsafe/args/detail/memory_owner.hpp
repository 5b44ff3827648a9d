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
inline constexpr int memory_is_at_host = -3;  ///< managed, between to_host and to_device
/// What a buffer's views know about its memory. Lives as long as the memory is held, or longer.
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
  /// Bit n: device n is known to have access. Only grows. All bits: managed memory.
  unsigned long accessed_from = 0;
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

/// The memory behind a view; nullptr for any other argument.
template <class A>
constexpr MemoryOwner* owner_of([[maybe_unused]] const A& argument) noexcept {
  if constexpr (is_view<A>) {
    return DeviceAccess::owner(argument);
  } else if constexpr (holds_owner<A>) {
    return argument.memory_owner();
  }
  return nullptr;
}

/// Whether the argument is a view of memory that may be freed by another stream than that of the
/// number (StreamAccess::given_number).
template <class A>
[[gnu::always_inline]] constexpr bool is_of_another_stream(
    [[maybe_unused]] const A& argument, [[maybe_unused]] unsigned long stream) noexcept {
  if constexpr (is_view<A> || holds_owner<A>) {
    const MemoryOwner* const owner = owner_of(argument);
    return owner != nullptr && owner->freed_on != stream;
  }
  return false;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
