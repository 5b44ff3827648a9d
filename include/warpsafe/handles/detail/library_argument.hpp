// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/name.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/handles/library_scalar.hpp>
#include <warpsafe/kernel/detail/arguments.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

// The arguments that a library's function accepts.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Whether a library's descriptors, and not its handle, say where scalars are. Then those of one
/// call may be on two sides.
template <class Traits>
inline constexpr bool descriptors_place_scalars = requires {
  requires Traits::descriptors_place_scalars;
};

template <class Traits>
concept SetsStream = requires(typename Traits::native handle,
                              typename Traits::backend::native_stream stream) {
  Traits::set_stream(handle, stream);
};

template <class Traits>
inline constexpr bool has_pointer_mode = requires(typename Traits::native handle, bool& on) {
  Traits::set_scalars_on_device(handle, on);
  Traits::get_scalars_on_device(handle, on);
};

/// The role of the user's parameter at `place`.
template <unsigned Scalars, class... U>
constexpr PointerRole role_at(TypeList<U...>, std::size_t place) noexcept {
  constexpr bool pointers[sizeof...(U) + 1] = {std::is_pointer_v<U>..., false};
  // A pointer to pointers is an array of a batch, whose place is the library's own rule.
  constexpr bool arrays[sizeof...(U) + 1] = {std::is_pointer_v<std::remove_pointer_t<U>>..., false};
  unsigned number = 0;
  for (std::size_t i = 0; i < place; ++i) number += pointers[i] ? 1U : 0U;
  if (Scalars == 0 || !pointers[place] || arrays[place]) return PointerRole::unknown;
  if ((Scalars & ~others_on_device & (1U << number)) != 0) return PointerRole::scalar;
  return (Scalars & others_on_device) != 0 ? PointerRole::data : PointerRole::other;
}

/// Whether A may be passed for a parameter P of a library's function. The rules are those of kernel
/// arguments, except that host memory may also be passed by pointer (`&alpha`), as the libraries
/// require. The role of the parameter P is that of its function; unknown if no table names it.
template <class Traits, std::size_t Number, class P, class A,
          PointerRole Role = PointerRole::unknown>
constexpr bool check_library_argument() noexcept {
  if constexpr (Role == PointerRole::scalar && DevicePointer<A>) {
    constexpr bool placeable = has_pointer_mode<Traits>;
    static_assert(placeable,
                  "warpsafe: this library reads its scalars on the host: pass host_scalar(x)");
    static_assert(
        !placeable,
        "warpsafe: the library takes a scalar here, and would read this device memory on the host: pass device_scalar(view) with all scalars of the call on the device, or host_scalar(x)");
    return false;
  } else if constexpr (Role == PointerRole::data && !std::is_pointer_v<A> &&
                       scalar_place<A> != ScalarPlace::unknown) {
    static_assert(
        Role != PointerRole::data,
        "warpsafe: the library takes an array in device memory here, not a scalar: pass a device "
        "buffer's view(), or trust(p)");
    return false;
  } else if constexpr (std::is_pointer_v<P> && scalar_place<A> != ScalarPlace::unknown &&
                       !std::is_pointer_v<A>) {
    constexpr bool converts = std::is_convertible_v<decltype(std::declval<const A&>().get()), P>;
    constexpr bool placeable = scalar_place<A> != ScalarPlace::device || has_pointer_mode<Traits>;
    static_assert(
        converts,
        "warpsafe: this scalar has a different type than the library's parameter points to");
    static_assert(placeable,
                  "warpsafe: this library reads its scalars on the host: pass host_scalar(x)");
    return converts && placeable;
  } else if constexpr (std::is_pointer_v<P> && std::is_pointer_v<A>) {
    static_assert(std::is_convertible_v<A, P>,
                  "warpsafe: this pointer has a different type than the library's parameter");
    return std::is_convertible_v<A, P>;
  } else if constexpr (std::is_pointer_v<P> && std::is_arithmetic_v<A>) {
    static_assert(!std::is_arithmetic_v<A>,
                  "warpsafe: the library takes this number by its address: pass host_scalar(x), or "
                  "device_scalar(view) for one in device memory");
    return false;
  } else if constexpr (std::is_enum_v<P>) {
    static_assert(std::is_same_v<P, A>,
                  "warpsafe: this argument is not a value of the library's enumeration");
    return std::is_same_v<P, A>;
  } else if constexpr (std::is_pointer_v<P> && std::is_void_v<std::remove_pointer_t<P>> &&
                       DevicePointer<A>) {
    // Another argument tells the library the element type (CUDA_R_16F, ncclHalf).
    using From = decltype(device_pointer_traits<A>::get(std::declval<const A&>()));
    static_assert(std::is_convertible_v<From, P>,
                  "warpsafe: this memory is const, and the library's function writes it");
    return std::is_convertible_v<From, P>;
  } else {
    return check_argument<Number, P, A>();
  }
}

template <class P, class A>
[[nodiscard]] constexpr P convert_library_argument(const A& argument) noexcept {
  if constexpr (std::is_pointer_v<P> && std::is_pointer_v<A>) {
    return argument;
  } else if constexpr (std::is_pointer_v<P> && scalar_place<A> != ScalarPlace::unknown) {
    return argument.get();
  } else {
    return convert_argument<P>(argument);
  }
}

/// The raw pointers to scalars that the driver last told this thread to be no device memory. A
/// program passes the same ones again, and the driver takes longer for its answer than all other
/// checks of a call together. An address that has become device memory since is not found out.
class HostScalars {
 public:
  [[nodiscard]] static bool contains(const void* pointer) noexcept {
    return place(pointer) == pointer;
  }
  static void add(const void* pointer) noexcept { place(pointer) = pointer; }

 private:
  [[gnu::visibility("default")]] static const void*& place(const void* pointer) noexcept {
    constexpr std::size_t places = 8;
    static thread_local const void* known[places];
    return known[reinterpret_cast<std::uintptr_t>(pointer) / sizeof(float) % places];
  }
};

/// Asks the driver about a raw pointer, whose type does not tell where its memory is. A scalar may
/// not be device memory: the library would read it on the host. Data may not be host memory.
template <class B>
[[gnu::cold, gnu::noinline]] bool check_raw_pointer(const void* pointer, PointerRole role,
                                                    const basic_stream_ref<B>& stream, int number,
                                                    LaunchError& error) noexcept {
  if (pointer == nullptr) return true;
  if (role == PointerRole::data) {
    constexpr ValueChecks as_trusted = value_checks<const char*, trusted_ptr<const char>>;
    return check_value(as_trusted, &pointer, stream, number, error);
  }
  MemoryKind kind{};
  int memory_device = stream.device().value();
  if (memory_kind(pointer, kind, memory_device, stream) == 0 && kind == MemoryKind::device) {
    return refuse(error, Errc::handle_pointer_mode, Stage::validation, 0, 0, Axis::none,
                  static_cast<std::uint64_t>(number));
  }
  HostScalars::add(pointer);
  return true;
}

/// The checks of an argument that need its value.
template <class Traits, class P, PointerRole Role, class A>
bool check_library_value([[maybe_unused]] const A& argument,
                         [[maybe_unused]] const basic_stream_ref<typename Traits::backend>& stream,
                         [[maybe_unused]] int number,
                         [[maybe_unused]] LaunchError& error) noexcept {
  using B = typename Traits::backend;
  if constexpr (is_view<A>) {
    MemoryOwner* const owner = checked_owner_of(argument);
    const int device = stream.device().value();
    if (owner != nullptr && owner->of_device != device) {
      return check_access<B>(device, *owner, number, error);
    }
  }
  if constexpr (scalar_place<A> == ScalarPlace::device) {
    return check_library_value<Traits, P, PointerRole::unknown>(argument.pointer, stream, number,
                                                                error);
  } else if constexpr (std::is_pointer_v<A> &&
                       (Role == PointerRole::scalar || Role == PointerRole::data)) {
    if (Role == PointerRole::scalar && HostScalars::contains(argument)) [[likely]]
      return true;
    return check_raw_pointer(argument, Role, stream, number, error);
  } else if constexpr (std::is_enum_v<P> || std::is_pointer_v<A> ||
                       scalar_place<A> == ScalarPlace::host) {
    return true;
  } else {
    constexpr ValueChecks checks = value_checks<P, A>;
    if constexpr (checks.any()) {
      const volatile void* const address = __builtin_addressof(argument);
      return check_value(checks, const_cast<const void*>(address), stream, number, error);
    } else {
      return true;
    }
  }
}

/// An array as the pointer that a C function takes; other arguments unchanged.
template <class T>
[[nodiscard]] constexpr const T& decayed(const T& argument) noexcept {
  return argument;
}
template <class T, std::size_t Size>
[[nodiscard]] constexpr T* decayed(T (&argument)[Size]) noexcept {
  return argument;
}

/// The first argument of the user together with the call's location. In this way, a function that
/// ends in a parameter pack gets its caller's line. The argument is checked and converted here,
/// because its parameter's type and role are known.
template <class Traits, class P, PointerRole Role = PointerRole::unknown>
struct FirstArgument {
  using ItsStream = basic_stream_ref<typename Traits::backend>;

  // Implicit, because its purpose is to convert; the constraint excludes copies.
  // NOLINTBEGIN(google-explicit-constructor,bugprone-forwarding-reference-overload)
  template <class A>
  requires(!std::is_same_v<std::decay_t<A>, FirstArgument>)
      FirstArgument(A&& argument, call_site its_site = call_site::current())
  noexcept
      // NOLINTEND(google-explicit-constructor,bugprone-forwarding-reference-overload)
      : site(its_site),
        place(place_of_role<std::decay_t<A>, Role>),
        is_result(is_host_result<P, std::decay_t<A>, Role>),
        owner(owner_of(argument)),
        original(&argument),
        check(&check_original<std::remove_cvref_t<A>>) {
    check_lives_on<A>();
    if constexpr (check_library_argument<Traits, 1, P, std::decay_t<A>, Role>()) {
      value = convert_library_argument<P, std::decay_t<A>>(argument);
    }
  }
  template <class A>
  static bool check_original(const void* argument, const ItsStream& stream,
                             LaunchError& error) noexcept {
    if constexpr (std::is_array_v<A>) {
      return true;
    } else {
      return check_library_value<Traits, P, Role>(*static_cast<const A*>(argument), stream, 1,
                                                  error);
    }
  }

  [[nodiscard]] constexpr MemoryOwner* memory_owner() const noexcept { return owner; }

  P value{};
  call_site site;
  ScalarPlace place;
  bool is_result;      ///< is_host_result
  MemoryOwner* owner;  ///< of a view
  const void* original;
  bool (*check)(const void* argument, const ItsStream& stream, LaunchError& error);
};
template <class Traits, class P, PointerRole Role>
inline constexpr bool holds_owner<FirstArgument<Traits, P, Role>> = true;
template <class Traits, PointerRole Role>
inline constexpr bool holds_owner<FirstArgument<Traits, void, Role>> = false;

template <class A>
inline constexpr bool is_first_argument = false;
template <class Traits, class P, PointerRole Role>
inline constexpr bool is_first_argument<FirstArgument<Traits, P, Role>> = true;

/// For a function without user arguments.
template <class Traits, PointerRole Role>
struct FirstArgument<Traits, void, Role> {
  template <class A>
  FirstArgument(const A&,  // NOLINT(google-explicit-constructor): `check` diagnoses it
                call_site its_site = call_site::current()) noexcept
      : site(its_site) {}
  call_site site;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
