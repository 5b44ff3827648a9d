// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/stream/detail/beside_captures.hpp>

#if WARPSAFE_CHECKS == 1 && !defined(__CUDACC_RTC__) && !defined(__HIPCC_RTC__)

#include <warpsafe/kernel/detail/device_checks.hpp>
#include <warpsafe/kernel/device_functions.hpp>

#if defined(__CUDACC__) || defined(__HIPCC__)
#include <warpsafe/backend/kernel_entry.hpp>
#if defined(__CUDACC__) && !defined(__HIP_PLATFORM_NVIDIA__)
#include <warpsafe/backend/cuda/cuda_backend.hpp>
#else
#include <warpsafe/backend/hip/hip_backend.hpp>
#endif
#else
#include <cstdlib>
#endif

/// Use it in a kernel. If `condition` is false, the next wait through this library, or the next
/// query that finds its work ended, returns Errc::device_check_failed with the kernel's name, the
/// block, the thread, the file, the line and `text`, a string literal. The error describes the
/// first failure since the last report. The failing thread stops (AMD: its whole wave), and the
/// device's context stays intact. A thread that waits for it in a loop, such as at the barrier of a
/// grid, waits for ever on a GPU: let WARPSAFE_TIMEOUT name the check. Without full checks, the
/// condition is not evaluated. A kernel without an earlier checked launch on its device may trap
/// instead, which loses the context. In code that NVRTC or hipRTC compiles, the macro does nothing.
#define WARPSAFE_DEVICE_CHECK(condition, text)                                             \
  ((condition) ? static_cast<void>(0)                                                      \
               : ::warpsafe::detail::fail_device_check(text " (" #condition ")", __FILE__, \
                                                       __LINE__, __func__))

// The device code of a failed check, and how a translation unit's kernels get the address of the
// record.

namespace warpsafe {
inline namespace WARPSAFE_DETAIL_VERSION {
namespace detail {

/// Writes all of a record but its state.
WARPSAFE_FN inline void fill_check_record(CheckRecord& record, Local3 block, Local3 thread,
                                          const char* text, const char* file, unsigned line,
                                          const char* function) {
  record.block[0] = block.x;
  record.block[1] = block.y;
  record.block[2] = block.z;
  record.thread[0] = thread.x;
  record.thread[1] = thread.y;
  record.thread[2] = thread.z;
  record.line = line;
  copy_check_text(record.text, text);
  copy_check_file(record.file, file);
  copy_check_text(record.kernel, function);
}

#if defined(__CUDACC__) || defined(__HIPCC__)

/// The record of the device, for this translation unit's kernels.
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
  // Device scope is enough: each device has a record of its own, and the host reads it only once it
  // is filled. An atomic of system scope on host memory needs a device with native atomics there
  // (cudaDevAttrHostNativeAtomicSupported); compute-sanitizer calls it invalid on others.
  if (atomicCAS(&record->state, CheckRecord::empty, CheckRecord::filling) == CheckRecord::empty) {
    fill_check_record(*record, block_index(), thread_in_block(), text, file, line, function);
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
/// The bytes of dynamic shared memory that the launch gave. For code that is inlined into a kernel.
[[nodiscard]] static __device__ __forceinline__ unsigned dynamic_shared_bytes() {
  unsigned bytes;
#if defined(__CUDA_ARCH__)
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
#else
  // hsa_kernel_dispatch_packet_t::group_segment_size (HSA runtime specification 1.2, "AQL kernel
  // dispatch packet"): static and dynamic memory together.
  __builtin_memcpy(&bytes, static_cast<const char*>(__builtin_amdgcn_dispatch_ptr()) + 28, 4);
  bytes -= __builtin_amdgcn_groupstaticsize();
#endif
  return bytes;
}
/// Appends to a text, cut to fit.
template <unsigned Size>
static __device__ void append_check_text(char (&to)[Size], const char* from) {
  unsigned end = 0;
  while (to[end] != '\0') ++end;
  copy_check_text(to, from, end);
}
template <unsigned Size>
static __device__ void append_check_number(char (&to)[Size], size_type number) {
  char digits[21] = {};
  unsigned first = 20;
  do {
    digits[--first] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  append_check_text(to, digits + first);
}
[[maybe_unused]] static __device__ __noinline__ void fail_dynamic_shared(
    size_type count, unsigned size, unsigned given, const char* file, unsigned line,
    const char* function) {
  char text[sizeof(CheckRecord::text)] = {};
  append_check_text(text, "dynamic_shared for ");
  // A count of 2^63 or more was a negative number.
  const bool negative = count >> 63 != 0;
  if (negative) append_check_text(text, "-");
  append_check_number(text, negative ? 0 - count : count);
  append_check_text(text, count == 1 ? " element of " : " elements of ");
  append_check_number(text, size);
  append_check_text(text, size == 1 ? " byte" : " bytes");
  append_check_text(text, ", and the launch gives ");
  append_check_number(text, given);
  append_check_text(text, " bytes (set them with shared<T>(count))");
  fail_device_check(text, file, line, function);
}
/// Ends the thread if the launch gives less dynamic shared memory than the call asks for.
template <class T>
static __device__ __forceinline__ void check_dynamic_shared(const DynamicSharedCall<T>& call, int) {
  const unsigned given = dynamic_shared_bytes();
  if (call.count > given / sizeof(T)) {
    fail_dynamic_shared(call.count, sizeof(T), given, call.file, call.line, call.function);
  }
}
#else
[[maybe_unused]] static __host__ __device__ __forceinline__ void fail_device_check(const char*,
                                                                                   const char*,
                                                                                   unsigned,
                                                                                   const char*) {
  called_from_host_code<void>();
}
#endif

/// Writes the record's address into the kernels' variable at `address`. It uses its own stream and
/// also works during a capture. Returns the runtime's status.
template <class B>
[[nodiscard]] int write_check_record(void* address, CheckRecord* record) noexcept {
  const RelaxedCaptureScope<B> relaxed;
  typename B::native_stream stream{};
  int status = B::stream_create(stream, 0);
  if (status != 0) return status;
  status = B::copy(address, &record, sizeof record, CopyKind::host_to_device, stream);
  const int waited = B::stream_synchronize(stream);
  const int destroyed = B::stream_destroy(stream);
  return status != 0 ? status : waited != 0 ? waited : destroyed;
}
/// `B` is the backend of this device compiler; it has `symbol_address`.
template <class B>
[[nodiscard]] static int install_check_record(CheckRecord* record) noexcept {
  void* address = nullptr;
  const int status = B::symbol_address(address, &check_record_here);
  return status != 0 ? status : write_check_record<B>(address, record);
}
/// The runtime maps pinned memory for every device at the same address (CUDA C++ Programming Guide,
/// "Unified Virtual Address Space"; HIP: hipHostMallocDefault is portable and mapped).
template <class B>
[[nodiscard]] int allocate_check_record(void*& memory) noexcept {
  const RelaxedCaptureScope<B> relaxed;
  return B::host_allocate(memory, sizeof(CheckRecord));
}

#else

inline int allocate_check_record(void*& memory) noexcept {
  memory = std::malloc(sizeof(CheckRecord));
  return memory == nullptr ? 2 : 0;  // HostStatus::out_of_memory
}
inline int install_check_record(CheckRecord*) noexcept { return 0; }

/// On a CPU all devices use the first record, because the device's ordinal is not known here.
inline void fail_device_check(const char* text, const char* file, unsigned line,
                              const char* function) {
  HostThread& self = *host_thread;
  CheckRecord* record = nullptr;
  for (int device = 0; device < DeviceChecks::devices && record == nullptr; ++device) {
    record = check_record_of(Vendor::host, device);
  }
  unsigned expected = CheckRecord::empty;
  if (record != nullptr &&
      __atomic_compare_exchange_n(&record->state, &expected, CheckRecord::filling, false,
                                  __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    fill_check_record(*record, to_local(self.block), to_local(self.thread), text, file, line,
                      function);
    __atomic_store_n(&record->state, CheckRecord::filled, __ATOMIC_RELEASE);
  }
  // Without a checked launch nothing looks for a record: the kernel ends with an error of its own.
  if (record == nullptr && self.fault != nullptr) self.fault(self, text);
  self.leave(self, file, line);
}

#endif

#if defined(__CUDACC__) && !defined(__HIP_PLATFORM_NVIDIA__)
[[maybe_unused]] static CheckUnit check_unit{nullptr, cuda_backend::vendor, 0,
                                             &allocate_check_record<cuda_backend>,
                                             &install_check_record<cuda_backend>};
#elif defined(__CUDACC__) || defined(__HIPCC__)
[[maybe_unused]] static CheckUnit check_unit{nullptr, hip_backend::vendor, 0,
                                             &allocate_check_record<hip_backend>,
                                             &install_check_record<hip_backend>};
#else
[[gnu::visibility("default")]] inline CheckUnit check_unit{
    nullptr, Vendor::host, 0, &allocate_check_record, &install_check_record};
#endif

/// Registers this translation unit before main.
// NOLINTNEXTLINE(cert-err58-cpp): a lambda cannot be seen to throw nothing
[[maybe_unused]] static const bool check_unit_registered = [] {
  register_check_unit(check_unit);
  return true;
}();

}  // namespace detail
}  // namespace WARPSAFE_DETAIL_VERSION
}  // namespace warpsafe

#else

#define WARPSAFE_DEVICE_CHECK(condition, text) static_cast<void>(sizeof((condition) ? 1 : 0))

#endif
