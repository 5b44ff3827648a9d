// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>

#include <cstddef>
#include <string_view>

namespace warpsafe::watch {

namespace detail {

/// The library of NVIDIA's with a stream in its handle whose file that is, or "".
[[nodiscard]] inline const char* library_of(const char* path) noexcept {
  if (path == nullptr) return "";
  std::string_view file = path;
  file.remove_prefix(file.find_last_of('/') + 1);
  for (const char* const one :
       {"libcublasLt", "libcublas", "libcudnn", "libcufft", "libcusolver", "libcusparse"}) {
    if (file.substr(0, std::string_view(one).size()) == one) return one;
  }
  return "";
}

}  // namespace detail

/// The library of NVIDIA's that the calling thread is in, "" for none: the shared object of a
/// caller tells. One that is linked into the program statically is not seen.
[[nodiscard]] inline const char* calling_library() noexcept {
  void* frames[48];
  const int count = ::backtrace(frames, 48);
  const char* found = "";
  for (int i = 0; i < count; ++i) {
    Dl_info info{};
    if (::dladdr(frames[i], &info) == 0) continue;
    // The outermost: whose handle the program has.
    const char* const library = detail::library_of(info.dli_fname);
    if (*library != '\0') found = library;
  }
  return found;
}

/// Whether the process has loaded one of them.
[[nodiscard]] inline bool has_library() noexcept {
  return ::dl_iterate_phdr(
             [](dl_phdr_info* info, std::size_t, void*) {
               return *detail::library_of(info->dlpi_name) == '\0' ? 0 : 1;
             },
             nullptr) != 0;
}

}  // namespace warpsafe::watch
