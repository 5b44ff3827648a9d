// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Part of the library that LD_PRELOAD loads before AMD's libamdhip64 (launches.cpp): copies and
// fills that are not tracked and therefore count as waits, and calls that order work in unknown
// ways.

#include "entry.hpp"

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstdint>

using warpsafe::watch::Call;

extern "C" {

WARPSAFE_WATCH(Call::unfollowed, hipMemcpy2D,
               (void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                std::size_t width, std::size_t height, hipMemcpyKind kind),
               to, to_pitch, from, from_pitch, width, height, kind)
WARPSAFE_WATCH(Call::unfollowed, hipMemcpy2DAsync,
               (void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                std::size_t width, std::size_t height, hipMemcpyKind kind, hipStream_t stream),
               to, to_pitch, from, from_pitch, width, height, kind, stream)
WARPSAFE_WATCH(Call::unfollowed, hipMemcpyParam2D, (const hip_Memcpy2D* of), of)
WARPSAFE_WATCH(Call::unfollowed, hipMemcpyParam2DAsync,
               (const hip_Memcpy2D* of, hipStream_t stream), of, stream)
WARPSAFE_WATCH(Call::unfollowed, hipDrvMemcpy2DUnaligned, (const hip_Memcpy2D* of), of)
WARPSAFE_WATCH(Call::unfollowed, hipMemcpy3D, (const hipMemcpy3DParms* of), of)
WARPSAFE_WATCH(Call::unfollowed, hipMemcpy3DAsync, (const hipMemcpy3DParms* of, hipStream_t stream),
               of, stream)
WARPSAFE_WATCH(Call::unfollowed, hipDrvMemcpy3D, (const HIP_MEMCPY3D* of), of)
WARPSAFE_WATCH(Call::unfollowed, hipDrvMemcpy3DAsync, (const HIP_MEMCPY3D* of, hipStream_t stream),
               of, stream)
WARPSAFE_WATCH(Call::unfollowed, hipMemcpyPeer,
               (void* to, int to_device, const void* from, int from_device, std::size_t bytes), to,
               to_device, from, from_device, bytes)
WARPSAFE_WATCH(Call::unfollowed, hipMemcpyPeerAsync,
               (void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                hipStream_t stream),
               to, to_device, from, from_device, bytes, stream)
WARPSAFE_WATCH(Call::unfollowed, hipMemcpyToSymbol,
               (const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                hipMemcpyKind kind),
               symbol, from, bytes, offset, kind)
WARPSAFE_WATCH(Call::unfollowed, hipMemcpyToSymbolAsync,
               (const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                hipMemcpyKind kind, hipStream_t stream),
               symbol, from, bytes, offset, kind, stream)
WARPSAFE_WATCH(Call::unfollowed, hipMemcpyFromSymbol,
               (void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                hipMemcpyKind kind),
               to, symbol, bytes, offset, kind)
WARPSAFE_WATCH(Call::unfollowed, hipMemcpyFromSymbolAsync,
               (void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                hipMemcpyKind kind, hipStream_t stream),
               to, symbol, bytes, offset, kind, stream)
WARPSAFE_WATCH(Call::unfollowed, hipMemcpyToArray,
               (hipArray * to, std::size_t column, std::size_t row, const void* from,
                std::size_t bytes, hipMemcpyKind kind),
               to, column, row, from, bytes, kind)
WARPSAFE_WATCH(Call::unfollowed, hipMemcpyFromArray,
               (void* to, hipArray_const_t from, std::size_t column, std::size_t row,
                std::size_t bytes, hipMemcpyKind kind),
               to, from, column, row, bytes, kind)
WARPSAFE_WATCH(Call::unfollowed, hipMemcpy2DToArray,
               (hipArray * to, std::size_t column, std::size_t row, const void* from,
                std::size_t pitch, std::size_t width, std::size_t height, hipMemcpyKind kind),
               to, column, row, from, pitch, width, height, kind)
WARPSAFE_WATCH(Call::unfollowed, hipMemcpy2DFromArray,
               (void* to, std::size_t pitch, hipArray_const_t from, std::size_t column,
                std::size_t row, std::size_t width, std::size_t height, hipMemcpyKind kind),
               to, pitch, from, column, row, width, height, kind)
WARPSAFE_WATCH(Call::unfollowed, hipMemcpyAtoH,
               (void* to, hipArray* from, std::size_t offset, std::size_t bytes), to, from, offset,
               bytes)
WARPSAFE_WATCH(Call::unfollowed, hipMemcpyHtoA,
               (hipArray * to, std::size_t offset, const void* from, std::size_t bytes), to, offset,
               from, bytes)
WARPSAFE_WATCH(Call::unfollowed, hipMemset2D,
               (void* to, std::size_t pitch, int value, std::size_t width, std::size_t height), to,
               pitch, value, width, height)
WARPSAFE_WATCH(Call::unfollowed, hipMemset2DAsync,
               (void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                hipStream_t stream),
               to, pitch, value, width, height, stream)
WARPSAFE_WATCH(Call::unfollowed, hipMemset3D, (hipPitchedPtr to, int value, hipExtent extent), to,
               value, extent)
WARPSAFE_WATCH(Call::unfollowed, hipMemset3DAsync,
               (hipPitchedPtr to, int value, hipExtent extent, hipStream_t stream), to, value,
               extent, stream)
// The compiler calls these under -fgpu-default-stream=per-thread. No header declares them.
WARPSAFE_WATCH(Call::unfollowed, hipMemcpy2D_spt,
               (void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                std::size_t width, std::size_t height, hipMemcpyKind kind),
               to, to_pitch, from, from_pitch, width, height, kind)
WARPSAFE_WATCH(Call::unfollowed, hipMemcpy3D_spt, (const hipMemcpy3DParms* of), of)
WARPSAFE_WATCH(Call::unfollowed, hipMemcpyToSymbol_spt,
               (const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                hipMemcpyKind kind),
               symbol, from, bytes, offset, kind)
WARPSAFE_WATCH(Call::unfollowed, hipMemcpyFromSymbol_spt,
               (void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                hipMemcpyKind kind),
               to, symbol, bytes, offset, kind)
WARPSAFE_WATCH(Call::unfollowed, hipMemset2D_spt,
               (void* to, std::size_t pitch, int value, std::size_t width, std::size_t height), to,
               pitch, value, width, height)
WARPSAFE_WATCH(Call::unfollowed, hipMemset3D_spt, (hipPitchedPtr to, int value, hipExtent extent),
               to, value, extent)

// Launches for several devices at once, and launches of programs compiled by HIP 3.
WARPSAFE_WATCH(Call::unfollowed, hipLaunchCooperativeKernelMultiDevice,
               (hipLaunchParams * launches, int count, unsigned flags), launches, count, flags)
WARPSAFE_WATCH(Call::unfollowed, hipExtLaunchMultiKernelMultiDevice,
               (hipLaunchParams * launches, int count, unsigned flags), launches, count, flags)
WARPSAFE_WATCH(Call::unfollowed, hipLaunchByPtr, (const void* stub), stub)

WARPSAFE_WATCH(Call::unknown_order, hipStreamWaitValue32,
               (hipStream_t stream, void* at, std::uint32_t value, unsigned flags,
                std::uint32_t mask),
               stream, at, value, flags, mask)
WARPSAFE_WATCH(Call::unknown_order, hipStreamWaitValue64,
               (hipStream_t stream, void* at, std::uint64_t value, unsigned flags,
                std::uint64_t mask),
               stream, at, value, flags, mask)
WARPSAFE_WATCH(Call::unknown_order, hipWaitExternalSemaphoresAsync,
               (const hipExternalSemaphore_t* semaphores,
                const hipExternalSemaphoreWaitParams* waits, unsigned count, hipStream_t stream),
               semaphores, waits, count, stream)
WARPSAFE_WATCH(Call::unknown_order, hipGraphAddEventRecordNode,
               (hipGraphNode_t * node, hipGraph_t graph, const hipGraphNode_t* before,
                std::size_t count, hipEvent_t event),
               node, graph, before, count, event)
WARPSAFE_WATCH(Call::unknown_order, hipGraphAddEventWaitNode,
               (hipGraphNode_t * node, hipGraph_t graph, const hipGraphNode_t* before,
                std::size_t count, hipEvent_t event),
               node, graph, before, count, event)

}  // extern "C"
