// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../../../common/object_walk.hpp"
#include "../../../common/python_stack.hpp"
#include "../kernel/kernel_name.hpp"
#include "../suspicion/call_stack.hpp"
#include "source_place.hpp"

#include <link.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// The lines of Python that led to a call of the calling thread. Thread-safe.
class ScriptPlaces {
 public:
  using Lines = std::vector<const ranks::ScriptFrame*>;

  /// Returns the lines, innermost first; none without Python. The same line is the same object as
  /// long as this exists. Must run on the program's thread, which is inside of a call. May throw
  /// std::bad_alloc.
  [[nodiscard]] Lines lines() {
    const std::lock_guard lock(mutex_);
    if (!python_.has_value()) {
      // A program may load Python later. The search for its functions replaces the program's
      // dlerror(), so it is left to programs with Python.
      if (!has_python()) return {};
      python_.emplace();
    }
    return python_->frames(most);
  }
  /// Puts the lines behind the places in machine code, of which those of the interpreter are left
  /// out. May throw std::bad_alloc.
  static void add(std::vector<SourcePlace>& places, const Lines& lines, std::size_t most_places) {
    if (lines.empty()) return;
    std::vector<SourcePlace> made;
    for (SourcePlace& one : places) {
      if (is_of_interpreter(one.object)) break;
      if (made.size() < most) made.push_back(std::move(one));
    }
    for (const ranks::ScriptFrame* const one : lines) {
      if (made.size() == most_places) break;
      SourcePlace place;
      place.function = single_line(one->function);
      place.file = single_line(one->file);
      place.line = static_cast<std::uint32_t>(one->line);
      place.object = "python";
      made.push_back(std::move(place));
    }
    places = std::move(made);
  }

 private:
  static constexpr std::size_t most = 2;

  /// Whether an object of that name runs Python, or passes calls of Python on.
  [[nodiscard]] static bool is_of_interpreter(std::string_view object) noexcept {
    for (const std::string_view one : {"python", "libpython", "libffi", "_ctypes", "_cffi"}) {
      if (object.substr(0, one.size()) == one) return true;
    }
    return false;
  }

  /// Whether an object of Python is loaded: the interpreter, or one of its modules.
  [[nodiscard]] static bool has_python() noexcept {
    return ranks::ObjectWalks::walk(
               [](dl_phdr_info* info, std::size_t, void*) {
                 return detail::file_of(info->dlpi_name).find("python") != std::string_view::npos
                            ? 1
                            : 0;
               },
               nullptr) != 0;
  }

  std::mutex mutex_;
  std::optional<ranks::PythonStack> python_;
};

}  // namespace warpsafe::watch
