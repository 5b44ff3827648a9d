// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/handles/stream_bound.hpp>
#include <warpsafe/warpsafe.hpp>

#include <atomic>
#include <cstddef>

// A small library that works like the vendors' own, on the current backend: a C handle with a
// stream and a workspace. Like cuBLAS, it drops the workspace at each change of the stream.

namespace misuse_test {

using NativeStream = warpsafe::default_backend::native_stream;

struct LibraryContext {
  NativeStream stream = nullptr;  // the default stream
  void* workspace = nullptr;
};
using LibraryHandle = LibraryContext*;
enum LibraryStatus { library_success = 0, library_failure = 1 };

/// Set to make a function of the library wait for `library_may_return`.
inline std::atomic<bool> library_waits = false;
inline std::atomic<bool> library_is_in = false;
inline std::atomic<bool> library_may_return = false;
inline int library_handles = 0;
inline int library_workspaces_missing = 0;

inline LibraryStatus library_create(LibraryHandle* handle) {
  *handle = new LibraryContext;
  ++library_handles;
  return library_success;
}
inline LibraryStatus library_destroy(LibraryHandle handle) {
  delete handle;
  --library_handles;
  return library_success;
}
inline LibraryStatus library_set_stream(LibraryHandle handle, NativeStream stream) {
  handle->stream = stream;
  handle->workspace = nullptr;
  return library_success;
}
inline LibraryStatus library_get_stream(LibraryHandle handle, NativeStream* stream) {
  *stream = handle->stream;
  return library_success;
}
inline LibraryStatus library_set_workspace(LibraryHandle handle, void* memory, std::size_t) {
  handle->workspace = memory;
  return library_success;
}
/// Needs its workspace; a real library would allocate it now, whatever the stream does.
inline LibraryStatus library_work(LibraryHandle handle, int) {
  if (handle->workspace == nullptr) ++library_workspaces_missing;
  if (library_waits.exchange(false)) {
    library_is_in = true;
    while (!library_may_return) {
    }
  }
  return library_success;
}

}  // namespace misuse_test

template <>
struct warpsafe::handle_traits<misuse_test::LibraryHandle> {
  using backend = default_backend;
  using native = misuse_test::LibraryHandle;
  using status = misuse_test::LibraryStatus;
  using refused = Functions<misuse_test::library_set_stream, misuse_test::library_destroy,
                            misuse_test::library_set_workspace>;
  static constexpr Name name = Name::of("library");
  static status create(native& handle) noexcept { return misuse_test::library_create(&handle); }
  static status destroy(native handle) noexcept { return misuse_test::library_destroy(handle); }
  static constexpr int inner_handles = 0;
  static status set_stream(native handle, misuse_test::NativeStream stream) noexcept {
    return misuse_test::library_set_stream(handle, stream);
  }
  static status get_stream(native handle, misuse_test::NativeStream& stream) noexcept {
    return misuse_test::library_get_stream(handle, &stream);
  }
  static std::size_t workspace_bytes(int) noexcept { return 4096; }
  static status set_workspace(native handle, void* memory, std::size_t bytes) noexcept {
    return misuse_test::library_set_workspace(handle, memory, bytes);
  }
  static Name status_name(status) noexcept { return {}; }
  static Name status_text(status) noexcept { return {}; }
};

namespace misuse_test {

using Library = warpsafe::StreamBound<LibraryHandle>;

/// A handle that contains two others.
struct SolverContext {
  LibraryContext dense;
  LibraryContext sparse;
};
using SolverHandle = SolverContext*;
/// Whether setting the solver's stream forgets the second handle.
inline bool solver_forgets = false;

inline LibraryStatus solver_work(SolverHandle, int) { return library_success; }

}  // namespace misuse_test

template <>
struct warpsafe::handle_traits<misuse_test::SolverHandle> {
  using backend = default_backend;
  using native = misuse_test::SolverHandle;
  using status = misuse_test::LibraryStatus;
  using refused = Functions<>;
  static constexpr Name name = Name::of("solver");
  static constexpr int inner_handles = 2;
  static status create(native& handle) noexcept {
    handle = new misuse_test::SolverContext;
    return misuse_test::library_success;
  }
  static status destroy(native handle) noexcept {
    delete handle;
    return misuse_test::library_success;
  }
  static status set_stream(native handle, misuse_test::NativeStream stream) noexcept {
    if (!misuse_test::solver_forgets) handle->sparse.stream = stream;
    return misuse_test::library_set_stream(&handle->dense, stream);
  }
  static status get_stream(native handle, int inner, misuse_test::NativeStream& stream) noexcept {
    stream = inner == 0 ? handle->dense.stream : handle->sparse.stream;
    return misuse_test::library_success;
  }
  static Name status_name(status) noexcept { return {}; }
  static Name status_text(status) noexcept { return {}; }
};

namespace misuse_test {
using Solver = warpsafe::StreamBound<SolverHandle>;
}
