// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "injector.hpp"
#include <warpsafe/handles/stream_bound.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <new>

// A library with a handle, over the program's backend. Each of its functions can fail, by
// Kind::library.

namespace failures {

struct Context {
  warpsafe::default_backend::native_stream stream = nullptr;
  void* workspace = nullptr;
};
enum class LibraryStatus { success, no_memory, failed };

inline LibraryStatus library_create(Context** handle) noexcept {
  if (library_fails("create")) return LibraryStatus::failed;
  *handle = new (std::nothrow) Context;
  return *handle == nullptr ? LibraryStatus::no_memory : LibraryStatus::success;
}
inline LibraryStatus library_destroy(Context* handle) noexcept {
  delete handle;
  // As cublasDestroy: an error does not keep the handle.
  return library_fails("destroy") ? LibraryStatus::failed : LibraryStatus::success;
}
inline LibraryStatus library_set_stream(Context* handle,
                                        decltype(Context::stream) stream) noexcept {
  if (library_fails("set_stream")) return LibraryStatus::failed;
  handle->stream = stream;
  handle->workspace = nullptr;
  return LibraryStatus::success;
}
inline LibraryStatus library_get_stream(Context* handle,
                                        decltype(Context::stream)& stream) noexcept {
  if (library_fails("get_stream")) return LibraryStatus::failed;
  stream = handle->stream;
  return LibraryStatus::success;
}
inline LibraryStatus library_set_workspace(Context* handle, void* memory, std::size_t) noexcept {
  if (library_fails("set_workspace")) return LibraryStatus::failed;
  handle->workspace = memory;
  return LibraryStatus::success;
}
/// A function of the library that launches: `launches` receives the handle's stream, and returns a
/// result.
template <class Launches>
LibraryStatus library_run(const char* function, Context* handle,
                          const Launches& launches) noexcept {
  // Without its workspace the library would use memory that another stream uses.
  if (library_fails(function) || handle->workspace == nullptr) return LibraryStatus::failed;
  int device = 0;
  if (warpsafe::default_backend::current_device(device) != 0) return LibraryStatus::failed;
  const auto stream = warpsafe::StreamRef::borrow(handle->stream, warpsafe::DeviceId(device));
  if (!stream.has_value()) return LibraryStatus::failed;
  return launches(stream.value()).has_value() ? LibraryStatus::success : LibraryStatus::failed;
}

}  // namespace failures

template <>
struct warpsafe::handle_traits<failures::Context*> {
  using backend = default_backend;
  using native = failures::Context*;
  using status = failures::LibraryStatus;
  using refused = Functions<failures::library_set_stream, failures::library_destroy,
                            failures::library_set_workspace>;
  static constexpr Name name = Name::of("library");
  static constexpr int inner_handles = 0;
  static status create(native& handle) noexcept { return failures::library_create(&handle); }
  static status destroy(native handle) noexcept { return failures::library_destroy(handle); }
  static status set_stream(native handle, backend::native_stream stream) noexcept {
    return failures::library_set_stream(handle, stream);
  }
  static status get_stream(native handle, backend::native_stream& stream) noexcept {
    return failures::library_get_stream(handle, stream);
  }
  static std::size_t workspace_bytes(int) noexcept { return 1024; }
  static status set_workspace(native handle, void* memory, std::size_t bytes) noexcept {
    return failures::library_set_workspace(handle, memory, bytes);
  }
  static Name status_name(status value) noexcept {
    return Name::of(value == status::success ? "success" : "failed");
  }
  static Name status_text(status) noexcept { return {}; }
};
