// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../kernel/watched_kernel.hpp"
#include <warpsafe/backend/memory_access.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace warpsafe::watch {

/// The parameters of a launch, as passed to cuLaunchKernel and hipModuleLaunchKernel.
struct LaunchParameters {
  void** each = nullptr;   ///< address of each parameter; nullptr: none, or they are in `extra`
  void** extra = nullptr;  ///< CU_LAUNCH_PARAM_BUFFER_POINTER etc., HIP_LAUNCH_PARAM_…

  /// All parameters in one block, as in `extra`; `bytes` 0: no block.
  struct Block {
    const unsigned char* begin = nullptr;
    std::size_t bytes = 0;
  };
  [[nodiscard]] Block block() const noexcept {
    // Both vendors use these numbers; the number that ends the list differs.
    constexpr std::uintptr_t pointer = 1;
    constexpr std::uintptr_t size = 2;
    Block found;
    for (void** one = extra; one != nullptr; one += 2) {
      const auto key = reinterpret_cast<std::uintptr_t>(*one);
      if (key == pointer) {
        found.begin = static_cast<unsigned char*>(one[1]);
      } else if (key == size) {
        found.bytes = *static_cast<std::size_t*>(one[1]);
      } else {
        break;
      }
    }
    return found.begin == nullptr ? Block{} : found;
  }
  /// Returns the address of a parameter, or nullptr if it is unknown.
  [[nodiscard]] const unsigned char* at(const Kernel& kernel, std::size_t number) const noexcept {
    if (each != nullptr) return static_cast<const unsigned char*>(each[number]);
    const KernelParameter& wanted = kernel.parameters[number];
    const Block whole = block();
    return wanted.bytes > whole.bytes || wanted.offset > whole.bytes - wanted.bytes
               ? nullptr
               : whole.begin + wanted.offset;
  }
};

/// Appends the memory that a kernel is assumed to touch: the first byte behind each word that may
/// be a pointer. For a library's kernel these are the words of all parameters; for a program's
/// kernel, of the one parameter through which it must write.
inline void add_pointers(const Kernel& kernel, const LaunchParameters& values,
                         std::vector<debug::MemoryAccess>& accesses) {
  // Compilers place pointers at multiples of 8 from the beginning of the block.
  const auto words_of = [&](const unsigned char* from, std::size_t begin, std::size_t end,
                            debug::AccessKind kind) {
    for (std::size_t at = begin; from != nullptr && at + sizeof(std::uintptr_t) <= end; at += 8) {
      std::uintptr_t word = 0;
      std::memcpy(&word, from + at, sizeof word);
      if (word != 0) accesses.push_back({word, 1, kind});
    }
  };
  const auto parameter = [&](std::size_t number, debug::AccessKind kind) {
    const KernelParameter& one = kernel.parameters[number];
    if (one.bytes == 0) return;
    words_of(values.at(kernel, number), (8 - one.offset % 8) % 8, one.bytes, kind);
  };
  if (*kernel.library != '\0') {
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
      parameter(i, debug::AccessKind::read);
    }
    if (kernel.parameters.empty() && values.each == nullptr) {
      const LaunchParameters::Block whole = values.block();
      words_of(whole.begin, 0, whole.bytes, debug::AccessKind::read);
    }
  } else if (kernel.written < kernel.parameters.size()) {
    parameter(kernel.written, debug::AccessKind::write);
  }
}

}  // namespace warpsafe::watch
