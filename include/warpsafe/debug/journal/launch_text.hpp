// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/limit_fields.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/core/launch_record.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/debug/log.hpp>

#include <cstddef>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

/// Writes a device's limits in one line: those that are not 0, under the names of DeviceLimits. The
/// text is cut to fit into `buffer` of `capacity` bytes and terminated; 1024 bytes hold it with a
/// name of ordinary length. Returns the bytes written without the terminator.
inline std::size_t format_limits(const DeviceLimits& limits, char* buffer,
                                 std::size_t capacity) noexcept {
  warpsafe::detail::TextBuffer out(buffer, capacity);
  out << "Device " << limits.device << " '" << limits.name << "': ";
  warpsafe::detail::put_numbers(out, &limits, warpsafe::detail::device_limit_fields);
  if (limits.floored) {
    out << " (limits that the device does not report have their documented minimum)";
  }
  return out.size();
}

/// Writes one launch of a list on a line of its own: number, kernel, dimensions and place.
/// `with_stream` also writes its stream.
inline void put_listed(warpsafe::detail::TextBuffer& out, const LaunchRecord& record,
                       bool with_stream) noexcept {
  out << "\n    #" << record.sequence << " '" << record.kernel << "', grid=" << record.grid
      << ", block=" << record.block << ", shared=" << record.dynamic_shared << " bytes";
  if (with_stream) out << ", stream " << record.stream;
  detail::put_place(out, record.site);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
