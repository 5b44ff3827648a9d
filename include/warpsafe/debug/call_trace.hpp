// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/debug/clock.hpp>
#include <warpsafe/debug/log.hpp>
#include <warpsafe/detail/runtime_call.hpp>
#include <warpsafe/detail/text.hpp>

#include <cstddef>
#include <cstdint>

// WARPSAFE_LOG=trace: each call of the runtime that goes through a backend, one line.

namespace warpsafe::debug::detail {

[[nodiscard]] inline const char* name_of(warpsafe::detail::RuntimeCall call) noexcept {
  using warpsafe::detail::RuntimeCall;
  switch (call) {
    case RuntimeCall::peek_last_error:
      return "peek_last_error";
    case RuntimeCall::launch:
      return "launch";
    case RuntimeCall::device_count:
      return "device_count";
    case RuntimeCall::current_device:
      return "current_device";
    case RuntimeCall::set_device:
      return "set_device";
    case RuntimeCall::device_synchronize:
      return "device_synchronize";
    case RuntimeCall::memory_info:
      return "memory_info";
    case RuntimeCall::limits_of:
      return "limits_of";
    case RuntimeCall::attributes_of:
      return "attributes_of";
    case RuntimeCall::raise_dynamic_shared:
      return "raise_dynamic_shared";
    case RuntimeCall::resident_blocks:
      return "resident_blocks";
    case RuntimeCall::max_cluster_blocks:
      return "max_cluster_blocks";
    case RuntimeCall::stream_create:
      return "stream_create";
    case RuntimeCall::stream_destroy:
      return "stream_destroy";
    case RuntimeCall::stream_synchronize:
      return "stream_synchronize";
    case RuntimeCall::stream_query:
      return "stream_query";
    case RuntimeCall::stream_device:
      return "stream_device";
    case RuntimeCall::stream_capturing:
      return "stream_capturing";
    case RuntimeCall::stream_wait:
      return "stream_wait";
    case RuntimeCall::event_create:
      return "event_create";
    case RuntimeCall::event_destroy:
      return "event_destroy";
    case RuntimeCall::event_record:
      return "event_record";
    case RuntimeCall::event_synchronize:
      return "event_synchronize";
    case RuntimeCall::event_query:
      return "event_query";
    case RuntimeCall::event_elapsed:
      return "event_elapsed";
    case RuntimeCall::allocate:
      return "allocate";
    case RuntimeCall::deallocate:
      return "deallocate";
    case RuntimeCall::host_allocate:
      return "host_allocate";
    case RuntimeCall::host_deallocate:
      return "host_deallocate";
    case RuntimeCall::copy:
      return "copy";
    case RuntimeCall::copy_2d:
      return "copy_2d";
    case RuntimeCall::fill:
      return "fill";
    case RuntimeCall::copy_peer:
      return "copy_peer";
    case RuntimeCall::has_memory_pools:
      return "has_memory_pools";
    case RuntimeCall::allocate_unordered:
      return "allocate_unordered";
    case RuntimeCall::allocate_managed:
      return "allocate_managed";
    case RuntimeCall::deallocate_unordered:
      return "deallocate_unordered";
    case RuntimeCall::exchange_capture_mode:
      return "exchange_capture_mode";
    case RuntimeCall::pointer_kind:
      return "pointer_kind";
    case RuntimeCall::capture_begin:
      return "capture_begin";
    case RuntimeCall::capture_end:
      return "capture_end";
    case RuntimeCall::capture_info:
      return "capture_info";
    case RuntimeCall::graph_destroy:
      return "graph_destroy";
    case RuntimeCall::graph_nodes:
      return "graph_nodes";
    case RuntimeCall::graph_instantiate:
      return "graph_instantiate";
    case RuntimeCall::graph_exec_destroy:
      return "graph_exec_destroy";
    case RuntimeCall::graph_launch:
      return "graph_launch";
    case RuntimeCall::graph_update:
      return "graph_update";
  }
  return "?";
}

inline void put_value(warpsafe::detail::TextBuffer& out,
                      const warpsafe::detail::TracedValue& value) noexcept {
  using Kind = warpsafe::detail::TracedValue::Kind;
  switch (value.kind) {
    case Kind::negative:
      out << '-' << value.bits;
      break;
    case Kind::number:
      out << value.bits;
      break;
    case Kind::address:
      // NOLINTNEXTLINE(performance-no-int-to-ptr): printed, never followed
      out << reinterpret_cast<const void*>(static_cast<std::uintptr_t>(value.bits));
      break;
    case Kind::flag:
      out << (value.bits != 0 ? "true" : "false");
      break;
    case Kind::real:
      out << value.bits / 1000 << '.' << value.bits / 100 % 10 << value.bits / 10 % 10
          << value.bits % 10;
      break;
    case Kind::other:
      out << "...";
      break;
  }
}

/// The arguments as they are after the call, so with what the runtime has put there.
[[gnu::cold]] inline void log_runtime_call(warpsafe::detail::RuntimeCall call, Name backend,
                                           Name status, const warpsafe::detail::TracedValue* values,
                                           std::size_t count, std::uint64_t begun) noexcept {
  const std::uint64_t took = nanoseconds_now() - begun;
  if (!logs(LogLevel::trace)) return;
  char text[512];
  warpsafe::detail::TextBuffer out(text, sizeof text);
  out << "  " << backend << ' ' << name_of(call) << '(';
  for (std::size_t i = 0; i < count; ++i) {
    if (i != 0) out << ", ";
    put_value(out, values[i]);
  }
  out << ") = " << status << ", " << took / 1000 << '.' << took / 100 % 10 << " us";
  write_log(LogLevel::trace, text, out.size());
}

inline constexpr warpsafe::detail::CallTracer logging_tracer{&nanoseconds_now, &log_runtime_call};

/// Begins or ends the trace of calls, as the log's level is.
inline void trace_calls_by_level() noexcept {
  __atomic_store_n(&warpsafe::detail::call_tracer_in_use,
                   logs(LogLevel::trace) ? &logging_tracer : nullptr, __ATOMIC_RELEASE);
}

}  // namespace warpsafe::debug::detail
