// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Libraries that a handle cannot express; tests/compile/snippets.py says how to read this file.

#include <warpsafe/handles/stream_bound.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/warpsafe.hpp>

namespace ws = warpsafe;

using LibraryStream = ws::Stream::backend::native_stream;
enum LibraryStatus { library_success };

// H01: A library's function takes several streams.
namespace h01_array_of_streams {

struct Context;
LibraryStatus create(Context** handle) noexcept;
LibraryStatus destroy(Context* handle) noexcept;
LibraryStatus run_on_all(const Context* handle, int n, LibraryStream* streams, int count) noexcept;
LibraryStatus stream_of(const Context* handle, LibraryStream* stream) noexcept;

}  // namespace h01_array_of_streams

template <>
struct ws::handle_traits<h01_array_of_streams::Context*>
    : ws::HandleCalls<ws::Stream::backend, h01_array_of_streams::create,
                      h01_array_of_streams::destroy> {
  static constexpr Name name = Name::of("library");
  static constexpr bool has_functions_without_stream = true;
};

namespace h01_array_of_streams {

auto used(ws::StreamBound<Context*>& library, LibraryStream stream) {
#ifdef MISUSE
  // expected-error {{"takes an array of streams"}}
  return library.call<run_on_all>(1, &stream, 1);
#else
  return library.call<stream_of>(&stream);
#endif
}

}  // namespace h01_array_of_streams

// H02: handle_traits holds a structure by value, and the library's functions take its address.
namespace h02_handle_by_value {

struct Handle {
  int number;
};
LibraryStatus init(Handle* handle) noexcept;
LibraryStatus destroy(Handle handle) noexcept;
LibraryStatus run(const Handle* handle, int n) noexcept;
LibraryStatus copy(Handle handle, int n) noexcept;

}  // namespace h02_handle_by_value

template <>
struct ws::handle_traits<h02_handle_by_value::Handle>
    : ws::HandleCalls<ws::Stream::backend, h02_handle_by_value::init,
                      h02_handle_by_value::destroy> {
  static constexpr Name name = Name::of("library");
  static constexpr bool has_functions_without_stream = true;
};

namespace h02_handle_by_value {

auto used(ws::StreamBound<Handle>& library) {
#ifdef MISUSE
  // expected-error {{"takes its handle by address"}}
  return library.call<run>(1);
#else
  return library.call<copy>(1);
#endif
}

}  // namespace h02_handle_by_value

// H03: A library without a pointer mode, as cuDNN, reads a scalar of device memory on the host.
namespace h03_device_scalar_of_a_host_library {

struct Context;
LibraryStatus create(Context** handle) noexcept;
LibraryStatus destroy(Context* handle) noexcept;
LibraryStatus scale(Context* handle, const float* alpha, float* x, LibraryStream stream) noexcept;

}  // namespace h03_device_scalar_of_a_host_library

template <>
struct ws::handle_traits<h03_device_scalar_of_a_host_library::Context*>
    : ws::HandleCalls<ws::Stream::backend, h03_device_scalar_of_a_host_library::create,
                      h03_device_scalar_of_a_host_library::destroy> {
  static constexpr Name name = Name::of("library");
  static constexpr unsigned scalar_pointers(Name) noexcept { return 0b1; }
};

namespace h03_device_scalar_of_a_host_library {

auto used(ws::StreamBound<Context*>& library, [[maybe_unused]] ws::DeviceBuffer<float>& alpha,
          ws::DeviceBuffer<float>& x) {
#ifdef MISUSE
  // expected-error {{"this library reads its scalars on the host: pass host_scalar(x)"}}
  return library.call<scale>(alpha.view(), x.view());
#else
  return library.call<scale>(ws::host_scalar(2.0F), x.view());
#endif
}

}  // namespace h03_device_scalar_of_a_host_library
