// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <dlfcn.h>
#include <execinfo.h>

#include <string_view>

namespace warpsafe::watch {

/// The library of NVIDIA's with a stream in its handle that the calling thread is in, "" for none:
/// the shared object of a caller tells. One that is linked into the program statically is not seen.
[[nodiscard]] inline const char* calling_library() noexcept {
  static constexpr const char* libraries[] = {"libcublasLt", "libcublas",   "libcudnn",
                                              "libcufft",    "libcusolver", "libcusparse"};
  void* frames[48];
  const int count = ::backtrace(frames, 48);
  const char* found = "";
  for (int i = 0; i < count; ++i) {
    Dl_info info{};
    if (::dladdr(frames[i], &info) == 0 || info.dli_fname == nullptr) continue;
    std::string_view file = info.dli_fname;
    file.remove_prefix(file.find_last_of('/') + 1);
    for (const char* const one : libraries) {
      // The outermost: whose handle the program has.
      if (file.substr(0, std::string_view(one).size()) == one) {
        found = one;
        break;
      }
    }
  }
  return found;
}

}  // namespace warpsafe::watch
