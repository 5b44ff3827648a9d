/* SPDX-License-Identifier: BSL-1.0 */
/* Copyright (c) 2026 the warpsafe authors */

/* Control functions of the software HSA agent, which takes the place of libhsa-runtime64.so.1 under
 * AMD's HIP runtime (../README.md). A program that calls none of them works all the same. All
 * functions may be called from any thread. */
#ifndef WARPSAFE_TESTS_SOFT_HSA_H
#define WARPSAFE_TESTS_SOFT_HSA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One kernel dispatch packet as the runtime wrote it into a queue. */
struct SoftHsaDispatch {
  uint64_t sequence;    /* 1 for the first dispatch of the process */
  const char* kernel;   /* mangled name; "?" if the packet names no loaded kernel. Never freed */
  int device;           /* index of the GPU agent whose queue took it */
  uint16_t setup;       /* the number of dimensions */
  uint16_t block[3];    /* workgroup_size */
  uint32_t grid[3];     /* grid_size: threads, not blocks */
  uint32_t group_bytes; /* group_segment_size: static and dynamic shared memory */
  uint32_t private_bytes;
  uint32_t static_group_bytes; /* from the kernel descriptor */
  uint32_t kernarg_bytes;      /* from the kernel descriptor, or to the end of the last argument */
  const void* kernarg;         /* may be reused once the dispatch is complete */
  void* hostcall;              /* the runtime's buffer for printf and assert; null if unused */
  int blit;                    /* 1 for a kernel of the runtime's own */
};

/* The number of dispatches so far. */
uint64_t soft_hsa_dispatches(void);
/* Copies a dispatch. Returns 0 if there is none of this number, or it is not one of the last 65536.
 */
int soft_hsa_dispatch(uint64_t sequence, struct SoftHsaDispatch* out);

/* A function that runs in a kernel's place, on the queue's thread. Null takes it away. */
typedef void (*SoftHsaTwin)(const struct SoftHsaDispatch* dispatch, void* data);
void soft_hsa_twin(const char* kernel, SoftHsaTwin twin, void* data);
/* The number of dispatches that a function or a twin library executed, without the runtime's own
 * kernels; and of those that nothing executed. */
uint64_t soft_hsa_executed(void);
uint64_t soft_hsa_not_executed(void);

/* 1 stops all queues and copies before their next packet, 0 lets them go on. */
void soft_hsa_hold(int held);

/* What the next dispatch of a kernel that is not the runtime's own does in place of the kernel. In
 * a function of soft_hsa_twin: what this dispatch does after the function. */
enum SoftHsaFault {
  SOFT_HSA_MEMORY_FAULT = 1,        /* an access to memory that is not there */
  SOFT_HSA_ABORT = 2,               /* a trap: __builtin_trap(), abort(), a failed assert() */
  SOFT_HSA_ILLEGAL_INSTRUCTION = 3, /* a code object for another device */
};
void soft_hsa_fault_next(enum SoftHsaFault fault);

/* What exists now: signals, queues, and bytes allocated from a GPU's pools. */
uint64_t soft_hsa_live_signals(void);
uint64_t soft_hsa_live_queues(void);
uint64_t soft_hsa_used_bytes(int device);

#ifdef __cplusplus
}
#endif
#endif
