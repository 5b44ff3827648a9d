// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/capture_hooks.hpp>
#include <warpsafe/core/launch_record.hpp>
#include <warpsafe/debug/journal/timeout.hpp>
#include <warpsafe/debug/log.hpp>
#include <warpsafe/debug/switches.hpp>
#include <warpsafe/stream/detail/waiting.hpp>

#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

// In a job of several ranks, a wait after each launch could wait for another rank forever.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail {

/// Whether the process has a library whose kernels wait for those of other processes or devices.
/// Asked at each launch that waits, because a program may load one at any time.
[[gnu::cold, gnu::noinline]] inline bool has_collectives() noexcept {
  // Python loads a library for one module, where no lookup by name finds its functions.
  const auto is_one = [](dl_phdr_info* object, std::size_t, void*) {
    const char* const slash = std::strrchr(object->dlpi_name, '/');
    const char* const file = slash == nullptr ? object->dlpi_name : slash + 1;
    for (const char* name : {"libnccl", "librccl", "libmpi"}) {
      if (std::strncmp(file, name, std::strlen(name)) == 0) return 1;
    }
    return 0;
  };
  return ::dl_iterate_phdr(is_one, nullptr) != 0;
}
/// Whether a launch that a switch made blocking should not be waited for: its kernel may be behind
/// a collective that another rank does not reach, because that rank waits for a launch too. Returns
/// after `patience`, in milliseconds, at most, and says so.
[[gnu::cold, gnu::noinline, gnu::visibility("default")]] inline bool gives_up_launch(
    const warpsafe::detail::BackendCalls& calls, void* stream, const LaunchRecord& record,
    std::uint64_t patience = 5000) noexcept {
  constexpr unsigned most = 3;
  static unsigned given_up = 0;
  // WARPSAFE_TIMEOUT=SECONDS,stop ends the wait itself.
  if (!has_collectives() || __atomic_load_n(&timeout_stops_in_use, __ATOMIC_RELAXED) ||
      warpsafe::detail::open_captures() != nullptr || !calls.stream_wait->may_query(stream) ||
      poll(*calls.stream_wait, stream, nanoseconds_now() + limit_in_nanoseconds(patience)) !=
          calls.stream_wait->not_ready) {
    return false;
  }
  const bool is_last = __atomic_add_fetch(&given_up, 1U, __ATOMIC_RELAXED) >= most;
  log_line(
      LogLevel::warn,
      "warpsafe: %s: kernel '%.*s' has not ended after %llu s, at %s:%u; it may wait for another "
      "rank, in a collective of NCCL, RCCL or MPI, so the program goes on; %s",
      Environment::get().blocking == nullptr ? "debug::set_blocking" : Environment::get().blocking,
      static_cast<int>(record.kernel.size), record.kernel.data,
      static_cast<unsigned long long>(patience / 1000),
      record.site.file == nullptr ? "?" : record.site.file, record.site.line,
      is_last ? "no launch waits from now on" : "later launches wait");
  if (is_last) set_blocking(false);
  return true;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail
