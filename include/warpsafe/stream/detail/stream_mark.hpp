// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/runtime_call.hpp>
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
      : native_(std::exchange(other.native_, nullptr)),
        destroy_(other.destroy_),
        point_(other.point_) {}
  StreamMark& operator=(StreamMark&& other) noexcept {
    std::swap(native_, other.native_);
    std::swap(destroy_, other.destroy_);
    std::swap(point_, other.point_);
    return *this;
  }
  StreamMark(const StreamMark&) = delete;
  StreamMark& operator=(const StreamMark&) = delete;
  // Submitted waits for the event outlast it.
  ~StreamMark() {
    if (native_ == nullptr) return;
    report_dropped<B>(destroy_(native_), Name::of("event destroy"),
                      "synchronize the stream to find the cause");
  }

  /// Sets the point after everything submitted to `stream` so far. Returns the runtime's status.
  /// @pre the stream does not capture
  template <CheckLevel Level>
  [[nodiscard]] int set(basic_stream_ref<B> stream) noexcept {
    return on_device<B, Level>(stream.device().value(), [&]() noexcept -> int {
      if (native_ == nullptr) {
        typename B::native_event made{};
        if (const int status = call<B, Level, &B::event_create>(made, false)) return status;
        native_ = made;
        destroy_ = call<B, Level, &B::event_destroy>;
      }
      point_ = StreamPoint::of(stream);
      return call<B, Level, &B::event_record>(native_, stream.native());
    });
  }
  /// Makes later work of `stream` wait for the point. Returns the runtime's status.
  template <CheckLevel Level>
  [[nodiscard]] int order_before(basic_stream_ref<B> stream) const noexcept {
    if (native_ == nullptr) return 0;
    return on_device_of<B, Level>(stream, [&]() noexcept {
      return call<B, Level, &B::stream_wait>(stream.native(), native_);
    });
  }
  /// Waits on the host until the stream reaches the point. Returns the runtime's status, or
  /// B::not_ready if the wait was ended, which only `may_stop` allows (wait_for_stream).
  template <CheckLevel Level>
  [[nodiscard]] int wait(call_site site, bool may_stop) const noexcept {
    if (native_ == nullptr) return 0;
    const RelaxedCaptureScope<B, Level> outside;
    const int status = wait_for_event<B, Level>(native_, point_, site, may_stop);
    if (status == 0) point_.reached(B::vendor);
    return status;
  }
  /// 0 if the stream has reached the point, B::not_ready if not, else the runtime's status.
  template <CheckLevel Level>
  [[nodiscard]] int query() const noexcept {
    if (native_ == nullptr) return 0;
    const RelaxedCaptureScope<B, Level> outside;
    const int status = call<B, Level, &B::event_query>(native_);
    if (status == 0) point_.reached(B::vendor);
    return status;
  }
  /// Whether the stream is known to have reached the point. Prefers what the backend can tell
  /// without a call of its runtime (Backend's `event_ended`).
  template <CheckLevel Level>
  [[nodiscard]] bool has_ended() const noexcept {
    if constexpr (requires { B::event_ended(native_); }) {
      return B::event_ended(native_);
    } else {
      return query<Level>() == 0;
    }
  }

 private:
  typename B::native_event native_ = nullptr;
  /// The runtime's call, traced or not, by the check level that made the event.
  int (*destroy_)(typename B::native_event event) noexcept = nullptr;
  StreamPoint point_;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
