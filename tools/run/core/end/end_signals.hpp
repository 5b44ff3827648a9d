// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "last_words.hpp"

#include <csignal>

namespace warpsafe::watch {

/// Handlers for the signals that end a program, only where the program has none: its own handlers,
/// and signals that it ignores, stay as they are. A handler that the program sets later replaces
/// ours.
class EndSignals {
 public:
  /// @pre LastWords::begin
  static void begin() noexcept {
    for (const EndSignal& row : end_signals) {
      struct sigaction now {};
      if (::sigaction(row.signal, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO) != 0 ||
          now.sa_handler != SIG_DFL) {
        continue;
      }
      struct sigaction ours {};
      ours.sa_sigaction = &arrived;
      // Where the program has a stack for its handlers, that one is used.
      ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
      ::sigfillset(&ours.sa_mask);
      // A fault in the handler ends the process by that signal, as it does without a handler.
      static_cast<void>(::sigaction(row.signal, &ours, nullptr));
    }
  }

 private:
  static void arrived(int signal, siginfo_t* info, void* context) noexcept {
    const bool is_access = (signal == SIGSEGV || signal == SIGBUS) && info->si_code > 0;
    if (LastWords::is_here()) {
      LastWords::speak(signal, context, is_access ? info->si_addr : nullptr);
    }
    struct sigaction none {};
    none.sa_handler = SIG_DFL;
    static_cast<void>(::sigaction(signal, &none, nullptr));
    // A faulting instruction runs again when this returns, and ends the process where a core file
    // shows the fault. Another signal has to be sent again; it arrives when this returns.
    const bool is_fault =
        signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL;
    if (!is_fault || info->si_code <= 0) ::raise(signal);
  }
};

}  // namespace warpsafe::watch
