// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/call_scope.hpp>
#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/capture_hooks.hpp>
#include <warpsafe/core/detail/device_check_hooks.hpp>
#include <warpsafe/core/detail/observing.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/core/observer.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/stream/detail/backend_calls.hpp>
#include <warpsafe/stream/detail/capturing.hpp>
#include <warpsafe/stream/detail/on_device.hpp>
#include <warpsafe/stream/stream_ref.hpp>

// All waits of the library, and what is checked before one. Observers see the waits here.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

namespace detail {

/// A point in a stream, for recording that the work before it has ended.
struct StreamPoint {
  const void* stream = nullptr;  ///< the vendor's handle, for texts
  StreamNumber number{};
  std::uint64_t time = 0;  ///< 0 if nothing is known
  std::int32_t device = -1;

  /// The point that the stream has reached now. Take it before waiting for the stream.
  [[nodiscard, gnu::always_inline]] static StreamPoint of(const void* stream, std::uint64_t number,
                                                          std::int32_t device) noexcept {
    return {stream, StreamNumber(number), now(), device};
  }
  /// The time of a point. Take it before recording an event.
  [[nodiscard, gnu::always_inline]] static std::uint64_t now() noexcept {
    return observers() == nullptr ? 0 : begin_wait();
  }
  template <class B>
  [[nodiscard]] static StreamPoint of(const basic_stream_ref<B>& stream) noexcept {
    return of(stream.native(), stream.number(), stream.device().value());
  }
  /// A wait for this point has succeeded: work submitted before it is no longer suspect.
  void reached(Vendor vendor) const noexcept {
    if (time != 0) tell_reached(vendor, device, number.value(), time);
  }
};

/// The error of an operation on a stream that was refused.
template <class Ref>
[[WARPSAFE_DETAIL_RARE]] LaunchError refused_on(const Ref& stream, Errc code, Name operation,
                                                const call_site& site) noexcept {
  LaunchError error = refused_operation(code, Ref::backend::vendor, operation, site);
  error.stream = stream.native();
  error.device = stream.device().value();
  return error;
}
[[WARPSAFE_DETAIL_RARE]] inline LaunchError no_stream(Vendor vendor, Name operation,
                                                      Subcode problem,
                                                      const call_site& site) noexcept {
  LaunchError error = refused_operation(Errc::stream_null, vendor, operation, site);
  error.subcode = problem;
  return error;
}
/// Whether a call on the stream needs nothing but the runtime's call, as far as the stream and
/// those that watch calls tell. `Observed`: the call is told to observers.
template <CheckLevel Level, bool Observed = Level == CheckLevel::full, class Ref>
[[nodiscard, gnu::always_inline]] inline bool is_plain_call(const Ref& stream) noexcept {
  return StreamAccess::problem<Level>(stream) == Subcode::none && open_captures() == nullptr &&
         (!Observed || observers() == nullptr);
}
/// Errc::stream_null for a Stream that was moved from or closed. A vendor's runtime would
/// take its null handle for the default stream: it would make memory, handles, captures and events
/// there, and wait for other work. Checked builds: also for a reference to a destroyed Stream,
/// whose handle may be another stream's by now.
template <CheckLevel Level, class Ref>
[[nodiscard, gnu::always_inline]] inline result<void> check_stream(Name operation,
                                                                   const Ref& stream,
                                                                   const call_site& site) noexcept {
  const Subcode problem = StreamAccess::problem<Level>(stream);
  if (problem == Subcode::none) [[likely]]
    return success();
  return no_stream(Ref::backend::vendor, operation, problem, site);
}

/// The answer of `query` as that of `ready`.
template <class B>
[[nodiscard]] answer<later<B, bool>> is_ready(const answer<later<B, Progress>>& asked) noexcept {
  if (!asked.has_value()) return asked.assume_error();
  return asked.assume_value() == Progress::ready;
}

/// Whether a call that waits, queries or allocates would break a capture. If so, do not make the
/// call; `error` says why. `stream` and `event` are its arguments, or nullptr. Checked builds also
/// ask the driver whether other code captures the stream.
template <class B, CheckLevel Level>
[[nodiscard]] bool breaks_capture(const basic_stream_ref<B>* stream, typename B::native_event event,
                                  Name operation, const call_site& site,
                                  LaunchError& error) noexcept {
  if (const CaptureHooks* const hooks = open_captures()) [[unlikely]] {
    error = refused_operation(Errc::stream_capturing, B::vendor, operation, site);
    int mode = B::relaxed_capture;  // the thread's own mode once exchanged
    const bool exchanged = B::exchange_capture_mode(mode) == 0;
    const bool relaxed = exchanged && mode == B::relaxed_capture;
    if (exchanged) static_cast<void>(B::exchange_capture_mode(mode));
    const WhichStream which =
        stream == nullptr ? WhichStream{} : WhichStream(stream->native(), stream->number());
    if (hooks->refuses(which, event, relaxed, error)) return true;
  }
  if constexpr (Level == CheckLevel::full) {
    // If the query fails, the call itself reports the error.
    if (stream != nullptr && is_capturing(*stream)) {
      error = refused_on(*stream, Errc::stream_capturing, operation, site);
      return true;
    }
  }
  return false;
}

/// A function, because g++ 16 takes a lambda that only returns this for constexpr, and refuses it.
template <class B>
[[nodiscard]] int query_event(void* event) noexcept {
  const RelaxedMode<B> outside;
  return B::event_query(static_cast<typename B::native_event>(event));
}
template <class B>
inline constexpr WaitCalls event_wait_calls{Name::of("event synchronize"),
                                            B::vendor,
                                            B::not_ready,
                                            [](void* event) noexcept {
                                              return status_with_device_check(B::event_synchronize(
                                                  static_cast<typename B::native_event>(event)));
                                            },
                                            &query_event<B>,
                                            [](void*) noexcept { return polling_helps<B>(); }};

/// Waits on the host for the work submitted to the stream so far. Returns the runtime's status, or
/// B::not_ready if an observer ended the wait, which only `may_stop` allows.
template <class B>
[[nodiscard]] int wait_for_stream(const basic_stream_ref<B>& stream, const call_site& site,
                                  bool may_stop) noexcept {
  return on_device_of<B>(stream, [&]() noexcept {
    const auto native = stream.native();
    const Observer* const first = observers();
    if (first == nullptr) return status_with_device_check(B::stream_synchronize(native));
    return observed_wait(first, stream_wait_calls<B>, native,
                         {native, stream.device().value(), site, may_stop, stream.number()});
  });
}
/// Waits on the host for an event that was recorded at `point`. Returns as wait_for_stream.
template <class B>
[[nodiscard]] int wait_for_event(typename B::native_event event, const StreamPoint& point,
                                 const call_site& site, bool may_stop) noexcept {
  const Observer* const first = observers();
  if (first == nullptr) return status_with_device_check(B::event_synchronize(event));
  return observed_wait(first, event_wait_calls<B>, event,
                       {point.stream, point.device, site, may_stop, point.number.value()});
}
/// If waits are watched, waits here before a call that waits for the stream's work inside the
/// runtime. An example is a copy to or from pageable host memory (CUDA Runtime API, "API
/// synchronization behavior"). That call then has nothing to wait for. Returns as wait_for_stream.
template <class B>
[[nodiscard]] int wait_ahead(const basic_stream_ref<B>& stream, const call_site& site) noexcept {
  const Observer* const first = observers();
  if (first == nullptr || !watches_waits(first)) return 0;
  return on_device_of<B>(stream, [&]() noexcept {
    const WaitCalls& calls = stream_wait_calls<B>;
    const auto native = stream.native();
    if (open_captures() != nullptr || !calls.may_query(native)) return 0;
    return observed_wait(first, calls, native,
                         {native, stream.device().value(), site, true, stream.number()});
  });
}

}  // namespace detail

template <class B>
template <CheckLevel Level>
answer<detail::later<B, Progress>> basic_stream_ref<B>::query(call_site site) const noexcept {
  const auto there = detail::check_stream<Level>(Name::of("stream query"), *this, site);
  if (!there.has_value()) return there.assume_error();
  LaunchError refused;
  if (detail::breaks_capture<B, Level>(this, nullptr, Name::of("stream query"), site, refused)) {
    return refused;
  }
  const detail::CallScope<B> here(site);
  const auto point = detail::StreamPoint::of(*this);
  int status = detail::on_device_of<B>(*this, [&]() noexcept { return B::stream_query(native()); });
  if (status == 0) point.reached(B::vendor);
  status = detail::status_with_device_check(status);
  if (status == 0 || status == B::not_ready) {
    return status == 0 ? Progress::ready : Progress::not_ready;
  }
  return detail::runtime_error<B>(status, Name::of("stream query"), site, Stage::completion,
                                  device_);
}
template <class B>
template <CheckLevel Level>
answer<detail::later<B, bool>> basic_stream_ref<B>::ready(call_site site) const noexcept {
  return detail::is_ready<B>(query<Level>(site));
}

template <class B>
template <CheckLevel Level>
result<void> basic_stream_ref<B>::wait(call_site site, bool may_stop) const noexcept {
  const auto there = detail::check_stream<Level>(Name::of("stream synchronize"), *this, site);
  if (!there.has_value()) return there;
  LaunchError refused;
  if (detail::breaks_capture<B, Level>(this, nullptr, Name::of("stream synchronize"), site,
                                       refused)) {
    return refused;
  }
  const detail::CallScope<B> here(site);
  const auto point = detail::StreamPoint::of(*this);
  if (const int status = detail::wait_for_stream(*this, site, may_stop)) {
    LaunchError error = detail::runtime_error<B>(status, Name::of("stream synchronize"), site,
                                                 Stage::completion, device_);
    error.device = device_;
    error.stream = native_;
    return error;
  }
  point.reached(B::vendor);
  return success();
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
