// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../../common/loaded_object.hpp"

#include <execinfo.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>
#include <unordered_map>
#include <vector>

namespace warpsafe::ranks {

/// The return addresses on the calling thread's stack, from a call of the program on.
struct ReturnAddresses {
  static constexpr std::size_t most = 64;
  std::array<void*, most> list{};
  std::size_t count = 0;

  /// Reads the stack up to the call that returns to `call`. Empty: the stack cannot be read so far,
  /// for example below code that was generated while the program ran. The first call in a process
  /// loads libgcc_s; later ones take no lock and no memory with glibc 2.35 and later.
  [[nodiscard]] static ReturnAddresses of(const void* call) noexcept {
    constexpr std::size_t most_inside = 16;  // functions of the recorder
    void* frames[most_inside + most];
    void** const end = frames + ::backtrace(frames, static_cast<int>(std::size(frames)));
    void** const begin = std::find(frames, end, call);
    ReturnAddresses found;
    found.count = std::min(static_cast<std::size_t>(end - begin), most);
    std::copy_n(begin, found.count, found.list.begin());
    return found;
  }
  friend bool operator==(const ReturnAddresses&, const ReturnAddresses&) = default;
};

/// Sorts the frames that led to a call. A training step makes the same calls each time, so the
/// results are remembered.
class CallStack {
 public:
  static constexpr std::size_t most_places = 4;

  /// The return addresses that led to a call, the innermost first.
  struct Walked {
    std::vector<void*> program;
    /// Frames of libraries that pass calls on and whose functions have telling names.
    std::vector<void*> framework;
    bool reached_interpreter = false;
    std::uint32_t number = 0;  ///< the user of the class may set it; 0 in a new walk
  };

  /// The result lives until the next call.
  [[nodiscard]] Walked& of(const ReturnAddresses& stack) {
    // More than a program has; one that generates code may have more.
    constexpr std::size_t most_known = 4096;
    if (walks_.size() >= most_known) walks_.clear();
    const auto [known, is_new] = walks_.try_emplace(stack);
    if (is_new) known->second = sorted(stack);
    return known->second;
  }
  /// Forgets what was read of objects, if the process has loaded or unloaded one since: another one
  /// may be where they were. Call before `of`. True: it forgot.
  bool forget_changed() {
    const LoadedObject::Counts objects = LoadedObject::counts();
    if (objects == objects_) return false;
    objects_ = objects;
    kinds_.clear();
    walks_.clear();
    return true;
  }

 private:
  enum class Kind : std::uint8_t {
    program,
    framework,
    library,  ///< passes calls on
    start,    ///< the C library, which calls main and the functions of threads
    interpreter,
  };
  struct Hash {
    std::size_t operator()(const ReturnAddresses& stack) const noexcept {
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < stack.count; ++i) {
        // The golden ratio spreads addresses that lie close together.
        sum = (sum ^ reinterpret_cast<std::uintptr_t>(stack.list[i])) * 0x9e3779b97f4a7c15U;
        sum ^= sum >> 32U;
      }
      return sum;
    }
  };

  Walked sorted(const ReturnAddresses& stack) {
    Walked walked;
    for (std::size_t i = 0; i < stack.count; ++i) {
      void* const address = stack.list[i];
      switch (kind_of(address)) {
        case Kind::interpreter:
          walked.reached_interpreter = true;
          return walked;
        case Kind::library:
          break;
        case Kind::start:
          // Behind it are only the first instructions of the program or the thread.
          if (!walked.program.empty() || !walked.framework.empty()) return walked;
          break;
        case Kind::framework:
          if (walked.framework.size() < most_places) walked.framework.push_back(address);
          break;
        case Kind::program:
          walked.program.push_back(address);
          if (walked.program.size() == most_places) return walked;
      }
    }
    return walked;
  }
  Kind kind_of(const void* address) {
    const auto [known, is_new] = kinds_.try_emplace(address, Kind::library);
    if (is_new) {
      // A return address may be the first one behind its function. Generated code has no object.
      const char* const file = LoadedObject::at(static_cast<const char*>(address) - 1).file;
      if (file != nullptr) known->second = kind_of_object(file);
    }
    return known->second;
  }
  static Kind kind_of_object(const std::string& object) {
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

  std::unordered_map<ReturnAddresses, Walked, Hash> walks_;
  std::unordered_map<const void*, Kind> kinds_;
  LoadedObject::Counts objects_;
};

}  // namespace warpsafe::ranks
