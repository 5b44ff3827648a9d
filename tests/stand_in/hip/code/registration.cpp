// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The entry points that hipcc's objects call before main: clr hip_platform.cpp:72-252.
#include "../runtime.hpp"

#include <cstdlib>

using namespace stand_in_hip;

namespace {

/// The layout that clang writes into .hipFatBinSegment: clang/lib/CodeGen/CGCUDANV.cpp
/// makeModuleCtorFunction.
struct FatBinaryWrapper {
  std::uint32_t magic;  ///< 0x48495046, "HIPF"
  std::uint32_t version;
  const void* binary;
  const void* unused;
};

constexpr std::uint32_t fat_binary_magic = 0x48495046;

CodeBinary* binary_of(void** handle) { return reinterpret_cast<CodeBinary*>(handle); }

}  // namespace

extern "C" {

void** __hipRegisterFatBinary(const void* data);
void __hipRegisterFunction(void** modules, const void* host_function, char* device_function,
                           const char* device_name, unsigned thread_limit, void* thread_id,
                           void* block_id, dim3* block, dim3* grid, int* warp_size);
void __hipRegisterVar(void** modules, void* variable, char* host_name, char* device_name,
                      int external, std::size_t size, int constant, int global);
void __hipRegisterManagedVar(void* module, void** pointer, void* initial, const char* name,
                             std::size_t size, unsigned align);
void __hipUnregisterFatBinary(void** modules);
hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared,
                                     hipStream_t* stream);

void** __hipRegisterFatBinary(const void* data) {
  const auto* wrapper = static_cast<const FatBinaryWrapper*>(data);
  if (wrapper->magic != fat_binary_magic || wrapper->version != 1) return nullptr;
  Runtime& r = runtime();
  const std::lock_guard lock(r.mutex);
  auto& made = r.binaries.emplace_back(std::make_unique<CodeBinary>());
  made->objects = read_code_objects(wrapper->binary);
  return reinterpret_cast<void**>(made.get());
}

void __hipRegisterFunction(void** modules, const void* host_function, char*,
                           const char* device_name, unsigned, void*, void*, dim3*, dim3*, int*) {
  Runtime& r = runtime();
  const std::lock_guard lock(r.mutex);
  Kernel& kernel = r.kernels[host_function];
  if (kernel.binary != nullptr) return;  // clr hip_platform.cpp:94: the first one counts
  kernel.name = device_name;
  kernel.binary = binary_of(modules);
}

void __hipRegisterVar(void**, void* variable, char* host_name, char*, int, std::size_t size, int,
                      int) {
  Runtime& r = runtime();
  const std::lock_guard lock(r.mutex);
  r.variables[variable] = {host_name, size, std::vector<unsigned char>(size)};
}

// clr hip_platform.cpp:145: the pointer is set to memory that host and device share.
void __hipRegisterManagedVar(void*, void** pointer, void* initial, const char* name,
                             std::size_t size, unsigned) {
  Runtime& r = runtime();
  const std::lock_guard lock(r.mutex);
  const auto* from = static_cast<const unsigned char*>(initial);
  Variable& made = r.variables[pointer];
  made = {name, size, std::vector<unsigned char>(from, from + size)};
  *pointer = made.storage.data();
}

void __hipUnregisterFatBinary(void** modules) {
  Runtime& r = runtime();
  const std::lock_guard lock(r.mutex);
  CodeBinary* binary = binary_of(modules);
  if (binary == nullptr) return;
  binary->alive = false;
  std::erase_if(r.kernels, [&](const auto& entry) { return entry.second.binary == binary; });
}

hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                      hipStream_t stream) {
  return api("__hipPushCallConfiguration", [&](CallNote& note) {
    note.stream = stream;
    runtime().thread().configurations.push_back({grid, block, shared, stream});
    return hipSuccess;
  });
}

hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared,
                                     hipStream_t* stream) {
  return api("__hipPopCallConfiguration", [&](CallNote& note) {
    auto& pushed = runtime().thread().configurations;
    if (pushed.empty()) {  // only after a refused push: clr pops an empty stack there
      *grid = *block = dim3(0, 0, 0);
      *shared = 0;
      *stream = nullptr;
      return runtime().undefined(hipErrorMissingConfiguration);
    }
    const auto& top = pushed.back();
    *grid = top.grid;
    *block = top.block;
    *shared = top.shared;
    *stream = note.stream = top.stream;
    pushed.pop_back();
    return hipSuccess;
  });
}

}  // extern "C"
