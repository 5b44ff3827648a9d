// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/call_scope.hpp>
#include <warpsafe/backend/detail/dropped_error.hpp>
#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/detail/capture_hooks.hpp>
#include <warpsafe/core/detail/observing.hpp>
#include <warpsafe/core/detail/refused.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/stream/detail/on_device.hpp>
#include <warpsafe/stream/detail/waiting.hpp>
#include <warpsafe/stream/stream.hpp>

#include <cstdint>
#include <type_traits>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// A point in a stream that can be waited for. Recording creates it, so every event marks a point;
/// `record` moves it. Move-only. `Timed` events measure time; the others are cheaper.
///
/// An event recorded in a capture is a point in the graph, not in the stream. It orders streams
/// that take part in that capture, and nothing else.
template <class B, bool Timed>
class WARPSAFE_DETAIL_OWNER basic_event {
 public:
  /// The point after everything submitted to `stream` so far. Errc::runtime_failed, ::no_device,
  /// ::stream_null (a Stream that was moved from or closed), ::stream_wrong_device (another device
  /// than the stream's is current).
  template <CheckLevel Level = current_level>
  [[nodiscard, gnu::always_inline]] static result<basic_event> create(
      basic_stream_ref<B> stream, call_site site = call_site::current()) noexcept {
    if constexpr (Level == CheckLevel::off) {
      return create_inline<Level>(stream, site);
    } else {
      return create_out_of_line<Level>(stream, site);
    }
  }
  /// Moves the event to the point after everything submitted to `stream` so far. A wait that was
  /// submitted before is for the old point. One call of the runtime, where a new event takes three;
  /// an event of another device than the stream's is replaced by a new one. Errc as `create`, and
  /// ::event_moved. After an error the event marks the old point.
  template <CheckLevel Level = current_level>
  [[nodiscard, gnu::always_inline]] result<void> record(
      basic_stream_ref<B> stream, call_site site = call_site::current()) noexcept {
    if constexpr (Level == CheckLevel::off) {
      return record_inline<Level>(stream, site);
    } else {
      return record_out_of_line<Level>(stream, site);
    }
  }
#define WARPSAFE_DETAIL_SENTENCE \
  "warpsafe: an event is a point that a stream has reached, and has no constructor: WARPSAFE_TRY(const auto event, stream.record()), or stream.record_timed()"
  WARPSAFE_DETAIL_NO_CONSTRUCTOR(basic_event);
#undef WARPSAFE_DETAIL_SENTENCE
  basic_event(basic_event&& other) noexcept
      : native_(other.native_), point_(other.point_), capture_(other.capture_) {
    other.native_ = nullptr;
  }
  basic_event& operator=(basic_event&& other) noexcept {
    if (this != &other) {
      destroy();
      native_ = other.native_;
      point_ = other.point_;
      capture_ = other.capture_;
      other.native_ = nullptr;
    }
    return *this;
  }
  basic_event(const basic_event&,  // warpsafe: move the event, or pass a reference
              detail::MoveItOrPassAReference = {}) = delete;
  basic_event& operator=(const basic_event&) = delete;
  ~basic_event() { destroy(); }

  [[nodiscard]] typename B::native_event native() const noexcept { return native_; }
  /// Waits until the stream reaches the point. Errc::execution_failed; Errc::wait_timed_out if
  /// an observer ends the wait. Without a call of the runtime: Errc::captured_event for an
  /// event that was recorded in a capture, ::event_moved for one that was moved from, and
  /// ::stream_capturing if waiting would break a capture of this library.
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<void> synchronize(call_site site = call_site::current()) const noexcept {
    LaunchError refused;
    if (detail::breaks_capture<B, Level>(nullptr, native_, Name::of("event synchronize"), site,
                                         refused) ||
        !is_usable(Name::of("event synchronize"), false, site, refused)) {
      return refused;
    }
    const detail::CallScope<B> here(site);
    if (const int status = detail::wait_for_event<B>(native_, point_, site, true)) {
      return detail::runtime_error<B>(status, Name::of("event synchronize"), site,
                                      Stage::completion, point_.device);
    }
    point_.reached(B::vendor);
    return success();
  }
  /// Whether the stream has reached the point: `query().value()`. Errc as `synchronize`.
  template <CheckLevel Level = current_level>
  [[nodiscard]] answer<detail::later<B, Progress>> query(
      call_site site = call_site::current()) const noexcept {
    LaunchError refused;
    if (detail::breaks_capture<B, Level>(nullptr, native_, Name::of("event query"), site,
                                         refused) ||
        !is_usable(Name::of("event query"), false, site, refused)) {
      return refused;
    }
    const detail::CallScope<B> here(site);
    int status = B::event_query(native_);
    if (status == 0) point_.reached(B::vendor);
    status = detail::status_with_device_check(status);
    if (status == 0 || status == B::not_ready) {
      return status == 0 ? Progress::ready : Progress::not_ready;
    }
    return detail::runtime_error<B>(status, Name::of("event query"), site, Stage::completion,
                                    point_.device);
  }
  /// `query` as a bool: `ready().value()`.
  template <CheckLevel Level = current_level>
  [[nodiscard]] answer<detail::later<B, bool>> ready(
      call_site site = call_site::current()) const noexcept {
    return detail::is_ready<B>(query<Level>(site));
  }

  /// The device of the stream that the event was recorded in.
  [[nodiscard]] DeviceId device() const noexcept { return DeviceId(point_.device); }
  /// Whether both events were certainly recorded on one stream.
  [[nodiscard]] bool shares_stream_with(const basic_event& other) const noexcept {
    return detail::is_one_stream(point_.number, other.point_.number);
  }
  /// For the functions of this header.
  [[nodiscard, gnu::always_inline]] bool is_outside_captures() const noexcept {
    return native_ != nullptr && capture_ == 0;
  }
  /// For the functions of this header: whether the event orders work outside its capture or, with
  /// `may_join`, inside it. Otherwise puts Errc::event_moved or ::captured_event into `error`.
  [[nodiscard, gnu::always_inline]] bool is_usable(Name operation, bool may_join,
                                                   const call_site& site,
                                                   LaunchError& error) const noexcept {
    if (is_outside_captures()) [[likely]]
      return true;
    return belongs_to_open_capture(operation, may_join, site, error);
  }

 private:
  /// The capture of an event that other code's capture holds. Only checked builds find out.
  static constexpr std::uint64_t others_capture = ~std::uint64_t{0};

  /// The rest of `is_usable`.
  [[WARPSAFE_DETAIL_RARE]] bool belongs_to_open_capture(Name operation, bool may_join,
                                                        const call_site& site,
                                                        LaunchError& error) const noexcept {
    const detail::CaptureHooks* const hooks = detail::open_captures();
    const bool open = capture_ == others_capture || (hooks != nullptr && hooks->is_open(capture_));
    if (native_ != nullptr && may_join && open) return true;
    error = detail::refused_operation(native_ == nullptr ? Errc::event_moved : Errc::captured_event,
                                      B::vendor, operation, site);
    return false;
  }

  // With checks off, what a careful hand writes is compiled into the caller. A function would cost
  // more than its checks.
  template <CheckLevel Level>
  [[nodiscard, gnu::always_inline]] static result<basic_event> create_inline(
      const basic_stream_ref<B>& stream, const call_site& site) noexcept {
    const auto there = detail::check_stream<Level>(Name::of("event record"), stream, site);
    if (!there.has_value()) return there.assume_error();
    const detail::CallScope<B> here(site);
    LaunchError error;
    if (detail::StreamNumber::is_default(stream.native()) && is_far_default(stream, site, error)) {
      return error;
    }
    typename B::native_event event{};
    const int status = B::event_create(event, Timed);
    if (status != 0) return detail::runtime_error<B>(status, Name::of("event create"), site);
    basic_event made(event);
    const result<void> recorded = made.template record_native<Level>(stream, site);
    if (!recorded.has_value()) return recorded.assume_error();
    return made;
  }
  template <CheckLevel Level>
  [[nodiscard, gnu::noinline]] static result<basic_event> create_out_of_line(
      const basic_stream_ref<B>& stream, const call_site& site) noexcept {
    return create_inline<Level>(stream, site);
  }
  /// A record that needs nothing but the runtime's call.
  template <CheckLevel Level>
  [[nodiscard, gnu::always_inline]] result<void> record_inline(const basic_stream_ref<B>& stream,
                                                               const call_site& site) noexcept {
    if (!detail::is_plain_call<Level, true>(stream) || !can_move_to(stream))
      return record_in_full<Level>(stream, site);
    const detail::CallScope<B> here(site);
    const int status = B::event_record(native_, stream.native());
    if (status != 0) return record_failed(status, stream, site);
    note_record(stream, 0, others_capture_of<Level>(stream));
    return success();
  }
  template <CheckLevel Level>
  [[nodiscard, gnu::noinline]] result<void> record_out_of_line(const basic_stream_ref<B>& stream,
                                                               const call_site& site) noexcept {
    return record_inline<Level>(stream, site);
  }
  /// All of `record`.
  template <CheckLevel Level>
  [[nodiscard, gnu::cold, gnu::noinline]] result<void> record_in_full(basic_stream_ref<B> stream,
                                                                      call_site site) noexcept {
    const auto there = detail::check_stream<Level>(Name::of("event record"), stream, site);
    if (!there.has_value()) return there;
    if (!can_move_to(stream)) return replace<Level>(stream, site);
    const detail::CallScope<B> here(site);
    return record_native<Level>(stream, site);
  }
  /// In checked builds `others_capture` if the stream captures; else 0. @pre this library does not
  /// capture it
  template <CheckLevel Level>
  [[nodiscard, gnu::always_inline]] static std::uint64_t others_capture_of(
      const basic_stream_ref<B>& stream) noexcept {
    if constexpr (Level == CheckLevel::full) {
      bool capturing = false;
      if (B::stream_capturing(stream.native(), capturing) == 0 && capturing) [[unlikely]]
        return others_capture;
    }
    return 0;
  }
  /// Whether the event can be recorded in the stream. A default stream's handle means the current
  /// device's, which `create` asks for.
  [[nodiscard, gnu::always_inline]] bool can_move_to(
      const basic_stream_ref<B>& stream) const noexcept {
    return native_ != nullptr && stream.device() == device() &&
           !detail::StreamNumber::is_default(stream.native());
  }
  /// Becomes a new event.
  template <CheckLevel Level>
  [[WARPSAFE_DETAIL_RARE]] result<void> replace(basic_stream_ref<B> stream,
                                                const call_site& site) noexcept {
    if (native_ == nullptr) {
      return detail::refused_operation(Errc::event_moved, B::vendor, Name::of("event record"),
                                       site);
    }
    result<basic_event> made = create<Level>(stream, site);
    if (!made.has_value()) return made.assume_error();
    // nvcc takes the assignment for a value that is dropped, because the class is nodiscard.
    static_cast<void>(*this = std::move(made).assume_value());
    return success();
  }

  /// Records the event in a stream of its device, and stores where. After an error nothing is
  /// stored.
  template <CheckLevel Level>
  [[nodiscard, gnu::always_inline]] result<void> record_native(const basic_stream_ref<B>& stream,
                                                               const call_site& site) noexcept {
    const std::uint64_t time = detail::StreamPoint::now();
    const int status = B::event_record(native_, stream.native());
    std::uint64_t found = 0;
    if (const auto* const hooks = detail::open_captures()) [[unlikely]] {
      found = hooks->recorded(native_, {stream.native(), stream.number()});
    }
    if (status != 0) return record_error(status, stream, site);
    detail::tell_call<Level>(stream, Name::of("event record"), site);
    if (found == 0) found = others_capture_of<Level>(stream);
    note_record(stream, time, found);
    return success();
  }
  [[gnu::always_inline]] void note_record(const basic_stream_ref<B>& stream, std::uint64_t time,
                                          std::uint64_t capture) noexcept {
    point_.stream = stream.native();
    point_.number = detail::StreamNumber(stream.number());
    point_.time = time;
    point_.device = stream.device().value();
    capture_ = capture;
  }
  [[nodiscard, gnu::cold, gnu::noinline]] static result<void> record_failed(
      int status, basic_stream_ref<B> stream, call_site site) noexcept {
    return record_error(status, stream, site);
  }
  [[WARPSAFE_DETAIL_RARE]] static LaunchError record_error(int status, basic_stream_ref<B> stream,
                                                           const call_site& site) noexcept {
    LaunchError error = detail::runtime_error<B>(status, Name::of("event record"), site);
    static_cast<void>(is_of_another_device(stream, error));
    return error;
  }
  /// Whether a default stream is of another device than the current one. The runtime would record
  /// in the current device's, and succeed.
  [[WARPSAFE_DETAIL_RARE]] static bool is_far_default(basic_stream_ref<B> stream,
                                                      const call_site& site,
                                                      LaunchError& error) noexcept {
    error = LaunchError::make(Errc{}, Stage::runtime_call, site);
    return is_of_another_device(stream, error);
  }
  /// Whether another device than the stream's is current. Puts it into `error`.
  [[WARPSAFE_DETAIL_RARE]] static bool is_of_another_device(basic_stream_ref<B> stream,
                                                            LaunchError& error) noexcept {
    const int device = stream.device().value();
    int current = device;
    if (B::current_device(current) != 0 || current == device) return false;
    error.code = Errc::stream_wrong_device;
    error.vendor = B::vendor;
    error.operation = Name::of("event record");
    error.value = static_cast<std::uint64_t>(current);
    error.limit = static_cast<std::uint64_t>(device);
    return true;
  }

  explicit basic_event(typename B::native_event event) noexcept : native_(event) {}
  [[gnu::always_inline]] void destroy() noexcept {
    if (native_ != nullptr) report_destroyed(B::event_destroy(native_));
  }
  void report_destroyed(int status) const noexcept {
    detail::report_dropped<B>(status, Name::of("event destroy"),
                              "synchronize the stream to find the cause", point_.device);
  }
  typename B::native_event native_;
  detail::StreamPoint point_;  ///< the work that has ended once the stream reaches the event
  std::uint64_t capture_ = 0;  ///< the number of the capture that the event belongs to; 0: none
};

template <class B>
template <CheckLevel Level>
[[gnu::always_inline]] inline result<basic_event<B, false>> basic_stream_ref<B>::record(
    call_site site) const noexcept {
  return basic_event<B, false>::template create<Level>(*this, site);
}
template <class B>
template <CheckLevel Level>
[[gnu::always_inline]] inline result<basic_event<B, true>> basic_stream_ref<B>::record_timed(
    call_site site) const noexcept {
  return basic_event<B, true>::template create<Level>(*this, site);
}

using Event = basic_event<default_backend, false>;
using TimedEvent = basic_event<default_backend, true>;

namespace detail {

template <class B, bool Timed>
[[WARPSAFE_DETAIL_RARE]] LaunchError stream_wait_error(int status,
                                                       const basic_event<B, Timed>& event,
                                                       const call_site& site) noexcept {
  LaunchError error = runtime_error<B>(status, Name::of("stream wait"), site);
  LaunchError refused;
  const bool captured = !event.is_usable(error.operation, false, site, refused);
  if (captured && error.code == Errc::runtime_failed) error.code = Errc::captured_event;
  return error;
}
/// All of `wait`.
template <CheckLevel Level, class B, bool Timed>
[[nodiscard, gnu::cold, gnu::noinline]] result<void> wait_in_full(
    basic_stream_ref<B> stream, const basic_event<B, Timed>& event, call_site site) noexcept {
  const result<void> there = check_stream<Level>(Name::of("stream wait"), stream, site);
  if (!there.has_value()) return there;
  LaunchError refused;
  if (!event.is_usable(Name::of("stream wait"), true, site, refused)) return refused;
  const CaptureHooks* const hooks = open_captures();
  std::uint64_t before = 0;
  if (hooks != nullptr) [[unlikely]]
    before = hooks->waiting({stream.native(), stream.number()});
  const CallScope<B> here(site);
  tell_call<Level>(stream, Name::of("stream wait"), site);
  const int status = on_device_of<B>(stream, [&]() noexcept {
    if (hooks == nullptr) return B::stream_wait(stream.native(), event.native());
    const CaptureLock locked;  // the stream may come to take part
    return B::stream_wait(stream.native(), event.native());
  });
  if (status != 0) return stream_wait_error(status, event, site);
  if (hooks != nullptr) [[unlikely]]
    hooks->waited({stream.native(), stream.number()}, event.native(), before, site);
  return success();
}
template <class B, bool Timed>
[[nodiscard, gnu::cold, gnu::noinline]] result<void> wait_failed(int status,
                                                                 const basic_event<B, Timed>& event,
                                                                 call_site site) noexcept {
  return stream_wait_error(status, event, site);
}
/// A wait that needs nothing but the runtime's call.
template <CheckLevel Level, class B, bool Timed>
[[nodiscard, gnu::always_inline]] inline result<void> wait_inline(
    const basic_stream_ref<B>& stream, const basic_event<B, Timed>& event,
    const call_site& site) noexcept {
  if (!is_plain_call<Level>(stream) || !event.is_outside_captures() ||
      StreamNumber::is_default(stream.native()))
    return wait_in_full<Level>(stream, event, site);
  const CallScope<B> here(site);
  const int status = B::stream_wait(stream.native(), event.native());
  if (status != 0) return wait_failed(status, event, site);
  return success();
}
template <CheckLevel Level, class B, bool Timed>
[[nodiscard, gnu::noinline]] result<void> wait_out_of_line(const basic_stream_ref<B>& stream,
                                                           const basic_event<B, Timed>& event,
                                                           const call_site& site) noexcept {
  return wait_inline<Level>(stream, event, site);
}

}  // namespace detail

/// Makes later work of `stream` wait for `event` on the device. The host does not wait. A stream
/// that waits for an event of an open capture takes part in the capture from then on.
/// Errc::capture_isolation if a captured stream would wait for an event from outside,
/// ::capture_merged for an event of another capture, ::captured_event for an event of a capture
/// that has ended, ::event_moved, ::stream_null (a Stream that was moved from or closed),
/// ::runtime_failed.
template <CheckLevel Level = current_level, class B, bool Timed>
[[nodiscard, gnu::always_inline]] inline result<void> wait(
    std::type_identity_t<basic_stream_ref<B>> stream, const basic_event<B, Timed>& event,
    call_site site = call_site::current()) noexcept {
  if constexpr (Level == CheckLevel::off) {
    return detail::wait_inline<Level>(stream, event, site);
  } else {
    return detail::wait_out_of_line<Level>(stream, event, site);
  }
}

/// The milliseconds between two timed events of one device. Waits for both. The time is negative
/// if `end` happened first on another stream than `begin`. Errc::execution_failed,
/// ::captured_event, ::event_moved, ::events_reversed (on one stream), ::stream_wrong_device (the
/// events are of two devices), ::runtime_failed.
template <CheckLevel Level = current_level, class B>
[[nodiscard]] result<detail::later<B, float>> elapsed_ms(
    const basic_event<B, true>& begin, const basic_event<B, true>& end,
    call_site site = call_site::current()) noexcept {
  LaunchError refused;
  if (!begin.is_usable(Name::of("event elapsed"), false, site, refused)) return refused;
  result<void> waited = success();
  if (!begin.shares_stream_with(end)) waited = begin.template synchronize<Level>(site);
  if (waited.has_value()) waited = end.template synchronize<Level>(site);
  if (!waited.has_value()) return waited.assume_error();
  float ms = 0;
  int status = B::event_elapsed(ms, begin.native(), end.native());
  if (status == B::not_ready) {  // `begin` was recorded after `end`
    const auto began = begin.template synchronize<Level>(site);
    if (!began.has_value()) return began.assume_error();
    status = B::event_elapsed(ms, begin.native(), end.native());
  }
  if (status != 0) {
    LaunchError error = detail::runtime_error<B>(status, Name::of("event elapsed"), site);
    if (begin.device() != end.device()) {
      error.code = Errc::stream_wrong_device;
      error.subcode = Subcode::two_events;
      error.value = static_cast<std::uint64_t>(begin.device().value());
      error.limit = static_cast<std::uint64_t>(end.device().value());
    }
    return error;
  }
  if (ms < 0 && begin.shares_stream_with(end)) {
    auto error = LaunchError::make(Errc::events_reversed, Stage::runtime_call,
                                   static_cast<std::uint64_t>(ms * -1000), 0, Axis::none, site);
    error.vendor = B::vendor;
    error.operation = Name::of("event elapsed");
    return error;
  }
  return ms;
}

namespace detail {
template <class T>
inline constexpr bool is_event = false;
template <class B, bool Timed>
inline constexpr bool is_event<basic_event<B, Timed>> = true;
template <class T>
inline constexpr bool is_timed_event = false;
template <class B>
inline constexpr bool is_timed_event<basic_event<B, true>> = true;
}  // namespace detail

/// Diagnoses an argument that is a result or no event, or an event that measures no time.
template <class S, class E>
requires(!detail::is_event<E> || is_result<S>)
    [[nodiscard]] result<void> wait(const S&, const E&) noexcept {
  constexpr bool any_result = is_result<S> || is_result<E>;
  static_assert(
      !any_result,
      "warpsafe: this stream or event is a result and may hold an error instead; unwrap it with WARPSAFE_TRY or .value()");
  static_assert(any_result || detail::is_event<E>,
                "warpsafe: wait(stream, event) takes an Event, made by other_stream.record()");
  return success();
}
template <class Begin, class End>
requires(!detail::is_timed_event<Begin> || !detail::is_timed_event<End>)
    [[nodiscard]] result<detail::later<Begin, float>> elapsed_ms(const Begin&,
                                                                 const End&) noexcept {
  constexpr bool any_result = is_result<Begin> || is_result<End>;
  static_assert(
      !any_result,
      "warpsafe: this event is a result and may hold an error instead; unwrap it with WARPSAFE_TRY or .value()");
  static_assert(any_result || (detail::is_timed_event<Begin> && detail::is_timed_event<End>),
                "warpsafe: only a TimedEvent measures time; make both with stream.record_timed()");
  return 0.0F;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
