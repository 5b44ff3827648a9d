// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Memory and copies of the host backend.

#include "host_test_kernel.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <cstdint>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace warpsafe::host_test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

struct HostMemory : HostTest {
  template <class T>
  [[nodiscard]] int upload(T* to, const std::vector<T>& from) {
    return host_backend::copy(to, from.data(), from.size() * sizeof(T), CopyKind::host_to_device,
                              stream);
  }
  template <class T>
  [[nodiscard]] int download(std::vector<T>& to, const T* from) {
    return host_backend::copy(to.data(), from, to.size() * sizeof(T), CopyKind::device_to_host,
                              stream);
  }
};

TEST_F(HostMemory, FreshMemoryHoldsThePattern) {
  auto* const memory = device_array<std::uint32_t>(100);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 256, 0U);
  std::vector<std::uint32_t> seen(100);
  ASSERT_EQ(download(seen, memory), 0);
  EXPECT_THAT(seen, Each(host::fresh_pattern));
  release(memory);
}

TEST_F(HostMemory, BytesGoThereAndBack) {
  auto* const memory = device_array<int>(4);
  auto* const second = device_array<int>(4);
  ASSERT_EQ(upload(memory, std::vector<int>{1, 2, 3, 4}), 0);
  ASSERT_EQ(host_backend::copy(second, memory, 16, CopyKind::device_to_device, stream), 0);
  ASSERT_EQ(host_backend::fill(second + 1, 0, 4, stream), 0);
  std::vector<int> back(4);
  ASSERT_EQ(download(back, second), 0);
  EXPECT_THAT(back, ElementsAre(1, 0, 3, 4)) << "a copy into pageable memory waits";
  release(memory);
  release(second);
}

TEST_F(HostMemory, PageableSourcesAreTakenAtTheCall) {
  std::atomic<bool> go = false;
  auto* const memory = device_array<int>(1);
  std::vector<int> source{7};
  ASSERT_EQ(launch_raw(stream, shape_of(1, 1), wait_for, &go), 0);
  ASSERT_EQ(upload(memory, source), 0);
  source[0] = 8;
  go = true;
  ASSERT_EQ(download(source, memory), 0);
  EXPECT_EQ(source[0], 7);
  release(memory);
}

TEST_F(HostMemory, PinnedCopiesAreAsynchronous) {
  std::atomic<bool> go = false;
  auto* const memory = device_array<int>(1);
  void* pinned = nullptr;
  ASSERT_EQ(host_backend::host_allocate(pinned, sizeof(int)), 0);
  int* const value = static_cast<int*>(pinned);
  *value = 7;
  ASSERT_EQ(launch_raw(stream, shape_of(1, 1), wait_for, &go), 0);
  ASSERT_EQ(host_backend::copy(memory, pinned, 4, CopyKind::host_to_device, stream), 0);
  *value = 8;  // too early: this is what the copy finds
  EXPECT_EQ(host_backend::stream_query(stream), host_backend::not_ready);
  go = true;
  ASSERT_EQ(synchronize(), 0);
  *value = 0;
  ASSERT_EQ(host_backend::copy(pinned, memory, 4, CopyKind::device_to_host, stream), 0);
  ASSERT_EQ(synchronize(), 0);
  EXPECT_EQ(*value, 8);
  EXPECT_EQ(host_backend::host_deallocate(pinned), 0);
  release(memory);
}

TEST_F(HostMemory, RowsAreCopiedByTheirPitch) {
  auto* const memory = device_array<char>(12);
  ASSERT_EQ(upload(memory, std::vector<char>(12, '.')), 0);
  const std::string source = "abXXcdXX";
  ASSERT_EQ(
      host_backend::copy_2d(memory, 6, source.data(), 4, 2, 2, CopyKind::host_to_device, stream),
      0);
  std::vector<char> back(12);
  ASSERT_EQ(download(back, memory), 0);
  EXPECT_EQ(std::string(back.begin(), back.end()), "ab....cd....");
  EXPECT_EQ(
      host_backend::copy_2d(memory, 1, source.data(), 4, 2, 2, CopyKind::host_to_device, stream),
      raw(HostStatus::invalid_pitch));
  EXPECT_EQ(
      host_backend::copy_2d(memory, 6, source.data(), 4, 2, 3, CopyKind::host_to_device, stream),
      raw(HostStatus::invalid_value))
      << "the last row ends at byte 14 of 12";
  EXPECT_EQ(host_backend::copy_2d(memory, SIZE_MAX, source.data(), 4, 2, 3,
                                  CopyKind::host_to_device, stream),
            raw(HostStatus::invalid_value))
      << "the extent does not fit in 64 bits";
  release(memory);
}

TEST_F(HostMemory, CopiesBeyondTheAllocationOrOfTheWrongKindAreRefused) {
  auto* const memory = device_array<int>(4);
  std::vector<int> host(8);
  const int invalid = raw(HostStatus::invalid_value);
  EXPECT_EQ(upload(memory, host), invalid);
  EXPECT_EQ(host_backend::copy(memory + 3, host.data(), 8, CopyKind::host_to_device, stream),
            invalid);
  EXPECT_EQ(host_backend::copy(host.data(), memory, 16, CopyKind::host_to_device, stream), invalid)
      << "swapped";
  EXPECT_EQ(host_backend::copy(memory, host.data(), 16, CopyKind::device_to_device, stream),
            invalid);
  EXPECT_EQ(host_backend::copy(memory, nullptr, 16, CopyKind::host_to_device, stream), invalid);
  EXPECT_EQ(host_backend::fill(host.data(), 0, 4, stream), invalid);
  EXPECT_EQ(host_backend::fill(memory, 0, 17, stream), invalid);
  EXPECT_EQ(host_backend::copy(memory, nullptr, 0, CopyKind::host_to_device, stream), 0)
      << "no bytes, no matter";
  EXPECT_EQ(host_backend::copy(host.data() + 4, host.data(), 16, CopyKind::host_to_host, stream),
            0);
  release(memory);
}

TEST_F(HostMemory, PointersAreKnownByTheirKind) {
  int local = 0;
  MemoryKind kind = MemoryKind::managed;
  int device = -2;
  ASSERT_EQ(host_backend::pointer_kind(&local, kind, device), 0);
  EXPECT_EQ(kind, MemoryKind::unregistered);
  EXPECT_EQ(device, -1);
  auto* const memory = device_array<int>(4);
  ASSERT_EQ(host_backend::pointer_kind(memory + 3, kind, device), 0);
  EXPECT_EQ(kind, MemoryKind::device);
  EXPECT_EQ(device, 0);
  ASSERT_EQ(host_backend::pointer_kind(memory + 4, kind, device), 0);
  EXPECT_EQ(kind, MemoryKind::unregistered) << "one past the end";
  release(memory);
  ASSERT_EQ(host_backend::pointer_kind(memory, kind, device), 0);
  EXPECT_EQ(kind, MemoryKind::unregistered) << "freed";
  void* pinned = nullptr;
  ASSERT_EQ(host_backend::host_allocate(pinned, 8), 0);
  ASSERT_EQ(host_backend::pointer_kind(pinned, kind, device), 0);
  EXPECT_EQ(kind, MemoryKind::pinned);
  ASSERT_EQ(host_backend::host_deallocate(pinned), 0);
}

TEST_F(HostMemory, FreeingHappensInStreamOrder) {
  std::atomic<bool> go = false;
  auto* const memory = device_array<std::uint32_t>(4);
  std::uint32_t seen = 0;
  ASSERT_EQ(launch_raw(stream, shape_of(1, 1), wait_for, &go), 0);
  ASSERT_EQ(
      launch_raw(
          stream, shape_of(1, 1),
          +[](const std::uint32_t* from, std::uint32_t* to) { *to = from[3]; }, memory, &seen),
      0);
  release(memory);
  go = true;
  ASSERT_EQ(synchronize(), 0);
  EXPECT_EQ(seen, host::fresh_pattern);
}

TEST_F(HostMemory, FreeingTwiceOrWhatIsNotOursIsRefused) {
  auto* const memory = device_array<int>(4);
  int local = 0;
  void* pinned = nullptr;
  ASSERT_EQ(host_backend::host_allocate(pinned, 8), 0);
  const int invalid = raw(HostStatus::invalid_value);
  EXPECT_EQ(host_backend::deallocate(&local, stream), invalid);
  EXPECT_EQ(host_backend::deallocate(memory + 1, stream), invalid);
  EXPECT_EQ(host_backend::deallocate(pinned, stream), invalid);
  EXPECT_EQ(host_backend::host_deallocate(memory), invalid);
  release(memory);
  EXPECT_EQ(host_backend::deallocate(memory, stream), invalid);
  EXPECT_EQ(host_backend::deallocate(nullptr, stream), 0);
  EXPECT_EQ(host_backend::host_deallocate(pinned), 0);
  EXPECT_EQ(host_backend::host_deallocate(pinned), invalid) << "freed twice";
  EXPECT_EQ(host_backend::host_deallocate(nullptr), 0);
}

TEST_F(HostMemory, ACopyBetweenDevicesNamesTwoDevicesThatExist) {
  auto* const to = device_array<int>(4);
  auto* const from = device_array<int>(4);
  const int invalid = raw(HostStatus::invalid_device);
  for (const int device : {-1, 1, 7}) {
    EXPECT_EQ(host_backend::copy_peer(to, device, from, 0, 16, stream), invalid) << device;
    EXPECT_EQ(host_backend::copy_peer(to, 0, from, device, 16, stream), invalid) << device;
  }
  EXPECT_EQ(host_backend::copy_peer(to, 0, from, 0, 16, stream), 0);
  release(to);
  release(from);
}

TEST_F(HostMemory, ADeviceHasAsMuchMemoryAsATestGivesIt) {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  ASSERT_EQ(host_backend::memory_info(free_bytes, total_bytes), 0);
  const std::size_t used_before = total_bytes - free_bytes;  // by tests that had to leave it
  ASSERT_TRUE(host::set_memory(0, used_before + 1000));
  void* memory = device_array<char>(600);
  void* more = this;
  EXPECT_EQ(host_backend::allocate(more, 401, stream), raw(HostStatus::out_of_memory));
  EXPECT_EQ(more, nullptr);
  ASSERT_EQ(host_backend::memory_info(free_bytes, total_bytes), 0);
  EXPECT_EQ(free_bytes, 400U);
  EXPECT_EQ(total_bytes, used_before + 1000);
  release(memory);
  EXPECT_EQ(host_backend::allocate(more, 1000, stream), 0)
      << "what was given back may be taken again at once, as from CUDA's pools";
  release(more);
  EXPECT_EQ(host_backend::allocate(more, SIZE_MAX, stream), raw(HostStatus::out_of_memory));
  EXPECT_EQ(host_backend::allocate(more, 0, stream), 0);
  EXPECT_EQ(more, nullptr);
}

std::string error_text(int status) {
  const Name text = host_backend::error_text(status);
  return {text.data, text.size};
}

TEST_F(HostMemory, AKernelThatWritesPastTheEndFails) {
  if (host::address_sanitizer) GTEST_SKIP() << "AddressSanitizer ends the program first";
  auto* const memory = device_array<char>(10);
  ASSERT_EQ(launch_raw(
                stream, shape_of(1, 1), +[](char* to) { to[10] = 1; }, memory),
            0);
  const int status = synchronize();
  EXPECT_EQ(status, raw(HostStatus::illegal_address));
  EXPECT_EQ(
      error_text(status),
      "something was written past the end of 10 bytes of memory; found at the end of a kernel");
  host::reset();
  release(memory);
  EXPECT_EQ(synchronize(), 0) << "it is reported once";
}

TEST_F(HostMemory, TheKernelOfAGraphThatWritesPastTheEndFails) {
  if (host::address_sanitizer) GTEST_SKIP() << "AddressSanitizer ends the program first";
  auto* const memory = device_array<char>(10);
  host_backend::native_graph graph{};
  host_backend::native_graph_exec exec{};
  ASSERT_EQ(host_backend::capture_begin(stream, CaptureMode::relaxed), 0);
  ASSERT_EQ(launch_raw(
                stream, shape_of(1, 1), +[](char* to) { to[10] = 1; }, memory + 3),
            0);
  ASSERT_EQ(host_backend::capture_end(stream, graph), 0);
  ASSERT_EQ(host_backend::graph_instantiate(exec, graph), 0);
  ASSERT_EQ(host_backend::graph_launch(exec, stream), 0);
  EXPECT_EQ(synchronize(), raw(HostStatus::illegal_address));
  host::reset();
  release(memory);
  EXPECT_EQ(host_backend::graph_exec_destroy(exec), 0);
  EXPECT_EQ(host_backend::graph_destroy(graph), 0);
}

// No kernel was given these addresses, so only the free looks behind the memory.
TEST_F(HostMemory, AFreeReturnsWhatWasWrittenPastTheEnd) {
  if (host::address_sanitizer) GTEST_SKIP() << "AddressSanitizer ends the program first";
  auto* const memory = device_array<char>(10);
  memory[12] = 1;
  EXPECT_EQ(host_backend::deallocate(memory, stream), raw(HostStatus::illegal_address));
  EXPECT_EQ(error_text(raw(HostStatus::illegal_address)),
            "something was written past the end of 10 bytes of memory; found when the memory was "
            "freed");
  host::reset();
  EXPECT_EQ(synchronize(), 0) << "it is reported once";
}

TEST_F(HostMemory, AFreeBehindRunningWorkReportsItLater) {
  if (host::address_sanitizer) GTEST_SKIP() << "AddressSanitizer ends the program first";
  struct Gate {
    std::atomic<bool> open = false;
  } gate;
  auto* const memory = device_array<char>(10);
  ASSERT_EQ(launch_raw(
                stream, shape_of(1, 1),
                +[](Gate* of, std::uintptr_t hidden) {
                  while (!of->open) std::this_thread::yield();
                  reinterpret_cast<char*>(hidden)[12] = 1;
                },
                &gate, reinterpret_cast<std::uintptr_t>(memory)),
            0);
  release(memory);
  gate.open = true;
  EXPECT_EQ(synchronize(), raw(HostStatus::illegal_address));
  host::reset();
}

}  // namespace
}  // namespace warpsafe::host_test
