// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/handles/detail/library_argument.hpp>
#include <warpsafe/handles/handle_traits.hpp>
#include <warpsafe/handles/library_scalar.hpp>
#include <warpsafe/kernel/detail/arguments.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

// A library's function as `StreamBound::call` sees it: which parameters `call` fills in, and which
// the user passes.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Whether a parameter P is the library's handle. If the handle is a `T*`, a library may also take
/// it as `const T*`; a `const void*` may be something else.
template <class Native, class P>
inline constexpr bool is_handle_parameter =
    std::is_same_v<P, Native> ||
    (std::is_pointer_v<Native> && !std::is_void_v<std::remove_pointer_t<Native>> &&
     std::is_same_v<P, const std::remove_pointer_t<Native>*>);

/// Whether P is the address of a handle that handle_traits holds by value.
template <class Native, class P>
inline constexpr bool is_handle_address = std::is_class_v<Native>&& std::is_pointer_v<P>&&
    std::is_same_v<std::remove_const_t<std::remove_pointer_t<P>>, Native>;

/// Whether the function takes an array of streams: a pointer to streams followed by a number.
template <class Stream, class... P>
inline constexpr bool takes_stream_array = false;
template <class Stream, class P, class Next, class... Rest>
inline constexpr bool takes_stream_array<Stream, P, Next, Rest...> =
    (std::is_pointer_v<P> &&
     std::is_same_v<std::remove_const_t<std::remove_pointer_t<P>>, Stream> &&
     std::is_integral_v<Next>) ||
    takes_stream_array<Stream, Next, Rest...>;

/// The parameters that the user passes: neither the handle nor a stream.
template <class Traits, bool HandleFound, class Kept, class... P>
struct UserParameters {
  using type = Kept;
};
template <class Traits, bool HandleFound, class... Kept, class P, class... Rest>
struct UserParameters<Traits, HandleFound, TypeList<Kept...>, P, Rest...> {
  static constexpr bool is_handle = !HandleFound && is_handle_parameter<typename Traits::native, P>;
  static constexpr bool is_stream = std::is_same_v<P, typename Traits::backend::native_stream>;
  using type = typename UserParameters<
      Traits, HandleFound || is_handle,
      std::conditional_t<is_handle || is_stream, TypeList<Kept...>, TypeList<Kept..., P>>,
      Rest...>::type;
};

/// The scalars of `Fn` as handle_traits tells them; 0 if it does not.
template <class Traits, auto Fn>
inline constexpr unsigned scalars_of = [] {
  if constexpr (requires { Traits::scalar_pointers(Name{}); }) {
    return static_cast<unsigned>(Traits::scalar_pointers(FunctionName<Traits, Fn>::value));
  } else {
    return 0U;
  }
}();

template <class Traits, unsigned Scalars, class List>
struct FirstArgumentOf {
  using type = FirstArgument<Traits, void>;
};
template <class Traits, unsigned Scalars, class P, class... Rest>
struct FirstArgumentOf<Traits, Scalars, TypeList<P, Rest...>> {
  using type = FirstArgument<Traits, P, role_at<Scalars>(TypeList<P, Rest...>{}, 0)>;
};

// A concept of its own, because nvcc 13.0 takes such a requirement inside of the function for
// false.
template <class Traits>
concept HasFunctionsWithoutStream = requires {
  requires Traits::has_functions_without_stream;
};

/// `Scalars`: scalars_of the function.
template <class Traits, class Function, unsigned Scalars = 0>
struct LibraryFunction {
  static_assert(is_never<Function>, "warpsafe: call<fn> takes a function of the library");
  using First = FirstArgument<Traits, void>;
  template <class... A>
  static constexpr bool check() noexcept {
    return false;
  }
};

template <class Traits, class StatusType, class... P, unsigned Scalars>
struct LibraryFunction<Traits, StatusType (*)(P...), Scalars> {
  using Native = typename Traits::native;
  using NativeStream = typename Traits::backend::native_stream;
  using ItsStream = basic_stream_ref<typename Traits::backend>;
  using Parameters = typename UserParameters<Traits, false, TypeList<>, P...>::type;
  static constexpr bool may_mix = descriptors_place_scalars<Traits>;
  static constexpr bool takes_handle = (is_handle_parameter<Native, P> || ...);
  static constexpr bool takes_address = (is_handle_address<Native, P> || ...);
  // If the function belongs to another library, no other check runs.
  using First =
      typename FirstArgumentOf<Traits, Scalars,
                               std::conditional_t<takes_handle, Parameters, TypeList<>>>::type;

  /// Whether the user's arguments fit the parameters. The first one is a First.
  template <class... A>
  static constexpr bool check() noexcept {
    constexpr bool returns_status = std::is_same_v<StatusType, typename Traits::status>;
    static_assert(returns_status,
                  "warpsafe: call<fn> takes a function that returns the library's status");
    static_assert(takes_handle || takes_address,
                  "warpsafe: this function takes another library's handle, or none");
    static_assert(
        takes_handle || !takes_address,
        "warpsafe: this library takes its handle by address: make the handle's pointer the "
        "native type in handle_traits, and let create allocate what it points to");
    constexpr bool one_stream = !takes_stream_array<NativeStream, P...>;
    static_assert(
        one_stream,
        "warpsafe: this function takes an array of streams, and a StreamBound has one stream; call the function directly with native() and the stream's native()");
    constexpr bool has_stream = (std::is_same_v<P, NativeStream> || ...) || SetsStream<Traits> ||
                                HasFunctionsWithoutStream<Traits>;
    static_assert(
        has_stream || !takes_handle || !one_stream,
        "warpsafe: this function takes no stream, and handle_traits has no set_stream, so its work would run on the default stream; give HandleCalls the library's set_stream, or, if such functions submit no work, declare has_functions_without_stream = true");
    constexpr bool right_count = sizeof...(A) == static_cast<std::size_t>(Parameters::size);
    static_assert(
        right_count || !takes_handle || !one_stream,
        "warpsafe: wrong number of arguments for this function; leave out the handle and the stream, which call passes");
    if constexpr (returns_status && takes_handle && one_stream && has_stream && right_count) {
      constexpr bool one_place = may_mix || !has_scalar<ScalarPlace::host, A...>() ||
                                 !has_scalar<ScalarPlace::device, A...>();
      static_assert(one_place,
                    "warpsafe: the scalars of one call are all on the host (host_scalar, &x) or "
                    "all on the device (device_scalar)");
      return one_place && check_each<A...>(Parameters{}, std::index_sequence_for<A...>{});
    } else {
      return false;
    }
  }
  /// Calls the function. The first argument is already converted.
  template <class... A>
  [[nodiscard]] static StatusType call(StatusType (*function)(P...), Native handle,
                                       NativeStream stream, const A&... arguments) noexcept {
    return call_with(function, handle, stream, convert(Parameters{}, arguments...),
                     std::index_sequence_for<P...>{});
  }
  template <class First, class... A>
  [[nodiscard]] static bool check_values(const ItsStream& stream, LaunchError& error,
                                         const First& first, const A&... rest) noexcept {
    return first.check(first.original, stream, error) &&
           check_rest(Parameters{}, std::index_sequence_for<A...>{}, stream, error, rest...);
  }
  [[nodiscard]] static bool check_values(const ItsStream&, LaunchError&) noexcept { return true; }
  /// Whether one of the arguments after the first is a scalar at `Where`. A function with another
  /// number of parameters has none.
  template <ScalarPlace Where, class... A>
  static constexpr bool has_scalar() noexcept {
    if constexpr (sizeof...(A) == static_cast<std::size_t>(Parameters::size)) {
      return any_at<Where, A...>(std::index_sequence_for<A...>{});
    } else {
      return false;
    }
  }

  /// Whether the function writes one of the arguments on the host (is_host_result).
  template <class First, class... A>
  [[nodiscard]] static constexpr bool has_host_result(const First& first, const A&...) noexcept {
    return first.is_result || any_result<A...>(Parameters{}, std::index_sequence_for<A...>{});
  }
  [[nodiscard]] static constexpr bool has_host_result() noexcept { return false; }

 private:
  static constexpr bool kinds[sizeof...(P) + 1] = {is_handle_parameter<Native, P>..., false};
  static constexpr bool streams[sizeof...(P) + 1] = {std::is_same_v<P, NativeStream>..., false};

  /// The source of the parameter at `place`: -1 for the handle, -2 for a stream, else the number of
  /// the user's argument.
  static constexpr int source_of(std::size_t place) noexcept {
    bool found = false;
    int number = 0;
    for (std::size_t i = 0;; ++i) {
      const int source = kinds[i] && !found ? -1 : streams[i] ? -2 : number++;
      found = found || source == -1;
      if (i == place) return source;
    }
  }
  static constexpr PointerRole role(std::size_t place) noexcept {
    return role_at<Scalars>(Parameters{}, place);
  }
  template <ScalarPlace Where, class... A, std::size_t... Place>
  static constexpr bool any_at(std::index_sequence<Place...>) noexcept {
    return ((place_of_role<std::decay_t<A>, role(Place)> == Where) || ...);
  }
  template <class... A, class U1, class... U, std::size_t... Place>
  static constexpr bool any_result(TypeList<U1, U...>, std::index_sequence<Place...>) noexcept {
    return (is_host_result<U, std::decay_t<A>, role(Place + 1)> || ...);
  }
  template <class... A, class... U, std::size_t... Place>
  static constexpr bool check_each(TypeList<U...>, std::index_sequence<Place...>) noexcept {
    return (check_one<Place, U, A>() && ...);
  }
  template <std::size_t Place, class U, class A>
  static constexpr bool check_one() noexcept {
    if constexpr (is_first_argument<std::remove_cvref_t<A>>) {
      return true;
    } else {
      return check_library_argument<Traits, Place + 1, U, std::decay_t<A>, role(Place)>();
    }
  }
  template <class... U, class... A>
  static std::tuple<U...> convert(TypeList<U...>, const A&... arguments) noexcept {
    return std::tuple<U...>(convert_one<U>(arguments)...);
  }
  template <class U, class A>
  static U convert_one(const A& argument) noexcept {
    if constexpr (is_first_argument<A>) {
      return argument.value;
    } else {
      return convert_library_argument<U, std::decay_t<const A>>(argument);
    }
  }
  template <class U1, class... U, class... A, std::size_t... Place>
  static bool check_rest(TypeList<U1, U...>, std::index_sequence<Place...>,
                         [[maybe_unused]] const ItsStream& stream,
                         [[maybe_unused]] LaunchError& error, const A&... rest) noexcept {
    return (check_library_value<Traits, U, role(Place + 1)>(rest, stream,
                                                            static_cast<int>(Place) + 2, error) &&
            ...);
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
template <class Traits, class StatusType, class... P, unsigned Scalars>
struct LibraryFunction<Traits, StatusType (*)(P...) noexcept, Scalars>
    : LibraryFunction<Traits, StatusType (*)(P...), Scalars> {};

// `call<fn>` for functions that a library's C++ header overloads. A template argument that names
// several functions is resolved by the type of the template parameter, so there is one `call` for
// each signature.

/// The first argument of a function of one signature. Each signature has its own type, because
/// clang++ 14 otherwise takes one `call` for a redeclaration of another.
template <class Traits, class Function>
struct FirstOfOverload : LibraryFunction<Traits, Function>::First {
  using LibraryFunction<Traits, Function>::First::First;
};

/// `call` for overloaded functions: one for each signature.
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

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
