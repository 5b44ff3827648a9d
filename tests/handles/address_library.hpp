// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/handles/stream_bound.hpp>
#include <warpsafe/host.hpp>

#include <new>
#include <vector>

// A made-up library that works like cuSPARSELt: the caller owns the handle's structure,
// functions take its address, and one of them takes an array of streams.

namespace address_library {

using Stream = warpsafe::host_backend::native_stream;

struct Handle {
  const Handle* self;  // functions that keep the address rely on it
};
enum Status { success, wrong_handle };

inline std::vector<Stream> used;  // the streams that calls were given
inline int destroyed = 0;

inline Status init(Handle* handle) {
  handle->self = handle;
  return success;
}
inline Status destroy(const Handle* handle) {
  ++destroyed;
  return handle->self == handle ? success : wrong_handle;
}
inline Status run(const Handle* handle, int n, Stream stream) {
  used.push_back(stream);
  return handle->self == handle && n == 3 ? success : wrong_handle;
}
inline Status set_options(Handle* handle, int options) {
  return handle->self == handle && options == 4 ? success : wrong_handle;
}
inline Status run_on_all(const Handle* handle, int n, Stream* streams, int count) {
  used.insert(used.end(), streams, streams + count);
  return run(handle, n, nullptr);
}

}  // namespace address_library

template <>
struct warpsafe::handle_traits<address_library::Handle*>
    : HandleCalls<host_backend, nullptr, address_library::destroy> {
  using native = address_library::Handle*;
  static constexpr Name name = Name::of("address library");
  static constexpr bool has_functions_without_stream = true;
  static status create(native& handle) noexcept {
    handle = new (std::nothrow) address_library::Handle;
    return handle == nullptr ? address_library::wrong_handle : address_library::init(handle);
  }
  static status destroy(native handle) noexcept {
    const status destroyed = address_library::destroy(handle);
    delete handle;
    return destroyed;
  }
};
