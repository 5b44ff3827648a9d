// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Loads a module with its NCCL twice, `reload MODULE`, so that NCCL's addresses may differ. With
// RANKS_MODULE this is the module.

#include "tools/ranks/nccl/abi.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

using namespace warpsafe::ranks::nccl;

#ifdef RANKS_MODULE
extern "C" {
Status ncclGetUniqueId(UniqueId*);
Status ncclCommInitRank(Comm*, int, UniqueId, int);
Status ncclCommDestroy(Comm);

Status use_nccl() {
  UniqueId id{};
  Comm comm = nullptr;
  ncclGetUniqueId(&id);
  const Status status = ncclCommInitRank(&comm, 1, id, 0);
  return status != success ? status : ncclCommDestroy(comm);
}
}
#else
namespace {

/// NCCL's first page; null: it is not loaded.
void* nccl() {
  void* found = nullptr;
  ::dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* to) {
        if (std::strstr(object->dlpi_name, "libnccl.so") == nullptr) return 0;
        *static_cast<void**>(to) = reinterpret_cast<void*>(object->dlpi_addr);
        return 1;
      },
      &found);
  return found;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  // The driver's threads never end.
  if (::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NODELETE) == nullptr) return 3;
  for (int turn = 0; turn < 2; ++turn) {
    void* const module = ::dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) {
      std::fprintf(stderr, "%s\n", ::dlerror());
      return 4;
    }
    auto* const use = reinterpret_cast<Status (*)()>(::dlsym(module, "use_nccl"));
    if (use == nullptr || use() != success) return 5;
    void* const was = nccl();
    ::dlclose(module);
    if (nccl() != nullptr) continue;
    // Its old place is taken.
    constexpr std::size_t bytes = 4096;
    ::mmap(was, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  return 0;
}
#endif
