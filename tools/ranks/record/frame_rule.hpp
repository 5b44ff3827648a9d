// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "dwarf_bytes.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace warpsafe::ranks {

/// How to get from a frame of x86-64 to its caller's, at one instruction. DWARF calls the address
/// behind the return address the CFA, the canonical frame address. Compilers write these rules for
/// exceptions and debuggers; the few that they use at a call fit in here.
struct FrameRule {
  enum class Cfa : std::uint8_t {
    unknown,
    outermost,           ///< there is no caller
    from_stack_pointer,  ///< rsp + offset
    from_frame_pointer,  ///< rbp + offset
    at_frame_pointer,    ///< the word at rbp + offset: g++ realigned the frame
  };
  /// Where the caller's frame pointer is.
  enum class Saved : std::uint8_t { kept, at_cfa, at_frame_pointer };

  Cfa cfa = Cfa::unknown;
  Saved saved = Saved::kept;
  std::int32_t cfa_offset = 0;
  std::int32_t saved_offset = 0;

  /// The rule for the call before a return address, from the .eh_frame_hdr of its object.
  [[nodiscard]] static FrameRule of(const void* return_address, const unsigned char* index) {
    const auto call = reinterpret_cast<std::uintptr_t>(return_address) - 1;
    const unsigned char* const entry = entry_of(call, index);
    return entry == nullptr ? FrameRule{} : Program(entry, call).rule();
  }

 private:
  enum Register : std::uint64_t { frame_pointer = 6, stack_pointer = 7, return_address = 16 };
  enum class How { kept, at_cfa, at_frame_pointer, undefined, other };
  struct Value {
    How how = How::kept;
    std::int64_t offset = 0;
  };
  struct Row {
    std::uint64_t cfa_register = 0;
    std::int64_t cfa_offset = 0;
    bool cfa_is_word = false;  ///< the CFA is the word there
    bool cfa_is_other = false;
    Value frame, stack, address;

    Value* of(std::uint64_t number) noexcept {
      if (number == frame_pointer) return &frame;
      if (number == stack_pointer) return &stack;
      return number == return_address ? &address : nullptr;
    }
  };

  /// The entry of .eh_frame that may cover `call`, from the sorted table that linkers write; null:
  /// there is none.
  static const unsigned char* entry_of(std::uintptr_t call, const unsigned char* index) noexcept {
    // Version; addresses from here in 4 bytes; a count in 4 bytes; offsets from `index`.
    if (index == nullptr || index[0] != 1 || index[1] != 0x1b || index[2] != 0x03 ||
        index[3] != 0x3b) {
      return nullptr;
    }
    struct Row {
      std::int32_t begin, entry;
    };
    const auto* const rows = reinterpret_cast<const Row*>(index + 12);
    const std::int64_t offset =
        static_cast<std::int64_t>(call - reinterpret_cast<std::uintptr_t>(index));
    std::uint32_t first = 0;
    for (std::uint32_t count = *reinterpret_cast<const std::uint32_t*>(index + 8); count != 0;) {
      const std::uint32_t half = count / 2;
      if (rows[first + half].begin <= offset) {
        first += half + 1;
        count -= half + 1;
      } else {
        count = half;
      }
    }
    return first == 0 ? nullptr : index + rows[first - 1].entry;
  }

  /// Runs the program of an entry (DWARF 5, section 6.4, and Linux Standard Base, .eh_frame), as
  /// far as the call.
  class Program {
   public:
    Program(const unsigned char* entry, std::uintptr_t call) : call_(call) {
      DwarfBytes bytes = DwarfBytes::of_entry(entry);
      const unsigned char* const at = bytes.position();
      common(DwarfBytes::of_entry(at - bytes.take<std::uint32_t>()));
      location_ = bytes.address(encoding_);
      const std::uint64_t size = bytes.address(encoding_ & 0x0fU);
      if (has_size_) bytes.skip(bytes.unsigned_leb());
      is_known_ = is_known_ && !bytes.has_failed() && call_ - location_ < size;
      run(bytes);
    }
    [[nodiscard]] FrameRule rule() const noexcept {
      FrameRule rule;
      if (!is_known_) return rule;
      if (row_.address.how == How::undefined) rule.cfa = Cfa::outermost;
      const Value& frame = row_.frame;
      if (row_.address.how != How::at_cfa || row_.address.offset != -8 || row_.cfa_is_other ||
          row_.stack.how != How::kept || frame.how == How::undefined || frame.how == How::other ||
          !fits(row_.cfa_offset) || !fits(frame.offset)) {
        return rule;
      }
      rule.cfa_offset = static_cast<std::int32_t>(row_.cfa_offset);
      rule.saved_offset = static_cast<std::int32_t>(frame.offset);
      if (frame.how == How::at_cfa) rule.saved = Saved::at_cfa;
      if (frame.how == How::at_frame_pointer) rule.saved = Saved::at_frame_pointer;
      if (row_.cfa_register == frame_pointer) {
        rule.cfa = row_.cfa_is_word ? Cfa::at_frame_pointer : Cfa::from_frame_pointer;
      } else if (row_.cfa_register == stack_pointer && !row_.cfa_is_word) {
        rule.cfa = Cfa::from_stack_pointer;
      }
      return rule;
    }

   private:
    static bool fits(std::int64_t offset) noexcept {
      return offset == static_cast<std::int32_t>(offset);
    }
    /// What the entries of an object have in common.
    void common(DwarfBytes bytes) {
      is_known_ = bytes.take<std::uint32_t>() == 0;
      const auto version = bytes.take<std::uint8_t>();
      is_known_ = is_known_ && (version == 1 || version == 3);
      const std::string_view letters = bytes.text();
      code_unit_ = bytes.unsigned_leb();
      data_unit_ = bytes.signed_leb();
      const std::uint64_t column = version == 1 ? bytes.take<std::uint8_t>() : bytes.unsigned_leb();
      is_known_ = is_known_ && column == return_address && !bytes.has_failed();
      if (!is_known_) return;
      has_size_ = letters.starts_with('z');
      const std::uint64_t size = has_size_ ? bytes.unsigned_leb() : 0;
      const unsigned char* const begin = bytes.position();
      for (const char letter : letters.substr(has_size_ ? 1 : 0)) {
        if (letter == 'R') {
          encoding_ = bytes.take<std::uint8_t>();
        } else if (letter == 'L') {
          bytes.skip(1);
        } else if (letter == 'P') {
          bytes.address(bytes.take<std::uint8_t>() & 0x0fU);
        } else {
          is_known_ = false;  // 'S' is the frame of a signal, whose address is no return address
        }
      }
      if (has_size_) bytes.skip(size - static_cast<std::uint64_t>(bytes.position() - begin));
      run(bytes);
      initial_ = row_;
    }

    void run(DwarfBytes bytes) {
      while (is_known_ && !bytes.is_at_end()) {
        const auto operation = bytes.take<std::uint8_t>();
        const std::uint8_t low = operation & 0x3fU;
        switch (operation & 0xc0U) {
          case 0x40:
            if (!advance(low)) return;
            break;
          case 0x80:
            set(low, {How::at_cfa, scaled(bytes.unsigned_leb())});
            break;
          case 0xc0:
            restore(low);
            break;
          default:
            if (!run_one(low, bytes)) return;
        }
        is_known_ = is_known_ && !bytes.has_failed();
      }
    }
    /// False: the rest is behind the call.
    bool run_one(std::uint8_t operation, DwarfBytes& bytes) {
      std::uint64_t number = 0;
      switch (operation) {
        case 0x00:  // DW_CFA_nop
          break;
        case 0x02:  // DW_CFA_advance_loc1, 2, 4
          return advance(bytes.take<std::uint8_t>());
        case 0x03:
          return advance(bytes.take<std::uint16_t>());
        case 0x04:
          return advance(bytes.take<std::uint32_t>());
        case 0x05:  // DW_CFA_offset_extended
          number = bytes.unsigned_leb();
          set(number, {How::at_cfa, scaled(bytes.unsigned_leb())});
          break;
        case 0x06:  // DW_CFA_restore_extended
          restore(bytes.unsigned_leb());
          break;
        case 0x07:  // DW_CFA_undefined
          set(bytes.unsigned_leb(), {How::undefined});
          break;
        case 0x08:  // DW_CFA_same_value
          set(bytes.unsigned_leb(), {How::kept});
          break;
        case 0x09:  // DW_CFA_register
          set(bytes.unsigned_leb(), {How::other});
          bytes.unsigned_leb();
          break;
        case 0x0a:  // DW_CFA_remember_state
          remembered_.push_back(row_);
          break;
        case 0x0b:  // DW_CFA_restore_state
          is_known_ = !remembered_.empty();
          if (!is_known_) break;
          row_ = remembered_.back();
          remembered_.pop_back();
          break;
        case 0x0c:  // DW_CFA_def_cfa
          number = bytes.unsigned_leb();
          cfa(number, static_cast<std::int64_t>(bytes.unsigned_leb()));
          break;
        case 0x0d:  // DW_CFA_def_cfa_register
          cfa(bytes.unsigned_leb(), row_.cfa_offset);
          break;
        case 0x0e:  // DW_CFA_def_cfa_offset
          row_.cfa_offset = static_cast<std::int64_t>(bytes.unsigned_leb());
          break;
        case 0x0f:  // DW_CFA_def_cfa_expression
          cfa_expression(bytes.part(bytes.unsigned_leb()));
          break;
        case 0x10:  // DW_CFA_expression
          number = bytes.unsigned_leb();
          expression(number, bytes.part(bytes.unsigned_leb()));
          break;
        case 0x11:  // DW_CFA_offset_extended_sf
          number = bytes.unsigned_leb();
          set(number, {How::at_cfa, bytes.signed_leb() * data_unit_});
          break;
        case 0x12:  // DW_CFA_def_cfa_sf
          number = bytes.unsigned_leb();
          cfa(number, bytes.signed_leb() * data_unit_);
          break;
        case 0x13:  // DW_CFA_def_cfa_offset_sf
          row_.cfa_offset = bytes.signed_leb() * data_unit_;
          break;
        case 0x14:  // DW_CFA_val_offset, DW_CFA_val_offset_sf
        case 0x15:
          set(bytes.unsigned_leb(), {How::other});
          bytes.unsigned_leb();
          break;
        case 0x16:  // DW_CFA_val_expression
          set(bytes.unsigned_leb(), {How::other});
          bytes.part(bytes.unsigned_leb());
          break;
        case 0x2e:  // DW_CFA_GNU_args_size
          bytes.unsigned_leb();
          break;
        default:
          is_known_ = false;
      }
      return true;
    }
    bool advance(std::uint64_t units) noexcept {
      location_ += units * code_unit_;
      return location_ <= call_;
    }
    [[nodiscard]] std::int64_t scaled(std::uint64_t offset) const noexcept {
      return static_cast<std::int64_t>(offset) * data_unit_;
    }
    void set(std::uint64_t number, Value value) noexcept {
      if (Value* const one = row_.of(number)) *one = value;
    }
    void restore(std::uint64_t number) noexcept {
      if (const Value* const one = initial_.of(number)) set(number, *one);
    }
    void cfa(std::uint64_t number, std::int64_t offset) noexcept {
      row_.cfa_register = number;
      row_.cfa_offset = offset;
      row_.cfa_is_word = false;
      row_.cfa_is_other = false;
    }
    static constexpr std::uint8_t add_to_frame_pointer = 0x76;  // DW_OP_breg6
    static constexpr std::uint8_t dereference = 0x06;           // DW_OP_deref
    void cfa_expression(DwarfBytes bytes) noexcept {
      const bool adds = bytes.take<std::uint8_t>() == add_to_frame_pointer;
      cfa(frame_pointer, bytes.signed_leb());
      row_.cfa_is_word = true;
      row_.cfa_is_other = !adds || bytes.take<std::uint8_t>() != dereference ||
                          !bytes.is_at_end() || bytes.has_failed();
    }
    void expression(std::uint64_t number, DwarfBytes bytes) noexcept {
      const bool adds = bytes.take<std::uint8_t>() == add_to_frame_pointer;
      const std::int64_t offset = bytes.signed_leb();
      const bool is_known = adds && bytes.is_at_end() && !bytes.has_failed();
      set(number, {is_known ? How::at_frame_pointer : How::other, offset});
    }

    std::uintptr_t call_;
    std::uintptr_t location_ = 0;
    bool is_known_ = false;
    bool has_size_ = false;
    std::uint8_t encoding_ = 0;
    std::uint64_t code_unit_ = 1;
    std::int64_t data_unit_ = 1;
    Row row_, initial_;
    std::vector<Row> remembered_;
  };
};

}  // namespace warpsafe::ranks
