// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/cuda/cuda_backend.hpp>
#include <warpsafe/handles/stream_bound.hpp>

#include <cublasLt.h>

namespace warpsafe {

/// cuBLASLt: `StreamBound<cublasLtHandle_t>::create(stream)`, `lt.call<cublasLtMatmul>(…,
/// workspace.view(), workspace.size())`. `call` passes the stream, which is the last parameter. The
/// library requires the caller to provide the workspace.
template <>
struct handle_traits<cublasLtHandle_t>
    : HandleCalls<cuda_backend, cublasLtCreate, cublasLtDestroy> {
  static constexpr Name name = Name::of("cuBLASLt");

  static Name status_name(status value) noexcept { return Name::of(cublasLtGetStatusName(value)); }
  static Name status_text(status value) noexcept {
    return Name::of(cublasLtGetStatusString(value));
  }
};

}  // namespace warpsafe
