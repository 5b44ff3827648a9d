// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "object_walk.hpp"

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

  /// The object whose code `address` is.
  [[nodiscard]] static LoadedObject at(const void* address) noexcept {
    std::pair<std::uintptr_t, LoadedObject> search{reinterpret_cast<std::uintptr_t>(address), {}};
    ObjectWalks::walk(
        [](dl_phdr_info* info, std::size_t, void* data) {
          auto& [wanted, found] = *static_cast<decltype(search)*>(data);
          return found.is_of(*info, wanted) ? 1 : 0;
        },
        &search);
    return search.second;
  }
  /// How many objects the process has loaded and unloaded. While `unloaded` is the same, an object
  /// is where it was.
  struct Counts {
    unsigned long long loaded = 0;
    unsigned long long unloaded = 0;
    friend bool operator==(const Counts&, const Counts&) = default;
  };
  [[nodiscard]] static Counts counts() noexcept {
    Counts counts;
    ObjectWalks::walk(
        [](dl_phdr_info* info, std::size_t, void* data) {
          *static_cast<Counts*>(data) = {info->dlpi_adds, info->dlpi_subs};
          return 1;
        },
        &counts);
    return counts;
  }

 private:
  /// Whether the address is code of this object, which it then describes.
  bool is_of(const dl_phdr_info& info, std::uintptr_t address) noexcept {
    for (int i = 0; i < info.dlpi_phnum; ++i) {
      const ElfW(Phdr)& segment = info.dlpi_phdr[i];
      const bool is_code = segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0;
      if (!is_code || address - (info.dlpi_addr + segment.p_vaddr) >= segment.p_memsz) continue;
      const bool is_program = info.dlpi_name == nullptr || *info.dlpi_name == '\0';
      file = is_program ? ::program_invocation_name : info.dlpi_name;
      return true;
    }
    return false;
  }
};

}  // namespace warpsafe::ranks
