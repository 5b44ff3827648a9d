// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/name.hpp>

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

// An ELF file in memory, 64 bits, little-endian, as both vendors' device code is. It comes from
// outside the program, so no offset in it is believed.

namespace warpsafe::detail {

/// Bytes of an image.
struct ImageBytes {
  const unsigned char* data = nullptr;
  std::size_t size = 0;

  /// Whether `count` bytes from `offset` lie inside.
  [[nodiscard]] bool holds(std::uint64_t offset, std::uint64_t count) const noexcept {
    return offset <= size && count <= size - offset;
  }
  /// The T at that offset; T{} where it does not lie inside.
  template <class T>
  [[nodiscard]] T read(std::uint64_t offset) const noexcept {
    T value{};
    if (holds(offset, sizeof value)) std::memcpy(&value, data + offset, sizeof value);
    return value;
  }
  [[nodiscard]] ImageBytes part(std::uint64_t offset, std::uint64_t count) const noexcept {
    return holds(offset, count) ? ImageBytes{data + offset, static_cast<std::size_t>(count)}
                                : ImageBytes{};
  }
  [[nodiscard]] bool starts_with(Name text) const noexcept {
    return text.size <= size && std::memcmp(data, text.data, text.size) == 0;
  }
  /// The zero-terminated text at that offset; empty where it does not end inside.
  [[nodiscard]] Name text(std::uint64_t offset) const noexcept {
    if (offset >= size) return {};
    const auto* const begin = reinterpret_cast<const char*>(data + offset);
    const void* const end = std::memchr(begin, '\0', size - static_cast<std::size_t>(offset));
    if (end == nullptr) return {};
    return {begin, static_cast<std::size_t>(static_cast<const char*>(end) - begin)};
  }
};

inline constexpr std::uint16_t machine_cuda = 190;    // EM_CUDA, elf.h
inline constexpr std::uint16_t machine_amdgpu = 224;  // EM_AMDGPU, LLVM's BinaryFormat/ELF.h

/// The machine of an ELF image; 0 for anything else.
[[nodiscard]] inline std::uint16_t elf_machine(ImageBytes image) noexcept {
  const auto header = image.read<Elf64_Ehdr>(0);
  const bool elf =
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64;
  return elf ? header.e_machine : std::uint16_t{0};
}

/// `visit(name, symbol)` for each symbol of the image's dynamic table, which holds what can be
/// found by its name.
template <class Visit>
void visit_symbols(ImageBytes image, Visit visit) noexcept {
  const auto header = image.read<Elf64_Ehdr>(0);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const auto section =
        image.read<Elf64_Shdr>(header.e_shoff + std::uint64_t{i} * sizeof(Elf64_Shdr));
    if (section.sh_type != SHT_DYNSYM) continue;
    const auto texts_header = image.read<Elf64_Shdr>(
        header.e_shoff + std::uint64_t{section.sh_link} * sizeof(Elf64_Shdr));
    const ImageBytes texts = image.part(texts_header.sh_offset, texts_header.sh_size);
    const ImageBytes symbols = image.part(section.sh_offset, section.sh_size);
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size; at += sizeof(Elf64_Sym)) {
      const auto symbol = symbols.read<Elf64_Sym>(at);
      const Name name = texts.text(symbol.st_name);
      if (!name.empty()) visit(name, symbol);
    }
  }
}

}  // namespace warpsafe::detail
