// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

// What kernel code sees of the host backend: C++17, and independent of how threads run.

namespace warpsafe::detail {

/// The GPU thread that the current OS thread runs. The host backend creates and updates it; kernel
/// code only reads it and calls through it.
struct HostThread {
  unsigned thread[3];             ///< threadIdx
  unsigned block[3];              ///< blockIdx
  unsigned block_dim[3];          ///< threads per axis
  unsigned grid_dim[3];           ///< blocks per axis
  unsigned char* dynamic_shared;  ///< the block's dynamic shared memory; nullptr if it has 0 bytes
  std::size_t dynamic_shared_bytes;  ///< as given by the launch
  bool asks_dynamic_shared;          ///< whether the kernel has called dynamic_shared
  /// sync_block(): returns once every thread of the block has called it with the same `file` and
  /// `line`. If that can never happen, it leaves by an exception that kernel code must let pass.
  void (*sync)(HostThread& self, const char* file, unsigned line);
  /// The block's static shared variable `key`: `bytes` bytes, aligned to `alignment`.
  void* (*static_shared)(HostThread& self, const void* key, std::size_t bytes,
                         std::size_t alignment);
  /// Ends this thread and starts no further block of its grid, because a check has failed. Does not
  /// return; may leave by an exception as `sync` does.
  void (*leave)(HostThread& self, const char* file, unsigned line);
  /// As `leave`, after an access outside of memory: the launch fails with `text`.
  void (*fault)(HostThread& self, const char* text);
  /// wait_for_predecessor() if `waits`, else allow_dependents(), in this line.
  void (*depend)(HostThread& self, bool waits, const char* file, unsigned line);
  /// Whether run_threads continues with the block's next thread. `sync` clears it.
  bool continues;
  void (*end)(HostThread& self);  ///< called by run_threads after this thread; may be nullptr
};

/// nullptr outside kernel code. One variable for the whole program. A program that shares it with
/// objects loaded by dlopen must export its own symbols (-rdynamic, CMake's ENABLE_EXPORTS).
[[gnu::visibility("default")]] inline thread_local HostThread* host_thread = nullptr;

/// Ends the kernel, which asks for `count` elements of `size` bytes in dynamic shared memory, more
/// than its launch gives. nullptr until the host backend is used.
[[gnu::visibility("default")]] inline void (*leave_dynamic_shared)(std::size_t, std::size_t,
                                                                   const char*, unsigned) = nullptr;

}  // namespace warpsafe::detail

namespace warpsafe::host {

/// Calls `call()` for the thread `self`, then, as long as `self.continues`, for the threads after
/// it in its block, x fastest. `self` becomes each of them in turn.
template <class Call>
void run_threads(warpsafe::detail::HostThread& self, Call&& call) {
  // Three loops, because compilers generate better code for them than for one that wraps.
  do {
    do {
      do {
        call();
        if (!self.continues) return self.end != nullptr ? self.end(self) : void();
      } while (++self.thread[0] < self.block_dim[0]);
      self.thread[0] = 0;
    } while (++self.thread[1] < self.block_dim[1]);
    self.thread[1] = 0;
  } while (++self.thread[2] < self.block_dim[2]);
}

/// The kernel `Fn` inside the loop over a block's threads. The compiler can inline the kernel, and
/// reads the arguments once. Keyed by the kernel, hence hidden.
template <auto Fn, class... P>
struct [[gnu::visibility("hidden")]] ThreadLoop {
  /// KernelEntry::invoke for a kernel of the host backend, with the same `args`.
  static void run(const void*, void** args) { read(args, std::index_sequence_for<P...>{}); }

 private:
  /// A copy, which the kernel cannot change by writing elsewhere. Large objects are not copied,
  /// since every waiting thread would keep its own copy on its stack.
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
