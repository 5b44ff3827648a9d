// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Part of the library that LD_PRELOAD loads before AMD's libamdhip64 (launches.cpp): allocation and
// release of memory.

#include "entry.hpp"

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstdint>

using namespace warpsafe::watch;

namespace {

/// `call()` allocates memory; afterwards `bytes()` bytes are at `*memory`.
template <class Memory, class Bytes, class Asked>
hipError_t allocated(Call kind, const char* name, Memory* memory, const Bytes& bytes,
                     const Asked& call) noexcept {
  StreamCall of = call_of(kind, name);
  return watched(of, [&] {
    const hipError_t status = call();
    if (status != hipSuccess || memory == nullptr) return status;
    of.to = reinterpret_cast<std::uintptr_t>(*memory);
    of.bytes = bytes();
    const bool pinned = kind == Call::noticing || kind == Call::allocate_managed;
    has_memory(*memory, of.bytes, pinned ? MemoryKind::pinned : MemoryKind::device);
    return status;
  });
}
/// `call()` frees memory.
template <class Asked>
hipError_t freed(Call kind, const char* name, void* memory, const Asked& call) noexcept {
  StreamCall of = call_of(kind, name);
  of.to = reinterpret_cast<std::uintptr_t>(memory);
  return watched(of, [&] {
    // Recorded before the call, because another thread may then receive the same address.
    has_no_memory(memory);
    return call();
  });
}

}  // namespace

/// For a function whose first parameter receives the address, and that allocates `bytes`.
#define WARPSAFE_WATCH_GIVES(kind, function, memory, bytes, ...) \
  return allocated(                                              \
      kind, #function, memory, [&] { return bytes; },            \
      [&] { return WARPSAFE_WATCH_NEXT(function, memory, __VA_ARGS__); })

extern "C" {

hipError_t hipMalloc(void** memory, std::size_t bytes) {
  WARPSAFE_WATCH_GIVES(Call::allocate, hipMalloc, memory, bytes, bytes);
}
hipError_t hipExtMallocWithFlags(void** memory, std::size_t bytes, unsigned flags) {
  WARPSAFE_WATCH_GIVES(Call::allocate, hipExtMallocWithFlags, memory, bytes, bytes, flags);
}
hipError_t hipMallocManaged(void** memory, std::size_t bytes, unsigned flags) {
  WARPSAFE_WATCH_GIVES(Call::allocate_managed, hipMallocManaged, memory, bytes, bytes, flags);
}
hipError_t hipMallocAsync(void** memory, std::size_t bytes, hipStream_t stream) {
  WARPSAFE_WATCH_GIVES(Call::allocate_async, hipMallocAsync, memory, bytes, bytes, stream);
}
hipError_t hipMallocFromPoolAsync(void** memory, std::size_t bytes, hipMemPool_t pool,
                                  hipStream_t stream) {
  WARPSAFE_WATCH_GIVES(Call::allocate_async, hipMallocFromPoolAsync, memory, bytes, bytes, pool,
                       stream);
}
hipError_t hipMallocPitch(void** memory, std::size_t* pitch, std::size_t width,
                          std::size_t height) {
  WARPSAFE_WATCH_GIVES(Call::allocate_pitch, hipMallocPitch, memory, *pitch * height, pitch, width,
                       height);
}
hipError_t hipMemAllocPitch(hipDeviceptr_t* memory, std::size_t* pitch, std::size_t width,
                            std::size_t height, unsigned element) {
  WARPSAFE_WATCH_GIVES(Call::allocate_pitch, hipMemAllocPitch, memory, *pitch * height, pitch,
                       width, height, element);
}
hipError_t hipMalloc3D(hipPitchedPtr* memory, hipExtent extent) {
  return allocated(
      Call::allocate_pitch, "hipMalloc3D", memory == nullptr ? nullptr : &memory->ptr,
      [&] { return memory->pitch * extent.height * extent.depth; },
      [&] { return WARPSAFE_WATCH_NEXT(hipMalloc3D, memory, extent); });
}

hipError_t hipHostMalloc(void** memory, std::size_t bytes, unsigned flags) {
  WARPSAFE_WATCH_GIVES(Call::noticing, hipHostMalloc, memory, bytes, bytes, flags);
}
hipError_t hipHostAlloc(void** memory, std::size_t bytes, unsigned flags) {
  WARPSAFE_WATCH_GIVES(Call::noticing, hipHostAlloc, memory, bytes, bytes, flags);
}
hipError_t hipMallocHost(void** memory, std::size_t bytes) {
  WARPSAFE_WATCH_GIVES(Call::noticing, hipMallocHost, memory, bytes, bytes);
}
hipError_t hipMemAllocHost(void** memory, std::size_t bytes) {
  WARPSAFE_WATCH_GIVES(Call::noticing, hipMemAllocHost, memory, bytes, bytes);
}
hipError_t hipHostRegister(void* memory, std::size_t bytes, unsigned flags) {
  return allocated(
      Call::noticing, "hipHostRegister", &memory, [&] { return bytes; },
      [&] { return WARPSAFE_WATCH_NEXT(hipHostRegister, memory, bytes, flags); });
}
hipError_t hipHostUnregister(void* memory) {
  return freed(Call::noticing, "hipHostUnregister", memory,
               [&] { return WARPSAFE_WATCH_NEXT(hipHostUnregister, memory); });
}

hipError_t hipFree(void* memory) {
  return freed(Call::free, "hipFree", memory, [&] { return WARPSAFE_WATCH_NEXT(hipFree, memory); });
}
hipError_t hipFreeAsync(void* memory, hipStream_t stream) {
  return freed(Call::free_async, "hipFreeAsync", memory,
               [&] { return WARPSAFE_WATCH_NEXT(hipFreeAsync, memory, stream); });
}
// These wait, or may wait, for the device.
hipError_t hipHostFree(void* memory) {
  return freed(Call::unfollowed, "hipHostFree", memory,
               [&] { return WARPSAFE_WATCH_NEXT(hipHostFree, memory); });
}
hipError_t hipFreeHost(void* memory) {
  return freed(Call::unfollowed, "hipFreeHost", memory,
               [&] { return WARPSAFE_WATCH_NEXT(hipFreeHost, memory); });
}

}  // extern "C"
