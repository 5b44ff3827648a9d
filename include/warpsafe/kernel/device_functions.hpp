// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/aligned_ptr.hpp>
#include <warpsafe/args/device_ptr.hpp>
#include <warpsafe/args/device_span.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/size_type.hpp>
#include <warpsafe/dims/extent.hpp>
#include <warpsafe/kernel/kernel_declaration.hpp>

// The functions of kernel code. The same source compiles with nvcc, hipcc, NVRTC and hipRTC for the
// device, and with g++ or clang++ as a function of the host backend. C++17, without standard
// headers.

namespace warpsafe {
inline namespace WARPSAFE_DETAIL_VERSION {

/// The position of a thread in its block or of a block in its grid, or the size of either.
struct Local3 {
  unsigned x, y, z;
};

namespace detail {
template <class T>
inline constexpr bool is_index = is_same<T, Index3> || is_same<T, Local3>;
}  // namespace detail
// Diagnose an index or a size as a number, as in `if (thread_index() < n)`.
#define WARPSAFE_DETAIL_SENTENCE                                                                \
  "warpsafe: an index has an axis: thread_index().x is the thread's number along x, .y and .z " \
  "those along y and z"
#define WARPSAFE_DETAIL_NO_OPERATOR(sign)                                                    \
  template <class Index, class N,                                                            \
            typename detail::If<detail::is_index<Index> &&                                   \
                                (detail::is_size<N> || detail::is_floating<N> ||             \
                                 detail::is_index<N>)>::type* = nullptr WARPSAFE_DETAIL_WHY> \
  WARPSAFE_FN WARPSAFE_DETAIL_REFUSED N operator sign(Index, N)                              \
      WARPSAFE_DETAIL_REFUSAL_IN_BODY(Index)
WARPSAFE_DETAIL_NO_OPERATOR(<);
WARPSAFE_DETAIL_NO_OPERATOR(<=);
WARPSAFE_DETAIL_NO_OPERATOR(>);
WARPSAFE_DETAIL_NO_OPERATOR(>=);
WARPSAFE_DETAIL_NO_OPERATOR(+);
WARPSAFE_DETAIL_NO_OPERATOR(*);
WARPSAFE_DETAIL_NO_OPERATOR(%);
#undef WARPSAFE_DETAIL_NO_OPERATOR
#undef WARPSAFE_DETAIL_SENTENCE

// These functions are host and device code, because a device compiler parses kernel code twice and
// a functor's call operator is both, too (args/device_ptr.hpp). They are maybe_unused, because
// clang as nvcc's host compiler would warn.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define WARPSAFE_DETAIL_KERNEL_CODE [[maybe_unused]] static __host__ __device__ __forceinline__
#else
#define WARPSAFE_DETAIL_KERNEL_CODE inline
namespace detail {
inline Local3 to_local(const unsigned (&axes)[3]) noexcept { return {axes[0], axes[1], axes[2]}; }
}  // namespace detail
#endif

#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
WARPSAFE_DETAIL_KERNEL_CODE Local3 thread_in_block() {
  return {threadIdx.x, threadIdx.y, threadIdx.z};
}
WARPSAFE_DETAIL_KERNEL_CODE Local3 block_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
WARPSAFE_DETAIL_KERNEL_CODE Local3 block_size() { return {blockDim.x, blockDim.y, blockDim.z}; }
WARPSAFE_DETAIL_KERNEL_CODE Local3 grid_size() { return {gridDim.x, gridDim.y, gridDim.z}; }
#elif defined(__CUDACC__) || defined(__HIPCC__)
WARPSAFE_DETAIL_KERNEL_CODE Local3 thread_in_block() {
  return detail::called_from_host_code<Local3>();
}
WARPSAFE_DETAIL_KERNEL_CODE Local3 block_index() { return detail::called_from_host_code<Local3>(); }
WARPSAFE_DETAIL_KERNEL_CODE Local3 block_size() { return detail::called_from_host_code<Local3>(); }
WARPSAFE_DETAIL_KERNEL_CODE Local3 grid_size() { return detail::called_from_host_code<Local3>(); }
#else
inline Local3 thread_in_block() noexcept {
  detail::host_thread->use.thread = true;
  return detail::to_local(detail::host_thread->thread);
}
inline Local3 block_index() noexcept {
  detail::host_thread->use.block = true;
  return detail::to_local(detail::host_thread->block);
}
inline Local3 block_size() noexcept {
  detail::host_thread->use.block_size = true;
  return detail::to_local(detail::host_thread->block_dim);
}
inline Local3 grid_size() noexcept {
  detail::host_thread->use.grid_size = true;
  return detail::to_local(detail::host_thread->grid_dim);
}
#endif

/// The range of `grid_stride` for a `for` loop. Its end is a sentinel, so that the loop compiles to
/// the same code as a handwritten loop.
class StrideRange {
 public:
  struct Sentinel {};
  struct Iterator {
    size_type index;
    size_type end;
    size_type step;
    WARPSAFE_FN constexpr size_type operator*() const noexcept { return index; }
    WARPSAFE_FN constexpr Iterator& operator++() noexcept {
      index += step;
      return *this;
    }
    WARPSAFE_FN constexpr bool operator!=(Sentinel) const noexcept { return index < end; }
  };

  WARPSAFE_FN constexpr StrideRange(size_type first, size_type end, size_type step) noexcept
      : first_{first, end, step} {}
  [[nodiscard]] WARPSAFE_FN constexpr Iterator begin() const noexcept { return first_; }
  [[nodiscard]] WARPSAFE_FN constexpr Sentinel end() const noexcept { return {}; }

 private:
  Iterator first_;
};

/// The index of this thread in the whole grid, with 64 bits per axis: x is the column, y the row.
[[nodiscard]] WARPSAFE_DETAIL_KERNEL_CODE Index3 thread_index() {
  const Local3 thread = thread_in_block();
  const Local3 block = block_index();
#if defined(__CUDACC__) || defined(__HIPCC__)
  const Local3 size = block_size();
#else
  const Local3 size = detail::to_local(detail::host_thread->block_dim);
#endif
  return {static_cast<size_type>(block.x) * size.x + thread.x,
          static_cast<size_type>(block.y) * size.y + thread.y,
          static_cast<size_type>(block.z) * size.z + thread.z};
}

/// The indices in [0, n) that this thread handles when the grid strides along x over n elements:
/// `for (auto i : grid_stride(n))`. They have 64 bits, so no step wraps; n is below 2^63, and a
/// kernel of the host backend that asks for more fails. A number below 0 is an empty range. It
/// works with a grid of any size along x, including one that covers n.
///
/// In a grid with threads along y or z, each row of threads handles all n elements. A kernel for
/// such a grid takes its row from `thread_index()` or `block_index()`. On the host backend, a
/// launch whose threads never ask for it fails (Errc::execution_failed,
/// HostStatus::launch_failure).
[[nodiscard]] WARPSAFE_DETAIL_KERNEL_CODE StrideRange grid_stride(size_type n) {
#if defined(__CUDACC__) || defined(__HIPCC__)
  const size_type size = block_size().x;
  return {static_cast<size_type>(block_index().x) * size + thread_in_block().x, n,
          static_cast<size_type>(grid_size().x) * size};
#else
  detail::HostThread& self = *detail::host_thread;
  const size_type size = self.block_dim[0];
  const size_type first = self.block[0] * size + self.thread[0];
  self.use.grid_size = true;
  // The last step would wrap, and the loop would not end.
  if (n >> 63U != 0 && self.fault != nullptr) {
    self.fault(self,
               "the kernel asks grid_stride for 2^63 or more elements; this may be a difference of "
               "sizes that is below 0");
  }
  if (first < n) self.use.strides = true;  // a loop over nothing repeats nothing
  return {first, n, self.grid_dim[0] * size};
#endif
}

/// Of a signed number, which must not become a large size.
template <class N, typename detail::If<detail::is_one_of<N, signed char, short, int, long,
                                                         long long>>::type* = nullptr>
[[nodiscard]] WARPSAFE_DETAIL_KERNEL_CODE StrideRange grid_stride(N n) {
  return grid_stride(n < 0 ? size_type{0} : static_cast<size_type>(n));
}

/// Diagnoses an array in place of its size.
template <class Array,
          typename detail::If<!__is_constructible(size_type, const Array&)>::type* = nullptr>
[[nodiscard]] WARPSAFE_DETAIL_KERNEL_CODE StrideRange grid_stride(const Array&) {
  static_assert(detail::is_never<Array>,
                "warpsafe: grid_stride takes the number of elements: grid_stride(x.size())");
  return {0, 0, 1};
}

/// Waits until every thread of the block has called it; writes to shared memory are visible after
/// it. Every thread must reach the same call.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
WARPSAFE_DETAIL_KERNEL_CODE void sync_block() { __syncthreads(); }
#elif defined(__CUDACC__) || defined(__HIPCC__)
WARPSAFE_DETAIL_KERNEL_CODE void sync_block() { detail::called_from_host_code<void>(); }
#else
inline void sync_block(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
  detail::host_thread->sync(*detail::host_thread, file, line);
}
#endif

/// Programmatic dependent launch (CUDA): a kernel that is launched with `dependent_launch` may
/// begin before the kernels before it in its stream have ended. `wait_for_predecessor` waits until
/// they have ended and their writes are visible to the calling thread, as
/// cudaGridDependencySynchronize does. Call it in every thread before the first access to what they
/// write, or before a `sync_block` that all such threads reach. A kernel that never calls it does
/// not wait for its predecessor, and then the kernel after it does not wait for that predecessor
/// either.
///
/// `allow_dependents` lets the next kernel begin once each block has called it in one thread, or
/// has ended (cudaTriggerProgrammaticLaunchCompletion). It makes no write visible.
///
/// Both do nothing in code that is compiled for less than compute capability 9.0. `launch` begins
/// no kernel of such code early, also where the driver compiles its PTX for a newer GPU. HIP has no
/// dependent launch, so a call does not compile there.
#if defined(__HIPCC__) || defined(__HIP_PLATFORM_NVIDIA__)
template <class Never = void>
WARPSAFE_DETAIL_KERNEL_CODE void wait_for_predecessor() {
  static_assert(
      detail::is_never<Never>,
      "warpsafe: HIP has no dependent launch, so no kernel can wait for its predecessor; "
      "leave the call out of code for HIP, where each kernel begins after the one before");
}
template <class Never = void>
WARPSAFE_DETAIL_KERNEL_CODE void allow_dependents() {
  static_assert(
      detail::is_never<Never>,
      "warpsafe: HIP has no dependent launch, so no kernel can allow its dependents; "
      "leave the call out of code for HIP, where each kernel begins after the one before");
}
#elif defined(__CUDA_ARCH__)
WARPSAFE_DETAIL_KERNEL_CODE void wait_for_predecessor() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
WARPSAFE_DETAIL_KERNEL_CODE void allow_dependents() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
#elif defined(__CUDACC__)
WARPSAFE_DETAIL_KERNEL_CODE void wait_for_predecessor() { detail::called_from_host_code<void>(); }
WARPSAFE_DETAIL_KERNEL_CODE void allow_dependents() { detail::called_from_host_code<void>(); }
#else
inline void wait_for_predecessor(const char* file = __builtin_FILE(),
                                 unsigned line = __builtin_LINE()) {
  detail::host_thread->depend(*detail::host_thread, true, file, line);
}
inline void allow_dependents(const char* file = __builtin_FILE(),
                             unsigned line = __builtin_LINE()) {
  detail::host_thread->depend(*detail::host_thread, false, file, line);
}
#endif

#if defined(__CUDACC__) || defined(__HIPCC__)
namespace detail {
/// A call of dynamic_shared, for device_check.hpp.
template <class T>
struct DynamicSharedCall {
  size_type count;  ///< elements
  const char* file;
  unsigned line;
  const char* function;
};
/// Without device_check.hpp, device code does not check what a call asks for. The header's overload
/// takes an int, so a call with 0 prefers it.
template <class T>
WARPSAFE_DETAIL_KERNEL_CODE void check_dynamic_shared(const DynamicSharedCall<T>&, long) {}
}  // namespace detail

/// The block's dynamic shared memory as elements of T. The launch's `shared<T>(count)` sets their
/// number. The memory is aligned to 16 bytes. Every call in a kernel returns the same memory.
///
/// The kernel needs `count` elements. In a checked build, a launch that gives fewer bytes is
/// an error, whether or not the kernel uses the memory. On the host backend the kernel ends as at
/// an access outside of its memory (Errc::execution_failed). On a device, in a file that includes
/// device_check.hpp, it ends as at a failed check (Errc::device_check_failed). A kernel that uses
/// the memory only in some launches calls this only in those, or asks for 0 elements.
template <class T>
WARPSAFE_DETAIL_KERNEL_CODE T* dynamic_shared(
    [[maybe_unused]] size_type count = 1, [[maybe_unused]] const char* file = __builtin_FILE(),
    [[maybe_unused]] unsigned line = __builtin_LINE(),
    [[maybe_unused]] const char* function = __builtin_FUNCTION()) {
  static_assert(alignof(T) <= 16, "warpsafe: dynamic shared memory is aligned to 16 bytes");
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  check_dynamic_shared(detail::DynamicSharedCall<T>{count, file, line, function}, 0);
  extern __shared__ __align__(16) unsigned char warpsafe_dynamic_shared[];
  return reinterpret_cast<T*>(warpsafe_dynamic_shared);
#else
  return detail::called_from_host_code<T*>();
#endif
}
#else
template <class T, CheckLevel Level = current_level>
T* dynamic_shared(size_type count = 1, detail::KernelPlace at = {}) {
  static_assert(alignof(T) <= 16, "warpsafe: dynamic shared memory is aligned to 16 bytes");
  if constexpr (Level == CheckLevel::full) {
    detail::HostThread& self = *detail::host_thread;
    if (count > self.dynamic_shared_bytes / sizeof(T) && self.lack_shared != nullptr) {
      self.lack_shared(self, count, sizeof(T), at.file, at.line);
    }
    if (self.ask_shared != nullptr && (self.asked.line != at.line || self.asked.file != at.file ||
                                       self.asked.bytes < count * sizeof(T))) {
      self.ask_shared(self, count, sizeof(T), at.file, at.line);
    }
  }
  detail::host_thread->asks_dynamic_shared = true;
  return reinterpret_cast<T*>(detail::host_thread->dynamic_shared);
}
#endif

namespace detail {
WARPSAFE_FN void takes_function(void (*)());
/// Whether Site is the type of a lambda without captures that was written as the argument. A
/// variable, whose Site is a reference, could be passed twice.
template <class Site, class = decltype(takes_function(lvalue<Site>()))>
WARPSAFE_FN constexpr bool is_call_site(int) noexcept {
  return __is_class(Site);
}
template <class>
WARPSAFE_FN constexpr bool is_call_site(long) noexcept {
  return false;
}
}  // namespace detail

/// An uninitialised array of N elements in the block's static shared memory. Write an empty lambda
/// as the argument: `float* tile = shared_array<float, 256>([] {});`. Each lambda has a type of its
/// own, so each call in the source makes a separate array, like a `__shared__` variable. A call
/// that runs again, in a loop or in a function called twice, returns the same array.
template <class T, unsigned N, class Site>
WARPSAFE_DETAIL_KERNEL_CODE T* shared_array(Site&&) {
  static_assert(
      detail::is_call_site<Site>(0),
      "warpsafe: shared_array takes an empty lambda, written in the call, which makes each "
      "call an array of its own: shared_array<float, 256>([] {})");
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  __shared__ T storage[N];
  return storage;
#elif defined(__CUDACC__) || defined(__HIPCC__)
  return detail::called_from_host_code<T*>();
#else
  static char key;  // not const: linkers may merge equal constants
  detail::HostThread& self = *detail::host_thread;
  return static_cast<T*>(self.shared_key == &key
                             ? self.shared_variable
                             : self.static_shared(self, &key, sizeof(T) * N, alignof(T)));
#endif
}

/// Diagnoses a call without the lambda: two calls without one would return the same array.
template <class T, unsigned N, class... Tag>
WARPSAFE_DETAIL_KERNEL_CODE T* shared_array() {
  static_assert(
      detail::is_never<T>,
      "warpsafe: shared_array takes an empty lambda, written in the call, which makes each "
      "call an array of its own: shared_array<float, 256>([] {})");
  return nullptr;
}

/// Diagnoses a number of elements in parentheses. The return type is deduced, so that nvcc says it
/// without a kernel that is launched.
template <class T, class Count, class = decltype(sizeof(Count{} + 1))>
WARPSAFE_DETAIL_KERNEL_CODE auto shared_array(Count) {
  static_assert(
      detail::is_never<T>,
      "warpsafe: the number of elements of shared_array is a constant in the brackets: "
      "shared_array<float, 256>([] {}); for a number known at run time use dynamic_shared<float>(n)");
  return static_cast<T*>(nullptr);
}

/// Adds atomically to a counter that other threads of the grid add to, and returns its previous
/// value. T is a type for which both vendors have an atomic addition: int, unsigned, unsigned long
/// long, float, double.
template <class T>
WARPSAFE_DETAIL_KERNEL_CODE auto atomic_add(T* counter, T amount) {
  // `auto`, because nvcc's host front end reads the body of a kernel's function only for its type.
  static_assert(
      !detail::is_one_of<T, signed char, unsigned char, char, bool, short, unsigned short, long,
                         unsigned long, long long>,
      "warpsafe: GPUs add atomically to int, unsigned, unsigned long long, float and double; make "
      "the counter one of these");
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  return atomicAdd(counter, amount);
#elif defined(__CUDACC__) || defined(__HIPCC__)
  static_cast<void>(counter);
  static_cast<void>(amount);
  return detail::called_from_host_code<T>();
#else
  if (detail::host_thread != nullptr) detail::host_thread->use.adds = true;
  T before;
  if constexpr (detail::is_floating<T>) {
    T after;
    __atomic_load(counter, &before, __ATOMIC_RELAXED);
    do {
      after = before + amount;
    } while (!__atomic_compare_exchange(counter, &before, &after, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
  } else {
    before = __atomic_fetch_add(counter, amount, __ATOMIC_RELAXED);
  }
  if (auto* const read = __atomic_load_n(&detail::atomic_read, __ATOMIC_RELAXED)) {
    read(counter, &before, sizeof before);
  }
  return before;
#endif
}
/// Diagnoses an amount of another type than the counter's, and a counter that is no pointer.
template <class Counter, class Amount>
WARPSAFE_DETAIL_KERNEL_CODE auto atomic_add(Counter, Amount amount) {
  static_assert(detail::is_never<Counter>,
                "warpsafe: atomic_add takes a pointer to a counter, and an amount of the counter's "
                "type: atomic_add(&counts[i], 1U) for counters of type unsigned");
  return amount;
}

}  // namespace WARPSAFE_DETAIL_VERSION
}  // namespace warpsafe

#undef WARPSAFE_DETAIL_KERNEL_CODE
