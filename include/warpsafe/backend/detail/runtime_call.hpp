// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/name.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

// What a backend's calls tell a log of them. Numbers, no texts: those are with who reads them
// (debug/call_trace.hpp), and not in objects that only call.

namespace warpsafe {
struct DeviceLimits;
struct KernelEntry;
struct KernelLimits;
}  // namespace warpsafe

namespace warpsafe::detail {

/// The calls of a backend. All but a launch are told as they are made; a launch is told with its
/// kernel, by checked launches alone (debug/observer.hpp), and pays nothing here.
enum class RuntimeCall : std::uint8_t {
  peek_last_error,
  launch,
  device_count,
  current_device,
  set_device,
  device_synchronize,
  memory_info,
  limits_of,
  attributes_of,
  raise_dynamic_shared,
  resident_blocks,
  max_cluster_blocks,
  stream_create,
  stream_destroy,
  stream_synchronize,
  stream_query,
  stream_device,
  stream_capturing,
  stream_wait,
  event_create,
  event_destroy,
  event_record,
  event_synchronize,
  event_query,
  event_elapsed,
  allocate,
  deallocate,
  host_allocate,
  host_deallocate,
  copy,
  copy_2d,
  fill,
  copy_peer,
  has_memory_pools,
  allocate_unordered,
  allocate_managed,
  deallocate_unordered,
  exchange_capture_mode,
  pointer_kind,
  capture_begin,
  capture_end,
  capture_info,
  graph_destroy,
  graph_nodes,
  graph_instantiate,
  graph_exec_destroy,
  graph_launch,
  graph_update,
  module_load,
  module_unload,
  module_function,
  module_names,
  kernel_parameter,
  versions,
  profile,
};
inline constexpr std::size_t runtime_calls = static_cast<std::size_t>(RuntimeCall::profile) + 1;

/// One argument, as it is after the call: what the runtime has put there, too.
struct TracedValue {
  enum class Kind : std::uint8_t { number, negative, address, text, flag, real, other } kind;
  std::uint64_t bits;  ///< negative: the absolute value; real: thousandths; text: where it is
};

struct CallTracer;
/// A call and whose it is.
struct CallOf {
  RuntimeCall which;
  Name backend;
  Name (*error_name)(int) noexcept;
};
template <class B>
[[nodiscard]] constexpr CallOf call_of(RuntimeCall which) noexcept {
  return {which, B::name, &B::error_name};
}
/// Makes a call of a backend, and tells of it.
template <class... P>
using ToldCall = int (*)(const CallTracer& tracer, Name backend, Name (*error_name)(int) noexcept,
                         int (*call)(P...) noexcept, P... arguments) noexcept;

/// Who is told. One at a time, in the whole program.
struct CallTracer {
  /// The time before a call, in nanoseconds.
  std::uint64_t (*begin)() noexcept;
  void (*end)(RuntimeCall call, Name backend, Name status, const TracedValue* values,
              std::size_t count, std::uint64_t begun) noexcept;
  // What every launch asks (TracedQuestions): functions of the tracer, not of who asks.
  ToldCall<int&> current_device;
  ToldCall<int, DeviceLimits&> limits_of;
  ToldCall<const KernelEntry&, KernelLimits&> attributes_of;
};
/// nullptr but for WARPSAFE_LOG=trace.
[[gnu::visibility("default")]] inline const CallTracer* call_tracer_in_use = nullptr;
[[nodiscard, gnu::always_inline]] inline const CallTracer* call_tracer() noexcept {
  return __atomic_load_n(&call_tracer_in_use, __ATOMIC_ACQUIRE);
}

template <class T>
[[nodiscard]] TracedValue traced_value(const T& value) noexcept {
  using Kind = TracedValue::Kind;
  if constexpr (std::is_pointer_v<T>) {
    return {std::is_same_v<T, const char*> ? Kind::text : Kind::address,
            reinterpret_cast<std::uintptr_t>(value)};
  } else if constexpr (std::is_same_v<T, bool>) {
    return {Kind::flag, value ? 1U : 0U};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {Kind::real, value > 0 ? static_cast<std::uint64_t>(value * 1000) : 0};
  } else if constexpr (std::is_enum_v<T>) {
    return {Kind::number, static_cast<std::uint64_t>(value)};
  } else if constexpr (std::is_unsigned_v<T>) {
    return {Kind::number, value};
  } else if constexpr (std::is_integral_v<T>) {
    const auto wide = static_cast<std::uint64_t>(value);
    return value < 0 ? TracedValue{Kind::negative, ~wide + 1} : TracedValue{Kind::number, wide};
  } else {
    return {Kind::other, 0};
  }
}

template <class... P>
[[gnu::cold, gnu::noinline]] int told_call(const CallTracer& tracer, const CallOf& of,
                                           int (*call)(P...) noexcept, P... arguments) noexcept {
  const std::uint64_t begun = tracer.begin();
  const int status = call(static_cast<P>(arguments)...);
  // One more only where there would be none: an array has at least one element.
  const TracedValue values[sizeof...(P) + (sizeof...(P) == 0)] = {traced_value(arguments)...};
  tracer.end(of.which, of.backend, of.error_name(status), values, sizeof...(P), begun);
  return status;
}

/// Makes a call of backend Raw, and tells of it where somebody is told.
template <class Raw, class... P>
[[gnu::always_inline]] inline int traced(RuntimeCall which, int (*call)(P...) noexcept,
                                         std::type_identity_t<P>... arguments) noexcept {
  const CallTracer* const tracer = call_tracer();
  if (tracer == nullptr) [[likely]]
    return call(static_cast<P>(arguments)...);
  return told_call<P...>(*tracer, call_of<Raw>(which), call, static_cast<P>(arguments)...);
}

}  // namespace warpsafe::detail
