// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/core/name.hpp>

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

// A 64-bit little-endian ELF file in memory, as both vendors' device code is. It comes from outside
// the program, so every offset in it is checked.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// The bytes of an image.
struct ImageBytes {
  const unsigned char* data = nullptr;
  std::size_t size = 0;

  /// Whether `count` bytes from `offset` lie inside the image.
  [[nodiscard]] bool holds(std::uint64_t offset, std::uint64_t count) const noexcept {
    return offset <= size && count <= size - offset;
  }
  /// The T at `offset`; T{} if it does not lie inside the image.
  template <class T>
  [[nodiscard]] T read(std::uint64_t offset) const noexcept {
    T value{};
    if (holds(offset, sizeof value)) std::memcpy(&value, data + offset, sizeof value);
    return value;
  }
  [[nodiscard]] ImageBytes part(std::uint64_t offset, std::uint64_t count) const noexcept {
    return holds(offset, count) ? ImageBytes{data + offset, count} : ImageBytes{};
  }
  [[nodiscard]] bool starts_with(Name text) const noexcept {
    return text.size <= size && std::memcmp(data, text.data, text.size) == 0;
  }
};

inline constexpr std::uint16_t machine_cuda = 190;    // EM_CUDA, elf.h
inline constexpr std::uint16_t machine_amdgpu = 224;  // EM_AMDGPU, LLVM's BinaryFormat/ELF.h

/// The machine of an ELF image; 0 if the image is not one.
[[nodiscard]] inline std::uint16_t elf_machine(ImageBytes image) noexcept {
  const auto header = image.read<Elf64_Ehdr>(0);
  const bool elf =
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64;
  return elf ? header.e_machine : std::uint16_t{0};
}

// The architectures of device code in memory: cubin, fatbin, PTX, code object or bundle. Used for
// error texts. The runtime does the loading.

enum class ImageKind : std::uint8_t { unknown, cubin, fatbin, ptx, code_object, bundle };

inline constexpr std::uint32_t fatbin_magic = 0xba55ed50;
inline constexpr Name bundle_magic = Name::of("__CLANG_OFFLOAD_BUNDLE__");

/// The position of `word` in the text, searched from `from`; the text's size if there is none.
[[nodiscard]] inline std::size_t find_word(ImageBytes text, Name word, std::size_t from) noexcept {
  for (std::size_t at = from; at + word.size <= text.size; ++at) {
    // Most bytes are no beginning, and need no call.
    if (text.data[at] != static_cast<unsigned char>(word.data[0])) continue;
    if (std::memcmp(text.data + at, word.data, word.size) == 0) return at;
  }
  return text.size;
}

[[nodiscard]] inline ImageKind kind_of(ImageBytes image) noexcept {
  const std::uint16_t machine = elf_machine(image);
  if (machine == machine_cuda) return ImageKind::cubin;
  if (machine == machine_amdgpu) return ImageKind::code_object;
  if (machine != 0) return ImageKind::unknown;
  if (image.read<std::uint32_t>(0) == fatbin_magic) return ImageKind::fatbin;
  if (image.starts_with(bundle_magic)) return ImageKind::bundle;
  // PTX ISA, "PTX Module Directives": only comments may precede .version at the start of a module.
  const ImageBytes head = image.part(0, image.size < 4096 ? image.size : 4096);
  return find_word(head, Name::of(".version"), 0) < head.size ? ImageKind::ptx : ImageKind::unknown;
}

/// The architecture of a cubin, for example 90 for sm_90. LLVM's BinaryFormat/ELF.h: EF_CUDA_SM is
/// the lowest byte of e_flags, and the second one from ABI version 8 (CUDA 13) on.
[[nodiscard]] inline unsigned cubin_architecture(ImageBytes cubin) noexcept {
  const auto header = cubin.read<Elf64_Ehdr>(0);
  const unsigned flags = header.e_flags;
  return header.e_ident[EI_ABIVERSION] >= 8 ? flags >> 8U & 0xffU : flags & 0xffU;
}

/// The processor of a code object. LLVM, "User Guide for AMDGPU Backend", table AMDGPU ELF Header
/// e_flags, EF_AMDGPU_MACH. Empty if the processor is not listed here.
[[nodiscard]] inline Name processor_name(ImageBytes code_object) noexcept {
  struct Row {
    unsigned mach;
    const char* name;
  };
  static constexpr Row rows[] = {{0x02c, "gfx900"},  {0x02f, "gfx906"},  {0x030, "gfx908"},
                                 {0x03f, "gfx90a"},  {0x040, "gfx940"},  {0x04b, "gfx941"},
                                 {0x04c, "gfx942"},  {0x04f, "gfx950"},  {0x033, "gfx1010"},
                                 {0x036, "gfx1030"}, {0x037, "gfx1031"}, {0x038, "gfx1032"},
                                 {0x041, "gfx1100"}, {0x046, "gfx1101"}, {0x047, "gfx1102"},
                                 {0x044, "gfx1103"}, {0x048, "gfx1200"}, {0x04e, "gfx1201"}};
  const unsigned mach = code_object.read<Elf64_Ehdr>(0).e_flags & 0xffU;
  for (const Row& row : rows) {
    if (row.mach == mach) return Name::of(row.name);
  }
  return {};
}

/// Calls `visit(is_ptx, architecture)` for each image in a fatbin. NVIDIA does not document the
/// layout. nvcc 13.0 writes a header of 16 bytes, then images, each of a header and padded data.
template <class Visit>
void visit_fatbin(ImageBytes fatbin, Visit visit) noexcept {
  std::uint64_t at = fatbin.read<std::uint16_t>(6);
  while (at != 0 && fatbin.holds(at, 64)) {
    const auto kind = fatbin.read<std::uint16_t>(at);
    const auto header_bytes = fatbin.read<std::uint32_t>(at + 4);
    const auto padded_bytes = fatbin.read<std::uint64_t>(at + 8);
    if (header_bytes < 64 || padded_bytes > fatbin.size) return;
    if (kind == 1 || kind == 2) visit(kind == 1, fatbin.read<std::uint32_t>(at + 28));
    at += header_bytes + padded_bytes;
  }
}

/// Calls `visit(target, code)` for each entry of a bundle. Clang documentation, "Clang Offload
/// Bundler", "Bundled Binary File Layout".
template <class Visit>
void visit_bundle(ImageBytes bundle, Visit visit) noexcept {
  const auto count = bundle.read<std::uint64_t>(bundle_magic.size);
  std::uint64_t at = bundle_magic.size + 8;
  for (std::uint64_t i = 0; i < count && bundle.holds(at, 24); ++i) {
    const auto offset = bundle.read<std::uint64_t>(at);
    const auto size = bundle.read<std::uint64_t>(at + 8);
    const auto letters = bundle.read<std::uint64_t>(at + 16);
    const ImageBytes target = bundle.part(at + 24, letters);
    if (target.size != letters) return;
    visit(Name{reinterpret_cast<const char*>(target.data), target.size}, bundle.part(offset, size));
    at += 24 + letters;
  }
}

/// Writes the contents of the image: "sm_80, sm_90, PTX for compute_90". Returns false if it
/// recognises nothing.
inline bool put_contents(TextBuffer& out, ImageBytes image) noexcept {
  const std::size_t before = out.size();
  const auto next = [&] {
    if (out.size() != before) out << ", ";
  };
  switch (kind_of(image)) {
    case ImageKind::cubin:
      out << "sm_" << cubin_architecture(image);
      break;
    case ImageKind::fatbin:
      visit_fatbin(image, [&](bool is_ptx, unsigned architecture) {
        next();
        out << (is_ptx ? "PTX for compute_" : "sm_") << architecture;
      });
      break;
    case ImageKind::ptx: {
      const Name word = Name::of(".target");
      std::size_t at = find_word(image, word, 0) + word.size;
      while (at < image.size && image.data[at] <= ' ') ++at;
      std::size_t end = at;
      while (end < image.size && image.data[end] > ' ' && image.data[end] != ',') ++end;
      out << "PTX";
      if (at < end) {
        (out << " for ").one_line({reinterpret_cast<const char*>(image.data + at), end - at});
      }
      break;
    }
    case ImageKind::code_object: {
      const Name processor = processor_name(image);
      out << (processor.empty() ? Name::of("an unknown processor") : processor);
      break;
    }
    case ImageKind::bundle:
      visit_bundle(image, [&](Name target, ImageBytes code) {
        if (code.size == 0) return;  // the entry of the host
        // "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+": keep the text after the last two dashes.
        std::size_t begin = target.size;
        while (begin != 0 && target.data[begin - 1] != '-') --begin;
        next();
        out.one_line({target.data + begin, target.size - begin});
      });
      break;
    case ImageKind::unknown:
      break;
  }
  return out.size() != before;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
