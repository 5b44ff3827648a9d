// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/pretty_name.hpp>
#include <warpsafe/core/name.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

// The element type of an array as a value, for code that handles data without its C++ type.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// The format of a number. `bytes` means everything that is not a number; it is compared byte for
/// byte.
enum class ElementType : std::uint8_t {
  bytes,
  boolean,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float16,   ///< IEEE 754 binary16
  bfloat16,  ///< the upper half of a float32
  float32,
  float64,
};

/// Bytes of one number; 1 for ElementType::bytes.
[[nodiscard]] constexpr std::size_t element_size(ElementType type) noexcept {
  constexpr std::size_t sizes[] = {1, 1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}
[[nodiscard]] constexpr Name element_name(ElementType type) noexcept {
  constexpr const char* names[] = {"bytes",   "bool",     "int8",    "uint8",  "int16",
                                   "uint16",  "int32",    "uint32",  "int64",  "uint64",
                                   "float16", "bfloat16", "float32", "float64"};
  return Name::of(names[static_cast<std::size_t>(type)]);
}

namespace detail {

template <class... Text>
constexpr bool is_among(Name name, const Text&... names) noexcept {
  return ((name == Name::of(names)) || ...);
}

/// The element type of a type that a vendor's header defines, found by its name so that no such
/// header is included. A vector or a complex number counts as several numbers.
constexpr ElementType vendor_element(Name name) noexcept {
  std::size_t end = 0;
  while (end < name.size && name.data[end] != ',') ++end;
  const Name first{name.data, end};  // without the length of HIP_vector_type<float, 4>
  if (is_among(first, "__half", "_Float16", "c10::Half")) return ElementType::float16;
  if (is_among(first, "__nv_bfloat16", "hip_bfloat16", "__hip_bfloat16", "__bf16",
               "c10::BFloat16")) {
    return ElementType::bfloat16;
  }
  if (is_among(first, "float1", "float2", "float3", "float4", "HIP_vector_type<float",
               "std::complex<float>")) {
    return ElementType::float32;
  }
  if (is_among(first, "double1", "double2", "double3", "double4", "HIP_vector_type<double",
               "std::complex<double>")) {
    return ElementType::float64;
  }
  return ElementType::bytes;
}

template <class T>
constexpr ElementType find_element_type() noexcept {
  if constexpr (std::is_enum_v<T>) {
    return find_element_type<std::underlying_type_t<T>>();
  } else if constexpr (std::is_same_v<T, bool>) {
    return ElementType::boolean;
  } else if constexpr (std::is_same_v<T, float>) {
    return ElementType::float32;
  } else if constexpr (std::is_same_v<T, double>) {
    return ElementType::float64;
  } else if constexpr (std::is_integral_v<T> && sizeof(T) <= 8) {
    constexpr int width = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 2 : sizeof(T) == 4 ? 4 : 6;
    constexpr bool has_sign = static_cast<T>(-1) < static_cast<T>(0);
    return static_cast<ElementType>(static_cast<int>(ElementType::int8) + width +
                                    (has_sign ? 0 : 1));
  } else {
    constexpr ElementType known = vendor_element(type_name<T>);
    // It may be a user's type that happens to have a vendor's name.
    return sizeof(T) % element_size(known) == 0 ? known : ElementType::bytes;
  }
}

}  // namespace detail

/// The element type of T: one number, or several of one format (float4 is four float32). Specialise
/// it for a number type of your own.
template <class T>
inline constexpr ElementType element_type = detail::find_element_type<T>();

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
