// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/sanitizer.hpp>

#include <boost/context/detail/fcontext.hpp>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace warpsafe::host {

/// Stacks for fibres, in slabs, kept for reuse. Pages are committed as they are touched.
class StackSlab {
 public:
  /// The bytes that kernel code may use per thread; CUDA's default is 1 KiB, but host functions
  /// that kernels call for debugging (printf) take far more.
  static constexpr std::size_t stack_bytes = std::size_t{128} * 1024;
  static constexpr std::size_t stacks = 64;

  /// Throws nothing; `valid()` says whether the system had the memory.
  StackSlab() noexcept : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    void* memory = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return;
    begin_ = static_cast<unsigned char*>(memory);
    for (std::size_t i = 0; i < stacks && take_guard(); ++i) {
      // Without its guard page a stack works all the same.
      static_cast<void>(mprotect(begin_ + i * stride(), page_, PROT_NONE));
    }
  }
  StackSlab(const StackSlab&) = delete;
  StackSlab& operator=(const StackSlab&) = delete;
  ~StackSlab() {
    if (begin_ != nullptr) munmap(begin_, bytes());
  }

  [[nodiscard]] bool valid() const noexcept { return begin_ != nullptr; }
  /// The lowest byte of the `number`th stack.
  [[nodiscard]] unsigned char* bottom(std::size_t number) const noexcept {
    return begin_ + number * stride() + page_;
  }
  /// Where it begins, at its upper end: not at the same place in every stack, or all fibres of a
  /// block would fight for a few sets of the cache.
  [[nodiscard]] unsigned char* top(std::size_t number) const noexcept {
    return bottom(number) + stack_bytes - number % 16 * 256;
  }

 private:
  // Each guard page splits a mapping in two, and Linux allows a process 65530 of them by default
  // (vm.max_map_count): a machine of many cores goes without guards beyond this share of them.
  [[nodiscard]] static bool take_guard() noexcept {
    static std::atomic<int> left = 8192;
    return left.fetch_sub(1, std::memory_order_relaxed) > 0;
  }
  [[nodiscard]] std::size_t stride() const noexcept { return stack_bytes + page_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return stacks * stride(); }

  std::size_t page_;
  unsigned char* begin_ = nullptr;
};

/// A second flow of control on the same OS thread. Boost's fcontext, which boost::context::fiber
/// wraps: a fibre that waits for ever must be dropped as a GPU drops a thread, while `fiber`'s
/// destructor would unwind it by an exception, which ends the program in a kernel that is noexcept.
class Fibre {
 public:
  /// On the stack between these two addresses.
  Fibre(unsigned char* bottom, unsigned char* top) noexcept
      : bottom_(bottom), bytes_(static_cast<std::size_t>(top - bottom)) {}

  /// Starts `Body(argument)` on this fibre's stack; returns when it ends or suspends itself. A
  /// template, so that the body is inlined into the fibre's first function (see call_kernel).
  template <auto Body>
  void start(void* argument) {
    if constexpr (address_sanitizer) {
      // What was dropped in the middle of a function has left its marks.
      __asan_unpoison_memory_region(bottom_, bytes_);
    }
    argument_ = argument;
    done_ = false;
    context_ = boost::context::detail::make_fcontext(bottom_ + bytes_, bytes_, &Fibre::entry<Body>);
    resume();
  }

  /// Goes on where the fibre suspended itself; returns when it ends or suspends itself again.
  void resume() {
    void* fake_stack = nullptr;
    if constexpr (address_sanitizer) {
      __sanitizer_start_switch_fiber(&fake_stack, bottom_, bytes_);
    }
    context_ = boost::context::detail::jump_fcontext(context_, this).fctx;
    if constexpr (address_sanitizer) {
      __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
    }
  }

  /// From inside the fibre: back to whoever called `start` or `resume`.
  void suspend() {
    void* fake_stack = nullptr;
    if constexpr (address_sanitizer) {
      __sanitizer_start_switch_fiber(&fake_stack, caller_bottom_, caller_bytes_);
    }
    caller_ = boost::context::detail::jump_fcontext(caller_, nullptr).fctx;
    if constexpr (address_sanitizer) {
      __sanitizer_finish_switch_fiber(fake_stack, &caller_bottom_, &caller_bytes_);
    }
  }

  [[nodiscard]] bool done() const noexcept { return done_; }

 private:
  template <auto Body>
  static void entry(boost::context::detail::transfer_t from) {
    Fibre& self = *static_cast<Fibre*>(from.data);
    self.caller_ = from.fctx;
    if constexpr (address_sanitizer) {
      __sanitizer_finish_switch_fiber(nullptr, &self.caller_bottom_, &self.caller_bytes_);
    }
    Body(self.argument_);
    self.done_ = true;
    if constexpr (address_sanitizer) {
      __sanitizer_start_switch_fiber(nullptr, self.caller_bottom_, self.caller_bytes_);
    }
    boost::context::detail::jump_fcontext(self.caller_, nullptr);
  }

  unsigned char* bottom_;
  std::size_t bytes_;
  void* argument_ = nullptr;
  bool done_ = true;
  boost::context::detail::fcontext_t context_ = nullptr;
  boost::context::detail::fcontext_t caller_ = nullptr;
  const void* caller_bottom_ = nullptr;
  std::size_t caller_bytes_ = 0;
};

/// Fibres by number, each with a stack of its own, made when first asked for.
class FibrePool {
 public:
  /// nullptr if the system has no memory for another stack. The address stays.
  [[nodiscard]] Fibre* at(std::size_t number) {
    while (number >= fibres_.size()) {
      auto slab = std::make_unique<StackSlab>();
      if (!slab->valid()) return nullptr;
      for (std::size_t i = 0; i < StackSlab::stacks; ++i)
        fibres_.emplace_back(slab->bottom(i), slab->top(i));
      slabs_.push_back(std::move(slab));
    }
    return &fibres_[number];
  }

 private:
  std::vector<std::unique_ptr<StackSlab>> slabs_;
  std::deque<Fibre> fibres_;
};

}  // namespace warpsafe::host
