// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/call_site.hpp>
#include <warpsafe/detail/arguments.hpp>
#include <warpsafe/detail/capture_hooks.hpp>
#include <warpsafe/error.hpp>
#include <warpsafe/handle_traits.hpp>
#include <warpsafe/library_scalar.hpp>
#include <warpsafe/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

// What `StreamBound::call` needs of a library's function: which of its parameters `call` fills in,
// and what may be passed for the others.

namespace warpsafe::detail {

/// The error of a library's function, with the library's own words.
template <class Traits>
[[gnu::cold, gnu::noinline]] LaunchError library_error(
    typename Traits::status status, Name function,
    basic_stream_ref<typename Traits::backend> stream, call_site site) noexcept {
  LaunchError error = LaunchError::make(Errc::library_failed, Stage::runtime_call, site);
  error.raw = static_cast<std::int32_t>(status);
  error.raw_name = Traits::status_name(status);
  error.raw_text = Traits::status_text(status);
  error.operation = function;
  error.vendor = Traits::backend::vendor;
  error.stream = stream.native();
  error.device = stream.device().value();
  tell_captures(error);
  return error;
}

/// Marks a handle as being used for as long as it lives.
class InUse {
 public:
  explicit InUse(bool& busy) noexcept
      : busy_(busy), alone_(!__atomic_exchange_n(&busy, true, __ATOMIC_ACQUIRE)) {}
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;
  ~InUse() {
    if (alone_) __atomic_store_n(&busy_, false, __ATOMIC_RELEASE);
  }
  /// Whether no other thread was in the handle.
  [[nodiscard]] bool alone() const noexcept { return alone_; }

 private:
  bool& busy_;
  const bool alone_;
};

template <class Traits>
inline constexpr bool has_pointer_mode = requires(typename Traits::native handle, bool& on) {
  Traits::set_scalars_on_device(handle, on);
  Traits::get_scalars_on_device(handle, on);
};

/// What may be passed for a parameter P of a library's function: the rules of kernel arguments, but
/// that host memory may also come by a pointer to it (`&alpha`), as the libraries have it.
template <class Traits, std::size_t Number, class P, class A>
constexpr bool check_library_argument() noexcept {
  if constexpr (std::is_pointer_v<P> && scalar_place<A> != ScalarPlace::unsaid &&
                !std::is_pointer_v<A>) {
    constexpr bool converts = std::is_convertible_v<decltype(std::declval<const A&>().get()), P>;
    constexpr bool placeable = scalar_place<A> != ScalarPlace::device || has_pointer_mode<Traits>;
    static_assert(
        converts,
        "warpsafe: this scalar is of another type than the library's parameter points to");
    static_assert(placeable,
                  "warpsafe: this library reads its scalars on the host: pass host_scalar(x)");
    return converts && placeable;
  } else if constexpr (std::is_pointer_v<P> && std::is_pointer_v<A>) {
    static_assert(std::is_convertible_v<A, P>,
                  "warpsafe: this pointer is of another type than the library's parameter");
    return std::is_convertible_v<A, P>;
  } else if constexpr (std::is_enum_v<P>) {
    static_assert(std::is_same_v<P, A>,
                  "warpsafe: this argument is no value of the library's own enumeration");
    return std::is_same_v<P, A>;
  } else {
    return check_argument<Number, P, A>();
  }
}

template <class P, class A>
[[nodiscard]] constexpr P convert_library_argument(const A& argument) noexcept {
  if constexpr (std::is_pointer_v<P> && std::is_pointer_v<A>) {
    return argument;
  } else if constexpr (std::is_pointer_v<P> && scalar_place<A> != ScalarPlace::unsaid) {
    return argument.get();
  } else {
    return convert_argument<P>(argument);
  }
}

/// The checks of an argument that need its value.
template <class Traits, class P, class A>
bool check_library_value([[maybe_unused]] const A& argument, [[maybe_unused]] bool ask_driver,
                         [[maybe_unused]] int number,
                         [[maybe_unused]] LaunchError& error) noexcept {
  using B = typename Traits::backend;
  if constexpr (scalar_place<A> == ScalarPlace::device) {
    return check_library_value<Traits, P>(argument.pointer, ask_driver, number, error);
  } else if constexpr (std::is_enum_v<P> || std::is_pointer_v<A> ||
                       scalar_place<A> == ScalarPlace::host) {
    return true;
  } else {
    return ask_driver ? check_value<B, true, P>(argument, number, error)
                      : check_value<B, false, P>(argument, number, error);
  }
}

/// An array as the pointer that a C function takes; anything else as it is.
template <class T>
[[nodiscard]] constexpr const T& decayed(const T& argument) noexcept {
  return argument;
}
template <class T, std::size_t Size>
[[nodiscard]] constexpr T* decayed(T (&argument)[Size]) noexcept {
  return argument;
}

/// The first argument that the user passes, together with the place of the call: how a function
/// that ends in a parameter pack learns its caller's line. Its parameter's type is known, so the
/// argument is checked and converted here.
template <class Traits, class P>
struct FirstArgument {
  // Its purpose is to convert, and the constraint leaves copies alone.
  // NOLINTBEGIN(google-explicit-constructor,bugprone-forwarding-reference-overload)
  template <class A>
  requires(!std::is_same_v<std::decay_t<A>, FirstArgument>)
      FirstArgument(A&& argument, call_site its_site = call_site::current())
  noexcept
      // NOLINTEND(google-explicit-constructor,bugprone-forwarding-reference-overload)
      : site(its_site),
        place(scalar_place<std::decay_t<A>>),
        original(&argument),
        check(&check_original<std::remove_cvref_t<A>>) {
    if constexpr (check_library_argument<Traits, 1, P, std::decay_t<A>>()) {
      value = convert_library_argument<P, std::decay_t<A>>(argument);
    }
  }
  template <class A>
  static bool check_original(const void* argument, bool ask_driver, LaunchError& error) noexcept {
    if constexpr (std::is_array_v<A>) {
      return true;
    } else {
      return check_library_value<Traits, P>(*static_cast<const A*>(argument), ask_driver, 1, error);
    }
  }

  P value{};
  call_site site;
  ScalarPlace place;
  const void* original;
  bool (*check)(const void* argument, bool ask_driver, LaunchError& error);
};
/// For a function that takes nothing but what `call` fills in.
template <class Traits>
struct FirstArgument<Traits, void> {
  template <class A>
  FirstArgument(const A&,  // NOLINT(google-explicit-constructor): `check` has the sentence
                call_site its_site = call_site::current()) noexcept
      : site(its_site) {}
  call_site site;
};

/// The parameters that the user passes arguments for: not the handle, not a stream.
template <class Traits, bool HandleFound, class Kept, class... P>
struct UserParameters {
  using type = Kept;
};
template <class Traits, bool HandleFound, class... Kept, class P, class... Rest>
struct UserParameters<Traits, HandleFound, TypeList<Kept...>, P, Rest...> {
  static constexpr bool is_handle = !HandleFound && std::is_same_v<P, typename Traits::native>;
  static constexpr bool is_stream = std::is_same_v<P, typename Traits::backend::native_stream>;
  using type = typename UserParameters<
      Traits, HandleFound || is_handle,
      std::conditional_t<is_handle || is_stream, TypeList<Kept...>, TypeList<Kept..., P>>,
      Rest...>::type;
};

template <class Traits, class List>
struct FirstArgumentOf {
  using type = FirstArgument<Traits, void>;
};
template <class Traits, class P, class... Rest>
struct FirstArgumentOf<Traits, TypeList<P, Rest...>> {
  using type = FirstArgument<Traits, P>;
};

template <class Traits, class Function>
struct LibraryFunction {
  static_assert(!is_size<decltype(sizeof(Function))>,
                "warpsafe: call<fn> takes a function of the library");
  using First = FirstArgument<Traits, void>;
  template <class... A>
  static constexpr bool check() noexcept {
    return false;
  }
};

template <class Traits, class StatusType, class... P>
struct LibraryFunction<Traits, StatusType (*)(P...)> {
  using Native = typename Traits::native;
  using NativeStream = typename Traits::backend::native_stream;
  using Parameters = typename UserParameters<Traits, false, TypeList<>, P...>::type;
  static constexpr bool takes_handle = (std::is_same_v<P, Native> || ... || false);
  // Of a function of another library nothing is checked but that it is one.
  using First =
      typename FirstArgumentOf<Traits,
                               std::conditional_t<takes_handle, Parameters, TypeList<>>>::type;

  /// Whether the user's arguments, the first of which is a First, fit.
  template <class... A>
  static constexpr bool check() noexcept {
    constexpr bool returns_status = std::is_same_v<StatusType, typename Traits::status>;
    static_assert(returns_status,
                  "warpsafe: call<fn> takes a function that returns the library's status");
    static_assert(takes_handle, "warpsafe: this function takes another library's handle, or none");
    constexpr bool right_count = sizeof...(A) == static_cast<std::size_t>(Parameters::size);
    static_assert(right_count,
                  "warpsafe: the number of arguments is not the function's; the handle, and a "
                  "stream, are passed by call");
    if constexpr (returns_status && takes_handle && right_count) {
      return check_places<A...>() &&
             check_each<A...>(Parameters{}, std::index_sequence_for<A...>{});
    } else {
      return false;
    }
  }
  /// The first argument is converted already.
  template <class... A>
  [[nodiscard]] static StatusType call(StatusType (*function)(P...), Native handle,
                                       NativeStream stream, const A&... arguments) noexcept {
    return call_with(function, handle, stream, convert(Parameters{}, arguments...),
                     std::index_sequence_for<P...>{});
  }
  template <class First, class... A>
  [[nodiscard]] static bool check_values(bool ask_driver, LaunchError& error, const First& first,
                                         const A&... rest) noexcept {
    return first.check(first.original, ask_driver, error) &&
           check_rest(Parameters{}, ask_driver, error, rest...);
  }
  [[nodiscard]] static bool check_values(bool, LaunchError&) noexcept { return true; }

 private:
  static constexpr bool kinds[sizeof...(P) + 1] = {std::is_same_v<P, Native>..., false};
  static constexpr bool streams[sizeof...(P) + 1] = {std::is_same_v<P, NativeStream>..., false};

  /// What the parameter at `place` is: -1 the handle, -2 a stream, else which of the user's it is.
  static constexpr int source_of(std::size_t place) noexcept {
    bool found = false;
    int number = 0;
    for (std::size_t i = 0; i <= place; ++i) {
      const int source = kinds[i] && !found ? -1 : streams[i] ? -2 : number++;
      found = found || source == -1;
      if (i == place) return source;
    }
    return -1;
  }
  template <class... A>
  static constexpr bool check_places() noexcept {
    constexpr bool host = ((scalar_place<std::decay_t<A>> == ScalarPlace::host) || ... || false);
    constexpr bool device =
        ((scalar_place<std::decay_t<A>> == ScalarPlace::device) || ... || false);
    static_assert(!host || !device,
                  "warpsafe: the scalars of one call are all on the host (host_scalar, &x) or all "
                  "on the device (device_scalar)");
    return !host || !device;
  }
  template <class... A, class... U, std::size_t... Place>
  static constexpr bool check_each(TypeList<U...>, std::index_sequence<Place...>) noexcept {
    return (check_one<Place, U, A>() && ... && true);
  }
  template <std::size_t Place, class U, class A>
  static constexpr bool check_one() noexcept {
    if constexpr (std::is_same_v<std::remove_cvref_t<A>, First>) {
      return true;
    } else {
      return check_library_argument<Traits, Place + 1, U, std::decay_t<A>>();
    }
  }
  template <class... U, class... A>
  static std::tuple<U...> convert(TypeList<U...>, const A&... arguments) noexcept {
    return std::tuple<U...>(convert_one<U>(arguments)...);
  }
  template <class U, class A>
  static U convert_one(const A& argument) noexcept {
    if constexpr (std::is_same_v<A, First>) {
      return argument.value;
    } else {
      return convert_library_argument<U, std::decay_t<const A>>(argument);
    }
  }
  template <class U1, class... U, class... A>
  static bool check_rest(TypeList<U1, U...>, [[maybe_unused]] bool ask_driver, LaunchError& error,
                         const A&... rest) noexcept {
    int number = 1;
    return (check_library_value<Traits, U>(rest, ask_driver, ++number, error) && ... && true);
  }
  template <std::size_t Place, class Values>
  static decltype(auto) pick(Native handle, NativeStream stream, const Values& values) noexcept {
    constexpr int source = source_of(Place);
    if constexpr (source == -1) {
      return Native(handle);
    } else if constexpr (source == -2) {
      return NativeStream(stream);
    } else {
      return std::get<static_cast<std::size_t>(source)>(values);
    }
  }
  template <class Values, std::size_t... Place>
  static StatusType call_with(StatusType (*function)(P...), Native handle, NativeStream stream,
                              const Values& values, std::index_sequence<Place...>) noexcept {
    return function(pick<Place>(handle, stream, values)...);
  }
};
template <class Traits, class StatusType, class... P>
struct LibraryFunction<Traits, StatusType (*)(P...) noexcept>
    : LibraryFunction<Traits, StatusType (*)(P...)> {};

}  // namespace warpsafe::detail
