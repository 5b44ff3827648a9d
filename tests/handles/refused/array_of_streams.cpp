// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A library's function that takes several streams.

#include <warpsafe/handles/stream_bound.hpp>
#include <warpsafe/warpsafe.hpp>

namespace ws = warpsafe;

using LibraryStream = ws::Stream::backend::native_stream;
struct LibraryContext;
enum LibraryStatus { library_success };
LibraryStatus library_create(LibraryContext** handle) noexcept;
LibraryStatus library_destroy(LibraryContext* handle) noexcept;
LibraryStatus library_run_on_all(const LibraryContext* handle, int n, LibraryStream* streams,
                                 int count) noexcept;
LibraryStatus library_stream_of(const LibraryContext* handle, LibraryStream* stream) noexcept;

template <>
struct ws::handle_traits<LibraryContext*>
    : ws::HandleCalls<ws::Stream::backend, library_create, library_destroy> {
  static constexpr Name name = Name::of("library");
};

auto used(ws::StreamBound<LibraryContext*>& library, LibraryStream stream) {
#ifdef MISUSE
  return library.call<library_run_on_all>(1, &stream,
                                          1);  // expected-error {{"takes an array of streams"}}
#else
  return library.call<library_stream_of>(&stream);
#endif
}
