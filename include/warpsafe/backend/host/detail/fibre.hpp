// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/containers.hpp>
#include <warpsafe/backend/host/detail/context_switch.hpp>
#include <warpsafe/backend/host/detail/exceptions.hpp>
#include <warpsafe/backend/host/detail/sanitizers.hpp>
#include <warpsafe/backend/host/detail/threads.hpp>
#include <warpsafe/core/detail/environment.hpp>
#include <warpsafe/core/detail/text.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// The sizes of a stack, in bytes. By default it holds more than the local memory of a thread on
/// CUDA, 512 KiB (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"),
/// and host functions that kernels call for debugging (printf).
inline constexpr std::size_t default_stack_bytes = std::size_t{768} * 1024;
inline constexpr std::size_t least_stack_bytes = std::size_t{64} * 1024;
inline constexpr std::size_t most_stack_bytes = std::size_t{1} << 30U;

/// Reads a number of bytes, or of KiB with a final K, or of MiB with M. Returns 0 for anything
/// else, and for a size outside of the limits.
[[nodiscard]] constexpr std::size_t parse_stack_bytes(const char* text) noexcept {
  std::size_t bytes = 0;
  for (; *text >= '0' && *text <= '9' && bytes <= most_stack_bytes; ++text) {
    bytes = bytes * 10 + static_cast<std::size_t>(*text - '0');
  }
  const unsigned shift = *text == 'K' ? 10 : *text == 'M' ? 20 : 0;
  if (shift != 0) ++text;
  if (*text != '\0') return 0;
  bytes <<= shift;  // fits, because the digits end the loop soon after the limit
  return bytes < least_stack_bytes || bytes > most_stack_bytes ? 0 : bytes;
}
/// WARPSAFE_HOST_STACK, or the default. Writes a line to standard error if the value is malformed.
[[nodiscard, gnu::cold]] inline std::size_t read_stack_bytes() noexcept {
  const char* const value = warpsafe::detail::read_environment("WARPSAFE_HOST_STACK");
  if (value == nullptr || *value == '\0') return default_stack_bytes;
  if (const std::size_t bytes = parse_stack_bytes(value); bytes != 0) return bytes;
  char text[512];
  warpsafe::detail::TextBuffer out(text, sizeof text);
  out << "warpsafe: WARPSAFE_HOST_STACK=";
  out.one_line(Name::of(value))
      << " is not the size of a kernel thread's stack, from 64K to 1024M, such as "
         "1048576, 1024K or 1M; "
      << default_stack_bytes / 1024 << "K is used\n";
  warpsafe::detail::write_stderr({text, out.size()});
  return default_stack_bytes;
}
/// The size of the stacks that are made from now on. One variable for the whole program.
[[nodiscard, gnu::visibility("default")]] inline Atomic<std::size_t>& stack_bytes() noexcept {
  static Atomic<std::size_t> bytes = read_stack_bytes();
  return bytes;
}

/// Stacks for fibres, allocated in slabs and reused. Pages are committed when they are first
/// touched.
class StackSlab {
 public:
  static constexpr std::size_t stacks = 64;

  /// Stacks of `wanted` bytes each. If the process has no room for their addresses, it takes
  /// smaller ones, because most kernels need little. Does not throw; call `valid()` to find out
  /// whether the system had the memory.
  explicit StackSlab(std::size_t wanted) noexcept
      : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
        stack_((wanted + page_ - 1) / page_ * page_),
        guard_(guard_pages * page_) {
    constexpr std::size_t enough = std::size_t{128} * 1024;
    void* memory = map();
    for (; memory == MAP_FAILED && stack_ > enough; memory = map()) {
      stack_ = stack_ / 2 < enough ? enough : stack_ / 2 / page_ * page_;
      guard_ = page_;
    }
    if (memory == MAP_FAILED) return;
    begin_ = static_cast<unsigned char*>(memory);
    const bool guarded = slabs().fetch_add(1, __ATOMIC_RELAXED) < guarded_slabs;
    // A huge page would commit several stacks at once.
    static_cast<void>(madvise(memory, bytes(), MADV_NOHUGEPAGE));
    for (std::size_t i = 0; guarded && i < stacks; ++i) {
      // A stack also works without its guard.
      static_cast<void>(mprotect(begin_ + i * stride(), guard_, PROT_NONE));
    }
  }
  StackSlab(const StackSlab&) = delete;
  StackSlab& operator=(const StackSlab&) = delete;
  ~StackSlab() {
    if (begin_ == nullptr) return;
    // Fibres leave their stacks poisoned, and other memory may have these addresses next.
    if constexpr (address_sanitizer) __asan_unpoison_memory_region(begin_, bytes());
    munmap(begin_, bytes());
    slabs().fetch_sub(1, __ATOMIC_RELAXED);
  }

  [[nodiscard]] bool valid() const noexcept { return begin_ != nullptr; }
  /// The lowest byte of the `number`th stack.
  [[nodiscard]] unsigned char* bottom(std::size_t number) const noexcept {
    return begin_ + number * stride() + guard_;
  }
  /// The upper end, where the stack begins. It differs between stacks, because otherwise all fibres
  /// of a block would compete for a few sets of the cache.
  [[nodiscard]] unsigned char* top(std::size_t number) const noexcept {
    return bottom(number) + stack_ - number % 16 * 256;
  }
  /// If `address` is in the guard below a stack, the size of that stack in bytes; else 0.
  [[nodiscard]] std::size_t overflowed(const void* address) const noexcept {
    const auto offset =
        reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(begin_);
    return valid() && offset < bytes() && offset % stride() < guard_ ? stack_ : 0;
  }
  /// How many bytes below the beginning of its stack `address` is; 0: it is in none of them.
  [[nodiscard]] std::size_t depth(const void* address) const noexcept {
    const auto offset =
        reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(begin_);
    if (!valid() || offset >= bytes()) return 0;
    const auto* const from = static_cast<const unsigned char*>(address);
    const unsigned char* const begins = top(offset / stride());
    return from < begins ? static_cast<std::size_t>(begins - from) : 0;
  }

 private:
  /// A function with large local variables may begin far below the end of the stack. An odd number,
  /// so that the processor's tables for the pages of many stacks share no set of its cache.
  static constexpr std::size_t guard_pages = 65;
  /// Each guard splits a mapping in two, and Linux allows a process 65530 mappings by default
  /// (vm.max_map_count). Stacks beyond this share of them, on machines with many cores, have no
  /// guard.
  static constexpr std::size_t guarded_slabs = 8192 / stacks;

  [[nodiscard]] void* map() const noexcept {
    return mmap(nullptr, bytes(), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  }
  /// How many there are in the process.
  [[nodiscard, gnu::visibility("default")]] static Atomic<std::size_t>& slabs() noexcept {
    static Atomic<std::size_t> count = 0;
    return count;
  }
  [[nodiscard]] std::size_t stride() const noexcept { return stack_ + guard_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return stacks * stride(); }

  std::size_t page_;
  std::size_t stack_;  // bytes of a stack
  std::size_t guard_;  // bytes below it that have no memory
  unsigned char* begin_ = nullptr;
};

/// A second flow of control on the same OS thread.
/// boost::context::fiber does not fit: a fibre that waits forever must be dropped like a thread on
/// a GPU. `fiber`'s destructor would unwind it with an exception, which terminates the program if
/// the kernel is noexcept. In addition, a fibre here can switch to any other without returning to
/// the one that started it.
class alignas(64) Fibre {  // one line of the cache
 public:
  /// The OS thread's own flow of control.
  Fibre() noexcept : done_(false) {}
  /// A fibre on the stack between these two addresses.
  Fibre(unsigned char* bottom, unsigned char* top, Fibre* following = nullptr) noexcept
      : following_(following), bottom_(bottom), bytes_(static_cast<std::size_t>(top - bottom)) {}

  /// The next switch to this fibre starts `Body(argument)` on its stack. Body returns the fibre
  /// that runs next. A template argument, so that the body is inlined into the fibre's first
  /// function (see call_kernel).
  template <auto Body>
  void prepare(void* argument) noexcept {
    if constexpr (address_sanitizer) {
      // A fibre dropped in the middle of a function has left the stack poisoned. Others have not,
      // and the whole stack takes long.
      if (!done_) __asan_unpoison_memory_region(bottom_, bytes_);
    }
    argument_ = argument;
    done_ = false;
    context_ = Switch::make(top(), bytes_, &Fibre::entry<Body>, this);
  }
  /// Makes the next switch to this fibre start its body anew, without unwinding what runs on it.
  /// Quicker than `prepare`. @pre Switch::restarts, and no AddressSanitizer
  template <class Way = Switch>
  void restart() noexcept {
    context_ = Way::begin_of(top());
  }
  /// Whether it can be switched to.
  [[nodiscard]] bool prepared() const noexcept { return context_ != nullptr; }

  /// Switches from this fibre, which the caller runs on, to `to`. Returns once another fibre
  /// switches back.
  [[gnu::always_inline]] void switch_to(Fibre& to) {
    leave_for(to, &fake_stack_);
    Switch::jump_elsewhere(context_, to.context_);
    if constexpr (address_sanitizer) arrive(fake_stack_);
  }
  /// The same, and faster if `to` was left by this function, called by the same functions.
  [[gnu::always_inline]] void switch_to_same_place(Fibre& to) {
    leave_for(to, &fake_stack_);
    Switch::jump(context_, to.context_);
    if constexpr (address_sanitizer) arrive(fake_stack_);
  }
  /// Prefetches for the switch after the next one, which probably is to the fibre after this one.
  // Inlined, because g++ 12 takes a function that only prefetches for one without effects.
  [[gnu::always_inline]] void prefetch_following() const noexcept {
    if (following_ == nullptr) return;
    const char* const frame = static_cast<const char*>(following_->context_);
    __builtin_prefetch(frame);
    __builtin_prefetch(frame + 64);
  }

  [[nodiscard]] bool done() const noexcept { return done_; }
  /// The fibre after this one in its pool; nullptr if there is none yet.
  [[nodiscard]] Fibre* following() const noexcept { return following_; }

 private:
  friend class FibrePool;

  template <auto Body>
  static void entry(void* its_fibre) {
    Fibre& self = *static_cast<Fibre*>(its_fibre);
    if constexpr (address_sanitizer) self.arrive(nullptr);
    Fibre& next = Body(self.argument_);
    self.done_ = true;
    self.leave_for(next, nullptr);
    Switch::jump(self.context_, next.context_);
  }
  /// Checks that `to` can be switched to. Boost.Context would otherwise end the process with status
  /// 0, as if its work were done.
  [[gnu::always_inline]] void leave_for(Fibre& to, [[maybe_unused]] void** fake_stack) {
    if (to.done_) [[unlikely]]
      abort_ended_fibre();
    if constexpr (address_sanitizer) {
      to.before_ = this;
      __sanitizer_start_switch_fiber(fake_stack, to.bottom_, to.bytes_);
    }
  }
  [[noreturn, gnu::cold, gnu::noinline]] static void abort_ended_fibre() noexcept {
    constexpr char text[] =
        "warpsafe: internal error: the host backend resumed a fibre whose thread has ended\n";
    warpsafe::detail::write_stderr({text, sizeof text - 1});
    std::abort();
  }
  /// Called first after each switch. The only way to find an OS thread's own stack.
  [[gnu::always_inline]] void arrive(void* fake_stack) noexcept {
    __sanitizer_finish_switch_fiber(fake_stack, &before_->bottom_, &before_->bytes_);
  }

  [[nodiscard]] unsigned char* top() const noexcept {
    return static_cast<unsigned char*>(const_cast<void*>(bottom_)) + bytes_;
  }

  void* context_ = nullptr;  // where it continues
  bool done_ = true;
  Fibre* following_ = nullptr;
  void* argument_ = nullptr;
  const void* bottom_ = nullptr;
  std::size_t bytes_ = 0;
  // For AddressSanitizer:
  void* fake_stack_ = nullptr;  // while it is suspended
  Fibre* before_ = nullptr;     // the fibre that last switched to this one
};

/// Fibres in a row, each with its own stack, created on first use.
class FibrePool {
 public:
  /// The fibre after `fibre`; the first one for nullptr. Returns nullptr if the system has no
  /// memory for another stack. The address stays valid.
  [[nodiscard]] Fibre* after(const Fibre* fibre) {
    if (fibre == nullptr && !slabs_.empty()) return slabs_.front()->fibres;
    if (fibre != nullptr && fibre->following() != nullptr) return fibre->following();
    return guarded([this] { return grow(); }, 1) == 0 ? slabs_.back()->fibres : nullptr;
  }
  /// As StackSlab::overflowed, for all stacks. Called by a signal handler.
  [[nodiscard]] std::size_t overflowed(const void* address) const noexcept {
    std::size_t bytes = 0;
    for (const auto& slab : slabs_) bytes = bytes != 0 ? bytes : slab->stacks.overflowed(address);
    return bytes;
  }
  /// As StackSlab::depth, for all stacks. Called by a signal handler.
  [[nodiscard]] std::size_t depth(const void* address) const noexcept {
    std::size_t bytes = 0;
    for (const auto& slab : slabs_) bytes = bytes != 0 ? bytes : slab->stacks.depth(address);
    return bytes;
  }

 private:
  struct Slab {
    StackSlab stacks{stack_bytes().load(__ATOMIC_RELAXED)};
    Fibre fibres[StackSlab::stacks];
  };
  int grow() {
    auto slab = make_owned<Slab>();
    if (!slab->stacks.valid()) return 1;
    Fibre* following = nullptr;
    for (std::size_t i = StackSlab::stacks; i-- != 0;) {
      slab->fibres[i] = Fibre(slab->stacks.bottom(i), slab->stacks.top(i), following);
      following = &slab->fibres[i];
    }
    slabs_.push_back(std::move(slab));
    if (slabs_.size() > 1)
      slabs_[slabs_.size() - 2]->fibres[StackSlab::stacks - 1].following_ = following;
    return 0;
  }

  Array<Owned<Slab>> slabs_;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
