// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/name.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/error/result.hpp>

namespace warpsafe::detail {

/// Errc::stream_null for what is left of a Stream that was moved from or closed: to a vendor's
/// runtime that is its default stream, so memory, handles, captures and events would be made on it,
/// and waits be for other work. `stream` is a basic_stream_ref, which includes this.
template <class Ref>
[[nodiscard]] result<void> check_stream_there(Name operation, const Ref& stream,
                                              call_site site) noexcept {
  if (stream.native() != nullptr) [[likely]]
    return success();
  LaunchError error = LaunchError::make(Errc::stream_null, Stage::validation, site);
  error.vendor = Ref::backend::vendor;
  error.operation = operation;
  error.subcode = Subcode::stream_closed;
  return error;
}

}  // namespace warpsafe::detail
