// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/refused.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/handles/detail/bound_handle.hpp>
#include <warpsafe/handles/detail/library_call.hpp>
#include <warpsafe/handles/detail/library_function.hpp>
#include <warpsafe/handles/handle_traits.hpp>
#include <warpsafe/handles/library_scalar.hpp>
#include <warpsafe/stream/event.hpp>
#include <warpsafe/stream/stream.hpp>
#include <warpsafe/stream/stream_hold.hpp>

#include <type_traits>
#include <utility>

// A library handle is made from a stream, and from options if handle_traits declares some.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

template <class Traits>
struct OptionsOf {
  struct type {};
};
template <class Traits>
requires requires { typename Traits::options; }
struct OptionsOf<Traits> {
  using type = typename Traits::options;
};

/// Whether a handle can be made from these arguments: a stream, then options if there are any. A
/// call_site may follow.
template <class B, class Options, class... A>
inline constexpr bool makes_handle = false;
template <class B, class Options, class S, class... A>
inline constexpr bool makes_handle<B, Options, S, A...> =
    std::is_convertible_v<const S&, basic_stream_hold<B>> &&
    (std::is_empty_v<Options> || sizeof...(A) != 0);

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// A library handle that runs on one stream only. It cannot be made without a stream, its stream
/// cannot change while work is pending, and it cannot be copied. It keeps its stream alive.
/// Move-only. Use it from one thread at a time; give each thread a handle of its own.
template <class Handle>
class WARPSAFE_DETAIL_OWNER StreamBound
    : private detail::CallsOf<StreamBound<Handle>, handle_traits<Handle>>::type {
  using Traits = handle_traits<Handle>;
  using B = typename Traits::backend;
  using Calls = typename detail::CallsOf<StreamBound, Traits>::type;
  using Step = detail::HandleStep;
  template <class, class, class...>
  friend struct detail::OverloadedCalls;

 public:
  using native_handle = typename Traits::native;
  /// The options that a handle is made from besides its stream; empty for most libraries.
  using Options = typename detail::OptionsOf<Traits>::type;

#define WARPSAFE_DETAIL_SENTENCE \
  "warpsafe: a handle is made on its stream, by a function that can fail: WARPSAFE_TRY(auto handle, StreamBound<Handle>::create(stream))"
  WARPSAFE_DETAIL_NO_CONSTRUCTOR(StreamBound);
#undef WARPSAFE_DETAIL_SENTENCE
  /// Makes a handle of the library and binds it to `stream` (a Stream or a StreamRef, not a
  /// temporary; a borrowed stream must outlive the handle). Errc::stream_wrong_device unless the
  /// stream's device is current. Errc::stream_null for a Stream that was moved from or closed.
  /// Errc::stream_capturing while the stream captures a graph, which the library's allocations
  /// would break. Errc::library_failed with the library's own text, ::out_of_memory for the
  /// workspace, ::no_device. Errc::handle_partly_bound if an inner handle is not on the stream.
  template <CheckLevel Level = current_level>
  [[nodiscard]] static result<StreamBound> create(basic_stream_hold<B> stream,
                                                  call_site site = call_site::current()) noexcept
      requires(std::is_empty_v<Options>) {
    return create<Level>(std::move(stream), Options{}, site);
  }
  /// Makes a handle from options (a curandRngType_t, an NcclRank). Errors are those of `create`
  /// above.
  template <CheckLevel Level = current_level>
  [[nodiscard]] static result<StreamBound> create(basic_stream_hold<B> stream,
                                                  const Options& options,
                                                  call_site site = call_site::current()) noexcept {
    const auto usable = check_step<Step::create, Level>(stream.ref(), site);
    if (!usable.has_value()) return usable.assume_error();
    native_handle handle{};
    const detail::RelaxedCaptureScope<B, Level> outside;  // a library allocates
    const auto status = [&] {
      if constexpr (std::is_empty_v<Options>) {
        return Traits::create(handle);
      } else {
        return Traits::create(handle, options);
      }
    }();
    if (detail::library_failed<Traits>(status)) {
      return detail::step_error<Traits, Step::create>(status, stream.ref(), site);
    }
    auto bound = bind_new<Level>(handle, std::move(stream), false, site);
    if (!bound.has_value()) static_cast<void>(Traits::destroy(handle));  // return the first error
    return bound;
  }
  /// Takes over a handle that other code made (ncclCommInitAll, cufftPlan1d) and binds it. On an
  /// error, that code still owns the handle. Errors are those of create, and in checked builds
  /// Errc::handle_owned if another StreamBound has the handle already.
  template <CheckLevel Level = current_level>
  [[nodiscard]] static result<StreamBound> adopt(native_handle handle, basic_stream_hold<B> stream,
                                                 call_site site = call_site::current()) noexcept {
    const auto usable = check_step<Step::bind, Level>(stream.ref(), site);
    if (!usable.has_value()) return usable.assume_error();
    const detail::RelaxedCaptureScope<B, Level> outside;
    return bind_new<Level>(handle, std::move(stream), Level == CheckLevel::full, site);
  }
  /// Diagnoses an argument that is not a stream of the library's backend, and missing options.
  template <class... S>
  requires(!detail::makes_handle<B, Options, S...>)  //
      [[nodiscard]] static result<StreamBound> create(const S&...) noexcept {
    static_assert(
        detail::makes_handle<B, Options, S...>,
        "warpsafe: create a library handle with a Stream of the library's backend and the options of its handle_traits; borrow a vendor's stream with StreamRef::borrow(stream, device)");
    return LaunchError::make(Errc::stream_null, Stage::construction);
  }

  StreamBound(StreamBound&& other) noexcept = default;
  StreamBound& operator=(StreamBound&& other) noexcept {
    if (this != &other) {
      bound_.drop(call_site::current());
      bound_ = std::move(other.bound_);
    }
    return *this;
  }
  // Two threads could share a handle, and it would be destroyed twice.
  StreamBound(const StreamBound&,  // warpsafe: move the handle, or pass a reference
              detail::MoveItOrPassAReference = {}) = delete;
  StreamBound& operator=(const StreamBound&) = delete;
  // A destructor cannot return a status; close() does.
  ~StreamBound() { bound_.drop(call_site::current()); }

  /// Destroys the handle, with its device current, and frees its workspace in stream order. Returns
  /// the first error. Errc::library_failed, ::runtime_failed, ::device_invalid.
  /// @pre no graph is being captured: a library's destroy function may wait for the device
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<void> close(call_site site = call_site::current()) noexcept {
    return bound_.template destroy<Level>(site);
  }

  /// Moves the handle to another stream of the same device. Work submitted to the new stream from
  /// now on waits for the work of the old one, because a library may use one workspace for both.
  /// Consumes this object; on an error, the object stays as it was. Errc::stream_wrong_device,
  /// ::handle_moved, ::library_failed, ::runtime_failed. Errc::stream_capturing while either stream
  /// captures, because their work could not be ordered.
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<StreamBound> rebind(basic_stream_hold<B> stream,
                                           call_site site = call_site::current()) && noexcept {
    if (!bound_.owned) {
      return detail::refused_on(bound_.stream.ref(), Errc::handle_moved,
                                detail::StepName<Traits, Step::bind>::value, site);
    }
    detail::CaptureLock locked;  // another thread may begin to capture the old stream
    const auto old = detail::reachable_stream(bound_.stream.ref(), bound_.number);
    auto usable = check_step<Step::bind, Level>(old, site);
    if (usable.has_value()) usable = check_step<Step::bind, Level>(stream.ref(), site);
    if (!usable.has_value()) return usable.assume_error();
    const auto done = basic_event<B, false>::template create<Level>(old, site);
    locked.unlock();
    if (!done.has_value()) return done.assume_error();
    const auto ordered = wait<Level>(stream.ref(), done.assume_value(), site);
    if (!ordered.has_value()) return ordered.assume_error();
    std::swap(bound_.stream, stream);
    const auto bound = bound_.template bind<Level>(site);
    if (!bound.has_value()) {
      std::swap(bound_.stream, stream);
      static_cast<void>(bound_.template bind<Level>(site));  // bind it back; return the first error
      return bound.assume_error();
    }
    return std::move(*this);
  }
  /// Diagnoses `rebind` of a variable that could still be used afterwards.
  template <class S>
  result<StreamBound> rebind(const S&) & noexcept {
    static_assert(
        detail::is_never<S>,
        "warpsafe: rebind consumes the handle; write auto moved = std::move(handle).rebind(stream)");
    return LaunchError::make(Errc::handle_moved, Stage::construction);
  }

  /// Calls a function of the library: `blas.call<cublasSgemm>(…)`. `call` passes the handle, and
  /// the stream if the function takes one. Arguments follow the rules of kernel arguments: no
  /// number may change its value, device memory is passed as a view, and scalars as host_scalar,
  /// device_scalar or `&x`. Release builds make the bare call.
  ///
  /// Checked builds return Errc::handle_moved for a moved or closed handle, ::handle_busy if
  /// another thread uses the handle, and ::argument_negative for a negative number passed as an
  /// unsigned parameter; Errc::stream_wrong_device if another device is current;
  /// ::handle_stream_changed if other code changed the stream or another thread bound the handle to
  /// its per-thread default stream; ::handle_pointer_mode if other code changed the mode, or for a
  /// scalar's raw pointer to device memory; ::memory_wrong_device; and ::argument_host_pointer for
  /// a trusted pointer to host memory, or a raw one in the place of an array. All builds return
  /// Errc::library_failed with the function's name and the library's own text,
  /// ::handle_pointer_mode for scalars on the host and on the device in one call, and
  /// ::stream_capturing for a result on the host while the stream captures. The first call that a
  /// graph captures allocates that graph's workspace: ::out_of_memory, ::runtime_failed.
  template <auto Fn, CheckLevel Level = current_level, class... A>
  [[nodiscard, gnu::always_inline]] result<void> call(
      typename detail::LibraryFunction<Traits, decltype(Fn), detail::scalars_of<Traits, Fn>>::First
          first,
      A&&... rest) noexcept {
    (detail::check_lives_on<A>(), ...);
    return call_from<Fn, Level>(first, detail::decayed(rest)...);
  }
  /// Calls a function that takes only the handle.
  template <auto Fn, CheckLevel Level = current_level>
  [[nodiscard, gnu::always_inline]] result<void> call(
      call_site site = call_site::current()) noexcept {
    return detail::call_at<Fn, Level>(bound_, site, detail::ScalarPlace::unknown);
  }
  using Calls::call;

  /// The library's own handle, for functions that `call` cannot express. Do not change its stream.
  [[nodiscard]] native_handle native() const noexcept { return bound_.native; }
  [[nodiscard]] basic_stream_ref<B> stream() const noexcept { return bound_.stream.ref(); }

 private:
  StreamBound(native_handle handle, basic_stream_hold<B> stream) noexcept
      : bound_(handle, std::move(stream)) {}

  template <Step Which, CheckLevel Level>
  [[nodiscard]] static result<void> check_step(basic_stream_ref<B> stream,
                                               call_site site) noexcept {
    return detail::check_bindable<Level>(detail::StepName<Traits, Which>::value, stream, site);
  }
  /// On an error the caller still owns `handle`. `alone`: refuses a handle that has an owner.
  template <CheckLevel Level>
  [[nodiscard]] static result<StreamBound> bind_new(native_handle handle,
                                                    basic_stream_hold<B> stream, bool alone,
                                                    call_site site) noexcept {
    using Owned = detail::OwnedHandles<Traits>;
    StreamBound made(handle, std::move(stream));
    // Recorded first: of two threads that adopt it, one is refused.
    if (!Owned::add(handle, alone, made.bound_.entry)) {
      made.bound_.owned = false;
      return detail::refused_on(made.bound_.stream.ref(), Errc::handle_owned,
                                detail::StepName<Traits, Step::bind>::value, site);
    }
    const auto bound = made.bound_.template bind<Level>(site);
    if (!bound.has_value()) {
      made.bound_.owned = false;
      Owned::remove(std::exchange(made.bound_.entry, nullptr));
      static_cast<void>(made.bound_.free_workspace());
      return bound.assume_error();
    }
    return made;
  }
  // Inlined, so that a release build makes the bare call with every compiler.
  template <auto Fn, CheckLevel Level, class First, class... A>
  [[nodiscard, gnu::always_inline]] result<void> call_from(const First& first,
                                                           const A&... rest) noexcept {
    detail::ScalarPlace place = detail::ScalarPlace::unknown;
    if constexpr (requires { first.place; }) place = first.place;
    return detail::call_at<Fn, Level>(bound_, first.site, place, first, rest...);
  }

  detail::BoundHandle<Traits> bound_;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
