// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// The declarations of a library on the current compiler's backend, and its handle's traits.

#include "launches.hpp"
#include <warpsafe/handles/stream_bound.hpp>
#include <warpsafe/memory/buffer.hpp>

#include <cstddef>

using LibraryStream = warpsafe::Stream::backend::native_stream;
using LibraryHandle = struct LibraryContext*;
using OtherHandle = struct OtherContext*;
enum LibraryStatus { library_success };
enum LibraryOperation { library_plain, library_transposed };
enum LibraryMode { library_host, library_device };

LibraryStatus library_create(LibraryHandle* handle) noexcept;
LibraryStatus library_destroy(LibraryHandle handle) noexcept;
LibraryStatus library_set_stream(LibraryHandle handle, LibraryStream stream) noexcept;
LibraryStatus library_get_stream(LibraryHandle handle, LibraryStream* stream) noexcept;
LibraryStatus library_set_workspace(LibraryHandle handle, void* memory, std::size_t bytes) noexcept;
LibraryStatus library_set_mode(LibraryHandle handle, LibraryMode mode) noexcept;
LibraryStatus library_get_mode(LibraryHandle handle, LibraryMode* mode) noexcept;
LibraryStatus library_axpy(LibraryHandle handle, LibraryOperation operation, int n,
                           const float* alpha, const float* x, float* y) noexcept;
LibraryStatus library_dot(LibraryHandle handle, int n, const float* x, const float* y,
                          float* result) noexcept;
LibraryStatus library_turn(LibraryHandle handle, const float* c, const float* s, float* x) noexcept;
LibraryStatus library_add(LibraryHandle handle, int n, const float* alpha, const float* beta,
                          float* y) noexcept;
LibraryStatus other_run(OtherHandle handle, int n, const float* alpha) noexcept;
LibraryStatus library_version(int* version) noexcept;
void library_forget(LibraryHandle handle, int n) noexcept;

template <>
struct warpsafe::handle_traits<LibraryHandle> {
  using backend = warpsafe::Stream::backend;
  using native = LibraryHandle;
  using status = LibraryStatus;
  using refused =
      Functions<library_set_stream, library_destroy, library_set_workspace, library_set_mode>;
  static constexpr Name name = Name::of("library");
  static status create(native& handle) noexcept { return library_create(&handle); }
  static status destroy(native handle) noexcept { return library_destroy(handle); }
  static constexpr int inner_handles = 0;
  static status set_stream(native handle, LibraryStream stream) noexcept {
    return library_set_stream(handle, stream);
  }
  static status get_stream(native handle, LibraryStream& stream) noexcept {
    return library_get_stream(handle, &stream);
  }
  static status set_scalars_on_device(native handle, bool on) noexcept {
    return library_set_mode(handle, on ? library_device : library_host);
  }
  static status get_scalars_on_device(native handle, bool& on) noexcept {
    LibraryMode mode = library_host;
    const status asked = library_get_mode(handle, &mode);
    on = mode == library_device;
    return asked;
  }
  static constexpr unsigned scalar_pointers(Name function) noexcept {
    return function == Name::of("library_dot")    ? 0b100U | others_on_device
           : function == Name::of("library_turn") ? 0b011U
                                                  : 0U;
  }
  static Name status_name(status) noexcept { return {}; }
  static Name status_text(status) noexcept { return {}; }
};

/// A library whose scalars are always on the host.
template <>
struct warpsafe::handle_traits<OtherHandle> {
  using backend = warpsafe::Stream::backend;
  using native = OtherHandle;
  using status = LibraryStatus;
  using options = LibraryOperation;
  using refused = Functions<>;
  static constexpr Name name = Name::of("other");
  static constexpr bool has_functions_without_stream = true;
  static status create(native& handle, options) noexcept {
    handle = nullptr;
    return library_success;
  }
  static status destroy(native) noexcept { return library_success; }
  static Name status_name(status) noexcept { return {}; }
  static Name status_text(status) noexcept { return {}; }
};

using Library = warpsafe::StreamBound<LibraryHandle>;
using Other = warpsafe::StreamBound<OtherHandle>;
