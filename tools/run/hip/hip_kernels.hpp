// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/forked_child.hpp"

#include <iterator>
#include <map>
#include <mutex>
#include <string>

namespace warpsafe::watch {

/// The kernels' names as the program registers them with the runtime, and the handles that belong
/// to modules. Thread-safe.
class HipKernels {
 public:
  /// Returns whether the stub was another kernel, of a library that the program has unloaded.
  bool of_program(const void* stub, const char* name) {
    if (ForkedChild::here()) return false;
    const std::lock_guard lock(mutex_);
    const auto [known, is_new] = names_.try_emplace(stub, What{name, nullptr});
    if (is_new || known->second.name == name) return false;
    known->second = {name, nullptr};
    return true;
  }
  void of_module(const void* function, const char* name, const void* module) {
    if (ForkedChild::here()) return;
    const std::lock_guard lock(mutex_);
    names_[function] = {name, module};
  }
  void forget_module(const void* module) {
    forget([module](const What& what) { return what.module == module; });
  }
  void forget_modules() {
    forget([](const What& what) { return what.module != nullptr; });
  }
  [[nodiscard]] std::string name(const void* handle) {
    const std::lock_guard lock(mutex_);
    const auto found = names_.find(handle);
    return found == names_.end() ? "" : found->second.name;
  }
  [[nodiscard]] bool is_of_module(const void* handle) {
    const std::lock_guard lock(mutex_);
    const auto found = names_.find(handle);
    return found != names_.end() && found->second.module != nullptr;
  }
  [[nodiscard]] static HipKernels& get() {
    // Never freed: programs launch until their last destructor.
    static auto* const kernels = new HipKernels;
    return *kernels;
  }

 private:
  struct What {
    std::string name;
    const void* module;  // null for a kernel of the program
  };
  template <class Is>
  void forget(const Is& is) {
    if (ForkedChild::here()) return;
    const std::lock_guard lock(mutex_);
    for (auto one = names_.begin(); one != names_.end();) {
      one = is(one->second) ? names_.erase(one) : std::next(one);
    }
  }
  std::mutex mutex_;
  std::map<const void*, What> names_;
};

}  // namespace warpsafe::watch
