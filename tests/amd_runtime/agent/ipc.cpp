// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Memory of another process: a handle names the file behind a GPU's memory and a place in it. The
// rules are ROCr's (Runtime::IPCCreate): only the beginning of an allocation, and the whole of it.
#include "answer.hpp"
#include "memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace soft_hsa {
namespace {

struct Handle {
  std::uint32_t process;
  std::int32_t file;
  std::int32_t gpu;
  std::uint32_t mark;
  std::uint64_t offset;
  std::uint64_t bytes;
};
constexpr std::uint32_t handle_mark = 0x50f7a000;
static_assert(sizeof(Handle) == sizeof(hsa_amd_ipc_memory_t));

}  // namespace
}  // namespace soft_hsa

using namespace soft_hsa;

extern "C" {

hsa_status_t hsa_amd_ipc_memory_create(void* pointer, std::size_t bytes,
                                       hsa_amd_ipc_memory_t* out) {
  const std::lock_guard hold(memory().lock);
  const Allocation* const found = memory().find(pointer);
  if (found == nullptr || found->base != pointer || whole_pages(bytes) != found->bytes ||
      found->kind != Allocation::Kind::pool || found->owner->gpu == nullptr) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  const Handle handle{static_cast<std::uint32_t>(getpid()),
                      heap_file(*found->owner),
                      found->owner->index,
                      handle_mark,
                      found->heap_offset,
                      found->bytes};
  return give(out, handle);
}

hsa_status_t hsa_amd_ipc_memory_attach(const hsa_amd_ipc_memory_t* in, std::size_t bytes,
                                       std::uint32_t count, const hsa_agent_t* mapping,
                                       void** out) {
  const auto handle = read_at<Handle>(in, 0);
  const auto place = static_cast<std::size_t>(handle.gpu + 1);
  if (handle.mark != handle_mark || whole_pages(bytes) > handle.bytes || handle.gpu < 0 ||
      place >= agents().size()) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  const std::string path =
      "/proc/" + std::to_string(handle.process) + "/fd/" + std::to_string(handle.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  void* const base = mmap(nullptr, handle.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                          file, static_cast<off_t>(handle.offset));
  close(file);
  if (base == MAP_FAILED) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  Allocation made{base, handle.bytes, Allocation::Kind::imported, &agents()[place],
                  HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED};
  for (std::uint32_t i = 0; i < count; ++i) made.reaches.insert(&agent_of(mapping[i]));
  const std::lock_guard hold(memory().lock);
  memory().allocations[reinterpret_cast<std::uintptr_t>(base)] = std::move(made);
  *out = base;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_ipc_memory_detach(void* base) {
  const std::lock_guard hold(memory().lock);
  const auto found = memory().allocations.find(reinterpret_cast<std::uintptr_t>(base));
  if (found == memory().allocations.end() || found->second.kind != Allocation::Kind::imported) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  munmap(base, found->second.bytes);
  memory().allocations.erase(found);
  return HSA_STATUS_SUCCESS;
}

}  // extern "C"
