/* SPDX-License-Identifier: BSL-1.0
   Copyright (c) 2026 the warpsafe authors

   Names the blocks of a program's own memory pool to warpsafe-run --races, which then finds memory that the pool
   hands out again too early. C99 and C++, needs no other file of warpsafe: copy it into your program. Without
   warpsafe-run, or without --races, each function does nothing; it looks for the watch once.

   A pool takes large pieces from the driver, and hands out blocks of them. Call these functions for the blocks, not
   for the pieces. Memory that cudaMallocAsync returns needs no naming.

   The functions may be called on any thread. They change nothing in the program. `stream` is a CUDA or HIP stream
   of the current device, as passed to the runtime. */
#ifndef WARPSAFE_POOL_H
#define WARPSAFE_POOL_H

#include <dlfcn.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Copies the address of the watch's function of that name to `function`, or a null pointer. `known` is where the
   address is kept. */
static inline void warpsafe_pool_find(const char* name, void** known, void* function) {
  static char none;
  void* found = __atomic_load_n(known, __ATOMIC_RELAXED);
  if (found == NULL) {
    /* The driver loads the watch when it is initialised, and a pool has memory only after that. */
    found = dlsym(NULL, name); /* RTLD_DEFAULT, which only _GNU_SOURCE declares */
    if (found == NULL) found = &none;
    __atomic_store_n(known, found, __ATOMIC_RELAXED);
  }
  if (found == &none) found = NULL;
  __builtin_memcpy(function, &found, sizeof found);
}
static inline void* warpsafe_pool_stream(void* stream) {
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(HIP_API_PER_THREAD_DEFAULT_STREAM)
  const size_t per_thread = 2; /* cudaStreamPerThread, hipStreamPerThread */
  if (stream == NULL) __builtin_memcpy(&stream, &per_thread, sizeof stream);
#endif
  return stream;
}

/* The pool has handed out `bytes` bytes at `memory` for work of `stream`. If the program says so for memory of a
   block that it has not freed, that block counts as returned; if a part of the block is outside, its uses are
   forgotten. `where` is the place in the program that a report names, such as "step at train.py:12"; a null pointer:
   the caller of this function. The text is copied. */
static inline void warpsafe_pool_allocated(const void* memory, size_t bytes, void* stream, const char* where) {
  static void* known;
  void (*tell)(const void*, size_t, void*, const char*) = NULL;
  warpsafe_pool_find("warpsafe_pool_allocated", &known, &tell);
  if (tell != NULL) tell(memory, bytes, warpsafe_pool_stream(stream), where);
}
/* The program frees the block in the order of `stream`: the pool may hand it out to what comes after this point of
   `stream`. Work on other streams that uses the block must come before it. Call it before the pool takes the block
   back. */
static inline void warpsafe_pool_freed(const void* memory, void* stream) {
  static void* known;
  void (*tell)(const void*, void*) = NULL;
  warpsafe_pool_find("warpsafe_pool_freed", &known, &tell);
  if (tell != NULL) tell(memory, warpsafe_pool_stream(stream));
}
/* The program frees the block, and the pool keeps it for the stream of its allocation. Work on other streams that
   uses the block must come before the stream's next work after it is allocated again. */
static inline void warpsafe_pool_returned(const void* memory) {
  static void* known;
  void (*tell)(const void*) = NULL;
  warpsafe_pool_find("warpsafe_pool_returned", &known, &tell);
  if (tell != NULL) tell(memory);
}

#ifdef __cplusplus
}
#endif

#endif
