// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/cuda/guard_driver.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/error/detail/kept_text.hpp>

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <time.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

// WARPSAFE_GUARD: device memory with addresses without memory around it, so that an access outside
// of it faults. Only checked code allocates it (memory/detail/device_memory.hpp).

namespace warpsafe::detail {

/// The guard of a program's device memory. Thread-safe.
class CudaGuard {
 public:
  static constexpr bool guards_memory = true;

  /// Whether WARPSAFE_GUARD asks to guard the next allocation. Counts it.
  [[nodiscard]] static bool guards_next() noexcept {
    const std::uint64_t every = GuardSwitch::get().every;
    return every != 0 && __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED) % every == 0;
  }
  /// Allocates in the order of the stream, which does not capture. nullptr if that is not possible;
  /// then allocate as usual.
  [[nodiscard, gnu::cold]] static void* allocate_guarded(void*& memory, std::size_t bytes,
                                                         cudaStream_t stream,
                                                         const call_site& site) noexcept;
  /// A kernel or a copy was given the memory.
  static void guarded_used(void* guard) noexcept {
    const std::uint64_t now = __atomic_add_fetch(&uses, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&static_cast<GuardedMemory*>(guard)->used, now, __ATOMIC_RELAXED);
  }
  /// Frees in the order of the stream, which does not capture. Returns the driver's status. If the
  /// stream still works, a later call of the guard takes the memory away.
  [[nodiscard, gnu::cold]] static int free_guarded(void* guard, cudaStream_t stream) noexcept;
  /// If an allocation returned that there is too little memory: waits until freed memory can be
  /// taken away, at most ten seconds. Returns whether some was.
  // Pools reuse freed memory in the order of the stream; the guard's memory is there until then.
  [[nodiscard, gnu::cold]] static bool release_freed(int status) noexcept;

 private:
  /// The text of a status, with the guarded memory if an access outside of it may be the cause.
  [[nodiscard, gnu::cold]] static Name guarded_text(int status, Name text) noexcept;

  using Address = GuardDriver::Address;
  // As the host backend's.
  static constexpr std::uint32_t fresh_pattern = 0xFFFAFAFA;
  static constexpr std::uint32_t freed_pattern = 0xFFFDFDFD;
  static constexpr std::uint32_t zone_pattern = 0xFCFCFCFC;
  /// Below this, the guard takes no memory from the program.
  static constexpr std::size_t least_free = std::size_t{256} << 20U;
  /// How many freed allocations keep their addresses.
  static constexpr std::size_t most_unmapped = 1024;

  [[gnu::visibility("default")]] static inline std::uint64_t allocations = 0;
  [[gnu::visibility("default")]] static inline std::uint64_t uses = 0;
  [[gnu::visibility("default")]] static inline std::uint64_t overhead = 0;  ///< bytes not asked for
  [[gnu::visibility("default")]] static inline GuardedMemory* in_use = nullptr;
  [[gnu::visibility("default")]] static inline GuardedMemory* freeing = nullptr;
  [[gnu::visibility("default")]] static inline GuardedMemory* unmapped = nullptr;  ///< newest first
  [[gnu::visibility("default")]] static inline std::size_t unmapped_count = 0;
  [[gnu::visibility("default")]] static inline pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

  class Lock {
   public:
    Lock() noexcept { pthread_mutex_lock(&mutex); }
    ~Lock() { pthread_mutex_unlock(&mutex); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
  };
  /// Maps memory if the device has enough of it.
  static bool map(const GuardDriver& driver, GuardedMemory& made, std::size_t bytes,
                  std::size_t page, const GuardDriver::Properties& of) noexcept {
    made.lay_out(bytes, page, GuardSwitch::get().before);
    std::size_t left = 0;
    std::size_t total = 0;
    if (driver.memory_info(&left, &total) != 0) return false;
    if (left < least_free || left - least_free < made.mapped_bytes ||
        overhead + made.extra() > total / 4) {
      static bool said = false;
      GuardSwitch::say_once(
          said, "the device has too little memory left; some allocations are not guarded");
      return false;
    }
    if (!made.map(driver, of, page)) return false;
    overhead += made.extra();
    return true;
  }

  /// Writes a line if the bytes at `from` differ from a pattern. Does not wait for other work.
  static void compare(const GuardDriver& driver, const GuardedMemory& one, Address from,
                      std::size_t bytes, std::uint32_t pattern, const char* when) noexcept {
    auto* const read = static_cast<unsigned char*>(std::malloc(bytes + 1));
    cudaStream_t stream = nullptr;
    constexpr unsigned non_blocking = 1;
    if (read == nullptr || driver.stream_create(&stream, non_blocking) != 0) {
      std::free(read);
      return;
    }
    const bool copied = driver.copy_out(read, from, bytes, stream) == 0;
    const bool ended = driver.stream_wait(stream) == 0;
    static_cast<void>(driver.stream_destroy(stream));
    const auto differs = [&](std::size_t i) {
      return read[i] != static_cast<unsigned char>(pattern >> ((from + i) % 4 * 8));
    };
    std::size_t first = 0;
    std::size_t last = bytes;
    if (copied && ended) {
      while (first < bytes && !differs(first)) ++first;
      while (last != first && !differs(last - 1)) --last;
      if (first != last) one.tell_written(from + first, from + last - 1, when);
    }
    std::free(read);
  }
  /// Checks memory that no work uses any more, and takes it away. Its addresses stay reserved for a
  /// while, so that a later access faults.
  static void take_away(const GuardDriver& driver, GuardedMemory& one) noexcept {
    const std::size_t in_front = one.in_front();
    if (in_front != 0) compare(driver, one, one.begin - in_front, in_front, zone_pattern, "");
    if (one.behind() != 0) compare(driver, one, one.end(), one.behind(), zone_pattern, "");
    if (one.freed_at != nullptr) {
      compare(driver, one, one.begin, GuardedMemory::compared(one.bytes / 4 * 4), freed_pattern,
              ", after their free");
      static_cast<void>(driver.event_destroy(std::exchange(one.freed_at, nullptr)));
    }
    static_cast<void>(driver.unmap(one.mapped, one.mapped_bytes));
    overhead -= one.extra();
    one.insert(unmapped);
    if (++unmapped_count <= most_unmapped) return;
    GuardedMemory* oldest = unmapped;
    while (oldest->next != nullptr) oldest = oldest->next;
    oldest->remove();
    --unmapped_count;
    static_cast<void>(driver.unreserve(oldest->reserved, oldest->reserved_bytes));
    delete oldest;
  }
  /// Takes away freed memory whose stream has got there. Returns whether there was some.
  static bool sweep(const GuardDriver& driver) noexcept {
    bool took = false;
    for (GuardedMemory* one = freeing; one != nullptr;) {
      GuardedMemory& freed = *std::exchange(one, one->next);
      const CurrentContext current(driver, freed.context);
      if (current.status() != 0 || driver.event_query(freed.freed_at) != 0) continue;
      freed.remove();
      take_away(driver, freed);
      took = true;
    }
    return took;
  }
  /// Appends up to four of a list, the last used first.
  static void put_last_used(TextBuffer& out, GuardedMemory* list, const char* before) noexcept {
    std::uint64_t below = ~std::uint64_t{0};
    for (int shown = 0; shown != 4; ++shown) {
      const GuardedMemory* next = nullptr;
      std::uint64_t newest = 0;
      for (const GuardedMemory* one = list; one != nullptr; one = one->next) {
        const std::uint64_t used = __atomic_load_n(&one->used, __ATOMIC_RELAXED);
        if (used <= newest || used >= below) continue;
        newest = used;
        next = one;
      }
      if (next == nullptr) return;
      below = newest;
      out << (shown == 0 ? before : ", ") << std::uint64_t{next->bytes} << " bytes";
      if (next->site.file != nullptr) out << " allocated at " << next->site;
    }
  }
};

inline void* CudaGuard::allocate_guarded(void*& memory, std::size_t bytes, cudaStream_t stream,
                                         const call_site& site) noexcept {
  static bool said = false;
  const GuardDriver* const driver = GuardDriver::get();
  if (driver == nullptr) {
    GuardSwitch::say_once(said, "this driver has no virtual memory management; nothing is guarded");
    return nullptr;
  }
  void* context = nullptr;
  if (bytes > (std::size_t{1} << 46U) || driver->stream_context(stream, &context) != 0)
    return nullptr;
  const Lock lock;
  static_cast<void>(sweep(*driver));
  const CurrentContext current(*driver, context);
  int device = 0;
  int supported = 0;
  constexpr int virtual_memory = 102;  // CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
  if (current.status() != 0 || driver->device(&device) != 0 ||
      driver->attribute(&supported, virtual_memory, device) != 0) {
    return nullptr;
  }
  if (supported == 0) {
    GuardSwitch::say_once(said, "this device has no virtual memory management; nothing is guarded");
    return nullptr;
  }
  GuardDriver::Properties of;
  of.location.device = device;
  int network = 0;
  constexpr int network_access = 110;  // …_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED
  if (driver->attribute(&network, network_access, device) == 0) of.flags[1] = network != 0;
  std::size_t page = 0;
  auto* const made = new (std::nothrow) GuardedMemory;
  if (made == nullptr) return nullptr;
  if (driver->granularity(&page, &of, 0) != 0 || page == 0 ||
      !map(*driver, *made, bytes, page, of)) {
    delete made;
    return nullptr;
  }
  made->context = context;
  made->site = site;
  made->insert(in_use);
  __atomic_store_n(&guard_text, &guarded_text, __ATOMIC_RELEASE);
  const std::size_t in_front = made->in_front();
  made->has_patterns =
      made->fill(*driver, made->begin - in_front, in_front, zone_pattern, stream) &&
      made->fill(*driver, made->end(), made->behind(), zone_pattern, stream) &&
      made->fill(*driver, made->begin, bytes, fresh_pattern, stream);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver has addresses as numbers
  memory = reinterpret_cast<void*>(made->begin);
  return made;
}

inline int CudaGuard::free_guarded(void* guard, cudaStream_t stream) noexcept {
  auto& memory = *static_cast<GuardedMemory*>(guard);
  const GuardDriver& driver = *GuardDriver::get();
  const Lock lock;
  const CurrentContext current(driver, memory.context);
  if (current.status() != 0) return current.status();
  memory.remove();
  const int status = driver.stream_query(stream);
  if (status == 0) {
    take_away(driver, memory);
  } else {
    constexpr unsigned without_timing = 2;
    memory.insert(freeing);
    const bool marked =
        status == cudaErrorNotReady &&
        GuardedMemory::fill(driver, memory.begin, memory.bytes, freed_pattern, stream) &&
        driver.event_create(&memory.freed_at, without_timing) == 0 &&
        driver.event_record(memory.freed_at, stream) == 0;
    // It stays for ever.
    if (!marked) {
      memory.remove();
      memory.insert(in_use);
      return status == cudaErrorNotReady ? 0 : status;
    }
  }
  static_cast<void>(sweep(driver));
  return 0;
}

inline bool CudaGuard::release_freed(int status) noexcept {
  if (status != cudaErrorMemoryAllocation) return false;
  constexpr timespec pause{0, 100'000};
  constexpr int most = 100'000;
  for (int i = 0;; ++i) {
    {
      const Lock lock;
      if (freeing == nullptr) return false;
      if (sweep(*GuardDriver::get())) break;
    }
    if (i == most) return false;
    ::nanosleep(&pause, nullptr);
  }
  // The next attempt decides. Otherwise the program would find an error of a call that succeeds.
  if (cudaPeekAtLastError() == status) static_cast<void>(cudaGetLastError());
  return true;
}

inline Name CudaGuard::guarded_text(int status, Name text) noexcept {
  const bool misaligned = status == cudaErrorMisalignedAddress;
  if (status != cudaErrorIllegalAddress && !misaligned) return text;
  const Lock lock;
  if (in_use == nullptr && freeing == nullptr && unmapped == nullptr) return text;
  char buffer[1024];
  TextBuffer out(buffer, sizeof buffer);
  out << text << "; WARPSAFE_GUARD";
  if (misaligned) {
    out << " aligns memory to 16 bytes, unless a larger power of two divides its size";
  } else {
    out << " lets accesses outside of its memory fault";
    put_last_used(out, in_use, "; last used: ");
    put_last_used(out, freeing, "; freed: ");
    put_last_used(out, unmapped, "; freed: ");
  }
  return keep_text({buffer, out.size()});
}

}  // namespace warpsafe::detail
