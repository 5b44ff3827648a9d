// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// handle_traits holds a structure by value whose address the library's functions take.

#include <warpsafe/handles/stream_bound.hpp>
#include <warpsafe/warpsafe.hpp>

namespace ws = warpsafe;

struct LibraryHandle {
  int number;
};
enum LibraryStatus { library_success };
LibraryStatus library_init(LibraryHandle* handle) noexcept;
LibraryStatus library_destroy(LibraryHandle handle) noexcept;
LibraryStatus library_run(const LibraryHandle* handle, int n) noexcept;
LibraryStatus library_copy(LibraryHandle handle, int n) noexcept;

template <>
struct ws::handle_traits<LibraryHandle>
    : ws::HandleCalls<ws::Stream::backend, library_init, library_destroy> {
  static constexpr Name name = Name::of("library");
};

auto used(ws::StreamBound<LibraryHandle>& library) {
#ifdef MISUSE
  return library.call<library_run>(1);  // expected-error {{"takes its handle by address"}}
#else
  return library.call<library_copy>(1);
#endif
}
