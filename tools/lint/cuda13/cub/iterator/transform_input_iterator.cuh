// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// CUDA 13 no longer has this header of CUB.
#if __has_include_next(<cub/iterator/transform_input_iterator.cuh>)
#include_next <cub/iterator/transform_input_iterator.cuh>
#else
#include <thrust/iterator/transform_iterator.h>

#include <cstddef>

namespace cub {
template <class Value, class Function, class Iterator, class Offset = std::ptrdiff_t>
using TransformInputIterator = thrust::transform_iterator<Function, Iterator, Value>;
}  // namespace cub
#endif
