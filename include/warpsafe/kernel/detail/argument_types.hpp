// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/detail/memory_owner.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/detail/arithmetic.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/kernel/detail/inner_memory.hpp>
#include <warpsafe/kernel/detail/parameter.hpp>
#include <warpsafe/kernel/kernel.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

// Which argument may be passed for which kernel parameter. The rule: an argument keeps its value,
// and memory that a kernel reaches has a type of device memory.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

template <class A>
inline constexpr bool is_trusted_span = false;
template <class T>
inline constexpr bool is_trusted_span<trusted_span<T>> = true;

template <class A>
concept DevicePointer = requires(const A& argument) {
  device_pointer_traits<A>::get(argument);
};

template <class A>
concept HasCount = requires(const A& argument) {
  device_pointer_traits<A>::count(argument);
};
template <class A>
concept HasSize = std::is_integral_v<decltype(std::declval<const A&>().size())>;
/// The number of elements behind an argument that knows it. A negative number counts as 0.
template <class A>
[[nodiscard]] constexpr size_type size_behind(const A& argument) noexcept {
  const auto number = [&] {
    if constexpr (HasCount<A>) {
      return device_pointer_traits<A>::count(argument);
    } else {
      return argument.size();
    }
  }();
  if constexpr (std::is_signed_v<decltype(number)>) {
    if (number < 0) return 0;
  }
  return static_cast<size_type>(number);
}

template <class P>
inline constexpr bool is_device_ptr = false;
template <class T>
inline constexpr bool is_device_ptr<device_ptr<T>> = true;

/// The bits of a number's value without its sign.
template <class T>
inline constexpr int value_bits = std::is_same_v<T, bool>     ? 1
                                  : std::is_same_v<T, float>  ? 24
                                  : std::is_same_v<T, double> ? 53
                                  : std::is_floating_point_v<T>
                                      ? 64
                                      : static_cast<int>(8 * sizeof(T)) -
                                            (static_cast<T>(-1) < static_cast<T>(0) ? 1 : 0);

/// Whether P can hold every value of A, except for negative values if P is unsigned.
template <class P, class A>
constexpr bool keeps_value() noexcept {
  if constexpr (std::is_same_v<P, A>) {
    return true;
  } else if constexpr (std::is_same_v<P, bool>) {
    return false;
  } else if constexpr (std::is_floating_point_v<A>) {
    return std::is_floating_point_v<P> && value_bits<P> >= value_bits<A>;
  } else {
    return value_bits<P> >= value_bits<A>;
  }
}

/// Whether A is signed and P unsigned, so that P holds no negative A.
template <class P, class A>
constexpr bool loses_sign() noexcept {
  if constexpr (std::is_enum_v<A>) {
    return loses_sign<P, std::underlying_type_t<A>>();
  } else if constexpr (std::is_integral_v<P> && std::is_integral_v<A>) {
    return std::is_signed_v<A> && std::is_unsigned_v<P>;
  } else {
    return false;
  }
}
/// Whether the class A is a constant that is not negative: std::integral_constant.
template <class A>
concept NonNegativeConstant = std::bool_constant<(A::value >= 0)>::value;

/// Like keeps_value, for an A that is not a number but converts to a number: an enumeration, or a
/// class with a conversion operator (std::atomic, std::reference_wrapper). A pointer, which
/// converts to bool, has no value to keep. A launch cannot tell the sign of a class's number.
template <class P, class A>
constexpr bool converts_keeping_value() noexcept {
  if constexpr (!std::is_convertible_v<const A&, P>) {
    return false;
  } else if constexpr (std::is_enum_v<A>) {
    // Without a fixed type, the values decide which type unary plus gives.
    return keeps_value<P, std::underlying_type_t<A>>() ||
           keeps_value<P, std::remove_cvref_t<decltype(+std::declval<const A&>())>>();
  } else {
    // Unary plus tells the type that the class converts to (char and short become int). Braces
    // would tell it too, but nvcc lets braces narrow.
    return requires(const A& argument) {
      requires keeps_value<P, std::remove_cvref_t<decltype(+argument)>>();
      requires !loses_sign<P, std::remove_cvref_t<decltype(+argument)>>() || NonNegativeConstant<A>;
    };
  }
}

/// Which types NumberLike converts to: those that keep the value if it is not negative, those that
/// keep every value, or only the number's own.
enum class NumberTarget : std::uint8_t { magnitude, value, same };
/// Stands in for a number or enumeration of type A in a conversion.
template <class A, NumberTarget Target>
struct NumberLike {
  template <class T>
  static constexpr bool converts() noexcept {
    if constexpr (Target == NumberTarget::same) {
      return std::is_same_v<T, A>;
    } else if constexpr (!std::is_arithmetic_v<T> ||
                         (Target == NumberTarget::value && loses_sign<T, A>())) {
      return false;
    } else if constexpr (std::is_enum_v<A>) {
      return converts_keeping_value<T, A>();
    } else {
      return keeps_value<T, A>();
    }
  }
  template <class T>
  requires(converts<T>()) operator T() const;
};
/// Whether the class P can be constructed from a number or enumeration of type A without a
/// conversion that loses what `Target` keeps. P is responsible for its own constructor from A.
template <class P, class A, NumberTarget Target>
inline constexpr bool made_keeping = std::is_constructible_v<P, NumberLike<A, Target>> ||
                                     std::is_constructible_v<P, NumberLike<A, NumberTarget::same>>;
template <class T>
inline constexpr bool is_number_or_enum = std::is_arithmetic_v<T> || std::is_enum_v<T>;

template <class P, class A>
constexpr bool keeps_held_value() noexcept;
/// Whether the template P, made from the template A, keeps the values in A's elements; for example,
/// not std::pair<int, int> made from std::pair<int, long>.
template <class P, class A>
inline constexpr bool keeps_elements = true;
template <template <class...> class Holder, class... To, class... From>
requires(sizeof...(To) ==
         sizeof...(From)) inline constexpr bool keeps_elements<Holder<To...>, Holder<From...>> =
    (keeps_held_value<std::remove_cv_t<To>, std::remove_cv_t<From>>() && ...);
template <template <class...> class Holder, class... To, template <class...> class Other,
          class... From>
requires(sizeof...(To) == sizeof...(From) && members_of_tuple<Holder<To...>> != 0 &&
         members_of_tuple<Other<From...>> !=
             0) inline constexpr bool keeps_elements<Holder<To...>, Other<From...>> =
    (keeps_held_value<std::remove_cv_t<To>, std::remove_cv_t<From>>() && ...);
/// Whether a P that is made from an A keeps A's value, also that of an A inside another class. A
/// class is responsible for its own constructors. A launch cannot tell the sign of a number inside.
template <class P, class A>
constexpr bool keeps_held_value() noexcept {
  if constexpr (std::is_same_v<P, A> || !std::is_convertible_v<const A&, P>) {
    return true;
  } else if constexpr (std::is_arithmetic_v<P> && std::is_arithmetic_v<A>) {
    return keeps_value<P, A>() && !loses_sign<P, A>();
  } else if constexpr (std::is_arithmetic_v<P>) {
    return converts_keeping_value<P, A>() && !loses_sign<P, A>();
  } else if constexpr (std::is_class_v<P> && is_number_or_enum<A>) {
    return made_keeping<P, A, NumberTarget::value>;
  } else {
    if constexpr (OptionalValue<P>) {
      using Value = typename P::value_type;
      if constexpr (std::is_convertible_v<const A&, Value>) return keeps_held_value<Value, A>();
    }
    return keeps_elements<P, A>;
  }
}

/// Whether the pointer's memory has no element type: void or bytes.
template <class Pointer>
inline constexpr bool points_to_bytes = false;
template <class T>
inline constexpr bool points_to_bytes<T*> =
    is_one_of<std::remove_cv_t<T>, void, std::byte, unsigned char, char>;

/// Whether A is a temporary that owns device memory of another library and frees it at the end of
/// the statement, when the kernel may still run. Types whose free waits for the launch say so.
template <class A>
concept FreesTooEarly = !std::is_reference_v<A> && !std::is_trivially_destructible_v<A> &&
                        DevicePointer<std::remove_const_t<A>> && !requires {
  requires device_pointer_traits<std::remove_const_t<A>>::may_be_temporary;
};

/// The raw pointer behind a pointer parameter; any other type unchanged.
template <class P>
struct RawParameter {
  using type = P;
};
template <class T>
struct RawParameter<device_ptr<T>> {
  using type = T*;
};

/// The type that a kernel gets for an argument of type A.
template <class A>
using KernelForm = decltype(kernel_form(std::declval<const A&>()));

/// Whether A is a type of other code that is adapted by device_pointer_traits and knows its size.
/// The library's own types come first: that of a matrix diagnoses the question for a pointer.
template <class A>
concept AdaptedRange = !is_view<A> && !is_device_memory<A> && !is_trusted<A> && DevicePointer<A> &&
                       (HasCount<A> || HasSize<A>);

/// Whether A owns memory that is passed as its view.
template <class A>
concept HasView = requires(const A& argument) {
  {argument.view()};
};

/// Whether A is device memory with a size and with the element type of the DeviceSpan P.
template <class P, class A>
constexpr bool converts_to_span() noexcept {
  if constexpr (AdaptedRange<A>) {
    using Pointer = decltype(device_pointer_traits<A>::get(std::declval<const A&>()));
    return std::is_convertible_v<DeviceSpan<std::remove_pointer_t<Pointer>>, P>;
  }
  if constexpr (is_trusted_span<A>) {
    using From = std::remove_pointer_t<decltype(std::declval<const A&>().get())>;
    return std::is_convertible_v<DeviceSpan<From>, P>;
  } else {
    // Excludes a range of host memory, which DeviceSpan diagnoses.
    return std::is_convertible_v<KernelForm<A>, P> && !requires { typename A::value_type; };
  }
}

/// Diagnoses the parameter of type P and number Number, counted from 1.
template <std::size_t Number, class P>
constexpr bool check_parameter() noexcept {
  constexpr bool reference = std::is_reference_v<P>;
  static_assert(
      !reference,
      "warpsafe: the kernel takes a reference, and the device cannot use the address of a host object; take the parameter by value, or a pointer to device memory");
  if constexpr (!reference) {
    constexpr bool polymorphic = __is_polymorphic(P);
    static_assert(
        !polymorphic,
        "warpsafe: the kernel takes a polymorphic type: its virtual functions exist only on the "
        "host; use a plain struct");
    if constexpr (!polymorphic && !is_device_copyable<P>) {
      constexpr bool trivial = is_copied_by_bytes<P>;
      constexpr bool assignable = !may_refer<P>();
      constexpr bool closed = is_closed<P> && !is_view_by_shape<P>;
      static_assert(
          trivial,
          "warpsafe: the kernel takes a type that is not trivially copyable: its bytes on the "
          "device would point to host memory, or be freed twice; pass a span of device memory");
      static_assert(
          !trivial || assignable,
          "warpsafe: the kernel takes a lambda with captures, or a type with a reference or a const "
          "member, that may refer to host memory; capture numbers by value, and pass memory as a "
          "parameter");
      static_assert(
          !trivial || !assignable || closed,
          "warpsafe: the kernel takes a type that holds a raw pointer, or is a view or an "
          "iterator, and may refer to host memory; use DeviceSpan or device_ptr (a buffer's "
          "view()), or trusted_ptr for trust(p)");
      static_assert(
          !trivial || !assignable || !closed,
          "warpsafe: the kernel takes a type that could hide the address of host memory: it is a union, or has private members or a constructor, and not only numbers; use a plain struct of values and DeviceSpans (all public, without a constructor), or set warpsafe::is_device_copyable<T> = true for a type that holds no address of host memory");
    }
    return !polymorphic && is_device_copyable<P>;
  }
  return false;
}

/// The size of a parameter block in bytes, in the runtimes' layout.
template <class... P>
constexpr std::size_t parameter_bytes() noexcept {
  std::size_t total = 0;
  ((total = place_after(total, alignof(P)) + sizeof(P)), ...);
  return total;
}

/// Diagnoses an argument of type A for the parameter of type P and number Number, counted from 1.
template <std::size_t Number, class P, class A>
constexpr bool check_argument() noexcept {
  if constexpr (std::is_arithmetic_v<P> && std::is_arithmetic_v<A>) {
    static_assert(
        keeps_value<P, A>(),
        "warpsafe: this argument may lose its value in the kernel's narrower parameter (int64 to int, double to float, integer to float); widen the parameter, or convert the argument explicitly");
    return keeps_value<P, A>();
  } else if constexpr (std::is_arithmetic_v<P> && std::is_convertible_v<const A&, P>) {
    static_assert(
        converts_keeping_value<P, A>(),
        "warpsafe: this argument may lose its value in the kernel's narrower parameter: it converts to a wider number, to a signed one for an unsigned parameter, or it is a pointer that converts to bool");
    return converts_keeping_value<P, A>();
  } else if constexpr (std::is_pointer_v<typename RawParameter<P>::type>) {
    constexpr bool raw = std::is_pointer_v<A> || std::is_array_v<A>;
    static_assert(
        !raw,
        "warpsafe: a raw pointer may be host memory; pass a device buffer's view(), or trust(p) "
        "where other code allocated it on the device");
    if constexpr (raw) {
      return false;
    } else if constexpr (std::is_same_v<A, std::nullptr_t>) {
      return true;
    } else if constexpr (DevicePointer<A>) {
      using From = decltype(device_pointer_traits<A>::get(std::declval<const A&>()));
      using To = typename RawParameter<P>::type;
      // With one more level of pointers, a pointer to a class does not convert to a pointer to its
      // base. A kernel that indexes this pointer would step by the base's size.
      if constexpr (std::is_convertible_v<const From*, const To*>) {
        return true;
      } else {
        constexpr bool to_void = std::is_void_v<std::remove_pointer_t<To>>;
        constexpr bool bytes =
            to_void && std::is_convertible_v<From, To> && (points_to_bytes<From> || is_trusted<A>);
        static_assert(
            !to_void || bytes,
            "warpsafe: a kernel's void* parameter takes memory of any type, so a wrong type goes unnoticed; give the parameter its type, or pass as_bytes(view) or as_writable_bytes(view)");
        static_assert(
            to_void,
            "warpsafe: the buffer's elements have a different type than the kernel's parameter points to, or are const where the kernel writes");
        return bytes;
      }
    } else {
      static_assert(!HasView<A>,
                    "warpsafe: a buffer is passed to a kernel as its view; write buffer.view()");
      static_assert(
          HasView<A>,
          "warpsafe: this argument is not device memory; pass a device buffer's view() or nullptr, or specialise device_pointer_traits for its type");
      return false;
    }
  } else if constexpr (is_device_span<P>) {
    constexpr bool fits = converts_to_span<P, A>();
    static_assert(fits || !HasView<A>,
                  "warpsafe: a buffer is passed to a kernel as its view; write buffer.view()");
    static_assert(
        fits || HasView<A>,
        "warpsafe: the kernel takes a DeviceSpan of these elements; pass a device buffer's view(), "
        "or trust(p, count) where other code allocated them on the device; a container of other "
        "code needs device_pointer_traits with get and count");
    return fits;
  } else {
    constexpr bool converts = std::is_convertible_v<KernelForm<A>, P>;
    static_assert(converts, "warpsafe: this argument does not convert to the kernel's parameter");
    if constexpr (converts && std::is_class_v<P> && is_number_or_enum<A>) {
      constexpr bool keeps = made_keeping<P, A, NumberTarget::magnitude>;
      static_assert(
          keeps,
          "warpsafe: this argument may lose its value in the kernel's narrower parameter (a class constructed from a number); convert it explicitly");
      return keeps;
    } else if constexpr (converts && std::is_class_v<P> && std::is_class_v<A> &&
                         !std::is_same_v<P, A>) {
      constexpr bool whole = !(std::is_base_of_v<P, A> && sizeof(A) > sizeof(P));
      constexpr bool keeps = keeps_held_value<P, A>();
      static_assert(
          whole,
          "warpsafe: this argument would be sliced to the base class that the kernel takes; let the kernel take the derived class");
      static_assert(
          keeps,
          "warpsafe: this argument may lose its value in the kernel's narrower parameter (a class that holds a number); convert it explicitly");
      return whole && keeps;
    } else {
      return converts;
    }
  }
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
