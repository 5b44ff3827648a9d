// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpsafe::watch {

/// What a kernel's machine code shows of programmatic dependent launch and of shared memory. A set
/// of bits in one byte, so that threads can read it while another one writes it.
struct KernelCode {
  static constexpr std::uint8_t is_known = 1;        ///< the next three were read
  static constexpr std::uint8_t waits = 2;           ///< it has a wait for the kernel before
  static constexpr std::uint8_t triggers = 4;        ///< it lets the next kernel begin early
  static constexpr std::uint8_t triggers_first = 8;  ///< its first trigger precedes its first wait
  static constexpr std::uint8_t uses_shared = 16;    ///< it accesses shared memory
  std::uint8_t bits = 0;

  [[nodiscard]] bool has(std::uint8_t bit) const noexcept { return (bits & bit) != 0; }
  [[nodiscard]] bool operator==(const KernelCode&) const = default;
};

namespace detail {

/// A cubin of CUDA: an ELF file whose format NVIDIA does not document. The test compares this
/// reader with cuobjdump. Every offset may be wrong: the bytes come from the program.
class CubinReader {
 public:
  explicit CubinReader(std::span<const unsigned char> bytes) noexcept : bytes_(bytes) {
    constexpr std::uint16_t machine_cuda = 190;
    if (!get(0, header_) || std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0 ||
        header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_machine != machine_cuda) {
      header_.e_shnum = 0;
    }
  }
  /// Calls `see(name, code)` for each kernel. Only devices from sm_90 on have programmatic
  /// dependent launch. Instructions have 16 bytes from sm_70 on.
  template <class See>
  void each(const See& see) const {
    constexpr std::uint32_t first_architecture = 70;
    constexpr std::uint32_t first_dependent = 90;
    if (architecture() < first_architecture) return;
    std::vector<std::string_view> kernels(header_.e_shnum);
    each_section([&](const Elf64_Shdr& section) {
      if (section.sh_type == SHT_SYMTAB) name_kernels(section, kernels);
    });
    // A function in a section of its own may be called by any kernel of the file.
    bool function_waits = false;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      Elf64_Shdr section;
      if (kernels[i].empty() && get_section(i, section) && is_code(section)) {
        function_waits = function_waits || code_of(section).has(KernelCode::waits);
      }
    }
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      Elf64_Shdr section;
      if (kernels[i].empty() || !get_section(i, section) || !is_code(section)) continue;
      KernelCode code = code_of(section);
      if (!code.has(KernelCode::is_known)) continue;
      if (function_waits) code.bits |= KernelCode::waits;
      if (architecture() < first_dependent) code.bits &= KernelCode::uses_shared;
      see(kernels[i], code);
    }
  }

 private:
  /// The low bits of an instruction of sm_90 and later: its opcode. The next four are its
  /// predicate. griddepcontrol.wait and griddepcontrol.launch_dependents.
  static constexpr std::uint32_t opcode_mask = 0xfff;
  static constexpr std::uint32_t acqbulk = 0x82e;
  static constexpr std::uint32_t preexit = 0x82d;
  /// Whether an instruction is LDS, STS, ATOMS, ATOMS.CAS or LDGSTS in any of its forms, which the
  /// upper three bits tell apart, or LDSM.
  [[nodiscard]] static bool is_on_shared(std::uint32_t word) noexcept {
    constexpr std::uint32_t without_form = 0x1ff;
    switch (word & without_form) {
      case 0x184:
      case 0x188:
      case 0x18c:
      case 0x18d:
      case 0x1ae:
        return true;
      default:
        return (word & opcode_mask) == 0x83b;
    }
  }
  static constexpr std::size_t instruction_bytes = 16;
  /// In a symbol's st_other: the function is a kernel.
  static constexpr unsigned char entry = 0x10;

  template <class T>
  [[nodiscard]] bool get(std::uint64_t offset, T& to) const noexcept {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return false;
    std::memcpy(&to, bytes_.data() + offset, sizeof(T));
    return true;
  }
  [[nodiscard]] bool get_section(std::size_t number, Elf64_Shdr& to) const noexcept {
    return number < header_.e_shnum && header_.e_shoff <= bytes_.size() &&
           get(header_.e_shoff + number * sizeof(Elf64_Shdr), to);
  }
  template <class See>
  void each_section(const See& see) const {
    for (std::size_t i = 0; i < header_.e_shnum; ++i) {
      Elf64_Shdr section;
      if (get_section(i, section)) see(section);
    }
  }
  /// Returns the section's bytes; none if they are not in the file.
  [[nodiscard]] std::span<const unsigned char> content(const Elf64_Shdr& section) const noexcept {
    if (section.sh_offset > bytes_.size() || section.sh_size > bytes_.size() - section.sh_offset) {
      return {};
    }
    return bytes_.subspan(section.sh_offset, section.sh_size);
  }
  [[nodiscard]] static bool is_code(const Elf64_Shdr& section) noexcept {
    return section.sh_type == SHT_PROGBITS && (section.sh_flags & SHF_EXECINSTR) != 0;
  }
  /// From version 8 of CUDA's ABI on, the architecture is in the second byte of the flags.
  [[nodiscard]] std::uint32_t architecture() const noexcept {
    if (header_.e_shnum == 0) return 0;
    constexpr unsigned char second_byte_since = 8;
    const bool second = header_.e_ident[EI_ABIVERSION] >= second_byte_since;
    return (header_.e_flags >> (second ? 8U : 0U)) & 0xff;
  }
  /// Puts each kernel's name at the number of its section.
  void name_kernels(const Elf64_Shdr& symbols, std::vector<std::string_view>& kernels) const {
    Elf64_Shdr names;
    if (!get_section(symbols.sh_link, names)) return;
    const auto text = content(names);
    const auto table = content(symbols);
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= table.size(); at += sizeof(Elf64_Sym)) {
      Elf64_Sym one;
      std::memcpy(&one, table.data() + at, sizeof one);
      if (ELF64_ST_TYPE(one.st_info) != STT_FUNC || (one.st_other & entry) == 0) continue;
      if (one.st_shndx >= kernels.size() || one.st_name >= text.size()) continue;
      const auto* const begin = reinterpret_cast<const char*>(text.data()) + one.st_name;
      const std::size_t most = text.size() - one.st_name;
      const auto* const end = static_cast<const char*>(std::memchr(begin, '\0', most));
      if (end != nullptr) {
        kernels[one.st_shndx] = {begin, static_cast<std::size_t>(end - begin)};
      }
    }
  }
  [[nodiscard]] KernelCode code_of(const Elf64_Shdr& section) const noexcept {
    const auto text = content(section);
    if (text.size() < instruction_bytes) return {};
    KernelCode code{KernelCode::is_known};
    for (std::size_t at = 0; at + instruction_bytes <= text.size(); at += instruction_bytes) {
      std::uint32_t word = 0;
      std::memcpy(&word, text.data() + at, sizeof word);
      if (is_on_shared(word)) code.bits |= KernelCode::uses_shared;
      if ((word & opcode_mask) == acqbulk) code.bits |= KernelCode::waits;
      if ((word & opcode_mask) != preexit) continue;
      code.bits |= KernelCode::triggers;
      if (!code.has(KernelCode::waits)) code.bits |= KernelCode::triggers_first;
    }
    return code;
  }

  std::span<const unsigned char> bytes_;
  Elf64_Ehdr header_{};
};

}  // namespace detail

/// The machine code of the kernels that the program has loaded, by mangled name. Thread-safe.
class KernelCodes {
 public:
  /// Reads a cubin. Kernels of one name may differ: what only some of them do is taken in the
  /// program's favour. May throw std::bad_alloc.
  void loaded(std::span<const unsigned char> cubin) {
    detail::CubinReader(cubin).each([this](std::string_view name, KernelCode code) {
      const std::lock_guard lock(mutex_);
      const auto [at, is_new] = known_.emplace(name, code);
      if (is_new) return;
      constexpr std::uint8_t either = KernelCode::is_known | KernelCode::waits;
      std::uint8_t& bits = at->second.bits;
      bits = static_cast<std::uint8_t>(((bits | code.bits) & either) | (bits & code.bits));
    });
  }
  /// Returns what is known of the kernel; nothing if its code was not seen.
  [[nodiscard]] KernelCode find(std::string_view name) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(name);
    return found == known_.end() ? KernelCode{} : found->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, KernelCode, std::less<>> known_;
};

}  // namespace warpsafe::watch
