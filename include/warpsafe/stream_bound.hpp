// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/config.hpp>
#include <warpsafe/detail/call_scope.hpp>
#include <warpsafe/detail/library_call.hpp>
#include <warpsafe/device.hpp>
#include <warpsafe/event.hpp>
#include <warpsafe/handle_traits.hpp>
#include <warpsafe/library_scalar.hpp>
#include <warpsafe/result.hpp>
#include <warpsafe/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace warpsafe {

namespace detail {

/// The first argument of a function of one signature: a type of its own for each, since clang++ 14
/// otherwise takes one `call` for a redeclaration of the other.
template <class Traits, class Function>
struct FirstOfOverload : LibraryFunction<Traits, Function>::First {
  using LibraryFunction<Traits, Function>::First::First;
};

/// `call` for functions that a library's C++ header overloads: one for each signature.
template <class Self, class Traits, class... Signature>
struct OverloadedCalls {
  struct Nothing {};
  void call(Nothing) = delete;
};
template <class Self, class Traits, class StatusType, class... P, class... More>
struct OverloadedCalls<Self, Traits, StatusType(P...), More...>
    : OverloadedCalls<Self, Traits, More...> {
  using OverloadedCalls<Self, Traits, More...>::call;
  template <StatusType (*Fn)(P...), CheckLevel Level = current_level, class... A>
  [[nodiscard, gnu::always_inline]] result<void> call(
      FirstOfOverload<Traits, StatusType (*)(P...)> first, A&&... rest) noexcept {
    using First = typename LibraryFunction<Traits, StatusType (*)(P...)>::First;
    return static_cast<Self*>(this)->template call_from<Fn, Level>(static_cast<First&>(first),
                                                                   decayed(rest)...);
  }
};
template <class Self, class Traits>
struct CallsOf {
  using type = OverloadedCalls<Self, Traits>;
};
template <class Self, class Traits, class... Signature>
OverloadedCalls<Self, Traits, Signature...> make_calls(Signatures<Signature...>);
template <class Self, class Traits>
requires requires { typename Traits::overloaded; }
struct CallsOf<Self, Traits> {
  using type = decltype(make_calls<Self, Traits>(typename Traits::overloaded{}));
};

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

}  // namespace detail

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
  static constexpr bool has_stream =
      requires(typename Traits::native handle, typename B::native_stream stream) {
    Traits::set_stream(handle, stream);
  };
  static constexpr int inner_handles = [] {
    if constexpr (requires { Traits::inner_handles; }) {
      return Traits::inner_handles;
    } else {
      return 0;
    }
  }();
  static constexpr bool has_workspace = requires(typename Traits::native handle) {
    Traits::set_workspace(handle, nullptr, std::size_t{});
  };

 public:
  using native_handle = typename Traits::native;
  /// What a handle is made of besides its stream; empty for most libraries.
  using Options = typename detail::OptionsOf<Traits>::type;

  StreamBound() = delete;  // a handle without a stream would run on the default stream

  /// A new handle of the library, bound to `stream` (a Stream, or a StreamRef whose owner then has
  /// to outlive the handle; not a temporary). The stream's device must be current:
  /// Errc::stream_wrong_device. Errc::stream_capturing while the stream captures a graph, which the
  /// library's allocations would break. Errc::library_failed with the library's own words,
  /// ::out_of_memory for the workspace, ::no_device, ::handle_partly_bound where a handle that
  /// holds others is not on the stream with each of them.
  [[nodiscard]] static result<StreamBound> create(basic_stream_hold<B> stream,
                                                  call_site site = call_site::current()) noexcept
      requires(std::is_empty_v<Options>) {
    return create(std::move(stream), Options{}, site);
  }
  /// The same for a library whose handles are made of something (curandRngType_t, NcclRank).
  [[nodiscard]] static result<StreamBound> create(basic_stream_hold<B> stream,
                                                  const Options& options,
                                                  call_site site = call_site::current()) noexcept {
    auto usable = check_device(Step::create, stream.ref(), site);
    if (!usable.has_value()) return usable.assume_error();
    bool capturing = false;
    if (const int status = B::stream_capturing(stream.ref().native(), capturing)) {
      return detail::runtime_error<B>(status, Name::of("stream capturing"), site);
    }
    if (capturing) return not_called<Step::create>(Errc::stream_capturing, stream.ref(), site);
    native_handle handle{};
    const auto status = [&] {
      if constexpr (std::is_empty_v<Options>) {
        return Traits::create(handle);
      } else {
        return Traits::create(handle, options);
      }
    }();
    if (failed(status)) return error_of<Step::create>(status, stream.ref(), site);
    auto bound = adopt(handle, std::move(stream), site);
    if (!bound.has_value()) static_cast<void>(Traits::destroy(handle));  // the first error counts
    return bound;
  }
  /// Takes over a handle that other code made (ncclCommInitAll, cufftPlan1d) and binds it. On an
  /// error it stays that code's to destroy. Errors as those of create.
  [[nodiscard]] static result<StreamBound> adopt(native_handle handle, basic_stream_hold<B> stream,
                                                 call_site site = call_site::current()) noexcept {
    auto usable = check_device(Step::bind, stream.ref(), site);
    if (!usable.has_value()) return usable.assume_error();
    StreamBound made(handle, std::move(stream));
    auto bound = made.bind_with_workspace(site);
    if (!bound.has_value()) {
      made.owned_ = false;
      static_cast<void>(made.free_workspace());
      return bound.assume_error();
    }
    return made;
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

  StreamBound(StreamBound&& other) noexcept
      : handle_(other.handle_),
        stream_(std::move(other.stream_)),
        workspace_(std::exchange(other.workspace_, nullptr)),
        owned_(std::exchange(other.owned_, false)) {}
  StreamBound& operator=(StreamBound&& other) noexcept {
    if (this != &other) {
      static_cast<void>(close());
      handle_ = other.handle_;
      stream_ = std::move(other.stream_);
      workspace_ = std::exchange(other.workspace_, nullptr);
      owned_ = std::exchange(other.owned_, false);
    }
    return *this;
  }
  StreamBound(const StreamBound&) = delete;  // two threads with one handle, or two destructions
  StreamBound& operator=(const StreamBound&) = delete;
  // Nobody can take a status here; close() is for who wants it.
  ~StreamBound() { static_cast<void>(close()); }

  /// Destroys the handle, with its device current, and frees its workspace in stream order. Returns
  /// the first thing that went wrong. Errc::library_failed, ::runtime_failed, ::device_invalid.
  [[nodiscard]] result<void> close(call_site site = call_site::current()) noexcept {
    if (!std::exchange(owned_, false)) return success();
    const auto guard = basic_device_guard<B>::create(stream_.ref().device(), site);
    const auto status = Traits::destroy(handle_);
    const int freed = free_workspace();
    if (failed(status)) return error_of<Step::destroy>(status, stream_.ref(), site);
    if (freed != 0) return detail::runtime_error<B>(freed, Name::of("free workspace"), site);
    if (!guard.has_value()) return guard.assume_error();
    return success();
  }

  /// The handle on another stream of the same device: what the new stream is given from now on
  /// waits for what the old one was given (a library may share one workspace between them). Uses
  /// this one up; on an error this one stays as it was. Errc::stream_wrong_device, ::handle_moved,
  /// ::library_failed, ::runtime_failed.
  [[nodiscard]] result<StreamBound> rebind(basic_stream_hold<B> stream,
                                           call_site site = call_site::current()) && noexcept {
    if (!owned_) return not_called<Step::bind>(Errc::handle_moved, stream_.ref(), site);
    auto usable = check_device(Step::bind, stream_.ref(), site);
    if (usable.has_value()) usable = check_device(Step::bind, stream.ref(), site);
    if (!usable.has_value()) return usable.assume_error();
    const auto done = basic_event<B, false>::create(stream_.ref(), site);
    if (!done.has_value()) return done.assume_error();
    const auto ordered = wait(stream.ref(), done.assume_value(), site);
    if (!ordered.has_value()) return ordered.assume_error();
    std::swap(stream_, stream);
    const auto bound = bind_with_workspace(site);
    if (!bound.has_value()) {
      std::swap(stream_, stream);
      static_cast<void>(bind_with_workspace(site));  // back; the first error is the one to tell
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
    return call_at<Fn, Level>(site, detail::ScalarPlace::unsaid);
  }
  using Calls::call;

  /// The library's own handle, for what `call` cannot express. Its stream is not to be changed.
  [[nodiscard]] native_handle native() const noexcept { return handle_; }
  [[nodiscard]] basic_stream_ref<B> stream() const noexcept { return stream_.ref(); }

 private:
  using StatusType = typename Traits::status;

  StreamBound(native_handle handle, basic_stream_hold<B> stream) noexcept
      : handle_(handle), stream_(std::move(stream)) {}

  [[nodiscard]] static bool failed(StatusType value) noexcept {
    if constexpr (requires { Traits::is_success(value); }) {
      return !Traits::is_success(value);
    } else {
      return value != static_cast<StatusType>(0);
    }
  }
  template <Step Which>
  [[nodiscard]] static LaunchError error_of(StatusType value, basic_stream_ref<B> stream,
                                            call_site site) noexcept {
    return detail::library_error<Traits>(value, detail::StepName<Traits, Which>::value, stream,
                                         site);
  }
  [[nodiscard]] static LaunchError not_called(Errc code, Name operation, basic_stream_ref<B> stream,
                                              call_site site) noexcept {
    LaunchError error = LaunchError::make(code, Stage::validation, site);
    error.operation = operation;
    error.vendor = B::vendor;
    error.stream = stream.native();
    error.device = stream.device().value();
    return error;
  }
  template <Step Which>
  [[nodiscard]] static LaunchError not_called(Errc code, basic_stream_ref<B> stream,
                                              call_site site) noexcept {
    return not_called(code, detail::StepName<Traits, Which>::value, stream, site);
  }
  /// Whether the stream's device is current: handles, events and memory belong to the device that
  /// is current when they are made.
  [[nodiscard]] static result<void> check_device(Step step, basic_stream_ref<B> stream,
                                                 call_site site) noexcept {
    return check_device(step == Step::create ? detail::StepName<Traits, Step::create>::value
                                             : detail::StepName<Traits, Step::bind>::value,
                        stream, site);
  }
  [[nodiscard]] static result<void> check_device(Name operation, basic_stream_ref<B> stream,
                                                 call_site site) noexcept {
    int current = -1;
    if (const int status = B::current_device(current)) {
      return detail::runtime_error<B>(status, Name::of("current device"), site);
    }
    if (current == stream.device().value()) return success();
    LaunchError error = not_called(Errc::stream_wrong_device, operation, stream, site);
    error.value = static_cast<std::uint64_t>(current);
    error.limit = static_cast<std::uint64_t>(stream.device().value());
    return error;
  }

  /// The handle on stream_, scalars on the host, and the workspace, which some libraries forget
  /// with each change of the stream.
  [[nodiscard]] result<void> bind_with_workspace(call_site site) noexcept {
    if constexpr (has_stream) {
      const StatusType bound = Traits::set_stream(handle_, stream_.ref().native());
      if (failed(bound)) return error_of<Step::bind>(bound, stream_.ref(), site);
      if (const int astray = inner_handle_astray()) {
        LaunchError error = not_called<Step::bind>(Errc::handle_partly_bound, stream_.ref(), site);
        error.value = static_cast<std::uint64_t>(astray);
        error.limit = static_cast<std::uint64_t>(inner_handles);
        return error;
      }
    }
    if constexpr (detail::has_pointer_mode<Traits>) {
      const StatusType set = Traits::set_scalars_on_device(handle_, false);
      if (failed(set)) return error_of<Step::set_mode>(set, stream_.ref(), site);
    }
    if constexpr (has_workspace) {
      const std::size_t bytes = Traits::workspace_bytes(stream_.ref().device().value());
      if (workspace_ == nullptr) {
        if (const int no = B::allocate(workspace_, bytes, stream_.ref().native())) {
          workspace_ = nullptr;
          LaunchError error = detail::runtime_error<B>(
              no, detail::StepName<Traits, Step::allocate_workspace>::value, site);
          error.value = bytes;
          return error;
        }
      }
      const StatusType set = Traits::set_workspace(handle_, workspace_, bytes);
      if (failed(set)) return error_of<Step::set_workspace>(set, stream_.ref(), site);
    }
    return success();
  }
  [[nodiscard]] int free_workspace() noexcept {
    if (workspace_ == nullptr) return 0;
    return B::deallocate(std::exchange(workspace_, nullptr), stream_.ref().native());
  }

  // Inlined, so that a release build makes the bare call with every compiler.
  template <auto Fn, CheckLevel Level, class First, class... A>
  [[nodiscard, gnu::always_inline]] result<void> call_from(const First& first,
                                                           const A&... rest) noexcept {
    detail::ScalarPlace place = detail::ScalarPlace::unsaid;
    if constexpr (requires { first.place; }) place = first.place;
    return call_at<Fn, Level>(first.site, place, first, rest...);
  }
  template <auto Fn, CheckLevel Level, class... A>
  [[nodiscard, gnu::always_inline]] result<void> call_at(call_site site,
                                                         detail::ScalarPlace first_place,
                                                         const A&... arguments) noexcept {
    using Function = detail::LibraryFunction<Traits, decltype(Fn)>;
    constexpr bool refused = detail::is_listed<Fn, typename Traits::refused>;
    static_assert(
        !refused,
        "warpsafe: this function would undo the handle's binding: the stream is changed with "
        "rebind, the handle destroyed with close, and stream, workspace and pointer mode are its own");
    if constexpr (!refused && Function::template check<A...>()) {
      if constexpr (Level == CheckLevel::off) {
        return call_library<Fn>(site, first_place, arguments...);
      } else {
        return call_checked<Fn, Level>(site, first_place, arguments...);
      }
    }
    return success();
  }
  template <auto Fn, CheckLevel Level, class... A>
  [[nodiscard]] result<void> call_checked(call_site site, detail::ScalarPlace first_place,
                                          const A&... arguments) noexcept {
    using detail::ScalarPlace;
    using Function = detail::LibraryFunction<Traits, decltype(Fn)>;
    constexpr Name name = detail::FunctionName<Traits, Fn>::value;
    const bool host = ((detail::scalar_place<A> == ScalarPlace::host) || ... || false) ||
                      first_place == ScalarPlace::host;
    const bool device = ((detail::scalar_place<A> == ScalarPlace::device) || ... || false) ||
                        first_place == ScalarPlace::device;
    const detail::InUse mine(busy_);
    LaunchError error;
    if (!check_binding<Level == CheckLevel::full>(mine.alone(), host && device, name, site,
                                                  error) ||
        !check_arguments<Function>(Level == CheckLevel::full, name, site, error, arguments...)) {
      return error;
    }
    return call_library<Fn>(site, first_place, arguments...);
  }
  template <auto Fn, class... A>
  [[nodiscard, gnu::always_inline]] result<void> call_library(call_site site,
                                                              detail::ScalarPlace first_place,
                                                              const A&... arguments) noexcept {
    using detail::ScalarPlace;
    using Function = detail::LibraryFunction<Traits, decltype(Fn)>;
    const bool on_device = ((detail::scalar_place<A> == ScalarPlace::device) || ... || false) ||
                           first_place == ScalarPlace::device;
    if (on_device) {
      const auto set = set_scalars_on_device(true, site);
      if (!set.has_value()) return set.assume_error();
    }
    const detail::CallScope<B> here(site);
    const StatusType done = Function::call(Fn, handle_, stream_.ref().native(), arguments...);
    if (on_device) {
      const auto set = set_scalars_on_device(false, site);
      if (!failed(done) && !set.has_value()) return set.assume_error();
    }
    if (failed(done)) [[unlikely]] {
      return detail::library_error<Traits>(done, detail::FunctionName<Traits, Fn>::value,
                                           stream_.ref(), site);
    }
    return success();
  }

  [[nodiscard]] result<void> set_scalars_on_device([[maybe_unused]] bool on,
                                                   [[maybe_unused]] call_site site) noexcept {
    if constexpr (detail::has_pointer_mode<Traits>) {
      const StatusType set = Traits::set_scalars_on_device(handle_, on);
      if (failed(set)) return error_of<Step::set_mode>(set, stream_.ref(), site);
    }
    return success();
  }

  template <bool Full>
  [[nodiscard]] bool check_binding(bool alone, bool mixed, Name function, call_site site,
                                   LaunchError& error) noexcept {
    Errc code{};
    if (!alone) {
      code = Errc::handle_busy;  // nothing else of the handle is to be read then
    } else if (!owned_) {
      code = Errc::handle_moved;
    } else if (mixed) {
      code = Errc::handle_pointer_mode;
    } else if constexpr (Full) {
      const auto usable = check_device(function, stream_.ref(), site);
      if (!usable.has_value()) {
        error = usable.assume_error();
        return false;
      }
      code = find_change();
    }
    if (code == Errc{}) return true;
    error = not_called(code, function, stream_.ref(), site);
    return false;
  }
  /// The first of the inner handles that is not on the stream, counted from 1; 0 if all are.
  [[nodiscard]] int inner_handle_astray() noexcept {
    for (int inner = 0; inner < inner_handles; ++inner) {
      if constexpr (inner_handles != 0) {
        typename B::native_stream now{};
        if (failed(Traits::get_stream(handle_, inner, now)) || now != stream_.ref().native()) {
          return inner + 1;
        }
      }
    }
    return 0;
  }
  /// What somebody changed of the handle by the library's own functions, or nothing. A library that
  /// cannot tell says so by the function that is called next.
  [[nodiscard]] Errc find_change() noexcept {
    if (inner_handle_astray() != 0) return Errc::handle_stream_changed;
    if constexpr (requires(typename B::native_stream & now) { Traits::get_stream(handle_, now); }) {
      typename B::native_stream now{};
      if (!failed(Traits::get_stream(handle_, now)) && now != stream_.ref().native()) {
        return Errc::handle_stream_changed;
      }
    }
    if constexpr (detail::has_pointer_mode<Traits>) {
      bool on_device = false;
      if (!failed(Traits::get_scalars_on_device(handle_, on_device)) && on_device) {
        return Errc::handle_pointer_mode;
      }
    }
    return Errc{};
  }
  template <class Function, class... A>
  [[nodiscard]] bool check_arguments(bool ask_driver, Name function, call_site site,
                                     LaunchError& error, const A&... arguments) noexcept {
    if (Function::check_values(ask_driver, error, arguments...)) return true;
    const std::uint64_t value = error.value;
    const std::uint64_t number = error.extra;
    error = not_called(error.code, function, stream_.ref(), site);
    error.value = value;
    error.extra = number;
    return false;
  }

  native_handle handle_;
  basic_stream_hold<B> stream_;
  void* workspace_ = nullptr;
  bool owned_ = true;
  // A thread is in `call`. The same at every check level, so that layouts agree.
  bool busy_ = false;
};

}  // namespace warpsafe
