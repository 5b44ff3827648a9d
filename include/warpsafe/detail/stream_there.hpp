// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/error.hpp>
#include <warpsafe/name.hpp>
#include <warpsafe/result.hpp>
#include <warpsafe/stream_ref.hpp>

namespace warpsafe::detail {

/// Errc::stream_null for what is left of a Stream that was moved from or closed: to a vendor's
/// runtime that is its default stream, so memory, handles and captures would be made on it.
template <class B>
[[nodiscard]] result<void> check_stream_there(Name operation, basic_stream_ref<B> stream,
                                              call_site site) noexcept {
  if (stream.native() != nullptr) [[likely]]
    return success();
  LaunchError error = LaunchError::make(Errc::stream_null, Stage::validation, site);
  error.vendor = B::vendor;
  error.operation = operation;
  error.extra = 1;
  return error;
}

}  // namespace warpsafe::detail
