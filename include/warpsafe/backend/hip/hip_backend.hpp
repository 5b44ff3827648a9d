// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/backend.hpp>
#include <warpsafe/backend/declare_launch.hpp>
#include <warpsafe/backend/hip/device_queries.hpp>
#include <warpsafe/backend/hip/graph_calls.hpp>
#include <warpsafe/backend/hip/wait_calls.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/arithmetic.hpp>
#include <warpsafe/core/launch_shape.hpp>

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

static_assert(HIP_VERSION >= 50200000, "warpsafe: HIP 5.2 or newer is needed");

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

namespace detail {

/// AMD's runtime multiplies the threads of a cooperative launch in 32 bits, accepts a wrapped
/// total, and then hangs.
[[nodiscard]] inline bool hip_cooperative_fits(const LaunchShape& shape) noexcept {
  std::uint64_t all = 0;
  return multiply(shape.blocks(), shape.threads_per_block(), all) && all <= 0xffffffffU;
}

/// The calls of basic_hip_backend.
template <class Platform>
struct HipCalls : HipGraphCalls, HipWaitCalls {
  static constexpr Vendor vendor =
      std::is_same_v<Platform, amd_platform> ? Vendor::amd : Vendor::nvidia;
  static constexpr Name name = Name::of("HIP");
  static constexpr int not_ready = hipErrorNotReady;
  /// The status of a capture's begin on a stream that captures, and of its end on one that does
  /// not.
  static constexpr int illegal_state = hipErrorIllegalState;
  static constexpr std::size_t parameter_bytes = detail::hip_parameter_bytes;
  /// The supported releases of HIP pass no cluster dimensions.
  static constexpr bool has_clusters = false;
  static constexpr bool device_count_is_fixed = true;
  using native_stream = hipStream_t;
  using native_event = hipEvent_t;

  [[WARPSAFE_DETAIL_RARE]] static Name error_name(int status) noexcept {
    return Name::of(hipGetErrorName(static_cast<hipError_t>(status)));
  }
  [[WARPSAFE_DETAIL_RARE]] static Name error_text(int status) noexcept {
    return Name::of(hipGetErrorString(static_cast<hipError_t>(status)));
  }
  static constexpr bool on_amd = vendor == Vendor::amd;
  static constexpr Severity lost = Severity::context_lost;
  /// What these statuses mean.
  static constexpr StatusMeaning meanings[] = {
      {hipErrorOutOfMemory, Errc::out_of_memory},
      {hipErrorNotInitialized, Errc::no_device},
      {hipErrorInsufficientDriver, Errc::no_device},
      {hipErrorNoDevice, Errc::no_device},
      {hipErrorInvalidDevice, Errc::device_invalid},
      // hipFuncGetAttributes of a function that is not registered.
      {hipErrorInvalidSymbol, Errc::not_a_kernel},
      {hipErrorInvalidDeviceFunction, Errc::not_a_kernel},
      {hipErrorNoBinaryForGpu, Errc::no_kernel_image},
      // On AMD also from hipFuncGetAttributes and, in release 7, from a launch; on NVIDIA's
      // platform for PTX that does not compile.
      {hipErrorInvalidKernelFile, on_amd ? Errc::no_kernel_image : Errc::runtime_failed},
      {hipErrorNotSupported, Errc::unsupported},
      {hipErrorStreamCaptureUnsupported, Errc::stream_capturing},
      {hipErrorStreamCaptureImplicit, Errc::stream_capturing},
      {hipErrorStreamCaptureInvalidated, Errc::capture_broken},
      {hipErrorStreamCaptureMerge, Errc::capture_merged},
      {hipErrorStreamCaptureUnmatched, Errc::capture_unmatched},
      {hipErrorStreamCaptureUnjoined, Errc::capture_unjoined},
      {hipErrorStreamCaptureIsolation, Errc::capture_isolation},
      {hipErrorCapturedEvent, Errc::captured_event},
      {hipErrorStreamCaptureWrongThread, Errc::capture_wrong_thread},
      {hipErrorGraphExecUpdateFailure, Errc::graph_update_refused},
      // Errors of running code.
      {hipErrorIllegalAddress, Errc::execution_failed, lost},
      {hipErrorLaunchTimeOut, Errc::execution_failed, lost},
      // AMD's runtime returns this for a destroyed stream or event; the context is intact.
      {hipErrorContextIsDestroyed, on_amd ? Errc::runtime_failed : Errc::execution_failed,
       on_amd ? Severity::recoverable : lost},
      {hipErrorAssert, Errc::execution_failed, lost},
      // AMD's runtime also returns hipErrorLaunchFailure (719) from a launch with more threads than
      // the kernel's bounds, after which the context is intact (seen on 5.2.3, 5.7.1 and 6.4.3).
      {hipErrorLaunchFailure, on_amd ? Errc::runtime_failed : Errc::execution_failed,
       on_amd ? Severity::recoverable : lost},
  };
  [[WARPSAFE_DETAIL_RARE]] static Errc classify(int status) noexcept {
    // Without a GPU, the first call of some releases returns this instead of hipErrorNoDevice.
    if (status == hipErrorInvalidDevice && !hip_has_device()) return Errc::no_device;
    return meaning_of(status, meanings).code;
  }
  static Severity severity_of(int status) noexcept { return meaning_of(status, meanings).severity; }
  [[WARPSAFE_DETAIL_RARE]] static int peek_last_error() noexcept { return hipPeekAtLastError(); }

  static constexpr int toolkit_version = HIP_VERSION;
  /// The versions of driver and runtime, in the format of HIP_VERSION.
  static int versions(int& driver, int& runtime) noexcept {
    const hipError_t status = hipDriverGetVersion(&driver);
    return status != hipSuccess ? status : hipRuntimeGetVersion(&runtime);
  }
  static int device_count(int& count) noexcept { return hipGetDeviceCount(&count); }
  static int current_device(int& device) noexcept { return hipGetDevice(&device); }
  static int set_device(int device) noexcept { return hipSetDevice(device); }
  static int device_synchronize() noexcept { return hipDeviceSynchronize(); }
  static int memory_info(std::size_t& free_bytes, std::size_t& total_bytes) noexcept {
    return hipMemGetInfo(&free_bytes, &total_bytes);
  }
  /// The address on the current device of a `__device__` variable of this program. `symbol` is the
  /// variable's own address, which is the symbol on both of HIP's platforms.
  static int symbol_address(void*& address, const void* symbol) noexcept {
    return hipGetSymbolAddress(&address, symbol);
  }
  [[WARPSAFE_DETAIL_RARE]] static int limits_of(int device, DeviceLimits& limits) noexcept {
    return detail::hip_limits(device, limits);
  }
  [[WARPSAFE_DETAIL_RARE]] static Name device_name(int device) noexcept {
    return detail::hip_device_name(device);
  }

  [[WARPSAFE_DETAIL_RARE]] static int attributes_of(const KernelEntry& kernel,
                                                    KernelLimits& limits) noexcept {
    hipFuncAttributes attributes;
    if (const hipError_t status = hipFuncGetAttributes(&attributes, kernel.function)) return status;
      // AMD's runtime 6.4 reports -1 as the constant bytes.
#define WARPSAFE_KERNEL_LIMIT(type, name, member, attribute)         \
  limits.name = attributes.member == decltype(attributes.member)(-1) \
                    ? 0                                              \
                    : static_cast<type>(attributes.member);
#include <warpsafe/core/limit_rows.hpp>
#undef WARPSAFE_KERNEL_LIMIT
    return hipSuccess;
  }
  [[WARPSAFE_DETAIL_RARE]] static int raise_dynamic_shared(const KernelEntry& kernel,
                                                           std::uint64_t bytes) noexcept {
    return hipFuncSetAttribute(kernel.function, hipFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(bytes));
  }
  static int resident_blocks(const KernelEntry& kernel, std::uint32_t threads,
                             std::uint64_t dynamic_bytes, int& per_multiprocessor) noexcept {
    return hipOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel.function,
                                                        static_cast<int>(threads), dynamic_bytes);
  }
  static int max_cluster_blocks(const KernelEntry&, const LaunchShape&, int& blocks) noexcept {
    blocks = 0;
    return hipErrorNotSupported;
  }

  /// Returns the status of this launch, not the runtime's last error. HIP has no priorities and no
  /// programmatic launches of single kernels: hipErrorNotSupported.
  [[gnu::always_inline]] static int launch(const KernelEntry& kernel, const LaunchShape& shape,
                                           void** args, native_stream stream) noexcept {
    if (shape.has_attributes()) return launch_with_attributes(kernel, shape, args, stream);
    return launch_plain(kernel, shape, args, stream);
  }
  /// Launches a shape without attributes.
  [[gnu::always_inline]] static int launch_plain(const KernelEntry& kernel,
                                                 const LaunchShape& shape, void** args,
                                                 native_stream stream) noexcept {
    return hipLaunchKernel(kernel.function, dim3(shape.grid[0], shape.grid[1], shape.grid[2]),
                           dim3(shape.block[0], shape.block[1], shape.block[2]), args,
                           shape.dynamic_shared_32(), stream);
  }

  static int stream_create(native_stream& stream, int priority) noexcept {
    return hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, priority);
  }
  static int stream_destroy(native_stream stream) noexcept { return hipStreamDestroy(stream); }
  /// Runtimes older than 5.6 return hipErrorNotSupported.
  static int stream_device([[maybe_unused]] native_stream stream,
                           [[maybe_unused]] int& device) noexcept {
#if HIP_VERSION >= 50600000 && defined(__HIP_PLATFORM_AMD__)
    return hipStreamGetDevice(stream, &device);
#else
    return hipErrorNotSupported;
#endif
  }
#if defined(HIP_API_PER_THREAD_DEFAULT_STREAM)
  static constexpr bool default_is_per_thread = true;
#endif
#if !defined(hipStreamLegacy)
  /// Older releases have no other name for it.
  static native_stream legacy_stream() noexcept { return nullptr; }
#endif
  static int stream_capturing(native_stream stream, bool& capturing) noexcept {
    hipStreamCaptureStatus state{};
    const hipError_t status = hipStreamIsCapturing(stream, &state);
    capturing = state != hipStreamCaptureStatusNone;
    return status;
  }
  static int stream_wait(native_stream stream, native_event event) noexcept {
    return hipStreamWaitEvent(stream, event, 0);
  }

  static int event_create(native_event& event, bool timed) noexcept {
    return hipEventCreateWithFlags(&event, timed ? hipEventDefault : hipEventDisableTiming);
  }
  static int event_destroy(native_event event) noexcept { return hipEventDestroy(event); }
  static int event_record(native_event event, native_stream stream) noexcept {
    return hipEventRecord(event, stream);
  }
  static int event_query(native_event event) noexcept { return hipEventQuery(event); }
  static int event_elapsed(float& ms, native_event begin, native_event end) noexcept {
    return hipEventElapsedTime(&ms, begin, end);
  }

  static int allocate(void*& memory, std::size_t bytes, native_stream stream) noexcept {
    return hipMallocAsync(&memory, bytes, stream);
  }
  static int deallocate(void* memory, native_stream stream) noexcept {
    return hipFreeAsync(memory, stream);
  }
  static int host_allocate(void*& memory, std::size_t bytes) noexcept {
    return hipHostMalloc(&memory, bytes, hipHostMallocDefault);
  }
  static int host_deallocate(void* memory) noexcept { return hipHostFree(memory); }
  static int copy(void* to, const void* from, std::size_t bytes, CopyKind kind,
                  native_stream stream) noexcept {
    return hipMemcpyAsync(to, from, bytes, native_kind(kind), stream);
  }
  static int copy_2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                     std::size_t width, std::size_t rows, CopyKind kind,
                     native_stream stream) noexcept {
    return hipMemcpy2DAsync(to, to_pitch, from, from_pitch, width, rows, native_kind(kind), stream);
  }
  static int fill(void* memory, unsigned char value, std::size_t bytes,
                  native_stream stream) noexcept {
    return hipMemsetAsync(memory, value, bytes, stream);
  }
  /// AMD's runtime executes hipMemcpyPeerAsync at once even on a capturing stream (seen on 5.7.1
  /// and 6.4.3), and finds the devices by the addresses, so a plain copy is used there. NVIDIA's
  /// does not find memory of another device's pool by its address.
  static int copy_peer(void* to, [[maybe_unused]] int to_device, const void* from,
                       [[maybe_unused]] int from_device, std::size_t bytes,
                       native_stream stream) noexcept {
#if defined(__HIP_PLATFORM_NVIDIA__)
    return hipMemcpyPeerAsync(to, to_device, from, from_device, bytes, stream);
#else
    return hipMemcpyAsync(to, from, bytes, hipMemcpyDeviceToDevice, stream);
#endif
  }
  static int has_memory_pools(int device, bool& answer) noexcept {
    int value = 0;
    const hipError_t status =
        hipDeviceGetAttribute(&value, hipDeviceAttributeMemoryPoolsSupported, device);
    answer = status == hipSuccess && value != 0;
    return status;
  }
  static int allocate_unordered(void*& memory, std::size_t bytes) noexcept {
    return hipMalloc(&memory, bytes);
  }
  static int allocate_managed(void*& memory, std::size_t bytes) noexcept {
    return hipMallocManaged(&memory, bytes, hipMemAttachGlobal);
  }
  static int deallocate_unordered(void* memory) noexcept { return hipFree(memory); }

  static constexpr int relaxed_capture = hipStreamCaptureModeRelaxed;
  static int exchange_capture_mode(int& mode) noexcept {
    auto native = static_cast<hipStreamCaptureMode>(mode);
    const hipError_t status = hipThreadExchangeStreamCaptureMode(&native);
    mode = static_cast<int>(native);
    return status;
  }
  static int pointer_kind(const void* memory, MemoryKind& kind, int& device) noexcept {
    return detail::hip_pointer_kind(memory, kind, device);
  }
  static int can_access(int device, const void* memory, int of, bool& answer) noexcept {
    return detail::hip_can_access(device, memory, of, answer);
  }

 private:
  [[gnu::noinline]] static int launch_with_attributes(const KernelEntry& kernel,
                                                      const LaunchShape& shape, void** args,
                                                      native_stream stream) noexcept {
    if (shape.has_priority || shape.has_cluster || shape.programmatic) return hipErrorNotSupported;
    if (!detail::hip_cooperative_fits(shape)) return hipErrorCooperativeLaunchTooLarge;
    return hipLaunchCooperativeKernel(kernel.function,
                                      dim3(shape.grid[0], shape.grid[1], shape.grid[2]),
                                      dim3(shape.block[0], shape.block[1], shape.block[2]), args,
                                      shape.dynamic_shared_32(), stream);
  }
  static hipMemcpyKind native_kind(CopyKind kind) noexcept {
    static constexpr hipMemcpyKind kinds[] = {hipMemcpyHostToDevice, hipMemcpyDeviceToHost,
                                              hipMemcpyDeviceToDevice, hipMemcpyHostToHost};
    return kinds[static_cast<int>(kind)];
  }
};

}  // namespace detail

/// The backend for the HIP runtime, 5.2 to 7, on AMD's or NVIDIA's platform. Statuses are
/// hipError_t as int.
template <class Platform>
struct [[gnu::visibility("default")]] basic_hip_backend : detail::HipCalls<Platform>{};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION

WARPSAFE_DECLARE_LAUNCH(warpsafe::hip_backend);
