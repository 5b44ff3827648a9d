// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "kernel_lines.hpp"

#include <cuda_runtime.h>

namespace record {

inline void functions() {
  section("function attributes");
  for (const NamedKernel& kernel : kernels()) function_line(kernel.name, kernel.function);
  function_line("host function", reinterpret_cast<const void*>(&not_a_kernel));
  function_line("null", nullptr);
  cudaError_t status = cudaFuncGetAttributes(nullptr, reinterpret_cast<const void*>(&empty));
  note(status, "cudaFuncGetAttributes(null, empty)");
  const char* text = nullptr;
  status = cudaFuncGetName(&text, reinterpret_cast<const void*>(&bound_256));
  note(status, "cudaFuncGetName(bound_256) name=%s", text == nullptr ? "null" : text);
  status = cudaFuncGetName(&text, reinterpret_cast<const void*>(&not_a_kernel));
  note(status, "cudaFuncGetName(host function)");
  cudaKernel_t handle = nullptr;
  status = cudaGetKernel(&handle, reinterpret_cast<const void*>(&bound_256));
  note(status, "cudaGetKernel(bound_256) kernel=%s", set_or_null(handle));
  function_line("kernel handle of bound_256", handle);
  status = cudaGetKernel(&handle, reinterpret_cast<const void*>(&not_a_kernel));
  note(status, "cudaGetKernel(host function)");
}

}  // namespace record
