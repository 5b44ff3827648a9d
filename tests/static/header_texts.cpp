// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What a compiler says where a header is missing; see tests/compile/snippets.py for how to read
// this file. only: g++ clang++

#define WARPSAFE_BACKEND_HOST 1  // makes this file a unit of its own
#include <warpsafe/backend/host/host_backend.hpp>
#include <warpsafe/launch/launch.hpp>
#if !defined(MISUSE)
#include <warpsafe/stream/stream.hpp>
#endif

namespace ws = warpsafe;

// T03: launch.hpp declares StreamRef::borrow, and stream.hpp defines it.
auto t03_borrow_without_its_header(ws::host_backend::native_stream stream) {
#ifdef MISUSE
  // expected-error {{"and include <warpsafe/stream/stream.hpp>"}}
  return ws::StreamRef::borrow(stream, ws::DeviceId(0));
#else
  return ws::StreamRef::borrow(stream, ws::DeviceId(0));
#endif
}
