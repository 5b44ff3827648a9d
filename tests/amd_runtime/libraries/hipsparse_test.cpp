// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "library_launch.hpp"
#include <warpsafe/handles/hipsparse.hpp>

namespace {

// hipSPARSE calls rocSPARSE, whose kernels it launches.
TEST_F(LibraryOverAmd, HipsparseMultipliesOnTheStreamOfItsHandle) {
  constexpr int rows = 64;
  auto offsets = buffer<int>(rows + 1);
  auto columns = buffer<int>(rows);
  auto values = buffer<float>(rows);
  auto x = buffer<float>(rows);
  auto y = buffer<float>(rows);
  hipsparseSpMatDescr_t matrix = nullptr;
  hipsparseDnVecDescr_t in = nullptr;
  hipsparseDnVecDescr_t out = nullptr;
  ASSERT_EQ(hipsparseCreateCsr(&matrix, rows, rows, rows, offsets.view().pointer().get(),
                               columns.view().pointer().get(), values.view().pointer().get(),
                               HIPSPARSE_INDEX_32I, HIPSPARSE_INDEX_32I, HIPSPARSE_INDEX_BASE_ZERO,
                               HIP_R_32F),
            HIPSPARSE_STATUS_SUCCESS);
  ASSERT_EQ(hipsparseCreateDnVec(&in, rows, x.view().pointer().get(), HIP_R_32F),
            HIPSPARSE_STATUS_SUCCESS);
  ASSERT_EQ(hipsparseCreateDnVec(&out, rows, y.view().pointer().get(), HIP_R_32F),
            HIPSPARSE_STATUS_SUCCESS);
  auto sparse = ws::StreamBound<ws::HipsparseHandle>::create(stream_).value();
  constexpr auto none = HIPSPARSE_OPERATION_NON_TRANSPOSE;
  std::size_t bytes = 0;
  expect_success(sparse.call<hipsparseSpMV_bufferSize>(none, ws::host_scalar(1.0F), matrix, in,
                                                       ws::host_scalar(0.0F), out, HIP_R_32F,
                                                       HIPSPARSE_SPMV_ALG_DEFAULT, &bytes));
  auto workspace = buffer<std::byte>(bytes + 1);
  const auto call = [&] {
    return sparse.call<hipsparseSpMV>(none, ws::host_scalar(1.0F), matrix, in,
                                      ws::host_scalar(0.0F), out, HIP_R_32F,
                                      HIPSPARSE_SPMV_ALG_DEFAULT, workspace.view());
  };
  expect_launch(stream_, other_, call, {"csrmv"}, y.view().pointer().get());
  EXPECT_EQ(hipsparseDestroyDnVec(in), HIPSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(hipsparseDestroyDnVec(out), HIPSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(hipsparseDestroySpMat(matrix), HIPSPARSE_STATUS_SUCCESS);
}

}  // namespace
