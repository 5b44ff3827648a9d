// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// all.hpp with a CUDA older than 12.8, which has no modules. The headers are the installed
// toolkit's; only their version is that of CUDA 12.4, and a function that later ones renamed.

#define WARPSAFE_BACKEND_CUDA 1
#include <cuda_runtime_api.h>
#undef CUDART_VERSION
#define CUDART_VERSION 12040
extern "C" cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t, cudaStreamCaptureStatus*,
                                                   unsigned long long*, cudaGraph_t*,
                                                   const cudaGraphNode_t**, size_t*);
// CUDA 12.4 does not deprecate cudaGetDriverEntryPoint.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <warpsafe/all.hpp>

static_assert(warpsafe::SafeGrid<>::cover(1000, warpsafe::block<256>).has_value());
