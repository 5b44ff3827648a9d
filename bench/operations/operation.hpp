// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <benchmark/benchmark.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

// What the benchmark of operations shares: sizes, the kernel's shape, and how one is measured.

namespace operations {

inline constexpr std::size_t bytes = 4096;
inline constexpr std::size_t count = bytes / sizeof(float);
/// So few that no queue of the driver is full. The wait after them is not measured.
inline constexpr int batch = 200;
inline constexpr int rounds = 31;

inline void must(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "operations: %s\n", cudaGetErrorString(status));
  std::exit(1);
}
inline void must(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "operations: %s\n", cublasGetStatusString(status));
  std::exit(1);
}
template <class Result>
auto must(Result&& result) -> decltype(static_cast<Result&&>(result).value()) {
  return static_cast<Result&&>(result).value();
}

/// Registers `operation()`, whose host time is measured, as "name/way".
template <class Operation>
void add(const std::string& name, const std::string& way, Operation operation) {
  benchmark::RegisterBenchmark((name + "/" + way).c_str(),
                               [operation](benchmark::State& state) mutable {
                                 for ([[maybe_unused]] auto one : state) operation();
                                 must(cudaDeviceSynchronize());
                               })
      ->Iterations(batch)
      ->Repetitions(rounds)
      ->ReportAggregatesOnly();
}

void add_raw();
void add_off();
void add_on();

}  // namespace operations
