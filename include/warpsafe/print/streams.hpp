// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/print/detail/print_text.hpp>
#include <warpsafe/print/memory.hpp>
#include <warpsafe/stream/event.hpp>
#include <warpsafe/stream/stream.hpp>
#include <warpsafe/stream/stream_hold.hpp>
#include <warpsafe/stream/stream_ref.hpp>

#include <ostream>
#include <type_traits>

// operator<< for streams and related types. Types with headers of their own are only declared here.
// See print/values.hpp.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

template <class B>
class basic_capture;
template <class B>
class basic_graph;
template <class B>
class basic_executable_graph;
template <class Handle>
class StreamBound;
template <class B>
class basic_module;
template <class B, class Signature, class... Needs>
class basic_module_kernel;

namespace detail {
/// `graph 0x55d0c8`, or `closed graph`.
template <class Native>
std::ostream& put_native(std::ostream& out, const char* what, Native native) {
  if (native == nullptr) return out << "closed " << what;
  put_address(out << what << ' ', native);
  return out;
}
}  // namespace detail

/// Prints `stream 0x55d0c8 of device 0`.
template <class B>
std::ostream& operator<<(std::ostream& out, const basic_stream_ref<B>& stream) {
  out << "stream ";
  detail::put_address(out, stream.native());
  return out << " of device " << stream.device();
}
/// Prints it like the reference to it; `closed stream` after close() and after a move.
template <class B>
std::ostream& operator<<(std::ostream& out, const basic_stream<B>& stream) {
  return stream.native() == nullptr ? out << "closed stream" : out << stream.ref();
}
/// Prints `hold of stream 0x55d0c8 of device 0`.
template <class B>
std::ostream& operator<<(std::ostream& out, const basic_stream_hold<B>& hold) {
  return out << "hold of " << hold.ref();
}
/// Prints `event 0x55d0c8`; `moved event` after a move.
template <class B, bool Timed>
std::ostream& operator<<(std::ostream& out, const basic_event<B, Timed>& event) {
  if (event.native() == nullptr) return out << "moved event";
  detail::put_address(out << "event ", event.native());
  return out;
}

/// Prints `capture of stream 0x55d0c8 of device 0`; `ended capture` after end() and after a move.
template <class B>
std::ostream& operator<<(std::ostream& out, const basic_capture<B>& capture) {
  const bool ended = detail::PrintAccess::state_of(capture) == nullptr;
  return ended ? out << "ended capture" : out << "capture of " << capture.stream();
}
/// Prints `graph 0x55d0c8`; `closed graph` after close() and after a move.
template <class B>
std::ostream& operator<<(std::ostream& out, const basic_graph<B>& graph) {
  return detail::put_native(out, "graph", graph.native());
}
/// Prints `executable graph 0x55d0c8`; `closed executable graph` after close() and after a move.
template <class B>
std::ostream& operator<<(std::ostream& out, const basic_executable_graph<B>& graph) {
  return detail::put_native(out, "executable graph", graph.native());
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

/// Prints `module of FILE`, `module from memory`; `closed module` after close() and after a move.
template <class B>
std::ostream& operator<<(std::ostream& out, const basic_module<B>& module) {
  const auto* const loaded = detail::PrintAccess::loaded(module);
  if (loaded == nullptr) return out << "closed module";
  if (loaded->source().empty()) return out << "module from memory";
  return out << "module of " << loaded->source();
}
/// Prints `kernel 'scale' of a module`.
template <class B, class Signature, class... Needs>
std::ostream& operator<<(std::ostream& out,
                         const basic_module_kernel<B, Signature, Needs...>& kernel) {
  return out << "kernel '" << kernel.name() << "' of a module";
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
