// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/call/stream_call.hpp"
#include "known_call.hpp"
#include "read_call.hpp"

#include <cuda_runtime_api.h>
#include <cupti.h>

#include <cstdint>

namespace warpsafe::watch {

/// Reads the arguments of a runtime's call that has failed, so its outputs are not valid.
[[nodiscard]] inline StreamCall read_runtime_call(const KnownCall& known, std::int32_t device,
                                                  const CUpti_CallbackData& info) noexcept {
  using detail::parameters_as;
  const auto address = [](const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); };
  StreamCall of;
  of.call = known.call;
  of.name = known.name;
  of.per_thread = known.per_thread;
  of.device = device;
  switch (known.call) {
    case Call::allocate:
    case Call::allocate_managed:
    case Call::allocate_async:
    case Call::allocate_host:
      // All begin with the address of the result and the size.
      of.bytes = parameters_as<cudaMalloc_v3020_params>(info).size;
      break;
    case Call::allocate_pitch: {
      const auto& is = parameters_as<cudaMallocPitch_v3020_params>(info);
      of.bytes = is.width * is.height;
      break;
    }
    case Call::free:
    case Call::free_async:
    case Call::free_host:
      of.to = address(parameters_as<cudaFree_v3020_params>(info).devPtr);
      break;
    case Call::copy_any:
    case Call::copy_any_async: {
      const auto& is = parameters_as<cudaMemcpyAsync_v3020_params>(info);
      detail::read_copy(of, address(is.dst), address(is.src), is.count);
      of.kind = is.kind;
      if (known.call == Call::copy_any_async) of.stream = is.stream;
      break;
    }
    case Call::fill:
    case Call::fill_async: {
      const auto& is = parameters_as<cudaMemsetAsync_v3020_params>(info);
      detail::read_copy(of, address(is.devPtr), 0, is.count);
      if (known.call == Call::fill_async) of.stream = is.stream;
      break;
    }
    case Call::set_device:
      of.number = parameters_as<cudaSetDevice_v3020_params>(info).device;
      break;
    case Call::set_attribute: {
      const auto& is = parameters_as<cudaFuncSetAttribute_v9000_params>(info);
      of.kind = is.attr;
      of.number = is.value;
      break;
    }
    case Call::stream_destroyed:
      of.stream = parameters_as<cudaStreamDestroy_v5050_params>(info).stream;
      break;
    case Call::begin_capture:
      of.stream = parameters_as<cudaStreamBeginCapture_v10000_params>(info).stream;
      break;
    default:
      break;
  }
  return of;
}

}  // namespace warpsafe::watch
