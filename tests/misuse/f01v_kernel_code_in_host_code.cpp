// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F01: host code is in no thread of a kernel.
// only: nvcc hipcc
// code: needed

#include <warpsafe/kernel_api.hpp>

namespace ws = warpsafe;

unsigned long mine() {
#ifdef MISUSE
  return ws::thread_index().x;  // expected-error {{"the host is in no thread of a kernel"}}
#else
  return 0;
#endif
}
