// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "dwarf_bytes.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpsafe::watch {

/// A line of a program's source.
struct SourceLine {
  std::string file;        ///< empty: not known
  std::uint64_t line = 0;  ///< from 1
};

/// Finds the line of an instruction in the section .debug_line that nvcc writes with -lineinfo and
/// -G (DWARF 2 to 4, section "Line Number Information"). Any byte may be wrong.
class LineTable {
 public:
  explicit LineTable(std::span<const unsigned char> section) noexcept
      : units_(section.data(), section.size()) {}

  /// May throw std::bad_alloc.
  [[nodiscard]] SourceLine find(std::uint64_t address) {
    while (!units_.is_at_end()) {
      const auto size = units_.take<std::uint32_t>();
      constexpr std::uint32_t of_64_bits = 0xffffffff;
      const Bytes unit = units_.part(size);
      if (size == of_64_bits || size == 0 || units_.has_failed()) break;
      SourceLine found = find_in_unit(unit, address);
      if (found.line != 0) return found;
    }
    return {};
  }

 private:
  using Bytes = DwarfBytes;
  struct Row {
    std::uint64_t address = 0;
    std::uint64_t file = 1;
    std::uint64_t line = 1;
  };

  [[nodiscard]] SourceLine find_in_unit(Bytes unit, std::uint64_t address) {
    const auto version = unit.take<std::uint16_t>();
    if (version < 2 || version > 4) return {};
    const auto header = unit.take<std::uint32_t>();
    Bytes program = unit;
    program.skip(header);
    if (program.has_failed()) return {};
    step_ = unit.take<unsigned char>();
    if (version == 4) unit.take<unsigned char>();  // operations in an instruction: 1
    unit.take<unsigned char>();                    // whether rows begin statements
    line_base_ = unit.take<signed char>();
    line_range_ = unit.take<unsigned char>();
    opcode_base_ = unit.take<unsigned char>();
    if (line_range_ == 0 || opcode_base_ == 0) return {};
    for (unsigned i = 1; i < opcode_base_; ++i) unit.take<unsigned char>();
    std::vector<std::string_view> folders = {""};
    while (has_entry(unit)) folders.push_back(unit.text());
    unit.take<unsigned char>();
    files_.clear();
    while (has_entry(unit)) add_file(unit, folders);
    const Row row = run(program, address);
    if (row.line == 0 || row.file == 0 || row.file > files_.size()) return {};
    return {files_[row.file - 1], row.line};
  }
  /// An empty text ends a list.
  static bool has_entry(const Bytes& list) noexcept {
    return !list.is_at_end() && *list.position() != 0;
  }
  void add_file(Bytes& from, const std::vector<std::string_view>& folders) {
    const std::string_view name = from.text();
    const std::uint64_t folder = from.unsigned_leb();
    from.unsigned_leb();  // the time of its last change
    from.unsigned_leb();  // its size
    std::string path;
    if (!name.starts_with('/') && folder < folders.size() && !folders[folder].empty()) {
      path = std::string(folders[folder]) + '/';
    }
    files_.push_back(path.append(name));
  }

  /// Runs the unit's program. Returns the row whose instructions include `address`; line 0: none.
  [[nodiscard]] Row run(Bytes program, std::uint64_t address) {
    Row row;
    Row before;
    bool has_before = false;
    Row found;
    found.line = 0;
    const auto add_row = [&] {
      if (has_before && before.address <= address && address < row.address) found = before;
      before = row;
      has_before = true;
    };
    while (!program.is_at_end() && found.line == 0) {
      const auto opcode = program.take<unsigned char>();
      if (opcode >= opcode_base_) {
        const unsigned special = static_cast<unsigned>(opcode) - opcode_base_;
        row.address += std::uint64_t{special / line_range_} * step_;
        row.line +=
            static_cast<std::uint64_t>(line_base_ + static_cast<int>(special % line_range_));
        add_row();
        continue;
      }
      switch (opcode) {
        case 0: {  // an extended operation
          const std::uint64_t size = program.unsigned_leb();
          Bytes operation = program.part(size);
          if (size == 0 || program.has_failed()) return found;
          const auto extended = operation.take<unsigned char>();
          if (extended == 1) {  // the end of a sequence
            add_row();
            row = {};
            has_before = false;
          } else if (extended == 2) {  // an address
            row.address = operation.take<std::uint64_t>();
          } else if (extended == 3) {  // a further file
            add_file(operation, {""});
          }
          break;
        }
        case 1:  // copy
          add_row();
          break;
        case 2:  // advance_pc
          row.address += program.unsigned_leb() * step_;
          break;
        case 3:  // advance_line
          row.line += static_cast<std::uint64_t>(program.signed_leb());
          break;
        case 4:  // set_file
          row.file = program.unsigned_leb();
          break;
        case 8:  // const_add_pc
          row.address += std::uint64_t{(255U - opcode_base_) / line_range_} * step_;
          break;
        case 9:  // fixed_advance_pc
          row.address += program.take<std::uint16_t>();
          break;
        case 5:   // set_column
        case 12:  // set_isa
          program.unsigned_leb();
          break;
        default:  // flags without operands
          break;
      }
    }
    return found;
  }

  Bytes units_;
  unsigned step_ = 1;
  int line_base_ = 0;
  unsigned line_range_ = 1;
  unsigned opcode_base_ = 1;
  std::vector<std::string> files_;
};

}  // namespace warpsafe::watch
