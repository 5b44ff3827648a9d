// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/backend.hpp>
#include <warpsafe/backend/cuda/device_queries.hpp>
#include <warpsafe/backend/cuda/graph_calls.hpp>
#include <warpsafe/backend/cuda/launch_attributes.hpp>
#include <warpsafe/backend/declare_launch.hpp>
#include <warpsafe/core/config.hpp>

#include <cuda_runtime_api.h>
#if __has_include(<cuda_profiler_api.h>)
#include <cuda_profiler_api.h>
#endif

#include <cstddef>
#include <cstdint>

static_assert(CUDART_VERSION >= 12000, "warpsafe: CUDA 12.0 or newer is needed");

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

namespace detail {

/// Two queries that checked operations make at each turn, by the driver's own functions: they
/// answer in 15 and 8 ns where the runtime's take 50 and 40 (an H200, driver 580). The numbers of
/// errors are the same in both.
class [[gnu::visibility("hidden")]] CudaDriver {
 public:
  static int is_capturing(cudaStream_t stream, cudaStreamCaptureStatus * state) noexcept {
    return ask<&cudaStreamIsCapturing>("cuStreamIsCapturing", stream, state);
  }
  static int exchange_capture_mode(cudaStreamCaptureMode * mode) noexcept {
    return ask<&cudaThreadExchangeStreamCaptureMode>("cuThreadExchangeStreamCaptureMode", mode);
  }

 private:
  template <auto OfRuntime>
  static inline decltype(OfRuntime) known = nullptr;

  template <auto OfRuntime, class... P>
  static int ask(const char* name, P... arguments) noexcept {
    auto function = __atomic_load_n(&known<OfRuntime>, __ATOMIC_RELAXED);
    if (function == nullptr) [[unlikely]]
      function = find<OfRuntime>(name);
    const cudaError_t status = function(arguments...);
    if (status == cudaSuccess) [[likely]]
      return status;
    // In a thread that has no context yet, the runtime makes one.
    const bool has_none =
        status == cudaErrorDeviceUninitialized || status == cudaErrorInitializationError;
    return has_none && function != OfRuntime ? OfRuntime(arguments...) : status;
  }
  /// The runtime's function if its version does not find the driver's.
  template <auto OfRuntime>
  [[WARPSAFE_DETAIL_RARE]] static decltype(OfRuntime) find(
      [[maybe_unused]] const char* name) noexcept {
    auto function = OfRuntime;
#if CUDART_VERSION >= 12050
    void* of_driver = nullptr;
    cudaDriverEntryPointQueryResult found{};
    if (cudaGetDriverEntryPointByVersion(name, &of_driver, 12000, cudaEnableDefault, &found) ==
            cudaSuccess &&
        found == cudaDriverEntryPointSuccess) {
      function = reinterpret_cast<decltype(OfRuntime)>(of_driver);
    }
#endif
    __atomic_store_n(&known<OfRuntime>, function, __ATOMIC_RELAXED);
    return function;
  }
};

/// The calls of cuda_backend.
struct CudaCalls : CudaGraphCalls {
  static constexpr Vendor vendor = Vendor::nvidia;
  static constexpr Name name = Name::of("CUDA");
  static constexpr int not_ready = cudaErrorNotReady;
  /// The status of a capture's begin on a stream that captures, and of its end on one that does
  /// not.
  static constexpr int illegal_state = cudaErrorIllegalState;
  /// The status of a query about a function that is not a kernel (CUDA 13.0 on an H200). For
  /// streams and events the same status has another meaning.
  static constexpr int unknown_function = cudaErrorInvalidResourceHandle;
  /// The size of a kernel's parameter block in bytes. CUDA C++ Programming Guide, "Kernel
  /// parameters": 32764 from CUDA 12.1 on for compute capability 7.0 and up, which is all that CUDA
  /// 13 compiles for; else 4096.
  static constexpr std::size_t parameter_bytes = CUDART_VERSION >= 13000 ? 32764 : 4096;
  static constexpr bool has_clusters = true;
  static constexpr bool device_count_is_fixed = true;
  using native_stream = cudaStream_t;
  using native_event = cudaEvent_t;

  [[WARPSAFE_DETAIL_RARE]] static Name error_name(int status) noexcept {
    return Name::of(cudaGetErrorName(static_cast<cudaError_t>(status)));
  }
  [[WARPSAFE_DETAIL_RARE]] static Name error_text(int status) noexcept {
    return Name::of(cudaGetErrorString(static_cast<cudaError_t>(status)));
  }
  /// What these statuses mean. CUDA Runtime API, "CUDA Error types": those that lose the context
  /// leave the process in an inconsistent state.
  static constexpr StatusMeaning meanings[] = {
      {cudaErrorMemoryAllocation, Errc::out_of_memory},
      {cudaErrorInitializationError, Errc::no_device},
      {cudaErrorInsufficientDriver, Errc::no_device},
      {cudaErrorNoDevice, Errc::no_device},
      {cudaErrorInvalidDevice, Errc::device_invalid},
      {cudaErrorInvalidDeviceFunction, Errc::not_a_kernel},
      {cudaErrorNoKernelImageForDevice, Errc::no_kernel_image},
      {cudaErrorNotSupported, Errc::unsupported},
      {cudaErrorStreamCaptureUnsupported, Errc::stream_capturing},
      {cudaErrorStreamCaptureImplicit, Errc::stream_capturing},
      {cudaErrorStreamCaptureInvalidated, Errc::capture_broken},
      {cudaErrorStreamCaptureMerge, Errc::capture_merged},
      {cudaErrorStreamCaptureUnmatched, Errc::capture_unmatched},
      {cudaErrorStreamCaptureUnjoined, Errc::capture_unjoined},
      {cudaErrorStreamCaptureIsolation, Errc::capture_isolation},
      {cudaErrorCapturedEvent, Errc::captured_event},
      {cudaErrorStreamCaptureWrongThread, Errc::capture_wrong_thread},
      {cudaErrorGraphExecUpdateFailure, Errc::graph_update_refused},
      {cudaErrorIllegalAddress, Errc::execution_failed, Severity::context_lost},
      {cudaErrorLaunchTimeout, Errc::execution_failed, Severity::context_lost},
      {cudaErrorContextIsDestroyed, Errc::execution_failed, Severity::context_lost},
      {cudaErrorAssert, Errc::execution_failed, Severity::context_lost},
      {cudaErrorHardwareStackError, Errc::execution_failed, Severity::context_lost},
      {cudaErrorIllegalInstruction, Errc::execution_failed, Severity::context_lost},
      {cudaErrorMisalignedAddress, Errc::execution_failed, Severity::context_lost},
      {cudaErrorInvalidAddressSpace, Errc::execution_failed, Severity::context_lost},
      {cudaErrorInvalidPc, Errc::execution_failed, Severity::context_lost},
      {cudaErrorLaunchFailure, Errc::execution_failed, Severity::context_lost},
  };
  [[WARPSAFE_DETAIL_RARE]] static Errc classify(int status) noexcept {
    return meaning_of(status, meanings).code;
  }
  [[WARPSAFE_DETAIL_RARE]] static Severity severity_of(int status) noexcept {
    return meaning_of(status, meanings).severity;
  }
  [[WARPSAFE_DETAIL_RARE]] static int peek_last_error() noexcept { return cudaPeekAtLastError(); }

  static constexpr int toolkit_version = CUDART_VERSION;
  /// The versions of driver and runtime, each as 1000 * major + 10 * minor.
  static int versions(int& driver, int& runtime) noexcept {
    const cudaError_t status = cudaDriverGetVersion(&driver);
    return status != cudaSuccess ? status : cudaRuntimeGetVersion(&runtime);
  }
#if __has_include(<cuda_profiler_api.h>)
  /// Starts and stops the recording of a profiler that waits for it (nsys
  /// --capture-range=cudaProfilerApi, ncu --profile-from-start off). CUDA Runtime API, "Profiler
  /// Control".
  static int profile(bool on) noexcept { return on ? cudaProfilerStart() : cudaProfilerStop(); }
#endif

  static int device_count(int& count) noexcept { return cudaGetDeviceCount(&count); }
  static int current_device(int& device) noexcept { return cudaGetDevice(&device); }
  static int set_device(int device) noexcept { return cudaSetDevice(device); }
  static int device_synchronize() noexcept { return cudaDeviceSynchronize(); }
  static int memory_info(std::size_t& free_bytes, std::size_t& total_bytes) noexcept {
    return cudaMemGetInfo(&free_bytes, &total_bytes);
  }
  /// The address on the current device of a `__device__` variable of this program.
  static int symbol_address(void*& address, const void* symbol) noexcept {
    return cudaGetSymbolAddress(&address, symbol);
  }
  [[WARPSAFE_DETAIL_RARE]] static int limits_of(int device, DeviceLimits& limits) noexcept {
    return detail::cuda_limits(device, limits);
  }
  [[WARPSAFE_DETAIL_RARE]] static Name device_name(int device) noexcept {
    return detail::cuda_device_name(device);
  }

  [[WARPSAFE_DETAIL_RARE]] static int attributes_of(const KernelEntry& kernel,
                                                    KernelLimits& limits) noexcept {
    cudaFuncAttributes attributes;
    const cudaError_t status = cudaFuncGetAttributes(&attributes, kernel.function);
    if (status != cudaSuccess) return status;
#define WARPSAFE_KERNEL_LIMIT(type, name, member, attribute) \
  limits.name = static_cast<type>(attributes.member);
#include <warpsafe/core/limit_rows.hpp>
#undef WARPSAFE_KERNEL_LIMIT
    return cudaSuccess;
  }
  /// Whether the loaded code has the wait of a dependent launch. Code that was compiled for less
  /// than compute capability 9.0 has none (PTX ISA, griddepcontrol), also when the driver compiles
  /// its PTX for a newer device: `ptx_version` then is the lower number.
  static constexpr bool waits_for_predecessor(const KernelLimits& limits) noexcept {
    return limits.ptx_version >= 90 && limits.binary_version >= 90;
  }
  [[WARPSAFE_DETAIL_RARE]] static int raise_dynamic_shared(const KernelEntry& kernel,
                                                           std::uint64_t bytes) noexcept {
    return cudaFuncSetAttribute(kernel.function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                static_cast<int>(bytes));
  }
  static int resident_blocks(const KernelEntry& kernel, std::uint32_t threads,
                             std::uint64_t dynamic_bytes, int& per_multiprocessor) noexcept {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel.function,
                                                         static_cast<int>(threads), dynamic_bytes);
  }
  [[WARPSAFE_DETAIL_RARE]] static int max_cluster_blocks(const KernelEntry& kernel,
                                                         const LaunchShape& shape,
                                                         int& blocks) noexcept {
    return detail::cuda_max_cluster(kernel.function, shape, blocks);
  }

  /// Returns the status of this launch, not the runtime's last error.
  [[gnu::always_inline]] static int launch(const KernelEntry& kernel, const LaunchShape& shape,
                                           void** args, native_stream stream) noexcept {
    if (shape.has_attributes()) {
      return detail::cuda_launch_with_attributes(kernel.function, shape, args, stream);
    }
    return launch_plain(kernel, shape, args, stream);
  }
  /// Launches a shape without attributes.
  [[gnu::always_inline]] static int launch_plain(const KernelEntry& kernel,
                                                 const LaunchShape& shape, void** args,
                                                 native_stream stream) noexcept {
    return cudaLaunchKernel(kernel.function, dim3(shape.grid[0], shape.grid[1], shape.grid[2]),
                            dim3(shape.block[0], shape.block[1], shape.block[2]), args,
                            shape.dynamic_shared_32(), stream);
  }

  static int stream_create(native_stream& stream, int priority) noexcept {
    return cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority);
  }
  static int stream_destroy(native_stream stream) noexcept { return cudaStreamDestroy(stream); }
  static int stream_synchronize(native_stream stream) noexcept {
    return cudaStreamSynchronize(stream);
  }
  static int stream_query(native_stream stream) noexcept { return cudaStreamQuery(stream); }
  /// Needs CUDA 12.8; older runtimes return cudaErrorNotSupported.
  static int stream_device([[maybe_unused]] native_stream stream,
                           [[maybe_unused]] int& device) noexcept {
#if CUDART_VERSION >= 12080
    return cudaStreamGetDevice(stream, &device);
#else
    return cudaErrorNotSupported;
#endif
  }
  /// "The Id is unique for the life of the program" (CUDA Runtime API, cudaStreamGetId, from 12.0
  /// on). Breaks the capture of a stream that captures (an H200, driver 580).
  static int stream_id(native_stream stream, std::uint64_t& id) noexcept {
    unsigned long long number = 0;
    const cudaError_t status = cudaStreamGetId(stream, &number);
    id = number;
    return status;
  }
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
  static constexpr bool default_is_per_thread = true;
#endif
  static int stream_capturing(native_stream stream, bool& capturing) noexcept {
    cudaStreamCaptureStatus state{};
    // The driver does not know the runtime's default streams by these handles.
    const bool is_default = reinterpret_cast<std::uintptr_t>(stream) <=
                            reinterpret_cast<std::uintptr_t>(cudaStreamPerThread);
    const int status = is_default ? cudaStreamIsCapturing(stream, &state)
                                  : CudaDriver::is_capturing(stream, &state);
    capturing = state != cudaStreamCaptureStatusNone;
    return status;
  }
  static int stream_wait(native_stream stream, native_event event) noexcept {
    return cudaStreamWaitEvent(stream, event, 0);
  }

  static int event_create(native_event& event, bool timed) noexcept {
    return cudaEventCreateWithFlags(&event, timed ? cudaEventDefault : cudaEventDisableTiming);
  }
  static int event_destroy(native_event event) noexcept { return cudaEventDestroy(event); }
  static int event_record(native_event event, native_stream stream) noexcept {
    return cudaEventRecord(event, stream);
  }
  static int event_synchronize(native_event event) noexcept { return cudaEventSynchronize(event); }
  static int event_query(native_event event) noexcept { return cudaEventQuery(event); }
  static int event_elapsed(float& ms, native_event begin, native_event end) noexcept {
    return cudaEventElapsedTime(&ms, begin, end);
  }

  static int allocate(void*& memory, std::size_t bytes, native_stream stream) noexcept {
    return cudaMallocAsync(&memory, bytes, stream);
  }
  static int deallocate(void* memory, native_stream stream) noexcept {
    return cudaFreeAsync(memory, stream);
  }
  static int host_allocate(void*& memory, std::size_t bytes) noexcept {
    return cudaMallocHost(&memory, bytes);
  }
  static int host_deallocate(void* memory) noexcept { return cudaFreeHost(memory); }
  static int copy(void* to, const void* from, std::size_t bytes, CopyKind kind,
                  native_stream stream) noexcept {
    return cudaMemcpyAsync(to, from, bytes, native_kind(kind), stream);
  }
  static int copy_2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                     std::size_t width, std::size_t rows, CopyKind kind,
                     native_stream stream) noexcept {
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, rows, native_kind(kind),
                             stream);
  }
  static int fill(void* memory, unsigned char value, std::size_t bytes,
                  native_stream stream) noexcept {
    return cudaMemsetAsync(memory, value, bytes, stream);
  }
  static int copy_peer(void* to, int to_device, const void* from, int from_device,
                       std::size_t bytes, native_stream stream) noexcept {
    return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, stream);
  }
  static int has_memory_pools(int device, bool& answer) noexcept {
    int value = 0;
    const cudaError_t status =
        cudaDeviceGetAttribute(&value, cudaDevAttrMemoryPoolsSupported, device);
    answer = status == cudaSuccess && value != 0;
    return status;
  }
  static int allocate_unordered(void*& memory, std::size_t bytes) noexcept {
    return cudaMalloc(&memory, bytes);
  }
  static int allocate_managed(void*& memory, std::size_t bytes) noexcept {
    return cudaMallocManaged(&memory, bytes, cudaMemAttachGlobal);
  }
  static int deallocate_unordered(void* memory) noexcept { return cudaFree(memory); }

  static constexpr int relaxed_capture = cudaStreamCaptureModeRelaxed;
  static int exchange_capture_mode(int& mode) noexcept {
    auto native = static_cast<cudaStreamCaptureMode>(mode);
    const int status = CudaDriver::exchange_capture_mode(&native);
    mode = static_cast<int>(native);
    return status;
  }
  static int pointer_kind(const void* memory, MemoryKind& kind, int& device) noexcept {
    cudaPointerAttributes attributes;
    const cudaError_t status = cudaPointerGetAttributes(&attributes, memory);
    if (status != cudaSuccess) return status;
    device = attributes.device;
    kind = attributes.type == cudaMemoryTypeDevice    ? MemoryKind::device
           : attributes.type == cudaMemoryTypeManaged ? MemoryKind::managed
           : attributes.type == cudaMemoryTypeHost    ? MemoryKind::pinned
                                                      : MemoryKind::unregistered;
    return cudaSuccess;
  }
  /// Peer access and the access of memory pools are different settings, and the runtime cannot be
  /// asked for the first. But it has no device pointer for memory that the current device cannot
  /// access (CUDA Runtime API, cudaPointerGetAttributes; both settings, on two H200s, CUDA 13.0).
  /// The setting of a pool also succeeds for devices that cannot be peers
  /// (https://github.com/JuliaGPU/CUDA.jl/issues/3112), so the runtime is asked for that too.
  [[WARPSAFE_DETAIL_RARE]] static int can_access(int device, const void* memory, int of,
                                                 bool& answer) noexcept {
    int before = device;
    cudaError_t status = cudaGetDevice(&before);
    if (status == cudaSuccess && before != device) status = cudaSetDevice(device);
    cudaPointerAttributes attributes{};
    if (status == cudaSuccess) status = cudaPointerGetAttributes(&attributes, memory);
    // Graph memory (graph_memory.hpp): the runtime cannot tell.
    if (status == cudaSuccess && attributes.type == cudaMemoryTypeUnregistered) {
      status = cudaErrorInvalidValue;
    }
    answer = attributes.devicePointer != nullptr;
    if (status == cudaSuccess && answer && device != of) {
      int possible = 0;
      status = cudaDeviceCanAccessPeer(&possible, device, of);
      answer = possible != 0;
    }
    const cudaError_t restored = before == device ? cudaSuccess : cudaSetDevice(before);
    return status == cudaSuccess ? restored : status;
  }

  static int pool_access(int device, int of, bool& answer) noexcept {
    cudaMemPool_t pool{};
    cudaError_t status = cudaDeviceGetMemPool(&pool, of);
    cudaMemAccessFlags access{};
    cudaMemLocation user{};
    user.type = cudaMemLocationTypeDevice;
    user.id = device;
    if (status == cudaSuccess) status = cudaMemPoolGetAccess(&access, pool, &user);
    int possible = 0;
    if (status == cudaSuccess) status = cudaDeviceCanAccessPeer(&possible, device, of);
    if (status == cudaSuccess) answer = access != cudaMemAccessFlagsProtNone && possible != 0;
    return status;
  }

 private:
  static cudaMemcpyKind native_kind(CopyKind kind) noexcept {
    static constexpr cudaMemcpyKind kinds[] = {cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
                                               cudaMemcpyDeviceToDevice, cudaMemcpyHostToHost};
    return kinds[static_cast<int>(kind)];
  }
};

}  // namespace detail

/// The backend for the CUDA runtime, versions 12 and 13. Statuses are cudaError_t as int.
struct [[gnu::visibility("default")]] cuda_backend : detail::CudaCalls{};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION

WARPSAFE_DECLARE_LAUNCH(warpsafe::cuda_backend);
