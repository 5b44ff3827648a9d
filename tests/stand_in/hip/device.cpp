// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "device.hpp"

#include "runtime.hpp"

#include <hip/hip_version.h>

#include <algorithm>
#include <climits>
#include <cstring>

namespace stand_in_hip {
namespace {

constexpr std::size_t gibibyte = std::size_t{1} << 30;

/// The values that the three presets share.
Device common() {
  Device device;
  auto& a = device.attributes;
  // clr hip_device.cpp:465-471, hip_device_runtime.cpp:180.
  a[hipDeviceAttributeMaxThreadsPerBlock] = 1024;
  a[hipDeviceAttributeMaxBlockDimX] = 1024;
  a[hipDeviceAttributeMaxBlockDimY] = 1024;
  a[hipDeviceAttributeMaxBlockDimZ] = 1024;
  a[hipDeviceAttributeMaxGridDimX] = INT_MAX;
  // clr rocclr/device/device.hpp Isa table: 64 KiB of LDS on all three.
  a[hipDeviceAttributeMaxSharedMemoryPerBlock] = 65536;
  a[hipDeviceAttributeMaxSharedMemoryPerMultiprocessor] = 65536;
  a[hipDeviceAttributeReservedSharedMemPerBlock] = 0;  // clr hip_device.cpp:585
  a[hipDeviceAttributeTotalConstantMemory] = INT_MAX;
  a[hipDeviceAttributeCooperativeLaunch] = 1;
  a[hipDeviceAttributeConcurrentKernels] = 1;  // clr hip_device.cpp:502
  a[hipDeviceAttributeCanMapHostMemory] = 1;
  a[hipDeviceAttributeUnifiedAddressing] = 1;  // clr hip_device_runtime.cpp:417
  a[hipDeviceAttributeStreamPrioritiesSupported] = 1;
  a[hipDeviceAttributeMemoryPoolsSupported] = 1;
  a[hipDeviceAttributeManagedMemory] = 1;
  a[hipDeviceAttributeConcurrentManagedAccess] = 1;
  a[hipDeviceAttributeIntegrated] = 0;
  a[hipDeviceAttributeClockRate] = 1700000;  // kHz: MI250X's peak; no limit depends on it
  return device;
}

void complete(Device& device, int wavefront, int threads_per_multiprocessor, int multiprocessors,
              int major, int minor) {
  auto& a = device.attributes;
  a[hipDeviceAttributeWarpSize] = wavefront;
  a[hipDeviceAttributeMaxThreadsPerMultiProcessor] = threads_per_multiprocessor;
  a[hipDeviceAttributeMaxBlocksPerMultiProcessor] =
      threads_per_multiprocessor / a[hipDeviceAttributeMaxThreadsPerBlock];  // hip_device.cpp:481
  a[hipDeviceAttributeMultiprocessorCount] = multiprocessors;
  a[hipDeviceAttributePhysicalMultiProcessorCount] = multiprocessors;
  a[hipDeviceAttributeComputeCapabilityMajor] = major;
  a[hipDeviceAttributeComputeCapabilityMinor] = minor;
  // clr hip_device.cpp:462 multiplies by the number of compute units.
  a[hipDeviceAttributeSharedMemPerMultiprocessor] =
      a[hipDeviceAttributeMaxSharedMemoryPerBlock] * multiprocessors;
  // clr rocdevice.cpp:1760: VGPRs that a wave can address, times SIMDs, times 64.
  const int addressable = major == 9 ? 512 : 256;
  const int registers = addressable * device.simds_per_multiprocessor * 64;
  a[hipDeviceAttributeMaxRegistersPerBlock] = registers;
  a[hipDeviceAttributeMaxRegistersPerMultiprocessor] = registers;
}

/// hipDeviceGetAttribute's value, which for some depends on the release, unless a test has set it.
int answer(const Device& device, hipDeviceAttribute_t attribute) {
  if (device.attributes.count(attribute) != 0) return device.attribute(attribute);
  switch (attribute) {
    case hipDeviceAttributeMaxGridDimY:
    case hipDeviceAttributeMaxGridDimZ:
      return rules().grid_yz;
    case hipDeviceAttributeSharedMemPerBlockOptin:
      return rules().knows_opt_in ? device.attribute(hipDeviceAttributeMaxSharedMemoryPerBlock) : 0;
    default:
      return 0;
  }
}

/// Whether the release reports the attribute at all.
bool is_known(const Device& device, hipDeviceAttribute_t attribute) {
  return attribute != hipDeviceAttributeSharedMemPerBlockOptin || rules().knows_opt_in ||
         device.attributes.count(attribute) != 0;
}

const Device* device_at(int index) {
  Runtime& r = runtime();
  const bool valid = index >= 0 && static_cast<std::size_t>(index) < r.devices.size();
  return valid ? &r.devices[static_cast<std::size_t>(index)] : nullptr;
}

/// The layout that HIP 6 gave hipDeviceProp_t. Offsets in bytes, measured with offsetof on
/// ROCm/HIP's header at c5e11fc (1472 bytes in all).
class PropertiesR0600 {
 public:
  explicit PropertiesR0600(void* at) : at_(static_cast<char*>(at)) { std::memset(at_, 0, 1472); }

  void fill(const Device& d) {
    const auto set = [&](std::size_t offset, hipDeviceAttribute_t attribute) {
      const int value = answer(d, attribute);
      std::memcpy(at_ + offset, &value, sizeof value);
    };
    const auto set_size = [&](std::size_t offset, std::size_t value) {
      std::memcpy(at_ + offset, &value, sizeof value);
    };
    const auto size_of = [&](hipDeviceAttribute_t attribute) {
      return static_cast<std::size_t>(answer(d, attribute));
    };
    std::strncpy(at_, d.name.c_str(), 255);
    set_size(288, d.memory);
    set_size(296, size_of(hipDeviceAttributeMaxSharedMemoryPerBlock));
    set(304, hipDeviceAttributeMaxRegistersPerBlock);
    set(308, hipDeviceAttributeWarpSize);
    set(320, hipDeviceAttributeMaxThreadsPerBlock);
    set(324, hipDeviceAttributeMaxBlockDimX);
    set(328, hipDeviceAttributeMaxBlockDimY);
    set(332, hipDeviceAttributeMaxBlockDimZ);
    set(336, hipDeviceAttributeMaxGridDimX);
    set(340, hipDeviceAttributeMaxGridDimY);
    set(344, hipDeviceAttributeMaxGridDimZ);
    set(348, hipDeviceAttributeClockRate);
    set_size(352, size_of(hipDeviceAttributeTotalConstantMemory));
    set(360, hipDeviceAttributeComputeCapabilityMajor);
    set(364, hipDeviceAttributeComputeCapabilityMinor);
    set(388, hipDeviceAttributeMultiprocessorCount);
    set(396, hipDeviceAttributeIntegrated);
    set(400, hipDeviceAttributeCanMapHostMemory);
    set(576, hipDeviceAttributeConcurrentKernels);
    set(624, hipDeviceAttributeMaxThreadsPerMultiProcessor);
    set_size(640, size_of(hipDeviceAttributeSharedMemPerMultiprocessor));
    set(648, hipDeviceAttributeMaxRegistersPerMultiprocessor);
    set(652, hipDeviceAttributeManagedMemory);
    set(676, hipDeviceAttributeConcurrentManagedAccess);
    set(688, hipDeviceAttributeCooperativeLaunch);
    set_size(696, size_of(hipDeviceAttributeSharedMemPerBlockOptin));
    set(712, hipDeviceAttributeMaxBlocksPerMultiProcessor);
    set_size(720, size_of(hipDeviceAttributeReservedSharedMemPerBlock));
    set(744, hipDeviceAttributeMemoryPoolsSupported);
    std::strncpy(at_ + 1160, d.architecture.c_str(), 255);
    set_size(1416, size_of(hipDeviceAttributeMaxSharedMemoryPerMultiprocessor));
  }

 private:
  char* at_;
};

// clr hip_device.cpp:637.
hipError_t properties_r0600(void* properties, int device) {
  return api("hipGetDevicePropertiesR0600", [&](CallNote&) {
    if (properties == nullptr) return hipErrorInvalidValue;
    const Device* found = device_at(device);
    if (found == nullptr) return hipErrorInvalidDevice;
    PropertiesR0600(properties).fill(*found);
    return hipSuccess;
  });
}

hipError_t modelled_version(int* version) {
  if (version == nullptr) return hipErrorInvalidValue;
  *version = rules().version;
  return hipSuccess;
}

}  // namespace

Device Device::preset(std::string_view architecture) {
  // Compute units, memory and wavefront size: https://rocm.docs.amd.com/en/latest/reference/
  // gpu-specs.html. Registers: clr rocdevice.cpp:1813-1868. Threads per compute unit: 2048 on CDNA;
  // on gfx1100 the HIP documentation's 1024, where a runtime in work-group-processor mode reports
  // half as many multiprocessors with twice the threads.
  Device device = common();
  device.architecture = architecture;
  if (architecture == "gfx90a" || architecture == no_architecture) {  // one die of an MI250X
    device.name = "AMD Instinct MI250X";
    device.memory = 64 * gibibyte;
    device.vector_registers_per_simd = 512;
    device.vector_register_granularity = 8;
    device.simds_per_multiprocessor = 4;
    complete(device, 64, 2048, 110, 9, 0);
  } else if (architecture == "gfx942") {
    device.name = "AMD Instinct MI300X";
    device.memory = 192 * gibibyte;
    device.vector_registers_per_simd = 512;
    device.vector_register_granularity = 8;
    device.simds_per_multiprocessor = 4;
    complete(device, 64, 2048, 304, 9, 4);
  } else if (architecture == "gfx1100") {
    device.name = "AMD Radeon RX 7900 XTX";
    device.memory = 24 * gibibyte;
    device.vector_registers_per_simd = 1536;
    device.vector_register_granularity = 24;
    device.simds_per_multiprocessor = 2;
    complete(device, 32, 1024, 96, 11, 0);
  } else {
    return {};
  }
  return device;
}

}  // namespace stand_in_hip

using namespace stand_in_hip;

extern "C" {

hipError_t hipInit(unsigned flags) {
  // clr hip_context.cpp: flags are reserved.
  return api("hipInit", [&](CallNote&) {
    return flags == 0 || !rules().checks_init_flags ? hipSuccess : hipErrorInvalidValue;
  });
}

// clr hip_device_runtime.cpp:671 and hip_device.cpp:385.
hipError_t hipGetDeviceCount(int* count) {
  return api(
      "hipGetDeviceCount",
      [&](CallNote&) {
        if (count == nullptr) return hipErrorInvalidValue;
        *count = static_cast<int>(runtime().devices.size());
        return *count < 1 ? hipErrorNoDevice : hipSuccess;
      },
      false);
}

// clr hip_peer.cpp, canAccessPeer.
hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer) {
  return api("hipDeviceCanAccessPeer", [&](CallNote&) {
    if (can == nullptr) return hipErrorInvalidValue;
    if (device_at(device) == nullptr || device_at(peer) == nullptr) return hipErrorInvalidDevice;
    *can = device != peer && runtime().has_peers ? 1 : 0;
    return hipSuccess;
  });
}

// hip_peer.cpp: whether a kernel could reach the memory is not modelled.
hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags) {
  return api("hipDeviceEnablePeerAccess", [&](CallNote&) {
    Runtime& r = runtime();
    const int device = r.thread().device;
    if (flags != 0) return hipErrorInvalidValue;
    if (device_at(peer) == nullptr || peer == device) return hipErrorInvalidDevice;
    if (!r.has_peers) return hipErrorPeerAccessUnsupported;
    const bool added = r.peers.emplace(device, peer).second;
    return added ? hipSuccess : hipErrorPeerAccessAlreadyEnabled;
  });
}

hipError_t hipDeviceDisablePeerAccess(int peer) {
  return api("hipDeviceDisablePeerAccess", [&](CallNote&) {
    Runtime& r = runtime();
    const int device = r.thread().device;
    if (device_at(peer) == nullptr || peer == device) return hipErrorInvalidDevice;
    return r.peers.erase({device, peer}) != 0 ? hipSuccess : hipErrorPeerAccessNotEnabled;
  });
}

// clr hip_device_runtime.cpp:656.
hipError_t hipGetDevice(int* device) {
  return api("hipGetDevice", [&](CallNote&) {
    if (device == nullptr) return hipErrorInvalidValue;
    *device = runtime().thread().device;
    return hipSuccess;
  });
}

// clr hip_device_runtime.cpp:686.
hipError_t hipSetDevice(int device) {
  return api(
      "hipSetDevice",
      [&](CallNote&) {
        Runtime& r = runtime();
        if (r.devices.empty()) return hipErrorNoDevice;
        if (device_at(device) == nullptr) return hipErrorInvalidDevice;
        r.thread().device = device;
        return hipSuccess;
      },
      false);
}

// clr hip_device.cpp:335.
hipError_t hipDeviceGet(hipDevice_t* device, int ordinal) {
  return api("hipDeviceGet", [&](CallNote&) {
    if (device == nullptr) return give(rules().device_to_nowhere, "hipDeviceGet to nowhere");
    if (device_at(ordinal) == nullptr) return hipErrorInvalidDevice;
    *device = ordinal;
    return hipSuccess;
  });
}

// clr hip_device.cpp:400.
hipError_t hipDeviceGetName(char* name, int length, hipDevice_t device) {
  return api("hipDeviceGetName", [&](CallNote&) {
    const Device* found = device_at(device);
    if (found == nullptr) return hipErrorInvalidDevice;
    if (name == nullptr || length <= 0) return hipErrorInvalidValue;
    if (!rules().cuts_device_names && static_cast<std::size_t>(length) <= found->name.size()) {
      return hipErrorInvalidValue;
    }
    const std::size_t fits = std::min(found->name.size(), static_cast<std::size_t>(length - 1));
    std::memcpy(name, found->name.data(), fits);
    name[fits] = '\0';
    return hipSuccess;
  });
}

// clr hip_device.cpp:341.
hipError_t hipDeviceTotalMem(std::size_t* bytes, hipDevice_t device) {
  return api("hipDeviceTotalMem", [&](CallNote&) {
    const Device* found = device_at(device);
    if (found == nullptr) return hipErrorInvalidDevice;
    if (bytes == nullptr) return hipErrorInvalidValue;
    *bytes = found->memory;
    return hipSuccess;
  });
}

// clr hip_device_runtime.cpp:160. An attribute that no preset and no test has set is 0. An
// attribute outside the enumeration's two ranges is refused, as in the switch there.
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device) {
  return api("hipDeviceGetAttribute", [&](CallNote&) {
    if (value == nullptr) return hipErrorInvalidValue;
    const Device* found = device_at(device);
    if (found == nullptr) return hipErrorInvalidDevice;
    const bool common_range = attribute >= hipDeviceAttributeCudaCompatibleBegin &&
                              attribute < hipDeviceAttributeCudaCompatibleEnd;
    const bool amd_range = attribute >= hipDeviceAttributeAmdSpecificBegin &&
                           attribute < hipDeviceAttributeAmdSpecificEnd;
    if ((!common_range && !amd_range) || !is_known(*found, attribute)) return hipErrorInvalidValue;
    *value = answer(*found, attribute);
    return hipSuccess;
  });
}

#if HIP_VERSION_MAJOR < 6

// clr hip_device.cpp:442, with the R0000 layout that HIP 5's headers have.
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
  return api("hipGetDeviceProperties", [&](CallNote&) {
    if (properties == nullptr) return hipErrorInvalidValue;
    const Device* found = device_at(device);
    if (found == nullptr) return hipErrorInvalidDevice;
    const Device& d = *found;
    hipDeviceProp_t p{};
    const auto get = [&](hipDeviceAttribute_t which) { return answer(d, which); };
    const auto get_size = [&](hipDeviceAttribute_t which) {
      return static_cast<std::size_t>(answer(d, which));
    };
    std::strncpy(p.name, d.name.c_str(), sizeof p.name - 1);
    std::strncpy(p.gcnArchName, d.architecture.c_str(), sizeof p.gcnArchName - 1);
    p.totalGlobalMem = d.memory;
    p.sharedMemPerBlock = get_size(hipDeviceAttributeMaxSharedMemoryPerBlock);
    p.regsPerBlock = get(hipDeviceAttributeMaxRegistersPerBlock);
    p.warpSize = get(hipDeviceAttributeWarpSize);
    p.maxThreadsPerBlock = get(hipDeviceAttributeMaxThreadsPerBlock);
    p.maxThreadsDim[0] = get(hipDeviceAttributeMaxBlockDimX);
    p.maxThreadsDim[1] = get(hipDeviceAttributeMaxBlockDimY);
    p.maxThreadsDim[2] = get(hipDeviceAttributeMaxBlockDimZ);
    p.maxGridSize[0] = get(hipDeviceAttributeMaxGridDimX);
    p.maxGridSize[1] = get(hipDeviceAttributeMaxGridDimY);
    p.maxGridSize[2] = get(hipDeviceAttributeMaxGridDimZ);
    p.clockRate = get(hipDeviceAttributeClockRate);
    p.totalConstMem = get_size(hipDeviceAttributeTotalConstantMemory);
    p.major = get(hipDeviceAttributeComputeCapabilityMajor);
    p.minor = get(hipDeviceAttributeComputeCapabilityMinor);
    p.multiProcessorCount = get(hipDeviceAttributeMultiprocessorCount);
    p.maxThreadsPerMultiProcessor = get(hipDeviceAttributeMaxThreadsPerMultiProcessor);
    p.concurrentKernels = get(hipDeviceAttributeConcurrentKernels);
    p.canMapHostMemory = get(hipDeviceAttributeCanMapHostMemory);
    p.integrated = get(hipDeviceAttributeIntegrated);
    p.cooperativeLaunch = get(hipDeviceAttributeCooperativeLaunch);
    p.managedMemory = get(hipDeviceAttributeManagedMemory);
    p.concurrentManagedAccess = get(hipDeviceAttributeConcurrentManagedAccess);
    p.maxSharedMemoryPerMultiProcessor =
        get_size(hipDeviceAttributeMaxSharedMemoryPerMultiprocessor);
    *properties = p;
    return hipSuccess;
  });
}

// HIP 5's headers do not declare the later form.
hipError_t hipGetDevicePropertiesR0600(void* properties, int device);
hipError_t hipGetDevicePropertiesR0600(void* properties, int device) {
  return properties_r0600(properties, device);
}

#else  // where hipGetDeviceProperties is a macro that means the following

hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600* properties, int device) {
  return properties_r0600(properties, device);
}

#endif

// clr hip_context.cpp:202 and :270: both return HIP_VERSION, which is major * 10000000 +
// minor * 100000 + patch; the model's patch number is 0.
hipError_t hipRuntimeGetVersion(int* version) {
  return api(
      "hipRuntimeGetVersion", [&](CallNote&) { return modelled_version(version); }, false);
}

hipError_t hipDriverGetVersion(int* version) {
  return api(
      "hipDriverGetVersion", [&](CallNote&) { return modelled_version(version); }, false);
}

}  // extern "C"
