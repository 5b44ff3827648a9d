// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Replaces libcusolver.so: a library that calls another one, whose failure it expects.

#include "stand_in.hpp"

extern "C" {

int cusolverDnCreate(void** handle) {
  static_cast<void>(cublasReturn(7));
  return cublasCreate_v2(handle);
}
int cusolverDnSpotrf(void*, int, int n, float*, int lda, float*, int, int*) {
  return lda < n ? 3 : 0;
}
}
