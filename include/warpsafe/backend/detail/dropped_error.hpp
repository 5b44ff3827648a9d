// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/error/error.hpp>

#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Whether the error reports a fault in work that was submitted earlier, whichever call returned
/// it.
[[nodiscard, gnu::always_inline]] constexpr bool reports_earlier_fault(
    const LaunchError& error) noexcept {
  return error.severity == Severity::context_lost || error.code == Errc::execution_failed ||
         error.code == Errc::pending_error || error.code == Errc::barrier_divergence;
}

/// The errors about faults of earlier work that the program has been given, for each device; the
/// last number counts those about a device that is not known. After such a fault each call fails,
/// so a destructor that meets it says nothing if the program knows of the fault. One variable for
/// the whole program.
struct FaultsTold {
  static constexpr int devices = cached_devices;
  std::uint64_t count[devices + 1];  ///< static storage is zero

  [[nodiscard, gnu::always_inline]] std::uint64_t& on(int device) noexcept {
    return count[device >= 0 && device < devices ? device : devices];
  }
  /// Those that may be about the device. Taken back for a destructor's error, it may be less than
  /// before.
  [[nodiscard]] std::uint64_t about(int device) noexcept {
    return __atomic_load_n(&on(device), __ATOMIC_ACQUIRE) +
           __atomic_load_n(&count[devices], __ATOMIC_ACQUIRE);
  }
  [[nodiscard]] std::uint64_t all() const noexcept {
    std::uint64_t sum = 0;
    for (const std::uint64_t& one : count) sum += __atomic_load_n(&one, __ATOMIC_ACQUIRE);
    return sum;
  }
};
[[gnu::visibility("default")]] inline FaultsTold faults_told;

/// Counts a new error if it is about a fault of earlier work, and returns whether it is. `device`:
/// -1 if it is not known.
[[gnu::always_inline]] inline bool count_fault(const LaunchError& error, int device) noexcept {
  const bool earlier = reports_earlier_fault(error);
  if (earlier) __atomic_add_fetch(&faults_told.on(device), 1, __ATOMIC_ACQ_REL);
  return earlier;
}

/// The status of calls after main(), when the runtime has shut down and has freed everything:
/// cudaErrorCudartUnloading, hipErrorDeinitialized and HostStatus::deinitialized.
inline constexpr int runtime_has_ended = 4;

/// The status of calls without memory of the host: cudaErrorMemoryAllocation, hipErrorOutOfMemory
/// and HostStatus::out_of_memory.
inline constexpr int no_host_memory = 2;

/// Prints an error that no call returns: a destructor met it. `advice` says how to get it. A fault
/// is printed unless the program knows of one, on the device if it is known: `device`, or -1.
[[WARPSAFE_DETAIL_RARE]] inline void print_dropped(const LaunchError& error, const char* advice,
                                                   int device = -1) noexcept {
  if (error.raw == runtime_has_ended && error.code == Errc::runtime_failed) return;
  if (reports_earlier_fault(error)) {
    // This error was counted, too. What is printed counts as given.
    std::uint64_t& given = faults_told.on(device);
    __atomic_sub_fetch(&given, 1, __ATOMIC_ACQ_REL);
    if ((device < 0 ? faults_told.all() : faults_told.about(device)) != 0) return;
    __atomic_add_fetch(&given, 1, __ATOMIC_ACQ_REL);
  }
  char text[2048];  // the CPU model's text of a fault takes up to half of it
  TextBuffer out(text, sizeof text);
  out << "warpsafe: " << error.operation << " failed: " << error.raw_text << " (" << error.raw_name
      << "); a destructor drops this error: " << advice << '\n';
  write_stderr({text, out.size()});
}
/// Prints the error of what a destructor did, if there is one. `device`: as of print_dropped.
template <class Result>
[[gnu::always_inline]] inline void report_dropped(
    const Result& done, int device = -1, const char* advice = "call close() to get it") noexcept {
  if (!done.has_value()) [[unlikely]]
    print_dropped(done.assume_error(), advice, device);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
