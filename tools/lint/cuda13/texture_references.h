// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// Texture references, which CUDA 12 took away, for sources that still have them. Only declared:
// nothing is run. Included only for such a source, because other programs use the name for classes
// of their own.

template <class T, int dimensions = 1, cudaTextureReadMode mode = cudaReadModeElementType>
struct texture {
  int normalized;
  cudaTextureFilterMode filterMode;
  cudaTextureAddressMode addressMode[3];
  cudaChannelFormatDesc channelDesc;
};
#define WARPSAFE_LINT_FETCH(name, result)                                  \
  template <class T, int dimensions, cudaTextureReadMode mode, class... A> \
  __attribute__((device)) result name(texture<T, dimensions, mode> reference, A... place);
WARPSAFE_LINT_FETCH(tex1Dfetch, T)
WARPSAFE_LINT_FETCH(tex1D, T)
WARPSAFE_LINT_FETCH(tex2D, T)
WARPSAFE_LINT_FETCH(tex3D, T)
#undef WARPSAFE_LINT_FETCH
template <class R, class... A>
cudaError_t cudaBindTexture(size_t* offset, const R& reference, const void* pointer,
                            const A&... others);
template <class R, class... A>
cudaError_t cudaBindTexture2D(size_t* offset, const R& reference, const void* pointer,
                              const A&... others);
template <class R, class... A>
cudaError_t cudaBindTextureToArray(R& reference, const A&... others);
template <class R>
cudaError_t cudaUnbindTexture(const R& reference);
