// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>

namespace warpsafe::ranks {

/// Where the fields lie, in bytes, that tell which line of Python a thread runs. All releases of
/// one version (3.12.x) have one layout.
struct PythonLayout {
  /// From the thread's state: to a structure that points to the current frame, or to the frame.
  struct {
    std::uint64_t frame_holder, current_frame;
    bool has_holder;
  } thread;
  struct {
    std::uint64_t code, previous, instruction, owner;
  } frame;
  struct {
    std::uint64_t file, name, line_table, first_line, instructions;
  } code;
  struct {
    std::uint64_t length, data;
  } bytes;
  struct {
    std::uint64_t length, state, ascii_data;
  } text;
  /// The type of each object; an object of another type is not read.
  const void* code_type = nullptr;
  const void* bytes_type = nullptr;
  const void* text_type = nullptr;

  /// The layout of a version (Py_Version >> 16), whose `runtime` is _PyRuntime.
  [[nodiscard]] static std::optional<PythonLayout> of(unsigned long version, const void* runtime) {
    if (version == 0x030b) return python_3_11();
    if (version == 0x030c) return python_3_12();
    if (version == 0x030d) return published(runtime);
    return std::nullopt;
  }

 private:
  // From offsetof over the headers of CPython (pycore_frame.h, code.h, bytesobject.h,
  // unicodeobject.h) of 3.11.2, 3.11.7 and 3.12.1 on 64-bit Linux.
  static PythonLayout python_3_11() noexcept {
    return {{56, 8, true}, {32, 48, 56, 69}, {112, 120, 136, 72, 184}, {16, 32}, {16, 32, 48}};
  }
  static PythonLayout python_3_12() noexcept {
    return {{56, 0, true}, {0, 8, 56, 70}, {112, 120, 136, 68, 192}, {16, 32}, {16, 32, 40}};
  }

  /// What 3.13 publishes at the beginning of _PyRuntime for debuggers of other processes
  /// (_Py_DebugOffsets in pycore_runtime.h).
  struct Published {
    char cookie[8];
    std::uint64_t version;
    std::uint64_t is_free_threaded;
    std::uint64_t runtime[3], interpreter[13];
    struct {
      std::uint64_t size, previous, next, interpreter, current_frame, id, native_id, stack, status;
    } thread;
    struct {
      std::uint64_t size, previous, code, instruction, locals, owner;
    } frame;
    struct {
      std::uint64_t size, file, name, qualified_name, line_table, first_line, arguments;
      std::uint64_t local_names, local_kinds, instructions;
    } code;
    std::uint64_t object[2], type[4], tuple[3], list[3], dict[3], real[2], integer[3];
    struct {
      std::uint64_t size, length, data;
    } bytes;
    struct {
      std::uint64_t size, state, length, ascii_data;
    } text;
  };
  static std::optional<PythonLayout> published(const void* runtime) {
    const auto* const found = static_cast<const Published*>(runtime);
    if (found == nullptr || std::memcmp(found->cookie, "xdebugpy", 8) != 0 ||
        found->version >> 16U != 0x030d || found->is_free_threaded != 0) {
      return std::nullopt;
    }
    const Published& is = *found;
    return PythonLayout{
        {0, is.thread.current_frame, false},
        {is.frame.code, is.frame.previous, is.frame.instruction, is.frame.owner},
        {is.code.file, is.code.name, is.code.line_table, is.code.first_line, is.code.instructions},
        {is.bytes.length, is.bytes.data},
        {is.text.length, is.text.state, is.text.ascii_data}};
  }
};

}  // namespace warpsafe::ranks
