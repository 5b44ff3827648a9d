// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// As the page shows it.
// clang-format off
#include "pages.hpp"

#include <warpsafe/debug.hpp>
#include <warpsafe/debug/run/journal_file.hpp>
#include <warpsafe/debug/run/run_recorder.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstdio>
#include <iostream>

namespace ws = warpsafe;

WARPSAFE_KERNEL void nothing() {}

static void train_one_step() {
  const auto stream = ws::Stream::create();
  if (!stream.has_value()) return;
  static_cast<void>(ws::launch(stream.value(), ws::LaunchConfig{ws::grid<1>, ws::block<32>}, ws::kernel<nothing>));
  static_cast<void>(stream.value().synchronize());
}

bool compare_runs() {
  ws::debug::RunRecorder recorder;
  recorder.start();
  train_one_step();
  recorder.stop();
  if (const int failed = ws::debug::write_journal(recorder.run(), "works.jsonl")) {
    std::cerr << failed << '\n';  // an errno
  }
  return std::remove("works.jsonl") == 0;
}
