// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/runtime_call.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/kernel/detail/argument_types.hpp>

#include <cstdint>
#include <type_traits>

// Converts an argument of a valid type to its parameter, and checks its value.

namespace warpsafe::detail {

/// Whether the argument's own memory holds the parameter's bytes: it has the parameter's type, or
/// is a device_ptr, whose only member is the pointer.
template <class P, class A>
inline constexpr bool is_in_place = std::is_same_v<P, A> ||
                                    (is_device_ptr<A> && std::is_pointer_v<P> &&
                                     sizeof(A) == sizeof(P));

/// The argument as a parameter of type P. `InPlace`: returns the argument itself if a launch can
/// read it in place.
template <class P, bool InPlace = false, class A>
[[nodiscard,
  gnu::always_inline]] constexpr std::conditional_t<InPlace && is_in_place<P, A>, const A&, P>
convert_argument(const A& argument) noexcept {
  if constexpr (InPlace && is_in_place<P, A>) {
    return argument;
  } else if constexpr (std::is_pointer_v<P> && !std::is_same_v<A, std::nullptr_t>) {
    return device_pointer_traits<A>::get(argument);
  } else if constexpr (is_device_ptr<P> && !std::is_same_v<A, std::nullptr_t>) {
    return DeviceAccess::pointer<typename P::element_type>(device_pointer_traits<A>::get(argument));
  } else if constexpr (is_device_span<P> && is_trusted_span<A>) {
    return P(DeviceAccess::pointer<typename P::element_type>(argument.get()),
             argument.size().negative ? 0 : argument.size().magnitude);
  } else if constexpr (std::is_arithmetic_v<P>) {
    return static_cast<P>(argument);
  } else {
    return kernel_form(argument);
  }
}

/// Whether an argument is a signed number for an unsigned parameter.
template <class P, class A>
inline constexpr bool may_be_negative = [] {
  if constexpr (std::is_integral_v<P> && std::is_integral_v<A>) {
    return static_cast<A>(-1) < static_cast<A>(0) && !(static_cast<P>(-1) < static_cast<P>(0));
  } else {
    return false;
  }
}();
/// Whether check_value has something to check. If not, the compiler need not read check_value.
template <bool AskDriver, class P, class A>
inline constexpr bool has_a_check = may_be_negative<P, A> || is_trusted_span<A> ||
                                    (AskDriver && is_trusted<A>);

/// Checks an argument's value: a negative number for an unsigned parameter, and at CheckLevel::full
/// a trusted pointer that the driver does not know. Returns false with the problem in `error`.
template <class B, bool AskDriver, class P, class A>
[[nodiscard, gnu::always_inline]] inline bool check_value(
    [[maybe_unused]] const A& argument, [[maybe_unused]] int number,
    [[maybe_unused]] LaunchError& error) noexcept {
  const auto place = static_cast<std::uint64_t>(number);
  static_cast<void>(place);
  if constexpr (may_be_negative<P, A>) {
    if (argument < 0) {
      return refuse(error, Errc::argument_negative, Stage::validation,
                    ~static_cast<std::uint64_t>(argument) + 1, 0, Axis::none, place);
    }
  }
  if constexpr (is_trusted_span<A>) {
    if (argument.size().negative) {
      return refuse(error, Errc::argument_negative, Stage::validation, argument.size().magnitude, 0,
                    Axis::none, place);
    }
  }
  if constexpr (AskDriver && is_trusted<A>) {
    MemoryKind kind{};
    int device = -1;
    const int status = argument.get() == nullptr ? 0
                                                 : call<B, CheckLevel::full, &B::pointer_kind>(
                                                       argument.get(), kind, device);
    if (argument.get() != nullptr && (status != 0 || kind == MemoryKind::unregistered)) {
      return refuse(error, Errc::argument_host_pointer, Stage::validation, 0, 0, Axis::none, place);
    }
  }
  return true;
}

}  // namespace warpsafe::detail
