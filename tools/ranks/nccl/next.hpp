// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../record/print_line.hpp"
#include "abi.hpp"
#include "by_name.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <new>
#include <string>

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

/// The functions that were found, by name and caller. dladdr reads all symbols of the calling
/// object, which took about 0.3 ms of each call in PyTorch. Entries never change and have no
/// destructor: a thread may call while the process ends, and a child after a fork may call at any
/// time. No lock is taken, because a thread that loads a library could wait for it.
class KnownFunctions {
 public:
  [[nodiscard]] static void* find(const char* name, void* caller) noexcept {
    std::atomic<const Entry*>& first = list_of(caller);
    const Entry* const newest = first.load(std::memory_order_acquire);
    for (const Entry* one = newest; one != nullptr; one = one->next) {
      if (one->name == name && one->caller == caller) return one->function;
    }
    void* const found = find_next(name, caller);
    // The library may be loaded later.
    if (found == nullptr) return nullptr;
    keep_loaded(found);
    auto* const made = new (std::nothrow) Entry{name, caller, found, newest};
    while (made != nullptr && !first.compare_exchange_weak(made->next, made)) {
    }
    return found;
  }

 private:
  struct Entry {
    const char* name;
    void* caller;
    void* function;
    const Entry* next;
  };
  static std::atomic<const Entry*>& list_of(void* caller) noexcept {
    static constinit std::atomic<const Entry*> lists[256];
    return lists[reinterpret_cast<std::uintptr_t>(caller) * 0x9e3779b97f4a7c15U >> 56U];
  }
};

/// The library's function behind one of the functions here.
template <class F>
class Next;
template <class... Arguments>
class Next<Status(Arguments...)> {
 public:
  Next(const char* name, void* caller)
      : name_(name),
        function_(reinterpret_cast<Status (*)(Arguments...)>(KnownFunctions::find(name, caller))) {}

  /// False: the loaded release of the library has no function of that name.
  [[nodiscard]] explicit operator bool() const noexcept { return function_ != nullptr; }
  /// Fails with ncclInternalError if there is no function to call.
  Status operator()(Arguments... arguments) const {
    if (function_ != nullptr) return function_(arguments...);
    print_line(std::string("warpsafe: ") + name_ +
               " was called, and no loaded library has it; run without --ranks");
    return internal_error;
  }

 private:
  const char* name_;
  Status (*function_)(Arguments...);
};

}  // namespace warpsafe::ranks::nccl
