// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A program that uses hipBLAS, which launches rocBLAS's kernels, on data that another stream
// copies: with an event between the two ("event"), on one stream ("same"), or without an order
// ("wrong"). Run it by hand, as docs/hardware/watch.md describes.

#include <hip/hip_runtime_api.h>
#include <hipblas/hipblas.h>

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
  auto* const x = static_cast<float*>(memory[1]);
  auto* const y = static_cast<float*>(memory[2]);
  hipblasHandle_t handle = nullptr;
  failed += hipblasCreate(&handle);
  failed += hipblasSetStream(handle, is("same") ? copies : works);
  failed += hipDeviceSynchronize();

  failed += hipMemcpyAsync(a, host, bytes, hipMemcpyHostToDevice, copies);
  if (is("event")) failed += hipEventRecord(copied, copies) + hipStreamWaitEvent(works, copied, 0);
  const float one = 1;
  const float zero = 0;
  failed += hipblasSaxpy(handle, order, &one, a, 1, x, 1);
  failed += hipblasSgemv(handle, HIPBLAS_OP_N, order, order, &one, a, order, x, 1, &zero, y, 1);
  failed += hipDeviceSynchronize();
  std::printf("%s: %d\n", argc > 1 ? argv[1] : "", failed);
}
