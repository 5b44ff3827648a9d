// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "kernel_lines.hpp"

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

namespace record {

inline void pointer_line(const char* words, const void* pointer) {
  cudaPointerAttributes a{};
  const cudaError_t status = cudaPointerGetAttributes(&a, pointer);
  note(status, "cudaPointerGetAttributes(%s) type=%d device=%d device_pointer=%s host_pointer=%s",
       words, static_cast<int>(a.type), a.device, set_or_null(a.devicePointer),
       set_or_null(a.hostPointer));
}

inline void memory() {
  section("memory");
  void* device = nullptr;
  cudaError_t status = cudaMalloc(&device, 1024);
  note(status, "cudaMalloc(1024) pointer=%s", set_or_null(device));
  pointer_line("device", device);
  pointer_line("device + 1023", static_cast<char*>(device) + 1023);
  void* pinned = nullptr;
  status = cudaMallocHost(&pinned, 1024);
  note(status, "cudaMallocHost(1024) pointer=%s", set_or_null(pinned));
  pointer_line("pinned", pinned);
  void* alias = nullptr;
  status = cudaHostGetDevicePointer(&alias, pinned, 0);
  note(status, "cudaHostGetDevicePointer(pinned) same=%d", alias == pinned ? 1 : 0);
  void* managed = nullptr;
  status = cudaMallocManaged(&managed, 1024);
  note(status, "cudaMallocManaged(1024) pointer=%s", set_or_null(managed));
  pointer_line("managed", managed);
  std::vector<char> host(1024, 7);
  pointer_line("host vector", host.data());
  pointer_line("null", nullptr);
  status = cudaPointerGetAttributes(nullptr, device);
  note(status, "cudaPointerGetAttributes(null, device)");
  status = cudaHostGetDevicePointer(&alias, host.data(), 0);
  note(status, "cudaHostGetDevicePointer(host vector)");
  status = cudaHostRegister(host.data(), host.size(), cudaHostRegisterDefault);
  note(status, "cudaHostRegister(host vector)");
  pointer_line("registered host vector", host.data());
  status = cudaHostUnregister(host.data());
  note(status, "cudaHostUnregister(host vector)");
  void* none = &none;
  status = cudaMalloc(&none, 0);
  note(status, "cudaMalloc(0) pointer=%s", set_or_null(none));
  none = nullptr;
  status = cudaMalloc(&none, std::size_t{1} << 46);
  note(status, "cudaMalloc(2^46)");
  status = cudaMalloc(nullptr, 16);
  note(status, "cudaMalloc(null, 16)");
  status = cudaMallocHost(&none, 0);
  note(status, "cudaMallocHost(0) pointer=%s", set_or_null(none));

  section("copies");
  status = cudaMemset(device, 0x11, 1024);
  note(status, "cudaMemset(device, 0x11, 1024)");
  status = cudaMemcpy(host.data(), device, 1024, cudaMemcpyDeviceToHost);
  note(status, "cudaMemcpy(host, device, 1024, device to host) last=%d", host[1023]);
  host[1023] = 3;
  status = cudaMemcpy(device, host.data(), 1024, cudaMemcpyHostToDevice);
  note(status, "cudaMemcpy(device, host, 1024, host to device)");
  status = cudaMemcpy(pinned, device, 1024, cudaMemcpyDefault);
  note(status, "cudaMemcpy(pinned, device, 1024, default) last=%d",
       static_cast<char*>(pinned)[1023]);
  status = cudaMemcpy(host.data(), device, 0, cudaMemcpyDeviceToHost);
  note(status, "cudaMemcpy(host, device, 0)");
  status = cudaMemcpy(host.data(), device, 16, unlisted<cudaMemcpyKind>(9));
  note(status, "cudaMemcpy(host, device, 16, kind 9)");
  status = cudaMemcpy(device, host.data(), 16, cudaMemcpyDeviceToHost);
  note(status, "cudaMemcpy(device, host, 16, device to host)");
  status = cudaMemcpy(host.data(), nullptr, 16, cudaMemcpyDeviceToHost);
  note(status, "cudaMemcpy(host, null, 16)");
  status = cudaMemset(nullptr, 0, 16);
  note(status, "cudaMemset(null, 0, 16)");
  status = cudaMemset(host.data(), 0, 16);
  note(status, "cudaMemset(host, 0, 16)");
  status = cudaMemset(device, 0, 0);
  note(status, "cudaMemset(device, 0, 0)");
  status = cudaMemcpy2D(pinned, 64, device, 64, 32, 4, cudaMemcpyDefault);
  note(status, "cudaMemcpy2D(pinned, 64, device, 64, 32, 4)");
  status = cudaMemcpy2D(pinned, 16, device, 64, 32, 4, cudaMemcpyDefault);
  note(status, "cudaMemcpy2D(pinned, pitch 16, device, 64, 32, 4)");
  status = cudaMemset2D(device, 64, 1, 32, 4);
  note(status, "cudaMemset2D(device, 64, 1, 32, 4)");
  cudaStream_t stream = nullptr;
  static_cast<void>(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  status = cudaMemcpyAsync(device, host.data(), 1024, cudaMemcpyHostToDevice, stream);
  note(status, "cudaMemcpyAsync(device, host, 1024, stream)");
  status = cudaMemsetAsync(device, 0x22, 512, stream);
  note(status, "cudaMemsetAsync(device, 0x22, 512, stream)");
  status = cudaMemcpyAsync(pinned, device, 1024, cudaMemcpyDeviceToHost, stream);
  note(status, "cudaMemcpyAsync(pinned, device, 1024, stream)");
  status = cudaStreamSynchronize(stream);
  note(status, "cudaStreamSynchronize(stream) first=%d last=%d", static_cast<char*>(pinned)[0],
       static_cast<char*>(pinned)[1023]);

  section("memory pools");
  cudaMemPool_t pool = nullptr;
  status = cudaDeviceGetDefaultMemPool(&pool, 0);
  note(status, "cudaDeviceGetDefaultMemPool(0) pool=%s", set_or_null(pool));
  cudaMemPool_t current = nullptr;
  status = cudaDeviceGetMemPool(&current, 0);
  note(status, "cudaDeviceGetMemPool(0) default=%d", current == pool ? 1 : 0);
  unsigned long long threshold = 99;
  status = cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
  note(status, "cudaMemPoolGetAttribute(release threshold) value=%llu", threshold);
  void* pooled = nullptr;
  status = cudaMallocAsync(&pooled, 1024, stream);
  note(status, "cudaMallocAsync(1024, stream) pointer=%s", set_or_null(pooled));
  pointer_line("pooled", pooled);
  status = cudaMemsetAsync(pooled, 1, 1024, stream);
  note(status, "cudaMemsetAsync(pooled)");
  status = cudaFreeAsync(pooled, stream);
  note(status, "cudaFreeAsync(pooled, stream)");
  status = cudaStreamSynchronize(stream);
  note(status, "cudaStreamSynchronize(stream)");
  status = cudaMallocAsync(&pooled, 0, stream);
  note(status, "cudaMallocAsync(0, stream)");
  status = cudaMallocAsync(&pooled, std::size_t{1} << 46, stream);
  note(status, "cudaMallocAsync(2^46, stream)");
  status = cudaFreeAsync(nullptr, stream);
  note(status, "cudaFreeAsync(null, stream)");
  status = cudaMallocAsync(&pooled, 512, nullptr);
  note(status, "cudaMallocAsync(512, null stream)");
  status = cudaFree(pooled);
  note(status, "cudaFree(pooled)");
  status = cudaMallocFromPoolAsync(&pooled, 512, pool, stream);
  note(status, "cudaMallocFromPoolAsync(512, stream)");
  status = cudaFreeAsync(pooled, stream);
  note(status, "cudaFreeAsync(pooled, stream)");
  status = cudaMemPoolTrimTo(pool, 0);
  note(status, "cudaMemPoolTrimTo(pool, 0)");

  section("frees");
  status = cudaFreeAsync(host.data(), stream);
  note(status, "cudaFreeAsync(host vector)");
  status = cudaFree(host.data());
  note(status, "cudaFree(host vector)");
  status = cudaFreeHost(host.data());
  note(status, "cudaFreeHost(host vector)");
  status = cudaFree(static_cast<char*>(device) + 16);
  note(status, "cudaFree(device + 16)");
  status = cudaFree(device);
  note(status, "cudaFree(device)");
  pointer_line("freed", device);
  status = cudaFree(device);
  note(status, "cudaFree(device, again)");
  status = cudaFree(managed);
  note(status, "cudaFree(managed)");
  status = cudaFreeHost(pinned);
  note(status, "cudaFreeHost(pinned)");
  status = cudaFree(nullptr);
  note(status, "cudaFree(null)");
  status = cudaFreeHost(nullptr);
  note(status, "cudaFreeHost(null)");
  static_cast<void>(cudaStreamDestroy(stream));
}

}  // namespace record
