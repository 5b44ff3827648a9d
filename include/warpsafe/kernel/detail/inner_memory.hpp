// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/device_span.hpp>
#include <warpsafe/backend/detail/given_memory.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/kernel/detail/parameter.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

// Where the device memory is in a parameter that is a structure. An example of the structure is
// made whose addresses are marks, and its bytes are searched for the marks. So arrays, bases and
// structures inside need no rules of their own. What has no mark is not found: the race detector
// looks for addresses in all bytes of an argument, and says which ones it did not know.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// std::optional: its value may be absent.
template <class T>
concept OptionalValue = requires(const T& held) {
  held.has_value();
  *held;
  typename T::value_type;
};
/// One that holds a value of several types, or none.
template <class T>
concept ChangingValue = OptionalValue<T> || requires(const T& held) {
  held.valueless_by_exception();
};
template <class T>
inline constexpr bool is_device_span = false;
template <class T>
inline constexpr bool is_device_span<DeviceSpan<T>> = true;
template <class T>
inline constexpr bool is_memory_value = is_device_memory<T> || is_trusted<T>;
/// The kinds of members.
enum class MemberKind : std::uint8_t { changing, closed, memory, plain };
template <class T>
constexpr MemberKind member_kind() noexcept {
  if constexpr (is_memory_value<T>) return MemberKind::memory;
  if constexpr (std::is_union_v<T> || (std::is_class_v<T> && !std::is_aggregate_v<T>)) {
    return ChangingValue<T> ? MemberKind::changing : MemberKind::closed;
  }
  return MemberKind::plain;
}
class InnerMemorySearch;
template <class T>
[[nodiscard]] T example_of(InnerMemorySearch& search);
/// Converts to a member of one kind. The constructor template of a member takes whatever converts
/// to its parameter, so a probe converts to as little as possible.
template <MemberKind Kind>
struct MemberProbe {
  InnerMemorySearch* search;
  template <class T>
  requires(is_single_member<T>&& member_kind<T>() == Kind) operator T() const {
    return example_of<T>(*search);
  }
};
/// Converts to nothing. Only a constructor that takes anything takes it.
struct NoMember {};
/// Converts to a union that may hold an address.
struct AnyUnion {
  template <class T>
  requires(std::is_union_v<T> && sizeof(T) >= sizeof(void*)) operator T() const noexcept;
};

/// A PitchedSpan.
template <class T>
inline constexpr bool is_matrix = is_device_memory<T>&& requires(const T& held) {
  held.rows();
  held.cols();
};

template <class Element>
constexpr std::uint32_t bytes_of_element() noexcept {
  if constexpr (requires { sizeof(Element); }) return sizeof(Element);
  return 0;
}
#if defined(__clang__)
template <class T>
inline constexpr bool holds_numbers = is_examined<T>;
#else
// g++ does not look into arrays.
template <class T>
inline constexpr bool holds_numbers = false;
#endif
/// Whether a value of type T may hold an address, as far as its type tells. float4 of HIP and
/// std::complex hide that they hold numbers.
template <class T>
inline constexpr bool may_reach_memory = sizeof(T) >= sizeof(void*) && !holds_numbers<T> &&
                                         !requires {
  typename T::Native_vec_;
}
&&!is_complex<T>;
/// The object with these bytes.
template <class T>
[[nodiscard]] T object_of(unsigned char* bytes) noexcept {
  if constexpr (__is_trivially_copyable(T)) {
    struct Bytes {
      alignas(T) unsigned char all[sizeof(T)];
    } copy;
    std::memcpy(&copy, bytes, sizeof copy);
    return __builtin_bit_cast(T, copy);
  } else {
    return *std::launder(reinterpret_cast<T*>(bytes));
  }
}

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-braces"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"  // behind the 64th
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#pragma GCC diagnostic ignored "-Wconversion"
#endif
/// Makes the example, and notes the memory that it gives marks for addresses.
class InnerMemorySearch {
 public:
  InnerMemorySearch(MemoryPlace* places, std::uint32_t room) noexcept
      : places_(places), room_(room) {}

  /// Finds the places in a parameter of type P.
  template <class P>
  [[nodiscard]] InnerMemory find() {
    const P example = value<P>();
    locate(0, __builtin_addressof(example), sizeof example, 0);
    return {places_, count_};
  }

  /// A T whose addresses are marks, and whose numbers are 0.
  template <class T>
  [[nodiscard]] T value() {
    alignas(T) unsigned char bytes[sizeof(T)] = {};
    if constexpr (is_memory_value<T>) {
      using Element = std::remove_pointer_t<decltype(address_type<T>())>;
      constexpr bool sized = is_device_span<T> || is_matrix<T>;
      mark<Element>(bytes, sized ? bytes_of_element<Element>() : 0, is_matrix<T>);
    } else if constexpr (std::is_pointer_v<T>) {
      using Element = std::remove_pointer_t<T>;
      if constexpr (!std::is_function_v<Element>) mark<Element>(bytes, 0);
    } else if constexpr (ChangingValue<T>) {
      if constexpr (is_plainly_optional<T>()) return engaged<T>();
    } else if constexpr (members_of_tuple<T> != 0) {
      return tuple(static_cast<T*>(nullptr));
    } else if constexpr (std::is_class_v<T> && std::is_aggregate_v<T> && !std::is_empty_v<T>) {
      if constexpr (may_reach_memory<T>) {
        constexpr std::size_t members = count_members<T>();
        if constexpr (members != 0 && is_walkable<T>(indices<members>)) {
          return aggregate<T>(indices<members>);
        }
      }
    }
    return object_of<T>(bytes);
  }

 private:
  template <class T>
  static constexpr auto address_type() noexcept {
    if constexpr (is_trusted<T>) {
      return decltype(std::declval<const T&>().get())();
    } else {
      return static_cast<typename T::element_type*>(nullptr);
    }
  }
  /// The kind of the aggregate's member at a place among all; NoMember takes the place of one whose
  /// constructor takes anything.
  template <class T, std::size_t... Before, std::size_t... After>
  static constexpr int kind_at(std::index_sequence<Before...> before,
                               std::index_sequence<After...> after) noexcept {
    if constexpr (takes<T, NoMember>(before, after)) {
      return -1;
    } else if constexpr (takes<T, MemberProbe<MemberKind::changing>>(before, after)) {
      return static_cast<int>(MemberKind::changing);
    } else if constexpr (takes<T, MemberProbe<MemberKind::closed>>(before, after)) {
      return static_cast<int>(MemberKind::closed);
    } else if constexpr (takes<T, MemberProbe<MemberKind::memory>>(before, after)) {
      return static_cast<int>(MemberKind::memory);
    } else if constexpr (takes<T, MemberProbe<MemberKind::plain>>(before, after)) {
      return static_cast<int>(MemberKind::plain);
    }
    return -1;
  }
  template <class T, std::size_t... Place>
  static constexpr bool is_walkable(std::index_sequence<Place...>) noexcept {
    constexpr std::size_t last = sizeof...(Place) - 1;
    return ((kind_at<T>(indices<Place>, indices<last - Place>) >= 0 &&
             !takes<T, AnyUnion>(indices<Place>, indices<0>)) &&
            ...);
  }
  template <class T, std::size_t... Place>
  [[nodiscard]] T aggregate(std::index_sequence<Place...>) {
    constexpr std::size_t last = sizeof...(Place) - 1;
    return T{
        MemberProbe<static_cast<MemberKind>(kind_at<T>(indices<Place>, indices<last - Place>))>{
            this}...};
  }
  template <template <class...> class Tuple, class... T>
  [[nodiscard]] Tuple<T...> tuple(Tuple<T...>*) {
    return Tuple<T...>{value<T>()...};
  }

  /// Whether a byte behind the value tells whether it is there, as with every standard library.
  template <class T>
  static constexpr bool is_plainly_optional() noexcept {
    if constexpr (OptionalValue<T> && may_reach_memory<T>) {
      using Value = typename T::value_type;
      return std::is_constructible_v<T, Value> && __is_trivially_copyable(T) &&
             sizeof(T) > sizeof(Value);
    }
    return false;
  }
  template <class T>
  [[nodiscard]] T engaged() {
    using Value = typename T::value_type;
    const std::uint32_t first = count_;
    const Value held = value<Value>();
    T made(held);
    const T absent{};
    const auto flag_of = [](const T& of) {
      return reinterpret_cast<const unsigned char*>(&of)[sizeof(Value)];
    };
    bool tells = flag_of(made) == 1 && flag_of(absent) == 0;
    // Of an optional inside an optional, both would have to count.
    for (std::uint32_t i = first; i < count_; ++i) tells = tells && places_[i].flag == 0;
    if (!tells) {
      count_ = first;
      return absent;
    }
    locate(first, &held, sizeof held, sizeof held);
    return made;
  }

  [[nodiscard]] static std::uintptr_t mark_of(std::uint32_t number) noexcept {
    return std::uintptr_t{0xA5C396D25A3C0001} + number;
  }
  template <class Element>
  void mark(unsigned char* bytes, std::uint32_t element_bytes, bool is_of_matrix = false) noexcept {
    constexpr bool is_number = std::is_arithmetic_v<std::remove_cv_t<Element>>;
    if (count_ == room_) return;
    const std::uintptr_t address = mark_of(count_);
    std::memcpy(bytes, &address, sizeof address);
    places_[count_++] = {0, element_bytes, 0, !std::is_const_v<Element>, is_of_matrix, !is_number};
  }
  /// Sets where the places from `first` on are in an object. `flag`: of those whose value may be
  /// absent, the distance of the byte that tells it from the object's beginning.
  void locate(std::uint32_t first, const void* object, std::size_t bytes, std::uint32_t flag) {
    for (std::uint32_t number = first; number < count_; ++number) {
      const std::uintptr_t wanted = mark_of(number);
      std::uint32_t at = 0;
      while (at + sizeof wanted < bytes &&
             std::memcmp(static_cast<const char*>(object) + at, &wanted, sizeof wanted) != 0) {
        ++at;
      }
      places_[number].offset = at;
      if (flag != 0) places_[number].flag = flag - at;
    }
  }

  MemoryPlace* places_;
  std::uint32_t room_;
  std::uint32_t count_ = 0;
};
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

template <class T>
T example_of(InnerMemorySearch& search) {
  return search.value<T>();
}

/// The device memory in a parameter of type P. Found at the first call.
template <class P>
[[nodiscard]] InnerMemory inner_memory() noexcept {
  struct Found {
    MemoryPlace places[sizeof(P) / sizeof(void*)];
    InnerMemory memory;
    Found() noexcept
        : memory(InnerMemorySearch(places, sizeof(P) / sizeof(void*)).template find<P>()) {}
  };
  static const Found found;
  return found.memory;
}
template <class P>
constexpr std::uint32_t matrix_element_bytes() noexcept {
  if constexpr (is_matrix<P>) return bytes_of_element<typename P::element_type>();
  return 0;
}
/// Whether the parameter is a structure that may hold an address.
template <class P>
constexpr bool has_inner_memory() noexcept {
  if constexpr ((std::is_class_v<P> || std::is_union_v<P>)&&!is_device_memory<P>) {
    return is_device_copyable<P> && may_reach_memory<P>;
  }
  return false;
}
/// inner_memory, or nullptr if the parameter has none.
template <class P>
constexpr auto inner_memory_of() noexcept -> InnerMemory (*)() noexcept {
  if constexpr (has_inner_memory<P>()) return &inner_memory<P>;
  return nullptr;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
