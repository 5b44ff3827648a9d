// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/core/launch_record.hpp>

namespace warpsafe::debug {

/// One launch of a list, on a line of its own: number, kernel, dimensions, and its place. The
/// stream where the list is not of one stream.
inline void put_listed(warpsafe::detail::TextBuffer& out, const LaunchRecord& record,
                       bool with_stream) noexcept {
  out << "\n    #" << record.sequence << " '" << record.kernel << "', grid=" << record.grid
      << ", block=" << record.block << ", shared=" << record.dynamic_shared << " bytes";
  if (with_stream) out << ", stream " << record.stream;
  if (record.site.file != nullptr) out << ", at " << record.site;
}

}  // namespace warpsafe::debug
