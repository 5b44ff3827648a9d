// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Devices, versions, error texts and the last-error slot.
#include "capture.hpp"
#include "runtime.hpp"

#include <utility>

using namespace stand_in_cuda;

namespace {

constexpr CallKind slot_call{false, false, false};

bool is_device(int device) {
  return device >= 0 && static_cast<std::size_t>(device) < runtime().devices.size();
}

// Fields of cudaDeviceProp that are an attribute under another name.
void fill(cudaDeviceProp& p, const Device& device) {
  const auto value = [&](cudaDeviceAttr id) { return device.attribute(id); };
  const auto size = [&](cudaDeviceAttr id) {
    return static_cast<std::size_t>(device.attribute(id));
  };
  p = {};
  device.name.copy(p.name, sizeof p.name - 1);
  p.totalGlobalMem = device.total_bytes;
  p.sharedMemPerBlock = size(cudaDevAttrMaxSharedMemoryPerBlock);
  p.regsPerBlock = value(cudaDevAttrMaxRegistersPerBlock);
  p.warpSize = value(cudaDevAttrWarpSize);
  p.memPitch = size(cudaDevAttrMaxPitch);
  p.maxThreadsPerBlock = value(cudaDevAttrMaxThreadsPerBlock);
  p.maxThreadsDim[0] = value(cudaDevAttrMaxBlockDimX);
  p.maxThreadsDim[1] = value(cudaDevAttrMaxBlockDimY);
  p.maxThreadsDim[2] = value(cudaDevAttrMaxBlockDimZ);
  p.maxGridSize[0] = value(cudaDevAttrMaxGridDimX);
  p.maxGridSize[1] = value(cudaDevAttrMaxGridDimY);
  p.maxGridSize[2] = value(cudaDevAttrMaxGridDimZ);
  p.totalConstMem = size(cudaDevAttrTotalConstantMemory);
  p.major = value(cudaDevAttrComputeCapabilityMajor);
  p.minor = value(cudaDevAttrComputeCapabilityMinor);
  p.textureAlignment = size(cudaDevAttrTextureAlignment);
  p.texturePitchAlignment = size(cudaDevAttrTexturePitchAlignment);
  p.multiProcessorCount = value(cudaDevAttrMultiProcessorCount);
  p.integrated = value(cudaDevAttrIntegrated);
  p.canMapHostMemory = value(cudaDevAttrCanMapHostMemory);
  p.concurrentKernels = value(cudaDevAttrConcurrentKernels);
  p.ECCEnabled = value(cudaDevAttrEccEnabled);
  p.pciBusID = value(cudaDevAttrPciBusId);
  p.pciDeviceID = value(cudaDevAttrPciDeviceId);
  p.pciDomainID = value(cudaDevAttrPciDomainId);
  p.asyncEngineCount = value(cudaDevAttrAsyncEngineCount);
  p.unifiedAddressing = value(cudaDevAttrUnifiedAddressing);
  p.memoryBusWidth = value(cudaDevAttrGlobalMemoryBusWidth);
  p.l2CacheSize = value(cudaDevAttrL2CacheSize);
  p.persistingL2CacheMaxSize = value(cudaDevAttrMaxPersistingL2CacheSize);
  p.maxThreadsPerMultiProcessor = value(cudaDevAttrMaxThreadsPerMultiProcessor);
  p.streamPrioritiesSupported = value(cudaDevAttrStreamPrioritiesSupported);
  p.globalL1CacheSupported = value(cudaDevAttrGlobalL1CacheSupported);
  p.localL1CacheSupported = value(cudaDevAttrLocalL1CacheSupported);
  p.sharedMemPerMultiprocessor = size(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  p.regsPerMultiprocessor = value(cudaDevAttrMaxRegistersPerMultiprocessor);
  p.managedMemory = value(cudaDevAttrManagedMemory);
  p.isMultiGpuBoard = value(cudaDevAttrIsMultiGpuBoard);
  p.pageableMemoryAccess = value(cudaDevAttrPageableMemoryAccess);
  p.concurrentManagedAccess = value(cudaDevAttrConcurrentManagedAccess);
  p.computePreemptionSupported = value(cudaDevAttrComputePreemptionSupported);
  p.canUseHostPointerForRegisteredMem = value(cudaDevAttrCanUseHostPointerForRegisteredMem);
  p.cooperativeLaunch = value(cudaDevAttrCooperativeLaunch);
  p.sharedMemPerBlockOptin = size(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  p.maxBlocksPerMultiProcessor = value(cudaDevAttrMaxBlocksPerMultiprocessor);
  p.accessPolicyMaxWindowSize = value(cudaDevAttrMaxAccessPolicyWindowSize);
  p.reservedSharedMemPerBlock = size(cudaDevAttrReservedSharedMemoryPerBlock);
  p.hostRegisterSupported = value(cudaDevAttrHostRegisterSupported);
  p.memoryPoolsSupported = value(cudaDevAttrMemoryPoolsSupported);
  p.clusterLaunch = value(cudaDevAttrClusterLaunch);
}

// Name and text; they live as long as the library.
std::pair<const char*, const char*> error_words(cudaError_t code) {
  const auto found = runtime().errors->find(static_cast<int>(code));
  if (found == runtime().errors->end())
    return {"unrecognized error code", "unrecognized error code"};
  return {found->second.first.c_str(), found->second.second.c_str()};
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return api("cudaGetDeviceCount", "", contextless, [&](auto&) {
    if (count == nullptr) return cudaErrorInvalidValue;
    *count = static_cast<int>(runtime().devices.size());
    return runtime().devices.empty() ? cudaErrorNoDevice : cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return api("cudaGetDevice", "", contextless, [&](auto&) {
    if (device == nullptr) return cudaErrorInvalidValue;
    if (runtime().devices.empty()) return cudaErrorNoDevice;
    *device = runtime().thread().device;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return api("cudaSetDevice", text(device), contextless, [&](auto&) {
    if (!is_device(device))
      return runtime().devices.empty() ? cudaErrorNoDevice : cudaErrorInvalidDevice;
    runtime().thread().device = device;
    return cudaSuccess;
  });
}

cudaError_t cudaInitDevice(int device, unsigned int flags, unsigned int) {
  return api("cudaInitDevice", text(device, flags), plain,
             [&](auto&) { return is_device(device) ? cudaSuccess : cudaErrorInvalidDevice; });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return api(
      "cudaDeviceGetAttribute", text(static_cast<int>(attribute), device), contextless, [&](auto&) {
        if (value == nullptr) return cudaErrorInvalidValue;
        if (!is_device(device)) return cudaErrorInvalidDevice;
        const auto& attributes = runtime().devices[static_cast<std::size_t>(device)].attributes;
        const auto found = attributes.find(static_cast<int>(attribute));
        if (found == attributes.end()) return cudaErrorInvalidValue;
        if (found->second.status == cudaSuccess) *value = found->second.value;
        return found->second.status;
      });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return api("cudaGetDeviceProperties", text(device), contextless, [&](auto&) {
    if (properties == nullptr) return cudaErrorInvalidValue;
    if (!is_device(device)) return cudaErrorInvalidDevice;
    fill(*properties, runtime().devices[static_cast<std::size_t>(device)]);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return api("cudaDeviceGetStreamPriorityRange", "", plain, [&](auto&) {
    if (least != nullptr) *least = runtime().least_priority;
    if (greatest != nullptr) *greatest = runtime().greatest_priority;
    return cudaSuccess;
  });
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  return api("cudaRuntimeGetVersion", "", contextless, [&](auto&) {
    if (version == nullptr) return cudaErrorInvalidValue;
    *version = runtime().runtime_version;
    return cudaSuccess;
  });
}

cudaError_t cudaDriverGetVersion(int* version) {
  return api("cudaDriverGetVersion", "", contextless, [&](auto&) {
    if (version == nullptr) return cudaErrorInvalidValue;
    *version = runtime().driver_version;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  return api("cudaMemGetInfo", "", plain, [&](auto&) {
    if (free_bytes == nullptr || total_bytes == nullptr) return cudaErrorInvalidValue;
    *free_bytes = runtime().device().free_bytes;
    *total_bytes = runtime().device().total_bytes;
    return cudaSuccess;
  });
}

// This does not restore a lost context.
cudaError_t cudaDeviceReset(void) {
  return api("cudaDeviceReset", "", contextless, [&](auto&) {
    if (runtime().devices.empty()) return cudaErrorNoDevice;
    cudaError_t& lost = runtime().device().context_error;
    if (lost != cudaSuccess) lost = cudaErrorDevicesUnavailable;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  return api("cudaDeviceSetLimit", text(static_cast<int>(limit), value), plain,
             [](auto&) { return cudaSuccess; });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return api("cudaDeviceCanAccessPeer", text(device, peer), contextless, [&](auto&) {
    if (can == nullptr) return cudaErrorInvalidValue;
    if (!is_device(device) || !is_device(peer)) return cudaErrorInvalidDevice;
    *can = device != peer && runtime().has_peers ? 1 : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
  return api("cudaDeviceEnablePeerAccess", text(peer, flags), plain, [&](auto&) {
    if (flags != 0) return cudaErrorInvalidValue;
    if (!is_device(peer) || peer == runtime().thread().device) return cudaErrorInvalidDevice;
    if (!runtime().has_peers) return cudaErrorPeerAccessUnsupported;
    return runtime().device().peers.insert(peer).second ? cudaSuccess
                                                        : cudaErrorPeerAccessAlreadyEnabled;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return api("cudaDeviceDisablePeerAccess", text(peer), plain, [&](auto&) {
    return runtime().device().peers.erase(peer) != 0 ? cudaSuccess : cudaErrorPeerAccessNotEnabled;
  });
}

cudaError_t cudaGetLastError(void) {
  return api("cudaGetLastError", "", slot_call,
             [](auto&) { return std::exchange(runtime().thread().last_error, cudaSuccess); });
}

cudaError_t cudaPeekAtLastError(void) {
  return api("cudaPeekAtLastError", "", slot_call,
             [](auto&) { return runtime().thread().last_error; });
}

const char* cudaGetErrorName(cudaError_t error) {
  const char* name = nullptr;
  static_cast<void>(api("cudaGetErrorName", text(static_cast<int>(error)), slot_call, [&](auto&) {
    name = error_words(error).first;
    return cudaSuccess;
  }));
  return name;
}

const char* cudaGetErrorString(cudaError_t error) {
  const char* words = nullptr;
  static_cast<void>(api("cudaGetErrorString", text(static_cast<int>(error)), slot_call, [&](auto&) {
    words = error_words(error).second;
    return cudaSuccess;
  }));
  return words;
}

// Without a profiler they do nothing (CUDA Runtime API, "Profiler Control"), but break captures of
// other threads (seen on an H200).
cudaError_t cudaProfilerStart(void) {
  return api("cudaProfilerStart", "", plain, [](auto&) { return unsafe_call(); });
}
cudaError_t cudaProfilerStop(void) {
  return api("cudaProfilerStop", "", plain, [](auto&) { return unsafe_call(); });
}

}  // extern "C"
