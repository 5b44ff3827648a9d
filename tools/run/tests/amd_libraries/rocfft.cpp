// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// rocFFT.

#include "on_copied_data.hpp"

#include <rocfft/rocfft.h>

int main(int argc, char** argv) {
  rocfft_plan plan = nullptr;
  rocfft_execution_info information = nullptr;
  return on_copied_data(
      argc, argv,
      [&](hipStream_t stream) {
        const std::size_t size = 1024;
        int made = rocfft_setup();
        made += rocfft_plan_create(&plan, rocfft_placement_notinplace,
                                   rocfft_transform_type_complex_forward, rocfft_precision_single,
                                   1, &size, 1, nullptr);
        made += rocfft_execution_info_create(&information);
        return made + rocfft_execution_info_set_stream(information, stream);
      },
      [&](const Memory& memory) {
        void* in[] = {memory.in};
        void* out[] = {memory.out};
        return static_cast<int>(rocfft_execute(plan, in, out, information));
      });
}
