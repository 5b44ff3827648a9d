// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// E04: a workspace that its owner frees while the handle uses it.

#include "handles.hpp"

namespace ws = warpsafe;

auto used(Library& library, [[maybe_unused]] ws::DeviceBuffer<float>& memory) {
#ifdef MISUSE
  return library.call<library_set_workspace>(
      memory.view(), memory.size());  // expected-error {{"would undo the handle's binding"}}
#else
  return library.call<library_get_stream>(nullptr);
#endif
}
