// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpsafe::watch {

/// The slots through which a loaded object calls functions of others: the entries of its global
/// offset table. Valid while the object is loaded, as in a callback of dl_iterate_phdr.
class LoadedSlots {
 public:
  explicit LoadedSlots(const dl_phdr_info& object) noexcept : object_(object) { read(); }

  /// Whether an address is code of the object.
  [[nodiscard]] bool is_code(std::uintptr_t address) const noexcept {
    return is_in(address, 1, PF_X);
  }
  /// Where the object's table of sections for the loader lies; identifies the object.
  [[nodiscard]] std::uintptr_t dynamic() const noexcept { return dynamic_; }

  /// Calls `see(name, slot, is_lazy)` for each slot of a function or variable of another object.
  /// `is_lazy`: the loader may bind the slot at the first call.
  template <class See>
  void each(const See& see) const {
    each_of(first_, first_bytes_, see);
    each_of(lazy_, lazy_bytes_, see);
  }
  enum class Written : std::uint8_t { done, later, never };
  /// Writes a slot by one access, since other threads may call through it. The loader may be at
  /// work on the object, on another thread: what it makes read-only at the end is `later` until
  /// then.
  [[nodiscard]] Written write(std::uintptr_t* slot, std::uintptr_t value) const noexcept {
    const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(slot) / page * page;
    if (begin < relro_ || begin >= relro_end_) {
      __atomic_store_n(slot, value, __ATOMIC_RELEASE);
      return Written::done;
    }
    const int kept = errno;
    const Written written = write_protected(slot, value, begin);
    errno = kept;
    return written;
  }

 private:
  static constexpr std::uintptr_t page = 4096;

  [[nodiscard]] bool is_in(std::uintptr_t address, std::size_t bytes,
                           ElfW(Word) flags) const noexcept {
    for (int i = 0; i < object_.dlpi_phnum; ++i) {
      const ElfW(Phdr)& one = object_.dlpi_phdr[i];
      if (one.p_type != PT_LOAD || (one.p_flags & flags) != flags) continue;
      const std::uintptr_t at = address - (object_.dlpi_addr + one.p_vaddr);
      if (at < one.p_memsz && bytes <= one.p_memsz - at) return true;
    }
    return false;
  }
  void read() noexcept {
    for (int i = 0; i < object_.dlpi_phnum; ++i) {
      const ElfW(Phdr)& one = object_.dlpi_phdr[i];
      const std::uintptr_t at = object_.dlpi_addr + one.p_vaddr;
      if (one.p_type == PT_DYNAMIC) dynamic_ = at;
      if (one.p_type == PT_GNU_RELRO) {
        // The loader rounds as here (glibc, _dl_protect_relro).
        relro_ = at / page * page;
        relro_end_ = (at + one.p_memsz) / page * page;
      }
    }
    if (dynamic_ == 0 || !is_in(dynamic_, sizeof(ElfW(Dyn)), PF_R)) return;
    std::uintptr_t lazy = 0;
    std::uintptr_t first = 0;
    bool has_addends = true;
    std::size_t relative = 0;
    for (const auto* one = reinterpret_cast<const ElfW(Dyn)*>(dynamic_);
         is_in(reinterpret_cast<std::uintptr_t>(one), sizeof *one, PF_R) && one->d_tag != DT_NULL;
         ++one) {
      switch (one->d_tag) {
        case DT_JMPREL:
          lazy = absolute(one->d_un.d_ptr);
          break;
        case DT_PLTRELSZ:
          lazy_bytes_ = one->d_un.d_val;
          break;
        case DT_PLTREL:
          has_addends = one->d_un.d_val == DT_RELA;
          break;
        case DT_RELA:
          first = absolute(one->d_un.d_ptr);
          break;
        case DT_RELASZ:
          first_bytes_ = one->d_un.d_val;
          break;
        case DT_RELACOUNT:
          relative = one->d_un.d_val;
          break;
        case DT_SYMTAB:
          symbols_ = absolute(one->d_un.d_ptr);
          break;
        case DT_STRTAB:
          strings_ = absolute(one->d_un.d_ptr);
          break;
        case DT_STRSZ:
          strings_bytes_ = one->d_un.d_val;
          break;
        default:
          break;
      }
    }
    // Anything unusual: the object is left alone.
    const bool is_usual = has_addends && strings_ != 0 && symbols_ != 0 &&
                          is_in(strings_, strings_bytes_, PF_R) && strings_bytes_ != 0;
    const bool has_first = is_usual && first != 0 && is_in(first, first_bytes_, PF_R);
    const bool has_lazy = is_usual && lazy != 0 && is_in(lazy, lazy_bytes_, PF_R);
    first_ = reinterpret_cast<const ElfW(Rela)*>(has_first ? first : 0);
    lazy_ = reinterpret_cast<const ElfW(Rela)*>(has_lazy ? lazy : 0);
    first_bytes_ = has_first ? first_bytes_ : 0;
    lazy_bytes_ = has_lazy ? lazy_bytes_ : 0;
    // These have no symbols, and come first (ELF's DT_RELACOUNT).
    const std::size_t skipped = relative * sizeof(ElfW(Rela));
    if (has_first && skipped <= first_bytes_) {
      first_ += relative;
      first_bytes_ -= skipped;
    }
  }
  /// glibc has added the object's address already, except for the kernel's object.
  [[nodiscard]] std::uintptr_t absolute(std::uintptr_t address) const noexcept {
    return address < object_.dlpi_addr ? object_.dlpi_addr + address : address;
  }
  template <class See>
  void each_of(const ElfW(Rela) * all, std::size_t bytes, const See& see) const {
#ifdef __x86_64__
    for (std::size_t i = 0; i < bytes / sizeof *all; ++i) {
      const ElfW(Rela)& one = all[i];
      const auto type = ELF64_R_TYPE(one.r_info);
      if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
      const std::uintptr_t at = symbols_ + ELF64_R_SYM(one.r_info) * sizeof(ElfW(Sym));
      if (!is_in(at, sizeof(ElfW(Sym)), PF_R)) continue;
      const auto& symbol = *reinterpret_cast<const ElfW(Sym)*>(at);
      const std::uintptr_t slot = object_.dlpi_addr + one.r_offset;
      if (symbol.st_shndx != SHN_UNDEF || symbol.st_name >= strings_bytes_ || slot % 8 != 0 ||
          !is_in(slot, 8, PF_W)) {
        continue;
      }
      const auto* const begin = reinterpret_cast<const char*>(strings_) + symbol.st_name;
      const std::size_t most = strings_bytes_ - symbol.st_name;
      std::size_t size = 0;
      while (size < most && begin[size] != '\0') ++size;
      if (size == most) continue;
      see(std::string_view(begin, size), reinterpret_cast<std::uintptr_t*>(slot),
          type == R_X86_64_JUMP_SLOT);
    }
#else
    static_cast<void>(all);
    static_cast<void>(bytes);
    static_cast<void>(see);
#endif
  }
  [[nodiscard]] static Written write_protected(std::uintptr_t* slot, std::uintptr_t value,
                                               std::uintptr_t begin) noexcept {
    // The kernel writes only where the program may. The slot keeps its value.
    std::uintptr_t same = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    const iovec from{&same, sizeof same};
    const iovec to{slot, sizeof same};
    if (::process_vm_writev(::getpid(), &from, 1, &to, 1, 0) >= 0) return Written::later;
    if (errno != EFAULT) return Written::never;  // not permitted here
    auto* const memory = reinterpret_cast<void*>(begin);
    if (::mprotect(memory, page, PROT_READ | PROT_WRITE) != 0) return Written::never;
    __atomic_store_n(slot, value, __ATOMIC_RELEASE);
    static_cast<void>(::mprotect(memory, page, PROT_READ));
    return Written::done;
  }

  const dl_phdr_info& object_;
  std::uintptr_t dynamic_ = 0;
  std::uintptr_t relro_ = 0;
  std::uintptr_t relro_end_ = 0;
  const ElfW(Rela) * first_ = nullptr;
  const ElfW(Rela) * lazy_ = nullptr;
  std::size_t first_bytes_ = 0;
  std::size_t lazy_bytes_ = 0;
  std::uintptr_t symbols_ = 0;
  std::uintptr_t strings_ = 0;
  std::size_t strings_bytes_ = 0;
};

}  // namespace warpsafe::watch
