// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <new>

// What nvcc's own headers give a program and clang's view of them does not, only declared: nothing
// is run.

// CUDA's min and max for host code, which clang gives to device code alone.
#define WARPSAFE_LINT_MIN_MAX(result, first, second) \
  __attribute__((host)) result min(first, second);   \
  __attribute__((host)) result max(first, second);
#define WARPSAFE_LINT_INTEGERS(type)                                 \
  WARPSAFE_LINT_MIN_MAX(type, type, type)                            \
  WARPSAFE_LINT_MIN_MAX(unsigned type, unsigned type, unsigned type) \
  WARPSAFE_LINT_MIN_MAX(unsigned type, type, unsigned type)          \
  WARPSAFE_LINT_MIN_MAX(unsigned type, unsigned type, type)
WARPSAFE_LINT_INTEGERS(int)
WARPSAFE_LINT_INTEGERS(long)
WARPSAFE_LINT_INTEGERS(long long)
WARPSAFE_LINT_MIN_MAX(float, float, float)
WARPSAFE_LINT_MIN_MAX(double, double, double)
WARPSAFE_LINT_MIN_MAX(double, float, double)
WARPSAFE_LINT_MIN_MAX(double, double, float)
#undef WARPSAFE_LINT_INTEGERS
#undef WARPSAFE_LINT_MIN_MAX

// Loads and stores with a cache hint, of sm_32_intrinsics.h, which clang leaves out.
#define WARPSAFE_LINT_LOAD(name) \
  template <class T>             \
  __attribute__((device)) T name(const T* pointer);
#define WARPSAFE_LINT_STORE(name) \
  template <class T>              \
  __attribute__((device)) void name(T* pointer, T value);
WARPSAFE_LINT_LOAD(__ldca)
WARPSAFE_LINT_LOAD(__ldcg)
WARPSAFE_LINT_LOAD(__ldcs)
WARPSAFE_LINT_LOAD(__ldcv)
WARPSAFE_LINT_LOAD(__ldlu)
WARPSAFE_LINT_STORE(__stcg)
WARPSAFE_LINT_STORE(__stcs)
WARPSAFE_LINT_STORE(__stwb)
WARPSAFE_LINT_STORE(__stwt)
#undef WARPSAFE_LINT_LOAD
#undef WARPSAFE_LINT_STORE

// Surfaces, of surface_indirect_functions.h, likewise.
#define WARPSAFE_LINT_SURFACE(read, write)        \
  template <class T, class... A>                  \
  __attribute__((device)) T read(A... arguments); \
  template <class... A>                           \
  __attribute__((device)) void write(A... arguments);
WARPSAFE_LINT_SURFACE(surf1Dread, surf1Dwrite)
WARPSAFE_LINT_SURFACE(surf2Dread, surf2Dwrite)
WARPSAFE_LINT_SURFACE(surf3Dread, surf3Dwrite)
WARPSAFE_LINT_SURFACE(surf2DLayeredread, surf2DLayeredwrite)
#undef WARPSAFE_LINT_SURFACE
