// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The functions of the driver that a program finds by name: contexts, and virtual memory. Memory
// that is mapped is host memory, and addresses without memory are pages that nobody may access, so
// that a test faults where a kernel would.
#include "capture.hpp"
#include "runtime.hpp"

#include <sys/mman.h>

#include <cstring>
#include <map>
#include <vector>

using namespace stand_in_cuda;

namespace {

using Address = unsigned long long;
constexpr CallKind driver{true, false, false};
constexpr std::size_t page = std::size_t{2} << 20U;  // an H200's
constexpr int virtual_memory_attribute = 102;

/// Memory without an address. It exists while it has a handle or is mapped.
struct Memory {
  std::size_t bytes = 0;
  int device = 0;
  int holders = 1;
};
std::map<Address, Memory*> mapped;  // by its first address

thread_local std::vector<int> pushed;  // the devices that were current before

void* pointer(Address address) { return reinterpret_cast<void*>(address); }
void drop(Memory* memory) {
  if (--memory->holders != 0) return;
  runtime().devices[static_cast<std::size_t>(memory->device)].free_bytes += memory->bytes;
  delete memory;
}

// A context is the number of its device, plus 1.
int stream_context(cudaStream_t stream, void** context) {
  return api("cuStreamGetCtx", text(stream), driver, [&](auto&) {
    *context = pointer(static_cast<Address>(runtime().stream(stream).device) + 1);
    return cudaSuccess;
  });
}
int push(void* context) {
  return api("cuCtxPushCurrent", text(context), {false, false, false}, [&](auto&) {
    if (context == nullptr) return cudaErrorDeviceUninitialized;  // CUDA_ERROR_INVALID_CONTEXT
    pushed.push_back(runtime().thread().device);
    runtime().thread().device = static_cast<int>(reinterpret_cast<Address>(context)) - 1;
    return cudaSuccess;
  });
}
int pop(void** context) {
  return api("cuCtxPopCurrent", "", {false, false, false}, [&](auto&) {
    if (pushed.empty()) return cudaErrorInvalidValue;
    *context = pointer(static_cast<Address>(runtime().thread().device) + 1);
    runtime().thread().device = pushed.back();
    pushed.pop_back();
    return cudaSuccess;
  });
}
int context_device(int* device) {
  return api("cuCtxGetDevice", "", driver, [&](auto&) {
    *device = runtime().thread().device;
    return cudaSuccess;
  });
}
int device_count(int* count) {
  return api("cuDeviceGetCount", "", driver, [&](auto&) {
    *count = static_cast<int>(runtime().devices.size());
    return cudaSuccess;
  });
}
int attribute(int* value, int which, int device) {
  return api("cuDeviceGetAttribute", text(which, device), driver, [&](auto&) {
    const auto& known = runtime().devices.at(static_cast<std::size_t>(device)).attributes;
    const auto found = known.find(which);
    const bool has_virtual_memory = which == virtual_memory_attribute && found == known.end();
    *value = has_virtual_memory ? 1 : found == known.end() ? 0 : found->second.value;
    return cudaSuccess;
  });
}
int can_access_peer(int* answer, int, int) {
  *answer = 1;
  return 0;
}
int memory_info(std::size_t* free, std::size_t* total) {
  return api("cuMemGetInfo", "", driver, [&](auto&) {
    *free = runtime().device().free_bytes;
    *total = runtime().device().total_bytes;
    return cudaSuccess;
  });
}
int granularity(std::size_t* bytes, const void*, int) {
  return api("cuMemGetAllocationGranularity", "", driver, [&](auto&) {
    *bytes = page;
    return cudaSuccess;
  });
}
int reserve(Address* begin, std::size_t bytes, std::size_t, Address, unsigned long long) {
  return api("cuMemAddressReserve", text(bytes), driver, [&](auto&) {
    if (bytes == 0 || bytes % page != 0) return cudaErrorInvalidValue;
    // More than asked for, so that a multiple of the page is among the addresses. The rest stays.
    void* const made =
        mmap(nullptr, bytes + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED) return cudaErrorMemoryAllocation;
    *begin = (reinterpret_cast<Address>(made) + page - 1) / page * page;
    return cudaSuccess;
  });
}
int unreserve(Address begin, std::size_t bytes) {
  return api("cuMemAddressFree", text(begin, bytes), driver, [&](auto&) {
    const auto next = mapped.lower_bound(begin);
    if (next != mapped.end() && next->first < begin + bytes) return cudaErrorInvalidValue;
    return munmap(pointer(begin), bytes) == 0 ? cudaSuccess : cudaErrorInvalidValue;
  });
}
int create(Address* memory, std::size_t bytes, const int* properties, unsigned long long) {
  // CUmemAllocationProp: its type, the types of its handles, its location, and from byte 24 on its
  // flags, of which the second lets network cards access it.
  const int network = reinterpret_cast<const unsigned char*>(properties)[25];
  return api("cuMemCreate", text(bytes, network), driver, [&](auto&) {
    if (bytes == 0 || bytes % page != 0 || properties[0] != 1 || properties[2] != 1) {
      return cudaErrorInvalidValue;
    }
    Device& device = runtime().devices.at(static_cast<std::size_t>(properties[3]));
    if (bytes > device.free_bytes) return cudaErrorMemoryAllocation;
    device.free_bytes -= bytes;
    *memory = reinterpret_cast<Address>(new Memory{bytes, properties[3]});
    return cudaSuccess;
  });
}
int release(Address memory) {
  return api("cuMemRelease", "", driver, [&](auto&) {
    drop(static_cast<Memory*>(pointer(memory)));
    return cudaSuccess;
  });
}
int map(Address begin, std::size_t bytes, std::size_t offset, Address memory, unsigned long long) {
  return api("cuMemMap", text(begin, bytes), driver, [&](auto&) {
    auto* const of = static_cast<Memory*>(pointer(memory));
    if (begin % page != 0 || bytes != of->bytes || offset != 0) return cudaErrorInvalidValue;
    mapped[begin] = of;
    ++of->holders;
    return cudaSuccess;
  });
}
int unmap(Address begin, std::size_t bytes) {
  return api("cuMemUnmap", text(begin, bytes), driver, [&](auto&) {
    const auto found = mapped.find(begin);
    if (found == mapped.end() || found->second->bytes != bytes) return cudaErrorInvalidValue;
    runtime().allocations.erase(pointer(begin));
    drop(found->second);
    mapped.erase(found);
    madvise(pointer(begin), bytes, MADV_DONTNEED);
    mprotect(pointer(begin), bytes, PROT_NONE);
    return cudaSuccess;
  });
}
int set_access(Address begin, std::size_t bytes, const int* access, std::size_t count) {
  return api("cuMemSetAccess", text(begin, bytes, count), driver, [&](auto&) {
    const auto found = mapped.find(begin);
    // CUmemAccessDesc: a location, and 3 for reading and writing.
    if (found == mapped.end() || access[0] != 1 || access[2] != 3) return cudaErrorInvalidValue;
    if (mprotect(pointer(begin), bytes, PROT_READ | PROT_WRITE) != 0) return cudaErrorUnknown;
    runtime().allocations[pointer(begin)] = {
        bytes, cudaMemoryTypeDevice, found->second->device, false, false, count > 1};
    return cudaSuccess;
  });
}
int fill_words(Address begin, unsigned pattern, std::size_t count, cudaStream_t stream) {
  return api("cuMemsetD32Async", text(begin, pattern, count, stream), driver, [&](auto&) {
    return put(runtime().stream(stream), [=] {
      auto* to = static_cast<unsigned char*>(pointer(begin));
      for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * 4, &pattern, 4);
    });
  });
}
int fill_bytes(Address begin, unsigned char pattern, std::size_t count, cudaStream_t stream) {
  return api("cuMemsetD8Async", text(begin, int{pattern}, count, stream), driver, [&](auto&) {
    return put(runtime().stream(stream), [=] { std::memset(pointer(begin), pattern, count); });
  });
}
int copy_out(void* to, Address from, std::size_t bytes, cudaStream_t stream) {
  return cudaMemcpyAsync(to, pointer(from), bytes, cudaMemcpyDeviceToHost, stream);
}
int stream_create(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithFlags(stream, flags);
}
int stream_destroy(cudaStream_t stream) { return cudaStreamDestroy(stream); }
int stream_query(cudaStream_t stream) { return cudaStreamQuery(stream); }
int stream_wait(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
int event_create(cudaEvent_t* event, unsigned flags) {
  return cudaEventCreateWithFlags(event, flags);
}
int event_destroy(cudaEvent_t event) { return cudaEventDestroy(event); }
int event_record(cudaEvent_t event, cudaStream_t stream) { return cudaEventRecord(event, stream); }
int event_query(cudaEvent_t event) { return cudaEventQuery(event); }

template <class Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}
const std::map<std::string, void*> functions{
    {"cuStreamGetCtx", address(stream_context)},
    {"cuCtxPushCurrent", address(push)},
    {"cuCtxPopCurrent", address(pop)},
    {"cuCtxGetDevice", address(context_device)},
    {"cuDeviceGetCount", address(device_count)},
    {"cuDeviceGetAttribute", address(attribute)},
    {"cuDeviceCanAccessPeer", address(can_access_peer)},
    {"cuMemGetInfo", address(memory_info)},
    {"cuMemGetAllocationGranularity", address(granularity)},
    {"cuMemAddressReserve", address(reserve)},
    {"cuMemAddressFree", address(unreserve)},
    {"cuMemCreate", address(create)},
    {"cuMemRelease", address(release)},
    {"cuMemMap", address(map)},
    {"cuMemUnmap", address(unmap)},
    {"cuMemSetAccess", address(set_access)},
    {"cuMemsetD32Async", address(fill_words)},
    {"cuMemsetD8Async", address(fill_bytes)},
    {"cuMemcpyDtoHAsync", address(copy_out)},
    {"cuStreamCreate", address(stream_create)},
    {"cuStreamDestroy", address(stream_destroy)},
    {"cuStreamQuery", address(stream_query)},
    {"cuStreamSynchronize", address(stream_wait)},
    {"cuEventCreate", address(event_create)},
    {"cuEventDestroy", address(event_destroy)},
    {"cuEventRecord", address(event_record)},
    {"cuEventQuery", address(event_query)}};

}  // namespace

void* stand_in_cuda::driver_function(const std::string& name) {
  const auto found = functions.find(name);
  return found == functions.end() ? nullptr : found->second;
}
