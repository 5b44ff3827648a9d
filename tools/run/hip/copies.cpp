// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Part of the library that LD_PRELOAD loads before AMD's libamdhip64 (launches.cpp): copies and
// fills of contiguous memory. Those without a stream count as waits, whatever memory they use.

#include "entry.hpp"

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstdint>

using namespace warpsafe::watch;

namespace {

std::uintptr_t address(const void* memory) noexcept {
  return reinterpret_cast<std::uintptr_t>(memory);
}
/// Returns the role of a copy of that kind, with or without a stream.
Call copy_kind(hipMemcpyKind kind, bool async) noexcept {
  switch (kind) {
    case hipMemcpyHostToDevice:
      return async ? Call::copy_in_async : Call::copy_in;
    case hipMemcpyDeviceToHost:
      return async ? Call::copy_out_async : Call::copy_out;
    case hipMemcpyDeviceToDevice:
      return async ? Call::copy_device_async : Call::copy_device;
    default:
      return async ? Call::copy_any_async : Call::copy_any;
  }
}
StreamCall copy(const char* name, Call call, const void* to, const void* from, std::size_t bytes,
                hipStream_t stream = nullptr, bool per_thread = false) noexcept {
  StreamCall of = call_on(call, name, stream, per_thread);
  of.to = address(to);
  of.from = address(from);
  of.bytes = bytes;
  return of;
}
/// Types for the driver-like copies from the host; later headers add a const.
template <class R, class A, class B, class C>
B second_parameter(R (*)(A, B, C));
using HostSource = decltype(second_parameter(&hipMemcpyHtoD));

StreamCall waiting(StreamCall of) noexcept {
  of.host_waits = true;
  return of;
}

}  // namespace

/// `WARPSAFE_WATCH_AS(of, hipMemset, memory, value, bytes)` makes the call and reports it as `of`.
#define WARPSAFE_WATCH_AS(of, function, ...) \
  return watched(of, [&] { return WARPSAFE_WATCH_NEXT(function, __VA_ARGS__); })
#define WARPSAFE_WATCH_SHOWN [[gnu::visibility("default")]]

extern "C" {

hipError_t hipMemcpy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind) {
  WARPSAFE_WATCH_AS(waiting(copy("hipMemcpy", copy_kind(kind, false), to, from, bytes)), hipMemcpy,
                    to, from, bytes, kind);
}
WARPSAFE_WATCH_SHOWN hipError_t hipMemcpy_spt(void* to, const void* from, std::size_t bytes,
                                              hipMemcpyKind kind) {
  WARPSAFE_WATCH_AS(
      waiting(copy("hipMemcpy", copy_kind(kind, false), to, from, bytes, nullptr, true)),
      hipMemcpy_spt, to, from, bytes, kind);
}
hipError_t hipMemcpyWithStream(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind,
                               hipStream_t stream) {
  WARPSAFE_WATCH_AS(
      waiting(copy("hipMemcpyWithStream", copy_kind(kind, false), to, from, bytes, stream)),
      hipMemcpyWithStream, to, from, bytes, kind, stream);
}
hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind,
                          hipStream_t stream) {
  WARPSAFE_WATCH_AS(copy("hipMemcpyAsync", copy_kind(kind, true), to, from, bytes, stream),
                    hipMemcpyAsync, to, from, bytes, kind, stream);
}
WARPSAFE_WATCH_SHOWN hipError_t hipMemcpyAsync_spt(void* to, const void* from, std::size_t bytes,
                                                   hipMemcpyKind kind, hipStream_t stream) {
  WARPSAFE_WATCH_AS(copy("hipMemcpyAsync", copy_kind(kind, true), to, from, bytes, stream, true),
                    hipMemcpyAsync_spt, to, from, bytes, kind, stream);
}
hipError_t hipMemcpyHtoD(hipDeviceptr_t to, HostSource from, std::size_t bytes) {
  WARPSAFE_WATCH_AS(waiting(copy("hipMemcpyHtoD", Call::copy_in, to, from, bytes)), hipMemcpyHtoD,
                    to, from, bytes);
}
hipError_t hipMemcpyDtoH(void* to, hipDeviceptr_t from, std::size_t bytes) {
  WARPSAFE_WATCH_AS(waiting(copy("hipMemcpyDtoH", Call::copy_out, to, from, bytes)), hipMemcpyDtoH,
                    to, from, bytes);
}
hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, std::size_t bytes) {
  WARPSAFE_WATCH_AS(waiting(copy("hipMemcpyDtoD", Call::copy_device, to, from, bytes)),
                    hipMemcpyDtoD, to, from, bytes);
}
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, HostSource from, std::size_t bytes,
                              hipStream_t stream) {
  WARPSAFE_WATCH_AS(copy("hipMemcpyHtoDAsync", Call::copy_in_async, to, from, bytes, stream),
                    hipMemcpyHtoDAsync, to, from, bytes, stream);
}
hipError_t hipMemcpyDtoHAsync(void* to, hipDeviceptr_t from, std::size_t bytes,
                              hipStream_t stream) {
  WARPSAFE_WATCH_AS(copy("hipMemcpyDtoHAsync", Call::copy_out_async, to, from, bytes, stream),
                    hipMemcpyDtoHAsync, to, from, bytes, stream);
}
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, std::size_t bytes,
                              hipStream_t stream) {
  WARPSAFE_WATCH_AS(copy("hipMemcpyDtoDAsync", Call::copy_device_async, to, from, bytes, stream),
                    hipMemcpyDtoDAsync, to, from, bytes, stream);
}

hipError_t hipMemset(void* memory, int value, std::size_t bytes) {
  WARPSAFE_WATCH_AS(waiting(copy("hipMemset", Call::fill, memory, nullptr, bytes)), hipMemset,
                    memory, value, bytes);
}
WARPSAFE_WATCH_SHOWN hipError_t hipMemset_spt(void* memory, int value, std::size_t bytes) {
  WARPSAFE_WATCH_AS(waiting(copy("hipMemset", Call::fill, memory, nullptr, bytes, nullptr, true)),
                    hipMemset_spt, memory, value, bytes);
}
hipError_t hipMemsetAsync(void* memory, int value, std::size_t bytes, hipStream_t stream) {
  WARPSAFE_WATCH_AS(copy("hipMemsetAsync", Call::fill_async, memory, nullptr, bytes, stream),
                    hipMemsetAsync, memory, value, bytes, stream);
}
WARPSAFE_WATCH_SHOWN hipError_t hipMemsetAsync_spt(void* memory, int value, std::size_t bytes,
                                                   hipStream_t stream) {
  WARPSAFE_WATCH_AS(copy("hipMemsetAsync", Call::fill_async, memory, nullptr, bytes, stream, true),
                    hipMemsetAsync_spt, memory, value, bytes, stream);
}
hipError_t hipMemsetD8(hipDeviceptr_t memory, unsigned char value, std::size_t count) {
  WARPSAFE_WATCH_AS(waiting(copy("hipMemsetD8", Call::fill, memory, nullptr, count)), hipMemsetD8,
                    memory, value, count);
}
hipError_t hipMemsetD16(hipDeviceptr_t memory, unsigned short value, std::size_t count) {
  WARPSAFE_WATCH_AS(waiting(copy("hipMemsetD16", Call::fill, memory, nullptr, count * 2)),
                    hipMemsetD16, memory, value, count);
}
hipError_t hipMemsetD32(hipDeviceptr_t memory, int value, std::size_t count) {
  WARPSAFE_WATCH_AS(waiting(copy("hipMemsetD32", Call::fill, memory, nullptr, count * 4)),
                    hipMemsetD32, memory, value, count);
}
hipError_t hipMemsetD8Async(hipDeviceptr_t memory, unsigned char value, std::size_t count,
                            hipStream_t stream) {
  WARPSAFE_WATCH_AS(copy("hipMemsetD8Async", Call::fill_async, memory, nullptr, count, stream),
                    hipMemsetD8Async, memory, value, count, stream);
}
hipError_t hipMemsetD16Async(hipDeviceptr_t memory, unsigned short value, std::size_t count,
                             hipStream_t stream) {
  WARPSAFE_WATCH_AS(copy("hipMemsetD16Async", Call::fill_async, memory, nullptr, count * 2, stream),
                    hipMemsetD16Async, memory, value, count, stream);
}
hipError_t hipMemsetD32Async(hipDeviceptr_t memory, int value, std::size_t count,
                             hipStream_t stream) {
  WARPSAFE_WATCH_AS(copy("hipMemsetD32Async", Call::fill_async, memory, nullptr, count * 4, stream),
                    hipMemsetD32Async, memory, value, count, stream);
}

}  // extern "C"
