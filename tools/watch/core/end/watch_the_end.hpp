// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../options.hpp"
#include "end_signals.hpp"
#include "exit_hook.hpp"
#include "last_words.hpp"

namespace warpsafe::watch {

/// From now on, `speak` is called once, on a thread of its own, if the process ends by a signal
/// that it does not handle, or by _exit.
inline void watch_the_end(const Options& options, void (*speak)(const End& end) noexcept) noexcept {
  if (options.no_handlers || !LastWords::begin(speak)) return;
  EndSignals::begin();
  ExitHook::begin([](int status) noexcept { return status; });
}

}  // namespace warpsafe::watch
