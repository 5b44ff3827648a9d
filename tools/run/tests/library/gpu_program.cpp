// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A right or wrong user of NVIDIA's own libraries, for on_gpu.py: its argument is the mode. It
// prints what it computed and the statuses. Exit code 77: no GPU.

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cufft.h>
#include <curand.h>
#include <cusolverDn.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

float* on_device(const std::vector<float>& values) {
  void* memory = nullptr;
  const std::size_t bytes = values.size() * sizeof(float);
  if (cudaMalloc(&memory, bytes) != cudaSuccess) return nullptr;
  cudaMemcpy(memory, values.data(), bytes, cudaMemcpyHostToDevice);
  return static_cast<float*>(memory);
}
void print(const char* what, const float* memory, int count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  cudaMemcpy(values.data(), memory, values.size() * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%s:", what);
  for (const float one : values) std::printf(" %g", static_cast<double>(one));
  std::printf("\n");
}

struct Data {
  cublasHandle_t handle = nullptr;
  float one = 1;
  float zero = 0;
  float* a = on_device({1, 2, 3, 4});
  float* b = on_device({5, 6, 7, 8});
  float* c = on_device({0, 0, 0, 0});

  int gemm(cublasHandle_t with, int m, int ldb) {
    return cublasSgemm(with, CUBLAS_OP_N, CUBLAS_OP_N, m, 2, 2, &one, a, 2, b, ldb, &zero, c, 2);
  }
};

/// Returns the sum of the statuses, which are 0.
int all_right(Data& data) {
  int sum = data.gemm(data.handle, 2, 2);
  print("product", data.c, 4);
  cufftHandle plan = 0;
  sum += cufftPlan1d(&plan, 2, CUFFT_C2C, 1);
  sum += cufftExecC2C(plan, reinterpret_cast<cufftComplex*>(data.a),
                      reinterpret_cast<cufftComplex*>(data.c), CUFFT_FORWARD);
  print("transform", data.c, 4);
  sum += cufftDestroy(plan);
  curandGenerator_t generator = nullptr;
  sum += curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
  sum += curandGenerateUniform(generator, data.c, 4);
  sum += curandDestroyGenerator(generator);
  print("random", data.c, 4);
  cusolverDnHandle_t solver = nullptr;
  sum += cusolverDnCreate(&solver);
  float* const matrix = on_device({4, 0, 0, 9});
  int size = 0;
  sum += cusolverDnSpotrf_bufferSize(solver, CUBLAS_FILL_MODE_LOWER, 2, matrix, 2, &size);
  float* const work = on_device(std::vector<float>(static_cast<std::size_t>(size) + 1));
  auto* const info = reinterpret_cast<int*>(on_device({0}));
  sum += cusolverDnSpotrf(solver, CUBLAS_FILL_MODE_LOWER, 2, matrix, 2, work, size, info);
  print("factor", matrix, 4);
  sum += cusolverDnDestroy(solver);
  return sum;
}
/// Prints the microseconds of a small product, without its status.
int cost(Data& data) {
  constexpr int calls = 20000;
  double best = 1e9;
  for (int run = 0; run < 5; ++run) {
    const auto begun = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) static_cast<void>(data.gemm(data.handle, 2, 2));
    cudaDeviceSynchronize();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begun;
    best = took.count() < best ? took.count() : best;
  }
  std::printf("cublasSgemm: %.2f microseconds\n", best / calls);
  return 0;
}
int act(const char* mode, Data& data) {
  const auto is = [&](const char* one) { return std::strcmp(mode, one) == 0; };
  if (is("right")) return all_right(data);
  if (is("cost")) return cost(data);
  if (is("gemm_ldb")) return data.gemm(data.handle, 2, 1);
  if (is("gemm_negative")) return data.gemm(data.handle, -2, 2);
  if (is("no_handle")) return data.gemm(nullptr, 2, 2);
  if (is("set_matrix")) return cublasSetMatrix(2, 2, 0, &data.one, 2, data.a, 2);
  cufftHandle plan = 0;
  if (is("plan_size")) return cufftPlan1d(&plan, -4, CUFFT_C2C, 1);
  if (is("plan_type")) return cufftPlan1d(&plan, 4, static_cast<cufftType>(5), 1);
  if (is("no_plan")) return cufftExecC2C(77, nullptr, nullptr, CUFFT_FORWARD);
  if (is("normal_odd")) {
    curandGenerator_t generator = nullptr;
    curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
    return curandGenerateNormal(generator, data.c, 3, 0, 1);
  }
  return -1;
}

}  // namespace

int main(int argc, char** argv) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77;
  Data data;
  if (argc < 2 || cublasCreate(&data.handle) != CUBLAS_STATUS_SUCCESS) return 1;
  const int status = act(argv[1], data);
  std::printf("%s: %d\n", argv[1], status);
  return cublasDestroy(data.handle);
}
