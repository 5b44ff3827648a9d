// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "call_frame.hpp"
#include "known_walks.hpp"
#include "loaded_object.hpp"

#include <unwind.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::ranks {

/// Walks the stack of the calling thread, from a call of the program on. The unwinder needs a
/// microsecond for each frame, and a training step makes the same calls each time. So the rule of
/// each frame is read once, and walks are remembered. A frame without a simple rule leaves the call
/// to the unwinder.
class CallStack {
 public:
  static constexpr std::size_t most_places = 4;
  enum class Kind : std::uint8_t {
    program,
    framework,
    library,  ///< passes calls on
    start,    ///< the C library, which calls main and the functions of threads
    interpreter,
  };

  /// The return addresses that led to a call, the innermost first.
  struct Walked {
    std::vector<void*> program;
    /// Frames of libraries that pass calls on and whose functions have telling names.
    std::vector<void*> framework;
    bool reached_interpreter = false;
    std::uint32_t number = 0;  ///< the user of the class may set it; 0 in a new walk
  };

  /// What led to a call. The result lives until the next call.
  [[nodiscard]] Walked& of(const CallFrame& call) {
    if (Walked* const known = known_walks_.find(call.inside)) return *known;
    Visitor visitor(walked_);
    steps_.clear();
    bool is_lasting = true;
    bool goes_on = true;
    const bool is_walked = walk(call, [&](void* address, const Code& code) {
      steps_.push_back({address, code.rule});
      is_lasting = is_lasting && code.address != nullptr;
      goes_on = visitor(address, code.kind) && code.rule.cfa != FrameRule::Cfa::outermost;
      return goes_on;
    });
    if (!is_walked) return by_unwinder(call);
    // The stack ended here, and may go on in another call.
    if (goes_on) steps_.push_back({nullptr, {}});
    if (!is_lasting) return walked_;
    void* const first = call.inside.return_address;
    steps_.insert(steps_.begin(), {first, code_at(first).rule});
    return known_walks_.add(steps_, walked_);
  }
  /// The same from the unwinder.
  [[nodiscard]] Walked& by_unwinder(const CallFrame& call) {
    Unwinder unwinder{this, call.return_address, Visitor(walked_)};
    ::_Unwind_Backtrace(
        [](_Unwind_Context* context, void* data) {
          return static_cast<Unwinder*>(data)->visit(
              reinterpret_cast<void*>(::_Unwind_GetIP(context)));
        },
        &unwinder);
    return walked_;
  }
  /// What there is to know of a return address.
  struct Code {
    void* address = nullptr;  ///< null: it was generated while the program ran, and may be replaced
    FrameRule rule;
    Kind kind = Kind::library;
  };
  /// Calls `visit(return address, code)` for each frame, the innermost first, until it returns
  /// false. False: a frame has no known rule, so the walk ended before.
  template <class Visit>
  [[nodiscard]] bool walk(const CallFrame& call, Visit&& visit) {
    StackFrame frame = call.inside;
    if (frame.return_address == nullptr || !frame.go_up(code_at(frame.return_address).rule) ||
        frame.return_address != call.return_address) {
      return false;
    }
    while (frame.return_address != nullptr) {
      const Code& code = code_at(frame.return_address);
      if (!visit(frame.return_address, code)) return true;
      if (code.rule.cfa == FrameRule::Cfa::outermost) return true;
      if (!frame.go_up(code.rule)) return false;
    }
    return true;
  }
  /// Forgets what was read of objects that the process has unloaded since: another one may be in
  /// their place. Call before a walk. True: it forgot.
  bool forget_unloaded() {
    const unsigned long long unloaded = LoadedObject::unloaded();
    if (unloaded == unloaded_) return false;
    unloaded_ = unloaded;
    codes_.clear();
    known_ = 0;
    known_walks_.clear();
    return true;
  }

 private:
  static constexpr int most_frames = 64;

  /// Sorts the frames of a call.
  class Visitor {
   public:
    explicit Visitor(Walked& walked) : walked_(walked) {
      walked_.program.clear();
      walked_.framework.clear();
      walked_.reached_interpreter = false;
      walked_.number = 0;
    }
    /// False: the frames beyond are of no interest.
    bool operator()(void* address, Kind kind) {
      switch (kind) {
        case Kind::interpreter:
          walked_.reached_interpreter = true;
          return false;
        case Kind::library:
          break;
        case Kind::start:
          // Behind it are only the first instructions of the program or the thread.
          if (!walked_.program.empty() || !walked_.framework.empty()) return false;
          break;
        case Kind::framework:
          if (walked_.framework.size() < most_places) walked_.framework.push_back(address);
          break;
        case Kind::program:
          walked_.program.push_back(address);
          if (walked_.program.size() == most_places) return false;
      }
      return ++visited_ < most_frames;
    }

   private:
    Walked& walked_;
    int visited_ = 0;
  };
  struct Unwinder {
    CallStack* stack;
    void* begin;
    Visitor visitor;
    bool is_inside = false;

    _Unwind_Reason_Code visit(void* address) {
      is_inside = is_inside || address == begin;
      // The address is null at the end of the stack.
      if (!is_inside || address == nullptr) return _URC_NO_REASON;
      return visitor(address, stack->code_at(address).kind) ? _URC_NO_REASON : _URC_END_OF_STACK;
    }
  };

  /// A table with a power of two entries, of which at most half are in use: a call looks up some
  /// thirty addresses. The result lives until the next call.
  const Code& code_at(void* address) {
    if (2 * known_ >= codes_.size()) grow();
    Code& code = entry_of(address);
    if (code.address != nullptr) return code;
    const LoadedObject object = LoadedObject::at(static_cast<const char*>(address) - 1);
    if (object.file == nullptr) {
      static const Code generated;
      return generated;
    }
    code.address = address;
    code.kind = kind(object.file);
    code.rule = FrameRule::of(address, object.frame_index);
    ++known_;
    return code;
  }
  Code& entry_of(void* address) {
    // The golden ratio spreads addresses that lie close together.
    std::size_t at = (reinterpret_cast<std::uintptr_t>(address) * 0x9e3779b97f4a7c15U) >> 32U;
    while (true) {
      Code& code = codes_[at++ & (codes_.size() - 1)];
      if (code.address == nullptr || code.address == address) return code;
    }
  }
  void grow() {
    constexpr std::size_t fewest = 1024;
    constexpr std::size_t most = 65536;
    const std::vector<Code> before = std::move(codes_);
    // A program with that many begins again.
    const bool is_full = before.empty() || before.size() == most;
    codes_.assign(is_full ? fewest : 2 * before.size(), {});
    known_ = 0;
    if (is_full) return;
    for (const Code& code : before) {
      if (code.address == nullptr) continue;
      entry_of(code.address) = code;
      ++known_;
    }
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

  KnownWalks<Walked> known_walks_;
  Walked walked_;
  std::vector<KnownWalks<Walked>::Step> steps_;
  std::vector<Code> codes_;
  std::size_t known_ = 0;
  unsigned long long unloaded_ = 0;
};

}  // namespace warpsafe::ranks
