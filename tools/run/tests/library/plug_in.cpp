// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// An object that a program loads late, and unloads.

#include "stand_in.hpp"

extern "C" int plugged_in(int status) {
  const int returned = cublasReturn(status);
  return returned == cublasReturnOther(status) && returned == cufftReturn(status) ? returned : -1;
}
