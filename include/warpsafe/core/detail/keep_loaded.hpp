// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>

#include <dlfcn.h>

// Shared objects that must stay in memory until the program ends.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Makes dlclose keep the shared object of `address`, an object in static storage, because the
/// program finds it through a list or a pointer until its end. g++'s objects stay anyway, by their
/// unique symbols. Does nothing for the program itself.
inline void keep_loaded(const void* address) noexcept {
  Dl_info info;
  // A program that the shell found has no slash, and a shared object has one.
  if (::dladdr(address, &info) == 0 || __builtin_strchr(info.dli_fname, '/') == nullptr) return;
  void* const loaded = ::dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  if (loaded != nullptr) ::dlclose(loaded);
}
/// Of each module.
[[gnu::visibility("hidden")]] inline bool module_is_kept = false;
/// Keeps the module of the caller, for functions of its that the program finds through a pointer.
/// Call it without a lock, because it takes the loader's.
[[gnu::visibility("hidden")]] inline void keep_module() noexcept {
  if (__atomic_load_n(&module_is_kept, __ATOMIC_RELAXED)) return;
  keep_loaded(&module_is_kept);
  __atomic_store_n(&module_is_kept, true, __ATOMIC_RELAXED);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
