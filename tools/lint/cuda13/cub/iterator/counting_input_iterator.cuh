// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// CUDA 13 no longer has this header of CUB.
#if __has_include_next(<cub/iterator/counting_input_iterator.cuh>)
#include_next <cub/iterator/counting_input_iterator.cuh>
#else
#include <thrust/iterator/counting_iterator.h>

#include <cstddef>

namespace cub {
template <class Value, class Offset = std::ptrdiff_t>
using CountingInputIterator = thrust::counting_iterator<Value>;
}  // namespace cub
#endif
