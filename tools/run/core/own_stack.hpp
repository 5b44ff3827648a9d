// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <new>

namespace warpsafe::watch {

namespace detail {

/// Returns whether the calling thread has room left on its stack for texts and the demangler, which
/// takes 64 bytes for each letter of a name. A fibre's stack is unknown, and counts as too small.
[[nodiscard]] inline bool has_room_on_stack() noexcept {
  constexpr std::size_t needed = std::size_t{128} << 10;
  struct Bounds {
    bool known;
    std::uintptr_t begin;
    std::size_t bytes;
  };
  // Asked once: for the first thread, the C library reads the list of all mappings.
  static constinit thread_local Bounds stack{};
  if (!stack.known) {
    stack.known = true;
    pthread_attr_t attributes;
    if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return false;
    void* lowest = nullptr;
    static_cast<void>(::pthread_attr_getstack(&attributes, &lowest, &stack.bytes));
    ::pthread_attr_destroy(&attributes);
    stack.begin = reinterpret_cast<std::uintptr_t>(lowest);
  }
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return here >= stack.begin + needed && here - stack.begin < stack.bytes;
}

struct StackSwitch {
  void (*body)(const void* of) noexcept;
  const void* of;
  ucontext_t before;

  [[gnu::noinline]] static void enter(unsigned high, unsigned low) noexcept {
    const auto& self = *reinterpret_cast<const StackSwitch*>(std::uintptr_t{high} << 32 | low);
    self.body(self.of);
  }
  /// Returns false if there is no memory for a stack.
  [[nodiscard, gnu::noinline]] bool run() noexcept {
    constexpr std::size_t bytes = std::size_t{512} << 10;
    constexpr std::size_t guard = std::size_t{64} << 10;  // at least a page of any machine
    void* const stack = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED) return false;
    static_cast<void>(::mprotect(stack, guard, PROT_NONE));
    auto* const inside = ::new (static_cast<char*>(stack) + guard) ucontext_t;
    bool done = ::getcontext(inside) == 0;
    if (done) {
      constexpr std::size_t room = 4096;  // for the context itself
      inside->uc_stack.ss_sp = static_cast<char*>(stack) + guard + room;
      inside->uc_stack.ss_size = bytes - guard - room;
      inside->uc_link = &before;
      const auto self = reinterpret_cast<std::uintptr_t>(this);
      ::makecontext(inside, reinterpret_cast<void (*)()>(&enter), 2,
                    static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
      done = ::swapcontext(&before, inside) == 0;
    }
    ::munmap(stack, bytes);
    return done;
  }
};

}  // namespace detail

/// Runs `body()`, which does not throw, on a stack of its own if the program's thread has a small
/// one. For work that is rare: it takes some microseconds.
template <class Body>
[[gnu::noinline]] void run_on_large_stack(const Body& body) noexcept {
  static_assert(noexcept(body()), "an exception cannot leave the stack");
  if (!detail::has_room_on_stack()) {
    detail::StackSwitch there{
        [](const void* of) noexcept { (*static_cast<const Body*>(of))(); }, &body, {}};
    if (there.run()) return;
  }
  body();
}

}  // namespace warpsafe::watch
