// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/buffer.hpp>
#include <warpsafe/call_site.hpp>
#include <warpsafe/config.hpp>
#include <warpsafe/debug/limits_text.hpp>
#include <warpsafe/detail/pretty_name.hpp>
#include <warpsafe/detail/text.hpp>
#include <warpsafe/device_ptr.hpp>
#include <warpsafe/device_span.hpp>
#include <warpsafe/device_view.hpp>
#include <warpsafe/errc.hpp>
#include <warpsafe/event.hpp>
#include <warpsafe/limits.hpp>
#include <warpsafe/message.hpp>
#include <warpsafe/pending.hpp>
#include <warpsafe/result.hpp>
#include <warpsafe/stream.hpp>
#include <warpsafe/stream_bound.hpp>

#include <cstddef>
#include <ostream>
#include <type_traits>
#include <utility>

// operator<< for the public types whose own headers have none, so that light headers stay light:
// for logs, and for GoogleTest, which prints a value of a failed comparison with it. What a
// debugger shows of them (packaging/gdb) is the same text. Include it in all tests of a program or
// in none: GoogleTest makes its printer of a type once. Nothing here asks the runtime.

namespace warpsafe {
namespace detail {

template <class Enum>
inline constexpr bool is_printed_by_name = false;
template <>
inline constexpr bool is_printed_by_name<Errc> = true;
template <>
inline constexpr bool is_printed_by_name<Severity> = true;
template <>
inline constexpr bool is_printed_by_name<Stage> = true;
template <>
inline constexpr bool is_printed_by_name<Axis> = true;
template <>
inline constexpr bool is_printed_by_name<Vendor> = true;
template <>
inline constexpr bool is_printed_by_name<CheckLevel> = true;
template <>
inline constexpr bool is_printed_by_name<Progress> = true;

/// The name of the enumerator of that value without what it stands in, or empty: for a value
/// without one the compiler writes a cast.
template <auto Value>
[[nodiscard]] constexpr Name enumerator_of() noexcept {
  const Name all = name_of<Value>;
  std::size_t start = all.size;
  while (start != 0 && all.data[start - 1] != ':') --start;
  const bool cast = all.size == 0 || all.data[0] == '(' || (start == 0 && all.data[0] <= '9');
  return cast ? Name{} : Name{all.data + start, all.size - start};
}

/// Enumerators of less than this are known by name.
inline constexpr std::size_t named_enumerators = 128;

template <class Enum, std::size_t... Value>
[[nodiscard]] Name name_of_enumerator(Enum value, std::index_sequence<Value...>) noexcept {
  static constexpr Name names[] = {enumerator_of<static_cast<Enum>(Value)>()...};
  const auto number = static_cast<std::size_t>(value);
  return number < sizeof...(Value) ? names[number] : Name{};
}

inline void put(std::ostream& out, Name text) {
  out.write(text.data, static_cast<std::streamsize>(text.size));
}
/// An address as gdb has it: 0x0 for none.
inline void put_address(std::ostream& out, const void* address) {
  char buffer[24];
  TextBuffer text(buffer, sizeof buffer);
  text << address;
  out << buffer;
}
template <class T>
void put_elements(std::ostream& out, std::size_t count, const T* address) {
  out << count << " elements of " << sizeof(T) << " bytes at ";
  put_address(out, address);
}

}  // namespace detail

/// Prints the enumerator's name: `block_too_large`; the number for a value without one.
template <class Enum>
requires detail::is_printed_by_name<Enum> std::ostream& operator<<(std::ostream& out, Enum value) {
  constexpr std::size_t count =
      std::is_same_v<std::underlying_type_t<Enum>, bool> ? 2 : detail::named_enumerators;
  const Name name = detail::name_of_enumerator(value, std::make_index_sequence<count>());
  if (name.empty()) return out << static_cast<int>(value);
  detail::put(out, name);
  return out;
}

/// Prints `main.cpp:41`, the file without its folders.
inline std::ostream& operator<<(std::ostream& out, const call_site& site) {
  if (site.file == nullptr) return out << "nowhere";
  char buffer[512];
  detail::TextBuffer text(buffer, sizeof buffer);
  text << site;
  return out << buffer;
}

/// Prints `stream 0x55d0c8 of device 0`.
template <class B>
std::ostream& operator<<(std::ostream& out, const basic_stream_ref<B>& stream) {
  out << "stream ";
  detail::put_address(out, stream.native());
  return out << " of device " << stream.device();
}
/// As the reference to it; `closed stream` after close() and after a move.
template <class B>
std::ostream& operator<<(std::ostream& out, const basic_stream<B>& stream) {
  return stream.native() == nullptr ? out << "closed stream" : out << stream.ref();
}
/// Prints `event 0x55d0c8`; `moved event` after a move.
template <class B, bool Timed>
std::ostream& operator<<(std::ostream& out, const basic_event<B, Timed>& event) {
  if (event.native() == nullptr) return out << "moved event";
  out << "event ";
  detail::put_address(out, event.native());
  return out;
}

/// Prints `1000 elements of 4 bytes at 0x7f52a8`, never the elements: they are on the device.
template <class T>
std::ostream& operator<<(std::ostream& out, const DeviceSpan<T>& span) {
  detail::put_elements(out, span.size(), span.pointer().get());
  return out;
}
/// As a span.
template <class T>
std::ostream& operator<<(std::ostream& out, const DeviceView<T>& view) {
  return out << view.span();
}
/// As a span; `closed buffer` after close() and after a move.
template <class B, class T>
std::ostream& operator<<(std::ostream& out, const basic_device_buffer<B, T>& buffer) {
  const auto view = buffer.view();
  return view.device() < 0 ? out << "closed buffer" : out << view;
}
/// Prints the address.
template <class T>
std::ostream& operator<<(std::ostream& out, const device_ptr<T>& pointer) {
  detail::put_address(out, pointer.get());
  return out;
}

/// Prints `value that may still be on its way`, `value whose copy failed` or `value that was
/// taken`.
template <class B, class T>
std::ostream& operator<<(std::ostream& out, const basic_pending<B, T>& pending) {
  return out << detail::PendingAccess::state_text(pending);
}
/// The same for GoogleTest, which else asks whether it is a container, and so for begin() and
/// end().
template <class B, class T>
// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest's name
void PrintTo(const basic_pending<B, T>& pending, std::ostream* out) {
  *out << pending;
}

/// Prints `handle 0x55d0c8 on stream 0x55d0d0 of device 0`.
template <class Handle>
std::ostream& operator<<(std::ostream& out, const StreamBound<Handle>& bound) {
  out << "handle ";
  if constexpr (std::is_pointer_v<decltype(bound.native())>) {
    detail::put_address(out, bound.native());
  } else {
    out << bound.native();
  }
  return out << " on " << bound.stream();
}

/// Prints what the device allows, in one line.
inline std::ostream& operator<<(std::ostream& out, const DeviceLimits& limits) {
  char buffer[1024];
  debug::format_limits(limits, buffer, sizeof buffer);
  return out << buffer;
}

/// Prints the value where it can be printed, else `a value`; or the error.
template <class T>
std::ostream& operator<<(std::ostream& out, const result<T>& made) {
  if (!made.has_value()) return out << detail::ResultPolicy::error_in(made);
  if constexpr (std::is_void_v<T>) {
    return out << "success";
  } else if constexpr (requires { out << detail::ResultPolicy::value_in(made); }) {
    return out << detail::ResultPolicy::value_in(made);
  } else {
    return out << "a value";
  }
}

}  // namespace warpsafe
