// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/core/launch_record.hpp>
#include <warpsafe/debug/data/dump_writer.hpp>
#include <warpsafe/debug/journal/log.hpp>
#include <warpsafe/error/error.hpp>

#include <sched.h>

#include <cstddef>
#include <cstdint>

// What the tools that look at a launch's data say, but for the comparison itself (shadow.hpp).

namespace warpsafe::debug::detail {

/// What is done with one launch.
struct DataModes {
  bool reference;
  bool shadow;
  bool trace;
};

/// Something about a kernel that every launch of it would repeat: true the first time.
[[gnu::cold]] inline bool is_new(const Name& kernel, const char* what) noexcept {
  constexpr std::size_t capacity = 128;
  struct Said {
    const char* kernel;
    const char* what;
  };
  static Said said[capacity];
  static bool busy = false;
  while (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE)) sched_yield();
  std::size_t i = 0;
  while (i < capacity && said[i].what != nullptr &&
         (said[i].kernel != kernel.data || said[i].what != what)) {
    ++i;
  }
  const bool fresh = i < capacity && said[i].what == nullptr;
  if (fresh) said[i] = {kernel.data, what};
  __atomic_clear(&busy, __ATOMIC_RELEASE);
  return fresh;
}

/// "warpsafe: WARPSAFE_SHADOW: kernel 'axpy' is not compared: WHY, at FILE:LINE", once per kernel
/// and reason.
[[gnu::cold]] inline void say_not_done(const LaunchRecord& record, const DataModes& modes,
                                       const char* why, std::size_t argument = 0) noexcept {
  if (Environment::get().silent || !is_new(record.kernel, why)) return;
  char text[1024];
  warpsafe::detail::TextBuffer out(text, sizeof text);
  out << "warpsafe: "
      << (modes.reference ? "WARPSAFE_REFERENCE"
          : modes.shadow  ? "WARPSAFE_SHADOW"
                          : "WARPSAFE_TRACE")
      << ": kernel '" << record.kernel << "' "
      << (modes.reference ? "runs as it is: "
          : modes.shadow  ? "is not compared: "
                          : "is not written: ");
  if (argument != 0) out << "argument " << std::uint64_t{argument} << ' ';
  out << why;
  if (record.site.file != nullptr) out << ", at " << record.site;
  write_log(LogLevel::warn, text, out.size());
}

[[gnu::cold]] inline void say_dumped(const LaunchRecord& record, const DumpWriter& dump) noexcept {
  if (Environment::get().silent) return;
  if (dump.problem().empty()) {
    log_line(LogLevel::warn, "warpsafe: launch %llu, kernel '%.*s', is written to %s",
             static_cast<unsigned long long>(record.sequence), static_cast<int>(record.kernel.size),
             record.kernel.data, dump.folder().c_str());
  } else {
    log_line(LogLevel::warn, "warpsafe: launch %llu, kernel '%.*s', cannot be written: %s",
             static_cast<unsigned long long>(record.sequence), static_cast<int>(record.kernel.size),
             record.kernel.data, dump.problem().c_str());
  }
}

/// The error with the launch that it is about beside it.
[[nodiscard]] inline LaunchError error_of(const LaunchRecord& record, LaunchError error) noexcept {
  error.kernel = record.kernel;
  for (int axis = 0; axis < 3; ++axis) {
    error.grid[axis] = record.grid[axis];
    error.block[axis] = record.block[axis];
  }
  error.dynamic_shared = record.dynamic_shared;
  error.stream = record.stream;
  error.device = record.device;
  error.sequence = record.sequence;
  error.site = record.site;
  return error;
}

}  // namespace warpsafe::debug::detail
