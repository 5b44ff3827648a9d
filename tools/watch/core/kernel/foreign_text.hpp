// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

namespace warpsafe::watch {

namespace detail {

/// A pipe through which memory is read. The kernel checks the address, and reports EFAULT where a
/// read by the program would fault.
class ProbePipe {
 public:
  ProbePipe() noexcept {
    if (::pipe2(ends_, O_CLOEXEC | O_NONBLOCK) != 0) ends_[0] = ends_[1] = -1;
  }
  ~ProbePipe() {
    if (ends_[0] < 0) return;
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  ProbePipe(const ProbePipe&) = delete;
  ProbePipe& operator=(const ProbePipe&) = delete;

  /// Copies `bytes` bytes, at most a page. Returns whether all of them could be read.
  [[nodiscard]] bool copy(char* to, const char* from, std::size_t bytes) noexcept {
    const auto asked = static_cast<ssize_t>(bytes);
    return ends_[0] >= 0 && ::write(ends_[1], from, bytes) == asked &&
           ::read(ends_[0], to, bytes) == asked;
  }

 private:
  int ends_[2] = {-1, -1};
};

}  // namespace detail

/// Returns a copy of a text whose address comes from the program or from its runtime; "" if the
/// address cannot be read, or if no text is there. For a function that is not a kernel, CUPTI hands
/// over whatever lies where a kernel has the address of its name.
[[nodiscard]] inline std::string foreign_text(const char* text) {
  constexpr std::size_t page = 4096;
  constexpr std::size_t longest = 16 * page;  // names of C++ templates have many thousand letters
  std::string copied;
  if (text == nullptr) return copied;
  detail::ProbePipe pipe;
  char part[page];
  while (copied.size() < longest) {
    const char* const from = text + copied.size();
    const std::size_t bytes = page - reinterpret_cast<std::uintptr_t>(from) % page;
    if (!pipe.copy(part, from, bytes)) return {};
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
