// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "extern_kernels.hpp"

namespace right::image {

// The declaration has the macro.
WARPSAFE_KERNEL_EXTERN void grey(const Pixel* in, unsigned char* out, warpsafe::size_type n) {
  for (auto i : warpsafe::grid_stride(n)) {
    out[i] = static_cast<unsigned char>((in[i].r + in[i].g + in[i].b) / 3);
  }
}

}  // namespace right::image
