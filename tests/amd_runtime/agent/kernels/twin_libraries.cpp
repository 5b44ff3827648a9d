// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "twin_libraries.hpp"

#include "../../twins/twin.hpp"
#include "../answer.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <vector>

namespace soft_hsa {
namespace {

struct Library {
  decltype(&soft_hsa_find_twin) find;
  decltype(&soft_hsa_run_twin) run;
};

const std::vector<Library>& libraries() {
  static const auto* const made = [] {
    auto* const all = new std::vector<Library>;
    for (const std::string& path : settings().twins) {
      void* const object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      Library library{};
      if (object != nullptr) {
        library.find =
            reinterpret_cast<decltype(library.find)>(dlsym(object, "soft_hsa_find_twin"));
        library.run = reinterpret_cast<decltype(library.run)>(dlsym(object, "soft_hsa_run_twin"));
      }
      if (library.find == nullptr || library.run == nullptr) {
        std::fprintf(stderr, "soft_hsa: SOFT_HSA_TWINS: %s is not a twin library: %s\n",
                     path.c_str(), dlerror());
        std::_Exit(2);
      }
      all->push_back(library);
    }
    return all;
  }();
  return *made;
}

}  // namespace

TwinResult run_twin(const SoftHsaDispatch& dispatch, const LoadedKernel& kernel,
                    std::string& failure) {
  for (const Library& library : libraries()) {
    const void* const twin = library.find(dispatch.kernel);
    if (twin == nullptr) continue;
    std::vector<void*> arguments;
    std::vector<std::uint32_t> sizes;
    auto* const block = static_cast<std::byte*>(const_cast<void*>(dispatch.kernarg));
    for (const AmdArgument& argument : kernel.code.arguments) {
      arguments.push_back(block + argument.offset);
      sizes.push_back(argument.size);
    }
    const TwinLaunch launch{
        {dispatch.grid[0] / dispatch.block[0], dispatch.grid[1] / dispatch.block[1],
         dispatch.grid[2] / dispatch.block[2]},
        {dispatch.block[0], dispatch.block[1], dispatch.block[2]},
        dispatch.group_bytes - dispatch.static_group_bytes,
        arguments.data(),
        sizes.data(),
        sizes.size()};
    char text[512] = "";
    const int status = library.run(twin, &launch, text, sizeof text);
    failure = text;
    if (status == twin_done) return TwinResult::done;
    if (status == twin_memory_fault) return TwinResult::memory_fault;
    if (status == twin_trap) return TwinResult::trap;
    std::fprintf(stderr, "soft_hsa: the twin of %s has other parameters: %s\n", dispatch.kernel,
                 text);
  }
  return TwinResult::none;
}

}  // namespace soft_hsa
