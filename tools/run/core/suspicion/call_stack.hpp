// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../../../common/object_walk.hpp"
#include "../kernel/kernel_name.hpp"
#include "../place/host_stack.hpp"
#include "../place/known_code.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace warpsafe::watch {

/// Prefixes of the file names of a vendor's libraries: "libcublas". A longer prefix precedes a
/// prefix of it.
using LibraryNames = std::span<const char* const>;

namespace detail {

/// Returns the file name of a path.
[[nodiscard]] inline std::string_view file_of(const char* path) noexcept {
  std::string_view file = path == nullptr ? "" : path;
  file.remove_prefix(file.find_last_of('/') + 1);
  return file;
}
/// Returns the library to which the file belongs, or "".
[[nodiscard]] inline const char* library_of(const char* path, LibraryNames names) noexcept {
  const std::string_view file = file_of(path);
  for (const char* const one : names) {
    if (file.substr(0, std::string_view(one).size()) == one) return one;
  }
  return "";
}

}  // namespace detail

/// Returns the vendor library whose call the stack is, or "", judged by the callers' shared
/// objects. A statically linked library is not recognised.
[[nodiscard]] inline const char* calling_library(const HostStack& stack,
                                                 LibraryNames names) noexcept {
  const char* found = "";
  KnownCode::each(stack, [&](const Dl_info& info) noexcept {
    // The outermost library counts, because the program owns its handle.
    const char* const library = detail::library_of(info.dli_fname, names);
    if (*library != '\0') found = library;
    return true;
  });
  return found;
}

/// Returns the functions on the stack, innermost first: "magma_memset,
/// magma_sgetrf_batched of libtorch_cuda_linalg.so". Only functions of the shared object that
/// called the runtime are listed, if the object exposes their names. Returns "" if it does not, as
/// is usual for a program's own file. The libraries in `runtimes` and this library are skipped.
[[nodiscard]] inline std::string calling_functions(const HostStack& stack, LibraryNames runtimes) {
  constexpr int most = 3;
  static const char here = 0;
  Dl_info own{};
  static_cast<void>(::dladdr(&here, &own));
  const void* object = nullptr;
  std::string_view file;
  std::string all;
  int named = 0;
  KnownCode::each(stack, [&](const Dl_info& info) {
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
  return named == 0 ? all : all + " of " + single_line(file);
}

/// Queries about the stack of a call.
struct Caller {
  const char* (*library)(
      const HostStack& stack) noexcept;              ///< calling_library for the vendor's libraries
  std::string (*functions)(const HostStack& stack);  ///< calling_functions
  /// The library on that stack whose failed calls are not the program's, or "": the vendor's, and
  /// others that try what a device supports.
  const char* (*careful)(const HostStack& stack) noexcept = [](const HostStack&) noexcept {
    return "";
  };
  LibraryNames runtimes{};  ///< the libraries between a program and the device
};

/// Returns the innermost of these libraries on the stack, or "".
[[nodiscard]] inline const char* library_on(const HostStack& stack, LibraryNames names) noexcept {
  const char* found = "";
  KnownCode::each(stack, [&](const Dl_info& info) noexcept {
    found = detail::library_of(info.dli_fname, names);
    return *found == '\0';
  });
  return found;
}

/// Returns how many frames of a signal handler's stack belong to one of these libraries and what it
/// has called: the number of the first frame of its caller. 0: the signal has interrupted other
/// code. A signal that abort() sends counts as one that interrupts its caller.
[[nodiscard]] inline std::size_t frames_inside(const HostStack& stack,
                                               LibraryNames names) noexcept {
  static const char here = 0;
  Dl_info own{};
  static_cast<void>(::dladdr(&here, &own));
  bool inside = false;
  for (std::size_t i = 0; i < stack.count; ++i) {
    Dl_info info{};
    // A return address may lie behind the end of its function.
    if (::dladdr(static_cast<const char*>(stack.frames[i]) - 1, &info) == 0 ||
        info.dli_fname == nullptr) {
      continue;
    }
    const std::string_view file = detail::file_of(info.dli_fname);
    if (info.dli_fbase == own.dli_fbase || file.substr(0, 7) == "libc.so" ||
        file.substr(0, 10) == "linux-vdso") {
      continue;
    }
    if (*detail::library_of(info.dli_fname, names) == '\0') return inside ? i : 0;
    inside = true;
  }
  return inside ? stack.count : 0;
}

/// Returns whether an allocator that hands out parts of its allocations is on the stack, by the
/// names of the frameworks that have one, and by the names that such allocators have.
[[nodiscard]] inline bool is_for_pool(const HostStack& stack) noexcept {
  static constexpr const char* files[] = {
      "libc10",       "libtorch",   "libtensorflow", "xla_extension",
      "xla_cuda",     "pjrt_c_api", "libpaddle",     "libonnxruntime",
      "librmm",       "libmxnet",   "libcupy",       "libnvidia-dali",
      "libarrayfire", "libggml",    "libmagma",      "libxla_extension"};
  static constexpr const char* functions[] = {"Allocator", "allocator",       "MemoryPool",
                                              "mem_pool",  "memory_resource", "MemoryResource"};
  bool found = false;
  KnownCode::each(stack, [&](const Dl_info& info) noexcept {
    // cupy/cuda/memory.cpython-311-x86_64-linux-gnu.so
    found = *detail::library_of(info.dli_fname, files) != '\0' ||
            std::strstr(info.dli_fname, "/cupy/") != nullptr;
    for (const char* const part : functions) {
      found = found || (info.dli_sname != nullptr && std::strstr(info.dli_sname, part) != nullptr);
    }
    return !found;
  });
  return found;
}

/// Returns whether the process has loaded one of the libraries.
[[nodiscard]] inline bool has_library(LibraryNames names) noexcept {
  return ranks::ObjectWalks::walk(
             [](dl_phdr_info* info, std::size_t, void* of) {
               const auto& all = *static_cast<const LibraryNames*>(of);
               return *detail::library_of(info->dlpi_name, all) == '\0' ? 0 : 1;
             },
             &names) != 0;
}

}  // namespace warpsafe::watch
