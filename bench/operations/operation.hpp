// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>

// What the benchmark of operations shares: sizes, the names of the rows, and how one is measured.

namespace operations {

inline constexpr std::size_t bytes = 4096;
inline constexpr std::size_t count = bytes / sizeof(float);
/// So few that no queue of the driver is full. The wait after them is not measured.
inline constexpr int batch = 100;

// The rows. Each way of an operation is added under the same name.
inline constexpr const char* allocation = "allocate and free 4 KiB";
inline constexpr const char* upload = "upload 4 KiB of pageable memory, wait";
inline constexpr const char* download = "download 4 KiB into a new vector";
inline constexpr const char* copying = "copy device to device";
inline constexpr const char* fill = "fill with zeros";
inline constexpr const char* kept_event = "record a kept event, another stream waits";
inline constexpr const char* new_event = "record a new event, another stream waits";
inline constexpr const char* library = "cublasSaxpy";
inline constexpr const char* launching = "launch";
inline constexpr const char* foreign_launch = "launch with a buffer of another stream";
inline constexpr const char* graph = "launch a graph";
inline constexpr const char* synchronising = "synchronise an idle stream";

[[noreturn]] inline void end_with(const char* reason) {
  std::fprintf(stderr, "operations: %s\n", reason);
  std::exit(1);
}
inline void must(cudaError_t status) {
  if (status != cudaSuccess) end_with(cudaGetErrorString(status));
}
inline void must(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) end_with(cublasGetStatusString(status));
}
template <class Result>
auto must(Result&& result) -> decltype(static_cast<Result&&>(result).value()) {
  return static_cast<Result&&>(result).value();
}

/// Makes the compiler believe that `value` is read.
template <class T>
void use(const T& value) {
  asm volatile("" : : "r"(&value) : "memory");
}

/// Adds a way to do an operation. `run` does it `batch` times and returns the nanoseconds for one.
void add_way(const std::string& operation, const std::string& way, std::function<double()> run);

/// The host time of `once()` is measured.
template <class Once>
void add(const std::string& operation, const std::string& way, Once once) {
  add_way(operation, way, [once = std::move(once)]() mutable {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < batch; ++i) once();
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
    must(cudaDeviceSynchronize());
    return taken.count() / batch;
  });
}

void add_raw(const std::string& way);
void add_off();
void add_on();
// Allocations by other libraries. They return the reason if the library was not there.
const char* add_rmm();
const char* add_cccl();

}  // namespace operations
