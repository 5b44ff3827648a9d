// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Allocations, copies and fills, all in host memory.
#include "capture.hpp"
#include "runtime.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace stand_in_cuda;

namespace {

// Each allocation has its own pages, reserved but not filled. A GPU's memory may exceed the host's,
// and a use after the free then ends the process at once.
cudaError_t allocate(void** pointer, std::size_t bytes, cudaMemoryType type, int device) {
  Runtime& r = runtime();
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  Device& from = r.devices[static_cast<std::size_t>(device)];
  const bool on_device = type == cudaMemoryTypeDevice;
  if (on_device && bytes > from.free_bytes) return cudaErrorMemoryAllocation;
  // The address that was freed last comes back first, as from CUDA's allocator.
  void* const pages = mmap(r.freed_addresses[bytes], bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return cudaErrorMemoryAllocation;
  if (on_device) from.free_bytes -= bytes;
  const auto begin = reinterpret_cast<std::uintptr_t>(pages);
  for (auto freed = r.freed_memory.begin(); freed != r.freed_memory.end();) {
    const auto at = reinterpret_cast<std::uintptr_t>(freed->first);
    const bool overlaps = at < begin + bytes && begin < at + freed->second;
    freed = overlaps ? r.freed_memory.erase(freed) : std::next(freed);
  }
  Allocation& made = r.allocations[pages] = {bytes, type, device, true};
  made.number = ++r.allocations_made;
  *pointer = pages;
  return cudaSuccess;
}

void give_back(const void* pointer) {
  Runtime& r = runtime();
  const auto found = r.allocations.find(pointer);
  if (found == r.allocations.end()) return;
  const Allocation allocation = found->second;
  r.allocations.erase(found);
  const auto device = static_cast<std::size_t>(allocation.device);
  if (allocation.type == cudaMemoryTypeDevice && device < r.devices.size()) {
    r.devices[device].free_bytes += allocation.bytes;
  }
  if (!allocation.mapped) return;
  munmap(const_cast<void*>(pointer), allocation.bytes);
  r.freed_addresses[allocation.bytes] = const_cast<void*>(pointer);
  r.freed_memory[pointer] = allocation.bytes;
}

bool is_base(const void* pointer, bool of_host) {
  const auto found = runtime().allocations.find(pointer);
  return found != runtime().allocations.end() && found->second.freed_by == 0 &&
         !found->second.is_missing && (found->second.type == cudaMemoryTypeHost) == of_host;
}

cudaMemoryType kind_of(const void* pointer) {
  const auto found = runtime().allocation_of(pointer);
  return found == runtime().allocations.end() ? cudaMemoryTypeUnregistered : found->second.type;
}

bool is_device(const void* pointer) {
  const cudaMemoryType kind = kind_of(pointer);
  return kind == cudaMemoryTypeDevice || kind == cudaMemoryTypeManaged;
}

// Two settings give a device access to another's memory: one for cudaMalloc's and one for each
// pool (two H200s, CUDA 13.0).
bool is_accessible(const Allocation& memory, int device) {
  if (memory.type != cudaMemoryTypeDevice || memory.device == device || memory.of_all) return true;
  const auto& devices = runtime().devices;
  if (memory.of_graph) return memory.readers.count(device) != 0;
  return memory.pooled
             ? devices[static_cast<std::size_t>(memory.device)].pool_readers.count(device) != 0
             : devices[static_cast<std::size_t>(device)].peers.count(memory.device) != 0;
}

// The runtime does not find memory of another device's pool unless that device is current, or the
// current device has access to the pool.
bool is_of_anothers_pool(const void* pointer) {
  const auto found = runtime().allocation_of(pointer);
  return found != runtime().allocations.end() && found->second.pooled &&
         !is_accessible(found->second, runtime().thread().device);
}

bool is_known(const void* pointer) {
  return runtime().allocation_of(pointer) != runtime().allocations.end();
}

// Returns whether the rows lie in the allocation of the first byte. A device's own limit is further
// away, because it allocates memory in larger pieces; but an access beyond the allocation is always
// a mistake.
bool overruns(const void* pointer, std::size_t pitch, std::size_t width, std::size_t height) {
  const auto found = runtime().allocation_of(pointer);
  if (found == runtime().allocations.end()) return false;
  const auto before = static_cast<std::size_t>(static_cast<const char*>(pointer) -
                                               static_cast<const char*>(found->first));
  return (height - 1) * pitch + width > found->second.bytes - before;
}

// `kind` gives the locations of the bytes. With unified addressing the runtime checks them, and
// refuses a wrong kind.
cudaError_t check_copy(const void* to, const void* from, cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (to == nullptr || from == nullptr) return cudaErrorInvalidValue;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (to_device && !is_known(to)) return cudaErrorInvalidValue;
  if (from_device && !is_known(from)) return cudaErrorInvalidValue;
  return cudaSuccess;
}

// Copies wait where the runtime's do: always if `synchronous`, and if unpinned host memory is
// written. Unpinned source memory is read during the call.
cudaError_t copy(std::unique_lock<std::mutex>& lock, Stream& stream, void* to, std::size_t to_pitch,
                 const void* from, std::size_t from_pitch, std::size_t width, std::size_t height,
                 cudaMemcpyKind kind, bool synchronous) {
  if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
  if (width == 0 || height == 0) return cudaSuccess;
  const cudaError_t status = check_copy(to, from, kind);
  if (status != cudaSuccess) return status;
  if (overruns(to, to_pitch, width, height) || overruns(from, from_pitch, width, height)) {
    return cudaErrorInvalidValue;
  }
  const auto rows = [=](const unsigned char* source, std::size_t source_pitch) {
    for (std::size_t row = 0; row < height; ++row) {
      std::memmove(static_cast<unsigned char*>(to) + row * to_pitch, source + row * source_pitch,
                   width);
    }
  };
  const auto* const source = static_cast<const unsigned char*>(from);
  const bool staged = stream.capture == nullptr && !is_known(from);
  Node work([=] { rows(source, from_pitch); }, Node::Kind::copy);
  if (staged) {
    std::vector<unsigned char> bytes(width * height);
    for (std::size_t row = 0; row < height; ++row) {
      std::copy_n(source + row * from_pitch, width, bytes.data() + row * width);
    }
    work = Node([=, bytes = std::move(bytes)] { rows(bytes.data(), width); }, Node::Kind::copy);
  }
  std::shared_ptr<Mark> mark;
  // A copy inside of the device's memory returns before it is done, also that of cudaMemcpy (CUDA
  // Runtime API, "API synchronization behavior").
  const bool inside = kind_of(to) == cudaMemoryTypeDevice && kind_of(from) == cudaMemoryTypeDevice;
  const bool is_waited_for = synchronous ? !inside : !is_known(to);
  const cudaError_t answer = put(stream, std::move(work), &mark);
  if (answer == cudaSuccess && is_waited_for) runtime().wait(lock, mark);
  return answer;
}

cudaError_t fill(std::unique_lock<std::mutex>& lock, Stream& stream, void* to, std::size_t pitch,
                 int value, std::size_t width, std::size_t height, bool synchronous) {
  if (width > pitch) return cudaErrorInvalidPitchValue;
  if (width == 0 || height == 0) return cudaSuccess;
  if (!is_known(to) || overruns(to, pitch, width, height)) return cudaErrorInvalidValue;
  if (!is_accessible(runtime().allocation_of(to)->second, stream.device)) {
    return cudaErrorInvalidValue;
  }
  std::shared_ptr<Mark> mark;
  Node work(
      [=] {
        for (std::size_t row = 0; row < height; ++row) {
          std::memset(static_cast<unsigned char*>(to) + row * pitch, value, width);
        }
      },
      Node::Kind::fill);
  const cudaError_t answer = put(stream, std::move(work), &mark);
  // cudaMemset of device memory returns before it is done.
  if (answer == cudaSuccess && synchronous && !is_device(to)) runtime().wait(lock, mark);
  return answer;
}

constexpr CallKind copies{true, true, true};

// One pool per device, the default one. It has no state: freed memory is free at once.
struct Pool {
  unsigned long long release_threshold = 0;
};

Pool pools[16];

cudaError_t get_pool(cudaMemPool_t* pool, int device) {
  if (pool == nullptr) return cudaErrorInvalidValue;
  if (device < 0 || static_cast<std::size_t>(device) >= runtime().devices.size()) {
    return cudaErrorInvalidDevice;
  }
  *pool = reinterpret_cast<cudaMemPool_t>(&pools[device]);
  return cudaSuccess;
}

/// The device of a pool, or -1.
int device_of(cudaMemPool_t pool) {
  const std::ptrdiff_t device = reinterpret_cast<Pool*>(pool) - pools;
  return pool != nullptr && device >= 0 && device < 16 ? static_cast<int>(device) : -1;
}

/// Memory that a graph allocates, as its node holds it. The graph, its instances and their launches
/// share the node. After the last of them the address is free, unless the memory exists: then
/// cudaFreeAsync frees it.
struct GraphMemory {
  const void* pointer;
  std::uint64_t number;
  std::uint64_t epoch;

  GraphMemory(const void* its_pointer, std::uint64_t its_number)
      : pointer(its_pointer), number(its_number), epoch(runtime().epoch) {}
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;
  ~GraphMemory() {
    const auto found = runtime().allocations.find(pointer);
    if (runtime().epoch != epoch || found == runtime().allocations.end()) return;
    if (found->second.number == number && found->second.is_missing) give_back(pointer);
  }
};

/// Makes a graph's memory exist, or not.
void set_missing(const void* pointer, bool is_missing) {
  const auto found = runtime().allocations.find(pointer);
  if (found == runtime().allocations.end() || !found->second.of_graph) return;
  found->second.is_missing = is_missing;
  // Nobody can read memory that does not exist.
  mprotect(const_cast<void*>(pointer), found->second.bytes,
           is_missing ? PROT_NONE : PROT_READ | PROT_WRITE);
  if (is_missing && found->second.graph.expired()) give_back(pointer);
}

cudaError_t allocate_captured(void** pointer, std::size_t bytes, Stream& stream) {
  const cudaError_t made = allocate(pointer, bytes, cudaMemoryTypeDevice, stream.device);
  if (made != cudaSuccess) return made;
  if (*pointer == nullptr) return put(stream, [] {});
  Allocation& memory = runtime().allocations[*pointer];
  memory.pooled = memory.of_graph = true;
  memory.readers = runtime().devices[static_cast<std::size_t>(stream.device)].pool_readers;
  const auto shared = std::make_shared<GraphMemory>(*pointer, memory.number);
  memory.graph = shared;
  set_missing(*pointer, true);
  Node node([shared] { set_missing(shared->pointer, false); });
  node.allocates = *pointer;
  return put(stream, std::move(node));
}

cudaError_t allocate_async(void** pointer, std::size_t bytes, cudaStream_t handle) {
  Stream& stream = runtime().stream(handle);
  if (pointer == nullptr) return cudaErrorInvalidValue;
  if (stream.capture != nullptr) return allocate_captured(pointer, bytes, stream);
  const cudaError_t refused = unsafe_call();
  if (refused != cudaSuccess) return refused;
  const cudaError_t status = put(stream, [] {});
  if (status != cudaSuccess) return status;
  if (bytes != 0) {
    for (auto& [freed, allocation] : runtime().allocations) {
      if (!allocation.pooled || allocation.freed_by != stream.number || allocation.bytes != bytes ||
          !allocation.graph.expired()) {
        continue;
      }
      allocation.freed_by = 0;
      allocation.of_graph = false;
      allocation.number = ++runtime().allocations_made;
      *pointer = const_cast<void*>(freed);
      return cudaSuccess;
    }
  }
  const cudaError_t made = allocate(pointer, bytes, cudaMemoryTypeDevice, stream.device);
  if (made == cudaSuccess && *pointer != nullptr) runtime().allocations[*pointer].pooled = true;
  return made;
}

cudaError_t variable(const void* symbol, std::size_t count, std::size_t offset,
                     unsigned char** address) {
  const auto found = runtime().variables.find(symbol);
  if (found == runtime().variables.end()) return cudaErrorInvalidSymbol;
  if (offset + count > found->second.second) return cudaErrorInvalidValue;
  *address = static_cast<unsigned char*>(const_cast<void*>(found->second.first)) + offset;
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return api("cudaMalloc", text(bytes), plain, [&](auto&) {
    const cudaError_t status = unsafe_call();
    if (status != cudaSuccess) return status;
    return allocate(pointer, bytes, cudaMemoryTypeDevice, runtime().thread().device);
  });
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned int flags) {
  return api("cudaMallocManaged", text(bytes, flags), plain, [&](auto&) {
    const cudaError_t status = unsafe_call();
    if (status != cudaSuccess) return status;
    return allocate(pointer, bytes, cudaMemoryTypeManaged, runtime().thread().device);
  });
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return api("cudaMallocHost", text(bytes), plain, [&](auto&) {
    const cudaError_t status = unsafe_call();
    if (status != cudaSuccess) return status;
    return allocate(pointer, bytes, cudaMemoryTypeHost, runtime().thread().device);
  });
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned int flags) {
  return api("cudaHostAlloc", text(bytes, flags), plain, [&](auto&) {
    const cudaError_t status = unsafe_call();
    if (status != cudaSuccess) return status;
    return allocate(pointer, bytes, cudaMemoryTypeHost, runtime().thread().device);
  });
}

cudaError_t cudaFree(void* pointer) {
  return api("cudaFree", text(pointer), waits, [&](auto& lock) {
    const cudaError_t status = unsafe_call();
    if (status != cudaSuccess) return status;
    if (pointer == nullptr) return cudaSuccess;
    if (!is_base(pointer, false)) return cudaErrorInvalidValue;
    const int device = runtime().allocations.at(pointer).device;
    // The caller of cudaFree has waited for the work that uses memory of a pool (CUDA C++
    // Programming Guide, "Stream Ordered Memory Allocator").
    const bool pooled = runtime().allocations.at(pointer).pooled;
    std::vector<std::shared_ptr<Mark>> marks;
    for (const Stream& stream : runtime().streams) {
      if (!pooled && stream.device == device && stream.busy()) marks.push_back(stream.last);
    }
    for (const auto& mark : marks) runtime().wait(lock, mark);
    give_back(pointer);
    return cudaSuccess;
  });
}

cudaError_t cudaFreeHost(void* pointer) {
  return api("cudaFreeHost", text(pointer), plain, [&](auto&) {
    if (pointer == nullptr) return cudaSuccess;
    if (!is_base(pointer, true)) return cudaErrorInvalidValue;
    if (const cudaError_t refused = unsafe_call()) return refused;
    give_back(pointer);
    return cudaSuccess;
  });
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned int flags) {
  return api("cudaHostRegister", text(pointer, bytes, flags), plain, [&](auto&) {
    if (pointer == nullptr || bytes == 0) return cudaErrorInvalidValue;
    if (is_known(pointer)) return cudaErrorHostMemoryAlreadyRegistered;
    runtime().allocations[pointer] = {bytes, cudaMemoryTypeHost, runtime().thread().device, false};
    return cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return api("cudaHostUnregister", text(pointer), plain, [&](auto&) {
    const auto found = runtime().allocations.find(pointer);
    if (found == runtime().allocations.end() || found->second.mapped) {
      return cudaErrorHostMemoryNotRegistered;
    }
    runtime().allocations.erase(found);
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* pointer, unsigned int flags) {
  return api("cudaHostGetDevicePointer", text(pointer, flags), plain, [&](auto&) {
    const auto found = runtime().allocation_of(pointer);
    if (device_pointer == nullptr || flags != 0 || found == runtime().allocations.end() ||
        found->second.type != cudaMemoryTypeHost) {
      return cudaErrorInvalidValue;
    }
    *device_pointer = pointer;
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return api("cudaPointerGetAttributes", text(pointer), contextless, [&](auto&) {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    *attributes = {};
    const auto found = runtime().allocation_of(pointer);
    // CUDA does not know memory of a graph that has not run (two H200s, CUDA 13.0).
    if (found == runtime().allocations.end() || found->second.is_missing) {
      attributes->type = cudaMemoryTypeUnregistered;
      attributes->device = cudaInvalidDeviceId;
      attributes->hostPointer = const_cast<void*>(pointer);
      return cudaSuccess;
    }
    const Allocation& allocation = found->second;
    attributes->type = allocation.type;
    attributes->device = allocation.device;
    // It has no device pointer to a graph's memory for any other device, also if that has access.
    const int device = runtime().thread().device;
    if (allocation.of_graph ? allocation.device == device : is_accessible(allocation, device))
      attributes->devicePointer = const_cast<void*>(pointer);
    if (allocation.type != cudaMemoryTypeDevice)
      attributes->hostPointer = const_cast<void*>(pointer);
    return cudaSuccess;
  });
}

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  return api("cudaMallocAsync", text(bytes, stream), plain,
             [&](auto&) { return allocate_async(pointer, bytes, stream); });
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  return api("cudaMallocFromPoolAsync", text(bytes, pool, stream), plain, [&](auto&) {
    if (pool == nullptr) return cudaErrorInvalidValue;
    return allocate_async(pointer, bytes, stream);
  });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return api("cudaFreeAsync", text(pointer, stream), plain, [&](auto&) {
    Stream& in = runtime().stream(stream);
    if (pointer == nullptr) return cudaSuccess;
    // Memory of a captured allocation stays: the graph may run again.
    const auto known = runtime().allocations.find(pointer);
    const bool of_graph = known != runtime().allocations.end() && known->second.of_graph;
    if (in.capture != nullptr && of_graph) {
      Node node([pointer] { set_missing(pointer, true); });
      node.frees = pointer;
      return put(in, std::move(node));
    }
    if (!is_base(pointer, false)) return cudaErrorInvalidValue;
    if (in.capture != nullptr) {
      std::fprintf(stderr, "cudaFreeAsync: captured, of memory that no capture allocated\n");
      std::abort();
    }
    if (const cudaError_t refused = unsafe_call()) return refused;
    Allocation& memory = runtime().allocations.at(pointer);
    if (memory.lost_its_exec) {
      // Such frees damage other memory and the host's heap (H200, driver 580.159.04).
      std::fprintf(stderr, "cudaFreeAsync: the executable graph that allocated it is destroyed\n");
      std::abort();
    }
    memory.freed_by = in.number;
    memory.is_left = false;
    const cudaError_t status = put(in, [pointer, number = memory.number] {
      const auto found = runtime().allocations.find(pointer);
      if (found == runtime().allocations.end() || found->second.number != number) return;
      if (!found->second.of_graph) return give_back(pointer);
      found->second.freed_by = 0;
      set_missing(pointer, true);  // a launch of the graph makes it exist again
    });
    if (status != cudaSuccess) memory.freed_by = 0;  // the work has not been done
    return status;
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return api("cudaDeviceGetDefaultMemPool", text(device), plain,
             [&](auto&) { return get_pool(pool, device); });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return api("cudaDeviceGetMemPool", text(device), plain,
             [&](auto&) { return get_pool(pool, device); });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return api("cudaMemPoolGetAttribute", text(pool, static_cast<int>(attribute)), plain, [&](auto&) {
    if (pool == nullptr || value == nullptr || attribute != cudaMemPoolAttrReleaseThreshold) {
      return cudaErrorInvalidValue;
    }
    std::memcpy(value, &reinterpret_cast<Pool*>(pool)->release_threshold,
                sizeof(Pool::release_threshold));
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return api("cudaMemPoolSetAttribute", text(pool, static_cast<int>(attribute)), plain, [&](auto&) {
    if (pool == nullptr || value == nullptr || attribute != cudaMemPoolAttrReleaseThreshold) {
      return cudaErrorInvalidValue;
    }
    std::memcpy(&reinterpret_cast<Pool*>(pool)->release_threshold, value,
                sizeof(Pool::release_threshold));
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* list,
                                 std::size_t count) {
  return api("cudaMemPoolSetAccess", text(pool, count), plain, [&](auto&) {
    if (const cudaError_t refused = unsafe_call()) return refused;
    const int device = device_of(pool);
    if (device < 0 || list == nullptr) return cudaErrorInvalidValue;
    auto& readers = runtime().devices[static_cast<std::size_t>(device)].pool_readers;
    for (std::size_t i = 0; i < count; ++i) {
      if (list[i].flags == cudaMemAccessFlagsProtNone) {
        readers.erase(list[i].location.id);
      } else {
        readers.insert(list[i].location.id);
      }
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* access, cudaMemPool_t pool,
                                 cudaMemLocation* user) {
  return api("cudaMemPoolGetAccess", text(pool), plain, [&](auto&) {
    if (const cudaError_t refused = unsafe_call()) return refused;
    const int device = device_of(pool);
    if (device < 0 || access == nullptr || user == nullptr) return cudaErrorInvalidValue;
    const auto& readers = runtime().devices[static_cast<std::size_t>(device)].pool_readers;
    const bool has_access = user->id == device || readers.count(user->id) != 0;
    *access = has_access ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t bytes) {
  return api("cudaMemPoolTrimTo", text(pool, bytes), plain,
             [&](auto&) { return pool == nullptr ? cudaErrorInvalidValue : cudaSuccess; });
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return api("cudaMemcpy", text(to, from, bytes, static_cast<int>(kind)), copies, [&](auto& lock) {
    return copy(lock, runtime().stream(nullptr), to, bytes, from, bytes, bytes, 1, kind, true);
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return api("cudaMemcpyAsync", text(to, from, bytes, static_cast<int>(kind), stream), plain,
             [&](auto& lock) {
               for (const void* memory : {static_cast<const void*>(to), from}) {
                 if (is_of_anothers_pool(memory)) return cudaErrorInvalidValue;
               }
               return copy(lock, runtime().stream(stream), to, bytes, from, bytes, bytes, 1, kind,
                           false);
             });
}

// Needs no access: the runtime copies by way of the host.
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t bytes, cudaStream_t stream) {
  return api("cudaMemcpyPeerAsync", text(to, to_device, from, from_device, bytes, stream), plain,
             [&](auto& lock) {
               const int count = static_cast<int>(runtime().devices.size());
               if (to_device < 0 || to_device >= count || from_device < 0 || from_device >= count) {
                 return cudaErrorInvalidDevice;
               }
               Stream& in = runtime().stream(stream);
               if (in.capture != nullptr) {
                 spoil(in);
                 return cudaErrorStreamCaptureUnsupported;
               }
               return copy(lock, in, to, bytes, from, bytes, bytes, 1, cudaMemcpyDeviceToDevice,
                           false);
             });
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return api("cudaMemcpy2D",
             text(to, to_pitch, from, from_pitch, width, height, static_cast<int>(kind)), copies,
             [&](auto& lock) {
               return copy(lock, runtime().stream(nullptr), to, to_pitch, from, from_pitch, width,
                           height, kind, true);
             });
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return api("cudaMemcpy2DAsync",
             text(to, to_pitch, from, from_pitch, width, height, static_cast<int>(kind), stream),
             plain, [&](auto& lock) {
               if (is_of_anothers_pool(to) || is_of_anothers_pool(from)) {
                 return cudaErrorInvalidValue;
               }
               return copy(lock, runtime().stream(stream), to, to_pitch, from, from_pitch, width,
                           height, kind, false);
             });
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return api("cudaMemset", text(to, value, bytes), plain, [&](auto& lock) {
    return fill(lock, runtime().stream(nullptr), to, bytes, value, bytes, 1, true);
  });
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return api("cudaMemsetAsync", text(to, value, bytes, stream), plain, [&](auto& lock) {
    return fill(lock, runtime().stream(stream), to, bytes, value, bytes, 1, false);
  });
}

cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width,
                         std::size_t height) {
  return api("cudaMemset2D", text(to, pitch, value, width, height), plain, [&](auto& lock) {
    return fill(lock, runtime().stream(nullptr), to, pitch, value, width, height, true);
  });
}

cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream) {
  return api("cudaMemset2DAsync", text(to, pitch, value, width, height, stream), plain,
             [&](auto& lock) {
               return fill(lock, runtime().stream(stream), to, pitch, value, width, height, false);
             });
}

cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  return api("cudaGetSymbolAddress", text(symbol), plain, [&](auto&) {
    if (address == nullptr) return cudaErrorInvalidValue;
    unsigned char* found = nullptr;
    const cudaError_t status = variable(symbol, 0, 0, &found);
    if (status == cudaSuccess) *address = found;
    return status;
  });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t count,
                               std::size_t offset, cudaMemcpyKind kind) {
  return api("cudaMemcpyToSymbol", text(symbol, from, count, offset, static_cast<int>(kind)),
             copies, [&](auto&) {
               unsigned char* to = nullptr;
               const cudaError_t status = variable(symbol, count, offset, &to);
               if (status == cudaSuccess) std::memcpy(to, from, count);
               return status;
             });
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t count,
                                 std::size_t offset, cudaMemcpyKind kind) {
  return api("cudaMemcpyFromSymbol", text(to, symbol, count, offset, static_cast<int>(kind)),
             copies, [&](auto&) {
               unsigned char* from = nullptr;
               const cudaError_t status = variable(symbol, count, offset, &from);
               if (status == cudaSuccess) std::memcpy(to, from, count);
               return status;
             });
}

}  // extern "C"
