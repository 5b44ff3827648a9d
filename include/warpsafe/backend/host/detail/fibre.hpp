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

/// Stacks for fibres, allocated in slabs and reused. Pages are committed when they are first
/// touched.
class StackSlab {
 public:
  /// Bytes that kernel code may use per thread. CUDA's default is 1 KiB, but host functions that
  /// kernels call for debugging (printf) need far more.
  static constexpr std::size_t stack_bytes = std::size_t{128} * 1024;
  static constexpr std::size_t stacks = 64;

  /// Does not throw; call `valid()` to find out whether the system had the memory.
  StackSlab() noexcept : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    void* memory = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return;
    begin_ = static_cast<unsigned char*>(memory);
    for (std::size_t i = 0; i < stacks && take_guard(); ++i) {
      // A stack also works without its guard page.
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
  /// The upper end, where the stack begins. It differs between stacks, because otherwise all fibres
  /// of a block would compete for a few sets of the cache.
  [[nodiscard]] unsigned char* top(std::size_t number) const noexcept {
    return bottom(number) + stack_bytes - number % 16 * 256;
  }

 private:
  // Each guard page splits a mapping in two, and Linux allows a process 65530 mappings by default
  // (vm.max_map_count). Beyond this share of them, stacks on machines with many cores have no guard
  // pages.
  [[nodiscard]] static bool take_guard() noexcept {
    static std::atomic<int> left = 8192;
    return left.fetch_sub(1, std::memory_order_relaxed) > 0;
  }
  [[nodiscard]] std::size_t stride() const noexcept { return stack_bytes + page_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return stacks * stride(); }

  std::size_t page_;
  unsigned char* begin_ = nullptr;
};

/// A second flow of control on the same OS thread, made with Boost's fcontext.
/// boost::context::fiber does not fit: a fibre that waits forever must be dropped like a thread on
/// a GPU. `fiber`'s destructor would unwind it with an exception, which terminates the program if
/// the kernel is noexcept. In addition, a fibre here can switch to any other without returning to
/// the one that started it.
class Fibre {
 public:
  /// The OS thread's own flow of control.
  Fibre() noexcept = default;
  /// A fibre on the stack between these two addresses.
  Fibre(unsigned char* bottom, unsigned char* top) noexcept
      : bottom_(bottom), bytes_(static_cast<std::size_t>(top - bottom)) {}

  /// The next switch to this fibre starts `Body(argument)` on its stack. Body returns the fibre
  /// that runs next. A template argument, so that the body is inlined into the fibre's first
  /// function (see call_kernel).
  template <auto Body>
  void prepare(void* argument) noexcept {
    if constexpr (address_sanitizer) {
      // A fibre dropped in the middle of a function has left the stack poisoned.
      __asan_unpoison_memory_region(bottom_, bytes_);
    }
    argument_ = argument;
    done_ = false;
    context_ = boost::context::detail::make_fcontext(top(), bytes_, &Fibre::entry<Body>);
  }

  /// Switches from this fibre, which the caller runs on, to `to`. Returns once another fibre
  /// switches back.
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

  /// Called first after each switch: stores where the previous fibre continues.
  [[gnu::always_inline]] static Fibre& arrive(boost::context::detail::transfer_t by,
                                              [[maybe_unused]] void* fake_stack) noexcept {
    Fibre& left = *static_cast<Fibre*>(by.data);
    left.context_ = by.fctx;
    if constexpr (address_sanitizer) {
      // The only way to find an OS thread's own stack.
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
  Fibre* next_ = nullptr;                                 // the fibre that it last switched to
  void* fake_stack_ = nullptr;                            // AddressSanitizer's, while suspended
};

/// Fibres by number, each with its own stack, created on first use.
class FibrePool {
 public:
  /// Returns nullptr if the system has no memory for another stack. The address stays valid.
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
