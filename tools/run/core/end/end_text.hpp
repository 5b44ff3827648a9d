// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../place/source_places.hpp"
#include "../report/standard_error.hpp"
#include "../report/wait_reporter.hpp"
#include "last_words.hpp"
#include <warpsafe/debug/journal/timeout.hpp>
#include <warpsafe/tool_api.hpp>

#include <sys/types.h>

#include <string>

namespace warpsafe::watch {

/// Returns how the process ends, the cause that `cause()` returns, where the host waits, and the
/// work in flight. May throw std::bad_alloc.
template <class Cause>
[[nodiscard]] std::string end_text(const End& end, pid_t process, WaitReporter& waits,
                                   SourcePlaces& places, const Cause& cause) {
  std::string text =
      std::string("warpsafe: ") + end.name() + " ends process " + std::to_string(process);
  for (const SourcePlace& one : places.find(end.stack)) text += "\n  in " + one.text();
  text += cause();
  waits.each([&](Name what, const void* stream, std::int32_t device) {
    char line[256];
    tool::TextBuffer out(line, sizeof line);
    out << "\n  the host waits: " << what;
    if (stream != nullptr) out << " of stream " << stream;
    if (device >= 0) out << " of device " << device;
    text += line;
  });
  char flying[8192];
  tool::TextBuffer rest(flying, sizeof flying);
  if (debug::JournalReader(&debug::is_in_flight).empty()) {
    rest << "\n  in flight: no launch";
  } else {
    debug::put_in_flight(rest);
  }
  return text + flying;
}

/// Prints that text.
template <class Cause>
void print_end(const End& end, pid_t process, WaitReporter& waits, SourcePlaces& places,
               const Cause& cause) noexcept {
  try {
    StandardError::line(end_text(end, process, waits, places, cause));
  } catch (...) {  // out of memory
    StandardError::line("warpsafe: the process ends");
  }
}

}  // namespace warpsafe::watch
