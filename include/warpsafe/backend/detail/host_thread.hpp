// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

// What kernel code sees of the host backend: C++17, and independent of how threads run.

namespace warpsafe {
inline namespace WARPSAFE_DETAIL_VERSION {
namespace detail {

/// What the threads of a block have asked for, and which elements they have used.
struct IndexUse {
  bool thread;      ///< the index of the thread in its block
  bool block;       ///< the index of the block
  bool block_size;  ///< the number of threads, otherwise than for thread_index
  bool grid_size;   ///< the number of blocks, or grid_stride
  bool strides;     ///< grid_stride has given a thread elements
  bool adds;        ///< atomic_add
  bool own;    ///< the last thread of the grid has used the element of its own number in a span ...
  bool other;  ///< ... of all elements, and a thread has used another one

  void add(const IndexUse& more) noexcept {
    thread = thread || more.thread;
    block = block || more.block;
    block_size = block_size || more.block_size;
    grid_size = grid_size || more.grid_size;
    strides = strides || more.strides;
    adds = adds || more.adds;
    own = own || more.own;
    other = other || more.other;
  }
};

/// The GPU thread that the current OS thread runs. The host backend creates and updates it; kernel
/// code reads it, calls through it, and notes in `use` what it asked for.
struct HostThread {
  unsigned thread[3];             ///< threadIdx
  unsigned block[3];              ///< blockIdx
  unsigned block_dim[3];          ///< threads per axis
  unsigned grid_dim[3];           ///< blocks per axis
  unsigned char* dynamic_shared;  ///< the block's dynamic shared memory; nullptr if it has 0 bytes
  std::size_t dynamic_shared_bytes;  ///< as given by the launch
  bool asks_dynamic_shared;          ///< whether the kernel has called dynamic_shared
  IndexUse use;
  /// `use` follows the spans with that many elements, more than the launch has threads. `most` is
  /// 0 if none is followed.
  struct WatchedSizes {
    std::size_t least;
    std::size_t most;
  } watched;
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
  /// dynamic_shared for `count` elements of `size` bytes, more than the launch gives, in this line.
  /// Ends the kernel. nullptr: nothing can.
  void (*lack_shared)(HostThread& self, std::size_t count, std::size_t size, const char* file,
                      unsigned line);
  /// dynamic_shared for `count` elements of `size` bytes, in a line that has not asked for as much
  /// before. It puts that into `asked`. nullptr: nobody wants to know.
  void (*ask_shared)(HostThread& self, std::size_t count, std::size_t size, const char* file,
                     unsigned line);
  /// The line of the last such call, and the bytes that it asked for.
  struct SharedLine {
    const char* file;
    unsigned line;
    std::size_t bytes;
  } asked;
  /// Whether run_threads continues with the block's next thread. `sync` clears it.
  bool continues;
  /// Called by run_threads after a thread that does not continue. It returns once `self` is another
  /// thread, which may be of another block of the grid. If it is nullptr, run_threads returns.
  void (*end)(HostThread& self, void* call);
  /// What `static_shared` returned last in this block, so that the next threads need no call, and
  /// its `key`; nullptr before.
  const void* shared_key;
  void* shared_variable;

  /// Goes on to the index of the next thread. False after the last one.
  [[nodiscard]] bool next() noexcept {
    if (++thread[0] < block_dim[0]) return true;
    thread[0] = 0;
    if (++thread[1] < block_dim[1]) return true;
    thread[1] = 0;
    return ++thread[2] < block_dim[2];
  }
};

/// nullptr outside kernel code. One variable for the whole program. A program that shares it with
/// objects loaded by dlopen must export its own symbols (-rdynamic, CMake's ENABLE_EXPORTS).
[[gnu::visibility("default")]] inline thread_local HostThread* host_thread = nullptr;

/// Sees the value that an atomic operation of a kernel read from `address`. nullptr unless somebody
/// follows the accesses of kernels.
[[gnu::visibility("default")]] inline void (*atomic_read)(const void* address, const void* value,
                                                          std::size_t bytes) noexcept = nullptr;

}  // namespace detail
}  // namespace WARPSAFE_DETAIL_VERSION
}  // namespace warpsafe

namespace warpsafe {
inline namespace WARPSAFE_DETAIL_VERSION {
namespace host {

template <class Call>
void call_thread(warpsafe::detail::HostThread&, void* call) {
  (*static_cast<Call*>(call))();
}
/// Goes on with the threads that `end` finds, until one of them continues. False without `end`.
///
/// One instruction calls both the kernel and `end`. A processor predicts that a function returns to
/// where the last call came from. After a barrier that call is not the one that began the thread,
/// but the end of the thread before it, which comes from the same place.
template <class Call>
bool run_found_threads(Call call) {
  warpsafe::detail::HostThread& self = *warpsafe::detail::host_thread;
  bool ends = true;
  while (self.end != nullptr) {
    void (*step)(warpsafe::detail::HostThread&, void*) = ends ? self.end : &call_thread<Call>;
    asm volatile("" : "+r"(step), "+r"(ends));  // compilers would make two calls of it
    step(self, &call);
    if (!ends && self.continues) return true;
    ends = !ends;
  }
  return false;
}
/// Calls `call()` for the thread in `host_thread`, for those after it that continue, x fastest, and
/// for those that `end` finds. Whether a thread after them is left. Not inlined, so that the
/// compiler keeps what `call` uses in registers.
template <class Call>
[[gnu::noinline]] bool run_some_threads(Call call) {
  warpsafe::detail::HostThread& self = *warpsafe::detail::host_thread;
  // Three loops, because compilers generate better code for them than for one that wraps.
  do {
    do {
      do {
        call();
        // No return before `end`: the processor would predict it wrongly.
        if (!self.continues) return run_found_threads(call) && self.next();
      } while (++self.thread[0] < self.block_dim[0]);
      self.thread[0] = 0;
    } while (++self.thread[1] < self.block_dim[1]);
    self.thread[1] = 0;
  } while (++self.thread[2] < self.block_dim[2]);
  return false;
}
/// Calls `call()` for the thread in `host_thread`, for those after it that continue, and for those
/// that `end` finds. `host_thread` becomes each of them in turn.
template <class Call>
void run_threads(Call call) {
  while (run_some_threads(call)) {
  }
}

/// The kernel `Fn` inside the loop over a block's threads. The compiler can inline the kernel, and
/// reads the arguments once. Keyed by the kernel, hence hidden.
template <auto Fn, class... P>
struct [[gnu::visibility("hidden")]] ThreadLoop {
  /// KernelEntry::invoke for a kernel of the host backend, with the same `args`.
  static void run(const void*, void** args) { read(args, std::index_sequence_for<P...>{}); }

 private:
  template <class T>
  struct Place {
    T* object;
    operator const T&() const noexcept { return *object; }
  };
  /// A copy, which the kernel cannot change by writing elsewhere. Large objects are not copied,
  /// since every waiting thread would keep its own copy on its stack.
  template <class T>
  using Held = std::conditional_t<sizeof(T) <= 4 * sizeof(void*), T, Place<T>>;
  template <class T>
  static Held<T> hold(void* at) noexcept {
    if constexpr (sizeof(T) <= 4 * sizeof(void*)) {
      return *static_cast<T*>(at);
    } else {
      return {static_cast<T*>(at)};
    }
  }

  template <std::size_t... Number>
  static void read([[maybe_unused]] void** args, std::index_sequence<Number...>) {
    loop(hold<P>(args[Number])...);
  }
  static void loop(Held<P>... values) {
    run_threads([=] { Fn(values...); });
  }
};

}  // namespace host
}  // namespace WARPSAFE_DETAIL_VERSION
}  // namespace warpsafe
