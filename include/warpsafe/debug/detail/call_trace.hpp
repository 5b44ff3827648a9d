// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/backend.hpp>
#include <warpsafe/backend/detail/runtime_call.hpp>
#include <warpsafe/core/detail/hooks.hpp>
#include <warpsafe/core/detail/pretty_name.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/core/observer.hpp>
#include <warpsafe/debug/log.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

// WARPSAFE_LOG=trace: one line for each call of the runtime that goes through a backend.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail {

/// The vendors' function behind a call, without the prefix `cuda` or `hip`. AMD's is CUDA's unless
/// the row has another.
struct VendorFunction {
  Name call;
  const char* cuda;
  const char* hip = cuda;
};
/// A call without a row has no single vendor function, so its line names none. A limit or a version
/// takes several calls of one function.
inline constexpr VendorFunction vendor_functions[] = {
    {Name::of("peek_last_error"), "PeekAtLastError"},
    {Name::of("device_count"), "GetDeviceCount"},
    {Name::of("current_device"), "GetDevice"},
    {Name::of("set_device"), "SetDevice"},
    {Name::of("device_synchronize"), "DeviceSynchronize"},
    {Name::of("memory_info"), "MemGetInfo"},
    {Name::of("limits_of"), "DeviceGetAttribute"},
    {Name::of("attributes_of"), "FuncGetAttributes"},
    {Name::of("raise_dynamic_shared"), "FuncSetAttribute"},
    {Name::of("resident_blocks"), "OccupancyMaxActiveBlocksPerMultiprocessor"},
    {Name::of("max_cluster_blocks"), "OccupancyMaxActiveClusters", nullptr},
    {Name::of("stream_create"), "StreamCreateWithPriority"},
    {Name::of("stream_destroy"), "StreamDestroy"},
    {Name::of("stream_synchronize"), "StreamSynchronize"},
    {Name::of("stream_query"), "StreamQuery"},
    {Name::of("stream_device"), "StreamGetDevice"},
    {Name::of("stream_capturing"), "StreamIsCapturing"},
    {Name::of("stream_wait"), "StreamWaitEvent"},
    {Name::of("event_create"), "EventCreateWithFlags"},
    {Name::of("event_destroy"), "EventDestroy"},
    {Name::of("event_record"), "EventRecord"},
    {Name::of("event_synchronize"), "EventSynchronize"},
    {Name::of("event_query"), "EventQuery"},
    {Name::of("event_elapsed"), "EventElapsedTime"},
    {Name::of("allocate"), "MallocAsync"},
    {Name::of("deallocate"), "FreeAsync"},
    {Name::of("host_allocate"), "MallocHost", "HostMalloc"},
    {Name::of("host_deallocate"), "FreeHost", "HostFree"},
    {Name::of("copy"), "MemcpyAsync"},
    {Name::of("copy_2d"), "Memcpy2DAsync"},
    {Name::of("fill"), "MemsetAsync"},
    {Name::of("copy_peer"), "MemcpyPeerAsync", "MemcpyAsync"},
    {Name::of("has_memory_pools"), "DeviceGetAttribute"},
    {Name::of("allocate_unordered"), "Malloc"},
    {Name::of("allocate_managed"), "MallocManaged"},
    {Name::of("deallocate_unordered"), "Free"},
    {Name::of("exchange_capture_mode"), "ThreadExchangeStreamCaptureMode"},
    {Name::of("pointer_kind"), "PointerGetAttributes"},
    {Name::of("capture_begin"), "StreamBeginCapture"},
    {Name::of("capture_end"), "StreamEndCapture"},
    {Name::of("capture_info"), "StreamGetCaptureInfo"},
    {Name::of("graph_destroy"), "GraphDestroy"},
    {Name::of("graph_nodes"), "GraphGetNodes"},
    {Name::of("graph_instantiate"), "GraphInstantiate", "GraphInstantiateWithFlags"},
    {Name::of("graph_exec_destroy"), "GraphExecDestroy"},
    {Name::of("graph_launch"), "GraphLaunch"},
    {Name::of("graph_update"), "GraphExecUpdate"},
    {Name::of("module_load"), "LibraryLoadData", "ModuleLoadData"},
    {Name::of("module_unload"), "LibraryUnload", "ModuleUnload"},
    {Name::of("module_function"), "LibraryGetKernel", "ModuleGetFunction"},
    {Name::of("module_names"), "LibraryEnumerateKernels", nullptr},
    {Name::of("versions"), "RuntimeGetVersion"},
};

inline void put_vendor_function(warpsafe::detail::TextBuffer& out, Name call,
                                Name backend) noexcept {
  const bool cuda = backend == Name::of("CUDA");
  if (!cuda && !(backend == Name::of("HIP"))) return;
  for (const VendorFunction& each : vendor_functions) {
    const char* const function = cuda ? each.cuda : each.hip;
    if (each.call == call && function != nullptr) {
      out << ", by " << (cuda ? "cuda" : "hip") << function;
    }
  }
}

/// The member's own name: `event_query` for a spelling with "Fn = &A::Calls<B>::event_query]".
[[nodiscard]] constexpr Name call_name(const char* spelling) noexcept {
  const Name member = warpsafe::detail::name_in(Name::of(spelling));
  std::size_t begin = 0;
  std::size_t end = 0;  // of the component that begins there, without its template arguments
  int depth = 0;
  for (std::size_t i = 0; i < member.size; ++i) {
    const char letter = member.data[i];
    if (depth == 0 && letter == ',') break;  // clang++ goes on with the next template argument
    if (letter == '<' || letter == '(') ++depth;
    if (depth == 0) end = i + 1;
    if (depth == 0 && letter == ':') begin = i + 1;
    if (letter == '>' || letter == ')') --depth;
  }
  return {member.data + begin, end - begin};
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
      out << reinterpret_cast<const void*>(static_cast<std::uintptr_t>(value.bits));
      break;
    case Kind::text:
      out << '"' << reinterpret_cast<const char*>(static_cast<std::uintptr_t>(value.bits)) << '"';
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

/// CallTracer::end.
[[gnu::cold]] inline void log_call(const warpsafe::detail::TracedCall& call, int status,
                                   const warpsafe::detail::TracedValue* values, std::size_t count,
                                   std::uint64_t begun) noexcept {
  const std::uint64_t took = nanoseconds_now() - begun;
  if (!is_logged(LogLevel::trace)) return;
  const Name name = call_name(call.spelling);
  char text[512];
  warpsafe::detail::TextBuffer out(text, sizeof text);
  out << "  " << call.backend << ' ' << name << '(';
  for (std::size_t i = 0; i < count; ++i) {
    if (i != 0) out << ", ";
    put_value(out, values[i]);
  }
  out << ") = " << call.error_name(status) << ", " << took / 1000 << '.' << took / 100 % 10
      << " us";
  put_vendor_function(out, name, call.backend);
  write_log(LogLevel::trace, text, out.size());
}

using warpsafe::detail::report_call;
inline constexpr warpsafe::detail::CallTracer logging_tracer{
    {&report_call}, {&report_call},   {&report_call}, {&report_call},
    {&report_call}, {&report_call},   {&report_call}, {&report_call},
    {&report_call}, &nanoseconds_now, &log_call};

/// Starts or stops the trace of calls, as the log's level requires.
inline void trace_calls_by_level() noexcept {
  __atomic_store_n(&warpsafe::detail::call_tracer_in_use,
                   is_logged(LogLevel::trace) ? &logging_tracer : nullptr, __ATOMIC_RELEASE);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail

// The debug tools reach a runtime through BackendCalls. Their own calls are in its trace, too.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail {

template <auto Fn, class... P>
[[gnu::cold, gnu::noinline]] int trace_member(const warpsafe::detail::BackendCalls& calls,
                                              int (*function)(P...) noexcept,
                                              std::type_identity_t<P>... arguments) noexcept {
  const warpsafe::detail::CallTracer* const tracer =
      __atomic_load_n(&warpsafe::detail::call_tracer_in_use, __ATOMIC_ACQUIRE);
  if (tracer == nullptr) return function(static_cast<P>(arguments)...);
  return warpsafe::detail::report_call<P...>(*tracer,
                                             {__PRETTY_FUNCTION__, calls.name, calls.error_name},
                                             function, static_cast<P>(arguments)...);
}
/// Makes a call of a tool's own, with a line in the trace:
/// `trace_call<&BackendCalls::limits_of>(calls, device, limits)`. Returns the runtime's status.
template <auto Fn, class... A>
int trace_call(const warpsafe::detail::BackendCalls& calls, A&&... arguments) noexcept {
  return trace_member<Fn>(calls, calls.*Fn, static_cast<A&&>(arguments)...);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug::detail
