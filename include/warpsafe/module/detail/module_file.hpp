// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/elf_image.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// How an image gets into memory of its own, from memory or a file.

namespace warpsafe::detail {

/// Zeros behind an image: PTX has to end in one, and what reads the head of a shorter image than it
/// expects (bundle, ELF header) stays inside.
inline constexpr std::size_t image_padding = 64;

/// A copy that std::free frees, zeros behind it. nullptr without memory.
[[nodiscard]] inline void* copy_image(ImageBytes image) noexcept {
  void* const copy = std::calloc(1, image.size + image_padding);
  if (copy != nullptr && image.size != 0) std::memcpy(copy, image.data, image.size);
  return copy;
}

struct ModuleFile {
  void* image = nullptr;  ///< for std::free
  std::size_t bytes = 0;
  int error = 0;  ///< an errno; nothing was read then
};

[[nodiscard]] inline ModuleFile read_module_file(const char* path) noexcept {
  ModuleFile read;
  errno = 0;
  std::FILE* const file = std::fopen(path, "rb");
  if (file == nullptr) {
    read.error = errno != 0 ? errno : EIO;
    return read;
  }
  std::size_t room = 1U << 16U;
  read.image = std::malloc(room + image_padding);
  while (read.image != nullptr) {
    read.bytes += std::fread(static_cast<unsigned char*>(read.image) + read.bytes, 1,
                             room - read.bytes, file);
    if (read.bytes < room) break;
    room *= 2;
    void* const grown = std::realloc(read.image, room + image_padding);
    if (grown == nullptr) std::free(read.image);
    read.image = grown;
  }
  if (read.image == nullptr) read.error = ENOMEM;
  if (read.error == 0 && std::ferror(file) != 0) read.error = errno != 0 ? errno : EIO;
  std::fclose(file);
  if (read.error != 0) {
    std::free(read.image);
    return {nullptr, 0, read.error};
  }
  std::memset(static_cast<unsigned char*>(read.image) + read.bytes, 0, image_padding);
  return read;
}

}  // namespace warpsafe::detail
