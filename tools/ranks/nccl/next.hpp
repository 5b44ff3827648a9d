// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "abi.hpp"
#include "by_name.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <map>
#include <utility>

namespace warpsafe::ranks::nccl {

/// The library's function behind the one of that name that `caller` called; null if there is none.
///
/// `caller` is a return address. Python loads a module and its libraries for that module alone:
/// RTLD_NEXT does not find them, but the scope of the calling object does. That scope comes first,
/// because a process may have two libraries of NCCL.
inline void* find_next(const char* name, void* caller) noexcept {
  const Lookup find = lookup();
  if (find == nullptr) return nullptr;
  Dl_info calling{};
  // A return address may be the first one behind its function.
  if (::dladdr(static_cast<char*>(caller) - 1, &calling) != 0) {
    if (void* const object = ::dlopen(calling.dli_fname, RTLD_LAZY | RTLD_NOLOAD)) {
      void* const found = find(object, name);
      ::dlclose(object);
      if (found != nullptr && !is_own(found)) return found;
    }
  }
  if (void* const found = LoadedByName::find(name)) return found;
  return find(RTLD_NEXT, name);
}

/// The same, looked up once by each thread for each place: dladdr reads all symbols of the calling
/// object, which took about 0.3 ms of each call in PyTorch. Without a lock, which a child after a
/// fork might find taken, and which a thread that loads a library could wait for.
inline void* known_next(const char* name, void* caller) {
  thread_local std::map<std::pair<const char*, void*>, void*> known;
  void*& found = known[{name, caller}];
  // The library may be loaded later.
  if (found == nullptr) found = find_next(name, caller);
  return found;
}

/// The library's function behind one of the functions here.
template <class F>
class Next;
template <class... Arguments>
class Next<Status(Arguments...)> {
 public:
  Next(const char* name, void* caller)
      : name_(name),
        function_(reinterpret_cast<Status (*)(Arguments...)>(known_next(name, caller))) {}

  /// False: the loaded release of the library has no function of that name.
  [[nodiscard]] explicit operator bool() const noexcept { return function_ != nullptr; }
  /// Fails with ncclInternalError if there is no function to call.
  Status operator()(Arguments... arguments) const {
    if (function_ != nullptr) return function_(arguments...);
    std::fprintf(stderr,
                 "warpsafe: %s was called, and no loaded library has it; run without --ranks\n",
                 name_);
    return internal_error;
  }

 private:
  const char* name_;
  Status (*function_)(Arguments...);
};

}  // namespace warpsafe::ranks::nccl
