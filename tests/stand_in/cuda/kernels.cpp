// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Registration and attributes of kernels, and libraries of kernels.
#include "kernel_on.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace stand_in_cuda {
namespace {

Kernel& add_kernel(const std::string& name, const void* host_function, const KernelCode& code) {
  Runtime& r = runtime();
  Kernel& kernel = r.kernels.emplace_back();
  kernel.name = name;
  kernel.host_function = host_function;
  kernel.code = code;
  kernel.original = code;
  if (host_function != nullptr) r.kernels_by_stub[host_function] = &kernel;
  r.kernels_by_stub[kernel.handle()] = &kernel;
  return kernel;
}

struct FatBinaryWrapper {
  int magic;
  int version;
  const unsigned char* data;
  void* unused;
};
constexpr int wrapper_magic = 0x466243b1;

struct FatBinary {
  std::map<std::string, KernelCode> kernels;
  std::vector<Kernel*> registered;  ///< from it
};

std::map<std::string, KernelCode> kernels_of(const void* code) {
  FatBinaryWrapper wrapper;
  std::memcpy(&wrapper, code, sizeof wrapper.magic);
  if (wrapper.magic != wrapper_magic)
    return kernels_of_image(static_cast<const unsigned char*>(code));
  std::memcpy(&wrapper, code, sizeof wrapper);
  return kernels_of_image(wrapper.data);
}

// Modelled, not recorded; tests/gpu/module_gpu_test.cu tests it on a device. nullptr: no library.
Library* find_library(cudaLibrary_t library) { return find(runtime().libraries, library); }

void remove_kernel(Kernel& kernel) {
  runtime().kernels_by_stub.erase(kernel.handle());
  kernel.destroy();
}

// The kernels of PTX by name. Only a compiler knows their parameters and registers.
std::map<std::string, KernelCode> kernels_of_ptx(const std::string& text) {
  std::map<std::string, KernelCode> kernels;
  if (text.find(".version") == std::string::npos) return kernels;
  const std::string word = ".entry ";
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
    at += word.size();
    kernels[text.substr(at, text.find_first_of("( \n\t", at) - at)];
  }
  return kernels;
}

// For queries through the driver's own function.
int get_parameter(const void* function, std::size_t index, std::size_t* offset, std::size_t* size) {
  const std::lock_guard lock(runtime().mutex);
  Kernel* found = nullptr;
  if (runtime().find_kernel(function, &found) != cudaSuccess || !found->code.has_arguments ||
      index >= found->code.arguments.size()) {
    return 1;  // CUDA_ERROR_INVALID_VALUE
  }
  *offset = found->code.arguments[index].offset;
  *size = found->code.arguments[index].size;
  return 0;
}

// A kernel's compiled cluster cannot be changed. The launch checks whether the three values fit
// together.
cudaError_t set_cluster(unsigned& field, int compiled, const KernelOn& kernel, int value) {
  if (kernel.info().cluster_x > 0) {
    return value == compiled ? cudaSuccess : cudaErrorInvalidValue;
  }
  if (value < 0) return cudaErrorInvalidValue;
  field = static_cast<unsigned>(value);
  return cudaSuccess;
}

}  // namespace
}  // namespace stand_in_cuda

using namespace stand_in_cuda;

extern "C" {

void** __cudaRegisterFatBinary(void* fat_binary) {
  return reinterpret_cast<void**>(new FatBinary{kernels_of(fat_binary), {}});
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void** handle) {
  const std::lock_guard lock(runtime().mutex);
  auto* const gone = reinterpret_cast<FatBinary*>(handle);
  for (Kernel* kernel : gone->registered) {
    const auto found = runtime().kernels_by_stub.find(kernel->host_function);
    if (found != runtime().kernels_by_stub.end() && found->second == kernel) {
      runtime().kernels_by_stub.erase(found);
    }
    remove_kernel(*kernel);
  }
  delete gone;
}

char __cudaInitModule(void**) { return 1; }

void __cudaRegisterFunction(void** fat_binary, const char* host_function, char*, const char* name,
                            int, uint3*, uint3*, dim3*, dim3*, int*) {
  const std::lock_guard lock(runtime().mutex);
  auto& [kernels, registered] = *reinterpret_cast<FatBinary*>(fat_binary);
  const auto found = kernels.find(name);
  registered.push_back(
      &add_kernel(name, host_function, found == kernels.end() ? KernelCode{} : found->second));
}

void __cudaRegisterVar(void**, char* host_variable, char*, const char*, int, std::size_t bytes, int,
                       int) {
  const std::lock_guard lock(runtime().mutex);
  runtime().variables[host_variable] = {std::calloc(1, bytes), bytes};
}

void __cudaRegisterManagedVar(void**, void** host_pointer, char*, const char*, int,
                              std::size_t bytes, int, int) {
  *host_pointer = std::calloc(1, bytes);
}

void __cudaRegisterHostVar(void**, const char*, char*, std::size_t) {}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  const std::lock_guard lock(runtime().mutex);
  Kernel* found = nullptr;
  const cudaError_t status = runtime().find_kernel(function, &found);
  *kernel = found == nullptr ? nullptr : found->handle();
  return status;
}

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  return api("cudaGetKernel", text(function), plain, [&](auto&) {
    if (kernel == nullptr) return cudaErrorInvalidValue;
    Kernel* found = nullptr;
    if (runtime().find_kernel(function, &found) != cudaSuccess)
      return cudaErrorInvalidDeviceFunction;
    *kernel = found->handle();
    return cudaSuccess;
  });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* handle, const void* function) {
  return api("cudaGetFuncBySymbol", text(function), plain, [&](auto&) {
    if (handle == nullptr) return cudaErrorInvalidValue;
    Kernel* found = nullptr;
    const cudaError_t status = runtime().find_kernel(function, &found);
    if (status != cudaSuccess) return status;
    *handle = reinterpret_cast<cudaFunction_t>(found->handle());
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return api("cudaFuncGetName", text(function), plain, [&](auto&) {
    if (name == nullptr) return cudaErrorInvalidValue;
    Kernel* found = nullptr;
    const cudaError_t status = runtime().find_kernel(function, &found);
    if (status != cudaSuccess) return status;
    *name = found->name.c_str();
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return api("cudaFuncGetAttributes", text(function), plain, [&](auto&) {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    Kernel* found = nullptr;
    const cudaError_t status = runtime().find_kernel(function, &found);
    if (status != cudaSuccess) return status;
    const KernelOn kernel(*found, runtime().thread().device);
    *attributes = {};
    attributes->sharedSizeBytes = static_cast<std::size_t>(kernel.info().static_shared_bytes);
    attributes->constSizeBytes = static_cast<std::size_t>(kernel.info().constant_bytes);
    attributes->localSizeBytes = static_cast<std::size_t>(kernel.info().local_bytes);
    attributes->maxThreadsPerBlock = kernel.max_threads();
    attributes->numRegs = kernel.info().registers;
    attributes->ptxVersion =
        kernel.info().ptx_version > 0 ? kernel.info().ptx_version : found->code.architecture;
    attributes->binaryVersion = found->code.architecture;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(kernel.max_dynamic());
    attributes->preferredShmemCarveout = kernel.settings().carveout;
    attributes->clusterDimMustBeSet = kernel.info().cluster_x > 0 ? 1 : 0;
    const dim3 cluster = kernel.cluster();
    attributes->requiredClusterWidth = static_cast<int>(cluster.x);
    attributes->requiredClusterHeight = static_cast<int>(cluster.y);
    attributes->requiredClusterDepth = static_cast<int>(cluster.z);
    attributes->clusterSchedulingPolicyPreference = kernel.settings().scheduling;
    attributes->nonPortableClusterSizeAllowed = kernel.settings().non_portable ? 1 : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return api(
      "cudaFuncSetAttribute", text(function, static_cast<int>(attribute), value), plain,
      [&](auto&) {
        Kernel* found = nullptr;
        const cudaError_t status = runtime().find_kernel(function, &found);
        if (status != cudaSuccess) return status;
        const KernelOn kernel(*found, runtime().thread().device);
        switch (static_cast<int>(attribute)) {
          case cudaFuncAttributeMaxDynamicSharedMemorySize:
            if (value < 0 || value > kernel.max_opt_in()) return cudaErrorInvalidValue;
            kernel.settings().max_dynamic = value;
            return cudaSuccess;
          case cudaFuncAttributePreferredSharedMemoryCarveout:
            if (value < -1 || value > 100) return cudaErrorInvalidValue;
            kernel.settings().carveout = value;
            return cudaSuccess;
          case cudaFuncAttributeRequiredClusterWidth:
            return set_cluster(kernel.settings().cluster.x, kernel.info().cluster_x, kernel, value);
          case cudaFuncAttributeRequiredClusterHeight:
            return set_cluster(kernel.settings().cluster.y, kernel.info().cluster_y, kernel, value);
          case cudaFuncAttributeRequiredClusterDepth:
            return set_cluster(kernel.settings().cluster.z, kernel.info().cluster_z, kernel, value);
          case cudaFuncAttributeNonPortableClusterSizeAllowed:
            kernel.settings().non_portable = value != 0;
            return cudaSuccess;
          case cudaFuncAttributeClusterSchedulingPolicyPreference:
            kernel.settings().scheduling = value;
            return cudaSuccess;
          default:
            return cudaErrorInvalidValue;
        }
      });
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**,
                                unsigned int options, cudaLibraryOption*, void**, unsigned int) {
  return api("cudaLibraryLoadData", text(code, options), plain, [&](auto&) {
    if (library == nullptr || code == nullptr) return cudaErrorInvalidValue;
    auto kernels = kernels_of(code);
    if (kernels.empty()) kernels = kernels_of_ptx(static_cast<const char*>(code));
    if (kernels.empty()) return cudaErrorInvalidKernelImage;
    Library& made = runtime().libraries.emplace_back();
    for (const auto& [name, kernel] : kernels) {
      made.kernels[name] = &add_kernel(name, nullptr, kernel);
    }
    *library = made.handle();
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return api("cudaLibraryUnload", text(library), plain, [&](auto&) {
    Library* const gone = find_library(library);
    if (gone == nullptr) return cudaErrorInvalidResourceHandle;
    for (const auto& [name, kernel] : gone->kernels) remove_kernel(*kernel);
    gone->destroy();
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  return api("cudaLibraryGetKernel", text(library, name == nullptr ? "null" : name), plain,
             [&](auto&) {
               if (kernel == nullptr || name == nullptr) return cudaErrorInvalidValue;
               const Library* const in = find_library(library);
               if (in == nullptr) return cudaErrorInvalidResourceHandle;
               const auto& kernels = in->kernels;
               const auto found = kernels.find(name);
               if (found == kernels.end()) return cudaErrorSymbolNotFound;
               *kernel = found->second->handle();
               return cudaSuccess;
             });
}

cudaError_t cudaLibraryGetKernelCount(unsigned int* count, cudaLibrary_t library) {
  return api("cudaLibraryGetKernelCount", text(library), plain, [&](auto&) {
    const Library* const of = find_library(library);
    if (count == nullptr || of == nullptr) return cudaErrorInvalidValue;
    *count = static_cast<unsigned>(of->kernels.size());
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned int count,
                                        cudaLibrary_t library) {
  return api("cudaLibraryEnumerateKernels", text(library, count), plain, [&](auto&) {
    const Library* const of = find_library(library);
    if (kernels == nullptr || of == nullptr) return cudaErrorInvalidValue;
    for (const auto& [name, kernel] : of->kernels) {
      if (count-- == 0) break;
      *kernels++ = kernel->handle();
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function,
                                             unsigned int version, unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* found) {
  // They count as the runtime's functions, so the search for them does not count.
  if (std::strcmp(symbol, "cuStreamIsCapturing") == 0 ||
      std::strcmp(symbol, "cuThreadExchangeStreamCaptureMode") == 0) {
    *function = symbol[2] == 'S' ? reinterpret_cast<void*>(&cudaStreamIsCapturing)
                                 : reinterpret_cast<void*>(&cudaThreadExchangeStreamCaptureMode);
    *found = cudaDriverEntryPointSuccess;
    return cudaSuccess;
  }
  return api(
      "cudaGetDriverEntryPointByVersion", text(symbol, version, flags), contextless, [&](auto&) {
        const bool ours = std::strcmp(symbol, "cuKernelGetParamInfo") == 0;
        constexpr unsigned first_version = 12040;  // CUDA Driver API, cuKernelGetParamInfo
        if (ours && version < first_version) {
          *function = nullptr;
          *found = cudaDriverEntryPointVersionNotSufficent;
          return cudaSuccess;
        }
        *function = ours ? reinterpret_cast<void*>(&get_parameter) : driver_function(symbol);
        *found =
            *function != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
        return cudaSuccess;
      });
}

void stand_in_cuda_declare_kernel(const void* host_function, const char* name,
                                  const StandInCudaArgument* arguments, std::size_t count,
                                  const StandInCudaKernelInfo* info) {
  const std::lock_guard lock(runtime().mutex);
  KernelCode code;
  code.arguments.assign(arguments, arguments + count);
  code.has_arguments = true;
  for (const StandInCudaArgument& each : code.arguments) {
    code.argument_bytes = std::max<std::size_t>(code.argument_bytes, each.offset + each.size);
  }
  const Device& device = runtime().devices.at(0);
  code.architecture = device.attribute(cudaDevAttrComputeCapabilityMajor) * 10 +
                      device.attribute(cudaDevAttrComputeCapabilityMinor);
  if (info != nullptr) code.info = *info;
  add_kernel(name, host_function, code);
}

int stand_in_cuda_override_kernel(const char* name, const StandInCudaKernelInfo* info) {
  const std::lock_guard lock(runtime().mutex);
  int result = -1;
  const auto put = [](int& field, int value) {
    if (value != -1) field = value;
  };
  for (Kernel& kernel : runtime().kernels) {
    if (kernel.name != name) continue;
    StandInCudaKernelInfo& present = kernel.code.info;
    put(present.static_shared_bytes, info->static_shared_bytes);
    put(present.local_bytes, info->local_bytes);
    put(present.constant_bytes, info->constant_bytes);
    put(present.registers, info->registers);
    put(present.max_threads_per_block, info->max_threads_per_block);
    put(present.cluster_x, info->cluster_x);
    put(present.cluster_y, info->cluster_y);
    put(present.cluster_z, info->cluster_z);
    if (info->ptx_version > 0) present.ptx_version = info->ptx_version;
    result = 0;
  }
  return result;
}

int stand_in_cuda_kernel_info(const char* name, StandInCudaKernelInfo* info) {
  const std::lock_guard lock(runtime().mutex);
  const Kernel* const kernel = runtime().kernel_named(name);
  if (kernel == nullptr) return -1;
  *info = kernel->code.info;
  return 0;
}

}  // extern "C"
