// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "foreign_memory.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

namespace warpsafe::watch {

/// Returns a copy of a text whose address comes from the program or from its runtime; "" if the
/// address cannot be read, or if no text is there. For a function that is not a kernel, CUPTI hands
/// over whatever lies where a kernel has the address of its name.
[[nodiscard]] inline std::string foreign_text(const char* text) {
  using detail::page;
  constexpr std::size_t longest = 16 * page;  // names of C++ templates have many thousand letters
  std::string copied;
  if (text == nullptr) return copied;
  char part[1024];
  while (copied.size() < longest) {
    const char* const from = text + copied.size();
    const std::size_t bytes = sizeof part - reinterpret_cast<std::uintptr_t>(from) % sizeof part;
    if (!copy_foreign(part, from, bytes)) return {};
    char* const end = std::find(part, part + bytes, '\0');
    if (!std::all_of(part, end,
                     [](unsigned char letter) { return letter >= 0x20 && letter != 0x7f; })) {
      return {};
    }
    copied.append(part, end);
    if (end != part + bytes) return copied;
  }
  return {};
}

/// Returns a name for an address that is no kernel: a function that its object exports, or the
/// object's file and the offset in it, which addr2line understands; "" if no object contains it.
[[nodiscard]] inline std::string place_name(const void* address) {
  Dl_info found{};
  if (address == nullptr || ::dladdr(address, &found) == 0) return {};
  if (found.dli_sname != nullptr && found.dli_saddr == address) return found.dli_sname;
  if (found.dli_fname == nullptr) return {};
  const char* const slash = std::strrchr(found.dli_fname, '/');
  char offset[32];
  std::snprintf(offset, sizeof offset, "+0x%zx",
                static_cast<std::size_t>(static_cast<const char*>(address) -
                                         static_cast<const char*>(found.dli_fbase)));
  return std::string(slash != nullptr ? slash + 1 : found.dli_fname) + offset;
}

}  // namespace warpsafe::watch
