// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/cuda/cuda_backend.hpp>
#include <warpsafe/handles/detail/scalar_rows.hpp>
#include <warpsafe/handles/stream_bound.hpp>

#include <cudnn.h>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// cuDNN: `StreamBound<cudnnHandle_t>::create(stream)`, `dnn.call<cudnnActivationForward>(…)`. Its
/// scalars (alpha, beta) are always on the host.
template <>
struct handle_traits<cudnnHandle_t>
    : HandleCalls<cuda_backend, cudnnCreate, cudnnDestroy, cudnnSetStream, cudnnGetStream> {
  static constexpr Name name = Name::of("cuDNN");

  static constexpr int inner_handles = 0;
  static constexpr unsigned scalar_pointers(Name function) noexcept {
    return detail::dnn_scalars(name, function);
  }
  static Name status_name(status value) noexcept { return Name::of(cudnnGetErrorString(value)); }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
