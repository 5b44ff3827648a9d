// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/cxx20.hpp>

// Boost's switch is for the processors without one below. A test defines this macro to have it on
// x86-64, where nothing else needs Boost.Context.
#if !defined(WARPSAFE_DETAIL_BOOST_SWITCH) && (!defined(__x86_64__) || defined(__ILP32__))
#define WARPSAFE_DETAIL_BOOST_SWITCH
#endif
#if defined(WARPSAFE_DETAIL_BOOST_SWITCH)
#include <boost/context/detail/fcontext.hpp>
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

#if defined(WARPSAFE_DETAIL_BOOST_SWITCH)
/// Switches between flows of control of one OS thread, with Boost's fcontext: for every processor
/// that it has. A context is where a flow of control continues.
struct Switch {
  /// Whether `begin_of` exists.
  static constexpr bool restarts = false;
  /// The processor's modes that a switch does not save, such as the rounding mode.
#if defined(__aarch64__)
  // Boost's fcontext leaves FPCR as it is on this processor. On x86 it saves both units' modes.
  struct Modes {
    [[nodiscard]] static Modes now() noexcept {
      Modes modes;
      asm volatile("mrs %0, fpcr" : "=r"(modes.fpcr));
      return modes;
    }
    void set() const noexcept { asm volatile("msr fpcr, %0" ::"r"(fpcr)); }
    [[nodiscard]] bool changed() const noexcept { return now().fpcr != fpcr; }

    std::uint64_t fpcr = 0;
  };
#else
  struct Modes {
    [[nodiscard]] static Modes now() noexcept { return {}; }
    void set() const noexcept {}
    /// Whether others are set now.
    [[nodiscard]] bool changed() const noexcept { return false; }
  };
#endif

  /// A flow of control that calls `entry(argument)` on the `bytes` bytes below `top`, which is a
  /// multiple of 16. `entry` must not return.
  [[nodiscard]] static void* make(unsigned char* top, std::size_t bytes, void (*entry)(void*),
                                  void* argument) noexcept {
    const Start start{entry, argument};
    void* const context = boost::context::detail::make_fcontext(top, bytes, &begin);
    return boost::context::detail::jump_fcontext(context, const_cast<Start*>(&start)).fctx;
  }
  /// Continues at `to`, and stores in `from` where the caller continues.
  static void jump(void*& from, void* to) noexcept {
    arrive(boost::context::detail::jump_fcontext(to, &from));
  }
  /// The same.
  static void jump_elsewhere(void*& from, void* to) noexcept { jump(from, to); }

 private:
  struct Start {
    void (*entry)(void*);
    void* argument;
  };
  /// make() enters it once, to give it what it starts.
  [[gnu::no_sanitize_address]] static void begin(boost::context::detail::transfer_t by) {
    const Start start = *static_cast<const Start*>(by.data);
    arrive(boost::context::detail::jump_fcontext(by.fctx, nullptr));
    start.entry(start.argument);
  }
  static void arrive(boost::context::detail::transfer_t by) noexcept {
    *static_cast<void**>(by.data) = by.fctx;
  }
};

#else
/// As Boost's, several times as fast, because it does not read the processor's modes, and because
/// the processor predicts where it continues.
struct Switch {
  static constexpr bool restarts = true;
  /// The modes of both floating-point units: rounding, exceptions, subnormal numbers.
  struct Modes {
    [[nodiscard]] static Modes now() noexcept {
      Modes modes;
      asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(modes.mxcsr), "=m"(modes.x87));
      modes.mxcsr &= ~0x3FU;  // the flags of what has happened are no modes
      return modes;
    }
    void set() const noexcept { asm volatile("ldmxcsr %0\n\tfldcw %1" ::"m"(mxcsr), "m"(x87)); }
    // fesetround() and its like set both units. Reading one of them takes half the time.
    [[nodiscard]] bool changed() const noexcept {
      unsigned now = 0;
      asm volatile("stmxcsr %0" : "=m"(now));
      return ((now ^ mxcsr) & ~0x3FU) != 0;
    }

    unsigned mxcsr = 0;
    unsigned short x87 = 0;
  };

  [[nodiscard]] static void* make(unsigned char* top, std::size_t, void (*entry)(void*),
                                  void* argument) noexcept {
    void* const frame[frame_words] = {nullptr,
                                      nullptr,
                                      nullptr,
                                      argument,
                                      reinterpret_cast<void*>(entry),
                                      nullptr,
                                      reinterpret_cast<void*>(&begin)};
    std::memcpy(top - sizeof frame, frame, sizeof frame);
    return begin_of(top);
  }
  /// What `make` returned for this `top`: a switch there begins anew. What runs there is not
  /// unwound.
  [[nodiscard]] static void* begin_of(unsigned char* top) noexcept {
    return top - frame_words * sizeof(void*);
  }
  /// It is fastest if `to` has called it from the same place as the caller, or from functions that
  /// are called in the same order. It ends with a `ret`, whose target the processor predicts from
  /// the last calls.
  // System V ABI for AMD64, "Register Usage": a function preserves rbx, rbp, rsp and r12 to r15.
  [[gnu::naked, gnu::noinline]] static void jump(void*& /*from*/, void* /*to*/) noexcept {
    asm("pushq %rbp\n\tpushq %rbx\n\tpushq %r12\n\tpushq %r13\n\tpushq %r14\n\tpushq %r15\n\t"
        "movq %rsp, (%rdi)\n\tmovq %rsi, %rsp\n\t"
        "popq %r15\n\tpopq %r14\n\tpopq %r13\n\tpopq %r12\n\tpopq %rbx\n\tpopq %rbp\n\t"
        "ret");
  }
  /// As `jump`, and fastest if `to` continues at another place than the caller.
  [[gnu::naked, gnu::noinline]] static void jump_elsewhere(void*& /*from*/, void* /*to*/) noexcept {
    asm("pushq %rbp\n\tpushq %rbx\n\tpushq %r12\n\tpushq %r13\n\tpushq %r14\n\tpushq %r15\n\t"
        "movq %rsp, (%rdi)\n\tmovq %rsi, %rsp\n\t"
        "popq %r15\n\tpopq %r14\n\tpopq %r13\n\tpopq %r12\n\tpopq %rbx\n\tpopq %rbp\n\t"
        "popq %rcx\n\tjmpq *%rcx");
  }

 private:
  /// What a jump pops. The frame stays as it is, because `begin` goes on below it.
  static constexpr std::size_t frame_words = 8;
  /// Calls the entry. Its caller has the address 0, where debuggers and the unwinder end.
  [[gnu::naked, gnu::noinline]] static void begin() noexcept {
    asm("subq $64, %rsp\n\tmovq $0, (%rsp)\n\tmovq %r12, %rdi\n\tjmpq *%rbx");
  }
};
#endif

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
