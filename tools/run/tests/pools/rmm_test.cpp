// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include <gtest/gtest.h>
#include <warpsafe_rmm.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

extern std::string told;

namespace {

/// Has the members of a resource of rmm.
struct Resource {
  void* memory;
  void* allocate(cuda::stream_ref, std::size_t bytes, std::size_t alignment) {
    told += "allocates " + std::to_string(bytes) + ' ' + std::to_string(alignment) + '\n';
    return memory;
  }
  void deallocate(cuda::stream_ref, void*, std::size_t bytes, std::size_t alignment) noexcept {
    told += "frees " + std::to_string(bytes) + ' ' + std::to_string(alignment) + '\n';
  }
  void* allocate_sync(std::size_t, std::size_t) {
    told += "allocates at once\n";
    return memory;
  }
  void deallocate_sync(void*, std::size_t, std::size_t) noexcept { told += "frees at once\n"; }
  bool operator==(const Resource& other) const noexcept { return memory == other.memory; }
};

TEST(WatchedResource, TellsTheBlocksInTheOrderInWhichThePoolHasThem) {
  void* const memory = reinterpret_cast<void*>(std::uintptr_t{0x1000});
  const cuda::stream_ref stream(reinterpret_cast<cudaStream_t>(std::uintptr_t{0x20}));
  warpsafe::pools::WatchedResource resource{Resource{memory}};
  told.clear();
  EXPECT_EQ(resource.allocate(stream, 512), memory);
  resource.deallocate(stream, memory, 512, 64);
  EXPECT_EQ(told,
            "allocates 512 256\ntold 0x1000 512 0x20\ntold freed 0x1000 0x20\nfrees 512 64\n");
  told.clear();
  EXPECT_EQ(resource.allocate_sync(512), memory);
  resource.deallocate_sync(memory, 512);
  EXPECT_EQ(told, "allocates at once\nfrees at once\n");
  EXPECT_EQ(resource.upstream().memory, memory);
  EXPECT_TRUE(resource == resource);
  EXPECT_TRUE(resource != warpsafe::pools::WatchedResource{Resource{nullptr}});
}

}  // namespace
