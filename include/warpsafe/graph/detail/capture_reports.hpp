// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/detail/without_cancel.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/graph/detail/capture_watch.hpp>

#include <cstdio>

// What is said at the end of a capture that was broken or lost, or that missed work.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Puts the call that broke a capture into the error of the capture's end: its name, its place, the
/// runtime's words, and a launch's dimensions.
[[gnu::cold]] inline void take_breaking_call(LaunchError& error, const LaunchError& by) noexcept {
  error.subcode = by.subcode;
  error.operation = by.operation;
  error.kernel = by.kernel;
  error.site = by.site;
  error.raw = by.raw;
  error.raw_name = by.raw_name;
  error.raw_text = by.raw_text;
  for (int i = 0; i < 3; ++i) {
    error.grid[i] = by.grid[i];
    error.block[i] = by.block[i];
  }
  error.dynamic_shared = by.dynamic_shared;
}

/// Called for a capture whose thread submitted work to a stream that takes no part. `is_empty`: the
/// capture holds no work.
[[gnu::cold]] inline void report_outside_work(const CaptureWatch& watch, const call_site& began,
                                              bool is_empty) noexcept {
  const auto file_of = [](const call_site& site) { return site.file == nullptr ? "?" : site.file; };
  const CaptureWatch::OutsideWork& work = watch.outside;
  const WithoutCancel whole;
  std::fprintf(
      stderr,
      "warpsafe: a capture of stream %p %s, and ran at once\n  begun at %s:%u; '%.*s' on "
      "stream %p, at %s:%u\n  %s\n",
      watch.stream.handle,
      is_empty ? "is empty: the work since its beginning went to another stream"
               : "does not hold all work of its thread: some went to a stream that takes no part",
      file_of(began), began.line, static_cast<int>(work.what.size),
      work.what.data == nullptr ? "" : work.what.data, work.stream, file_of(work.site),
      work.site.line,
      is_empty ? "submit the work to the captured stream, or capture the stream that it is "
                 "submitted to"
               : "submit the work to the captured stream, or let its stream wait for an event of "
                 "the capture first; if it is meant to run now, and not in each launch of the "
                 "graph, begin the capture with CaptureMode::relaxed");
}
/// Called for a capture whose work is lost.
[[gnu::cold]] inline void report_lost_capture(const call_site& began) noexcept {
  const WithoutCancel whole;
  std::fprintf(stderr,
               "warpsafe: a capture was dropped without end(), and the work that it holds never "
               "runs\n  begun at %s:%u; write auto graph = std::move(capture).end(), or "
               "capture.discard() to drop it on purpose\n",
               began.file == nullptr ? "?" : began.file, static_cast<unsigned>(began.line));
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
