// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "python_layout.hpp"
#include "python_line_table.hpp"
#include "script_frame.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpsafe::ranks {

/// The lines of Python that the calling thread runs, read from memory. Frameworks release the
/// interpreter's lock around a collective, and to wait for the lock here could stop the job, so no
/// function is called that needs it. A thread's own frames do not change while it is inside of a
/// call. Only versions with a known layout are read.
class PythonStack {
 public:
  PythonStack() {
    const auto* const version = find<const unsigned long>("Py_Version");
    is_initialized_ = find<int()>("Py_IsInitialized");
    this_thread_ = find<void*()>("PyGILState_GetThisThreadState");
    if (version == nullptr || is_initialized_ == nullptr || this_thread_ == nullptr) return;
    layout_ = PythonLayout::of(*version >> 16U, find<const void>("_PyRuntime"));
    if (!layout_) return;
    layout_->code_type = find<const void>("PyCode_Type");
    layout_->bytes_type = find<const void>("PyBytes_Type");
    layout_->text_type = find<const void>("PyUnicode_Type");
  }

  /// Up to `most` frames, the innermost first; empty in a thread without Python. Frames of
  /// installed packages are left out if there are others. The frames live as long as this.
  [[nodiscard]] std::vector<const ScriptFrame*> frames(std::size_t most) {
    constexpr int deepest = 100;
    std::vector<const ScriptFrame*> found;
    std::vector<const ScriptFrame*> installed;
    // While the interpreter ends, it deletes the states of other threads.
    if (!layout_ || is_initialized_() == 0) return found;
    const void* const thread = this_thread_();
    if (thread == nullptr) return found;
    const void* const holder =
        layout_->thread.has_holder ? pointer(thread, layout_->thread.frame_holder) : thread;
    if (holder == nullptr) return found;
    const void* frame = pointer(holder, layout_->thread.current_frame);
    for (int depth = 0; frame != nullptr && depth < deepest && found.size() < most; ++depth) {
      // Where C called the interpreter stands a frame without code.
      constexpr char owned_by_c = 3;
      if (at<char>(frame, layout_->frame.owner) != owned_by_c) {
        const ScriptFrame* const line = line_of(frame);
        if (line == nullptr) break;
        std::vector<const ScriptFrame*>& kind = line->is_installed ? installed : found;
        if (kind.size() < most) kind.push_back(line);
      }
      frame = pointer(frame, layout_->frame.previous);
    }
    return found.empty() ? installed : found;
  }

 private:
  template <class F>
  static F* find(const char* name) noexcept {
    return reinterpret_cast<F*>(::dlsym(RTLD_DEFAULT, name));
  }
  template <class T>
  static T at(const void* object, std::uint64_t offset) noexcept {
    T value;
    std::memcpy(&value, static_cast<const char*>(object) + offset, sizeof value);
    return value;
  }
  static const void* pointer(const void* object, std::uint64_t offset) noexcept {
    return at<const void*>(object, offset);
  }
  /// PyObject: the number of references, and the type.
  static bool is_a(const void* object, const void* type) noexcept {
    return object != nullptr && pointer(object, 8) == type;
  }

  /// What a line is computed from. The code object may have been freed and its memory used again.
  struct Instruction {
    const void* code;
    const char* place;
    const void* table;
    const void* file;
    const void* name;
    friend auto operator<=>(const Instruction&, const Instruction&) = default;
  };

  /// nullptr if this is no frame: then the layout is not the known one.
  const ScriptFrame* line_of(const void* frame) {
    const void* const code = pointer(frame, layout_->frame.code);
    if (!is_a(code, layout_->code_type)) return nullptr;
    const void* const table = pointer(code, layout_->code.line_table);
    if (!is_a(table, layout_->bytes_type)) return nullptr;
    const Instruction instruction{code, at<const char*>(frame, layout_->frame.instruction), table,
                                  pointer(code, layout_->code.file),
                                  pointer(code, layout_->code.name)};
    const auto [known, is_new] = known_.try_emplace(instruction);
    if (is_new) known->second = described(instruction);
    return &known->second;
  }
  ScriptFrame described(const Instruction& is) const {
    const auto* const bytes = static_cast<const unsigned char*>(is.table) + layout_->bytes.data;
    PythonLineTable lines(bytes, at<std::size_t>(is.table, layout_->bytes.length));
    const char* const first = static_cast<const char*>(is.code) + layout_->code.instructions;
    ScriptFrame frame{text(is.file), text(is.name)};
    frame.line =
        lines.line_of(is.place - first, at<std::int32_t>(is.code, layout_->code.first_line));
    frame.is_installed = ScriptFrame::is_installed_file(frame.file);
    return frame;
  }
  std::string text(const void* object) const {
    // Bits 5 and 6: the characters follow the header, and are ASCII.
    constexpr std::uint32_t plain = 0x60;
    if (!is_a(object, layout_->text_type) ||
        (at<std::uint32_t>(object, layout_->text.state) & plain) != plain) {
      return "(not ASCII)";
    }
    return {static_cast<const char*>(object) + layout_->text.ascii_data,
            at<std::size_t>(object, layout_->text.length)};
  }

  int (*is_initialized_)() = nullptr;
  void* (*this_thread_)() = nullptr;
  std::optional<PythonLayout> layout_;
  std::map<Instruction, ScriptFrame> known_;
};

}  // namespace warpsafe::ranks
