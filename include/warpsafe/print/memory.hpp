// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/device_ptr.hpp>
#include <warpsafe/args/device_span.hpp>
#include <warpsafe/args/device_view.hpp>
#include <warpsafe/args/trust.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/size_type.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/memory_hold.hpp>
#include <warpsafe/memory/pending.hpp>
#include <warpsafe/memory/pitched_view.hpp>
#include <warpsafe/print/detail/print_text.hpp>

#include <cstddef>
#include <ostream>

// operator<< for types that own memory or point to it. It prints addresses and sizes, never the
// elements, which are on the device. Types with headers of their own are only declared here. See
// print/values.hpp.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

template <class T, size_type Alignment>
class aligned_ptr;
template <class T, size_type Alignment>
class aligned_view;
template <class T>
struct HostScalar;
template <class Pointer>
struct DeviceScalar;
template <class B, class T>
class basic_pitched_buffer;
template <class B, class T>
class basic_managed_buffer;
template <class B, class T>
class basic_host_managed;
template <class B, class T>
class basic_pinned_buffer;

namespace detail {

struct PrintAccess {
  template <class Held>
  [[nodiscard]] static const auto* memory_of(const Held& hold) noexcept {
    return hold.memory_;
  }
  template <class Buffer>
  static std::ostream& put_managed(std::ostream& out, const Buffer& buffer) {
    if (buffer.hold_.empty()) return out << "moved buffer";
    put_elements(out, buffer.size_, buffer.data_);
    return out;
  }
  template <class Host>
  [[nodiscard]] static const auto& buffer_of(const Host& host) noexcept {
    return host.buffer_;
  }
  /// nullptr after the capture's end.
  template <class Capture>
  [[nodiscard]] static const auto* state_of(const Capture& capture) noexcept {
    return capture.state_;
  }
  /// Does not ask the runtime.
  template <class Token>
  [[nodiscard]] static const char* pending_text(const Token& pending) noexcept {
    using State = typename Token::State;
    if (pending.state_ == State::open) return "value whose copy may still run";
    const bool failed = pending.state_ == State::failed || pending.state_ == State::told;
    return failed ? "value whose copy failed" : "value that was taken";
  }
  /// nullptr for a module that was closed, or moved from.
  template <class Module>
  [[nodiscard]] static const auto* loaded(const Module& module) noexcept {
    return module.hold_.get();
  }
};

}  // namespace detail

/// Prints `1000 elements of 4 bytes at 0x7f52a8`, never the elements: they are on the device.
template <class T>
std::ostream& operator<<(std::ostream& out, const DeviceSpan<T>& span) {
  detail::put_elements(out, span.size(), span.pointer().get());
  return out;
}
/// Prints it like a span.
template <class T>
std::ostream& operator<<(std::ostream& out, const DeviceView<T>& view) {
  return out << view.span();
}
/// Prints it like a span; `closed buffer` after close() and after a move.
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
template <class T>
std::ostream& operator<<(std::ostream& out, const trusted_ptr<T>& pointer) {
  detail::put_address(out, pointer.get());
  return out;
}
/// Prints `1000 elements of 4 bytes at 0x7f52a8`; a negative number with its sign.
template <class T>
std::ostream& operator<<(std::ostream& out, const trusted_span<T>& span) {
  if (span.size().negative) out << '-';
  detail::put_elements(out, span.size().magnitude, span.get());
  return out;
}
/// Prints `0x7f52a8, aligned to 16 bytes`.
template <class T, size_type Alignment>
std::ostream& operator<<(std::ostream& out, const aligned_ptr<T, Alignment>& pointer) {
  detail::put_address(out, pointer.get());
  return out << ", aligned to " << Alignment << " bytes";
}
template <class T, size_type Alignment>
std::ostream& operator<<(std::ostream& out, const aligned_view<T, Alignment>& view) {
  return out << view.pointer();
}

/// Prints `3 rows of 40 elements of 4 bytes, 256 bytes apart, at 0x7f52a8`.
template <class T>
std::ostream& operator<<(std::ostream& out, const PitchedSpan<T>& span) {
  out << span.rows() << " rows of " << span.cols() << " elements of " << sizeof(T) << " bytes, "
      << detail::PitchedAccess::pitch_of(span) << " bytes apart, at ";
  detail::put_address(out, detail::PitchedAccess::start_of(span));
  return out;
}
/// Prints it like a span.
template <class T>
std::ostream& operator<<(std::ostream& out, const PitchedView<T>& view) {
  return out << view.span();
}
/// Prints it like a span; `closed buffer` after close() and after a move.
template <class B, class T>
std::ostream& operator<<(std::ostream& out, const basic_pitched_buffer<B, T>& buffer) {
  const auto view = buffer.view();
  return view.device() < 0 ? out << "closed buffer" : out << view;
}
/// Prints it like a span; `moved buffer` after a move.
template <class B, class T>
std::ostream& operator<<(std::ostream& out, const basic_managed_buffer<B, T>& buffer) {
  return detail::PrintAccess::put_managed(out, buffer);
}
template <class B, class T>
std::ostream& operator<<(std::ostream& out, const basic_host_managed<B, T>& host) {
  return out << detail::PrintAccess::buffer_of(host);
}
/// Prints it like a span; 0 elements at 0x0 after close() and after a move.
template <class B, class T>
std::ostream& operator<<(std::ostream& out, const basic_pinned_buffer<B, T>& buffer) {
  const auto elements = buffer.span();
  detail::put_elements(out, elements.size(), elements.data());
  return out;
}

/// Prints `hold of memory at 0x7f52a8`, or `hold of nothing`.
template <class B>
std::ostream& operator<<(std::ostream& out, const basic_memory_hold<B>& hold) {
  if (hold.empty()) return out << "hold of nothing";
  out << "hold of memory at ";
  detail::put_address(out, detail::PrintAccess::memory_of(hold)->data());
  return out;
}
/// Prints `value whose copy may still run`, `value whose copy failed` or `value that was
/// taken`.
template <class B, class T>
std::ostream& operator<<(std::ostream& out, const basic_pending<B, T>& pending) {
  return out << detail::PrintAccess::pending_text(pending);
}
/// For GoogleTest, which otherwise looks for begin() and end() to detect a container.
template <class B, class T>
// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest's name
void PrintTo(const basic_pending<B, T>& pending, std::ostream* out) {
  *out << pending;
}

/// Prints the number.
template <class T>
std::ostream& operator<<(std::ostream& out, const HostScalar<T>& scalar) {
  return out << scalar.value;
}
/// Prints the number's address.
template <class Pointer>
std::ostream& operator<<(std::ostream& out, const DeviceScalar<Pointer>& scalar) {
  detail::put_address(out, scalar.get());
  return out;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
