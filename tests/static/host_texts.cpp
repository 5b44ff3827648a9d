// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What a host compiler says about a kernel that nvcc does not compile; see
// tests/compile/snippets.py for how to read this file. only: g++ clang++

#include <warpsafe/warpsafe.hpp>

namespace ws = warpsafe;

// T04: nvcc takes no exception specification on a kernel.
namespace t04_kernel_that_is_noexcept {

#ifdef MISUSE
WARPSAFE_KERNEL void fill(float* x) noexcept { x[0] = 1; }
#else
WARPSAFE_KERNEL void fill(float* x) { x[0] = 1; }
#endif

auto launched(ws::StreamRef stream, ws::device_ptr<float> data) {
  const auto config = ws::configure(ws::grid<1>, ws::block<32>);
#ifdef MISUSE
  // expected-error {{"a kernel is not noexcept"}}
  return ws::launch(stream, config, ws::kernel<fill>, data);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data);
#endif
}

}  // namespace t04_kernel_that_is_noexcept
