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

  /// What led to the call that returns to `return_address`. The result lives until the next call.
  /// Not inlined, because the address of its frame is a part of what it remembers.
  [[nodiscard, gnu::noinline]] const Walked& of(void* return_address) {
    if (remembered_.size() > most_remembered) remembered_.clear();
    Remembered& before = remembered_[{return_address, __builtin_frame_address(0)}];
    if (before.is_on_stack()) return before.walked;
    Walk walk{this, return_address, {}, {}, true, false, 0};
    ::_Unwind_Backtrace(
        [](_Unwind_Context* context, void* data) {
          return static_cast<Walk*>(data)->visit(reinterpret_cast<void*>(::_Unwind_GetIP(context)),
                                                 ::_Unwind_GetCFA(context));
        },
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
  };
  struct Remembered {
    Walked walked;
    std::vector<ReturnSlot> slots;

    /// Whether the stack is the one of the walk. The innermost address is compared first: while the
    /// addresses are the same, the next slot belongs to a function that has not returned. Another
    /// function's local variable may stand in a slot, which AddressSanitizer would report.
    [[nodiscard, gnu::no_sanitize_address]] bool is_on_stack() const noexcept {
      for (const ReturnSlot& one : slots) {
        if (*one.slot != one.address) return false;
      }
      return !slots.empty();
    }
  };

  struct Walk {
    CallStack* stack;
    void* begin;
    Walked walked;
    std::vector<ReturnSlot> slots;
    /// Whether each return address stands where x86-64's calls put it. Elsewhere, and above a
    /// signal handler, each call walks the stack.
    bool is_readable;
    bool is_inside;
    int visited;

    _Unwind_Reason_Code visit(void* address, _Unwind_Word frame) {
      is_inside = is_inside || address == begin;
      if (++visited > most_frames) return _URC_END_OF_STACK;
      if (!is_inside) return _URC_NO_REASON;
      remember(address, frame);
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
    void remember([[maybe_unused]] void* address, [[maybe_unused]] _Unwind_Word frame) {
#if defined(__x86_64__)
      if (address == nullptr) return;  // the end of the stack
      auto* const slot = reinterpret_cast<void* const*>(frame) - 1;
      is_readable = is_readable && frame != 0 && *slot == address;
      if (is_readable) slots.push_back({slot, address});
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
  std::map<std::pair<void*, void*>, Remembered> remembered_;  // by return address and frame
};

}  // namespace warpsafe::ranks
