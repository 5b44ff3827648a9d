// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/observing.hpp>
#include <warpsafe/core/detail/refused.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/dims/launch_options.hpp>
#include <warpsafe/error/exception.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/stream/detail/on_device.hpp>
#include <warpsafe/stream/detail/shared_stream.hpp>
#include <warpsafe/stream/detail/waiting.hpp>
#include <warpsafe/stream/device.hpp>
#include <warpsafe/stream/stream_ref.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

template <class B>
[[nodiscard]] basic_stream_ref<B> legacy_stream(int device) noexcept {
  return StreamAccess::make<B>(legacy_handle<B>(), device, StreamNumber::legacy(device));
}
/// A stream that the calling thread can name, and whose later work comes after the work of
/// `stream`, which had `number` for the thread that submitted it: `stream` itself, or, for the
/// per-thread default stream of another thread, the legacy default stream, which synchronises with
/// it (CUDA Runtime API, "Stream synchronization behavior").
template <class B>
[[nodiscard]] basic_stream_ref<B> reachable_stream(const basic_stream_ref<B>& stream,
                                                   StreamNumber number) noexcept {
  return number.is_of_another_thread() ? legacy_stream<B>(stream.device().value()) : stream;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// A stream that does not synchronise with any default stream. Move-only. Its destructor returns at
/// once, and submitted work still runs to its end.
template <class B>
class WARPSAFE_DETAIL_OWNER basic_stream {
 public:
  using backend = B;

  /// Creates a stream on the calling thread's current device. `urgency` is the runtime's own
  /// priority: smaller is more urgent, and priority(0) is the default. Errc::no_device,
  /// ::runtime_failed.
  ///
  /// Use this form in programs of one device. Every thread begins on device 0, so checked builds
  /// return Errc::priority_range above 1, and Errc::device_not_chosen if device 0 is current
  /// without a DeviceGuard of this thread, while the program has streams on another device.
  template <CheckLevel Level = current_level>
  [[nodiscard]] static result<basic_stream> create(priority urgency = priority(0),
                                                   call_site site = call_site::current()) noexcept {
    int device = 0;
    typename B::native_stream stream{};
    detail::count_devices<B>();
    int status = detail::is_only_device<B>(device) ? 0 : B::current_device(device);
    if constexpr (Level == CheckLevel::full) {
      if (urgency.value > detail::least_urgent) {
        return LaunchError::make(Errc::priority_range, Stage::construction,
                                 static_cast<std::uint64_t>(urgency.value), detail::least_urgent,
                                 Axis::none, site);
      }
      if (status == 0 && device == 0 && detail::guarded_devices<B>().count == 0) {
        const int other = detail::SharedStream<B>::other_device(device);
        if (other >= 0) return device_not_chosen(device, other, site);
      }
    }
    detail::SharedStream<B>** const only = status == 0 ? detail::only_stream<B>(device) : nullptr;
    if (only != nullptr) {
      if (auto* const kept = __atomic_load_n(only, __ATOMIC_ACQUIRE)) return share(kept, device);
    }
    if (status == 0) status = B::stream_create(stream, urgency.value);
    if (status != 0) return detail::runtime_error<B>(status, Name::of("stream create"), site);
    auto* const shared = detail::SharedStream<B>::make(stream, device);
    if (shared == nullptr) {
      static_cast<void>(B::stream_destroy(stream));
      return LaunchError::make(Errc::out_of_memory, Stage::runtime_call, sizeof *shared, 0,
                               Axis::none, site);
    }
    if (only != nullptr) {
      detail::SharedStream<B>* first = nullptr;
      if (!__atomic_compare_exchange_n(only, &first, shared, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE)) {
        static_cast<void>(shared->release());  // another thread created it first
        return share(first, device);
      }
      shared->retain();  // held for every later Stream of the device
    }
    basic_stream made(basic_stream_ref<B>(stream, device, shared->number), shared);
    detail::tell_call<Level>(made.ref_, Name::of("stream create"), site);
    return made;
  }
  /// Creates a stream on a device that need not be current. Use this form in programs of several
  /// devices. Errc::no_device, ::device_invalid, ::runtime_failed (also if the device that was
  /// current cannot be made current again; there is no stream then).
  template <CheckLevel Level = current_level>
  [[nodiscard]] static result<basic_stream> create(DeviceId device,
                                                   call_site site = call_site::current()) noexcept {
    auto guard = basic_device_guard<B>::template create<Level>(device, site);
    if (!guard.has_value()) return guard.assume_error();
    result<basic_stream> made = create<Level>(priority(0), site);
    const result<void> restored = guard.assume_value().close(site);
    if (made.has_value() && !restored.has_value()) return restored.assume_error();
    return made;
  }
  /// Diagnoses a bare number.
  template <CheckLevel Level = current_level, class Number>
  requires(std::is_arithmetic_v<Number>) [[nodiscard]] static result<basic_stream> create(
      Number, call_site site = call_site::current()) noexcept {
    static_assert(
        std::is_void_v<Number>,
        "warpsafe: a bare number could be a device or a priority; write Stream::create(DeviceId(1)) or Stream::create(priority(-1))");
    return create<Level>(priority(0), site);
  }

#define WARPSAFE_DETAIL_SENTENCE \
  "warpsafe: a stream is made by a function that can fail: WARPSAFE_TRY(const auto stream, Stream::create(DeviceId(0)))"
  WARPSAFE_DETAIL_NO_CONSTRUCTOR(basic_stream);
#undef WARPSAFE_DETAIL_SENTENCE
  basic_stream(basic_stream&& other) noexcept
      : ref_(other.ref_), shared_(std::exchange(other.shared_, nullptr)) {
    other.ref_ = closed(ref_);
  }
  basic_stream& operator=(basic_stream&& other) noexcept {
    if (this != &other) {
      drop();
      ref_ = other.ref_;
      shared_ = std::exchange(other.shared_, nullptr);
      other.ref_ = closed(ref_);
    }
    return *this;
  }
  basic_stream(const basic_stream&,  // warpsafe: move the stream, or pass a StreamRef
               detail::MoveItOrPassAReference = {}) = delete;
  basic_stream& operator=(const basic_stream&) = delete;
  // A destructor cannot return a status; close() does.
  ~basic_stream() { drop(); }

  /// Releases the stream. It is destroyed now, or with the last buffer or handle bound to it. If
  /// two threads release the last two of these at the same moment, the next Stream::create destroys
  /// it. Returns the runtime's error if it is destroyed now. Errc::runtime_failed.
  [[nodiscard]] result<void> close(call_site site = call_site::current()) noexcept {
    if (shared_ == nullptr) return success();
    ref_ = closed(ref_);
    const int device = shared_->device();
    const int status = std::exchange(shared_, nullptr)->release();
    if (status != 0) {
      return detail::runtime_error<B>(status, Name::of("stream destroy"), site, Stage::runtime_call,
                                      device);
    }
    return success();
  }

  /// A reference for functions that only use the stream. Deleted for a temporary stream, which
  /// would be destroyed while they use it.
  [[gnu::always_inline]] operator const basic_stream_ref<B>&() const& noexcept
      WARPSAFE_DETAIL_BOUND {
    return ref_;
  }  // NOLINT(google-explicit-constructor)
#define WARPSAFE_DETAIL_SENTENCE                                                            \
  "warpsafe: this stream is a temporary, and a StreamRef does not keep it alive; give the " \
  "Stream a name: WARPSAFE_TRY(const auto stream, Stream::create(DeviceId(0)))"
  template <class Never = void WARPSAFE_DETAIL_WHY>
  WARPSAFE_DETAIL_REFUSED operator const basic_stream_ref<B>&() const&& WARPSAFE_DETAIL_REFUSAL(
      Never);
#undef WARPSAFE_DETAIL_SENTENCE
  [[nodiscard]] basic_stream_ref<B> ref() const& noexcept WARPSAFE_DETAIL_BOUND { return ref_; }
  template <class Never = void>
  [[nodiscard]] auto ref() const&& noexcept {
    static_assert(
        !std::is_void_v<Never>,
        "warpsafe: this stream is a temporary, and a StreamRef does not keep it alive; "
        "give the Stream a name: WARPSAFE_TRY(const auto stream, Stream::create(DeviceId(0)))");
  }
  [[nodiscard]] typename B::native_stream native() const noexcept { return ref_.native(); }
  [[nodiscard]] DeviceId device() const noexcept { return ref_.device(); }
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<void> synchronize(call_site site = call_site::current()) const noexcept {
    return ref_.template synchronize<Level>(site);
  }
  template <CheckLevel Level = current_level>
  [[nodiscard]] answer<detail::later<B, Progress>> query(
      call_site site = call_site::current()) const noexcept {
    return ref_.template query<Level>(site);
  }
  template <CheckLevel Level = current_level>
  [[nodiscard]] answer<detail::later<B, bool>> ready(
      call_site site = call_site::current()) const noexcept {
    return ref_.template ready<Level>(site);
  }
  /// Diagnoses the member form of `wait(stream, event)`.
  template <class Event>
  [[nodiscard]] result<void> wait(const Event& event) const noexcept {
    return ref_.wait(event);
  }
  template <CheckLevel Level = current_level>
  [[nodiscard, gnu::always_inline]] result<basic_event<B, false>> record(
      call_site site = call_site::current()) const noexcept {
    return ref_.template record<Level>(site);
  }
  template <CheckLevel Level = current_level>
  [[nodiscard, gnu::always_inline]] result<basic_event<B, true>> record_timed(
      call_site site = call_site::current()) const noexcept {
    return ref_.template record_timed<Level>(site);
  }

 private:
  template <class>
  friend class basic_stream_hold;
  void drop() noexcept {
    const int device = ref_.device().value();
    detail::report_dropped(close(), device);
  }
  [[WARPSAFE_DETAIL_RARE]] static LaunchError device_not_chosen(int device, int other,
                                                                call_site site) noexcept {
    LaunchError error = detail::refused_operation(Errc::device_not_chosen, B::vendor,
                                                  Name::of("stream create"), site);
    error.value = static_cast<std::uint64_t>(device);
    error.limit = static_cast<std::uint64_t>(other);
    return error;
  }
  basic_stream(basic_stream_ref<B> ref, detail::SharedStream<B>* shared) noexcept
      : ref_(ref), shared_(shared) {}
  [[nodiscard]] static basic_stream share(detail::SharedStream<B>* shared, int device) noexcept {
    shared->retain();
    return basic_stream(basic_stream_ref<B>(shared->native, device, shared->number), shared);
  }
  /// No stream, of the same device.
  [[nodiscard]] static basic_stream_ref<B> closed(const basic_stream_ref<B>& was) noexcept {
    return basic_stream_ref<B>(nullptr, was.device_, {});
  }
  basic_stream_ref<B> ref_;
  detail::SharedStream<B>* shared_;
};

template <class B>
template <CheckLevel Level, class Native>
requires(sizeof(detail::later<Native, basic_stream<B>>) !=
         0) result<basic_stream_ref<B>> basic_stream_ref<B>::borrow(Native stream, DeviceId device,
                                                                    call_site site)
noexcept {
  constexpr bool literal = std::is_same_v<Native, std::nullptr_t> || std::is_integral_v<Native>;
  static_assert(
      !literal,
      "warpsafe: 0 and nullptr are a default stream, which other code uses too; create a Stream, "
      "or borrow cudaStreamLegacy or cudaStreamPerThread by name");
  if constexpr (!literal) {
    static_assert(std::is_same_v<Native, typename B::native_stream>,
                  "warpsafe: borrow takes a stream of this backend's own type");
    if (stream == nullptr) {
      return LaunchError::make(Errc::stream_null, Stage::construction, site);
    }
    if constexpr (Level == CheckLevel::full) {
      const int its_device = detail::has_streams_besides<B>(device.value())
                                 ? detail::device_of<B>(stream, device.value())
                                 : device.value();
      if (its_device != device.value()) {
        LaunchError error =
            LaunchError::make(Errc::stream_wrong_device, Stage::construction,
                              static_cast<std::uint64_t>(device.value()),
                              static_cast<std::uint64_t>(its_device), Axis::none, site);
        error.subcode = Subcode::borrowed;
        return error;
      }
    }
    detail::note_device<B>(device.value());
    return basic_stream_ref(stream, device.value(),
                            detail::stream_number<B>(stream, device.value()));
  } else {
    return LaunchError::make(Errc::stream_null, Stage::construction, site);
  }
}

using Stream = basic_stream<default_backend>;

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
