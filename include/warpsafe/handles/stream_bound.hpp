// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
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

// What a library's handle is made of: a stream, and options where handle_traits has some.

namespace warpsafe::detail {

template <class Traits>
struct OptionsOf {
  struct type {};
};
template <class Traits>
requires requires { typename Traits::options; }
struct OptionsOf<Traits> {
  using type = typename Traits::options;
};

/// Whether a handle can be made of these: a stream, then options where there are some. The place of
/// the call may follow.
template <class B, class Options, class... A>
inline constexpr bool makes_handle = false;
template <class B, class Options, class S, class... A>
inline constexpr bool makes_handle<B, Options, S, A...> =
    std::is_convertible_v<const S&, basic_stream_hold<B>> &&
    (std::is_empty_v<Options> || sizeof...(A) != 0);

}  // namespace warpsafe::detail

namespace warpsafe {

/// A library handle that can only run on one stream. There is no way to make one without a stream,
/// none to change the stream under work that is pending, and no copy that another thread could use;
/// the stream lives at least as long. Move-only. One thread at a time; a handle of its own for each
/// thread.
template <class Handle>
class [[nodiscard]] StreamBound
    : private detail::CallsOf<StreamBound<Handle>, handle_traits<Handle>>::type {
  using Traits = handle_traits<Handle>;
  using B = typename Traits::backend;
  using Calls = typename detail::CallsOf<StreamBound, Traits>::type;
  using Step = detail::HandleStep;
  template <class, class, class...>
  friend struct detail::OverloadedCalls;

 public:
  using native_handle = typename Traits::native;
  /// What a handle is made of besides its stream; empty for most libraries.
  using Options = typename detail::OptionsOf<Traits>::type;

  StreamBound() = delete;  // a handle without a stream would run on the default stream

  /// A new handle of the library, bound to `stream` (a Stream, or a StreamRef, which keeps a Stream
  /// alive too; a borrowed stream has to outlive the handle; not a temporary). The stream's device
  /// must be current: Errc::stream_wrong_device; it may not be one that was moved from or closed:
  /// Errc::stream_null. Errc::stream_capturing while the stream captures a
  /// graph, which the library's allocations would break. Errc::library_failed with the library's
  /// own words,
  /// ::out_of_memory for the workspace, ::no_device, ::handle_partly_bound where a handle that
  /// holds others is not on the stream with each of them.
  template <CheckLevel Level = current_level>
  [[nodiscard]] static result<StreamBound> create(basic_stream_hold<B> stream,
                                                  call_site site = call_site::current()) noexcept
      requires(std::is_empty_v<Options>) {
    return create<Level>(std::move(stream), Options{}, site);
  }
  /// The same for a library whose handles are made of something (curandRngType_t, NcclRank).
  template <CheckLevel Level = current_level>
  [[nodiscard]] static result<StreamBound> create(basic_stream_hold<B> stream,
                                                  const Options& options,
                                                  call_site site = call_site::current()) noexcept {
    const auto usable = check_step<Step::create, Level>(stream.ref(), site);
    if (!usable.has_value()) return usable.assume_error();
    native_handle handle{};
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
    auto bound = bind_new<Level>(handle, std::move(stream), site);
    if (!bound.has_value()) static_cast<void>(Traits::destroy(handle));  // the first error counts
    return bound;
  }
  /// Takes over a handle that other code made (ncclCommInitAll, cufftPlan1d) and binds it. On an
  /// error it stays that code's to destroy. Errors as those of create.
  template <CheckLevel Level = current_level>
  [[nodiscard]] static result<StreamBound> adopt(native_handle handle, basic_stream_hold<B> stream,
                                                 call_site site = call_site::current()) noexcept {
    const auto usable = check_step<Step::bind, Level>(stream.ref(), site);
    if (!usable.has_value()) return usable.assume_error();
    return bind_new<Level>(handle, std::move(stream), site);
  }
  /// What is no stream of the library's backend, or lacks the options, gets a sentence.
  template <class... S>
  requires(!detail::makes_handle<B, Options, S...>)  //
      [[nodiscard]] static result<StreamBound> create(const S&...) noexcept {
    static_assert(
        detail::makes_handle<B, Options, S...>,
        "warpsafe: a library handle is made on a Stream of the library's backend, and of what "
        "handle_traits has as options; a vendor's stream comes in by StreamRef::borrow(stream, "
        "device)");
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
  StreamBound(const StreamBound&) = delete;  // two threads with one handle, or two destructions
  StreamBound& operator=(const StreamBound&) = delete;
  // Nobody can take a status here; close() is for who wants it.
  ~StreamBound() { bound_.drop(call_site::current()); }

  /// Destroys the handle, with its device current, and frees its workspace in stream order. Returns
  /// the first thing that went wrong. Errc::library_failed, ::runtime_failed, ::device_invalid.
  /// @pre no graph is being captured: a library's destroy function may wait for the device
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<void> close(call_site site = call_site::current()) noexcept {
    return bound_.template destroy<Level>(site);
  }

  /// The handle on another stream of the same device: what the new stream is given from now on
  /// waits for what the old one was given (a library may share one workspace between them). Uses
  /// this one up; on an error this one stays as it was. Errc::stream_wrong_device,
  /// ::stream_capturing while either stream captures: their work could not be ordered,
  /// ::handle_moved, ::library_failed, ::runtime_failed.
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<StreamBound> rebind(basic_stream_hold<B> stream,
                                           call_site site = call_site::current()) && noexcept {
    if (!bound_.owned) {
      return detail::handle_error(Errc::handle_moved, detail::StepName<Traits, Step::bind>::value,
                                  bound_.stream.ref(), site);
    }
    auto usable = check_step<Step::bind, Level>(bound_.stream.ref(), site);
    if (usable.has_value()) usable = check_step<Step::bind, Level>(stream.ref(), site);
    if (!usable.has_value()) return usable.assume_error();
    const auto done = basic_event<B, false>::template create<Level>(bound_.stream.ref(), site);
    if (!done.has_value()) return done.assume_error();
    const auto ordered = wait<Level>(stream.ref(), done.assume_value(), site);
    if (!ordered.has_value()) return ordered.assume_error();
    std::swap(bound_.stream, stream);
    const auto bound = bound_.template bind<Level>(site);
    if (!bound.has_value()) {
      std::swap(bound_.stream, stream);
      static_cast<void>(
          bound_.template bind<Level>(site));  // back; the first error is the one to tell
      return bound.assume_error();
    }
    return std::move(*this);
  }
  /// `rebind` of a variable that could be used afterwards gets a sentence.
  template <class S>
  result<StreamBound> rebind(const S&) & noexcept {
    static_assert(!detail::is_size<decltype(sizeof(S))>,
                  "warpsafe: rebind uses the handle up: auto moved = "
                  "std::move(handle).rebind(stream)");
    return LaunchError::make(Errc::handle_moved, Stage::construction);
  }

  /// Calls a function of the library: `blas.call<cublasSgemm>(…)`. The handle, and a stream where
  /// the function takes one, are passed by `call`. The arguments keep their value, as those of a
  /// kernel; device memory goes in as a view, scalars by host_scalar, device_scalar or `&x`.
  /// Release builds make the bare call. Checked builds find a moved or closed handle
  /// (Errc::handle_moved), two threads in one handle at once (::handle_busy), a negative number for
  /// an unsigned parameter (::argument_negative); full checks besides another current device
  /// (::stream_wrong_device), a stream or pointer mode that was changed behind the handle's back
  /// (::handle_stream_changed, ::handle_pointer_mode), a trusted pointer to host memory
  /// (::argument_host_pointer). All builds: ::library_failed with the function's name and the
  /// library's own words.
  template <auto Fn, CheckLevel Level = current_level, class... A>
  [[nodiscard, gnu::always_inline]] result<void> call(
      typename detail::LibraryFunction<Traits, decltype(Fn)>::First first, A&&... rest) noexcept {
    return call_from<Fn, Level>(first, detail::decayed(rest)...);
  }
  /// The same for a function of the handle alone.
  template <auto Fn, CheckLevel Level = current_level>
  [[nodiscard, gnu::always_inline]] result<void> call(
      call_site site = call_site::current()) noexcept {
    return detail::call_at<Fn, Level>(bound_, site, detail::ScalarPlace::unknown);
  }
  using Calls::call;

  /// The library's own handle, for what `call` cannot express. Its stream is not to be changed.
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
  /// On an error `handle` is still the caller's.
  template <CheckLevel Level>
  [[nodiscard]] static result<StreamBound> bind_new(native_handle handle,
                                                    basic_stream_hold<B> stream,
                                                    call_site site) noexcept {
    StreamBound made(handle, std::move(stream));
    const auto bound = made.bound_.template bind<Level>(site);
    if (!bound.has_value()) {
      made.bound_.owned = false;
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

}  // namespace warpsafe
