// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
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
  explicit LineTable(std::span<const unsigned char> section) noexcept : left_(section) {}

  /// May throw std::bad_alloc.
  [[nodiscard]] SourceLine find(std::uint64_t address) {
    while (!left_.empty()) {
      const auto size = number<std::uint32_t>();
      constexpr std::uint32_t of_64_bits = 0xffffffff;
      if (size == of_64_bits || size == 0 || size > left_.size()) break;
      Bytes rest = left_.subspan(size);
      left_ = left_.first(size);
      SourceLine found = find_in_unit(address);
      if (found.line != 0) return found;
      left_ = rest;
    }
    return {};
  }

 private:
  using Bytes = std::span<const unsigned char>;
  struct Row {
    std::uint64_t address = 0;
    std::uint64_t file = 1;
    std::uint64_t line = 1;
  };

  template <class T>
  T number() noexcept {
    T value{};
    if (left_.size() < sizeof value) {
      left_ = {};
      return value;
    }
    std::memcpy(&value, left_.data(), sizeof value);
    left_ = left_.subspan(sizeof value);
    return value;
  }
  std::uint64_t leb(bool is_signed) noexcept {
    std::uint64_t value = 0;
    unsigned shift = 0;
    unsigned char byte = 0x80;
    while ((byte & 0x80U) != 0 && !left_.empty()) {
      byte = number<unsigned char>();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fU} << shift;
      shift += 7;
    }
    if (is_signed && (byte & 0x40U) != 0 && shift < 64) value |= ~std::uint64_t{0} << shift;
    return value;
  }
  std::string_view text() noexcept {
    const auto* const begin = reinterpret_cast<const char*>(left_.data());
    const auto end = std::find(left_.begin(), left_.end(), 0);
    const auto size = static_cast<std::size_t>(end - left_.begin());
    left_ = left_.subspan(std::min(size + 1, left_.size()));
    return {begin, size};
  }

  [[nodiscard]] SourceLine find_in_unit(std::uint64_t address) {
    const auto version = number<std::uint16_t>();
    if (version < 2 || version > 4) return {};
    const auto header = number<std::uint32_t>();
    if (header > left_.size()) return {};
    const Bytes program = left_.subspan(header);
    step_ = number<unsigned char>();
    if (version == 4) number<unsigned char>();  // operations in an instruction: 1
    number<unsigned char>();                    // whether rows begin statements
    line_base_ = number<signed char>();
    line_range_ = number<unsigned char>();
    opcode_base_ = number<unsigned char>();
    if (line_range_ == 0 || opcode_base_ == 0) return {};
    for (unsigned i = 1; i < opcode_base_; ++i) number<unsigned char>();
    std::vector<std::string_view> folders = {""};
    while (!left_.empty() && left_.front() != 0) folders.push_back(text());
    number<unsigned char>();
    files_.clear();
    while (!left_.empty() && left_.front() != 0) add_file(folders);
    left_ = program;
    const Row row = run(address);
    if (row.line == 0 || row.file == 0 || row.file > files_.size()) return {};
    return {files_[row.file - 1], row.line};
  }
  void add_file(const std::vector<std::string_view>& folders) {
    const std::string_view name = text();
    const std::uint64_t folder = leb(false);
    leb(false);  // the time of its last change
    leb(false);  // its size
    std::string path;
    if (!name.starts_with('/') && folder < folders.size() && !folders[folder].empty()) {
      path = std::string(folders[folder]) + '/';
    }
    files_.push_back(path.append(name));
  }

  /// Runs the unit's program. Returns the row whose instructions include `address`; line 0: none.
  [[nodiscard]] Row run(std::uint64_t address) {
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
    while (!left_.empty() && found.line == 0) {
      const auto opcode = number<unsigned char>();
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
          const std::uint64_t size = leb(false);
          if (size == 0 || size > left_.size()) return found;
          const Bytes rest = left_.subspan(size);
          left_ = left_.first(size);
          const auto extended = number<unsigned char>();
          if (extended == 1) {  // the end of a sequence
            add_row();
            row = {};
            has_before = false;
          } else if (extended == 2) {  // an address
            row.address = number<std::uint64_t>();
          } else if (extended == 3) {  // a further file
            add_file({""});
          }
          left_ = rest;
          break;
        }
        case 1:  // copy
          add_row();
          break;
        case 2:  // advance_pc
          row.address += leb(false) * step_;
          break;
        case 3:  // advance_line
          row.line += leb(true);
          break;
        case 4:  // set_file
          row.file = leb(false);
          break;
        case 8:  // const_add_pc
          row.address += std::uint64_t{(255U - opcode_base_) / line_range_} * step_;
          break;
        case 9:  // fixed_advance_pc
          row.address += number<std::uint16_t>();
          break;
        case 5:   // set_column
        case 12:  // set_isa
          leb(false);
          break;
        default:  // flags without operands
          break;
      }
    }
    return found;
  }

  Bytes left_;
  unsigned step_ = 1;
  int line_base_ = 0;
  unsigned line_range_ = 1;
  unsigned opcode_base_ = 1;
  std::vector<std::string> files_;
};

}  // namespace warpsafe::watch
