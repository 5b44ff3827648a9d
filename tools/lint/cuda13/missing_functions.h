// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <math.h>

#include <functional>
#include <iterator>
#include <new>
#include <tuple>

// What nvcc's own headers give a program and clang's view of them does not, only declared: nothing
// is run. math.h has isfinite and its relatives outside of std, as nvcc's headers do.

// Clang includes cuRAND's headers before each source. These macros of theirs are names of programs.
#undef MEXP
#undef THREAD_NUM
#undef LARGE_SIZE

// Functions that CUDA 13 no longer has, which older programs call.
extern "C" cudaError_t cudaThreadSynchronize();
extern "C" cudaError_t cudaThreadExit();

// The forms that these functions had before CUDA 13, with the number of a device.
cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, int device,
                                 cudaStream_t stream = 0);
cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice, int device);

#if CUDART_VERSION >= 13000
// What CUDA 13 took out of Thrust and CUB.
namespace thrust {
template <class A, class R>
struct unary_function {
  using argument_type = A;
  using result_type = R;
};
template <class A, class B, class R>
struct binary_function {
  using first_argument_type = A;
  using second_argument_type = B;
  using result_type = R;
};
struct input_universal_iterator_tag : std::input_iterator_tag {};
struct output_universal_iterator_tag : std::output_iterator_tag {};
struct forward_universal_iterator_tag : std::forward_iterator_tag {};
struct bidirectional_universal_iterator_tag : std::bidirectional_iterator_tag {};
struct random_access_universal_iterator_tag : std::random_access_iterator_tag {};
}  // namespace thrust
namespace cub {
#define WARPSAFE_LINT_OPERATION(name)                                                              \
  struct name {                                                                                    \
    template <class A, class B>                                                                    \
    __attribute__((host, device)) decltype(true ? A() : B()) operator()(const A&, const B&) const; \
  };
#define WARPSAFE_LINT_COMPARISON(name)                                       \
  struct name {                                                              \
    template <class A, class B>                                              \
    __attribute__((host, device)) bool operator()(const A&, const B&) const; \
  };
WARPSAFE_LINT_OPERATION(Sum)
WARPSAFE_LINT_OPERATION(Difference)
WARPSAFE_LINT_OPERATION(Division)
WARPSAFE_LINT_OPERATION(Max)
WARPSAFE_LINT_OPERATION(Min)
WARPSAFE_LINT_COMPARISON(Equality)
WARPSAFE_LINT_COMPARISON(Inequality)
#undef WARPSAFE_LINT_OPERATION
#undef WARPSAFE_LINT_COMPARISON
template <int value>
struct Int2Type {
  enum { VALUE = value };
};
#define WARPSAFE_LINT_ITERATOR(name, parameters, value, distance) \
  template <parameters>                                           \
  struct name {                                                   \
    using iterator_category = std::random_access_iterator_tag;    \
    using value_type = value;                                     \
    using difference_type = distance;                             \
    using reference = value;                                      \
    using pointer = value*;                                       \
    template <class... A>                                         \
    __attribute__((host, device)) name(A...);                     \
    __attribute__((host, device)) value operator*() const;        \
    template <class N>                                            \
    __attribute__((host, device)) value operator[](N) const;      \
    template <class N>                                            \
    __attribute__((host, device)) name operator+(N) const;        \
    __attribute__((host, device)) name& operator++();             \
  };
#define WARPSAFE_LINT_COMMA ,
WARPSAFE_LINT_ITERATOR(ConstantInputIterator, class V WARPSAFE_LINT_COMMA class D = ptrdiff_t, V, D)
WARPSAFE_LINT_ITERATOR(CountingInputIterator, class V WARPSAFE_LINT_COMMA class D = ptrdiff_t, V, D)
WARPSAFE_LINT_ITERATOR(TransformInputIterator,
                       class V WARPSAFE_LINT_COMMA class F WARPSAFE_LINT_COMMA class I
                           WARPSAFE_LINT_COMMA class D = ptrdiff_t,
                       V, D)
WARPSAFE_LINT_ITERATOR(DiscardOutputIterator, class D = ptrdiff_t, D, D)
#undef WARPSAFE_LINT_ITERATOR
#undef WARPSAFE_LINT_COMMA
}  // namespace cub
#endif

// nvcc's value of the macro, which clang leaves empty.
#ifdef __CUDACC__
#undef __CUDACC__
#define __CUDACC__ 1
#endif

// Thread block clusters, which cooperative_groups.h otherwise leaves to nvcc.
#define _CG_CLUSTER_INTRINSICS_AVAILABLE

// The architectures that nvcc compiles for.
#ifndef __CUDA_ARCH_LIST__
#define __CUDA_ARCH_LIST__ 750, 800, 900
#endif

// The version of nvcc, which a source may use as a number.
#ifndef __CUDACC_VER_MAJOR__
#define __CUDACC_VER_MAJOR__ (CUDART_VERSION / 1000)
#define __CUDACC_VER_MINOR__ (CUDART_VERSION % 1000 / 10)
#define __CUDACC_VER_BUILD__ 0
#endif

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

// Atomic operations with an order and a scope, of crt/device_functions.h: nvcc knows them itself.
enum {
  __NV_ATOMIC_RELAXED,
  __NV_ATOMIC_CONSUME,
  __NV_ATOMIC_ACQUIRE,
  __NV_ATOMIC_RELEASE,
  __NV_ATOMIC_ACQ_REL,
  __NV_ATOMIC_SEQ_CST
};
enum {
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_SYSTEM
};
#define WARPSAFE_LINT_ATOMIC(result, name, ...) \
  template <class T>                            \
  __attribute__((device)) result __nv_atomic_##name(__VA_ARGS__, int order, int scope = 4);
#define WARPSAFE_LINT_FETCH(name)                                              \
  WARPSAFE_LINT_ATOMIC(T, fetch_##name, T* pointer, decltype(T() + T()) value) \
  WARPSAFE_LINT_ATOMIC(void, name, T* pointer, decltype(T() + T()) value)
WARPSAFE_LINT_ATOMIC(T, load_n, const T* pointer)
WARPSAFE_LINT_ATOMIC(void, load, const T* pointer, T* result)
WARPSAFE_LINT_ATOMIC(void, store_n, T* pointer, decltype(T()) value)
WARPSAFE_LINT_ATOMIC(void, store, T* pointer, T* value)
WARPSAFE_LINT_ATOMIC(T, exchange_n, T* pointer, decltype(T()) value)
WARPSAFE_LINT_ATOMIC(void, exchange, T* pointer, T* value, T* result)
WARPSAFE_LINT_FETCH(add)
WARPSAFE_LINT_FETCH(sub)
WARPSAFE_LINT_FETCH(and)
WARPSAFE_LINT_FETCH(or)
WARPSAFE_LINT_FETCH(xor)
WARPSAFE_LINT_FETCH(min)
WARPSAFE_LINT_FETCH(max)
#undef WARPSAFE_LINT_FETCH
#undef WARPSAFE_LINT_ATOMIC
template <class T>
__attribute__((device)) bool __nv_atomic_compare_exchange_n(T* pointer, T* expected,
                                                            decltype(T()) desired, bool weak,
                                                            int success, int failure,
                                                            int scope = 4);
template <class T>
__attribute__((device)) bool __nv_atomic_compare_exchange(T* pointer, T* expected, T* desired,
                                                          bool weak, int success, int failure,
                                                          int scope = 4);
__attribute__((device)) void __nv_atomic_thread_fence(int order, int scope = 4);
