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
  /// are added to `added`, a caller before the place that it called.
  [[nodiscard]] std::uint32_t number_of(void* return_address, std::vector<CallPlace>& added) {
    Walk walk{this, return_address, {}, {}, false, 0};
    ::_Unwind_Backtrace(
        [](_Unwind_Context* context, void* data) {
          return static_cast<Walk*>(data)->visit(reinterpret_cast<void*>(::_Unwind_GetIP(context)));
        },
        &walk);
    std::vector<void*>& frames = walk.program.empty() ? walk.framework : walk.program;
    // The stack cannot be read, for example in code that was generated while the program ran.
    if (frames.empty()) frames.push_back(return_address);
    std::uint32_t number = 0;
    for (std::size_t i = frames.size(); i-- > 0;) number = known(frames[i], number, added);
    return number;
  }

 private:
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
    bool is_inside;
    int visited;

    _Unwind_Reason_Code visit(void* address) {
      is_inside = is_inside || address == begin;
      if (++visited > most_frames) return _URC_END_OF_STACK;
      if (!is_inside) return _URC_NO_REASON;
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
    for (const char* name : {"libnccl", "librccl", "libmpi", "libopen-", "libstdc++.so",
                             "libc++.so", "libc.so", "libpthread.so", "libgcc_s.so", "ld-linux"}) {
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
};

}  // namespace warpsafe::ranks
