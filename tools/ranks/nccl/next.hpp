// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "abi.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <map>
#include <mutex>
#include <utility>

namespace warpsafe::ranks::nccl {

/// The library's function behind the one of that name that `caller` called; null if there is none.
///
/// `caller` is a return address. Python loads a module and its libraries for that module alone:
/// RTLD_NEXT does not find them, but the scope of the calling object does.
inline void* find_next(const char* name, void* caller) noexcept {
  if (void* const found = ::dlsym(RTLD_NEXT, name)) return found;
  Dl_info own{};
  Dl_info calling{};
  // A return address may be the first one behind its function.
  if (::dladdr(reinterpret_cast<const void*>(&find_next), &own) == 0 ||
      ::dladdr(static_cast<char*>(caller) - 1, &calling) == 0) {
    return nullptr;
  }
  void* const object = ::dlopen(calling.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (object == nullptr) return nullptr;
  void* const found = ::dlsym(object, name);
  ::dlclose(object);
  Dl_info target{};
  const bool is_own =
      found != nullptr && ::dladdr(found, &target) != 0 && target.dli_fbase == own.dli_fbase;
  return is_own ? nullptr : found;
}

/// The same, in 0.1 microseconds from the second call of a place on. dladdr reads all symbols of
/// the calling object, which took 0.3 ms for PyTorch's.
inline void* known_next(const char* name, void* caller) {
  static auto* const mutex = new std::mutex;
  static auto* const known = new std::map<std::pair<const char*, void*>, void*>;
  const std::lock_guard lock(*mutex);
  void*& found = (*known)[{name, caller}];
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
