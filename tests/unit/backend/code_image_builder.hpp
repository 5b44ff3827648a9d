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
#include <vector>

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

/// An ELF file: a header, sections, symbols and their names, in places that are not the usual ones.
struct ElfImage {
  Elf64_Ehdr header{};
  std::vector<Elf64_Shdr> sections;
  std::string texts = std::string(1, '\0');
  std::vector<Elf64_Sym> symbols;
  std::uint64_t texts_at = 80;

  explicit ElfImage(std::uint16_t machine) {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_machine = machine;
  }
  void add(const std::string& name, std::uint16_t section = 1) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(texts.size());
    symbol.st_shndx = section;
    symbols.push_back(symbol);
    texts += name + '\0';
  }
  /// `empty` sections, the table of symbols, `between` sections, and the table of texts.
  [[nodiscard]] std::string image(unsigned empty = 1, unsigned between = 0) {
    const std::uint64_t symbols_at = texts_at + texts.size() + 5;
    const std::uint64_t bytes = symbols.size() * sizeof(Elf64_Sym);
    sections.assign(empty + 1 + between + 1, Elf64_Shdr{});
    Elf64_Shdr& table = sections[empty];
    table.sh_type = SHT_DYNSYM;
    table.sh_offset = symbols_at;
    table.sh_size = bytes;
    table.sh_link = empty + 1 + between;
    sections.back().sh_type = SHT_STRTAB;
    sections.back().sh_offset = texts_at;
    sections.back().sh_size = texts.size();
    header.e_shoff = symbols_at + bytes + 3;
    header.e_shnum = static_cast<Elf64_Half>(sections.size());
    std::string out;
    put_field(out, 0, header);
    out.resize(texts_at, '\0');
    out += texts;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      put_field(out, symbols_at + i * sizeof(Elf64_Sym), symbols[i]);
    }
    for (std::size_t i = 0; i < sections.size(); ++i) {
      put_field(out, header.e_shoff + i * sizeof(Elf64_Shdr), sections[i]);
    }
    return out;
  }
};

}  // namespace warpsafe::code_image_test
