// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/backend.hpp>
#include <warpsafe/backend/detail/code_image.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <type_traits>

// The image of a module: copied from memory, or read from a file.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// The bytes of a container or an array.
template <class B, class Image>
[[nodiscard]] ImageBytes image_bytes(const Image& image) noexcept {
  const auto* const data = std::data(image);
  using Element = std::remove_cvref_t<decltype(*data)>;
  constexpr bool fits = ModuleCalls<B>::template is_image_of<Element>;
  static_assert(
      fits,
      "warpsafe: load a module from bytes (char, unsigned char, std::byte), or on the host backend from host::NamedKernel");
  return {reinterpret_cast<const unsigned char*>(data), std::size(image) * sizeof(Element)};
}

/// Zeros behind an image. PTX must end in a zero, and code that reads the header of a bundle or an
/// ELF file stays in bounds even if the image is shorter than the header.
inline constexpr std::size_t image_padding = 64;

/// A copy with zeros behind it, for std::free. nullptr if there is no memory.
[[nodiscard]] inline void* copy_image(ImageBytes image) noexcept {
  void* const copy = std::calloc(1, image.size + image_padding);
  if (copy != nullptr && image.size != 0) std::memcpy(copy, image.data, image.size);
  return copy;
}

struct ModuleFile {
  void* image = nullptr;  ///< for std::free
  std::size_t bytes = 0;
  int error = 0;  ///< an errno; nothing was read if it is not 0
};

[[nodiscard]] inline ModuleFile read_module_file(const char* path) noexcept {
  ModuleFile read;
  std::FILE* const file = std::fopen(path, "rb");
  if (file == nullptr) {
    read.error = errno;
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
  if (read.image == nullptr) {
    read.error = ENOMEM;
  } else if (std::ferror(file) != 0) {
    read.error = errno;
  }
  std::fclose(file);
  if (read.error != 0) {
    std::free(read.image);
    return {nullptr, 0, read.error};
  }
  std::memset(static_cast<unsigned char*>(read.image) + read.bytes, 0, image_padding);
  return read;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
