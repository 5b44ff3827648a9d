// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <dlfcn.h>
#include <execinfo.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <unordered_map>

namespace warpsafe::ranks {

/// An instruction of the program. `warpsafe-ranks` translates object and offset into file and line,
/// if the object has debug information.
struct CallPlace {
  std::string object;
  std::uint64_t offset = 0;
  std::string function;  ///< mangled; the nearest exported name before the place
};

/// The places of calls. A place is the first frame outside of the libraries that pass calls on,
/// such as PyTorch's: their own code says little.
class CallPlaces {
 public:
  /// The number of the place, from 1. `is_new` is true for the first call from there, and `place`
  /// then describes it.
  [[nodiscard]] std::uint32_t number_of(void* return_address, CallPlace& place, bool& is_new) {
    void* chosen = return_address;
    if (kind_of(return_address) == Kind::library) {
      void* frames[48];
      const int count = ::backtrace(frames, 48);
      bool inside = false;
      for (int i = 0; i < count; ++i) {
        inside = inside || frames[i] == return_address;
        if (!inside) continue;
        const Kind kind = kind_of(frames[i]);
        // An interpreter's frames are the same for each line of a script. The library's last one is
        // better.
        if (kind == Kind::interpreter) break;
        chosen = frames[i];
        if (kind == Kind::program) break;
      }
    }
    const auto [known, added] =
        numbers_.try_emplace(chosen, static_cast<std::uint32_t>(numbers_.size() + 1));
    is_new = added;
    if (added) place = described(chosen);
    return known->second;
  }

 private:
  enum class Kind { program, library, interpreter };

  Kind kind_of(void* address) {
    const auto [known, added] = kinds_.try_emplace(address, Kind::program);
    if (added) known->second = kind(described(address).object);
    return known->second;
  }
  static Kind kind(const std::string& object) {
    const std::size_t slash = object.rfind('/');
    const std::string file = object.substr(slash == std::string::npos ? 0 : slash + 1);
    for (const char* name : {"python", "libpython"}) {
      if (file.rfind(name, 0) == 0) return Kind::interpreter;
    }
    for (const char* name : {"libnccl", "librccl", "libmpi", "libtorch", "libc10"}) {
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
  std::unordered_map<void*, std::uint32_t> numbers_;
};

}  // namespace warpsafe::ranks
