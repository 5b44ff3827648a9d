// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/compare/detail/compare_elements.hpp>
#include <warpsafe/core/detail/process_lock.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/core/launch_record.hpp>
#include <warpsafe/debug/data/detail/dump_writer.hpp>
#include <warpsafe/debug/data/detail/launch_memory.hpp>
#include <warpsafe/debug/detail/catch_bad_alloc.hpp>
#include <warpsafe/debug/detail/launch_of_error.hpp>
#include <warpsafe/debug/journal/launch_text.hpp>
#include <warpsafe/debug/log.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/kernel/reference.hpp>
#include <warpsafe/launch/detail/launch_arguments.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>

// The host's reference of a kernel: whether it can replace one launch, its run, and how far the
// kernel's results differ from the reference's.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

namespace detail {

using warpsafe::detail::LaunchArguments;

/// What is done with one launch.
struct DataModes {
  bool reference;
  bool shadow;
  bool trace;
};

/// True only the first time for a kernel and a message, which every launch would otherwise repeat.
[[gnu::cold, gnu::visibility("default")]] inline bool is_first_report(const Name& kernel,
                                                                      const char* what) noexcept {
  constexpr std::size_t capacity = 128;
  struct Report {
    const char* kernel;
    const char* what;
  };
  static Report reports[capacity];
  static warpsafe::detail::ProcessLock lock{};
  const warpsafe::detail::Locked held(lock);
  std::size_t i = 0;
  while (i < capacity && reports[i].what != nullptr &&
         (reports[i].kernel != kernel.data || reports[i].what != what)) {
    ++i;
  }
  const bool first = i < capacity && reports[i].what == nullptr;
  if (first) reports[i] = {kernel.data, what};
  return first;
}

/// Writes "warpsafe: WARPSAFE_SHADOW: kernel 'axpy' is not compared: REASON, at FILE:LINE", once
/// per kernel and reason.
[[gnu::cold]] inline void log_skipped(const LaunchRecord& record, const DataModes& modes,
                                      const char* reason, std::size_t argument = 0) noexcept {
  if (Environment::get().silent || !is_first_report(record.kernel, reason)) return;
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
  out << reason;
  put_place(out, record.site);
  write_log(LogLevel::warn, text, out.size());
}

[[gnu::cold]] inline void log_dump(const LaunchRecord& record, const DumpWriter& dump) noexcept {
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

[[gnu::visibility("default")]] inline std::uint64_t mismatches_found = 0;

/// Whether a value that is no pointer, such as a structure, contains a device address.
[[nodiscard]] inline bool contains_address(const LaunchArguments& arguments,
                                           std::size_t i) noexcept {
  const auto& parameter = arguments.entry.parameters[i];
  for (std::size_t at = 0; at + sizeof(void*) <= parameter.size; at += sizeof(void*)) {
    const void* word = nullptr;
    std::memcpy(&word, static_cast<const unsigned char*>(arguments.values[i]) + at, sizeof word);
    MemoryKind kind{};
    int device = -1;
    if (word == nullptr) continue;
    const int queried = arguments.calls.pointer_kind(word, kind, device);
    if (queried == 0 && kind != MemoryKind::unregistered) {
      return true;
    }
  }
  return false;
}

/// The reason why the host's reference cannot replace the kernel, or nullptr. `argument` counts
/// from 1; 0 if the reason is about no argument.
[[nodiscard]] inline const char* reference_obstacle(const LaunchArguments& arguments,
                                                    std::size_t& argument) noexcept {
  argument = 0;
  if (arguments.reference == nullptr) {
    return "it carries no reference; launch it as kernel<fn, reference<host_fn>>";
  }
  for (std::size_t i = 0; i < arguments.entry.parameter_count; ++i) {
    argument = i + 1;
    if (arguments.memory[i].bytes == warpsafe::detail::unknown_extent) {
      return "is a pointer, and its number of elements is not known; pass a buffer's view(), or "
             "trust(p, count)";
    }
    if (!arguments.entry.parameters[i].is_pointer && contains_address(arguments, i)) {
      return "contains a device address, and the size of the memory there is not known; pass the "
             "memory as a parameter of its own";
    }
  }
  argument = 0;
  return nullptr;
}

/// Runs the host's function on the copies from before the launch, in place. False if the host has
/// no memory left.
[[nodiscard]] inline bool run_reference(const LaunchArguments& arguments,
                                        const LaunchMemory& memory) noexcept {
  const std::size_t count = memory.arguments();
  const std::unique_ptr<void*[]> places(new (std::nothrow) void*[count + 1]);
  const std::unique_ptr<std::uint64_t[]> bytes(new (std::nothrow) std::uint64_t[count + 1]);
  if (places == nullptr || bytes == nullptr) return false;
  for (std::size_t i = 0; i < count; ++i) {
    places[i] = memory.before(i);
    bytes[i] = memory.bytes(i);
  }
  arguments.reference->run(arguments.shape, arguments.values, places.get(), bytes.get());
  return true;
}

/// Compares what the kernel wrote with what the reference computed, and reports each argument that
/// differs. If `tolerance` is nullptr, each type has its own. Returns true if any argument differs,
/// with the first such argument in `error`.
[[nodiscard]] inline bool log_mismatches(const LaunchRecord& record, const LaunchMemory& memory,
                                         const Tolerance* tolerance, LaunchError& error) noexcept {
  bool found = false;
  for (std::size_t i = 0; i < memory.arguments(); ++i) {
    if (!memory.reaches(i) || !memory.writes(i)) continue;
    const ElementType type = memory.element(i).type;
    const std::size_t count = memory.bytes(i) / element_size(type);
    Comparison compared =
        warpsafe::detail::count_differences(type, memory.after(i), memory.before(i), count,
                                            tolerance != nullptr ? *tolerance : tolerance_of(type));
    if (compared.agrees()) continue;
    char start[1024];
    warpsafe::detail::TextBuffer out(start, sizeof start);
    out << "warpsafe: launch " << record.sequence << ", kernel '" << record.kernel << "': argument "
        << std::uint64_t{i + 1}
        << " differs from the result of the kernel's reference\n  grid=" << record.grid
        << ", block=" << record.block << ", shared=" << record.dynamic_shared << " bytes, stream "
        << record.stream;
    put_place(out, record.site);
    const auto log_numbers = [&] {
      compared.neighbourhood = warpsafe::detail::neighbourhood(
          type, memory.after(i), memory.before(i), count, compared.first_mismatch);
      const std::string text = std::string(start) + "\n  " + message(compared);
      write_log(LogLevel::error, text.c_str(), text.size());
    };
    if (!has_memory_for(log_numbers)) {
      out << "\n  " << compared.mismatches << " of " << compared.count
          << " numbers differ; there is no host memory to show them";
      write_log(LogLevel::error, start, out.size());
    }
    __atomic_add_fetch(&mismatches_found, 1, __ATOMIC_RELAXED);
    if (found) continue;
    found = true;
    error = LaunchError::make(Errc::reference_differs, Stage::completion, compared.mismatches,
                              compared.count);
    put_launch(error, record);
    error.extra = i + 1;  // argument()
    error.vendor = record.vendor;
  }
  return found;
}

}  // namespace detail

/// How many arguments of launches have differed from their references so far (WARPSAFE_SHADOW). Use
/// it in programs that do not stop at an error (WARPSAFE_ON_ERROR=warn).
[[nodiscard]] inline std::uint64_t shadow_mismatches() noexcept {
  return __atomic_load_n(&detail::mismatches_found, __ATOMIC_RELAXED);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
