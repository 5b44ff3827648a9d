// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/cuda/cuda_backend.hpp>
#include <warpsafe/handles/stream_bound.hpp>

#include <cudnn.h>

namespace warpsafe {

/// cuDNN: `StreamBound<cudnnHandle_t>::create(stream)`, `dnn.call<cudnnActivationForward>(…)`. Its
/// scalars (alpha, beta) are always on the host.
template <>
struct handle_traits<cudnnHandle_t> {
  using backend = cuda_backend;
  using native = cudnnHandle_t;
  using status = cudnnStatus_t;
  using refused = Functions<cudnnSetStream, cudnnDestroy>;
  static constexpr Name name = Name::of("cuDNN");

  static status create(native& handle) noexcept { return cudnnCreate(&handle); }
  static status destroy(native handle) noexcept { return cudnnDestroy(handle); }
  static constexpr int inner_handles = 0;
  static status set_stream(native handle, cudaStream_t stream) noexcept {
    return cudnnSetStream(handle, stream);
  }
  static status get_stream(native handle, cudaStream_t& stream) noexcept {
    return cudnnGetStream(handle, &stream);
  }
  static Name status_name(status value) noexcept { return Name::of(cudnnGetErrorString(value)); }
  static Name status_text(status) noexcept { return {}; }  // the library has names alone
};

}  // namespace warpsafe
