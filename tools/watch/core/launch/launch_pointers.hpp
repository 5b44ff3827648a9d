// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../kernel/foreign_memory.hpp"
#include "../kernel/watched_kernel.hpp"
#include <warpsafe/backend/memory_access.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpsafe::watch {

/// The parameters of a launch, as passed to cuLaunchKernel and hipModuleLaunchKernel. They are read
/// by copy_pieces alone: what the watch knows about the kernel may belong to another one, which had
/// the same handle or the same name.
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
    constexpr int most_entries = 4;
    Block found;
    const void* entry[2];
    for (int i = 0; i < most_entries && extra != nullptr; ++i) {
      if (!read_foreign(entry[0], extra + 2 * i)) break;
      const auto key = reinterpret_cast<std::uintptr_t>(entry[0]);
      if ((key != pointer && key != size) || !read_foreign(entry[1], extra + 2 * i + 1)) break;
      if (key == pointer) {
        found.begin = static_cast<const unsigned char*>(entry[1]);
      } else if (!read_foreign(found.bytes, entry[1])) {
        return {};
      }
    }
    return found.begin == nullptr || found.bytes > most_parameter_bytes ? Block{} : found;
  }

 private:
  /// Larger than any vendor's limit.
  static constexpr std::size_t most_parameter_bytes = std::size_t{1} << 16;
};

/// Appends the memory that a kernel is assumed to touch: the first byte behind each word that may
/// be a pointer. For a library's kernel these are the words of all parameters; for a program's
/// kernel, of the one parameter through which it must write.
inline void add_pointers(const Kernel& kernel, const LaunchParameters& values,
                         std::vector<debug::MemoryAccess>& accesses) {
  const bool of_library = *kernel.library != '\0';
  const std::size_t count = kernel.parameters.size();
  const std::size_t begin = of_library ? 0 : kernel.written;
  const std::size_t end = of_library ? count : kernel.written < count ? kernel.written + 1 : 0;
  const bool whole_block = of_library && count == 0 && values.each == nullptr;
  if (begin >= end && !whole_block) return;

  std::vector<iovec> pieces;
  // Compilers place pointers at multiples of 8 from the beginning of the block.
  const auto add_words = [&](const void* from, std::size_t first, std::size_t bytes) {
    if (from == nullptr || first >= bytes) return;
    const std::size_t words = (bytes - first) / 8 * 8;
    const auto address = reinterpret_cast<std::uintptr_t>(from) + first;
    if (words != 0) pieces.push_back({reinterpret_cast<void*>(address), words});
  };
  std::vector<const void*> addresses;
  LaunchParameters::Block block;
  if (values.each != nullptr) {
    addresses.resize(end - begin);
    const iovec list{values.each + begin, addresses.size() * sizeof(void*)};
    addresses.resize(copy_pieces(addresses.data(), {&list, 1}) / sizeof(void*));
  } else {
    block = values.block();
  }
  for (std::size_t i = begin; i < end; ++i) {
    const KernelParameter& one = kernel.parameters[i];
    const void* from = nullptr;
    if (i - begin < addresses.size()) {
      from = addresses[i - begin];
    } else if (one.bytes <= block.bytes && one.offset <= block.bytes - one.bytes) {
      from = block.begin + one.offset;
    }
    add_words(from, (8 - one.offset % 8) % 8, one.bytes);
  }
  if (whole_block) add_words(block.begin, 0, block.bytes);

  std::size_t bytes = 0;
  for (const iovec& one : pieces) bytes += one.iov_len;
  std::vector<std::uintptr_t> words(bytes / 8);
  words.resize(copy_pieces(words.data(), pieces) / 8);
  const debug::AccessKind kind = of_library ? debug::AccessKind::read : debug::AccessKind::write;
  for (const std::uintptr_t word : words) {
    if (word != 0) accesses.push_back({word, 1, kind});
  }
}

}  // namespace warpsafe::watch
