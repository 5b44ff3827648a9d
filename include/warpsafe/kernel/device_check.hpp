// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/kernel/device_functions.hpp>

// A check in a kernel whose failure the host hears of, with the kernel, block, thread, file, line
// and text, and that leaves the device's context whole.

#if WARPSAFE_CHECKS == 2 && !defined(__CUDACC_RTC__) && !defined(__HIPCC_RTC__)

#include <warpsafe/kernel/detail/device_checks.hpp>

#if defined(__CUDACC__) || defined(__HIPCC__)
#include <warpsafe/backend/detail/capture_hooks.hpp>
#include <warpsafe/backend/detail/runtime_call.hpp>
#if defined(__CUDACC__) && !defined(__HIP_PLATFORM_NVIDIA__)
#include <warpsafe/backend/cuda/cuda_backend.hpp>
#else
#include <warpsafe/backend/hip/hip_backend.hpp>
#endif
#else
#include <cstdlib>
#endif

/// In a kernel: where `condition` is false, the next wait through this library returns
/// Errc::device_check_failed with the kernel's name, the block, the thread, the file, the line and
/// `text`, a string literal. That is the first failure since the last one that was reported; the
/// thread goes no further (AMD: its whole wave), and the device's context stays whole. Only with
/// full checks; else the condition is not evaluated. A kernel that was launched without this
/// library's checks ends in a trap instead, which loses the context. In code that NVRTC or hipRTC
/// compiles it is nothing.
#define WARPSAFE_DEVICE_CHECK(condition, text)                           \
  (static_cast<bool>(condition) ? static_cast<void>(0)                   \
                                : ::warpsafe::detail::fail_device_check( \
                                      text " (" #condition ")", __FILE__, __LINE__, __func__))

namespace warpsafe::detail {

#if defined(__CUDACC__) || defined(__HIPCC__)

/// Where this translation unit's kernels find the record of their device.
[[maybe_unused]] static __device__ CheckRecord* check_record_here = nullptr;

#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
[[maybe_unused]] static __host__ __device__ __noinline__ void fail_device_check(
    const char* text, const char* file, unsigned line, const char* function) {
  CheckRecord* const record = check_record_here;
  if (record == nullptr) {
#if defined(__CUDA_ARCH__)
    __trap();
#else
    __builtin_trap();
#endif
  }
  // Of the device's scope: each device has a record of its own, and the host reads it only once it
  // is filled. One of the system's scope on the host's memory needs a device with native atomics
  // there (cudaDevAttrHostNativeAtomicSupported); compute-sanitizer calls it invalid on others.
  if (atomicCAS(&record->state, CheckRecord::empty, CheckRecord::filling) == CheckRecord::empty) {
    const Local3 block = block_index();
    const Local3 thread = thread_in_block();
    record->block[0] = block.x;
    record->block[1] = block.y;
    record->block[2] = block.z;
    record->thread[0] = thread.x;
    record->thread[1] = thread.y;
    record->thread[2] = thread.z;
    record->line = line;
    copy_check_text(record->text, text);
    copy_check_file(record->file, file);
    copy_check_text(record->kernel, function);
    __threadfence_system();
    *static_cast<volatile unsigned*>(&record->state) = CheckRecord::filled;
  }
  // A barrier counts the threads that have not exited (CUDA C++ Programming Guide, "Synchronization
  // Functions", from compute capability 7.0 on; AMD's counts waves that have not ended).
#if defined(__CUDA_ARCH__)
  asm volatile("exit;");
#else
  __builtin_amdgcn_endpgm();
#endif
}
#else
[[maybe_unused]] static __host__ __device__ __forceinline__ void fail_device_check(const char*,
                                                                                   const char*,
                                                                                   unsigned,
                                                                                   const char*) {
  called_from_host_code<void>();
}
#endif

#if defined(__CUDACC__) && !defined(__HIP_PLATFORM_NVIDIA__)
using CheckBackend = cuda_backend;
[[maybe_unused]] static int check_symbol(void*& address) noexcept {
  return cudaGetSymbolAddress(&address, static_cast<const void*>(&check_record_here));
}
#else
using CheckBackend = hip_backend;
[[maybe_unused]] static int check_symbol(void*& address) noexcept {
  // Its address, which is the symbol on both of HIP's platforms.
  return hipGetSymbolAddress(&address, static_cast<const void*>(&check_record_here));
}
#endif

/// On a stream of its own, and beside any capture.
[[maybe_unused]] static int install_check_record(CheckRecord* record) noexcept {
  using B = CheckBackend;
  const RelaxedCaptureScope<B, current_level> relaxed;
  void* address = nullptr;
  typename B::native_stream stream{};
  int status = check_symbol(address);
  if (status == 0) status = call<B, current_level, &B::stream_create>(stream, 0);
  if (status != 0) return status;
  status = call<B, current_level, &B::copy>(address, &record, sizeof record,
                                            CopyKind::host_to_device, stream);
  const int waited = call<B, current_level, &B::stream_synchronize>(stream);
  const int destroyed = call<B, current_level, &B::stream_destroy>(stream);
  return status != 0 ? status : waited != 0 ? waited : destroyed;
}
/// Memory that the runtime pins is mapped for every device, at the same address (CUDA C++
/// Programming Guide, "Unified Virtual Address Space"; HIP: hipHostMallocDefault is portable and
/// mapped).
[[maybe_unused]] static int allocate_check_record(void*& memory) noexcept {
  using B = CheckBackend;
  const RelaxedCaptureScope<B, current_level> relaxed;
  return call<B, current_level, &B::host_allocate>(memory, sizeof(CheckRecord));
}
[[maybe_unused]] static CheckUnit check_unit{nullptr, CheckBackend::vendor, 0,
                                             &allocate_check_record, &install_check_record};

#else

inline int allocate_check_record(void*& memory) noexcept {
  memory = std::malloc(sizeof(CheckRecord));
  return memory == nullptr ? 2 : 0;  // HostStatus::out_of_memory
}
inline int install_check_record(CheckRecord*) noexcept { return 0; }
inline CheckUnit check_unit{nullptr, Vendor::host, 0, &allocate_check_record,
                            &install_check_record};

/// Of the device's ordinal nothing is known here: the host backend's all use the first record.
inline void fail_device_check(const char* text, const char* file, unsigned line,
                              const char* function) {
  HostThread& self = *host_thread;
  CheckRecord* record = nullptr;
  for (int device = 0; device < DeviceChecks::devices && record == nullptr; ++device) {
    record = check_record_of(device);
  }
  unsigned expected = CheckRecord::empty;
  if (record != nullptr &&
      __atomic_compare_exchange_n(&record->state, &expected, CheckRecord::filling, false,
                                  __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    for (int axis = 0; axis < 3; ++axis) {
      record->block[axis] = self.block[axis];
      record->thread[axis] = self.thread[axis];
    }
    record->line = line;
    copy_check_text(record->text, text);
    copy_check_file(record->file, file);
    copy_check_text(record->kernel, function);
    __atomic_store_n(&record->state, CheckRecord::filled, __ATOMIC_RELEASE);
  }
  self.leave(self, file, line);
}

#endif

/// Registers this translation unit before main.
// NOLINTNEXTLINE(cert-err58-cpp): a lambda cannot be seen to throw nothing
[[maybe_unused]] static const bool check_unit_registered = [] {
  register_check_unit(check_unit);
  return true;
}();

}  // namespace warpsafe::detail

#else

#define WARPSAFE_DEVICE_CHECK(condition, text) \
  static_cast<void>(sizeof(static_cast<bool>(condition)))

#endif
