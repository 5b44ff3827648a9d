// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A program that uses rocSPARSE on data that another stream copies: with an event between the two
// ("event"), on one stream ("same"), or without an order ("wrong"). Run it by hand, as
// docs/hardware/watch.md describes.

#include <hip/hip_runtime_api.h>
#include <rocsparse/rocsparse.h>

#include <cstdio>
#include <cstring>

namespace {

template <class T>
T* device_memory(std::size_t count) {
  void* memory = nullptr;
  return hipMalloc(&memory, count * sizeof(T)) == hipSuccess ? static_cast<T*>(memory) : nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  const auto is = [&](const char* one) { return argc > 1 && std::strcmp(argv[1], one) == 0; };
  constexpr int count = 1024;
  hipStream_t copies = nullptr;
  hipStream_t works = nullptr;
  hipEvent_t copied = nullptr;
  void* host = nullptr;
  int failed = hipStreamCreateWithFlags(&copies, hipStreamNonBlocking);
  failed += hipStreamCreateWithFlags(&works, hipStreamNonBlocking);
  failed += hipEventCreate(&copied) + hipHostMalloc(&host, count * sizeof(float), 0);
  float* const x = device_memory<float>(count);
  float* const y = device_memory<float>(count);
  int* const rows = device_memory<int>(count);
  rocsparse_handle handle = nullptr;
  rocsparse_mat_descr matrix = nullptr;
  failed += rocsparse_create_handle(&handle) + rocsparse_create_mat_descr(&matrix);
  failed += rocsparse_set_stream(handle, is("same") ? copies : works);
  failed += hipDeviceSynchronize();

  failed += hipMemcpyAsync(x, host, count * sizeof(float), hipMemcpyHostToDevice, copies);
  if (is("event")) failed += hipEventRecord(copied, copies) + hipStreamWaitEvent(works, copied, 0);
  const float alpha = 2;
  const float beta = 0;
  failed += rocsparse_saxpyi(handle, count, &alpha, x, rows, y, rocsparse_index_base_zero);
  failed += rocsparse_scsrmv(handle, rocsparse_operation_none, 32, 32, 1000, &alpha, matrix, x,
                             rows, rows, nullptr, y, &beta, y);
  failed += hipDeviceSynchronize();
  std::printf("%s: %d\n", argc > 1 ? argv[1] : "", failed);
}
