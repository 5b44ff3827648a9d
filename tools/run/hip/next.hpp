// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <dlfcn.h>
#include <hip/hip_runtime_api.h>

namespace warpsafe::watch {

/// Finds a function of the program's own libamdhip64: the next definition after this library's. If
/// the program has loaded libamdhip64 privately (a plugin, Python), finds it in the library by
/// name.
[[nodiscard]] inline void* find_next(const char* name) noexcept {
  if (void* const found = dlsym(RTLD_NEXT, name)) return found;
  for (const char* file :
       {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"}) {
    void* const library = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) continue;
    if (void* const found = dlsym(library, name)) return found;
  }
  return nullptr;
}

/// A function of the program's runtime, looked up at its first use. Without a lock, which a child
/// after a fork might find taken.
class NextFunction {
 public:
  explicit constexpr NextFunction(const char* name) noexcept : name_(name) {}
  /// Returns its address; nullptr: this release of the runtime lacks it.
  [[nodiscard]] void* get() noexcept {
    void* found = __atomic_load_n(&found_, __ATOMIC_RELAXED);
    if (found == nullptr) {
      found = find_next(name_);
      __atomic_store_n(&found_, found, __ATOMIC_RELAXED);
    }
    return found;
  }

 private:
  const char* name_;
  void* found_ = nullptr;
};

/// Calls the function with arguments of its parameters' types. Returns hipErrorNotSupported if this
/// release of the runtime lacks it. Does not use its declaration, because the headers have
/// templates beside some functions.
template <class... P>
hipError_t call_next(void* found, P... arguments) {
  if (found == nullptr) return hipErrorNotSupported;
  return reinterpret_cast<hipError_t (*)(P...)>(found)(arguments...);
}

}  // namespace warpsafe::watch

/// `WARPSAFE_WATCH_NEXT(hipFree, memory)` calls the program's own hipFree, looked up once. The
/// arguments have the types of the function's parameters.
#define WARPSAFE_WATCH_NEXT(function, ...)                                   \
  ([&] {                                                                     \
    static constinit warpsafe::watch::NextFunction warpsafe_next(#function); \
    return warpsafe::watch::call_next(warpsafe_next.get(), __VA_ARGS__);     \
  }())
