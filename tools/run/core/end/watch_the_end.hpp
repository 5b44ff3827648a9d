// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../options.hpp"
#include "end_signals.hpp"
#include "exit_hook.hpp"
#include "last_words.hpp"

#include <unistd.h>

#include <cstdio>

namespace warpsafe::watch {

/// From now on, `speak` is called once, on a thread of its own, if the process ends by a signal
/// that it does not handle, or by _exit. `status_for` returns the exit status in place of the
/// program's.
inline void watch_the_end(const Options& options, void (*speak)(const End& end) noexcept,
                          int (*status_for)(int status) noexcept) noexcept {
  if (options.no_handlers || !LastWords::begin(speak)) return;
  EndSignals::begin();
  ExitHook::begin(status_for);
}
/// Call when exit() has run all handlers and destructors of the program: a library's own destructor
/// comes after them. Ends the process with `status` if it is not -1; exit() itself has no way to
/// change it. What the streams hold is written before, as exit() does.
inline void end_with(int status) noexcept {
  if (status < 0) return;
  std::fflush(nullptr);
  ::_exit(status);
}

}  // namespace warpsafe::watch
