// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/calls_at.hpp>
#include <warpsafe/backend/kernel_entry.hpp>

// nvcc's device compiler makes no calls of the host (calls_at.hpp).
#if !defined(__CUDA_ARCH__)

#include <warpsafe/backend/detail/runtime_call.hpp>

#include <cstddef>
#include <cstdint>

namespace warpsafe::detail {

/// The questions that a launch may ask of a backend, told as TracedCalls tells all calls. The three
/// that every launch has are told by the tracer's own functions, which are compiled where it is,
/// and are themselves no functions even without optimisation: that costs more to compile.
template <class Raw>
struct TracedQuestions : Raw {
  [[gnu::always_inline]] static int current_device(int& device) noexcept {
    const CallTracer* const tracer = call_tracer();
    if (tracer == nullptr) [[likely]]
      return Raw::current_device(device);
    return tracer->current_device(*tracer, Raw::name, &Raw::error_name, &Raw::current_device,
                                  device);
  }
  [[gnu::always_inline]] static int limits_of(int device, DeviceLimits& limits) noexcept {
    const CallTracer* const tracer = call_tracer();
    if (tracer == nullptr) [[likely]]
      return Raw::limits_of(device, limits);
    return tracer->limits_of(*tracer, Raw::name, &Raw::error_name, &Raw::limits_of, device, limits);
  }
  [[gnu::always_inline]] static int attributes_of(const KernelEntry& kernel,
                                                  KernelLimits& limits) noexcept {
    const CallTracer* const tracer = call_tracer();
    if (tracer == nullptr) [[likely]]
      return Raw::attributes_of(kernel, limits);
    return tracer->attributes_of(*tracer, Raw::name, &Raw::error_name, &Raw::attributes_of, kernel,
                                 limits);
  }
  static int raise_dynamic_shared(const KernelEntry& kernel, std::uint64_t bytes) noexcept {
    return traced<Raw>(RuntimeCall::raise_dynamic_shared, &Raw::raise_dynamic_shared, kernel,
                       bytes);
  }
  static int resident_blocks(const KernelEntry& kernel, std::uint32_t threads,
                             std::uint64_t dynamic_bytes, int& per_multiprocessor) noexcept {
    return traced<Raw>(RuntimeCall::resident_blocks, &Raw::resident_blocks, kernel, threads,
                       dynamic_bytes, per_multiprocessor);
  }
  static int max_cluster_blocks(const KernelEntry& kernel, const LaunchShape& shape,
                                int& blocks) noexcept {
    return traced<Raw>(RuntimeCall::max_cluster_blocks, &Raw::max_cluster_blocks, kernel, shape,
                       blocks);
  }
  static int pointer_kind(const void* memory, MemoryKind& kind, int& device) noexcept {
    return traced<Raw>(RuntimeCall::pointer_kind, &Raw::pointer_kind, memory, kind, device);
  }
};

/// The calls of a backend (backend.hpp) through which WARPSAFE_LOG=trace sees them, for code of
/// level full alone (CallsAt). While the trace is off that is a load and a test beside each call.
/// Those about memory and graphs, which a launch needs not read, are MemoryCallsOf and
/// GraphCallsOf.
template <class Raw>
struct TracedCalls : TracedQuestions<Raw> {
  using native_stream = typename Raw::native_stream;
  using native_event = typename Raw::native_event;

  static int versions(int& driver, int& runtime) noexcept {
    return traced<Raw>(RuntimeCall::versions, &Raw::versions, driver, runtime);
  }
  static int device_count(int& count) noexcept {
    return traced<Raw>(RuntimeCall::device_count, &Raw::device_count, count);
  }
  static int set_device(int device) noexcept {
    return traced<Raw>(RuntimeCall::set_device, &Raw::set_device, device);
  }
  static int device_synchronize() noexcept {
    return traced<Raw>(RuntimeCall::device_synchronize, &Raw::device_synchronize);
  }
  static int stream_create(native_stream& stream, int priority) noexcept {
    return traced<Raw>(RuntimeCall::stream_create, &Raw::stream_create, stream, priority);
  }
  static int stream_destroy(native_stream stream) noexcept {
    return traced<Raw>(RuntimeCall::stream_destroy, &Raw::stream_destroy, stream);
  }
  static int stream_synchronize(native_stream stream) noexcept {
    return traced<Raw>(RuntimeCall::stream_synchronize, &Raw::stream_synchronize, stream);
  }
  static int stream_query(native_stream stream) noexcept {
    return traced<Raw>(RuntimeCall::stream_query, &Raw::stream_query, stream);
  }
  static int stream_device(native_stream stream, int& device) noexcept {
    return traced<Raw>(RuntimeCall::stream_device, &Raw::stream_device, stream, device);
  }
  static int stream_capturing(native_stream stream, bool& capturing) noexcept {
    return traced<Raw>(RuntimeCall::stream_capturing, &Raw::stream_capturing, stream, capturing);
  }
  static int stream_wait(native_stream stream, native_event event) noexcept {
    return traced<Raw>(RuntimeCall::stream_wait, &Raw::stream_wait, stream, event);
  }
  static int event_create(native_event& event, bool timed) noexcept {
    return traced<Raw>(RuntimeCall::event_create, &Raw::event_create, event, timed);
  }
  static int event_destroy(native_event event) noexcept {
    return traced<Raw>(RuntimeCall::event_destroy, &Raw::event_destroy, event);
  }
  static int event_record(native_event event, native_stream stream) noexcept {
    return traced<Raw>(RuntimeCall::event_record, &Raw::event_record, event, stream);
  }
  static int event_synchronize(native_event event) noexcept {
    return traced<Raw>(RuntimeCall::event_synchronize, &Raw::event_synchronize, event);
  }
  static int event_query(native_event event) noexcept {
    return traced<Raw>(RuntimeCall::event_query, &Raw::event_query, event);
  }
  static int event_elapsed(float& ms, native_event begin, native_event end) noexcept {
    return traced<Raw>(RuntimeCall::event_elapsed, &Raw::event_elapsed, ms, begin, end);
  }
  static int exchange_capture_mode(int& mode) noexcept {
    return traced<Raw>(RuntimeCall::exchange_capture_mode, &Raw::exchange_capture_mode, mode);
  }
};

}  // namespace warpsafe::detail

#endif
