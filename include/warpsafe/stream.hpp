// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/backend.hpp>
#include <warpsafe/config.hpp>
#include <warpsafe/detail/call_scope.hpp>
#include <warpsafe/detail/capture_hooks.hpp>
#include <warpsafe/detail/debug_hooks.hpp>
#include <warpsafe/detail/runtime_error.hpp>
#include <warpsafe/detail/waiting.hpp>
#include <warpsafe/device.hpp>
#include <warpsafe/result.hpp>

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace warpsafe {

template <class B, bool Timed>
class basic_event;

/// The answer to a question about work that was submitted.
enum class Progress : bool { not_ready, ready };

namespace detail {
struct StreamAccess;

template <class B>
[[nodiscard]] result<later<B, bool>> is_ready(const result<later<B, Progress>>& asked) noexcept {
  if (!asked.has_value()) return asked.assume_error();
  return asked.assume_value() == Progress::ready;
}
}  // namespace detail

/// A stream that somebody else owns, with its device. Never 0. Copyable; valid as long as its
/// owner.
template <class B>
class basic_stream_ref {
 public:
  using backend = B;

  /// The sentence for who writes 0 or nullptr for a stream.
  template <class Zero>
  requires(std::is_integral_v<Zero> || std::is_null_pointer_v<Zero>) basic_stream_ref(Zero)
  noexcept  // NOLINT(google-explicit-constructor): as it is written
      : native_(nullptr), device_(0) {
    static_assert(std::is_void_v<Zero>,
                  "warpsafe: 0 and nullptr are a default stream, which other code uses too; create "
                  "a Stream, or borrow cudaStreamLegacy or cudaStreamPerThread by name");
  }

  /// Takes a stream of the vendor's type, made elsewhere, and the device it belongs to. It stays
  /// that code's to destroy. Errc::stream_null for 0: a default stream is taken by its name
  /// (cudaStreamLegacy, cudaStreamPerThread), so that the choice is written down.
  template <class Native>
  [[nodiscard]] static result<basic_stream_ref> borrow(
      Native stream, DeviceId device, call_site site = call_site::current()) noexcept {
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
      return basic_stream_ref(stream, device.value());
    } else {
      return LaunchError::make(Errc::stream_null, Stage::construction, site);
    }
  }
  /// The sentence for who leaves the device out, or gives it as a number.
  template <class Native, class... Device>
  requires(sizeof...(Device) != 1 || !(std::is_convertible_v<Device, DeviceId> && ...))
      [[nodiscard]] static result<basic_stream_ref> borrow(Native, Device...) noexcept {
    static_assert(std::is_void_v<Native>,
                  "warpsafe: a borrowed stream comes with its device: StreamRef::borrow(stream, "
                  "DeviceId(0))");
    return LaunchError::make(Errc::stream_null, Stage::construction);
  }

  /// The vendor's own stream.
  // Its type is deduced, and the stream kept as void*, so that a reference to a stream of a backend
  // whose header is not included is a complete type: `launch` has an overload for each.
  [[nodiscard, gnu::always_inline]] auto native() const noexcept {
    return static_cast<typename B::native_stream>(native_);
  }
  [[nodiscard, gnu::always_inline]] DeviceId device() const noexcept { return DeviceId(device_); }

  /// Waits until all work that was submitted to this stream has ended. Errc::execution_failed for a
  /// fault in work of this device, whoever submitted it; Severity says whether the context is lost.
  /// Errc::stream_capturing where waiting would break a capture of this library, or, with full
  /// checks, a capture of this stream by other code: nothing is asked of the runtime then.
  /// Errc::wait_timed_out where WARPSAFE_TIMEOUT gives waits up.
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<void> synchronize(call_site site = call_site::current()) const noexcept {
    return wait<Level>(site, true);
  }
  /// Whether all work that was submitted so far has ended. Errc::execution_failed, and
  /// ::stream_capturing as synchronize.
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<detail::later<B, Progress>> query(
      call_site site = call_site::current()) const noexcept {
    LaunchError refused;
    if (detail::refused_in_capture<B, Level>(native(), nullptr, Name::of("stream query"), site,
                                             refused)) {
      return refused;
    }
    const detail::CallScope<B> here(site);
    const auto point = detail::StreamPoint::of(native_, device_);
    const int status = B::stream_query(native());
    if (status == 0) point.reached(B::vendor);
    if (status == 0 || status == B::not_ready) {
      return status == 0 ? Progress::ready : Progress::not_ready;
    }
    return detail::runtime_error<B>(status, Name::of("stream query"), site, Stage::completion,
                                    device_);
  }
  /// `query`, as a bool.
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<detail::later<B, bool>> ready(
      call_site site = call_site::current()) const noexcept {
    return detail::is_ready<B>(query<Level>(site));
  }
  /// The point that this stream has reached: everything submitted so far. <warpsafe/event.hpp>
  /// defines it. Errc::runtime_failed, ::no_device.
  [[nodiscard]] result<basic_event<B, false>> record(
      call_site site = call_site::current()) const noexcept;
  /// The same, to measure the time to another such point.
  [[nodiscard]] result<basic_event<B, true>> record_timed(
      call_site site = call_site::current()) const noexcept;
  friend bool operator==(const basic_stream_ref& a, const basic_stream_ref& b) noexcept {
    return a.native_ == b.native_ && a.device_ == b.device_;
  }

 private:
  template <class>
  friend class basic_stream;
  friend struct detail::StreamAccess;
  basic_stream_ref(void* stream, int device) noexcept : native_(stream), device_(device) {}

  /// `may_stop`: the wait may be given up (detail::wait_for_stream).
  template <CheckLevel Level>
  [[nodiscard]] result<void> wait(call_site site, bool may_stop) const noexcept {
    LaunchError refused;
    if (detail::refused_in_capture<B, Level>(native(), nullptr, Name::of("stream synchronize"),
                                             site, refused)) {
      return refused;
    }
    const detail::CallScope<B> here(site);
    const auto point = detail::StreamPoint::of(native_, device_);
    if (const int status = detail::wait_for_stream<B>(native(), device_, site, may_stop)) {
      LaunchError error = detail::runtime_error<B>(status, Name::of("stream synchronize"), site,
                                                   Stage::completion, device_);
      error.device = device_;
      error.stream = native_;
      return error;
    }
    point.reached(B::vendor);
    return success();
  }

  void* native_;
  int device_;
};

namespace detail {

/// A stream that this library made, shared by its owner and by all that is bound to it (buffers,
/// library handles): the last of them destroys it, so that none outlives it.
///
/// All that live are on a list, so that what is bound by a StreamRef finds its stream and keeps it
/// too. Streams are made, bound and given up under its lock, never launched on.
template <class B>
class SharedStream {
 public:
  typename B::native_stream native;

  /// For a stream that was made just now; one holder. nullptr without memory.
  [[nodiscard]] static SharedStream* make(typename B::native_stream stream) noexcept {
    auto* const made = new (std::nothrow) SharedStream(stream);
    if (made == nullptr) return nullptr;
    const ListLock lock;
    made->next_ = std::exchange(all_streams, made);
    return made;
  }
  /// One more holder of that stream; nullptr if it is none of this library's, or destroyed.
  [[nodiscard]] static SharedStream* find(const void* stream) noexcept {
    const ListLock lock;
    for (SharedStream* at = all_streams; at != nullptr; at = at->next_) {
      if (at->native != stream) continue;
      ++at->holders_;
      return at;
    }
    return nullptr;
  }
  void retain() noexcept {
    const ListLock lock;
    ++holders_;
  }
  /// The runtime's status if this was the last holder, else 0. The object is gone then.
  [[nodiscard]] int release() noexcept {
    {
      const ListLock lock;
      if (--holders_ != 0) return 0;
      SharedStream** at = &all_streams;
      while (*at != this) at = &(*at)->next_;
      *at = next_;
    }
    const int status = B::stream_destroy(native);
    delete this;
    return status;
  }

 private:
  class ListLock {
   public:
    ListLock() noexcept {
      while (__atomic_test_and_set(&list_locked, __ATOMIC_ACQUIRE)) {
      }
    }
    ~ListLock() { __atomic_clear(&list_locked, __ATOMIC_RELEASE); }
    ListLock(const ListLock&) = delete;
    ListLock& operator=(const ListLock&) = delete;
  };
  explicit SharedStream(typename B::native_stream stream) noexcept : native(stream) {}

  static inline SharedStream* all_streams = nullptr;
  static inline bool list_locked = false;
  SharedStream* next_ = nullptr;
  int holders_ = 1;
};

/// Where the one stream of a device is kept that all Streams are (WARPSAFE_SYNC=one-stream), made
/// or not; nullptr where each is its own.
template <class B>
[[nodiscard]] SharedStream<B>** only_stream(int device) noexcept {
  constexpr int devices = 64;
  static SharedStream<B>* kept[devices];
  const DebugHooks* const hooks = debug_hooks();
  const bool one = hooks != nullptr && hooks->one_stream() && device >= 0 && device < devices;
  return one ? &kept[device] : nullptr;
}

}  // namespace detail

/// A stream of its own, on one device, ordered with no default stream. Move-only. Its destructor
/// returns at once: work that was submitted still runs to its end.
template <class B>
class [[nodiscard]] basic_stream {
 public:
  using backend = B;

  basic_stream(std::nullptr_t) = delete;
  basic_stream(int) = delete;

  /// A stream on the calling thread's current device. `urgency` is the runtime's own priority:
  /// smaller is more urgent, 0 the default. Errc::no_device, ::runtime_failed.
  [[nodiscard]] static result<basic_stream> create(int urgency = 0,
                                                   call_site site = call_site::current()) noexcept {
    int device = 0;
    typename B::native_stream stream{};
    int status = B::current_device(device);
    detail::SharedStream<B>** const only = detail::only_stream<B>(device);
    if (only != nullptr) {
      if (auto* const kept = __atomic_load_n(only, __ATOMIC_ACQUIRE)) return share(kept, device);
    }
    if (status == 0) status = B::stream_create(stream, urgency);
    if (status != 0) return detail::runtime_error<B>(status, Name::of("stream create"), site);
    auto* const shared = detail::SharedStream<B>::make(stream);
    if (shared == nullptr) {
      static_cast<void>(B::stream_destroy(stream));
      return LaunchError::make(Errc::out_of_memory, Stage::runtime_call, sizeof *shared, 0,
                               Axis::none, site);
    }
    if (only != nullptr) {
      detail::SharedStream<B>* first = nullptr;
      if (!__atomic_compare_exchange_n(only, &first, shared, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE)) {
        static_cast<void>(shared->release());  // another thread was faster
        return share(first, device);
      }
      shared->retain();  // for all that are made later
    }
    return basic_stream(basic_stream_ref<B>(stream, device), shared);
  }
  /// The same on a device that need not be current. Errc::device_invalid besides.
  [[nodiscard]] static result<basic_stream> create(DeviceId device,
                                                   call_site site = call_site::current()) noexcept {
    auto guard = basic_device_guard<B>::create(device, site);
    if (!guard.has_value()) return guard.assume_error();
    return create(0, site);
  }

  basic_stream(basic_stream&& other) noexcept
      : ref_(other.ref_), shared_(std::exchange(other.shared_, nullptr)) {
    other.ref_.native_ = nullptr;
  }
  basic_stream& operator=(basic_stream&& other) noexcept {
    if (this != &other) {
      static_cast<void>(close());
      ref_ = other.ref_;
      shared_ = std::exchange(other.shared_, nullptr);
      other.ref_.native_ = nullptr;
    }
    return *this;
  }
  basic_stream(const basic_stream&) = delete;
  basic_stream& operator=(const basic_stream&) = delete;
  // Nobody can take a status here; close() is for who wants it.
  ~basic_stream() { static_cast<void>(close()); }

  /// Gives the stream up: it is destroyed now, or with the last buffer or handle that is bound to
  /// it. Returns what the runtime says of a destruction now. Errc::runtime_failed.
  [[nodiscard]] result<void> close(call_site site = call_site::current()) noexcept {
    if (shared_ == nullptr) return success();
    ref_.native_ = nullptr;
    const int status = std::exchange(shared_, nullptr)->release();
    if (status != 0) return detail::runtime_error<B>(status, Name::of("stream destroy"), site);
    return success();
  }

  /// This stream for functions that only use it. Not from a temporary, which would be gone before
  /// them.
  operator basic_stream_ref<B>() const& noexcept {
    return ref_;
  }  // NOLINT(google-explicit-constructor)
  operator basic_stream_ref<B>() const&& = delete;
  [[nodiscard]] basic_stream_ref<B> ref() const& noexcept { return ref_; }
  [[nodiscard]] basic_stream_ref<B> ref() const&& = delete;
  [[nodiscard]] typename B::native_stream native() const noexcept { return ref_.native(); }
  [[nodiscard]] DeviceId device() const noexcept { return ref_.device(); }
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<void> synchronize(call_site site = call_site::current()) const noexcept {
    return ref_.template synchronize<Level>(site);
  }
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<detail::later<B, Progress>> query(
      call_site site = call_site::current()) const noexcept {
    return ref_.template query<Level>(site);
  }
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<detail::later<B, bool>> ready(
      call_site site = call_site::current()) const noexcept {
    return ref_.template ready<Level>(site);
  }
  [[nodiscard]] result<basic_event<B, false>> record(
      call_site site = call_site::current()) const noexcept {
    return ref_.record(site);
  }
  [[nodiscard]] result<basic_event<B, true>> record_timed(
      call_site site = call_site::current()) const noexcept {
    return ref_.record_timed(site);
  }

 private:
  template <class>
  friend class basic_stream_hold;
  basic_stream(basic_stream_ref<B> ref, detail::SharedStream<B>* shared) noexcept
      : ref_(ref), shared_(shared) {}
  [[nodiscard]] static basic_stream share(detail::SharedStream<B>* shared, int device) noexcept {
    shared->retain();
    return basic_stream(basic_stream_ref<B>(shared->native, device), shared);
  }
  basic_stream_ref<B> ref_;
  detail::SharedStream<B>* shared_;
};

/// What keeps a stream alive for something that is bound to it: a function that binds takes one,
/// and is called with a Stream, or with a StreamRef to one. A stream that was borrowed is its
/// owner's to keep until what is bound is gone. Copyable.
template <class B>
class basic_stream_hold {
 public:
  basic_stream_hold(const basic_stream<B>& stream) noexcept  // NOLINT(google-explicit-constructor)
      : ref_(stream.ref_), shared_(stream.shared_) {
    if (shared_ != nullptr) shared_->retain();
  }
  basic_stream_hold(basic_stream<B>&&) =
      delete;  // a temporary would be gone before what is bound to it
  basic_stream_hold(const basic_stream<B>&&) = delete;
  basic_stream_hold(basic_stream_ref<B> stream) noexcept  // NOLINT(google-explicit-constructor)
      : ref_(stream), shared_(detail::SharedStream<B>::find(stream.native())) {}

  basic_stream_hold(const basic_stream_hold& other) noexcept
      : ref_(other.ref_), shared_(other.shared_) {
    if (shared_ != nullptr) shared_->retain();
  }
  basic_stream_hold(basic_stream_hold&& other) noexcept
      : ref_(other.ref_), shared_(std::exchange(other.shared_, nullptr)) {}
  basic_stream_hold& operator=(basic_stream_hold other) noexcept {
    std::swap(ref_, other.ref_);
    std::swap(shared_, other.shared_);
    return *this;
  }
  // The status of a stream's destruction has no one to go to here.
  ~basic_stream_hold() {
    if (shared_ != nullptr) static_cast<void>(shared_->release());
  }
  [[nodiscard]] basic_stream_ref<B> ref() const noexcept { return ref_; }

 private:
  basic_stream_ref<B> ref_;
  detail::SharedStream<B>* shared_;
};

using Stream = basic_stream<default_backend>;
using StreamRef = basic_stream_ref<default_backend>;

namespace detail {

/// A stream as `<<<>>>` takes it, the default stream 0 included: for launches as written alone.
struct StreamAccess {
  template <class B>
  static basic_stream_ref<B> make(void* stream, int device) noexcept {
    return basic_stream_ref<B>(stream, device);
  }
  /// A wait that is not given up: memory that the work uses is given back after it.
  template <class B>
  [[nodiscard]] static result<void> wait_to_the_end(const basic_stream_ref<B>& stream,
                                                    call_site site) noexcept {
    return stream.template wait<current_level>(site, false);
  }
};
template <class B>
[[nodiscard]] basic_stream_ref<B> stream_as_written(typename B::native_stream stream,
                                                    int device) noexcept {
  return StreamAccess::make<B>(stream, device);
}

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

/// A stream together with the place it was passed at: how a function that ends in a parameter pack
/// learns its caller's line.
template <class B>
struct Located {
  template <class S>
  requires is_stream_of<S, B> Located(
      const S& its_stream,  // NOLINT(google-explicit-constructor): its purpose
      call_site its_site = call_site::current())
  noexcept : stream(its_stream), site(its_site) {}
  basic_stream_ref<B> stream;
  call_site site;
};

}  // namespace detail

}  // namespace warpsafe
