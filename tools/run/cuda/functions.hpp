// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/kernel/foreign_text.hpp"
#include "../core/place/host_stack.hpp"
#include "../core/watcher.hpp"

#include <cuda.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace warpsafe::watch {

/// The functions that the program has looked up in modules, with their contexts, and the last call
/// that unloaded a module. They explain why the driver does not know a kernel's handle.
/// Thread-safe.
class Functions {
 public:
  explicit Functions(Watcher& watcher) : watcher_(watcher) {}

  /// Call when cuModuleGetFunction has returned `function`. May throw std::bad_alloc.
  void found(CUfunction function, const char* name, std::uint32_t context) {
    const std::lock_guard lock(mutex_);
    if (known_.size() >= most) known_.clear();
    known_[function] = {foreign_text(name), context, unloads_};
  }
  /// Call when a module, a library or a context is gone. May throw std::bad_alloc.
  void unloaded(Name call) {
    const HostStack stack = HostStack::here();
    const std::lock_guard lock(mutex_);
    ++unloads_;
    unloaded_by_ = call;
    unloaded_at_ = stack;
  }
  /// Returns the kernel that had this handle before a module was unloaded; nullptr: none.
  [[nodiscard]] Kernel* old_kernel(CUfunction function, std::int32_t device) noexcept {
    try {
      std::string name;
      {
        const std::lock_guard lock(mutex_);
        if (unloads_ == 0) return nullptr;
        const auto one = known_.find(function);
        if (one != known_.end() && one->second.unloads != unloads_) name = one->second.name;
      }
      if (Kernel* const old = watcher_.kernels().find_old(function, device)) return old;
      return name.empty() ? nullptr
                          : watcher_.lookup().kernel(nullptr, device, [&] { return name.c_str(); });
    } catch (...) {  // out of memory
      return nullptr;
    }
  }
  /// Returns a line about a handle that the driver does not know in context `context`, or "". May
  /// throw std::bad_alloc.
  [[nodiscard]] std::string hint(CUfunction function, std::int32_t device, std::uint32_t context) {
    const bool was_launched = watcher_.kernels().find_old(function, device) != nullptr;
    std::string text;
    HostStack at;
    {
      const std::lock_guard lock(mutex_);
      const auto one = known_.find(function);
      const bool is_old = one != known_.end() && one->second.unloads != unloads_;
      if (one != known_.end() && !is_old && one->second.context != context) {
        return "the kernel was looked up in another context: make that context current, or look "
               "the kernel up in this one";
      }
      if (!is_old && !was_launched) return {};
      text = "the kernel's module was unloaded before the launch, by " +
             std::string(unloaded_by_.data, unloaded_by_.size);
      at = unloaded_at_;
    }
    // Holds no lock while it asks the loader. A library's constructor that loads a module has the
    // loader's lock, and would wait for this one.
    const std::vector<SourcePlace> places = watcher_.places().find(at);
    if (!places.empty()) text += " in " + places.front().text();
    return text + "; keep the module until its last launch has ended";
  }

 private:
  static constexpr std::size_t most = std::size_t{1} << 16;
  struct One {
    std::string name;  ///< mangled; a name is demangled on a large stack
    std::uint32_t context;
    std::uint64_t unloads;  ///< unloads before it was found
  };
  Watcher& watcher_;
  std::mutex mutex_;
  std::map<CUfunction, One> known_;
  std::uint64_t unloads_ = 0;
  Name unloaded_by_{};
  HostStack unloaded_at_{};
};

}  // namespace warpsafe::watch
