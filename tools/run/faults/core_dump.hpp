// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "fault_site.hpp"
#include "line_table.hpp"

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpsafe::watch {

/// Reads the core dump that CUDA's driver writes when a kernel faults: an ELF file with a table for
/// each level of the machine (cudacoredump.h of cuda-gdb 13). A later driver may add fields at the
/// end of an entry. Any byte may be wrong.
class CoreDump {
 public:
  explicit CoreDump(std::span<const unsigned char> bytes) : bytes_(bytes) {
    Elf64_Ehdr header;
    constexpr std::uint16_t machine_cuda = 190;
    if (!get(bytes, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != machine_cuda ||
        header.e_type != ET_CORE) {
      return;
    }
    Elf64_Shdr first;
    if (!get(bytes, header.e_shoff, first)) return;
    // Above 65,279 sections, their number is in the first one (ELF, "Section Header Table").
    const std::uint64_t count = header.e_shnum != 0 ? header.e_shnum : first.sh_size;
    if (count == 0 || count > (bytes.size() - header.e_shoff) / sizeof first) return;
    sections_.resize(count);
    std::memcpy(sections_.data(), bytes.data() + header.e_shoff, count * sizeof first);
  }
  /// Whether it is a core dump of CUDA, whole to the table of its sections.
  [[nodiscard]] bool is_readable() const noexcept { return !sections_.empty(); }

  /// The first fault that the dump shows. May throw std::bad_alloc.
  [[nodiscard]] FaultSite fault() const {
    FaultSite site;
    Place place;
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      if (sections_[i].sh_type == threads_table) read_threads(i, site, place);
    }
    if (site.threads == 0) read_multiprocessors(site, place);
    if (place.instruction != 0) find_code(place, site);
    if (site.kernel.empty()) list_running(site);
    return site;
  }

 private:
  using Bytes = std::span<const unsigned char>;
  // Types of sections.
  static constexpr std::uint32_t relocated_image = 0x80000007;
  static constexpr std::uint32_t devices_table = 0x80000009;
  static constexpr std::uint32_t multiprocessors_table = 0x8000000b;
  static constexpr std::uint32_t grids_table = 0x8000000c;
  static constexpr std::uint32_t blocks_table = 0x8000000d;
  static constexpr std::uint32_t warps_table = 0x8000000e;
  static constexpr std::uint32_t threads_table = 0x8000000f;
  struct Place {
    std::uint64_t device = 0, instruction = 0, pc_of_thread = 0;
  };
  // The beginnings of the tables' entries.
  struct Multiprocessor {
    std::uint32_t number, padding, exception, has_error_pc;
    std::uint64_t error_pc;
  };
  struct Grid {
    std::uint64_t number, context, function, entry, module, parent, parameters;
    std::uint32_t type, origin, status, registers, grid[3], block[3];
  };
  struct Block {
    std::uint64_t grid;
    std::uint32_t index[3];
  };
  struct Warp {
    std::uint64_t error_pc;
    std::uint32_t number, valid_lanes, active_lanes, is_broken, has_error_pc;
  };
  struct Thread {
    std::uint64_t pc, offset;
    std::uint32_t lane, index[3], exception;
  };

  template <class T>
  [[nodiscard]] static bool get(Bytes bytes, std::uint64_t offset, T& to) noexcept {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return false;
    std::memcpy(&to, bytes.data() + offset, sizeof(T));
    return true;
  }
  [[nodiscard]] static Bytes content(Bytes file, const Elf64_Shdr& section) noexcept {
    if (section.sh_offset > file.size() || section.sh_size > file.size() - section.sh_offset) {
      return {};
    }
    return file.subspan(section.sh_offset, section.sh_size);
  }
  /// Reads an entry of a table. False: there is none, or it is of an older format without its end.
  template <class Entry>
  [[nodiscard]] bool entry(std::size_t section, std::uint32_t type, std::uint64_t number,
                           Entry& to) const noexcept {
    if (section >= sections_.size() || sections_[section].sh_type != type) return false;
    const Elf64_Shdr& table = sections_[section];
    if (table.sh_entsize < sizeof(Entry) || number >= table.sh_size / table.sh_entsize) {
      return false;
    }
    return get(content(bytes_, table), number * table.sh_entsize, to);
  }
  /// The device of a table's entries. Each table names the entry of the one above that it belongs
  /// to, up to a device.
  [[nodiscard]] std::uint64_t device_of(std::size_t section) const noexcept {
    constexpr int levels = 8;  // and a link may lead back
    for (int i = 0; i < levels && section < sections_.size(); ++i) {
      const Elf64_Shdr& table = sections_[section];
      section = table.sh_link;
      const bool has_device =
          section < sections_.size() && sections_[section].sh_type == devices_table;
      if (has_device) return table.sh_info;
    }
    return ~std::uint64_t{0};
  }
  /// Calls `see(grid, its device)` for each grid that ran.
  template <class See>
  void each_grid(const See& see) const {
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      Grid grid;
      for (std::uint64_t n = 0; entry(i, grids_table, n, grid); ++n) see(grid, device_of(i));
    }
  }

  void read_threads(std::size_t section, FaultSite& site, Place& place) const {
    Thread thread;
    for (std::uint64_t n = 0; entry(section, threads_table, n, thread); ++n) {
      if (thread.exception == 0) continue;
      if (++site.threads != 1) continue;
      site.what = fault_name(thread.exception);
      place = {device_of(section), thread.pc, thread.pc};
      std::memcpy(site.thread, thread.index, sizeof site.thread);
      const Elf64_Shdr& of_warp = sections_[section];
      Warp warp;
      if (!entry(of_warp.sh_link, warps_table, of_warp.sh_info, warp)) continue;
      if (warp.has_error_pc != 0) place.instruction = warp.error_pc;
      const Elf64_Shdr& of_block = sections_[of_warp.sh_link];
      Block block;
      if (!entry(of_block.sh_link, blocks_table, of_block.sh_info, block)) continue;
      std::memcpy(site.block, block.index, sizeof site.block);
      each_grid([&](const Grid& grid, std::uint64_t device) {
        if (grid.number != block.grid || device != place.device) return;
        site.kernel = name_of_code(device, grid.entry);
        std::memcpy(site.grid_dims, grid.grid, sizeof site.grid_dims);
        std::memcpy(site.block_dims, grid.block, sizeof site.block_dims);
      });
    }
  }
  /// A warp may have ended before the fault arrived. Its multiprocessor then keeps the instruction.
  void read_multiprocessors(FaultSite& site, Place& place) const {
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      Multiprocessor one;
      for (std::uint64_t n = 0; entry(i, multiprocessors_table, n, one); ++n) {
        if (one.exception == 0 || !site.what.empty()) continue;
        site.what = fault_name(one.exception);
        if (one.has_error_pc != 0) place = {device_of(i), one.error_pc, 0};
      }
    }
  }
  /// Calls `see(file, its header, section, name)` for the code around an address.
  template <class See>
  void with_code(std::uint64_t device, std::uint64_t address, const See& see) const {
    for (std::size_t image = 0; image < sections_.size(); ++image) {
      if (sections_[image].sh_type != relocated_image || device_of(image) != device) continue;
      const Bytes file = content(bytes_, sections_[image]);
      Elf64_Ehdr header;
      if (!get(file, 0, header)) continue;
      Elf64_Shdr names;
      const std::uint64_t names_at = header.e_shoff + header.e_shstrndx * sizeof names;
      if (!get(file, names_at, names)) continue;
      for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
        Elf64_Shdr section;
        if (!get(file, header.e_shoff + i * sizeof section, section)) break;
        // Code that the driver has not loaded has the address 0.
        const bool is_code = (section.sh_flags & SHF_EXECINSTR) != 0 && section.sh_addr != 0;
        if (!is_code || address - section.sh_addr >= section.sh_size) continue;
        return see(file, header, section, section_name(content(file, names), section.sh_name));
      }
    }
  }
  [[nodiscard]] static std::string_view section_name(Bytes names, std::uint32_t at) noexcept {
    if (at >= names.size()) return {};
    const auto* const begin = reinterpret_cast<const char*>(names.data()) + at;
    return {begin, ::strnlen(begin, names.size() - at)};
  }
  /// The function is in the section ".text." with its name.
  [[nodiscard]] static std::string function_of(std::string_view section) {
    constexpr std::string_view prefix = ".text.";
    return std::string(section.starts_with(prefix) ? section.substr(prefix.size()) : "");
  }
  [[nodiscard]] std::string name_of_code(std::uint64_t device, std::uint64_t address) const {
    std::string name;
    with_code(device, address,
              [&](Bytes, const Elf64_Ehdr&, const Elf64_Shdr&, std::string_view section) {
                name = function_of(section);
              });
    return name;
  }
  void find_code(const Place& place, FaultSite& site) const {
    const std::uint64_t instruction = place.instruction;
    with_code(place.device, instruction,
              [&](Bytes file, const Elf64_Ehdr& header, const Elf64_Shdr& code,
                  std::string_view section) {
                site.function = function_of(section);
                const bool is_of_kernel = is_kernel(file, header, code);
                // The place of a warp that has ended may have another one by now, whose threads
                // then seem to have the fault (seen with driver 580). A warp that has the fault is
                // just behind it.
                if (place.pc_of_thread < instruction ||
                    place.pc_of_thread - code.sh_addr >= code.sh_size ||
                    (is_of_kernel && site.kernel != site.function)) {
                  site.kernel.clear();
                  site.threads = 0;
                  std::memset(site.grid_dims, 0, sizeof site.grid_dims);
                }
                if (is_of_kernel) site.kernel = site.function;
                site.offset = instruction - code.sh_addr;
                Elf64_Shdr names;
                if (!get(file, header.e_shoff + header.e_shstrndx * sizeof names, names)) return;
                for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
                  Elf64_Shdr lines;
                  if (!get(file, header.e_shoff + i * sizeof lines, lines)) return;
                  if (section_name(content(file, names), lines.sh_name) != ".debug_line") continue;
                  SourceLine found = LineTable(content(file, lines)).find(instruction);
                  site.file = std::move(found.file);
                  site.line = found.line;
                }
              });
  }
  /// Whether code is a kernel's: a symbol says so. Other functions may have sections of their own.
  [[nodiscard]] static bool is_kernel(Bytes file, const Elf64_Ehdr& header,
                                      const Elf64_Shdr& code) noexcept {
    constexpr unsigned char entry = 0x10;  // in st_other, as in kernel_code.hpp
    for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
      Elf64_Shdr table;
      if (!get(file, header.e_shoff + i * sizeof table, table)) return false;
      if (table.sh_type != SHT_SYMTAB) continue;
      const Bytes symbols = content(file, table);
      Elf64_Sym one;
      for (std::uint64_t n = 0; get(symbols, n * sizeof one, one); ++n) {
        Elf64_Shdr its;
        if (ELF64_ST_TYPE(one.st_info) == STT_FUNC && (one.st_other & entry) != 0 &&
            get(file, header.e_shoff + one.st_shndx * sizeof its, its) &&
            its.sh_offset == code.sh_offset) {
          return true;
        }
      }
    }
    return false;
  }
  /// The kernel is one of those that ran. trap() leaves no exception in the dump.
  void list_running(FaultSite& site) const {
    each_grid([&](const Grid& grid, std::uint64_t device) {
      std::string name = name_of_code(device, grid.entry);
      if (!name.empty()) site.running.push_back(std::move(name));
    });
  }

  Bytes bytes_;
  std::vector<Elf64_Shdr> sections_;
};

}  // namespace warpsafe::watch
