// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Writes core dumps as CUDA's driver does (cudacoredump.h of cuda-gdb 13).
namespace core_dump {

/// Appends the bytes of numbers.
template <class... T>
void put(std::string& to, T... numbers) {
  const auto one = [&](auto number) {
    to.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  (one(numbers), ...);
}

struct Section {
  std::uint32_t type = SHT_PROGBITS;
  std::uint32_t link = 0;
  std::uint32_t info = 0;
  std::uint64_t entry_bytes = 0;
  std::string content{};
  std::string name{};
  std::uint64_t address = 0;
  std::uint64_t flags = 0;
};

/// An ELF file of CUDA. Section 0 is added; the last one holds the names.
inline std::string elf(std::uint16_t type, const std::vector<Section>& sections) {
  std::string file(sizeof(Elf64_Ehdr), '\0');
  std::vector<Elf64_Shdr> table(1);
  std::string names(1, '\0');
  for (const Section& one : sections) {
    Elf64_Shdr header{};
    header.sh_name = static_cast<std::uint32_t>(names.size());
    names += one.name + '\0';
    header.sh_type = one.type;
    header.sh_flags = one.flags;
    header.sh_addr = one.address;
    header.sh_offset = file.size();
    header.sh_size = one.content.size();
    header.sh_link = one.link;
    header.sh_info = one.info;
    header.sh_entsize = one.entry_bytes;
    file += one.content;
    table.push_back(header);
  }
  Elf64_Shdr last{};
  last.sh_type = SHT_STRTAB;
  last.sh_offset = file.size();
  last.sh_size = names.size();
  file += names;
  table.push_back(last);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_type = type;
  header.e_machine = 190;
  header.e_shoff = file.size();
  header.e_shnum = static_cast<std::uint16_t>(table.size());
  header.e_shstrndx = static_cast<std::uint16_t>(table.size() - 1);
  std::memcpy(file.data(), &header, sizeof header);
  for (const Elf64_Shdr& one : table) {
    file.append(reinterpret_cast<const char*>(&one), sizeof one);
  }
  return file;
}

/// A section .debug_line (DWARF 2): one unit for each function, whose lines follow its address in
/// steps of 0x100 bytes.
inline std::string lines(std::uint64_t address, const std::string& folder, const std::string& file,
                         std::initializer_list<int> numbers) {
  std::string program;
  put(program, std::uint8_t{0}, std::uint8_t{9}, std::uint8_t{2}, address);
  int line = 1;
  for (const int next : numbers) {
    // advance_line, in signed LEB128 of two bytes; copy; advance_pc by 0x100.
    const auto by = static_cast<unsigned>(next - line);
    put(program, std::uint8_t{3}, static_cast<std::uint8_t>((by & 0x7fU) | 0x80U),
        static_cast<std::uint8_t>((by >> 7U) & 0x7fU), std::uint8_t{1});
    put(program, std::uint8_t{2}, std::uint8_t{0x80}, std::uint8_t{0x02});
    line = next;
  }
  put(program, std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{1});
  std::string header;
  put(header, std::uint8_t{1}, std::uint8_t{1}, std::int8_t{-5}, std::uint8_t{14},
      std::uint8_t{10});
  for (const int operands : {0, 1, 1, 1, 1, 0, 0, 0, 1}) {
    put(header, static_cast<std::uint8_t>(operands));
  }
  header += folder + '\0' + '\0' + file + '\0' + '\1' + '\0' + '\0' + '\0';
  std::string unit;
  put(unit, std::uint16_t{2}, static_cast<std::uint32_t>(header.size()));
  unit += header + program;
  std::string section;
  put(section, static_cast<std::uint32_t>(unit.size()));
  return section + unit;
}

struct Lane {
  std::uint32_t number;
  std::uint32_t exception;
};

/// A dump of a device on which `kernel` runs with grid (16,1,1) and block (128,1,1), its code at
/// `code`. Warp 1 of block (2,0,0) has these lanes. `exception` is that of the multiprocessor.
struct Parts {
  std::string kernel = "_ZN4demo13out_of_boundsEPf";
  std::string other = "_ZN4demo4axpyEfPKfPfi";
  std::uint64_t code = 0x7f05837a0b00;
  std::vector<Lane> lanes{};
  std::uint64_t lane_pc = 0x7f05837a0c40;
  bool warp_has_error_pc = true;
  std::uint32_t exception = 0;
  std::uint64_t error_pc = 0x7f05837a0c30;
  bool old_format = false;  ///< multiprocessors without exceptions (before driver 555)
  bool has_lines = true;
  bool lanes_of_other = false;  ///< the warp is one of the other kernel by now
  bool is_function = false;     ///< the code is a function of its own, which the other kernel calls
  bool two_devices = false;     ///< another one has the same grids and addresses
};
inline std::string make(const Parts& of) {
  const std::uint64_t other_code = of.code - 0xb00;
  const auto make_image = [&](const std::string& kernel, const std::string& other_kernel) {
    Section code{.content = std::string(0x200, 'c'), .name = ".text." + kernel, .address = of.code};
    code.flags = SHF_ALLOC | SHF_EXECINSTR;
    Section other = code;
    other.name = ".text." + other_kernel;
    other.address = other_code;
    Section unloaded = code;
    unloaded.name = ".text.unloaded";
    unloaded.address = 0;
    const std::string debug = lines(0, "/src", "other.cu", {7}) +
                              lines(other_code, "/src", "other.cu", {9}) +
                              lines(of.code, "/src", "faults.cu", {300, 42});
    std::vector<Section> in_image = {unloaded, code, other};
    std::string symbols;
    for (std::uint16_t section = of.is_function ? 3 : 2; section < 4; ++section) {
      put(symbols, 0U, static_cast<std::uint8_t>(STT_FUNC), std::uint8_t{0x10}, section,
          std::uint64_t{0}, std::uint64_t{0x200});
    }
    in_image.push_back({.type = SHT_SYMTAB, .entry_bytes = sizeof(Elf64_Sym), .content = symbols});
    if (of.has_lines) in_image.push_back({.content = debug, .name = ".debug_line"});
    return elf(ET_EXEC, in_image);
  };
  std::string grids;
  for (const bool is_first : {true, false}) {
    put(grids, std::uint64_t{is_first ? 11U : 12U}, std::uint64_t{1}, std::uint64_t{2},
        is_first ? of.code : other_code, std::uint64_t{3}, std::uint64_t{0}, std::uint64_t{0x210});
    put(grids, 2U, 0U, 2U, 16U, is_first ? 16U : 4096U, 1U, 1U, is_first ? 128U : 256U, 1U, 1U, 0U,
        542U);
    grids.append(32, '\0');  // clusters
  }
  std::string multiprocessors;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const bool has_fault = i == 2 && of.exception != 0;
    put(multiprocessors, i, 0U);
    if (!of.old_format) {
      put(multiprocessors, has_fault ? of.exception : 0U, has_fault ? 1U : 0U,
          has_fault ? of.error_pc : 0U);
      multiprocessors.append(24, '\0');
    }
  }
  std::string blocks;
  for (std::uint32_t i = 1; i < 3; ++i)
    put(blocks, std::uint64_t{of.lanes_of_other ? 12U : 11U}, i, 0U, 0U, 0U);
  std::string warps;
  for (std::uint32_t i = 0; i < 2; ++i) {
    put(warps, of.error_pc, i, ~0U, ~0U, 0U, i == 1 && of.warp_has_error_pc ? 1U : 0U, 0U);
  }
  std::string threads;
  for (const Lane& one : of.lanes) {
    put(threads, of.lane_pc, std::uint64_t{0x140}, one.number, 32 + one.number, 0U, 0U,
        one.exception, 0U, 0U, 0U);
  }
  const auto rows = [](const std::string& table, std::size_t count) {
    return count == 0 ? std::uint64_t{0} : table.size() / count;
  };
  std::vector<Section> sections = {
      {.type = 0x80000009, .entry_bytes = 8, .content = std::string(16, '\0')},
      {.type = 0x8000000c, .link = 1, .entry_bytes = rows(grids, 2), .content = grids},
      {.type = 0x8000000b,
       .link = 1,
       .entry_bytes = rows(multiprocessors, 4),
       .content = multiprocessors},
      {.type = 0x8000000d, .link = 3, .info = 2, .entry_bytes = rows(blocks, 2), .content = blocks},
      {.type = 0x8000000e, .link = 4, .info = 1, .entry_bytes = rows(warps, 2), .content = warps},
      {.type = 0x8000000f,
       .link = 5,
       .info = 1,
       .entry_bytes = rows(threads, of.lanes.size()),
       .content = threads},
      {.type = 0x8000000a, .link = 1},
      {.type = 0x80000010, .link = 7}};
  if (of.two_devices) {
    std::string other_grids = grids.substr(grids.size() / 2) + grids.substr(0, grids.size() / 2);
    std::swap(other_grids[0], other_grids[grids.size() / 2]);
    sections.push_back({.type = 0x8000000a, .link = 1, .info = 1});
    sections.push_back({.type = 0x80000010, .link = 9});
    sections.push_back(
        {.type = 0x80000007, .link = 10, .content = make_image(of.other, of.kernel)});
    sections.push_back({.type = 0x8000000c,
                        .link = 1,
                        .info = 1,
                        .entry_bytes = rows(grids, 2),
                        .content = other_grids});
  }
  sections.push_back({.type = 0x80000007, .link = 8, .content = make_image(of.kernel, of.other)});
  return elf(ET_CORE, sections);
}

}  // namespace core_dump
