// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "stream.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace stand_in_hip {
namespace {

constexpr std::size_t device_alignment = 256;  // bytes

/// A pointer into an allocation.
struct Place {
  const Allocation* allocation = nullptr;  ///< null for memory that the runtime does not know
  const char* first = nullptr;
  std::size_t left = 0;  ///< bytes from the pointer to the end
};

/// A device variable is ordinary device memory (clr hip_global.cpp, DeviceVar).
Place find_in_variables(const char* pointer) {
  static const Allocation memory{};
  for (const auto& [shadow, variable] : runtime().variables) {
    const auto* first = reinterpret_cast<const char*>(variable.storage.data());
    if (pointer >= first && pointer < first + variable.size) {
      return {&memory, first, variable.size - static_cast<std::size_t>(pointer - first)};
    }
  }
  return {};
}

Place find(const void* pointer) {
  auto& all = runtime().allocations;
  auto next = all.upper_bound(pointer);
  const auto* at = static_cast<const char*>(pointer);
  if (next == all.begin()) return find_in_variables(at);
  --next;
  const auto* first = static_cast<const char*>(next->first);
  const auto offset = static_cast<std::size_t>(at - first);
  if (offset >= next->second.size) return find_in_variables(at);
  return {&next->second, first, next->second.size - offset};
}

const Device& device_at(int index) { return runtime().devices[static_cast<std::size_t>(index)]; }

/// Bytes left on the device.
std::size_t free_on(int device) {
  const Device& d = device_at(device);
  std::size_t used = d.used_by_others;
  for (const auto& [first, allocation] : runtime().allocations) {
    if (!allocation.on_host && allocation.device == device) used += allocation.size;
  }
  return used < d.memory ? d.memory - used : 0;
}

// ihipMalloc and ihipHostMalloc, clr hip_memory.cpp:296 and :348.
hipError_t allocate(void** pointer, std::size_t size, int device, bool on_host, unsigned flags,
                    CallNote& note) {
  if (pointer == nullptr) return hipErrorInvalidValue;
  note.bytes = size;
  *pointer = nullptr;
  if (size == 0) return hipSuccess;
  if (!on_host && size > free_on(device)) return hipErrorOutOfMemory;
  const std::size_t rounded = (size + device_alignment - 1) / device_alignment * device_alignment;
  void* made = std::aligned_alloc(device_alignment, rounded);
  if (made == nullptr) return hipErrorOutOfMemory;
  runtime().allocations[made] = {size, device, flags, on_host, false, false};
  *pointer = made;
  return hipSuccess;
}

// ihipFree, clr hip_memory.cpp:70: waits for the device first. It frees the allocation that the
// pointer lies in.
hipError_t release(const void* pointer) {
  if (pointer == nullptr) return hipSuccess;
  const Place place = find(pointer);
  auto& all = runtime().allocations;
  const auto found = place.allocation == nullptr ? all.end() : all.find(place.first);
  if (found == all.end() || found->second.registered) return hipErrorInvalidValue;
  runtime().drain();
  void* const first = const_cast<void*>(found->first);
  all.erase(found);
  std::free(first);
  return hipSuccess;
}

bool known_kind(hipMemcpyKind kind) {
  return !rules().checks_copy_kind || (kind >= hipMemcpyHostToHost && kind <= hipMemcpyDefault);
}

// ihipMemcpy_validate, clr hip_memory.cpp:413. It does not compare the direction with the
// pointers, except that it refuses a copy to or from a device between two unknown pointers.
hipError_t validate_copy(const void* to, const void* from, std::size_t size, hipMemcpyKind kind) {
  if (to == nullptr || from == nullptr) return hipErrorInvalidValue;
  if (!known_kind(kind)) return hipErrorInvalidMemcpyDirection;
  const Place source = find(from);
  const Place target = find(to);
  if (source.allocation != nullptr && size > source.left) return hipErrorInvalidValue;
  if (target.allocation != nullptr && size > target.left) return hipErrorInvalidValue;
  const bool both_unknown = source.allocation == nullptr && target.allocation == nullptr;
  if (both_unknown && kind != hipMemcpyHostToHost && kind != hipMemcpyDefault) {
    return hipErrorInvalidValue;
  }
  return hipSuccess;
}

// ihipMemcpy, clr hip_memory.cpp:610: it checks the size first.
hipError_t copy_now(void* to, const void* from, std::size_t size, hipMemcpyKind kind,
                    CallNote& note) {
  note.bytes = size;
  if (refuses_blocking_copy()) return hipErrorStreamCaptureImplicit;
  if (size == 0) return hipSuccess;
  const hipError_t status = validate_copy(to, from, size, kind);
  if (status != hipSuccess) return status;
  runtime().drain();
  std::memmove(to, from, size);
  note.synchronises = true;
  return hipSuccess;
}

/// The stream-ordered form of an operation that was found valid: into the graph of a stream under
/// capture, onto the queue otherwise.
hipError_t submit(const StreamArgument& on, std::function<void()> work) {
  hipError_t status = hipSuccess;
  const auto node = [work] {
    work();
    return hipSuccess;
  };
  if (captured(on, node, status)) return status;
  runtime().enqueue(on.stream, std::move(work));
  return hipSuccess;
}

// hipMemcpyAsync_common, clr hip_memory.cpp:1398.
hipError_t copy_async(void* to, const void* from, std::size_t size, hipMemcpyKind kind,
                      hipStream_t stream, CallNote& note) {
  note.bytes = size;
  const StreamArgument on = resolve(stream, note);
  if (!known_kind(kind)) return hipErrorInvalidMemcpyDirection;
  if (!on.valid) return refuse(on, rules().copy_stream, "hipMemcpyAsync");
  if (size == 0) return hipSuccess;
  const hipError_t status = validate_copy(to, from, size, kind);
  if (status != hipSuccess) return status;
  return submit(on, [=] { std::memmove(to, from, size); });
}

// ihipMemset_validate, clr hip_memory.cpp:3264.
hipError_t validate_fill(const void* at, std::size_t size) {
  if (at == nullptr) return hipErrorInvalidValue;
  const Place place = find(at);
  return place.allocation == nullptr || size > place.left ? hipErrorInvalidValue : hipSuccess;
}

hipError_t fill_now(void* at, int value, std::size_t size, CallNote& note) {
  note.bytes = size;
  if (refuses_blocking_copy()) return hipErrorStreamCaptureImplicit;
  if (size == 0) return hipSuccess;
  const hipError_t status = validate_fill(at, size);
  if (status != hipSuccess) return status;
  runtime().drain();
  std::memset(at, value, size);
  return hipSuccess;
}

hipError_t fill_async(void* at, int value, std::size_t size, hipStream_t stream, CallNote& note) {
  note.bytes = size;
  const StreamArgument on = resolve(stream, note);
  if (!on.valid) return refuse(on, rules().fill_stream, "hipMemsetAsync");
  if (size == 0) return hipSuccess;
  const hipError_t status = validate_fill(at, size);
  if (status != hipSuccess) return status;
  return submit(on, [=] { std::memset(at, value, size); });
}

/// Rows of a pitched area.
struct Rows {
  std::size_t width = 0;  ///< bytes
  std::size_t count = 0;
  bool empty() const { return width == 0 || count == 0; }
  std::size_t span(std::size_t pitch) const { return pitch * (count - 1) + width; }
};

void copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
               Rows rows) {
  for (std::size_t row = 0; row < rows.count; ++row) {
    std::memmove(static_cast<char*>(to) + row * to_pitch,
                 static_cast<const char*>(from) + row * from_pitch, rows.width);
  }
}

// ihipMemcpy2D, clr hip_memory.cpp:2570.
hipError_t validate_rows(const void* to, std::size_t to_pitch, const void* from,
                         std::size_t from_pitch, Rows rows, hipMemcpyKind kind) {
  if (!known_kind(kind)) return hipErrorInvalidMemcpyDirection;
  if (rows.empty()) return hipSuccess;
  if (rows.width > to_pitch || rows.width > from_pitch) return hipErrorInvalidPitchValue;
  if (to == nullptr || from == nullptr) return hipErrorInvalidValue;
  const Place source = find(from);
  const Place target = find(to);
  if (source.allocation != nullptr && rows.span(from_pitch) > source.left) {
    return hipErrorInvalidValue;
  }
  if (target.allocation != nullptr && rows.span(to_pitch) > target.left) {
    return hipErrorInvalidValue;
  }
  return hipSuccess;
}

void fill_rows(void* at, std::size_t pitch, int value, Rows rows) {
  for (std::size_t row = 0; row < rows.count; ++row) {
    std::memset(static_cast<char*>(at) + row * pitch, value, rows.width);
  }
}

/// What HIP 5 calls memoryType is called type from HIP 6 on.
template <class Attributes>
auto& type_of(Attributes& attributes) {
  if constexpr (requires { attributes.memoryType; }) {
    return attributes.memoryType;
  } else {
    return attributes.type;
  }
}

// clr hip_memory.cpp:3764; clr-5.7 returns hipErrorInvalidValue for memory that it does not know,
// and HIP 5's headers have no value for such memory.
hipError_t pointer_attributes(hipPointerAttribute_t* attributes, const void* pointer) {
  if (attributes == nullptr || pointer == nullptr) {
    return rules().null_pointer;
  }
  *attributes = {};
  const Place place = find(pointer);
  if (place.allocation == nullptr) {
    if (rules().unknown_pointer == hipSuccess) attributes->device = -2;  // hipInvalidDeviceId
    return rules().unknown_pointer;
  }
  const Allocation& allocation = *place.allocation;
  type_of(*attributes) = allocation.on_host ? hipMemoryTypeHost : hipMemoryTypeDevice;
  attributes->device = allocation.device;
  attributes->devicePointer = const_cast<void*>(pointer);
  attributes->hostPointer = allocation.on_host ? const_cast<void*>(pointer) : nullptr;
  attributes->allocationFlags = allocation.flags;
  attributes->isManaged = allocation.managed ? 1 : 0;
  return hipSuccess;
}

// clr hip_memory.cpp:1415.
Variable* find_symbol(const void* symbol) {
  auto& all = runtime().variables;
  const auto found = all.find(symbol);
  return found == all.end() ? nullptr : &found->second;
}

bool outside(const Variable& variable, std::size_t size, std::size_t offset) {
  return size > variable.size || offset > variable.size - size;
}

}  // namespace
}  // namespace stand_in_hip

using namespace stand_in_hip;

extern "C" {

hipError_t hipMalloc(void** pointer, std::size_t size) {
  return api("hipMalloc", [&](CallNote& note) {
    if (unsafe_during_capture()) return hipErrorStreamCaptureUnsupported;
    return allocate(pointer, size, runtime().thread().device, false, 0, note);
  });
}

// hipMallocManaged: 0 bytes are an error. As read in clr's hip_hmm.cpp, for release 7: while a
// capture that is not relaxed is open, it is refused even in a relaxed thread, without breaking the
// capture.
hipError_t hipMallocManaged(void** pointer, std::size_t size, unsigned flags) {
  return api("hipMallocManaged", [&](CallNote& note) {
    if (!rules().manages_in_capture && unsafe_during_capture()) {
      return hipErrorStreamCaptureUnsupported;
    }
    const bool known_flags = flags == hipMemAttachGlobal || flags == hipMemAttachHost;
    if (pointer == nullptr || size == 0 || !known_flags) return hipErrorInvalidValue;
    for (const Stream& stream : runtime().streams) {
      if (rules().manages_in_capture || !stream.is_in_capture()) continue;
      const bool own = stream.capture_thread == std::this_thread::get_id() &&
                       stream.capture_mode == hipStreamCaptureModeThreadLocal;
      if (own || stream.capture_mode == hipStreamCaptureModeGlobal) {
        return hipErrorStreamCaptureUnsupported;
      }
    }
    const hipError_t status =
        allocate(pointer, size, runtime().thread().device, false, flags, note);
    if (status == hipSuccess) runtime().allocations[*pointer].managed = true;
    return status;
  });
}

hipError_t hipFree(void* pointer) {
  return api("hipFree", [&](CallNote&) {
    if (unsafe_during_capture()) return hipErrorStreamCaptureUnsupported;
    return release(pointer);
  });
}

// clr hip_mempool.cpp:83.
hipError_t hipMallocAsync(void** pointer, std::size_t size, hipStream_t stream) {
  return api("hipMallocAsync", [&](CallNote& note) {
    const StreamArgument on = resolve(stream, note);
    if (pointer == nullptr) return hipErrorInvalidValue;
    if (!on.valid) return refuse(on, rules().pool_stream, "hipMallocAsync");
    const Answer nothing = rules().pool_of_nothing;
    if (size == 0 && nothing.status != hipSuccess)
      return give(nothing, "hipMallocAsync of 0 bytes");
    if (rules().pools_grow_late && size > free_on(on.device)) {
      *pointer = nullptr;  // the runtime writes an address, behind which there is no memory
      return hipSuccess;
    }
    const hipError_t status = allocate(pointer, size, on.device, false, 0, note);
    if (status != hipSuccess || !rules().captures_allocations) return status;
    hipError_t captured_status = hipSuccess;
    return captured(
               on, [] { return hipSuccess; }, captured_status)
               ? captured_status
               : hipSuccess;
  });
}

// clr hip_mempool.cpp:139: unlike hipFree, a null pointer is refused.
hipError_t hipFreeAsync(void* pointer, hipStream_t stream) {
  return api("hipFreeAsync", [&](CallNote& note) {
    const StreamArgument on = resolve(stream, note);
    if (pointer == nullptr) return hipErrorInvalidValue;
    if (!on.valid) return refuse(on, rules().pool_stream, "hipFreeAsync");
    const Place place = find(pointer);
    if (place.allocation == nullptr) {
      return give(rules().foreign_free_async,
                  "hipFreeAsync of memory that the runtime does not know");
    }
    if (place.first != pointer) return hipErrorInvalidValue;
    runtime().freed_async = true;
    const auto work = [pointer] {
      auto& all = runtime().allocations;
      if (all.erase(pointer) != 0) std::free(pointer);
    };
    if (rules().captures_allocations) return submit(on, work);
    runtime().enqueue(on.stream, work);
    return hipSuccess;
  });
}

hipError_t hipHostMalloc(void** pointer, std::size_t size, unsigned flags) {
  return api("hipHostMalloc", [&](CallNote& note) {
    if (unsafe_during_capture()) return hipErrorStreamCaptureUnsupported;
    constexpr unsigned both = hipHostMallocCoherent | hipHostMallocNonCoherent;
    if ((flags & both) == both) return hipErrorInvalidValue;  // clr hip_memory.cpp:362
    return allocate(pointer, size, runtime().thread().device, true, flags, note);
  });
}

hipError_t hipHostFree(void* pointer) {
  return api("hipHostFree", [&](CallNote&) {
    if (unsafe_during_capture()) return hipErrorStreamCaptureUnsupported;
    return release(pointer);
  });
}

// clr hip_memory.cpp:1304.
hipError_t hipHostRegister(void* pointer, std::size_t size, unsigned flags) {
  return api("hipHostRegister", [&](CallNote& note) {
    note.bytes = size;
    if (unsafe_during_capture()) return hipErrorStreamCaptureUnsupported;
    if (pointer == nullptr || flags > 15) return hipErrorInvalidValue;
    if (size == 0) return rules().register_nothing;
    runtime().allocations[pointer] = {size, runtime().thread().device, flags, true, true, false};
    return hipSuccess;
  });
}

// clr hip_memory.cpp:1346.
hipError_t hipHostUnregister(void* pointer) {
  return api("hipHostUnregister", [&](CallNote&) {
    if (unsafe_during_capture()) return hipErrorStreamCaptureUnsupported;
    if (pointer == nullptr) return rules().unregister_null;
    auto& all = runtime().allocations;
    const auto found = all.find(pointer);
    if (found == all.end() || !found->second.registered) return hipErrorHostMemoryNotRegistered;
    static_cast<void>(give(rules().unregister, "hipHostUnregister"));
    runtime().drain();
    all.erase(found);
    return hipSuccess;
  });
}

hipError_t hipMemcpy(void* to, const void* from, std::size_t size, hipMemcpyKind kind) {
  return api("hipMemcpy", [&](CallNote& note) { return copy_now(to, from, size, kind, note); });
}

// A blocking copy on the thread's own stream waits for everything here, as on the null stream.
hipError_t hipMemcpy_spt(void* to, const void* from, std::size_t size, hipMemcpyKind kind);
hipError_t hipMemcpy_spt(void* to, const void* from, std::size_t size, hipMemcpyKind kind) {
  return api("hipMemcpy_spt", [&](CallNote& note) { return copy_now(to, from, size, kind, note); });
}

hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t size, hipMemcpyKind kind,
                          hipStream_t stream) {
  return api("hipMemcpyAsync",
             [&](CallNote& note) { return copy_async(to, from, size, kind, stream, note); });
}

hipError_t hipMemcpyAsync_spt(void* to, const void* from, std::size_t size, hipMemcpyKind kind,
                              hipStream_t stream);
hipError_t hipMemcpyAsync_spt(void* to, const void* from, std::size_t size, hipMemcpyKind kind,
                              hipStream_t stream) {
  return api("hipMemcpyAsync_spt", [&](CallNote& note) {
    return copy_async(to, from, size, kind, per_thread(stream), note);
  });
}

// hip_peer.cpp: most releases run it at once, even on a capturing stream.
hipError_t hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                              std::size_t size, hipStream_t stream) {
  return api("hipMemcpyPeerAsync", [&](CallNote& note) {
    note.bytes = size;
    const auto count = static_cast<int>(runtime().devices.size());
    const bool valid =
        to_device >= 0 && to_device < count && from_device >= 0 && from_device < count;
    if (!valid) return hipErrorInvalidDevice;
    const StreamArgument on = resolve(stream, note);
    if (!on.valid) return refuse(on, rules().copy_stream, "hipMemcpyPeerAsync");
    const hipError_t status = validate_copy(to, from, size, hipMemcpyDeviceToDevice);
    if (status != hipSuccess || size == 0) return status;
    const auto work = [=] { std::memmove(to, from, size); };
    if (rules().captures_peer_copies) return submit(on, work);
    runtime().enqueue(on.stream, work);
    return hipSuccess;
  });
}

// clr hip_memory.cpp:777: waits for the copy, on a stream.
hipError_t hipMemcpyWithStream(void* to, const void* from, std::size_t size, hipMemcpyKind kind,
                               hipStream_t stream) {
  return api("hipMemcpyWithStream", [&](CallNote& note) {
    const hipError_t status = copy_async(to, from, size, kind, stream, note);
    if (status != hipSuccess || resolve(stream, note).capturing()) return status;
    runtime().drain();
    note.synchronises = true;
    return hipSuccess;
  });
}

// clr hip_memory.cpp:2656.
hipError_t hipMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                       std::size_t width, std::size_t height, hipMemcpyKind kind) {
  return api("hipMemcpy2D", [&](CallNote& note) {
    const Rows rows{width, height};
    note.bytes = width * height;
    if (refuses_blocking_copy()) return hipErrorStreamCaptureImplicit;
    const hipError_t status = validate_rows(to, to_pitch, from, from_pitch, rows, kind);
    if (status != hipSuccess || rows.empty()) return status;
    runtime().drain();
    copy_rows(to, to_pitch, from, from_pitch, rows);
    note.synchronises = true;
    return hipSuccess;
  });
}

hipError_t hipMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                            std::size_t from_pitch, std::size_t width, std::size_t height,
                            hipMemcpyKind kind, hipStream_t stream) {
  return api("hipMemcpy2DAsync", [&](CallNote& note) {
    const Rows rows{width, height};
    note.bytes = width * height;
    const StreamArgument on = resolve(stream, note);
    if (!on.valid) return hipErrorInvalidValue;  // clr hip_memory.cpp:2614
    const hipError_t status = validate_rows(to, to_pitch, from, from_pitch, rows, kind);
    if (status != hipSuccess || rows.empty()) return status;
    return submit(on, [=] { copy_rows(to, to_pitch, from, from_pitch, rows); });
  });
}

hipError_t hipMemset(void* at, int value, std::size_t size) {
  return api("hipMemset", [&](CallNote& note) { return fill_now(at, value, size, note); });
}

hipError_t hipMemset_spt(void* at, int value, std::size_t size);
hipError_t hipMemset_spt(void* at, int value, std::size_t size) {
  return api("hipMemset_spt", [&](CallNote& note) { return fill_now(at, value, size, note); });
}

hipError_t hipMemsetAsync(void* at, int value, std::size_t size, hipStream_t stream) {
  return api("hipMemsetAsync",
             [&](CallNote& note) { return fill_async(at, value, size, stream, note); });
}

hipError_t hipMemsetAsync_spt(void* at, int value, std::size_t size, hipStream_t stream);
hipError_t hipMemsetAsync_spt(void* at, int value, std::size_t size, hipStream_t stream) {
  return api("hipMemsetAsync_spt",
             [&](CallNote& note) { return fill_async(at, value, size, per_thread(stream), note); });
}

// clr hip_memory.cpp:3565 and :3475.
hipError_t hipMemset2D(void* at, std::size_t pitch, int value, std::size_t width,
                       std::size_t height) {
  return api("hipMemset2D", [&](CallNote& note) {
    const Rows rows{width, height};
    note.bytes = width * height;
    if (refuses_blocking_copy()) return hipErrorStreamCaptureImplicit;
    if (rows.empty()) return hipSuccess;
    const hipError_t status = validate_fill(at, rows.span(pitch));
    if (status != hipSuccess) return status;
    runtime().drain();
    fill_rows(at, pitch, value, rows);
    return hipSuccess;
  });
}

hipError_t hipMemset2DAsync(void* at, std::size_t pitch, int value, std::size_t width,
                            std::size_t height, hipStream_t stream) {
  return api("hipMemset2DAsync", [&](CallNote& note) {
    const Rows rows{width, height};
    note.bytes = width * height;
    const StreamArgument on = resolve(stream, note);
    if (!on.valid) return refuse(on, rules().fill_stream, "hipMemset2DAsync");
    if (rows.empty()) return hipSuccess;
    const hipError_t status = validate_fill(at, rows.span(pitch));
    if (status != hipSuccess) return status;
    return submit(on, [=] { fill_rows(at, pitch, value, rows); });
  });
}

hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* pointer) {
  return api("hipPointerGetAttributes",
             [&](CallNote&) { return pointer_attributes(attributes, pointer); });
}

// clr hip_memory.cpp:870.
hipError_t hipMemGetInfo(std::size_t* free, std::size_t* total) {
  return api("hipMemGetInfo", [&](CallNote&) {
    const int device = runtime().thread().device;
    if (free == nullptr || total == nullptr) {
      static_cast<void>(give(rules().memory_info_nowhere, "hipMemGetInfo to nowhere"));
    }
    if (free != nullptr) *free = free_on(device);
    if (total != nullptr) *total = device_at(device).memory;
    return hipSuccess;
  });
}

// clr hip_platform.cpp:287 and :302.
hipError_t hipGetSymbolAddress(void** address, const void* symbol) {
  return api("hipGetSymbolAddress", [&](CallNote&) {
    if (address == nullptr) return hipErrorInvalidValue;
    Variable* found = find_symbol(symbol);
    if (found == nullptr) return hipErrorInvalidSymbol;
    *address = found->storage.data();
    return hipSuccess;
  });
}

hipError_t hipGetSymbolSize(std::size_t* size, const void* symbol) {
  return api("hipGetSymbolSize", [&](CallNote&) {
    if (size == nullptr) return hipErrorInvalidValue;
    const Variable* found = find_symbol(symbol);
    if (found == nullptr) return hipErrorInvalidSymbol;
    *size = found->size;
    return hipSuccess;
  });
}

// clr hip_memory.cpp:1431.
hipError_t hipMemcpyToSymbol(const void* symbol, const void* from, std::size_t size,
                             std::size_t offset, hipMemcpyKind kind) {
  return api("hipMemcpyToSymbol", [&](CallNote& note) {
    note.bytes = size;
    if (refuses_blocking_copy()) return hipErrorStreamCaptureImplicit;
    if (rules().checks_symbol_kind && kind != hipMemcpyHostToDevice &&
        kind != hipMemcpyDeviceToDevice) {
      return hipErrorInvalidMemcpyDirection;
    }
    Variable* found = find_symbol(symbol);
    if (found == nullptr) return hipErrorInvalidSymbol;
    if (outside(*found, size, offset) || from == nullptr) return hipErrorInvalidValue;
    std::memcpy(found->storage.data() + offset, from, size);
    return hipSuccess;
  });
}

// clr hip_memory.cpp:1465.
hipError_t hipMemcpyFromSymbol(void* to, const void* symbol, std::size_t size, std::size_t offset,
                               hipMemcpyKind kind) {
  return api("hipMemcpyFromSymbol", [&](CallNote& note) {
    note.bytes = size;
    if (refuses_blocking_copy()) return hipErrorStreamCaptureImplicit;
    if (rules().checks_symbol_kind && kind != hipMemcpyDeviceToHost &&
        kind != hipMemcpyDeviceToDevice) {
      return hipErrorInvalidMemcpyDirection;
    }
    const Variable* found = find_symbol(symbol);
    if (found == nullptr) return hipErrorInvalidSymbol;
    if (outside(*found, size, offset) || to == nullptr) return hipErrorInvalidValue;
    std::memcpy(to, found->storage.data() + offset, size);
    return hipSuccess;
  });
}

}  // extern "C"
