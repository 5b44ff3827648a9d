// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../kernel/kernel_name.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace warpsafe::watch {

/// The files of a vendor's libraries, as they begin: "libcublas". One that begins like another
/// stands before it.
using LibraryNames = std::span<const char* const>;

namespace detail {

/// A path without its folder.
[[nodiscard]] inline std::string_view file_of(const char* path) noexcept {
  std::string_view file = path == nullptr ? "" : path;
  file.remove_prefix(file.find_last_of('/') + 1);
  return file;
}
/// Which of them that file is, or "".
[[nodiscard]] inline const char* library_of(const char* path, LibraryNames names) noexcept {
  const std::string_view file = file_of(path);
  for (const char* const one : names) {
    if (file.substr(0, std::string_view(one).size()) == one) return one;
  }
  return "";
}

/// Calls `see(info)` for each function that the calling thread is in, innermost first, until one
/// returns false.
template <class See>
void each_caller(const See& see) {
  void* frames[48];
  const int count = ::backtrace(frames, 48);
  for (int i = 0; i < count; ++i) {
    Dl_info info{};
    // What was called last in a function returns behind it.
    if (::dladdr(static_cast<const char*>(frames[i]) - 1, &info) != 0 && !see(info)) return;
  }
}

}  // namespace detail

/// The library of those that the calling thread is in, "" for none: the shared object of a caller
/// tells. One that is linked into the program statically is not seen.
[[nodiscard]] inline const char* calling_library(LibraryNames names) noexcept {
  const char* found = "";
  detail::each_caller([&](const Dl_info& info) noexcept {
    // The outermost: whose handle the program has.
    const char* const library = detail::library_of(info.dli_fname, names);
    if (*library != '\0') found = library;
    return true;
  });
  return found;
}

/// The functions that the calling thread is in, innermost first: "magma_memset,
/// magma_sgetrf_batched of libtorch_cuda_linalg.so". Of the object that called the runtime alone,
/// as far as it shows their names, and "" where it shows none, as a program's own file does.
/// `runtimes` are passed over, and so is what this is compiled into.
[[nodiscard]] inline std::string calling_functions(LibraryNames runtimes) {
  constexpr int most = 3;
  static const char here = 0;
  Dl_info own{};
  static_cast<void>(::dladdr(&here, &own));
  const void* object = nullptr;
  std::string_view file;
  std::string all;
  int named = 0;
  detail::each_caller([&](const Dl_info& info) {
    if (info.dli_fbase == own.dli_fbase || *detail::library_of(info.dli_fname, runtimes) != '\0') {
      return true;
    }
    if (object != nullptr && object != info.dli_fbase) return false;
    object = info.dli_fbase;
    file = detail::file_of(info.dli_fname);
    if (info.dli_sname == nullptr) return true;
    if (named++ != 0) all += ", ";
    all += kernel_name(info.dli_sname);
    return named < most;
  });
  return named == 0 ? all : all + " of " + std::string(file);
}

/// What is asked about the thread that makes a call.
struct Caller {
  const char* (*library)() noexcept;  ///< calling_library, of the vendor's
  std::string (*functions)();         ///< calling_functions
};

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
