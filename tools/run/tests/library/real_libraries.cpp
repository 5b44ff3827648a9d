// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Wrong calls of NVIDIA's own libraries, which they refuse without a device.

#include <cublas_v2.h>
#include <cuda.h>
#include <cufft.h>
#include <curand.h>
#include <cusparse.h>

#include <cstdio>

int main() {
  if (cuInit(0) != CUDA_SUCCESS) return 1;
  float data[16] = {};
  const float one = 1;
  curandGenerator_t generator = nullptr;
  const int statuses[] = {cublasSgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, data, 4,
                                      data, 4, &one, data, 4),
                          cublasSgemm_64(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, data, 4,
                                         data, 4, &one, data, 4),
                          cublasSetVector(4, 4, data, 0, data, 1),
                          cufftExecC2C(7, nullptr, nullptr, CUFFT_FORWARD),
                          cusparseSetStream(nullptr, nullptr),
                          curandCreateGeneratorHost(&generator, CURAND_RNG_PSEUDO_XORWOW),
                          curandGenerateNormal(generator, data, 3, 0, 1),
                          curandGenerateUniform(generator, data, 3),
                          curandDestroyGenerator(generator)};
  for (const int one_status : statuses) std::printf("%d ", one_status);
  std::printf("\n");
}
