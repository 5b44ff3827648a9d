// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <link.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace warpsafe::ranks {

/// A program or library in the memory of this process. Nothing here takes the lock that the loader
/// holds while it runs constructors.
struct LoadedObject {
  /// As dladdr names it; valid while the object is loaded. Null: there is no object.
  const char* file = nullptr;
  /// .eh_frame_hdr, which leads to the rules of the object's frames; null: the object has none.
  const unsigned char* frame_index = nullptr;

  /// The object whose code `address` is.
  [[nodiscard]] static LoadedObject at(const void* address) noexcept {
    std::pair<std::uintptr_t, LoadedObject> search{reinterpret_cast<std::uintptr_t>(address), {}};
    ::dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
          auto& [wanted, found] = *static_cast<decltype(search)*>(data);
          return found.is_of(*info, wanted) ? 1 : 0;
        },
        &search);
    return search.second;
  }
  /// How many objects the process has unloaded. While the number is the same, an object is where it
  /// was.
  [[nodiscard]] static unsigned long long unloaded() noexcept {
    unsigned long long count = 0;
    ::dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
          *static_cast<unsigned long long*>(data) = info->dlpi_subs;
          return 1;
        },
        &count);
    return count;
  }

 private:
  /// Whether the address is code of this object, which it then describes.
  bool is_of(const dl_phdr_info& info, std::uintptr_t address) noexcept {
    const unsigned char* index = nullptr;
    bool is_inside = false;
    for (int i = 0; i < info.dlpi_phnum; ++i) {
      const ElfW(Phdr)& segment = info.dlpi_phdr[i];
      const std::uintptr_t begin = info.dlpi_addr + segment.p_vaddr;
      if (segment.p_type == PT_GNU_EH_FRAME) {
        index = reinterpret_cast<const unsigned char*>(begin);
      } else if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0) {
        is_inside = is_inside || address - begin < segment.p_memsz;
      }
    }
    if (!is_inside) return false;
    const bool is_program = info.dlpi_name == nullptr || *info.dlpi_name == '\0';
    file = is_program ? ::program_invocation_name : info.dlpi_name;
    frame_index = index;
    return true;
  }
};

}  // namespace warpsafe::ranks
