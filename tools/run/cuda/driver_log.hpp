// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "driver.hpp"
#include "thread_state.hpp"

#include <cuda.h>
#include <pthread.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace warpsafe::watch {

/// Returns what a thread's call, which has just failed, wrote into the driver's log, in `log`; ""
/// if it wrote no reason. A line has the form "[time][thread][CUDA][E] text". A failed call's last
/// line has the text "Returning 1 (CUDA_ERROR_INVALID_VALUE) from cuLaunchKernel", and is written
/// after CUPTI's callback for the end of the call (driver 580.159.04). So the reason is the
/// thread's last line, unless that has this form. Some failed calls write a reason alone, so older
/// lines are left out.
[[nodiscard]] inline std::string reason_in_log(std::string_view log, unsigned long thread) {
  const std::string mine = "][" + std::to_string(thread) + "][CUDA][E] ";
  constexpr std::string_view returning = "Returning ";
  std::string_view last;
  while (!log.empty()) {
    const std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(line.size() == log.size() ? line.size() : line.size() + 1);
    const std::size_t prefix = line.find(mine);
    if (prefix != line.npos) last = line.substr(prefix + mine.size());
  }
  return std::string(last.substr(0, returning.size()) == returning ? std::string_view() : last);
}

/// Platform::runtime_log for CUDA: the reason in the driver's log, from CUDA 12.9 on ("Error Log
/// Management" of the driver API).
[[nodiscard]] inline std::string driver_log() {
  char text[4096];
  // Driver 580.159.04 writes up to 90 bytes more than it is given: its remark on older messages.
  std::size_t bytes = sizeof text - 256;
  if (call_driver(&Driver::log_to_memory, &ThreadState::get().log_position, text, &bytes, 0U) !=
          CUDA_SUCCESS ||
      bytes >= sizeof text) {
    return {};
  }
  return reason_in_log({text, bytes}, static_cast<unsigned long>(::pthread_self()));
}

}  // namespace warpsafe::watch
