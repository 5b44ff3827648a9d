// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/call/stream_call.hpp"
#include "known_call.hpp"

#include <cuda.h>
#include <cupti.h>

#include <cstddef>
#include <cstdint>

namespace warpsafe::watch {

namespace detail {

template <class Parameters>
[[nodiscard]] const Parameters& parameters_as(const CUpti_CallbackData& info) noexcept {
  return *static_cast<const Parameters*>(info.functionParams);
}
/// Returns the element size of cuMemsetD8, D16 and D32 in bytes.
[[nodiscard]] inline std::size_t fill_width(const KnownCall& known) noexcept {
  const char digit = known.name.data[sizeof "cuMemsetD" - 1];
  return digit == '8' ? 1 : digit == '1' ? 2 : 4;
}
inline void read_allocation(StreamCall& of, const CUdeviceptr* memory, std::size_t bytes) noexcept {
  of.bytes = bytes;
  if (memory != nullptr) of.to = *memory;
}
inline void read_copy(StreamCall& of, std::uintptr_t to, std::uintptr_t from,
                      std::size_t bytes) noexcept {
  of.to = to;
  of.from = from;
  of.bytes = bytes;
}

}  // namespace detail

/// How much of a call is known.
enum class CallStage : std::uint8_t {
  begins,  ///< only what a wait needs is read, and what is destroyed
  failed,  ///< its outputs are not valid
  done,
};

/// Reads the arguments of a driver call.
[[nodiscard]] inline StreamCall read_call(const KnownCall& known, std::int32_t device,
                                          const CUpti_CallbackData& info,
                                          CallStage stage) noexcept {
  using detail::parameters_as;
  const auto address = [](const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); };
  StreamCall of;
  of.call = known.call;
  of.name = known.name;
  of.per_thread = known.per_thread;
  of.device = device;
  if (known.call == Call::wait_stream || known.call == Call::query_stream) {
    of.stream = parameters_as<cuStreamSynchronize_params>(info).hStream;
  }
  if (known.call == Call::stream_destroyed) {
    of.stream = parameters_as<cuStreamDestroy_params>(info).hStream;
  }
  if (known.call == Call::event_destroyed) {
    of.event = parameters_as<cuEventDestroy_params>(info).hEvent;
  }
  if (stage == CallStage::begins) return of;
  const bool took = stage == CallStage::done;
  switch (known.call) {
    case Call::allocate: {
      const auto& is = parameters_as<cuMemAlloc_v2_params>(info);
      detail::read_allocation(of, took ? is.dptr : nullptr, is.bytesize);
      break;
    }
    case Call::allocate_async: {
      // cuMemAllocFromPoolAsync has the pool before the stream.
      const auto& is = parameters_as<cuMemAllocAsync_params>(info);
      detail::read_allocation(of, took ? is.dptr : nullptr, is.bytesize);
      of.stream = known.name.size == sizeof "cuMemAllocAsync" - 1
                      ? is.hStream
                      : parameters_as<cuMemAllocFromPoolAsync_params>(info).hStream;
      break;
    }
    case Call::allocate_managed: {
      const auto& is = parameters_as<cuMemAllocManaged_params>(info);
      detail::read_allocation(of, took ? is.dptr : nullptr, is.bytesize);
      break;
    }
    case Call::allocate_pitch: {
      const auto& is = parameters_as<cuMemAllocPitch_v2_params>(info);
      if (!took) {
        of.bytes = is.WidthInBytes * is.Height;
      } else if (is.pPitch != nullptr) {
        detail::read_allocation(of, is.dptr, *is.pPitch * is.Height);
      }
      break;
    }
    case Call::allocate_host: {
      // cuMemAllocHost and cuMemHostAlloc begin with the same two.
      const auto& is = parameters_as<cuMemHostAlloc_params>(info);
      of.bytes = is.bytesize;
      if (took && is.pp != nullptr) of.to = address(*is.pp);
      break;
    }
    case Call::free_host:
      of.to = address(parameters_as<cuMemFreeHost_params>(info).p);
      break;
    case Call::find_function:
      of.text = parameters_as<cuModuleGetFunction_params>(info).name;
      break;
    case Call::find_variable:
      of.text = parameters_as<cuModuleGetGlobal_v2_params>(info).name;
      break;
    case Call::load_module:
      if (known.name.size == sizeof "cuModuleLoad" - 1) {
        of.text = parameters_as<cuModuleLoad_params>(info).fname;
      }
      break;
    case Call::free:
      of.to = parameters_as<cuMemFree_v2_params>(info).dptr;
      break;
    case Call::free_async:
      of.to = parameters_as<cuMemFreeAsync_params>(info).dptr;
      of.stream = parameters_as<cuMemFreeAsync_params>(info).hStream;
      break;
    case Call::copy_in: {
      const auto& is = parameters_as<cuMemcpyHtoD_v2_params>(info);
      detail::read_copy(of, is.dstDevice, address(is.srcHost), is.ByteCount);
      break;
    }
    case Call::copy_out: {
      const auto& is = parameters_as<cuMemcpyDtoH_v2_params>(info);
      detail::read_copy(of, address(is.dstHost), is.srcDevice, is.ByteCount);
      break;
    }
    case Call::copy_in_async: {
      const auto& is = parameters_as<cuMemcpyHtoDAsync_v2_params>(info);
      detail::read_copy(of, is.dstDevice, address(is.srcHost), is.ByteCount);
      of.stream = is.hStream;
      break;
    }
    case Call::copy_out_async: {
      const auto& is = parameters_as<cuMemcpyDtoHAsync_v2_params>(info);
      detail::read_copy(of, address(is.dstHost), is.srcDevice, is.ByteCount);
      of.stream = is.hStream;
      break;
    }
    case Call::copy_any: {
      const auto& is = parameters_as<cuMemcpy_params>(info);
      detail::read_copy(of, is.dst, is.src, is.ByteCount);
      break;
    }
    case Call::copy_any_async: {
      const auto& is = parameters_as<cuMemcpyAsync_params>(info);
      detail::read_copy(of, is.dst, is.src, is.ByteCount);
      of.stream = is.hStream;
      break;
    }
    case Call::copy_device: {
      const auto& is = parameters_as<cuMemcpyDtoD_v2_params>(info);
      detail::read_copy(of, is.dstDevice, is.srcDevice, is.ByteCount);
      break;
    }
    case Call::copy_device_async: {
      const auto& is = parameters_as<cuMemcpyDtoDAsync_v2_params>(info);
      detail::read_copy(of, is.dstDevice, is.srcDevice, is.ByteCount);
      of.stream = is.hStream;
      break;
    }
    case Call::fill:
    case Call::fill_async: {
      // All widths have the same layout; the variants without a stream are shorter.
      const auto& is = parameters_as<cuMemsetD32Async_params>(info);
      detail::read_copy(of, is.dstDevice, 0, is.N * detail::fill_width(known));
      if (known.call == Call::fill_async) of.stream = is.hStream;
      break;
    }
    case Call::unfollowed_async:
      // Those of two and three dimensions begin with one pointer, and the fills have five values.
      of.stream = known.name.size == sizeof "cuMemcpy2DAsync" - 1
                      ? parameters_as<cuMemcpy2DAsync_v2_params>(info).hStream
                      : parameters_as<cuMemsetD2D32Async_params>(info).hStream;
      break;
    case Call::event_created:
      if (!took) break;
      if (CUevent* const made = parameters_as<cuEventCreate_params>(info).phEvent) of.event = *made;
      break;
    case Call::event_record:
      of.event = parameters_as<cuEventRecord_params>(info).hEvent;
      of.stream = parameters_as<cuEventRecord_params>(info).hStream;
      break;
    case Call::stream_waits:
      of.event = parameters_as<cuStreamWaitEvent_params>(info).hEvent;
      of.stream = parameters_as<cuStreamWaitEvent_params>(info).hStream;
      break;
    case Call::wait_event:
    case Call::query_event:
      of.event = parameters_as<cuEventSynchronize_params>(info).hEvent;
      break;
    case Call::elapsed_time:
      of.event = parameters_as<cuEventElapsedTime_params>(info).hStart;
      of.second_event = parameters_as<cuEventElapsedTime_params>(info).hEnd;
      break;
    case Call::host_function:
      of.stream = parameters_as<cuLaunchHostFunc_params>(info).hStream;
      break;
    default:
      break;
  }
  return of;
}

}  // namespace warpsafe::watch
