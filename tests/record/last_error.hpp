// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "kernel_lines.hpp"
#include "streams.hpp"

#include <cuda_runtime.h>

#include <atomic>
#include <thread>

namespace record {

inline void last_error() {
  section("last error slot");
  cudaError_t status = cudaSetDevice(-1);
  keep(status, "cudaSetDevice(-1)");
  int value = 0;
  status = cudaGetDevice(&value);
  keep(status, "cudaGetDevice()");
  status = cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 1, 32, nullptr, 0, nullptr);
  keep(status, "cudaLaunchKernel(empty)");
  status = cudaDeviceSynchronize();
  keep(status, "cudaDeviceSynchronize()");
  status = cudaStreamSynchronize(nullptr);
  keep(status, "cudaStreamSynchronize(null)");
  std::thread([] { keep(cudaSuccess, "another thread"); }).join();
  status = cudaLaunchKernel(reinterpret_cast<const void*>(&empty), 0, 32, nullptr, 0, nullptr);
  keep(status, "cudaLaunchKernel(empty, grid 0)");
  status = cudaPeekAtLastError();
  keep(status, "cudaPeekAtLastError()");
  status = cudaSetDevice(-1);
  keep(status, "cudaSetDevice(-1)");
  status = cudaGetLastError();
  keep(status, "cudaGetLastError()");
  status = cudaGetLastError();
  keep(status, "cudaGetLastError()");
  std::atomic<bool> open{false};
  cudaStream_t stream = nullptr;
  static_cast<void>(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  static_cast<void>(cudaSetDevice(-1));
  static_cast<void>(cudaLaunchHostFunc(stream, hold, &open));
  status = cudaStreamQuery(stream);
  keep(status, "cudaStreamQuery(held) over 101");
  open = true;
  static_cast<void>(cudaStreamDestroy(stream));
  static_cast<void>(cudaDeviceSynchronize());
  static_cast<void>(cudaGetLastError());
}

}  // namespace record
