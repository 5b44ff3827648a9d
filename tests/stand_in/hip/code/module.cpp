// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "function.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace stand_in_hip {
namespace {

Module* find_module(hipModule_t handle) {
  auto& all = runtime().modules;
  const auto found = all.find(handle);
  return found == all.end() ? nullptr : found->second.get();
}

// PlatformState::loadModule, clr hip_platform.cpp:741, and
// FatBinaryInfo::ExtractFatBinaryUsingCOMGR, hip_fatbin.cpp:176 (no code object) and :279 (none for
// the device).
hipError_t load(hipModule_t* module, const void* image) {
  if (module == nullptr || image == nullptr) return hipErrorInvalidValue;
  auto made = std::make_unique<Module>();
  made->binary.objects = read_code_objects(image);
  if (made->binary.objects.empty()) return rules().no_code_object;
  Runtime& r = runtime();
  if (r.require_matching_code) {
    const Device& device = r.devices[static_cast<std::size_t>(r.thread().device)];
    bool matches = false;
    for (const CodeObject& object : made->binary.objects) {
      matches = matches || object.architecture == device.architecture;
    }
    if (!matches) return rules().no_code_for_module;
  }
  for (const CodeObject& object : made->binary.objects) {
    for (const CodeKernel& kernel : object.kernels) {
      Kernel& function = made->functions[kernel.name];
      function.name = kernel.name;
      function.binary = &made->binary;
    }
  }
  *module = reinterpret_cast<hipModule_t>(made.get());
  r.modules[*module] = std::move(made);
  return hipSuccess;
}

}  // namespace

Kernel* module_function(hipFunction_t handle) {
  for (auto& [key, module] : runtime().modules) {
    for (auto& [name, function] : module->functions) {
      if (reinterpret_cast<hipFunction_t>(&function) == handle) return &function;
    }
  }
  return nullptr;
}

}  // namespace stand_in_hip

using namespace stand_in_hip;

extern "C" {

hipError_t hipModuleLoadData(hipModule_t* module, const void* image) {
  return api("hipModuleLoadData", [&](CallNote&) { return load(module, image); });
}

// clr hip_module.cpp:51, hip_fatbin.cpp:146 and :151.
hipError_t hipModuleLoad(hipModule_t* module, const char* path) {
  return api("hipModuleLoad", [&](CallNote&) {
    if (module == nullptr || path == nullptr) return hipErrorInvalidValue;
    std::ifstream file(path, std::ios::binary);
    if (!file) return hipErrorFileNotFound;
    std::vector<char> image{std::istreambuf_iterator<char>(file), {}};
    if (image.empty()) return hipErrorInvalidValue;
    image.resize(std::max<std::size_t>(image.size(), 64));  // the readers access whole headers
    return load(module, image.data());
  });
}

hipError_t hipModuleLoadDataEx(hipModule_t* module, const void* image, unsigned, hipJitOption*,
                               void**) {
  return api("hipModuleLoadDataEx", [&](CallNote&) { return load(module, image); });
}

// clr hip_module.cpp:43.
hipError_t hipModuleUnload(hipModule_t module) {
  return api("hipModuleUnload", [&](CallNote&) {
    if (module == nullptr) return rules().null_module;
    return runtime().modules.erase(module) != 0 ? hipSuccess : hipErrorNotFound;
  });
}

// clr hip_module.cpp:73.
hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* name) {
  return api("hipModuleGetFunction", [&](CallNote&) {
    if (function == nullptr || name == nullptr) return hipErrorInvalidValue;
    if (*name == '\0') return rules().empty_kernel_name;
    if (module == nullptr) return rules().null_module;
    Module* found = find_module(module);
    if (found == nullptr) return hipErrorNotFound;
    const auto kernel = found->functions.find(name);
    if (kernel == found->functions.end()) return hipErrorNotFound;
    *function = reinterpret_cast<hipFunction_t>(&kernel->second);
    return hipSuccess;
  });
}

}  // extern "C"
