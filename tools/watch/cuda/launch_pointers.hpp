// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/watched_kernel.hpp"
#include <warpsafe/debug/memory_access.hpp>

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace warpsafe::watch {

/// The parameters of a launch as cuLaunchKernel takes them.
struct LaunchParameters {
  void** each = nullptr;   ///< where each lies; nullptr: they are in `extra`, or there are none
  void** extra = nullptr;  ///< CU_LAUNCH_PARAM_BUFFER_POINTER and its kin

  /// Where a parameter lies; nullptr: it is not known.
  [[nodiscard]] const unsigned char* at(const Kernel& kernel, std::size_t number) const noexcept {
    if (each != nullptr) return static_cast<const unsigned char*>(each[number]);
    const unsigned char* block = nullptr;
    std::size_t bytes = 0;
    for (void** one = extra; one != nullptr && *one != CU_LAUNCH_PARAM_END; one += 2) {
      if (*one == CU_LAUNCH_PARAM_BUFFER_POINTER) block = static_cast<unsigned char*>(one[1]);
      if (*one == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *static_cast<std::size_t*>(one[1]);
    }
    const KernelParameter& wanted = kernel.parameters[number];
    return block == nullptr || wanted.offset + wanted.bytes > bytes ? nullptr
                                                                    : block + wanted.offset;
  }
};

/// Appends what a kernel is taken to touch: the first byte behind each word that may be a pointer,
/// of all parameters of a library's kernel, and of the one that a program's kernel must write.
inline void add_pointers(const Kernel& kernel, const LaunchParameters& values,
                         std::vector<debug::MemoryAccess>& accesses) {
  const auto words_of = [&](std::size_t number, debug::AccessKind kind) {
    const unsigned char* const from = values.at(kernel, number);
    if (from == nullptr) return;
    // Words lie where a compiler puts pointers: at multiples of 8 from the begin of the block.
    const KernelParameter& parameter = kernel.parameters[number];
    const std::size_t skip = (8 - parameter.offset % 8) % 8;
    for (std::size_t at = skip; at + sizeof(std::uintptr_t) <= parameter.bytes; at += 8) {
      std::uintptr_t word = 0;
      std::memcpy(&word, from + at, sizeof word);
      if (word != 0) accesses.push_back({word, 1, kind});
    }
  };
  if (*kernel.library != '\0') {
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
      words_of(i, debug::AccessKind::read);
    }
  } else if (kernel.written < kernel.parameters.size()) {
    words_of(kernel.written, debug::AccessKind::write);
  }
}

}  // namespace warpsafe::watch
