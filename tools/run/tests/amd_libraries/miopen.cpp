// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// MIOpen: a convolution of one pixel, which rocBLAS computes.

#include "on_copied_data.hpp"

#include <miopen/miopen.h>

#include <algorithm>

int main(int argc, char** argv) {
  miopenHandle_t handle = nullptr;
  miopenTensorDescriptor_t image = nullptr;
  miopenTensorDescriptor_t filters = nullptr;
  miopenConvolutionDescriptor_t convolution = nullptr;
  return on_copied_data(
      argc, argv,
      [&](hipStream_t stream) {
        int made = miopenCreate(&handle);
        made += miopenSetStream(handle, stream);
        made += miopenCreateTensorDescriptor(&image);
        made += miopenSet4dTensorDescriptor(image, miopenFloat, 1, 8, 8, 8);
        made += miopenCreateTensorDescriptor(&filters);
        made += miopenSet4dTensorDescriptor(filters, miopenFloat, 8, 8, 1, 1);
        made += miopenCreateConvolutionDescriptor(&convolution);
        return made +
               miopenInitConvolutionDescriptor(convolution, miopenConvolution, 0, 0, 1, 1, 1, 1);
      },
      [&](const Memory& memory) {
        miopenConvSolution_t solutions[32] = {};
        std::size_t count = 0;
        const int asked = miopenConvolutionForwardGetSolution(handle, filters, image, convolution,
                                                              image, 32, &count, solutions);
        const auto* const product =
            std::find_if(solutions, solutions + count, [](const miopenConvSolution_t& one) {
              return one.algorithm == miopenConvolutionAlgoGEMM;
            });
        if (product == solutions + count) return asked + 1;
        return asked + miopenConvolutionForwardImmediate(handle, filters, memory.more, image,
                                                         memory.in, convolution, image, memory.out,
                                                         nullptr, 0, product->solution_id);
      });
}
