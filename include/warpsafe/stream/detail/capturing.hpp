// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/capture_hooks.hpp>
#include <warpsafe/error/errc.hpp>
#include <warpsafe/stream/detail/on_device.hpp>
#include <warpsafe/stream/stream_ref.hpp>

// Whether a stream captures. What a call does about it: beside_captures.hpp, and breaks_capture of
// waiting.hpp.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// What the driver says of the stream. Returns its status.
template <class B>
[[nodiscard]] int ask_whether_capturing(basic_stream_ref<B> stream, bool& capturing) noexcept {
  return on_device_of<B>(
      stream, [&]() noexcept { return B::stream_capturing(stream.native(), capturing); });
}
/// Whether the stream captures. A stream that cannot be asked counts as not capturing.
template <class B>
[[nodiscard]] bool is_capturing(basic_stream_ref<B> stream) noexcept {
  bool capturing = false;
  return ask_whether_capturing(stream, capturing) == 0 && capturing;
}
/// The same, but a stream that cannot be asked counts as capturing.
template <class B>
[[nodiscard]] bool may_be_capturing(basic_stream_ref<B> stream) noexcept {
  bool capturing = false;
  return ask_whether_capturing(stream, capturing) != 0 || capturing;
}

/// The same. With checks off, a capture that other code began is only found while this library
/// captures, too.
template <CheckLevel Level, class B>
[[nodiscard, gnu::always_inline]] inline bool captures(basic_stream_ref<B> stream) noexcept {
  return may_meet_captures<Level>() && is_capturing(stream);
}

/// Whether a use of the stream would become part of a capture or break one: it captures, or it is
/// the legacy stream and a stream that synchronises with it captures. With checks off as
/// `captures`.
template <CheckLevel Level, class B>
[[nodiscard]] bool meets_capture(basic_stream_ref<B> stream) noexcept {
  if (!may_meet_captures<Level>()) return false;
  bool capturing = false;
  const int status = ask_whether_capturing(stream, capturing);
  return capturing || (status != 0 && B::classify(status) == Errc::stream_capturing);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
