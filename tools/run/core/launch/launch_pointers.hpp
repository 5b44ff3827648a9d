// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../kernel/foreign_memory.hpp"
#include "../kernel/watched_kernel.hpp"
#include <warpsafe/backend/memory_access.hpp>
#include <warpsafe/core/launch_shape.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
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

/// A word of a launch's parameters that may be a pointer.
struct PassedWord {
  std::size_t parameter = no_parameter;  ///< its number, if the block's layout is known
  std::uintptr_t word = 0;
  bool begins = false;  ///< the parameter begins with it
};

/// Reads the words of the parameters from `begin` to `end`, or of the `whole_block`, if the
/// program passes all parameters in one. Words of 0 are left out.
[[nodiscard]] inline std::vector<PassedWord> passed_words(const Kernel& kernel,
                                                          const LaunchParameters& values,
                                                          std::size_t begin, std::size_t end,
                                                          bool whole_block) {
  std::vector<PassedWord> found;
  if (begin >= end && !whole_block) return found;
  std::vector<iovec> pieces;
  // Compilers place pointers at multiples of 8 from the beginning of the block.
  const auto add_words = [&](std::size_t number, const void* from, std::size_t first,
                             std::size_t bytes) {
    if (from == nullptr || first >= bytes) return;
    const std::size_t words = (bytes - first) / 8;
    const auto address = reinterpret_cast<std::uintptr_t>(from) + first;
    if (words == 0) return;
    pieces.push_back({reinterpret_cast<void*>(address), words * 8});
    found.insert(found.end(), words, PassedWord{number, 0, false});
    found[found.size() - words].begins = first == 0;
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
    add_words(i, from, (8 - one.offset % 8) % 8, one.bytes);
  }
  if (whole_block) add_words(no_parameter, block.begin, 0, block.bytes);

  std::vector<std::uintptr_t> words(found.size());
  found.resize(copy_pieces(words.data(), pieces) / 8);
  for (std::size_t i = 0; i < found.size(); ++i) found[i].word = words[i];
  std::erase_if(found, [](const PassedWord& one) { return one.word == 0; });
  return found;
}

/// Returns whether a library uses the program's memory only to write results: it generates random
/// numbers, and keeps its state in memory of its own.
[[nodiscard]] inline bool only_writes(std::string_view library) noexcept {
  return library == "libcurand" || library == "libhiprand" || library == "librocrand";
}

/// Appends the memory that a kernel is assumed to touch: the first byte behind each word that may
/// be a pointer. For a library's kernel these are the words of all parameters; for a program's
/// kernel, of the one parameter through which it must write.
inline void add_pointers(const Kernel& kernel, const LaunchParameters& values,
                         std::vector<MemoryAccess>& accesses) {
  const bool of_library = *kernel.library != '\0';
  const std::size_t count = kernel.parameters.size();
  const std::size_t begin = of_library ? 0 : kernel.written;
  const std::size_t end = of_library ? count : kernel.written < count ? kernel.written + 1 : 0;
  const bool whole_block = of_library && count == 0 && values.each == nullptr;
  const bool reads = of_library && !only_writes(kernel.library);
  const AccessKind kind = reads ? AccessKind::read : AccessKind::write;
  for (const PassedWord& one : passed_words(kernel, values, begin, end, whole_block)) {
    accesses.push_back({one.word, 1, kind});
  }
}

/// What a kernel may do through a pointer, judged by its signature.
enum class PointerUse : std::uint8_t {
  reads,      ///< the parameter is a pointer to const
  may_write,  ///< one of several pointers, or a word of a structure
  writes,     ///< the kernel has no other output
};
struct UsedPointer {
  std::uintptr_t address = 0;
  PointerUse use = PointerUse::may_write;
  /// The word was set by the program. Other words of structures may be what the stack held before,
  /// because constructors leave parts unset.
  bool is_certain = false;
};
/// Returns whether the program has set that word: it is a pointer, one of an array of pointers, or,
/// where the name shows no types, the beginning of a parameter.
[[nodiscard]] inline bool is_certain(const Kernel& kernel, const PassedWord& one) noexcept {
  if (one.parameter >= kernel.parameters.size()) return false;
  if (kernel.types.empty()) return one.begins;
  if (kernel.types.size() != kernel.parameters.size()) return false;
  const std::size_t bytes = kernel.parameters[one.parameter].bytes;
  const std::string& type = kernel.types[one.parameter];
  return is_plain_pointer(type) || (bytes != 0 && bytes == pointers_in_array(type) * sizeof(void*));
}

/// Returns all words of a launch's parameters that may be pointers.
[[nodiscard]] inline std::vector<UsedPointer> used_pointers(const Kernel& kernel,
                                                            const LaunchParameters& values) {
  const std::size_t count = kernel.parameters.size();
  const bool whole_block = count == 0 && values.each == nullptr;
  std::vector<UsedPointer> found;
  for (const PassedWord& one : passed_words(kernel, values, 0, count, whole_block)) {
    PointerUse use = PointerUse::may_write;
    if (one.parameter == kernel.written && one.parameter != no_parameter) {
      use = PointerUse::writes;
    } else if (one.parameter < kernel.types.size() &&
               is_const_pointer(kernel.types[one.parameter])) {
      use = PointerUse::reads;
    }
    found.push_back({one.word, use, is_certain(kernel, one)});
  }
  return found;
}

/// Returns a number that two launches of one kernel share if their dimensions and parameters are
/// the same; 0: the parameters are unknown.
[[nodiscard]] inline std::uint64_t number_of(const Kernel& kernel, const LaunchShape& shape,
                                             const LaunchParameters& values) {
  const std::size_t count = kernel.parameters.size();
  std::vector<const void*> addresses(values.each == nullptr ? 0 : count);
  if (addresses.empty() ||
      !copy_foreign(addresses.data(), values.each, addresses.size() * sizeof(void*))) {
    return 0;
  }
  std::vector<iovec> pieces;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (kernel.parameters[i].bytes == 0) return 0;
    pieces.push_back({const_cast<void*>(addresses[i]), kernel.parameters[i].bytes});
    bytes += kernel.parameters[i].bytes;
  }
  std::vector<unsigned char> all(bytes);
  if (copy_pieces(all.data(), pieces) != bytes) return 0;
  std::uint64_t number = 14695981039346656037U;  // FNV-1a
  const auto add = [&](std::uint64_t value) { number = (number ^ value) * 1099511628211U; };
  for (int axis = 0; axis < 3; ++axis) {
    add(shape.grid[axis]);
    add(shape.block[axis]);
  }
  add(shape.dynamic_shared);
  for (const unsigned char byte : all) add(byte);
  return number == 0 ? 1 : number;
}

/// Appends the memory that a program's kernel reads or must write by its signature. `pointers` are
/// its used_pointers.
inline void add_signature(const std::vector<UsedPointer>& pointers,
                          std::vector<MemoryAccess>& accesses) {
  for (const UsedPointer& one : pointers) {
    if (one.use == PointerUse::may_write) continue;
    const bool writes = one.use == PointerUse::writes;
    accesses.push_back({one.address, 1, writes ? AccessKind::write : AccessKind::read});
  }
}

}  // namespace warpsafe::watch
