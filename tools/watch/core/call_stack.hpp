// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>

#include <cstddef>
#include <span>
#include <string_view>

namespace warpsafe::watch {

/// The files of a vendor's libraries, as they begin: "libcublas". One that begins like another
/// stands before it.
using LibraryNames = std::span<const char* const>;

namespace detail {

/// Which of them that file is, or "".
[[nodiscard]] inline const char* library_of(const char* path, LibraryNames names) noexcept {
  if (path == nullptr) return "";
  std::string_view file = path;
  file.remove_prefix(file.find_last_of('/') + 1);
  for (const char* const one : names) {
    if (file.substr(0, std::string_view(one).size()) == one) return one;
  }
  return "";
}

}  // namespace detail

/// The library of those that the calling thread is in, "" for none: the shared object of a caller
/// tells. One that is linked into the program statically is not seen.
[[nodiscard]] inline const char* calling_library(LibraryNames names) noexcept {
  void* frames[48];
  const int count = ::backtrace(frames, 48);
  const char* found = "";
  for (int i = 0; i < count; ++i) {
    Dl_info info{};
    if (::dladdr(frames[i], &info) == 0) continue;
    // The outermost: whose handle the program has.
    const char* const library = detail::library_of(info.dli_fname, names);
    if (*library != '\0') found = library;
  }
  return found;
}

/// Whether the process has loaded one of them.
[[nodiscard]] inline bool has_library(LibraryNames names) noexcept {
  return ::dl_iterate_phdr(
             [](dl_phdr_info* info, std::size_t, void* of) {
               const auto& all = *static_cast<const LibraryNames*>(of);
               return *detail::library_of(info->dlpi_name, all) == '\0' ? 0 : 1;
             },
             &names) != 0;
}

}  // namespace warpsafe::watch
