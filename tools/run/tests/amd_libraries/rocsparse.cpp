// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// rocSPARSE.

#include "on_copied_data.hpp"

#include <rocsparse/rocsparse.h>

int main(int argc, char** argv) {
  rocsparse_handle handle = nullptr;
  rocsparse_mat_descr matrix = nullptr;
  return on_copied_data(
      argc, argv,
      [&](hipStream_t stream) {
        int made = rocsparse_create_handle(&handle);
        made += rocsparse_create_mat_descr(&matrix);
        return made + rocsparse_set_stream(handle, stream);
      },
      [&](const Memory& memory) {
        auto* const x = static_cast<float*>(memory.in);
        auto* const rows = static_cast<rocsparse_int*>(memory.more);
        auto* const y = static_cast<float*>(memory.out);
        const float two = 2;
        const float zero = 0;
        const int added =
            rocsparse_saxpyi(handle, 1024, &two, x, rows, y, rocsparse_index_base_zero);
        return added + rocsparse_scsrmv(handle, rocsparse_operation_none, 32, 32, 1000, &two,
                                        matrix, x, rows, rows, nullptr, y, &zero, y);
      });
}
