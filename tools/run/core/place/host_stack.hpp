// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <execinfo.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace warpsafe::watch {

/// The return addresses on a thread's stack, innermost first.
struct HostStack {
  static constexpr std::size_t most = 48;
  void* frames[most];
  std::size_t count = 0;

  /// Reads the calling thread's stack. Call it on the program's own stack (not inside
  /// run_on_large_stack).
  [[nodiscard, gnu::noinline]] static HostStack here() noexcept {
    HostStack stack;
    const int found = ::backtrace(stack.frames, static_cast<int>(most));
    stack.count = found > 0 ? static_cast<std::size_t>(found) : 0;
    return stack;
  }
  [[nodiscard]] bool is_same(const HostStack& other) const noexcept {
    return std::equal(frames, frames + count, other.frames, other.frames + other.count);
  }
};

}  // namespace warpsafe::watch
