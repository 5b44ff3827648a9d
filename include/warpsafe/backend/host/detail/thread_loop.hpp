// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

// What kernel code sees of the host backend. kernel_api.hpp includes it, so it is C++17-clean and
// knows nothing of the threads and fibres that run the kernel.

namespace warpsafe::detail {

/// The GPU thread that the current OS thread plays. The host backend makes it and keeps it up to
/// date; kernel code only reads it and calls through it.
struct HostThread {
  unsigned thread[3];             ///< threadIdx
  unsigned block[3];              ///< blockIdx
  unsigned block_dim[3];          ///< threads per axis
  unsigned grid_dim[3];           ///< blocks per axis
  unsigned char* dynamic_shared;  ///< the block's dynamic shared memory; nullptr if it has 0 bytes
  std::size_t dynamic_shared_bytes;  ///< as the launch gave it
  /// sync_block(): returns once every thread of the block has called it from the same `file` and
  /// `line`. It leaves by an exception that kernel code must let pass when that can never happen.
  void (*sync)(HostThread& self, const char* file, unsigned line);
  /// A static shared variable: the block's storage for `key`, the same for all its threads, `bytes`
  /// long and aligned to `alignment` bytes (a power of 2).
  void* (*static_shared)(HostThread& self, const void* key, std::size_t bytes,
                         std::size_t alignment);
  /// Ends this thread here, and starts no further block of its grid: a check has failed. Does not
  /// return; may leave by an exception as `sync` does.
  void (*leave)(HostThread& self, const char* file, unsigned line);
  /// Whether whoever calls the kernel goes on with the block's next thread once this one has ended.
  /// No longer so after a `sync` that left the next threads to others.
  bool continues;
};

/// nullptr outside kernel code. One variable for the whole program, even where the kernel and the
/// launch live in different shared objects that hide their symbols; a program that shares it with
/// what it loads by dlopen must export its own symbols (-rdynamic, CMake's ENABLE_EXPORTS).
[[gnu::visibility("default")]] inline thread_local HostThread* host_thread = nullptr;

}  // namespace warpsafe::detail

namespace warpsafe::host {

/// `call()` for the thread that `self` is, then, for as long as `self` goes on, for those that come
/// after it in its block, x fastest; `self` is each of them in turn.
template <class Call>
void run_threads(warpsafe::detail::HostThread& self, Call&& call) {
  // Three loops, of which a compiler makes better code than of one that wraps from axis to axis.
  do {
    do {
      do {
        call();
        if (!self.continues) return;
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
    run_threads(*warpsafe::detail::host_thread, [&] { Fn(values...); });
  }
};

}  // namespace warpsafe::host
