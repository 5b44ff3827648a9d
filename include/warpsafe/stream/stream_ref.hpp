// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/declare_launch.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/refused.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/stream/detail/stream_number.hpp>

#include <cstddef>
#include <type_traits>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// The ordinal of a device in this process. A distinct type, so that no other number converts to
/// it.
class DeviceId {
 public:
  constexpr DeviceId() noexcept = default;
  /// A number outside of int becomes -1, which is no device: it must not become another ordinal.
  [[gnu::always_inline]] constexpr explicit DeviceId(long long number) noexcept
      : ordinal_(number == static_cast<int>(number) ? static_cast<int>(number) : -1) {}
  [[nodiscard, gnu::always_inline]] constexpr int value() const noexcept { return ordinal_; }
  friend constexpr bool operator==(DeviceId, DeviceId) noexcept = default;
  /// Prints the ordinal.
  template <class Stream>
  requires requires { typename Stream::char_type; }
  friend Stream& operator<<(Stream& out, DeviceId device) {
    out << device.ordinal_;
    return out;
  }

 private:
  int ordinal_ = 0;
};

template <class B, bool Timed>
class basic_event;
template <class B>
class basic_stream;

/// Whether submitted work has ended.
enum class Progress : bool { not_ready, ready };

namespace detail {
struct StreamAccess;
}

/// A reference to a stream that another object owns, with its device. Never 0. Copyable; valid as
/// long as the owner. In a checked build, a call on a reference to a destroyed Stream returns
/// Errc::stream_null. <warpsafe/stream/detail/waiting.hpp> defines what waits or queries.
template <class B>
class WARPSAFE_DETAIL_REFERENCE basic_stream_ref {
 public:
  using backend = B;

  // 0 and nullptr do not convert to a reference.
#define WARPSAFE_DETAIL_SENTENCE                                                               \
  "warpsafe: 0 and nullptr are a default stream, which other code uses too; create a Stream, " \
  "or borrow cudaStreamLegacy or cudaStreamPerThread by name"
  template <class Zero WARPSAFE_DETAIL_WHY>
  requires(std::is_integral_v<Zero> || std::is_null_pointer_v<Zero>) WARPSAFE_DETAIL_REFUSED
      basic_stream_ref(Zero)
  WARPSAFE_DETAIL_REFUSAL(Zero, : native_(nullptr), device_(0), number_());
#undef WARPSAFE_DETAIL_SENTENCE

  /// Refers to a stream of the vendor's type that other code made, and to its device. That code
  /// destroys the stream. Errc::stream_null for 0: borrow a default stream by its name
  /// (cudaStreamLegacy, cudaStreamPerThread), so that the choice is visible. Checked builds, in
  /// a program with streams on several devices: Errc::stream_wrong_device for another device.
  template <CheckLevel Level = current_level, class Native>
  requires(sizeof(detail::later<Native, basic_stream<B>>) != 0)
      [[nodiscard]] static result<basic_stream_ref> borrow(
          Native stream, DeviceId device, call_site site = call_site::current()) noexcept;
  /// Diagnoses a missing device, a device given as a number, and a missing header.
  template <class Native, class... Device>
  requires(sizeof...(Device) != 1 || !(std::is_convertible_v<Device, DeviceId> && ...) ||
           !requires { sizeof(detail::later<Native, basic_stream<B>>); })
      [[nodiscard]] static result<basic_stream_ref> borrow(Native, Device...) noexcept {
    static_assert(
        std::is_void_v<Native>,
        "warpsafe: pass the device of a borrowed stream, StreamRef::borrow(stream, DeviceId(0)), and include <warpsafe/stream/stream.hpp>");
    return LaunchError::make(Errc::stream_null, Stage::construction);
  }

  /// The vendor's own stream.
  // The return type is deduced, and the stream is kept as void*, so that a reference to a stream of
  // a backend whose header is not included is a complete type. `launch` then still diagnoses it.
  [[nodiscard, gnu::always_inline]] auto native() const noexcept {
    return static_cast<typename B::native_stream>(native_);
  }
  [[nodiscard, gnu::always_inline]] DeviceId device() const noexcept { return DeviceId(device_); }
  /// Which stream this is for the calling thread: a per-thread default stream is another one in
  /// each thread. Unlike the handle, the number is never used again. Only of a stream that other
  /// code made, on a runtime that does not number its streams (HIP), is it made from the handle.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_.here().value(); }

  /// Waits until all work submitted to this stream has ended. Errc::execution_failed for a fault in
  /// any work of this device; Severity tells whether the context is lost. Errc::stream_capturing,
  /// without a call of the runtime, if waiting would break a capture of this library or, with full
  /// checks, a capture of this stream by other code. Errc::wait_timed_out if an observer, such as a
  /// time limit, ends the wait. Errc::stream_null for a Stream that was moved from or closed.
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<void> synchronize(call_site site = call_site::current()) const noexcept {
    return wait<Level>(site, true);
  }
  /// Whether all work submitted so far has ended: `query().value()`. Errc::execution_failed,
  /// ::stream_capturing and ::stream_null as `synchronize`.
  template <CheckLevel Level = current_level>
  [[nodiscard]] answer<detail::later<B, Progress>> query(
      call_site site = call_site::current()) const noexcept;
  /// `query` as a bool: `ready().value()`.
  template <CheckLevel Level = current_level>
  [[nodiscard]] answer<detail::later<B, bool>> ready(
      call_site site = call_site::current()) const noexcept;
  /// Records the point after everything submitted so far. Defined in <warpsafe/stream/event.hpp>.
  /// Errc::runtime_failed, ::no_device, ::stream_null, ::stream_wrong_device (see basic_event).
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<basic_event<B, false>> record(
      call_site site = call_site::current()) const noexcept;
  /// Records a point that measures the time to another timed point. Errc as `record`.
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<basic_event<B, true>> record_timed(
      call_site site = call_site::current()) const noexcept;
  /// Diagnoses the member form of `wait(stream, event)`.
  template <class Event>
  [[nodiscard]] result<void> wait(const Event&) const noexcept {
    static_assert(std::is_void_v<Event>,
                  "warpsafe: the stream that waits is an argument: wait(stream, event)");
    return success();
  }
  /// Whether both are one stream.
  friend bool operator==(const basic_stream_ref& a, const basic_stream_ref& b) noexcept {
    return a.number_ == b.number_ && a.native_ == b.native_ && a.device_ == b.device_;
  }

 private:
  template <class>
  friend class basic_stream;
  friend struct detail::StreamAccess;
  basic_stream_ref(void* stream, int device, detail::StreamNumber number) noexcept
      : native_(stream), device_(device), number_(number) {}

  /// `may_stop`: an observer may end the wait (detail::wait_for_stream).
  template <CheckLevel Level>
  [[nodiscard]] result<void> wait(call_site site, bool may_stop) const noexcept;

  void* native_;
  int device_;
  detail::StreamNumber number_;  ///< see StreamNumber::here
};

using StreamRef = basic_stream_ref<default_backend>;

namespace detail {

/// Which stream a vendor's handle names (detail/shared_stream.hpp).
template <class B>
[[nodiscard]] StreamNumber stream_number(typename B::native_stream stream, int device) noexcept;

struct StreamAccess {
  template <class B>
  [[nodiscard]] static basic_stream_ref<B> make(void* stream, int device,
                                                StreamNumber number) noexcept {
    return basic_stream_ref<B>(stream, device, number);
  }
  /// A reference to a stream as `<<<>>>` takes it, the default stream 0 included.
  template <class B>
  [[nodiscard]] static basic_stream_ref<B> make(void* stream, int device) noexcept {
    const auto native = static_cast<typename B::native_stream>(stream);
    return make<B>(stream, device, stream_number<B>(native, device));
  }
  /// What a Stream refers to after it was moved from or closed.
  template <class B>
  [[nodiscard]] static basic_stream_ref<B> closed() noexcept {
    return basic_stream_ref<B>(nullptr, -1, {});
  }
  /// The number as it was borrowed: of a per-thread default stream it is that of no stream. For a
  /// launch, which asks for the thread only if this number differs from the memory's.
  template <class B>
  [[nodiscard, gnu::always_inline]] static std::uint64_t given_number(
      const basic_stream_ref<B>& stream) noexcept {
    return stream.number_.value();
  }
  /// Why nothing can be submitted to the stream, as the Subcode of Errc::stream_null; `none` if
  /// it can. Only checked builds know of a destroyed stream.
  template <CheckLevel Level, class B>
  [[nodiscard, gnu::always_inline]] static Subcode problem(
      const basic_stream_ref<B>& stream) noexcept {
    if (stream.native_ == nullptr) [[unlikely]]
      return Subcode::stream_closed;
    if constexpr (Level == CheckLevel::full) {
      if (stream.number_.has_ended()) [[unlikely]]
        return Subcode::stream_destroyed;
    }
    return Subcode::none;
  }
  /// Waits without a time-out: memory that the work uses is freed after the wait.
  template <CheckLevel Level, class B>
  [[nodiscard]] static result<void> wait_uninterrupted(const basic_stream_ref<B>& stream,
                                                       call_site site) noexcept {
    return stream.template wait<Level>(site, false);
  }
};

/// Whether S is a stream of backend B.
template <class S, class B>
inline constexpr bool is_stream_of =
    std::is_same_v<S, basic_stream<B>> || std::is_same_v<S, basic_stream_ref<B>>;
template <class S>
inline constexpr bool is_stream = false;
template <class B>
inline constexpr bool is_stream<basic_stream<B>> = true;
template <class B>
inline constexpr bool is_stream<basic_stream_ref<B>> = true;

/// A stream and the source line that passed it. A function that ends in a parameter pack learns its
/// caller's line from it. Without `Copies` it keeps a reference to the caller's stream.
template <class B, bool Copies>
struct Located {
  template <class S>
  requires is_stream_of<S, B>
  [[gnu::always_inline]] Located(
      const S& its_stream,  // NOLINT(google-explicit-constructor): its purpose
      const call_site& its_site = call_site::current()) noexcept
      : site(its_site), stream(its_stream) {}
  call_site site;
  std::conditional_t<Copies, basic_stream_ref<B>, const basic_stream_ref<B>&> stream;
};

template <class S>
struct BackendOf {
  using type = void;
};
template <class B>
struct BackendOf<basic_stream<B>> {
  using type = B;
};
template <class B>
struct BackendOf<basic_stream_ref<B>> {
  using type = B;
};
template <class B>
struct BackendOf<Located<B>> {
  using type = B;
};
/// The backend of a stream or a Located; void of any other type.
template <class S>
using backend_of = typename BackendOf<S>::type;

}  // namespace detail

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
