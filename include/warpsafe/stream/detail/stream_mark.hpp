// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/stream/detail/beside_captures.hpp>
#include <warpsafe/stream/detail/on_device.hpp>
#include <warpsafe/stream/device.hpp>
#include <warpsafe/stream/stream.hpp>

#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// A point in a stream, or none. Unlike an Event it can move to a later point, and its stream may
/// be of another device than the current one.
template <class B>
class StreamMark {
 public:
  StreamMark() noexcept = default;
  StreamMark(StreamMark&& other) noexcept
      : native_(std::exchange(other.native_, nullptr)), point_(other.point_) {}
  StreamMark& operator=(StreamMark&& other) noexcept {
    std::swap(native_, other.native_);
    std::swap(point_, other.point_);
    return *this;
  }
  StreamMark(const StreamMark&) = delete;
  StreamMark& operator=(const StreamMark&) = delete;
  // Submitted waits for the event outlast it.
  ~StreamMark() {
    if (native_ == nullptr) return;
    report_dropped<B>(B::event_destroy(native_), Name::of("event destroy"),
                      "synchronize the stream to find the cause", point_.device);
  }

  /// Sets the point after everything submitted to `stream` so far. Returns the runtime's status.
  /// @pre the stream does not capture
  [[nodiscard]] int set(basic_stream_ref<B> stream) noexcept {
    return on_device<B>(stream.device().value(), [&]() noexcept -> int {
      if (native_ == nullptr) {
        typename B::native_event made{};
        if (const int status = B::event_create(made, false)) return status;
        native_ = made;
      }
      point_ = StreamPoint::of(stream);
      return B::event_record(native_, stream.native());
    });
  }
  /// Makes later work of `stream` wait for the point. Returns the runtime's status.
  [[nodiscard]] int order_before(basic_stream_ref<B> stream) const noexcept {
    if (native_ == nullptr) return 0;
    return on_device_of<B>(stream,
                           [&]() noexcept { return B::stream_wait(stream.native(), native_); });
  }
  /// Waits on the host until the stream reaches the point. Returns the runtime's status, or
  /// B::not_ready if the wait was ended, which only `may_stop` allows (wait_for_stream).
  template <CheckLevel Level = CheckLevel::full>
  [[nodiscard]] int wait(call_site site, bool may_stop) const noexcept {
    if (native_ == nullptr) return 0;
    const RelaxedCaptureScope<B, Level> outside;
    const int status = wait_for_event<B>(native_, point_, site, may_stop);
    if (status == 0) point_.reached(B::vendor);
    return status;
  }
  /// 0 if the stream has reached the point, B::not_ready if not, else the runtime's status.
  template <CheckLevel Level = CheckLevel::full>
  [[nodiscard]] int query() const noexcept {
    if (native_ == nullptr) return 0;
    const RelaxedCaptureScope<B, Level> outside;
    const int status = B::event_query(native_);
    if (status == 0) point_.reached(B::vendor);
    return status;
  }
  /// Whether the stream is known to have reached the point. Prefers what the backend can tell
  /// without a call of its runtime (Backend's `event_ended`).
  [[nodiscard]] bool has_ended() const noexcept {
    if constexpr (requires { B::event_ended(native_); }) {
      return B::event_ended(native_);
    } else {
      return query() == 0;
    }
  }

 private:
  typename B::native_event native_ = nullptr;
  StreamPoint point_;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
