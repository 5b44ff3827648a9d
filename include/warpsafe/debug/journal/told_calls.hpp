// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/debug_hooks.hpp>
#include <warpsafe/debug/detail/call_trace.hpp>
#include <warpsafe/debug/journal/timeout.hpp>

#include <cstdint>
#include <type_traits>

// What the debug tools themselves ask of a runtime is in its trace, too.

namespace warpsafe::debug::detail {

/// Makes one of `calls`, and tells of it at level trace. Returns the runtime's status.
template <class... P>
[[gnu::cold, gnu::noinline]] int told(const warpsafe::detail::BackendCalls& calls,
                                      warpsafe::detail::RuntimeCall which,
                                      int (*call)(P...) noexcept,
                                      std::type_identity_t<P>... arguments) noexcept {
  const warpsafe::detail::CallTracer* const tracer = warpsafe::detail::call_tracer();
  if (tracer == nullptr) return call(static_cast<P>(arguments)...);
  return warpsafe::detail::told_call<P...>(*tracer, {which, calls.name, calls.error_name}, call,
                                           static_cast<P>(arguments)...);
}
/// The same for a wait for a launch's stream: one line, however often a watched wait asks.
/// `by_program`: it is one of the program's, not a tool's own (timeout.hpp).
[[gnu::cold, gnu::noinline]] inline int told_wait(const warpsafe::detail::BackendCalls& calls,
                                                  void* stream,
                                                  const warpsafe::detail::WaitTarget& place,
                                                  bool by_program) noexcept {
  const std::uint64_t begun = nanoseconds_now();
  const int status = by_program ? wait(*calls.stream_wait, stream, place)
                                : wait_as_tool(*calls.stream_wait, stream, place);
  if (is_logged(LogLevel::trace)) {
    const warpsafe::detail::TracedValue value = warpsafe::detail::traced_value(stream);
    log_runtime_call(warpsafe::detail::RuntimeCall::stream_synchronize, calls.name,
                     calls.error_name(status), &value, 1, begun);
  }
  return status;
}

}  // namespace warpsafe::debug::detail
