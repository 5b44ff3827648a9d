// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../../../common/loaded_object.hpp"
#include "host_stack.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <mutex>
#include <new>
#include <unordered_map>

namespace warpsafe::watch {

/// The loader's answers about the callers of this process. dladdr reads every symbol of an object,
/// which takes up to a millisecond in a library with many, and programs allocate from the same
/// places again and again. So each answer is kept until an object is unloaded. Thread-safe.
class KnownCode {
 public:
  /// Calls `see(info)` for each frame that the loader knows, innermost first, until it returns
  /// false.
  // Holds no lock while it asks the loader. A library's constructor that calls the runtime has the
  // loader's lock, and would wait for this one.
  template <class See>
  static void each(const HostStack& stack, const See& see) {
    KnownCode& known = instance();
    const unsigned long long unloaded = ranks::LoadedObject::counts().unloaded;
    for (std::size_t i = 0; i < stack.count; ++i) {
      if (stack.frames[i] == nullptr) continue;  // no address of code
      Dl_info info{};
      if (!known.find(stack.frames[i], unloaded, info)) {
        // A return address may lie behind the end of its function.
        if (::dladdr(static_cast<const char*>(stack.frames[i]) - 1, &info) == 0) continue;
        known.keep(stack.frames[i], unloaded, info);
      }
      if (info.dli_fname != nullptr && !see(info)) return;
    }
  }

 private:
  /// More than a program has; a program that generates code may have more.
  static constexpr std::size_t most = 65536;

  [[nodiscard]] static KnownCode& instance() noexcept {
    // Never destroyed: threads may ask while the program ends.
    alignas(KnownCode) static unsigned char memory[sizeof(KnownCode)];
    static KnownCode* const one = ::new (memory) KnownCode;
    return *one;
  }
  /// Whether the answer is kept since the last object was unloaded: another object may be where
  /// that one was.
  [[nodiscard]] bool find(void* frame, unsigned long long unloaded, Dl_info& info) noexcept {
    const std::lock_guard lock(mutex_);
    if (unloaded > unloaded_) {
      unloaded_ = unloaded;
      answers_.clear();
    }
    const auto found = answers_.find(frame);
    if (unloaded < unloaded_ || found == answers_.end()) return false;
    info = found->second;
    return true;
  }
  /// Keeps an answer that was asked for when so many objects had been unloaded.
  void keep(void* frame, unsigned long long unloaded, const Dl_info& info) noexcept {
    const std::lock_guard lock(mutex_);
    if (unloaded != unloaded_) return;
    if (answers_.size() >= most) answers_.clear();
    try {
      answers_.emplace(frame, info);
    } catch (...) {  // out of memory: asked again the next time
    }
  }

  std::mutex mutex_;
  std::unordered_map<void*, Dl_info> answers_;
  unsigned long long unloaded_ = 0;
};

}  // namespace warpsafe::watch
