// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/detail/arguments.hpp>
#include <warpsafe/detail/runtime_error.hpp>
#include <warpsafe/error.hpp>
#include <warpsafe/stream.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

// What `StreamBound::call` needs of a library's function: its parameters behind the handle, and
// what may be passed for them.

namespace warpsafe {

template <class Handle>
struct handle_traits;

namespace detail {

/// The error of a library's function, with the library's own words.
template <class Handle>
[[gnu::cold, gnu::noinline]] LaunchError library_error(
    int status, Name function, basic_stream_ref<typename handle_traits<Handle>::backend> stream,
    call_site site) noexcept {
  using Traits = handle_traits<Handle>;
  LaunchError error = LaunchError::make(Errc::library_failed, Stage::runtime_call, site);
  error.raw = status;
  error.raw_name = Traits::status_name(status);
  error.raw_text = Traits::status_text(status);
  error.operation = function;
  error.vendor = Traits::backend::vendor;
  error.stream = stream.native();
  error.device = stream.device().value();
  return error;
}

/// Marks a handle as being used, where checks are on, for as long as it lives.
template <bool On>
class InUse {
 public:
  explicit InUse(bool& busy) noexcept : busy_(busy) {
    if constexpr (On) alone_ = !__atomic_exchange_n(&busy_, true, __ATOMIC_ACQUIRE);
  }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;
  ~InUse() {
    if constexpr (On) {
      if (alone_) __atomic_store_n(&busy_, false, __ATOMIC_RELEASE);
    }
  }
  /// Whether no other thread was in the handle.
  [[nodiscard]] bool alone() const noexcept { return alone_; }

 private:
  [[maybe_unused]] bool& busy_;
  bool alone_ = true;
};

/// What may be passed for a parameter of a library's function: the rules of kernel arguments, but
/// that a scalar may also come from the host by its address (`&alpha`), as the libraries have it.
template <std::size_t Number, class P, class A>
constexpr bool check_library_argument() noexcept {
  if constexpr (std::is_pointer_v<P> && std::is_pointer_v<A>) {
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
  } else {
    return convert_argument<P>(argument);
  }
}

template <class Function>
struct LibraryFunction {
  static_assert(std::is_pointer_v<Function>, "warpsafe: call<fn> takes a function of the library");
};
template <class Status, class Handle, class... P>
struct LibraryFunction<Status (*)(Handle, P...)> {
  template <class Expected, class... A>
  static constexpr bool check() noexcept {
    static_assert(std::is_same_v<Handle, Expected>,
                  "warpsafe: this function takes another library's handle");
    constexpr bool right_count = sizeof...(A) == sizeof...(P);
    static_assert(
        right_count,
        "warpsafe: the number of arguments is not the function's; the handle is passed by call");
    if constexpr (std::is_same_v<Handle, Expected> && right_count) {
      return check_each<A...>(std::index_sequence_for<A...>{});
    } else {
      return false;
    }
  }
  template <class... A>
  [[nodiscard]] static int call(Status (*function)(Handle, P...), Handle handle,
                                const A&... arguments) noexcept {
    return static_cast<int>(function(handle, convert_library_argument<P>(arguments)...));
  }

 private:
  template <class... A, std::size_t... Place>
  static constexpr bool check_each(std::index_sequence<Place...>) noexcept {
    return (check_library_argument<Place + 1, P, A>() && ... && true);
  }
};
template <class Status, class Handle, class... P>
struct LibraryFunction<Status (*)(Handle, P...) noexcept>
    : LibraryFunction<Status (*)(Handle, P...)> {};

}  // namespace detail
}  // namespace warpsafe
