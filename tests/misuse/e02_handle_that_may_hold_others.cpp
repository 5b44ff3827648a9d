// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E02: setting the stream of a handle may reach it alone, and not the handles that it holds;
// whoever brings a library's handle has to say whether it holds any.

#include "handles.hpp"

namespace ws = warpsafe;

using SolverStream = LibraryStream;
using SolverHandle = struct Solver*;
int solver_create(SolverHandle* handle) noexcept;
int solver_destroy(SolverHandle handle) noexcept;
int solver_set_stream(SolverHandle handle, SolverStream stream) noexcept;
int solver_get_stream(SolverHandle handle, int which, SolverStream* stream) noexcept;

template <>
struct warpsafe::handle_traits<SolverHandle> {
  using backend = warpsafe::Stream::backend;
  using native = SolverHandle;
  using status = int;
  using refused = Functions<solver_set_stream, solver_destroy>;
  static constexpr Name name = Name::of("solver");
  static status create(native& handle) noexcept { return solver_create(&handle); }
  static status destroy(native handle) noexcept { return solver_destroy(handle); }
  static status set_stream(native handle, SolverStream stream) noexcept {
    return solver_set_stream(handle, stream);  // expected-error {{"has to say how many handles"}}
  }
#ifndef MISUSE
  static constexpr int inner_handles = 2;
  static status get_stream(native handle, int inner, SolverStream& stream) noexcept {
    return solver_get_stream(handle, inner, &stream);
  }
#endif
  static Name status_name(status) noexcept { return {}; }
  static Name status_text(status) noexcept { return {}; }
};

auto bound(const ws::Stream& stream) { return ws::StreamBound<SolverHandle>::create(stream); }
