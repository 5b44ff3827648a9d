// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../place/host_stack.hpp"
#include "../stream/stream_place.hpp"
#include <warpsafe/core/name.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace warpsafe::watch {

/// Returns a stream's handle as texts show it.
[[nodiscard]] inline std::string text_of(const void* handle) {
  char text[32];
  std::snprintf(text, sizeof text, "%p", handle);
  return text;
}

/// One piece of work submitted to a stream, with its data for texts.
struct StreamWork {
  Name what{};               ///< name of a kernel or a call; lives as long as the process
  bool is_kernel = false;    ///< a kernel or a graph of kernels
  std::size_t bytes = 0;     ///< size of a copy or a fill
  const char* library = "";  ///< library that launched the kernel; empty: none known
  StreamPlace at{};
  /// Equal for launches of one kernel with the same dimensions and parameters; 0: unknown, or the
  /// kernel may read from memory where to write.
  std::uint64_t same = 0;
  std::uintptr_t written = 0;  ///< where the launch must write, if `same` is known
  /// The allocation that a copy or a fill writes completely; 0: none.
  std::uintptr_t covers = 0;
  /// Addresses that a kernel receives, of which it may use any part or none.
  std::vector<std::uintptr_t> assumed{};
  /// Where the program submitted it; nullptr: not kept.
  std::shared_ptr<const HostStack> stack{};
  /// The place in the program of the allocation that the thread made before this work; "": unknown.
  const char* after = "";

  /// "kernel 'axpy' on stream 0x55d0c8", "cuMemcpyHtoDAsync of 4096 bytes on the legacy default
  /// stream".
  [[nodiscard]] std::string text() const {
    std::string all(what.data, what.size);
    if (is_kernel) {
      all = '\'' + all + '\'';
      if (*library != '\0') all += " of " + std::string(library);
    } else {
      all += " of " + std::to_string(bytes) + " bytes";
    }
    if (at.order == StreamOrder::legacy) return all + " on the legacy default stream";
    return all + " on stream " + text_of(at.handle);
  }
};

}  // namespace warpsafe::watch
