// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "host_stack.hpp"

#include <dlfcn.h>
#include <link.h>

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
  template <class See>
  static void each(const HostStack& stack, const See& see) {
    KnownCode& known = instance();
    const std::lock_guard lock(known.mutex_);
    known.forget_unloaded();
    for (std::size_t i = 0; i < stack.count; ++i) {
      const Dl_info info = known.at(stack.frames[i]);
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
  [[nodiscard]] Dl_info at(void* frame) noexcept {
    const auto found = answers_.find(frame);
    if (found != answers_.end()) return found->second;
    Dl_info info{};
    // A return address may lie behind the end of its function.
    if (::dladdr(static_cast<const char*>(frame) - 1, &info) == 0) return {};
    if (answers_.size() >= most) answers_.clear();
    try {
      answers_.emplace(frame, info);
    } catch (...) {  // out of memory: asked again the next time
    }
    return info;
  }
  /// Another object may be where an unloaded one was.
  void forget_unloaded() noexcept {
    unsigned long long unloaded = 0;
    ::dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
          *static_cast<unsigned long long*>(data) = info->dlpi_subs;
          return 1;
        },
        &unloaded);
    if (unloaded == unloaded_) return;
    unloaded_ = unloaded;
    answers_.clear();
  }

  std::mutex mutex_;
  std::unordered_map<void*, Dl_info> answers_;
  unsigned long long unloaded_ = 0;
};

}  // namespace warpsafe::watch
