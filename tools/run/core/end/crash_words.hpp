// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../kernel/foreign_memory.hpp"

#include <sys/uio.h>
#include <ucontext.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace warpsafe::watch {

/// The registers and the top of the stack of a thread that a signal has interrupted: the values
/// that its innermost functions work with. Empty for processors other than x86-64 and arm64.
class CrashWords {
 public:
  /// Reads them. `context` is the third argument of the handler. A handler may call this.
  [[nodiscard]] static CrashWords of(const void* context) noexcept {
    CrashWords made;
    const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    const auto* const registers = machine.gregs;
    constexpr std::size_t count = NGREG;
    const auto stack = static_cast<std::uintptr_t>(machine.gregs[REG_RSP]);
#elif defined(__aarch64__)
    const auto* const registers = machine.regs;
    constexpr std::size_t count = sizeof machine.regs / sizeof machine.regs[0];
    const auto stack = static_cast<std::uintptr_t>(machine.sp);
#else
    const std::uintptr_t* const registers = nullptr;
    constexpr std::size_t count = 0;
    const std::uintptr_t stack = 0;
    static_cast<void>(machine);
#endif
    static_assert(count < most);
    if (count != 0) std::memcpy(made.words_, registers, count * sizeof(std::uintptr_t));
    made.registers_ = made.count_ = count;
    const iovec piece{
        reinterpret_cast<void*>(stack / sizeof(std::uintptr_t) * sizeof(std::uintptr_t)),
        (most - count) * sizeof(std::uintptr_t)};
    if (stack != 0)
      made.count_ += copy_pieces(made.words_ + count, {&piece, 1}) / sizeof(std::uintptr_t);
    return made;
  }

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  /// Leaves out the stack from this return address on: the frames of that function and its callers.
  /// Leaves out the whole stack if the address is not on it.
  void cut(const void* return_address) noexcept {
    std::uintptr_t* const from = words_ + registers_;
    const std::uintptr_t* const found =
        std::find(from, words_ + count_, reinterpret_cast<std::uintptr_t>(return_address));
    count_ = found == words_ + count_ ? registers_ : static_cast<std::size_t>(found - words_);
  }
  [[nodiscard]] bool has(const void* value) const noexcept {
    return std::find(words_, words_ + count_, reinterpret_cast<std::uintptr_t>(value)) !=
           words_ + count_;
  }

 private:
  static constexpr std::size_t most = 2048;  // 16 KiB

  std::uintptr_t words_[most];
  std::size_t registers_ = 0;
  std::size_t count_ = 0;
};

}  // namespace warpsafe::watch
