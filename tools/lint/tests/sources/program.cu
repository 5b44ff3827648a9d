// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <cuda_runtime.h>

#include <cstdlib>

// A program that ends itself at its first error. A destructor that does so loses little.

void stop_on(cudaError_t status) {
  if (status != cudaSuccess) std::exit(EXIT_FAILURE);
}

template <int kind>
struct Runner;
template <>
struct Runner<1> {
  ~Runner() { stop_on(cudaFree(p)); }  // finds: D09/note
  float* p;
};
template <>
struct Runner<2> {
  ~Runner() { stop_on(cudaFree(p)); }  // finds: D09/note
  float* p;
};

int main() {
  Runner<1> one{};
  Runner<2> two{};
}
