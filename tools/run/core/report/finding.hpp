// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../place/source_place.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpsafe::watch {

/// What the watch has found: an error, or a note about a call whose failure may be intended.
struct Finding {
  enum class Kind : std::uint8_t { launch, fault, call, note };

  Kind kind = Kind::call;
  std::string subject;              ///< the kernel, or the runtime's function
  std::string code;                 ///< the runtime's name for the error; empty: none
  std::string title;                ///< the first line of its text
  std::string details;              ///< further lines, each after "\n  "
  std::string remedy;               ///< empty: none known
  std::string log;                  ///< what the driver's own log says; empty: nothing
  std::vector<SourcePlace> places;  ///< innermost first
  std::uint64_t count = 1;          ///< how often it happened

  [[nodiscard]] bool is_error() const noexcept { return kind != Kind::note; }
  [[nodiscard]] static const char* name(Kind kind) noexcept {
    return kind == Kind::launch  ? "refused launch"
           : kind == Kind::fault ? "fault"
           : kind == Kind::call  ? "failed call"
                                 : "note";
  }
  /// The whole text, as standard error shows it.
  [[nodiscard]] std::string text() const {
    std::string all = title + details;
    if (!log.empty()) all += "\n  the driver's log: " + log;
    for (const SourcePlace& one : places) all += "\n  called by " + one.text();
    if (!remedy.empty()) all += "\n  " + remedy;
    return all;
  }
};

}  // namespace warpsafe::watch
