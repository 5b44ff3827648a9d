// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/bytes.hpp>
#include <warpsafe/device.hpp>
#include <warpsafe/dim3.hpp>
#include <warpsafe/extent.hpp>
#include <warpsafe/launch_config.hpp>
#include <warpsafe/message.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/safe_grid.hpp>

#include <sstream>
#include <string>
#include <version>

// nvcc 13 does not compile fmt 9 in C++20.
#if __has_include(<fmt/format.h>) && !defined(__CUDACC__)
#include <fmt/format.h>
#endif
#if defined(__cpp_lib_format)
#include <format>
#endif

// Formatters for the public types: {fmt}'s where it is installed, std::format's where the standard
// library has it. Both print what operator<< prints, and take the format specifications of a string
// (`{:>20}`).

namespace warpsafe::detail {

template <class T>
inline constexpr bool is_printable = false;
template <class Space, std::uint32_t X, std::uint32_t Y, std::uint32_t Z>
inline constexpr bool is_printable<Dim3<Space, X, Y, Z>> = true;
template <int Rank>
inline constexpr bool is_printable<extent<Rank>> = true;
template <class Rules, class Block, int Rank, GridPolicy Policy, std::uint32_t Items>
inline constexpr bool is_printable<SafeGrid<Rules, Block, Rank, Policy, Items>> = true;
template <class Grid, class Block, class Options>
inline constexpr bool is_printable<LaunchConfig<Grid, Block, Options>> = true;
template <>
inline constexpr bool is_printable<Bytes> = true;
template <>
inline constexpr bool is_printable<DeviceId> = true;
template <>
inline constexpr bool is_printable<LaunchError> = true;

template <class Enum>
requires is_printed_by_name<Enum>
inline constexpr bool is_printable<Enum> = true;
template <>
inline constexpr bool is_printable<call_site> = true;
template <>
inline constexpr bool is_printable<DeviceLimits> = true;
template <class B>
inline constexpr bool is_printable<basic_stream_ref<B>> = true;
template <class B>
inline constexpr bool is_printable<basic_stream<B>> = true;
template <class B, bool Timed>
inline constexpr bool is_printable<basic_event<B, Timed>> = true;
template <class B, class T>
inline constexpr bool is_printable<basic_device_buffer<B, T>> = true;
template <class T>
inline constexpr bool is_printable<DeviceSpan<T>> = true;
template <class T>
inline constexpr bool is_printable<DeviceView<T>> = true;
template <class T>
inline constexpr bool is_printable<device_ptr<T>> = true;
template <class B, class T>
inline constexpr bool is_printable<basic_pending<B, T>> = true;
template <class Handle>
inline constexpr bool is_printable<StreamBound<Handle>> = true;

template <class T>
[[nodiscard]] std::string printed(const T& value) {
  std::ostringstream out;
  out << value;
  return std::move(out).str();
}

}  // namespace warpsafe::detail

#if defined(FMT_VERSION)
template <class T>
requires warpsafe::detail::is_printable<T>
struct fmt::formatter<T> : fmt::formatter<std::string> {
  template <class Context>
  auto format(const T& value, Context& context) const {
    return fmt::formatter<std::string>::format(warpsafe::detail::printed(value), context);
  }
};
#endif

#if defined(__cpp_lib_format)
template <class T>
requires warpsafe::detail::is_printable<T>
struct std::formatter<T> : std::formatter<std::string> {
  template <class Context>
  auto format(const T& value, Context& context) const {
    return std::formatter<std::string>::format(warpsafe::detail::printed(value), context);
  }
};
#endif
