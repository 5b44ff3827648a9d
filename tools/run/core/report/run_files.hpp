// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../../../common/held_signals.hpp"
#include "../options.hpp"
#include "../platform.hpp"
#include "journal_stream.hpp"
#include <warpsafe/debug.hpp>
#include <warpsafe/debug/run/run_recorder.hpp>
#include <warpsafe/debug/run/timeline_export.hpp>
#include <warpsafe/tool_api.hpp>

#include <pthread.h>

#include <cstring>
#include <memory>
#include <string>

namespace warpsafe::watch {

/// The requested output files: the journal, written as things happen, and the timeline, written at
/// exit.
class RunFiles {
 public:
  /// Creates the files that `options` requests. May throw std::bad_alloc.
  void begin(const Options& options, const Platform& platform) {
    if (!options.journal.empty()) {
      const int failed = journal_.open(options.journal.c_str(), platform.environment());
      if (failed == 0) {
        observe(journal_.observer());
      } else {
        tool::log_line(debug::LogLevel::error, "warpsafe: cannot write the journal %s: %s",
                       tool::Shown(options.journal.c_str()).c_str(), tool::file_problem(failed));
      }
    }
    if (!options.timeline.empty()) {
      recorder_ = std::make_unique<debug::RunRecorder>();
      platform.start_recorder(*recorder_);
    }
  }
  /// Writes the timeline.
  void finish(const Options& options) {
    if (recorder_ == nullptr) return;
    recorder_->stop();
    const HeldSignals held;
    const int failed = debug::write_trace(recorder_->run(), options.timeline.c_str());
    if (failed != 0) {
      tool::log_line(debug::LogLevel::error, "warpsafe: cannot write the timeline %s: %s",
                     tool::Shown(options.timeline.c_str()).c_str(), tool::file_problem(failed));
    }
  }
  /// Call when the process is about to end (JournalStream::end).
  void end(pthread_t interrupted) noexcept { journal_.end(interrupted); }
  /// Returns a line for the summary with what the files lack, or "".
  [[nodiscard]] std::string missing(const Options& options) const {
    const int lost = journal_.failed();
    return lost == 0
               ? std::string()
               : "  the journal " + std::string(tool::Shown(options.journal.c_str()).c_str()) +
                     " is incomplete: " + std::strerror(lost) + '\n';
  }

 private:
  JournalStream journal_;
  std::unique_ptr<debug::RunRecorder> recorder_;
};

}  // namespace warpsafe::watch
