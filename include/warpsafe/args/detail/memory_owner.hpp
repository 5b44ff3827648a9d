// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/device_ptr.hpp>

// The memory behind a view, for a launch, which knows no buffer: on whose stream it is freed, and
// how it is told of another. No standard header.

namespace warpsafe::detail {

/// What a buffer's views know of its memory. It lives as long as the memory is held.
struct MemoryOwner {
  /// The vendor's stream in whose order the memory is freed.
  const void* freed_on = nullptr;
  /// Notes that what `stream`, of `device`, was given so far uses the memory, which is freed after
  /// that. Returns the runtime's status.
  int (*add_use)(MemoryOwner& self, void* stream, int device) noexcept = nullptr;
  /// Whose memory it is: a Vendor. Another vendor's streams are not noted.
  unsigned char vendor = 0;
};

/// Whether A is a view that host code has of a buffer.
template <class A>
inline constexpr bool is_view = false;

/// Whether A is something else that may have one in it, and has `memory_owner()`.
template <class A>
inline constexpr bool holds_owner = false;

/// What a kernel gets for an argument: of a view the span in it, of anything else the argument.
template <class A>
constexpr decltype(auto) kernel_form(const A& argument) noexcept {
  if constexpr (is_view<A>) {
    return DeviceAccess::kernel_form(argument);
  } else {
    return (argument);
  }
}

/// The memory behind a view; nullptr for what is none.
template <class A>
constexpr MemoryOwner* owner_of([[maybe_unused]] const A& argument) noexcept {
  if constexpr (is_view<A>) {
    return DeviceAccess::owner(argument);
  } else if constexpr (holds_owner<A>) {
    return argument.memory_owner();
  } else {
    return nullptr;
  }
}

/// Whether the argument is a view of memory that is freed in the order of another stream.
template <class A>
[[gnu::always_inline]] constexpr bool is_of_another_stream(
    [[maybe_unused]] const A& argument, [[maybe_unused]] const void* stream) noexcept {
  if constexpr (is_view<A> || holds_owner<A>) {
    const MemoryOwner* const owner = owner_of(argument);
    return owner != nullptr && owner->freed_on != stream;
  } else {
    return false;
  }
}

}  // namespace warpsafe::detail
