// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// module.hpp alone is enough for a program with a module.

#include <warpsafe/module.hpp>

warpsafe::result<void> close_both(warpsafe::Module& module, warpsafe::Stream& stream) {
  WARPSAFE_TRYV(stream.synchronize());
  return module.close();
}
