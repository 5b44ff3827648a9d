// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What blocks, devices and operations keep from one use to the next, and what they give back.

#include "host_test_kernel.hpp"
#include <warpsafe/backend/host/detail/device.hpp>
#include <warpsafe/backend/host/detail/kernel_faults.hpp>
#include <warpsafe/backend/host/detail/operation.hpp>
#include <warpsafe/backend/host/detail/predecessor_watch.hpp>

#include <gmock/gmock.h>
#include <malloc.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

namespace warpsafe::host_test {
namespace {

using host::Failure;

/// The process's addresses that are in use. Memory of more than 32 MiB always comes from the system
/// and goes back to it.
std::size_t bytes_of_addresses() {
  std::ifstream in("/proc/self/statm");
  std::size_t pages = 0;
  in >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}
constexpr std::size_t forty_mib = std::size_t{40} << 20U;

// Shared memory.

/// Takes the place in the heap that a variable of 16 bytes of shared memory has left.
struct PlaceHolder {
  static constexpr std::align_val_t alignment{1024};
  PlaceHolder() : memory(::operator new(16 + 128 + 49152, alignment)) {}
  PlaceHolder(const PlaceHolder&) = delete;
  PlaceHolder& operator=(const PlaceHolder&) = delete;
  ~PlaceHolder() { ::operator delete(memory, alignment); }
  void* memory;
};

TEST(HostSharedMemory, KeepsUpTo32VariablesForTheNextBlocks) {
  if (under_sanitizer) GTEST_SKIP() << "a sanitizer's heap does not use a place again at once";
  for (const std::size_t count : {std::size_t{1}, std::size_t{32}, std::size_t{33}}) {
    host::SharedMemory shared;
    std::array<char, 33> keys{};
    shared.begin_block(0);
    std::vector<void*> places;
    for (std::size_t i = 0; i < count; ++i) places.push_back(shared.variable(&keys[i], 16));
    shared.begin_block(0);
    const std::vector<PlaceHolder> holders(count);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(shared.variable(&keys[i], 16) == places[i], count <= 32) << count << ' ' << i;
    }
  }
}

TEST(HostSharedMemory, HasRoomBehindItsGuardAndGoesBackToTheSystem) {
  {
    host::SharedMemory shared;
    shared.begin_block(100);
    EXPECT_GE(malloc_usable_size(shared.dynamic(100)), std::size_t{100} + 128 + 49152);
  }
  if (under_sanitizer) return;
  const std::size_t before = bytes_of_addresses();
  {
    host::SharedMemory shared;
    shared.begin_block(forty_mib);
    // Other threads of the program get and give back some, too.
    EXPECT_GE(bytes_of_addresses(), before + forty_mib / 2);
  }
  EXPECT_LT(bytes_of_addresses(), before + forty_mib / 2);
}

TEST(HostBlock, AThreadThatCannotFaultGoesOn) {
  HostThread thread{};
  detail::host_thread = &thread;
  host::end_kernel("f.cu", 3, "used nothing");
  EXPECT_EQ(detail::host_thread, &thread);
  detail::host_thread = nullptr;
  host::end_kernel("f.cu", 3, "used nothing");  // neither does the program, outside of kernels
}

// Stacks and fibres.

TEST(HostStackSize, ANumberThatIsTooLargeForAnIntegerIsNoSize) {
  EXPECT_EQ(host::parse_stack_bytes("18446744073709617152"), 0U) << "2^64 + 65536";
  EXPECT_EQ(host::parse_stack_bytes("18446744073709551680K"), 0U) << "2^64 + 64, in KiB";
}

// Operations.

void waits_if(const bool* waits) {
  if (*waits) self().depend(self(), true, "state.cu", 1);
}

TEST(HostOperation, EachRunOfADependentKernelHasToWait) {
  bool waits = true;
  const bool* argument = &waits;
  void* args[] = {&argument};
  LaunchShape shape = shape_of(1, 1);
  shape.programmatic = true;
  host::GridPool pool;
  host::KernelOperation kernel(entry_of(waits_if), shape, args, pool);
  EXPECT_EQ(kernel.run().status, 0);
  waits = false;
  EXPECT_EQ(kernel.run().status, raw(HostStatus::never_waited));
  waits = true;
  EXPECT_EQ(kernel.run().status, 0);
}

TEST(HostOperation, AStagedCopyGivesItsBytesBackOnceItHasRun) {
  const std::vector<unsigned char> from(forty_mib, 3);
  std::vector<unsigned char> to(forty_mib, 0);
  host::CopyOperation copy(to.data(), forty_mib, from.data(), forty_mib, {forty_mib, 1});
  const std::size_t before = bytes_of_addresses();
  copy.stage();
  if (!under_sanitizer) {
    EXPECT_GE(bytes_of_addresses(), before + forty_mib / 2);
  }
  EXPECT_EQ(copy.run().status, 0);
  EXPECT_TRUE(from == to);
  if (!under_sanitizer) {
    EXPECT_LT(bytes_of_addresses(), before + forty_mib / 2);
  }
}

// Devices.

TEST(HostDevice, AResetForgetsWhatAKernelWasRaisedTo) {
  host::Device device(0);
  const char kernel = 0;
  const std::uint64_t first = device.kernel(&kernel).max_dynamic_shared;
  ASSERT_TRUE(device.raise_dynamic_shared(&kernel, first - 1));
  EXPECT_EQ(device.kernel(&kernel).max_dynamic_shared, first - 1);
  device.reset(0, Name::of("CPU"));
  EXPECT_EQ(device.kernel(&kernel).max_dynamic_shared, first);
}

TEST(HostDevice, SuccessNeverReplacesAFailure) {
  host::Device device(0);
  device.fail({});
  EXPECT_EQ(device.failure().status, 0);
  for (const int status : {1, raw(HostStatus::launch_failure)}) {
    device.fail({status, Name::of("first")});
    device.fail({});
    EXPECT_EQ(device.failure().status, status);
    EXPECT_EQ(string_of(device.failure().text), "first");
    device.recover();
  }
}

}  // namespace
}  // namespace warpsafe::host_test
