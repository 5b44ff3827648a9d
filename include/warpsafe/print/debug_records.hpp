// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/memory_access.hpp>
#include <warpsafe/core/launch_record.hpp>
#include <warpsafe/core/observer.hpp>
#include <warpsafe/debug/environment.hpp>
#include <warpsafe/print/detail/print_text.hpp>
#include <warpsafe/print/values.hpp>
#include <warpsafe/race/race_report.hpp>
#include <warpsafe/race/stream_history.hpp>

#include <cstdint>
#include <ostream>

// operator<< for records of launches and waits, and for the types of the debug tools; print.hpp has
// it for the other types.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

template <>
inline constexpr bool detail::is_printed_by_name<debug::LogLevel> = true;
template <>
inline constexpr bool detail::is_printed_by_name<LaunchState> = true;
template <>
inline constexpr bool detail::is_printed_by_name<LaunchOption> = true;
template <>
inline constexpr bool detail::is_printed_by_name<LaunchVerdict> = true;
template <>
inline constexpr bool detail::is_printed_by_name<AccessKind> = true;
template <>
inline constexpr bool detail::is_printed_by_name<debug::ActionKind> = true;
template <>
inline constexpr bool detail::is_printed_by_name<debug::Mistake> = true;

/// Prints `#12 'scale', grid=(4,1,1), block=(256,1,1), shared=0 bytes, stream 0x55d0c8 of device 0,
/// submitted, at main.cpp:41`.
inline std::ostream& operator<<(std::ostream& out, const LaunchRecord& record) {
  out << '#' << record.sequence << " '" << record.kernel << "', grid=";
  detail::put_axes(out, record.grid);
  detail::put_axes(out << ", block=", record.block);
  out << ", shared=" << record.dynamic_shared << " bytes";
  if (record.has(LaunchOption::cluster)) {
    const std::uint32_t axes[3] = {record.cluster[0], record.cluster[1], record.cluster[2]};
    detail::put_axes(out << ", cluster=", axes);
  }
  if (record.has(LaunchOption::non_portable_cluster)) out << ", not portable";
  if (record.has(LaunchOption::priority)) out << ", priority=" << int{record.priority};
  if (record.has(LaunchOption::cooperative)) out << ", cooperative";
  if (record.has(LaunchOption::programmatic)) out << ", dependent_launch";
  out << ", stream ";
  detail::put_address(out, record.stream);
  return out << " of device " << record.device << ", " << record.state << ", at " << record.site;
}
/// Prints `stream synchronize, stream 0x55d0c8 of device 0: 0 after 1200 ns`, with the runtime's
/// own status.
inline std::ostream& operator<<(std::ostream& out, const WaitRecord& wait) {
  out << wait.what << ", stream ";
  detail::put_address(out, wait.stream);
  return out << " of device " << wait.device << ": " << wait.status << " after "
             << wait.ended - wait.begun << " ns";
}

/// Prints `write of 64 bytes at 0x7f52a8`; for rows, `write of 3 rows of 64 bytes, 256 bytes apart,
/// at 0x7f52a8`; without a size, `write of the allocation that holds 0x7f52a8`.
inline std::ostream& operator<<(std::ostream& out, const MemoryAccess& access) {
  out << access.kind << " of ";
  if (access.bytes == MemoryAccess::whole_allocation) {
    out << "the allocation that holds ";
  } else if (access.rows > 1) {
    out << access.rows << " rows of " << access.bytes << " bytes, " << access.pitch
        << " bytes apart, at ";
  } else {
    out << access.bytes << " bytes at ";
  }
  detail::put_address(out, reinterpret_cast<const void*>(access.begin));
  return out;
}

namespace debug {

using warpsafe::operator<<;  // makes it visible for the enumerations of this namespace

/// Prints the finding's text.
inline std::ostream& operator<<(std::ostream& out, const Finding& finding) {
  return out << finding.text;
}

}  // namespace debug
}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
