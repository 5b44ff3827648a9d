// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../../../common/object_walk.hpp"
#include "last_words.hpp"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace warpsafe::watch {

/// Replaces `_exit` and `_Exit` for the objects that are loaded: no handler of exit() runs there.
/// It writes to the slots through which they call other objects (ELF, "Global Offset Table"). Calls
/// that the C library makes itself are not affected.
class ExitHook {
 public:
  /// `status_for(status)` returns the exit status in place of the program's. @pre LastWords::begin
  static void begin(int (*status_for)(int status) noexcept) noexcept {
    status_for_ = status_for;
    ranks::ObjectWalks::walk(&visit, nullptr);
  }

 private:
#if defined(__x86_64__)
  static constexpr std::uint32_t jump_slot = R_X86_64_JUMP_SLOT;
  static constexpr std::uint32_t data_slot = R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
  static constexpr std::uint32_t jump_slot = R_AARCH64_JUMP_SLOT;
  static constexpr std::uint32_t data_slot = R_AARCH64_GLOB_DAT;
#else
  static constexpr std::uint32_t jump_slot = ~0U;
  static constexpr std::uint32_t data_slot = ~0U;
#endif

  [[noreturn]] static void exiting(int status) {
    if (LastWords::is_here()) {
      LastWords::speak(0, nullptr);
      status = status_for_(status);
    }
    ::_exit(status);
  }
  /// What an object's dynamic section says about its slots.
  struct Tables {
    const Elf64_Sym* symbols = nullptr;
    const char* names = nullptr;
    const Elf64_Rela* calls = nullptr;
    std::size_t calls_bytes = 0;
    const Elf64_Rela* data = nullptr;
    std::size_t data_bytes = 0;
  };
  static int visit(dl_phdr_info* info, std::size_t, void*) noexcept {
    static const char here = 0;
    const Elf64_Dyn* dynamic = nullptr;
    std::uintptr_t sealed = 0;
    std::uintptr_t sealed_end = 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const Elf64_Phdr& one = info->dlpi_phdr[i];
      const std::uintptr_t begin = info->dlpi_addr + one.p_vaddr;
      if (one.p_type == PT_DYNAMIC) dynamic = reinterpret_cast<const Elf64_Dyn*>(begin);
      if (one.p_type == PT_GNU_RELRO) {
        sealed = begin;
        sealed_end = begin + one.p_memsz;
      }
      const auto own = reinterpret_cast<std::uintptr_t>(&here);
      if (one.p_type == PT_LOAD && own >= begin && own - begin < one.p_memsz) return 0;
    }
    // The C library and its parts call their own functions.
    if (dynamic == nullptr || std::strstr(info->dlpi_name, "/libc.so") != nullptr ||
        std::strstr(info->dlpi_name, "/ld-linux") != nullptr ||
        std::strstr(info->dlpi_name, "linux-vdso") != nullptr) {
      return 0;
    }
    Tables found;
    for (; dynamic->d_tag != DT_NULL; ++dynamic) {
      // glibc has added the object's address to the pointers.
      const std::uintptr_t value = dynamic->d_un.d_ptr;
      switch (dynamic->d_tag) {
        case DT_SYMTAB:
          found.symbols = reinterpret_cast<const Elf64_Sym*>(value);
          break;
        case DT_STRTAB:
          found.names = reinterpret_cast<const char*>(value);
          break;
        case DT_JMPREL:
          found.calls = reinterpret_cast<const Elf64_Rela*>(value);
          break;
        case DT_PLTRELSZ:
          found.calls_bytes = value;
          break;
        case DT_RELA:
          found.data = reinterpret_cast<const Elf64_Rela*>(value);
          break;
        case DT_RELASZ:
          found.data_bytes = value;
          break;
        default:
          break;
      }
    }
    if (found.symbols == nullptr || found.names == nullptr) return 0;
    const auto in_object = [&](const void* table) {
      return reinterpret_cast<std::uintptr_t>(table) >= info->dlpi_addr;
    };
    if (!in_object(found.symbols) || !in_object(found.names)) return 0;
    const auto each = [&](const Elf64_Rela* table, std::size_t bytes) {
      if (table == nullptr || !in_object(table)) return;
      for (std::size_t i = 0; i < bytes / sizeof(Elf64_Rela); ++i) {
        const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(table[i].r_info));
        if (type != jump_slot && type != data_slot) continue;
        const char* const name = found.names + found.symbols[ELF64_R_SYM(table[i].r_info)].st_name;
        if (std::strcmp(name, "_exit") != 0 && std::strcmp(name, "_Exit") != 0) continue;
        replace(info->dlpi_addr + table[i].r_offset, sealed, sealed_end);
      }
    };
    each(found.calls, found.calls_bytes);
    each(found.data, found.data_bytes);
    return 0;
  }
  /// Memory from `sealed` on is read-only after the loader has finished.
  static void replace(std::uintptr_t slot, std::uintptr_t sealed,
                      std::uintptr_t sealed_end) noexcept {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    auto* const at = reinterpret_cast<void*>(slot / page * page);
    const bool is_sealed = slot >= sealed && slot < sealed_end;
    if (is_sealed && ::mprotect(at, page, PROT_READ | PROT_WRITE) != 0) return;
    __atomic_store_n(reinterpret_cast<std::uintptr_t*>(slot),
                     reinterpret_cast<std::uintptr_t>(&exiting), __ATOMIC_RELEASE);
    if (is_sealed) static_cast<void>(::mprotect(at, page, PROT_READ));
  }

  static inline int (*status_for_)(int status) noexcept = nullptr;
};

}  // namespace warpsafe::watch
