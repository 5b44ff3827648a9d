// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "frame_rule.hpp"

#include <cstdint>
#include <cstring>

namespace warpsafe::ranks {

/// A call, as the function that is called sees it: where it returns to, the stack pointer from then
/// on, and the frame pointer of the caller.
struct StackFrame {
  void* return_address = nullptr;
  std::uintptr_t stack_pointer = 0;
  std::uintptr_t frame_pointer = 0;

  /// The call of this function, whose own frame is a plain one. Only a rule says where the frame of
  /// a function with aligned variables begins.
  [[nodiscard, gnu::noinline]] static StackFrame here() noexcept {
#if defined(__x86_64__)
    // The caller's frame pointer, and the return address.
    const auto* const frame = static_cast<const std::uintptr_t*>(__builtin_frame_address(0));
    return {__builtin_return_address(0), reinterpret_cast<std::uintptr_t>(frame + 2), *frame};
#else
    return {};
#endif
  }
  /// Goes to the call of the function that made this call. False: it is not known.
  [[nodiscard]] bool go_up(const FrameRule& rule) noexcept {
    std::uintptr_t cfa = 0;
    switch (rule.cfa) {
      case FrameRule::Cfa::from_stack_pointer:
        cfa = stack_pointer + offset(rule.cfa_offset);
        break;
      case FrameRule::Cfa::from_frame_pointer:
        cfa = frame_pointer + offset(rule.cfa_offset);
        break;
      case FrameRule::Cfa::at_frame_pointer:
        cfa = word_at(frame_pointer + offset(rule.cfa_offset));
        break;
      case FrameRule::Cfa::outermost:
      case FrameRule::Cfa::unknown:
        return false;
    }
    // Otherwise the stack goes on in other memory.
    if (cfa <= stack_pointer) return false;
    if (rule.saved == FrameRule::Saved::at_cfa) {
      frame_pointer = word_at(cfa + offset(rule.saved_offset));
    } else if (rule.saved == FrameRule::Saved::at_frame_pointer) {
      frame_pointer = word_at(frame_pointer + offset(rule.saved_offset));
    }
    stack_pointer = cfa;
    return_address = reinterpret_cast<void*>(word_at(cfa - sizeof(void*)));
    return true;
  }

 private:
  static std::uintptr_t offset(std::int32_t bytes) noexcept {
    return static_cast<std::uintptr_t>(std::intptr_t{bytes});
  }
  static std::uintptr_t word_at(std::uintptr_t address) noexcept {
    std::uintptr_t word = 0;
    std::memcpy(&word, reinterpret_cast<const void*>(address), sizeof word);
    return word;
  }
};

/// A call of the program.
struct CallFrame {
  void* return_address = nullptr;
  StackFrame inside;  ///< a call that the called function makes
};
/// Only in the function that the program calls.
#define WARPSAFE_CALL_FRAME \
  (::warpsafe::ranks::CallFrame{__builtin_return_address(0), ::warpsafe::ranks::StackFrame::here()})

}  // namespace warpsafe::ranks
