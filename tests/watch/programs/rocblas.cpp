// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A program that uses rocBLAS on data that another stream copies: with an event between the two
// ("event"), on one stream ("same"), or without an order ("wrong"). Run it by hand, as
// docs/hardware/watch.md describes.

#include <hip/hip_runtime_api.h>
#include <rocblas/rocblas.h>

#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  const auto is = [&](const char* one) { return argc > 1 && std::strcmp(argv[1], one) == 0; };
  constexpr int order = 64;
  constexpr std::size_t bytes = order * order * sizeof(float);
  hipStream_t copies = nullptr;
  hipStream_t works = nullptr;
  hipEvent_t copied = nullptr;
  void* host = nullptr;
  void* memory[3]{};
  int failed = hipStreamCreateWithFlags(&copies, hipStreamNonBlocking);
  failed += hipStreamCreateWithFlags(&works, hipStreamNonBlocking);
  failed += hipEventCreate(&copied) + hipHostMalloc(&host, bytes, 0);
  for (void*& one : memory) failed += hipMalloc(&one, bytes);
  auto* const a = static_cast<float*>(memory[0]);
  auto* const b = static_cast<float*>(memory[1]);
  auto* const c = static_cast<float*>(memory[2]);
  rocblas_handle handle = nullptr;
  failed += rocblas_create_handle(&handle);
  failed += rocblas_set_stream(handle, is("same") ? copies : works);
  failed += hipDeviceSynchronize();

  failed += hipMemcpyAsync(a, host, bytes, hipMemcpyHostToDevice, copies);
  if (is("event")) failed += hipEventRecord(copied, copies) + hipStreamWaitEvent(works, copied, 0);
  const float one = 1;
  const float zero = 0;
  failed += rocblas_saxpy(handle, order, &one, a, 1, b, 1);
  failed += rocblas_sgemv(handle, rocblas_operation_none, order, order, &one, a, order, b, 1, &zero,
                          c, 1);
  failed += hipDeviceSynchronize();
  std::printf("%s: %d\n", argc > 1 ? argv[1] : "", failed);
}
