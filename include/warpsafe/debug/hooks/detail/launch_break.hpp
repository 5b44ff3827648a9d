// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/launch_record.hpp>
#include <warpsafe/debug/log.hpp>
#include <warpsafe/debug/switches.hpp>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// WARPSAFE_BREAK: the stop before a launch, for a debugger.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail {

/// Whether a debugger is attached to this process, from Linux's /proc/self/status (proc(5)).
[[gnu::cold, gnu::noinline]] inline bool is_debugged() noexcept {
  std::FILE* const status = std::fopen("/proc/self/status", "r");
  if (status == nullptr) return false;
  char line[128];
  long tracer = 0;
  while (tracer == 0 && std::fgets(line, sizeof line, status) != nullptr) {
    if (std::strncmp(line, "TracerPid:", 10) == 0) tracer = std::strtol(line + 10, nullptr, 10);
  }
  std::fclose(status);
  return tracer != 0;
}

/// WARPSAFE_BREAK=n: stops before launch n, once. Under a debugger this is a breakpoint. Without
/// one the process stops (SIGSTOP) until a debugger is attached or SIGCONT arrives, and says so.
[[gnu::cold, gnu::noinline, gnu::visibility("default")]] inline void break_at_launch(
    const LaunchRecord& record) noexcept {
  static bool stopped = false;
  const std::uint64_t at = Environment::get().break_at;
  // Launches of several threads may leave a number unused; then the next launch stops.
  if (at == 0 || record.sequence < at || __atomic_test_and_set(&stopped, __ATOMIC_ACQ_REL)) return;
  const bool debugged = is_debugged();
  log_line(LogLevel::warn,
           "warpsafe: WARPSAFE_BREAK=%llu: stopped before launch %llu, kernel '%.*s', at %s:%u%s",
           static_cast<unsigned long long>(at), static_cast<unsigned long long>(record.sequence),
           static_cast<int>(record.kernel.size), record.kernel.data,
           record.site.file == nullptr ? "?" : record.site.file, record.site.line,
           debugged ? "" : "; attach a debugger to this process, or resume it with SIGCONT");
  static_cast<void>(std::raise(debugged ? SIGTRAP : SIGSTOP));
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail
