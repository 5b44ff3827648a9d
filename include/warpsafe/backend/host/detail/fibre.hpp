// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/exceptions.hpp>

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
/// And a fibre goes on in any other without a switch back to whoever started it.
class Fibre {
 public:
  /// The flow of control that an OS thread has of its own.
  Fibre() noexcept = default;
  /// On the stack between these two addresses.
  Fibre(unsigned char* bottom, unsigned char* top) noexcept
      : bottom_(bottom), bytes_(static_cast<std::size_t>(top - bottom)) {}

  /// Whoever switches to this fibre next starts `Body(argument)` on its stack, which returns the
  /// fibre to go on in once this one has ended. A template, so that the body is inlined into the
  /// fibre's first function (see call_kernel).
  template <auto Body>
  void prepare(void* argument) noexcept {
    if constexpr (address_sanitizer) {
      // What was dropped in the middle of a function has left its marks.
      __asan_unpoison_memory_region(bottom_, bytes_);
    }
    argument_ = argument;
    done_ = false;
    context_ = boost::context::detail::make_fcontext(top(), bytes_, &Fibre::entry<Body>);
  }

  /// Goes on in `to`, from this fibre, where the caller runs; returns once another switches back.
  void switch_to(Fibre& to) {
    if constexpr (address_sanitizer) {
      __sanitizer_start_switch_fiber(&fake_stack_, to.bottom_, to.bytes_);
    }
    next_ = &to;
    arrive(boost::context::detail::jump_fcontext(to.context_, this), fake_stack_);
  }

  [[nodiscard]] bool done() const noexcept { return done_; }

 private:
  template <auto Body>
  static void entry(boost::context::detail::transfer_t by) {
    Fibre& self = *arrive(by, nullptr).next_;
    Fibre& next = Body(self.argument_);
    self.done_ = true;
    if constexpr (address_sanitizer) {
      __sanitizer_start_switch_fiber(nullptr, next.bottom_, next.bytes_);
    }
    self.next_ = &next;
    boost::context::detail::jump_fcontext(next.context_, &self);
  }

  /// What the fibre that was switched to does first: keeps where the one that was left goes on.
  [[gnu::always_inline]] static Fibre& arrive(boost::context::detail::transfer_t by,
                                              [[maybe_unused]] void* fake_stack) noexcept {
    Fibre& left = *static_cast<Fibre*>(by.data);
    left.context_ = by.fctx;
    if constexpr (address_sanitizer) {
      // Where an OS thread's own stack is, nobody else says.
      __sanitizer_finish_switch_fiber(fake_stack, &left.bottom_, &left.bytes_);
    }
    return left;
  }

  [[nodiscard]] void* top() const noexcept {
    return static_cast<unsigned char*>(const_cast<void*>(bottom_)) + bytes_;
  }

  const void* bottom_ = nullptr;
  std::size_t bytes_ = 0;
  void* argument_ = nullptr;
  bool done_ = true;
  boost::context::detail::fcontext_t context_ = nullptr;  // while it is suspended
  Fibre* next_ = nullptr;                                 // the one that it switched to last
  void* fake_stack_ = nullptr;                            // AddressSanitizer's, while suspended
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
