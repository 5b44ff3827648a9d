// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/capture_hooks.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/stream/detail/capturing.hpp>
#include <warpsafe/stream/detail/on_device.hpp>
#include <warpsafe/stream/detail/waiting.hpp>
#include <warpsafe/stream/stream.hpp>

// How a call spares the captures of other streams.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// During its lifetime the calling thread may allocate, and wait for work outside any capture, even
/// while a stream captures somewhere. Otherwise the runtime refuses those calls and breaks that
/// capture, since they may use a default stream. At level off, only while this library captures.
/// Without a level: for what is rare and takes long.
template <class B, CheckLevel Level = CheckLevel::full>
class [[nodiscard]] RelaxedCaptureScope : RelaxedMode<B> {
 public:
  [[gnu::always_inline]] RelaxedCaptureScope() noexcept
      : RelaxedMode<B>(may_meet_captures<Level>()) {}
};

/// Waits for the stream's work, even if other streams capture. Like
/// basic_stream_ref::synchronize, but without a time-out.
template <CheckLevel Level, class B>
[[nodiscard]] result<void> wait_for(basic_stream_ref<B> stream, call_site site) noexcept {
  const RelaxedCaptureScope<B, Level> outside;
  return StreamAccess::wait_uninterrupted<Level>(stream, site);
}

/// Waits for what a failed operation has submitted to the stream: its caller takes it for one that
/// uses no memory. If the wait fails, too, nothing keeps the memory.
template <class B>
[[WARPSAFE_DETAIL_RARE]] void end_submitted(const basic_stream_ref<B>& stream) noexcept {
  const RelaxedCaptureScope<B> outside;
  static_cast<void>(wait_for_stream(stream, {}, false));
}
/// on_device for a body that submits work to `stream`, which may be of another device. If the
/// device cannot be restored afterwards, the work ends before the error is returned.
template <class B, class Body>
[[nodiscard, gnu::always_inline]] inline int submit_on_device(int device,
                                                              const basic_stream_ref<B>& stream,
                                                              const Body& body) noexcept {
  bool submitted = false;
  const int status = on_device<B>(device, [&]() noexcept {
    const int own = body();
    submitted = own == 0;
    return own;
  });
  if (status != 0 && submitted) [[unlikely]]
    end_submitted(stream);
  return status;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
