// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/arithmetic.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/size_type.hpp>
#include <warpsafe/error/result.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

namespace detail {
/// The runtimes align every allocation to at least this number of bytes (CUDA C++ Programming
/// Guide, "Device Memory Accesses").
inline constexpr std::size_t memory_alignment = 256;

/// Refuses at compile time an element type that no buffer can hold: device, managed or pinned.
template <class T>
constexpr bool check_element() noexcept {
  static_assert(
      __is_trivially_copyable(T) && !std::is_const_v<T>,
      "warpsafe: a buffer holds only trivially copyable elements, because they are copied as bytes");
  static_assert(
      alignof(T) <= memory_alignment,
      "warpsafe: the runtimes align memory to 256 bytes, and this element type (alignas) needs more; place its elements inside of a larger buffer of bytes");
  return true;
}
}  // namespace detail

/// A number of bytes. A type of its own, so that it is not mistaken for a number of elements.
class Bytes {
 public:
  constexpr Bytes() noexcept = default;
  /// Any built-in whole number. A negative number becomes 2^64 minus its magnitude, which is more
  /// than any memory, so every function that takes it returns an error.
  template <class Number>
  requires detail::is_size<Number>
  constexpr explicit Bytes(Number bytes) noexcept {
    const detail::SignedSize size = detail::SignedSize::of(bytes);
    bytes_ = size.negative ? 0 - size.magnitude : size.magnitude;
  }
#define WARPSAFE_DETAIL_SENTENCE "warpsafe: a number of bytes must be a whole number"
  template <class Number WARPSAFE_DETAIL_WHY>
  requires(!detail::is_size<Number>) WARPSAFE_DETAIL_REFUSED explicit Bytes(Number)
      WARPSAFE_DETAIL_REFUSAL(Number);
#undef WARPSAFE_DETAIL_SENTENCE

  /// The bytes of `count` elements of T. Errc::size_negative for a negative count,
  /// Errc::bytes_overflow if the product does not fit in 64 bits.
  template <class T, class Count>
  [[nodiscard]] static constexpr result<detail::later<T, Bytes>> create(
      Count count, call_site site = call_site::current()) noexcept {
    const detail::SignedSize size = detail::SignedSize::of(count);
    std::uint64_t bytes = 0;
    if (size.negative) {
      return LaunchError::make(Errc::size_negative, Stage::construction, size.magnitude, sizeof(T),
                               Axis::none, site);
    }
    if (!detail::multiply(std::uint64_t{size.magnitude}, std::uint64_t{sizeof(T)}, bytes)) {
      return LaunchError::make(Errc::bytes_overflow, Stage::construction, size.magnitude, sizeof(T),
                               Axis::none, site);
    }
    return Bytes(bytes);
  }

  [[nodiscard]] constexpr std::uint64_t value() const noexcept { return bytes_; }

  friend constexpr bool operator==(Bytes, Bytes) noexcept = default;
  friend constexpr auto operator<=>(Bytes a, Bytes b) noexcept = default;
  /// Prints "N bytes".
  template <class Stream>
  requires requires { typename Stream::char_type; }
  friend Stream& operator<<(Stream& out, Bytes bytes) {
    out << bytes.bytes_ << " bytes";
    return out;
  }

 private:
  std::uint64_t bytes_ = 0;
};

/// A launch option: dynamic shared memory for `count` elements of T. It keeps a wrong count; the
/// configuration that is made from it reports the error.
template <class T>
class DynamicShared {
  static_assert(std::is_object_v<T> && !std::is_const_v<T>,
                "warpsafe: shared memory holds objects that the kernel writes: shared<float>(256)");
  static_assert(
      !std::is_object_v<T> || std::is_trivially_destructible_v<T>,
      "warpsafe: shared memory holds only trivially destructible types, because no destructor runs there");

 public:
  static constexpr auto launch_part = detail::PartKind::shared;
  using element_type = T;

  constexpr explicit DynamicShared(detail::SignedSize count) noexcept
      : count_(count.magnitude), negative_(count.negative) {}

  /// Bytes per block. For a wrong count 2^64-1, which every runtime refuses.
  [[nodiscard]] constexpr Bytes bytes() const noexcept {
    std::uint64_t product = 0;
    const bool fits = detail::multiply(count_, std::uint64_t{sizeof(T)}, product);
    return Bytes(fits && !negative_ ? product : ~std::uint64_t{0});
  }
  /// Errc::shared_negative or ::shared_overflow, or nothing (Errc{}).
  [[nodiscard]] constexpr LaunchError problem() const noexcept {
    const Errc code = negative_                              ? Errc::shared_negative
                      : bytes().value() == ~std::uint64_t{0} ? Errc::shared_overflow
                                                             : Errc{};
    return LaunchError::make(code, Stage::construction, count_, sizeof(T));
  }
  constexpr void apply(LaunchShape& shape) const noexcept {
    shape.dynamic_shared = bytes().value();
  }

 private:
  std::uint64_t count_;
  bool negative_;
};

/// The launch option for dynamic shared memory of `count` elements of T: `shared<float>(256)` is
/// 1024 bytes. A bare number of bytes is not an option.
template <class T, class Count>
[[nodiscard]] constexpr DynamicShared<T> shared(Count count) noexcept {
  static_assert(
      !std::is_same_v<Count, Bytes>,
      "warpsafe: shared<T>(count) counts elements of T; write shared(Bytes(n)) for a number of bytes");
  if constexpr (std::is_same_v<Count, Bytes>) {
    return DynamicShared<T>(detail::SignedSize{0, false});
  } else {
    return DynamicShared<T>(detail::SignedSize::of(count));
  }
}
/// Diagnoses a missing number, and more than one.
template <class T, class... Counts>
requires(sizeof...(Counts) != 1) constexpr DynamicShared<T> shared(Counts...) noexcept {
  static_assert(sizeof...(Counts) == 1,
                "warpsafe: shared<T>(count) takes one number, the number of elements");
  return DynamicShared<T>(detail::SignedSize{0, false});
}
/// Diagnoses a bare number, which may be bytes or elements. The first parameter excludes
/// `shared<float>(n)`.
template <int = 0, class Count>
requires(
    detail::is_size<Count> || detail::is_floating<Count> ||
    detail::is_bool<Count>) constexpr DynamicShared<unsigned char> shared(Count count) noexcept {
  static_assert(
      sizeof(Count) == 0,
      "warpsafe: shared needs the type of its elements; write shared<float>(256) for 256 floats, or shared(Bytes(1024)) for 1024 bytes");
  return DynamicShared<unsigned char>(detail::SignedSize::of(count));
}
/// The launch option for dynamic shared memory of a number of bytes. Errc::shared_negative for 2^63
/// or more: a negative number was given to Bytes, or lost its sign before.
[[nodiscard]] constexpr DynamicShared<unsigned char> shared(Bytes bytes) noexcept {
  const bool negative = bytes.value() >> 63 != 0;
  return DynamicShared<unsigned char>(
      detail::SignedSize{negative ? 0 - bytes.value() : bytes.value(), negative});
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
