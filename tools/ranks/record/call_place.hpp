// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <dlfcn.h>
#include <unwind.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpsafe::ranks {

/// An instruction of the program. `warpsafe-ranks` translates object and offset into file and line,
/// if the object has debug information.
struct CallPlace {
  std::uint32_t number = 0;  ///< from 1
  std::uint32_t caller = 0;  ///< the number of the place that called this function; 0: not known
  std::string object;
  std::uint64_t offset = 0;
  std::string function;  ///< mangled; the nearest exported name before the place
};

/// The places of calls, each with the places that led there: programs have functions of their own
/// around the library's. Frames of the libraries that pass calls on, such as PyTorch's, are left
/// out if the program itself is on the stack.
class CallPlaces {
 public:
  /// The number of the place of a call that returns to `return_address`. Places that were not known
  /// are added to `added`, a caller before the place that it called. Not inlined, because the
  /// address of its frame is a part of what it remembers.
  [[nodiscard, gnu::noinline]] std::uint32_t number_of(void* return_address,
                                                       std::vector<CallPlace>& added) {
    // To walk a stack takes a microsecond for each frame. A training step makes the same calls from
    // the same stack each time.
    if (remembered_.size() > most_remembered) remembered_.clear();
    Remembered& before = remembered_[{return_address, __builtin_frame_address(0)}];
    if (before.number != 0 && before.is_on_stack()) return before.number;

    Walk walk{this, return_address, {}, {}, {}, true, false, 0};
    ::_Unwind_Backtrace(
        [](_Unwind_Context* context, void* data) {
          return static_cast<Walk*>(data)->visit(reinterpret_cast<void*>(::_Unwind_GetIP(context)),
                                                 ::_Unwind_GetCFA(context));
        },
        &walk);
    std::vector<void*>& frames = walk.program.empty() ? walk.framework : walk.program;
    // The stack cannot be read, for example in code that was generated while the program ran.
    if (frames.empty()) frames.push_back(return_address);
    std::uint32_t number = 0;
    for (std::size_t i = frames.size(); i-- > 0;) number = known(frames[i], number, added);
    if (walk.is_inside && walk.is_readable) {
      before = {number, std::move(walk.stack)};
    }
    return number;
  }

 private:
  /// Where a return address stands on the stack.
  struct ReturnSlot {
    void* const* slot;
    void* address;
  };
  /// The result of a walk, and the return addresses that it met.
  struct Remembered {
    std::uint32_t number = 0;
    std::vector<ReturnSlot> stack;

    /// The innermost address is compared first: while the addresses are the same, the next slot
    /// belongs to a function that has not returned. Another function's local variable may stand in
    /// a slot, which AddressSanitizer would report.
    [[nodiscard, gnu::no_sanitize_address]] bool is_on_stack() const noexcept {
      for (const ReturnSlot& one : stack) {
        if (*one.slot != one.address) return false;
      }
      return true;
    }
  };
  static constexpr std::size_t most_remembered = 1000;

  enum class Kind {
    program,
    framework,    ///< passes calls on, and its functions have telling names
    library,      ///< passes calls on
    start,        ///< the C library, which calls main and the functions of threads
    interpreter,  ///< its frames are the same for each line of a script
  };
  static constexpr std::size_t most_places = 4;
  static constexpr int most_frames = 64;

  struct Walk {
    CallPlaces* places;
    void* begin;
    std::vector<void*> program;
    std::vector<void*> framework;
    std::vector<ReturnSlot> stack;
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
      switch (places->kind_of(address)) {
        case Kind::interpreter:
          return _URC_END_OF_STACK;
        case Kind::library:
          break;
        case Kind::start:
          // Behind it are only the first instructions of the program or the thread.
          if (!program.empty() || !framework.empty()) return _URC_END_OF_STACK;
          break;
        case Kind::framework:
          if (framework.size() < most_places) framework.push_back(address);
          break;
        case Kind::program:
          program.push_back(address);
          if (program.size() == most_places) return _URC_END_OF_STACK;
      }
      return _URC_NO_REASON;
    }
    void remember([[maybe_unused]] void* address, [[maybe_unused]] _Unwind_Word frame) {
#if defined(__x86_64__)
      if (address == nullptr) return;  // the end of the stack
      auto* const slot = reinterpret_cast<void* const*>(frame) - 1;
      is_readable = is_readable && frame != 0 && *slot == address;
      if (is_readable) stack.push_back({slot, address});
#else
      is_readable = false;
#endif
    }
  };

  std::uint32_t known(void* address, std::uint32_t caller, std::vector<CallPlace>& added) {
    const auto [known, is_new] =
        numbers_.try_emplace({address, caller}, static_cast<std::uint32_t>(numbers_.size() + 1));
    if (is_new) {
      added.push_back(described(address));
      added.back().number = known->second;
      added.back().caller = caller;
    }
    return known->second;
  }
  Kind kind_of(void* address) {
    const auto [known, added] = kinds_.try_emplace(address, Kind::program);
    if (added) known->second = kind(described(address).object);
    return known->second;
  }
  static Kind kind(const std::string& object) {
    // The end of the stack, or code that was generated while the program ran.
    if (object.empty()) return Kind::library;
    const std::size_t slash = object.rfind('/');
    const std::string file = object.substr(slash == std::string::npos ? 0 : slash + 1);
    for (const char* name : {"python", "libpython"}) {
      if (file.rfind(name, 0) == 0) return Kind::interpreter;
    }
    for (const char* name : {"libtorch", "libc10"}) {
      if (file.rfind(name, 0) == 0) return Kind::framework;
    }
    for (const char* name : {"libc.so", "libpthread.so"}) {
      if (file.rfind(name, 0) == 0) return Kind::start;
    }
    for (const char* name : {"libnccl", "librccl", "libmpi", "libopen-", "libstdc++.so",
                             "libc++.so", "libgcc_s.so", "ld-linux"}) {
      if (file.rfind(name, 0) == 0) return Kind::library;
    }
    return Kind::program;
  }
  static CallPlace described(void* address) {
    CallPlace place;
    Dl_info info{};
    // A return address may be the first one behind its function.
    const char* const call = static_cast<char*>(address) - 1;
    if (::dladdr(call, &info) == 0) return place;
    place.object = info.dli_fname != nullptr ? info.dli_fname : "";
    place.offset = static_cast<std::uint64_t>(call - static_cast<const char*>(info.dli_fbase));
    place.function = info.dli_sname != nullptr ? info.dli_sname : "";
    return place;
  }

  std::unordered_map<void*, Kind> kinds_;
  std::map<std::pair<void*, std::uint32_t>, std::uint32_t> numbers_;
  std::map<std::pair<void*, void*>, Remembered> remembered_;  // by return address and frame
};

}  // namespace warpsafe::ranks
