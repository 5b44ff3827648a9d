// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <dlfcn.h>
#include <unwind.h>

#include <cstddef>
#include <initializer_list>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpsafe::ranks {

/// A call of the program: where it returns to, and the frame of the function here, in which x86-64
/// keeps the caller's frame pointer and that address.
struct CallFrame {
  void* return_address = nullptr;
  void* const* frame = nullptr;
};
/// Only in the function that the program calls.
#define WARPSAFE_CALL_FRAME                                  \
  (::warpsafe::ranks::CallFrame{__builtin_return_address(0), \
                                static_cast<void* const*>(__builtin_frame_address(0))})

/// Walks the stack of the calling thread, from a call of the program on. To walk it takes a
/// microsecond for each frame, and a training step makes the same calls from the same stack each
/// time. So a walk is remembered, with the places of its return addresses on the stack.
class CallStack {
 public:
  static constexpr std::size_t most_places = 4;

  /// The return addresses that led to a call, the innermost first.
  struct Walked {
    std::vector<void*> program;
    /// Frames of libraries that pass calls on and whose functions have telling names.
    std::vector<void*> framework;
    bool reached_interpreter = false;
  };

  /// What led to a call. The result lives until the next call.
  [[nodiscard]] const Walked& of(const CallFrame& call) {
    if (remembered_.size() > most_remembered) remembered_.clear();
    Remembered& before = remembered_[{call.return_address, call.frame}];
    if (before.is_on_stack(call.frame)) return before.walked;
    Walk walk{this, call, {}, {}, true, true, 0, false, 0};
    ::_Unwind_Backtrace([](_Unwind_Context* context,
                           void* data) { return static_cast<Walk*>(data)->visit(context); },
                        &walk);
    if (!walk.is_inside || !walk.is_readable) walk.slots.clear();
    before = {std::move(walk.walked), std::move(walk.slots)};
    return before.walked;
  }

 private:
  enum class Kind {
    program,
    framework,
    library,  ///< passes calls on
    start,    ///< the C library, which calls main and the functions of threads
    interpreter,
  };
  static constexpr int most_frames = 64;
  static constexpr std::size_t most_remembered = 1000;

  /// Where a return address stands on the stack.
  struct ReturnSlot {
    void* const* slot;
    void* address;
    /// The function that has the slot has a frame pointer, which points to the word before. Only
    /// with one may the size of a frame differ from call to call.
    bool has_frame_pointer;
  };
  struct Remembered {
    Walked walked;
    std::vector<ReturnSlot> slots;

    /// Whether the stack is the one of the walk. Reads only what is on the stack of this call,
    /// which may be another stack at the same address: the innermost slot is the call's own. While
    /// the addresses are the same, the functions are the same, so the next slot is where it was,
    /// unless the function's frame has another size. Another function's local variable may stand in
    /// a slot, which AddressSanitizer would report.
    [[nodiscard, gnu::no_sanitize_address]] bool is_on_stack(void* const* frame) const noexcept {
      for (const ReturnSlot& one : slots) {
        if (one.has_frame_pointer) {
          auto* const pointer = static_cast<void* const*>(*frame);
          if (pointer != one.slot - 1) return false;
          frame = pointer;
        }
        if (*one.slot != one.address) return false;
      }
      return !slots.empty();
    }
  };

  struct Walk {
    CallStack* stack;
    CallFrame begin;
    Walked walked;
    std::vector<ReturnSlot> slots;
    /// Whether each return address stands where x86-64's calls put it. Elsewhere, and above a
    /// signal handler, each call walks the stack.
    bool is_readable;
    /// Whether the frame pointer of the next function is where the one before it points to.
    bool knows_frame_pointer;
    _Unwind_Word frame_pointer;  ///< of the function that the next address is the return of
    bool is_inside;
    int visited;

    _Unwind_Reason_Code visit(_Unwind_Context* context) {
      auto* const address = reinterpret_cast<void*>(::_Unwind_GetIP(context));
      is_inside = is_inside || address == begin.return_address;
      if (++visited > most_frames) return _URC_END_OF_STACK;
      if (!is_inside) return _URC_NO_REASON;
      remember(address, context);
      switch (stack->kind_of(address)) {
        case Kind::interpreter:
          walked.reached_interpreter = true;
          return _URC_END_OF_STACK;
        case Kind::library:
          break;
        case Kind::start:
          // Behind it are only the first instructions of the program or the thread.
          if (!walked.program.empty() || !walked.framework.empty()) return _URC_END_OF_STACK;
          break;
        case Kind::framework:
          if (walked.framework.size() < most_places) walked.framework.push_back(address);
          break;
        case Kind::program:
          walked.program.push_back(address);
          if (walked.program.size() == most_places) return _URC_END_OF_STACK;
      }
      return _URC_NO_REASON;
    }
    // Reads words of other functions, as is_on_stack does.
    [[gnu::no_sanitize_address]] void remember([[maybe_unused]] void* address,
                                               [[maybe_unused]] _Unwind_Context* context) {
#if defined(__x86_64__)
      constexpr int rbp = 6;
      if (address == nullptr || !is_readable) return;  // the end of the stack
      auto* const slot = reinterpret_cast<void* const*>(::_Unwind_GetCFA(context)) - 1;
      auto* const pointer = reinterpret_cast<void* const*>(frame_pointer);
      const bool has_frame_pointer = !slots.empty() && pointer == slot - 1;
      if (slots.empty()) {
        is_readable = slot == begin.frame + 1;
      } else {
        // g++ gives a realigned frame, which may have another size, a pointer inside of it, and a
        // copy of the return address behind the pointer.
        const bool is_realigned =
            pointer > slots.back().slot && pointer < slot - 1 && pointer[1] == address;
        is_readable = !is_realigned && (!has_frame_pointer || knows_frame_pointer);
        // A function without a frame pointer may use the register for something else.
        knows_frame_pointer = has_frame_pointer;
      }
      frame_pointer = ::_Unwind_GetGR(context, rbp);
      is_readable = is_readable && *slot == address;
      if (is_readable) slots.push_back({slot, address, has_frame_pointer});
#else
      is_readable = false;
#endif
    }
  };

  Kind kind_of(void* address) {
    const auto [known, added] = kinds_.try_emplace(address, Kind::library);
    Dl_info info{};
    // A return address may be the first one behind its function. No object: the end of the stack,
    // or code that was generated while the program ran.
    if (added && ::dladdr(static_cast<char*>(address) - 1, &info) != 0 &&
        info.dli_fname != nullptr) {
      known->second = kind(info.dli_fname);
    }
    return known->second;
  }
  static Kind kind(const std::string& object) {
    const std::string file = object.substr(object.rfind('/') + 1);
    const auto is_one_of = [&file](std::initializer_list<const char*> names) {
      for (const char* name : names) {
        if (file.rfind(name, 0) == 0) return true;
      }
      return false;
    };
    const auto lies_in = [&object](const char* folder) {
      return object.find(folder) != std::string::npos;
    };
    if (is_one_of({"python", "libpython"})) return Kind::interpreter;
    if (is_one_of({"libc.so", "libpthread.so"})) return Kind::start;
    if (is_one_of({"libnccl", "librccl", "libmpi", "libopen-", "libstdc++.so", "libc++.so",
                   "libgcc_s.so", "libffi.so", "ld-linux"}) ||
        lies_in("/lib-dynload/")) {
      return Kind::library;
    }
    if (is_one_of({"libtorch", "libc10"}) || lies_in("/site-packages/") ||
        lies_in("/dist-packages/")) {
      return Kind::framework;
    }
    return Kind::program;
  }

  std::unordered_map<void*, Kind> kinds_;
  std::map<std::pair<void*, void* const*>, Remembered> remembered_;  // by return address and frame
};

}  // namespace warpsafe::ranks
