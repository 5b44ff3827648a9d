// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// D08: a configuration that nobody launches.

#include <warpsafe/launch/launch_config.hpp>

namespace ws = warpsafe;

#if defined(__CUDACC__)
#pragma nv_diag_error 2809, 2810
#else
#pragma GCC diagnostic error "-Wunused-result"
#endif

bool checked() {
#ifdef MISUSE
  ws::configure(ws::grid<4>, ws::block<256>);  // expected-error {{"nodiscard"}}
  return true;
#else
  return ws::configure(ws::grid<4>, ws::block<256>).has_value();
#endif
}
