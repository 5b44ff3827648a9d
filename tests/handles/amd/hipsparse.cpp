// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// hipSPARSE through a bound handle, compiled against the library's own header.

#include "amd.hpp"
#include <warpsafe/handles/hipsparse.hpp>

/// y = matrix times x, which the descriptors hold; the workspace is the caller's.
ws::result<void> with_hipsparse(const HipStream& stream, const HipStream& other,
                                hipsparseSpMatDescr_t matrix, hipsparseDnVecDescr_t x,
                                hipsparseDnVecDescr_t y, Buffer<std::byte>& workspace) {
  auto sparse = ws::StreamBound<ws::HipsparseHandle>::create(stream);
  if (!sparse.has_value()) return sparse.error();
  std::size_t bytes = 0;
  const auto asked = sparse.value().call<hipsparseSpMV_bufferSize>(
      HIPSPARSE_OPERATION_NON_TRANSPOSE, ws::host_scalar(1.0F), matrix, x, ws::host_scalar(0.0F), y,
      HIP_R_32F, HIPSPARSE_SPMV_ALG_DEFAULT, &bytes);
  if (!asked.has_value()) return asked;
  auto moved = std::move(sparse).value().rebind(other);
  if (!moved.has_value()) return moved.error();
  return moved.value().call<hipsparseSpMV>(HIPSPARSE_OPERATION_NON_TRANSPOSE, ws::host_scalar(1.0F),
                                           matrix, x, ws::host_scalar(0.0F), y, HIP_R_32F,
                                           HIPSPARSE_SPMV_ALG_DEFAULT, workspace.view());
}
