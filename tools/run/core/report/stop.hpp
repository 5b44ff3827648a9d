// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../../../common/held_signals.hpp"

#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <thread>

namespace warpsafe::watch {

/// Writes what the program's streams hold, as far as that takes less than a second. A thread that
/// waits for input holds the lock of its stream.
inline void flush_streams() noexcept {
  static bool done = false;
  try {
    const NoSignals held;
    std::thread([]() noexcept {
      std::fflush(nullptr);
      __atomic_store_n(&done, true, __ATOMIC_RELEASE);
    }).detach();
  } catch (...) {  // no thread could be started
    return;
  }
  for (int i = 0; i < 1000 && !__atomic_load_n(&done, __ATOMIC_ACQUIRE); ++i) {
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
}

/// Ends the process with `status` after `last()`. The program is inside its runtime; a normal exit
/// might wait for the runtime's locks. If several threads call it, the first one ends the process.
template <class Last>
[[noreturn]] void stop_process(int status, const Last& last) noexcept {
  static bool stopping = false;
  while (__atomic_exchange_n(&stopping, true, __ATOMIC_ACQ_REL)) ::pause();
  last();
  flush_streams();
  ::_exit(status);
}

}  // namespace warpsafe::watch
