// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <string>

namespace warpsafe::debug::detail {

/// Lines into an open file; the first failure counts.
class OutputFile {
 public:
  explicit OutputFile(std::FILE* file) noexcept : file_(file) {}
  /// `text` and a newline.
  void line(const std::string& text) noexcept {
    write(text.data(), text.size());
    write("\n", 1);
  }
  void write(const char* text, std::size_t size) noexcept {
    if (failed_ == 0 && std::fwrite(text, 1, size, file_) != size) failed_ = last_errno();
  }
  /// 0, or the errno of what failed.
  [[nodiscard]] int finish() noexcept {
    if (failed_ == 0 && std::fflush(file_) != 0) failed_ = last_errno();
    return failed_;
  }
  [[nodiscard]] static int last_errno() noexcept { return errno != 0 ? errno : EIO; }

 private:
  std::FILE* file_;
  int failed_ = 0;
};

/// `write(file)`, which returns 0 or an errno, with a file of that name, made or replaced.
template <class Write>
[[nodiscard]] int write_to(const char* path, const Write& write) {
  std::FILE* const file = std::fopen(path, "w");
  if (file == nullptr) return OutputFile::last_errno();
  const int written = write(file);
  const int closed = std::fclose(file) == 0 ? 0 : OutputFile::last_errno();
  return written != 0 ? written : closed;
}

}  // namespace warpsafe::debug::detail
