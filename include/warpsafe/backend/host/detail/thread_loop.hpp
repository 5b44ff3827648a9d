// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/host_thread.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace warpsafe::host {

/// `call()` for the thread that `self` is, then, for as long as `self` goes on, for those that come
/// after it in its block, x fastest; `self` is each of them in turn.
template <class Call>
void play_threads(warpsafe::detail::HostThread& self, Call&& call) {
  // Three loops, of which a compiler makes better code than of one that wraps from axis to axis.
  do {
    do {
      do {
        call();
        if (!self.goes_on) return;
      } while (++self.thread[0] < self.block_dim[0]);
      self.thread[0] = 0;
    } while (++self.thread[1] < self.block_dim[1]);
    self.thread[1] = 0;
  } while (++self.thread[2] < self.block_dim[2]);
}

/// The kernel `Fn` with the loop over a block's threads around it, so that the compiler sees both
/// at once: what it can inline, it does, and the arguments are read once for all threads. Keyed by
/// the kernel, hence hidden.
template <auto Fn, class... P>
struct [[gnu::visibility("hidden")]] ThreadLoop {
  /// What KernelEntry::invoke is for a kernel of the host; `args` as there.
  static void run(const void*, void** args) { read(args, std::index_sequence_for<P...>{}); }

 private:
  /// A copy, which nothing that the kernel writes can change; of a large object none, since every
  /// thread that waits would keep its own on its stack.
  template <class T>
  using Held = std::conditional_t<sizeof(T) <= 4 * sizeof(void*), T, T&>;

  template <std::size_t... Place>
  static void read([[maybe_unused]] void** args, std::index_sequence<Place...>) {
    loop(*static_cast<P*>(args[Place])...);
  }
  static void loop(Held<P>... values) {
    play_threads(*warpsafe::detail::host_thread, [&] { Fn(values...); });
  }
};

}  // namespace warpsafe::host
