// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// CUDA 13 no longer has this header of CUB.
#if __has_include_next(<cub/iterator/discard_output_iterator.cuh>)
#include_next <cub/iterator/discard_output_iterator.cuh>
#else
#include <thrust/iterator/discard_iterator.h>

#include <cstddef>

namespace cub {
template <class Offset = std::ptrdiff_t>
using DiscardOutputIterator = thrust::discard_iterator<>;
}  // namespace cub
#endif
