// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Replaces libcudart.so.13 for the tests of the watch: a few functions over the driver's stand-in.
// As the runtime, it refuses some calls itself.

#include "driver.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace {

template <class Body>
cudaError_t traced(CUpti_runtime_api_trace_cbid id, const void* parameters, const Body& body) {
  cudaError_t status = cudaSuccess;
  std::uint64_t shared = 0;
  CUpti_CallbackData data{};
  for (const StandInRuntimeCall& call : stand_in_runtime_calls) {
    if (call.id == id) data.functionName = call.name;
  }
  data.functionParams = parameters;
  data.functionReturnValue = &status;
  data.correlationData = &shared;
  data.callbackSite = CUPTI_API_ENTER;
  stand_in_tell(CUPTI_CB_DOMAIN_RUNTIME_API, id, &data);
  status = body();
  data.callbackSite = CUPTI_API_EXIT;
  stand_in_tell(CUPTI_CB_DOMAIN_RUNTIME_API, id, &data);
  return status;
}
cudaError_t of_driver(CUresult status) { return static_cast<cudaError_t>(status); }

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  const cudaMalloc_v3020_params of{memory, bytes};
  return traced(CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020, &of, [&] {
    return of_driver(cuMemAlloc(reinterpret_cast<CUdeviceptr*>(memory), bytes));
  });
}
cudaError_t cudaFree(void* memory) {
  const cudaFree_v3020_params of{memory};
  return traced(CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020, &of,
                [&] { return of_driver(cuMemFree(reinterpret_cast<CUdeviceptr>(memory))); });
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const cudaMemcpy_v3020_params of{to, from, bytes, kind};
  return traced(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020, &of, [&] {
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
      return cudaErrorInvalidMemcpyDirection;
    }
    return of_driver(cuMemcpyHtoD(reinterpret_cast<CUdeviceptr>(to), from, bytes));
  });
}
cudaError_t cudaSetDevice(int device) {
  const cudaSetDevice_v3020_params of{device};
  return traced(CUPTI_RUNTIME_TRACE_CBID_cudaSetDevice_v3020, &of,
                [&] { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; });
}
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  const cudaFuncSetAttribute_v9000_params of{kernel, attribute, value};
  return traced(CUPTI_RUNTIME_TRACE_CBID_cudaFuncSetAttribute_v9000, &of,
                [] { return cudaErrorInvalidValue; });
}
/// Host memory, of which the runtime knows nothing.
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* memory) {
  const cudaPointerGetAttributes_v4000_params of{attributes, memory};
  return traced(CUPTI_RUNTIME_TRACE_CBID_cudaPointerGetAttributes_v4000, &of,
                [] { return cudaErrorInvalidValue; });
}

}  // extern "C"
