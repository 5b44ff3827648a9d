// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/runtime_call.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/debug/log.hpp>
#include <warpsafe/debug/run_listener.hpp>

#include <cstddef>
#include <cstdint>

// WARPSAFE_LOG=trace: each call of the runtime that goes through a backend, one line.

namespace warpsafe::debug::detail {

/// A call by its name here, and by those of the vendors' functions without their prefix. A limit
/// or a version takes several calls of one function; AMD's names are CUDA's but where they are
/// given.
struct CallNames {
  const char* here;
  const char* cuda;  ///< nullptr: the launch's own line says it
  const char* hip = cuda;
};
/// By RuntimeCall.
inline constexpr CallNames call_names[] = {
    {"peek_last_error", "PeekAtLastError"},
    {"launch", nullptr},
    {"device_count", "GetDeviceCount"},
    {"current_device", "GetDevice"},
    {"set_device", "SetDevice"},
    {"device_synchronize", "DeviceSynchronize"},
    {"memory_info", "MemGetInfo"},
    {"limits_of", "DeviceGetAttribute"},
    {"attributes_of", "FuncGetAttributes"},
    {"raise_dynamic_shared", "FuncSetAttribute"},
    {"resident_blocks", "OccupancyMaxActiveBlocksPerMultiprocessor"},
    {"max_cluster_blocks", "OccupancyMaxActiveClusters", nullptr},
    {"stream_create", "StreamCreateWithPriority"},
    {"stream_destroy", "StreamDestroy"},
    {"stream_synchronize", "StreamSynchronize"},
    {"stream_query", "StreamQuery"},
    {"stream_device", "StreamGetDevice"},
    {"stream_capturing", "StreamIsCapturing"},
    {"stream_wait", "StreamWaitEvent"},
    {"event_create", "EventCreateWithFlags"},
    {"event_destroy", "EventDestroy"},
    {"event_record", "EventRecord"},
    {"event_synchronize", "EventSynchronize"},
    {"event_query", "EventQuery"},
    {"event_elapsed", "EventElapsedTime"},
    {"allocate", "MallocAsync"},
    {"deallocate", "FreeAsync"},
    {"host_allocate", "MallocHost", "HostMalloc"},
    {"host_deallocate", "FreeHost", "HostFree"},
    {"copy", "MemcpyAsync"},
    {"copy_2d", "Memcpy2DAsync"},
    {"fill", "MemsetAsync"},
    {"copy_peer", "MemcpyPeerAsync", "MemcpyAsync"},
    {"has_memory_pools", "DeviceGetAttribute"},
    {"allocate_unordered", "Malloc"},
    {"allocate_managed", "MallocManaged"},
    {"deallocate_unordered", "Free"},
    {"exchange_capture_mode", "ThreadExchangeStreamCaptureMode"},
    {"pointer_kind", "PointerGetAttributes"},
    {"capture_begin", "StreamBeginCapture"},
    {"capture_end", "StreamEndCapture"},
    {"capture_info", "StreamGetCaptureInfo"},
    {"graph_destroy", "GraphDestroy"},
    {"graph_nodes", "GraphGetNodes"},
    {"graph_instantiate", "GraphInstantiate", "GraphInstantiateWithFlags"},
    {"graph_exec_destroy", "GraphExecDestroy"},
    {"graph_launch", "GraphLaunch"},
    {"graph_update", "GraphExecUpdate"},
    {"module_load", "LibraryLoadData", "ModuleLoadData"},
    {"module_unload", "LibraryUnload", "ModuleUnload"},
    {"module_function", "LibraryGetKernel", "ModuleGetFunction"},
    {"module_names", "LibraryEnumerateKernels", nullptr},
    {"kernel_parameter", nullptr},
    {"versions", "RuntimeGetVersion"},
    {"profile", nullptr},
};
static_assert(sizeof call_names / sizeof call_names[0] == warpsafe::detail::runtime_calls);

/// The vendor's own name of a call, where it is one function's.
inline void put_vendor_name(warpsafe::detail::TextBuffer& out, warpsafe::detail::RuntimeCall call,
                            Name backend) noexcept {
  const CallNames& names = call_names[static_cast<std::size_t>(call)];
  const bool cuda = backend == Name::of("CUDA");
  const char* const theirs = cuda ? names.cuda : backend == Name::of("HIP") ? names.hip : nullptr;
  if (theirs != nullptr) out << ", by " << (cuda ? "cuda" : "hip") << theirs;
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
    case Kind::text:
      // NOLINTNEXTLINE(performance-no-int-to-ptr): it was a pointer, and lives through the call
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

/// The arguments as they are after the call, so with what the runtime has put there.
[[gnu::cold]] inline void log_runtime_call(warpsafe::detail::RuntimeCall call, Name backend,
                                           Name status, const warpsafe::detail::TracedValue* values,
                                           std::size_t count, std::uint64_t begun) noexcept {
  const std::uint64_t took = nanoseconds_now() - begun;
  if (!is_logged(LogLevel::trace)) return;
  char text[512];
  warpsafe::detail::TextBuffer out(text, sizeof text);
  out << "  " << backend << ' ' << call_names[static_cast<std::size_t>(call)].here << '(';
  for (std::size_t i = 0; i < count; ++i) {
    if (i != 0) out << ", ";
    put_value(out, values[i]);
  }
  out << ") = " << status << ", " << took / 1000 << '.' << took / 100 % 10 << " us";
  put_vendor_name(out, call, backend);
  write_log(LogLevel::trace, text, out.size());
}

/// What every launch asks.
template <warpsafe::detail::RuntimeCall Which, class... P>
int told_question(const warpsafe::detail::CallTracer& tracer, Name backend,
                  Name (*error_name)(int) noexcept, int (*call)(P...) noexcept,
                  P... arguments) noexcept {
  return warpsafe::detail::told_call<P...>(tracer, {Which, backend, error_name}, call,
                                           static_cast<P>(arguments)...);
}
inline constexpr warpsafe::detail::CallTracer logging_tracer{
    &nanoseconds_now, &log_runtime_call,
    &told_question<warpsafe::detail::RuntimeCall::current_device, int&>,
    &told_question<warpsafe::detail::RuntimeCall::limits_of, int, DeviceLimits&>,
    &told_question<warpsafe::detail::RuntimeCall::attributes_of, const KernelEntry&,
                   KernelLimits&>};

/// Begins or ends the trace of calls, as the log's level is.
inline void trace_calls_by_level() noexcept {
  __atomic_store_n(&warpsafe::detail::call_tracer_in_use,
                   is_logged(LogLevel::trace) ? &logging_tracer : nullptr, __ATOMIC_RELEASE);
}

}  // namespace warpsafe::debug::detail
