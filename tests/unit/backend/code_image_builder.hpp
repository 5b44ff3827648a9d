// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/code_image.hpp>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>

// Device code made by hand, for the tests of its readers.

namespace warpsafe::code_image_test {

/// Bytes that lie right before a page that cannot be read: a reader that leaves them stops the
/// test.
class GuardedImage {
 public:
  explicit GuardedImage(const std::string& bytes)
      : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
        size_((bytes.size() / page_ + 2) * page_),
        pages_(mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
        image_{static_cast<unsigned char*>(pages_) + size_ - page_ - bytes.size(), bytes.size()} {
    std::memcpy(static_cast<unsigned char*>(pages_) + size_ - page_ - bytes.size(), bytes.data(),
                bytes.size());
    mprotect(static_cast<unsigned char*>(pages_) + size_ - page_, page_, PROT_NONE);
  }
  ~GuardedImage() { munmap(pages_, size_); }
  GuardedImage(const GuardedImage&) = delete;
  GuardedImage& operator=(const GuardedImage&) = delete;

  [[nodiscard]] detail::ImageBytes bytes() const { return image_; }
  /// The first `size` bytes; the rest stays readable.
  [[nodiscard]] detail::ImageBytes first(std::size_t size) const { return {image_.data, size}; }

 private:
  std::size_t page_;
  std::size_t size_;
  void* pages_;
  detail::ImageBytes image_;
};

template <class T>
void put_field(std::string& image, std::size_t at, T value) {
  if (image.size() < at + sizeof value) image.resize(at + sizeof value, '\0');
  std::memcpy(image.data() + at, &value, sizeof value);
}

/// An ELF file: a header, and no sections.
struct ElfImage {
  Elf64_Ehdr header{};

  explicit ElfImage(std::uint16_t machine) {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_machine = machine;
  }
  [[nodiscard]] std::string image() const {
    std::string out;
    put_field(out, 0, header);
    return out;
  }
};

}  // namespace warpsafe::code_image_test
