// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/detail/memory_owner.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/kernel/detail/arguments.hpp>
#include <warpsafe/stream/detail/capturing.hpp>
#include <warpsafe/stream/detail/waiting.hpp>
#include <warpsafe/stream/stream_ref.hpp>

// What is checked before a stream uses a buffer. record_uses (kernel/detail/arguments.hpp) records
// the use behind it.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// The owner in the views of a buffer, which may have no memory.
[[nodiscard]] inline MemoryOwner* owner_or_closed(MemoryOwner* memory) noexcept {
  return memory == nullptr ? &closed_memory : memory;
}

[[WARPSAFE_DETAIL_RARE]] inline LaunchError closed_error(Name operation, const call_site& site,
                                                         int reason = memory_was_freed) noexcept {
  LaunchError error = LaunchError::make(Errc::memory_closed, Stage::construction, site);
  error.operation = operation;
  error.subcode = why_closed(reason);
  return error;
}
/// Errc::memory_closed for a buffer that was closed or moved from.
[[nodiscard, gnu::always_inline]] inline result<void> check_open(bool closed, Name operation,
                                                                 const call_site& site) noexcept {
  if (!closed) [[likely]]
    return success();
  return closed_error(operation, site);
}

/// Errc::stream_capturing for an operation that waits or uses host memory: the graph would run it
/// later, when nothing waits and the memory may not exist; on the legacy stream it would break the
/// capture of a stream that this one waits for. Errc::stream_null for a Stream that was
/// moved from or closed.
template <CheckLevel Level, class B>
[[nodiscard, gnu::always_inline]] inline result<void> check_not_capturing(
    const basic_stream_ref<B>& stream, Name operation, const call_site& site) noexcept {
  const result<void> there = check_stream<Level>(operation, stream, site);
  if (!there.has_value()) return there;
  if (meets_capture<Level>(stream)) [[unlikely]]
    return refused_on(stream, Errc::stream_capturing, operation, site);
  return success();
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
