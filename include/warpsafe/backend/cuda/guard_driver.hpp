// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/hooks.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/core/name.hpp>

#include <cuda_runtime_api.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

// Device memory with addresses without memory around it, which CUDA's driver maps.

namespace warpsafe::detail {

/// Adds to the text of a status what the guard knows. nullptr until memory was guarded, so that a
/// program without checks does not contain the guard.
[[gnu::visibility("default")]] inline Name (*guard_text)(int status, Name text) noexcept = nullptr;
inline Name with_guard_text(int status, Name text) noexcept {
  Name (*const add)(int, Name) noexcept = __atomic_load_n(&guard_text, __ATOMIC_ACQUIRE);
  return add == nullptr ? text : add(status, text);
}

/// WARPSAFE_GUARD, as it was at the first allocation.
struct GuardSwitch {
  std::uint64_t every = 0;  ///< guard one allocation in so many; 0: none
  bool before = false;      ///< find accesses before the beginning, instead of those past the end

  /// Writes a line to standard error if the value is malformed.
  [[nodiscard]] static const GuardSwitch& get() noexcept {
    static const GuardSwitch found = read();
    return found;
  }
  /// Writes `text`, which is in `buffer`, to standard error.
  static void say(const TextBuffer& text, const char* buffer) noexcept {
    // There is nowhere to report that standard error takes no text.
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, buffer, text.size());
  }
  static void say_once(bool& said, const char* sentence) noexcept {
    char buffer[256];
    TextBuffer out(buffer, sizeof buffer);
    out << "warpsafe: WARPSAFE_GUARD: " << sentence << '\n';
    if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED)) say(out, buffer);
  }

 private:
  [[gnu::cold]] static GuardSwitch read() noexcept {
    const char* const value = read_environment("WARPSAFE_GUARD");
    const Name name = Name::of(value == nullptr ? "" : value);
    if (name == Name::of("before")) return {1, true};
    // A kernel's name begins after '9' in ASCII: with a letter, '_' or ':'.
    if (name.data[0] > '9') {
      static bool said = debug_hooks() != nullptr;
      say_once(said, "a launch waits only if the program includes <warpsafe/debug.hpp>");
      return {1, false};
    }
    GuardSwitch found;
    bool number = name.size < 19;
    for (std::size_t i = 0; number && i < name.size; ++i) {
      number = name.data[i] >= '0' && name.data[i] <= '9';
      found.every = found.every * 10 + static_cast<std::uint64_t>(name.data[i] - '0');
    }
    if (number) return found;
    char buffer[512];
    TextBuffer out(buffer, sizeof buffer);
    (out << "warpsafe: WARPSAFE_GUARD=").one_line(name)
        << " is neither a number, nor before, nor kernel names; 0 is used\n";
    say(out, buffer);
    return {};
  }
};

/// The functions of CUDA's driver that the guard calls, found by name. No function of the runtime
/// can do this. Each returns a CUresult, whose numbers are those of cudaError_t.
struct GuardDriver {
  /// CUmemLocation, CUmemAllocationProp and CUmemAccessDesc of cuda.h.
  struct Location {
    int type = 1;  ///< a device
    int device = 0;
  };
  struct Properties {
    int type = 1;  ///< pinned, the only one
    int handle_types = 0;
    Location location{};
    void* windows = nullptr;
    unsigned char flags[8] = {};  ///< the second: network cards may access it
  };
  struct Access {
    Location location{};
    int flags = 3;  ///< read and write
  };
  using Address = unsigned long long;

  int (*stream_context)(cudaStream_t stream, void** context);
  int (*push)(void* context);
  int (*pop)(void** context);
  int (*device)(int* device);
  int (*device_count)(int* count);
  int (*attribute)(int* value, int attribute, int device);
  int (*can_access_peer)(int* answer, int device, int peer);
  int (*memory_info)(std::size_t* free, std::size_t* total);
  int (*granularity)(std::size_t* bytes, const Properties* of, int option);
  int (*reserve)(Address* begin, std::size_t bytes, std::size_t alignment, Address wish,
                 unsigned long long flags);
  int (*unreserve)(Address begin, std::size_t bytes);
  int (*create)(unsigned long long* memory, std::size_t bytes, const Properties* of,
                unsigned long long flags);
  int (*release)(unsigned long long memory);
  int (*map)(Address begin, std::size_t bytes, std::size_t offset, unsigned long long memory,
             unsigned long long flags);
  int (*unmap)(Address begin, std::size_t bytes);
  int (*set_access)(Address begin, std::size_t bytes, const Access* access, std::size_t count);
  int (*fill_words)(Address begin, unsigned pattern, std::size_t count, cudaStream_t stream);
  int (*fill_bytes)(Address begin, unsigned char pattern, std::size_t count, cudaStream_t stream);
  int (*copy_out)(void* to, Address from, std::size_t bytes, cudaStream_t stream);
  int (*stream_create)(cudaStream_t* stream, unsigned flags);
  int (*stream_destroy)(cudaStream_t stream);
  int (*stream_query)(cudaStream_t stream);
  int (*stream_wait)(cudaStream_t stream);
  int (*event_create)(cudaEvent_t* event, unsigned flags);
  int (*event_destroy)(cudaEvent_t event);
  int (*event_record)(cudaEvent_t event, cudaStream_t stream);
  int (*event_query)(cudaEvent_t event);

  /// nullptr if the driver lacks one of them.
  [[nodiscard]] static const GuardDriver* get() noexcept {
    static GuardDriver found;
    static const bool whole = find(found);
    return whole ? &found : nullptr;
  }

 private:
  [[gnu::cold]] static bool find(GuardDriver& found) noexcept {
    // In the order of the members.
    const char* name =
        "cuStreamGetCtx\0cuCtxPushCurrent\0cuCtxPopCurrent\0cuCtxGetDevice\0cuDeviceGetCount\0"
        "cuDeviceGetAttribute\0cuDeviceCanAccessPeer\0cuMemGetInfo\0"
        "cuMemGetAllocationGranularity\0cuMemAddressReserve\0cuMemAddressFree\0cuMemCreate\0"
        "cuMemRelease\0cuMemMap\0cuMemUnmap\0cuMemSetAccess\0cuMemsetD32Async\0"
        "cuMemsetD8Async\0cuMemcpyDtoHAsync\0cuStreamCreate\0cuStreamDestroy\0cuStreamQuery\0"
        "cuStreamSynchronize\0cuEventCreate\0cuEventDestroy\0cuEventRecord\0cuEventQuery\0";
    auto* const members = reinterpret_cast<unsigned char*>(&found);
    for (std::size_t at = 0; at != sizeof found;
         at += sizeof(void*), name += Name::of(name).size + 1) {
      void* function = nullptr;
      cudaDriverEntryPointQueryResult answer{};
#if CUDART_VERSION >= 12050
      const cudaError_t status =
          cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &answer);
#else
      const cudaError_t status =
          cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &answer);
#endif
      if (status != cudaSuccess || function == nullptr) return false;
      __builtin_memcpy(members + at, &function, sizeof function);
    }
    return true;
  }
};

/// A context that is current during its lifetime, whatever the thread's own is.
class CurrentContext {
 public:
  CurrentContext(const GuardDriver& driver, void* context) noexcept
      : driver_(driver), status_(driver.push(context)) {}
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;
  ~CurrentContext() {
    void* popped = nullptr;
    if (status_ == 0) static_cast<void>(driver_.pop(&popped));
  }
  [[nodiscard]] int status() const noexcept { return status_; }

 private:
  const GuardDriver& driver_;
  int status_;
};

/// One guarded allocation.
struct GuardedMemory {
  using Address = GuardDriver::Address;

  Address begin = 0;
  std::size_t bytes = 0;  ///< as the program asked
  Address mapped = 0;     ///< the memory, which is larger
  std::size_t mapped_bytes = 0;
  Address reserved = 0;  ///< the addresses, of which the rest has no memory
  std::size_t reserved_bytes = 0;
  void* context = nullptr;
  cudaEvent_t freed_at = nullptr;
  std::uint64_t used = 0;    ///< rises with each use; 0: not used yet
  bool has_patterns = true;  ///< what the program did not ask for
  call_site site{nullptr, nullptr, 0};
  GuardedMemory* next = nullptr;
  GuardedMemory** link = nullptr;  ///< what points to it

  void insert(GuardedMemory*& list) noexcept {
    next = list;
    if (next != nullptr) next->link = &next;
    link = &list;
    list = this;
  }
  void remove() noexcept {
    *link = next;
    if (next != nullptr) next->link = link;
  }
  [[nodiscard]] Address end() const noexcept { return begin + bytes; }
  /// The bytes that the program did not ask for.
  [[nodiscard]] std::size_t extra() const noexcept { return mapped_bytes - bytes; }
  /// How many bytes of a pattern are compared; those before the beginning, and past the end.
  [[nodiscard]] static std::size_t compared(std::size_t count) noexcept {
    return count < 65536 ? count : 65536;
  }
  [[nodiscard]] std::size_t in_front() const noexcept {
    return has_patterns ? compared(begin - mapped) : 0;
  }
  [[nodiscard]] std::size_t behind() const noexcept {
    return has_patterns ? compared(mapped + mapped_bytes - end()) : 0;
  }

  /// Makes room for `its_bytes` bytes in whole pages. `before`: the memory begins where its mapping
  /// begins. Otherwise it ends where its mapping ends, but for the alignment: to the largest power
  /// of two that divides the size, from 16, which a kernel's largest vector loads need, to 256,
  /// cudaMalloc's own.
  void lay_out(std::size_t its_bytes, std::size_t page, bool before) noexcept {
    bytes = its_bytes;
    const std::size_t power = bytes & (0 - bytes);
    const std::size_t unit = before ? page : power < 16 ? 16 : power > 256 ? 256 : power;
    const std::size_t room = (bytes + unit - 1) / unit * unit;
    mapped_bytes = (room + page - 1) / page * page;
    reserved_bytes = page + mapped_bytes + unmapped_bytes;
    mapped = before ? unmapped_bytes : page;  // from `reserved`
    begin = mapped + (mapped_bytes - room);
  }
  /// Maps memory of the device, after `lay_out`. Returns whether that succeeded.
  [[nodiscard]] bool map(const GuardDriver& driver, const GuardDriver::Properties& of,
                         std::size_t page) noexcept {
    if (driver.reserve(&reserved, reserved_bytes, page, 0, 0) != 0) return false;
    mapped += reserved;
    begin += reserved;
    unsigned long long memory = 0;
    if (driver.create(&memory, mapped_bytes, &of, 0) == 0) {
      const bool is_mapped = driver.map(mapped, mapped_bytes, 0, memory, 0) == 0;
      // The mapping keeps the memory.
      static_cast<void>(driver.release(memory));
      if (is_mapped && give_access(driver, of.location.device)) return true;
      if (is_mapped) static_cast<void>(driver.unmap(mapped, mapped_bytes));
    }
    static_cast<void>(driver.unreserve(reserved, reserved_bytes));
    return false;
  }
  /// Fills some of the memory in the order of the stream.
  static bool fill(const GuardDriver& driver, Address from, std::size_t count,
                   std::uint32_t pattern, cudaStream_t stream) noexcept {
    const std::size_t words = from % 4 == 0 ? count / 4 : 0;
    const std::size_t rest = count - words * 4;
    return (words == 0 || driver.fill_words(from, pattern, words, stream) == 0) &&
           (rest == 0 || driver.fill_bytes(from + words * 4, static_cast<unsigned char>(pattern),
                                           rest, stream) == 0);
  }
  void tell_written(Address first, Address last, const char* when) const noexcept {
    const bool before = last < begin;
    const auto at = [&](Address one) { return std::uint64_t{before ? begin - one : one - begin}; };
    char buffer[512];
    TextBuffer out(buffer, sizeof buffer);
    out << "warpsafe: memory guard: something wrote bytes " << at(first) << " to " << at(last)
        << (before ? " before the beginning of " : " of ") << std::uint64_t{bytes} << " bytes";
    if (site.file != nullptr) out << " that were allocated at " << site;
    GuardSwitch::say(out << when << '\n', buffer);
  }

 private:
  /// The addresses without memory on the side where the mistake is looked for. The blocks of a grid
  /// do not begin in order, so the first access outside may be far away.
  static constexpr std::size_t unmapped_bytes = std::size_t{256} << 20U;

  /// Lets the device use the memory, and the devices that may be its peers: a program may give them
  /// access to the pool from which the memory would usually come.
  [[nodiscard]] bool give_access(const GuardDriver& driver, int device) const noexcept {
    constexpr int most = 16;
    GuardDriver::Access access[most];
    access[0].location.device = device;
    int count = 1;
    int devices = 0;
    if (driver.device_count(&devices) != 0) devices = 0;
    for (int other = 0, answer = 0; other < devices && count < most; ++other) {
      if (other == device || driver.can_access_peer(&answer, other, device) != 0) continue;
      if (answer != 0) access[count++].location.device = other;
    }
    const auto give = [&](int first) {
      return driver.set_access(mapped, mapped_bytes, access, static_cast<std::size_t>(first)) == 0;
    };
    return give(count) || (count != 1 && give(1));
  }
};

}  // namespace warpsafe::detail
