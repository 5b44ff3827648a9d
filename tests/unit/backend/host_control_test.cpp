// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What the modelled driver says: devices, limits, launch verdicts, errors, injected faults.

#include "host_test_kernel.hpp"
#include <warpsafe/core/limits_table.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace warpsafe::host_test {
namespace {

using host::call_of;

void count(unsigned* runs) { ++*runs; }

struct HostControl : HostTest {
  void expect_refused(const LaunchShape& shape, HostStatus status) const {
    EXPECT_EQ(launch_raw(stream, shape, nothing), raw(status))
        << shape.grid[0] << ',' << shape.grid[1] << ',' << shape.grid[2] << " x " << shape.block[0]
        << ',' << shape.block[1] << ',' << shape.block[2] << ", " << shape.dynamic_shared;
  }
  [[nodiscard]] static LaunchShape axis(int which, std::uint32_t blocks, std::uint32_t threads) {
    LaunchShape shape = shape_of(1, 1);
    shape.grid[which] = blocks;
    shape.block[which] = threads;
    return shape;
  }
};

// Devices.

TEST_F(HostControl, TheDefaultDeviceIsTheCpuWithTheFloorOfCuda) {
  DeviceLimits limits;
  ASSERT_EQ(host_backend::limits_of(0, limits), 0);
  EXPECT_EQ(limits.vendor, Vendor::host);
  EXPECT_EQ(string_of(limits.name),
            "CPU (" + std::to_string(std::thread::hardware_concurrency()) + " threads)");
  EXPECT_EQ(limits.device, 0);
  EXPECT_EQ(limits.max_threads_per_block, 1024U);
  EXPECT_EQ(limits.max_block[2], 64U);
  EXPECT_EQ(limits.max_grid[1], 65535U);
  EXPECT_EQ(limits.shared_per_block, 49152U);
  EXPECT_EQ(limits.warp_size, 32U);
  EXPECT_FALSE(limits.floored);
}

TEST(HostBeginning, AProgramHasOneDevice) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        int devices = 0;
        std::_Exit(host_backend::device_count(devices) == 0 && devices == 1 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(HostControl, DevicesAreAsManyAsATestWants) {
  int devices = -1;
  EXPECT_EQ(host_backend::device_count(devices), 0);
  EXPECT_EQ(devices, 1);
  EXPECT_EQ(host_backend::set_device(1), raw(HostStatus::invalid_device));
  host::set_device_count(3);
  EXPECT_EQ(host_backend::device_count(devices), 0);
  EXPECT_EQ(devices, 3);
  EXPECT_EQ(host_backend::set_device(2), 0);
  EXPECT_EQ(host_backend::set_device(-1), raw(HostStatus::invalid_device));
  int current = -1;
  EXPECT_EQ(host_backend::current_device(current), 0);
  EXPECT_EQ(current, 2);
  std::thread([] {
    int of_another_thread = -1;
    EXPECT_EQ(host_backend::current_device(of_another_thread), 0);
    EXPECT_EQ(of_another_thread, 0);
  }).join();
  DeviceLimits limits;
  EXPECT_EQ(host_backend::limits_of(2, limits), 0);
  EXPECT_EQ(limits.device, 2);
  EXPECT_EQ(host_backend::limits_of(3, limits), raw(HostStatus::invalid_device));
}

TEST_F(HostControl, NoDeviceAtAll) {
  host::set_device_count(0);
  int number = -1;
  host::StreamHandle* none = nullptr;
  EXPECT_EQ(host_backend::device_count(number), raw(HostStatus::no_device));
  EXPECT_EQ(number, 0);
  EXPECT_EQ(host_backend::current_device(number), raw(HostStatus::no_device));
  EXPECT_EQ(host_backend::stream_create(none, 0), raw(HostStatus::no_device));
  EXPECT_EQ(host_backend::device_synchronize(), raw(HostStatus::no_device));
  EXPECT_EQ(host_backend::classify(raw(HostStatus::no_device)), Errc::no_device);
}

// Launch verdicts.

TEST_F(HostControl, LimitsAreMetButNotExceeded) {
  EXPECT_EQ(launch_raw(stream, shape_of(1, 1024), nothing), 0);
  EXPECT_EQ(launch_raw(stream, axis(2, 1, 64), nothing), 0);
  EXPECT_EQ(launch_raw(stream, axis(1, 65535, 1), nothing), 0);
  EXPECT_EQ(launch_raw(stream, shape_of(1, 1, 49152), nothing), 0);
  expect_refused(shape_of(1, 1025), HostStatus::invalid_configuration);
  expect_refused(axis(2, 1, 65), HostStatus::invalid_configuration);
  expect_refused(axis(1, 65536, 1), HostStatus::invalid_configuration);
  expect_refused(shape_of(2147483648U, 1), HostStatus::invalid_configuration);
  expect_refused(shape_of(1, 1, 49153), HostStatus::invalid_value);
  for (int i = 0; i < 3; ++i) {
    expect_refused(axis(i, 0, 1), HostStatus::invalid_configuration);
    expect_refused(axis(i, 1, 0), HostStatus::invalid_configuration);
  }
  LaunchShape square = shape_of(1, 32);
  square.block[1] = 33;
  expect_refused(square, HostStatus::invalid_configuration);
  EXPECT_EQ(synchronize(), 0);
}

TEST_F(HostControl, AnyDevicesNumbersCanBeSet) {
  DeviceLimits amd = limits::amd_floor;
  amd.name = Name::of("AMD something");
  ASSERT_TRUE(host::set_limits(0, amd));
  EXPECT_FALSE(host::set_limits(1, amd));
  DeviceLimits seen;
  ASSERT_EQ(host_backend::limits_of(0, seen), 0);
  EXPECT_EQ(seen.vendor, Vendor::amd);
  EXPECT_EQ(seen.device, 0);
  EXPECT_EQ(string_of(seen.name), "AMD something");
  EXPECT_EQ(launch_raw(stream, axis(2, 1, 1024), nothing), 0);
  // AMD's rule: gridDim * blockDim below 2^32 on each axis.
  expect_refused(shape_of(4194304, 1024), HostStatus::invalid_configuration);
}

TEST_F(HostControl, TheRowsOfArchitecturesTakeCooperativeGrids) {
  LaunchShape shape = shape_of(2, 64);
  shape.cooperative = true;
  DeviceLimits before;
  ASSERT_EQ(host_backend::limits_of(0, before), 0);
  for (const DeviceLimits& row : {limits::sm_90, limits::sm_75, limits::gfx90a}) {
    ASSERT_EQ(row.multiprocessors, 0U) << "a row is of several devices";
    ASSERT_TRUE(host::set_limits(0, row));
    DeviceLimits seen;
    ASSERT_EQ(host_backend::limits_of(0, seen), 0);
    EXPECT_EQ(seen.multiprocessors, before.multiprocessors);
    EXPECT_EQ(launch_raw(stream, shape, nothing), 0);
  }
}
TEST_F(HostControl, KernelsHaveLimitsOfTheirOwn) {
  KernelLimits kernel;
  const KernelEntry entry = entry_of(nothing);
  ASSERT_EQ(host_backend::attributes_of(entry, kernel), 0);
  EXPECT_TRUE(kernel.known);
  EXPECT_EQ(kernel.max_threads_per_block, 1024U);
  EXPECT_EQ(kernel.max_dynamic_shared, 49152U);

  kernel = {};
  kernel.max_threads_per_block = 256;
  kernel.static_shared = 1000;
  ASSERT_TRUE(host::set_kernel_limits(0, entry.function, kernel));
  ASSERT_EQ(host_backend::attributes_of(entry, kernel), 0);
  EXPECT_EQ(kernel.max_dynamic_shared, 48152U);
  EXPECT_EQ(launch_raw(stream, shape_of(1, 256, 48152), nothing), 0);
  expect_refused(shape_of(1, 257), HostStatus::launch_out_of_resources);
  expect_refused(shape_of(1, 256, 48153), HostStatus::invalid_value);
}

TEST_F(HostControl, DynamicSharedMemoryIsRaisedUpToTheOptInLimit) {
  DeviceLimits limits;
  ASSERT_EQ(host_backend::limits_of(0, limits), 0);
  limits.shared_per_block_optin = 232448;
  ASSERT_TRUE(host::set_limits(0, limits));
  const KernelEntry entry = entry_of(nothing);
  expect_refused(shape_of(1, 1, 100000), HostStatus::invalid_value);
  EXPECT_EQ(host_backend::raise_dynamic_shared(entry, 232449), raw(HostStatus::invalid_value));
  ASSERT_EQ(host_backend::raise_dynamic_shared(entry, 100000), 0);
  EXPECT_EQ(launch_raw(stream, shape_of(1, 1, 100000), nothing), 0);
  ASSERT_EQ(host_backend::raise_dynamic_shared(entry, 60000), 0);
  expect_refused(shape_of(1, 1, 100000), HostStatus::invalid_value);
}

TEST_F(HostControl, ResidentBlocksFollowFromTheScarcestResource) {
  const KernelEntry entry = entry_of(nothing);
  int blocks = -1;
  const auto resident = [&](std::uint32_t threads, std::uint64_t bytes) {
    EXPECT_EQ(host_backend::resident_blocks(entry, threads, bytes, blocks), 0);
    return blocks;
  };
  EXPECT_EQ(resident(1, 0), 16) << "blocks";
  EXPECT_EQ(resident(256, 0), 4) << "threads";
  EXPECT_EQ(resident(257, 0), 3) << "threads in whole warps";
  EXPECT_EQ(resident(32, 30000), 2) << "shared memory";
  EXPECT_EQ(resident(1025, 0), 0);
  EXPECT_EQ(resident(32, 49153), 0);
}

TEST_F(HostControl, CooperativeLaunchesMustBeResidentAtOnce) {
  DeviceLimits limits;
  ASSERT_EQ(host_backend::limits_of(0, limits), 0);
  limits.multiprocessors = 3;
  ASSERT_TRUE(host::set_limits(0, limits));
  LaunchShape shape = shape_of(12, 256);
  shape.cooperative = true;
  EXPECT_EQ(launch_raw(stream, shape, nothing), 0);
  shape.grid[0] = 13;
  expect_refused(shape, HostStatus::cooperative_too_large);
  limits.cooperative_launch = false;
  ASSERT_TRUE(host::set_limits(0, limits));
  expect_refused(shape, HostStatus::not_supported);
}

TEST_F(HostControl, ClustersAreJudgedByTheDevice) {
  LaunchShape shape = shape_of(32, 32);
  shape.has_cluster = true;
  shape.cluster[0] = 2;
  expect_refused(shape, HostStatus::not_supported);
  int blocks = -1;
  EXPECT_EQ(host_backend::max_cluster_blocks(entry_of(nothing), shape, blocks),
            raw(HostStatus::not_supported));
  DeviceLimits limits;
  ASSERT_EQ(host_backend::limits_of(0, limits), 0);
  limits.max_cluster_blocks = 8;
  limits.max_cluster_blocks_optin = 16;
  ASSERT_TRUE(host::set_limits(0, limits));
  EXPECT_EQ(launch_raw(stream, shape, nothing), 0);
  EXPECT_EQ(host_backend::max_cluster_blocks(entry_of(nothing), shape, blocks), 0);
  EXPECT_EQ(blocks, 8);
  shape.cluster[0] = 3;
  expect_refused(shape, HostStatus::invalid_cluster_size);
  shape.cluster[0] = 16;
  expect_refused(shape, HostStatus::invalid_cluster_size);
  shape.non_portable_cluster = true;
  EXPECT_EQ(launch_raw(stream, shape, nothing), 0);
}

TEST_F(HostControl, WhatIsNoKernelIsRefused) {
  KernelEntry entry = entry_of(nothing);
  entry.invoke = nullptr;
  KernelLimits kernel;
  void* args[] = {nullptr};
  const int invalid = raw(HostStatus::invalid_device_function);
  EXPECT_EQ(host_backend::launch(entry, shape_of(1, 1), args, stream), invalid);
  EXPECT_EQ(host_backend::attributes_of(entry, kernel), invalid);
  EXPECT_EQ(host_backend::classify(invalid), Errc::not_a_kernel);
}

// Errors.

TEST_F(HostControl, TheLastErrorStaysUntilATestTakesIt) {
  EXPECT_EQ(host_backend::peek_last_error(), 0);
  expect_refused(shape_of(0, 1), HostStatus::invalid_configuration);
  EXPECT_EQ(launch_raw(stream, shape_of(1, 1), nothing), 0);
  EXPECT_EQ(host_backend::peek_last_error(), raw(HostStatus::invalid_configuration));
  EXPECT_EQ(host_backend::peek_last_error(), raw(HostStatus::invalid_configuration));
  std::thread([] { EXPECT_EQ(host_backend::peek_last_error(), 0); }).join();
  EXPECT_EQ(host::take_last_error(), HostStatus::invalid_configuration);
  EXPECT_EQ(host_backend::peek_last_error(), 0);
  host::plant_last_error(HostStatus::illegal_address);
  EXPECT_EQ(launch_raw(stream, shape_of(1, 1), nothing), 0);
  EXPECT_EQ(host_backend::peek_last_error(), raw(HostStatus::illegal_address));
}

TEST_F(HostControl, EveryStatusHasANameATextAndAnErrc) {
  std::set<std::string> names;
  for (const host::StatusRow& row : host::status_table::rows) {
    const int status = raw(row.status);
    EXPECT_EQ(string_of(host_backend::error_name(status)).substr(0, 4), "host");
    EXPECT_FALSE(host_backend::error_text(status).empty());
    EXPECT_EQ(host_backend::classify(status) == Errc{}, status == 0);
    names.insert(string_of(host_backend::error_name(status)));
  }
  EXPECT_EQ(names.size(), std::size(host::status_table::rows)) << "no name twice";
  EXPECT_EQ(string_of(host_backend::error_name(12345)), "hostErrorUnknown");
  EXPECT_EQ(host_backend::severity_of(raw(HostStatus::illegal_address)), Severity::context_lost);
  EXPECT_EQ(host_backend::severity_of(raw(HostStatus::invalid_value)), Severity::recoverable);
}

// Injected faults.

TEST_F(HostControl, TheNthNextCallFailsAndDoesNothing) {
  unsigned runs = 0;
  host::fail_next(call_of<&host_backend::launch>, 2, HostStatus::unknown);
  EXPECT_EQ(launch_raw(stream, shape_of(1, 1), count, &runs), 0);
  EXPECT_EQ(launch_raw(stream, shape_of(1, 1), count, &runs), raw(HostStatus::unknown));
  EXPECT_EQ(launch_raw(stream, shape_of(1, 1), count, &runs), 0);
  EXPECT_EQ(synchronize(), 0);
  EXPECT_EQ(runs, 2U);
  host::fail_next(call_of<&host_backend::allocate>, 1, HostStatus::out_of_memory);
  void* memory = nullptr;
  EXPECT_EQ(host_backend::allocate(memory, 8, stream), raw(HostStatus::out_of_memory));
  EXPECT_EQ(memory, nullptr);
}

TEST_F(HostControl, AFaultInAKernelSurfacesAtTheNextSynchronise) {
  unsigned runs = 0;
  host::fault_in_kernel(1, HostStatus::unknown);
  EXPECT_EQ(launch_raw(stream, shape_of(1, 1), count, &runs), 0);
  EXPECT_EQ(synchronize(), raw(HostStatus::unknown));
  EXPECT_EQ(synchronize(), 0) << "reported once";
  EXPECT_EQ(runs, 0U);
}

TEST_F(HostControl, AFaultSurfacesAtAnyStreamOfItsDevice) {
  host::StreamHandle* other = nullptr;
  ASSERT_EQ(host_backend::stream_create(other, 0), 0);
  host::fault_in_kernel(2, HostStatus::illegal_address);
  EXPECT_EQ(launch_raw(stream, shape_of(1, 1), nothing), 0);
  EXPECT_EQ(synchronize(), 0);
  EXPECT_EQ(launch_raw(stream, shape_of(1, 1), nothing), 0);
  EXPECT_EQ(host_backend::device_synchronize(), raw(HostStatus::illegal_address));
  const int lost = raw(HostStatus::illegal_address);
  EXPECT_EQ(host_backend::stream_synchronize(other), lost);
  EXPECT_EQ(launch_raw(other, shape_of(1, 1), nothing), lost);
  void* memory = nullptr;
  EXPECT_EQ(host_backend::allocate(memory, 8, stream), lost);
  EXPECT_EQ(host_backend::stream_destroy(other), lost) << "and yet it is destroyed";
  host::reset();
  EXPECT_EQ(launch_raw(stream, shape_of(1, 1), nothing), 0);
}

TEST_F(HostControl, ALostDeviceRunsNothingMoreButGivesBackItsMemory) {
  unsigned runs = 0;
  std::size_t free_before = 0;
  std::size_t total_bytes = 0;
  EXPECT_EQ(host_backend::memory_info(free_before, total_bytes), 0);
  void* const memory = device_array<int>(4);
  host::fault_in_kernel(1, HostStatus::launch_timeout);
  EXPECT_EQ(launch_raw(stream, shape_of(1, 1), nothing), 0);
  EXPECT_EQ(host_backend::stream_query(stream) == 0, false);
  EXPECT_EQ(synchronize(), raw(HostStatus::launch_timeout));
  EXPECT_EQ(launch_raw(stream, shape_of(1, 1), count, &runs), raw(HostStatus::launch_timeout));
  EXPECT_EQ(host_backend::deallocate(memory, stream), raw(HostStatus::launch_timeout));
  host::reset();
  EXPECT_EQ(runs, 0U);
  std::size_t free_bytes = 0;
  EXPECT_EQ(host_backend::memory_info(free_bytes, total_bytes), 0);
  EXPECT_EQ(free_bytes, free_before);
}

TEST_F(HostControl, CallsAreCounted) {
  EXPECT_EQ(host::calls_made(call_of<&host_backend::launch>), 0U);
  EXPECT_EQ(launch_raw(stream, shape_of(1, 1), nothing), 0);
  EXPECT_EQ(launch_raw(stream, shape_of(0, 1), nothing), raw(HostStatus::invalid_configuration));
  EXPECT_EQ(host::calls_made(call_of<&host_backend::launch>), 2U);
  EXPECT_EQ(host_backend::peek_last_error(), raw(HostStatus::invalid_configuration));
  EXPECT_EQ(host::calls_made(call_of<&host_backend::peek_last_error>), 1U);
  host::reset();
  EXPECT_EQ(host::calls_made(call_of<&host_backend::launch>), 0U);
}

/// The host backend with one more call, which no list names.
struct AddedCall : host_backend {
  static int stream_flags(native_stream its_stream, unsigned& flags) noexcept {
    return host::call(__func__, [&](host::Runtime& runtime, auto&) {
      if (runtime.streams.find(its_stream) == nullptr) {
        return raw(HostStatus::invalid_resource_handle);
      }
      flags = 7;
      return 0;
    });
  }
};
static_assert(Backend<AddedCall>);

TEST_F(HostControl, AnAddedCallIsCountedAndFailsWithoutAnEntryInAList) {
  unsigned flags = 0;
  EXPECT_EQ(host::calls_made(call_of<&AddedCall::stream_flags>), 0U);
  EXPECT_EQ(AddedCall::stream_flags(stream, flags), 0);
  EXPECT_EQ(flags, 7U);
  host::fail_next(call_of<&AddedCall::stream_flags>, 1, HostStatus::unknown);
  flags = 0;
  EXPECT_EQ(AddedCall::stream_flags(stream, flags), raw(HostStatus::unknown));
  EXPECT_EQ(flags, 0U);
  EXPECT_EQ(host::take_last_error(), HostStatus::unknown);
  EXPECT_EQ(AddedCall::stream_flags(stream, flags), 0);
  EXPECT_EQ(host::calls_made(call_of<&AddedCall::stream_flags>), 3U);
  EXPECT_STREQ(call_of<&AddedCall::stream_flags>.name(), "stream_flags");
  EXPECT_STREQ(call_of<&AddedCall::launch>.name(), "launch");
  EXPECT_EQ(call_of<&AddedCall::launch>, call_of<&host_backend::launch>);
  host::reset();
  EXPECT_EQ(host::calls_made(call_of<&AddedCall::stream_flags>), 0U);
}

// Declared accesses.

void many_parameters(float, const int*, int*, char) {}

TEST_F(HostControl, AKernelsAccessesFollowFromItsParameters) {
  int in = 0;
  int out = 0;
  float scale = 1;
  char letter = 'a';
  const int* in_address = &in;
  int* out_address = &out;
  void* args[] = {&scale, &in_address, &out_address, &letter};
  host::GridPool pool;
  const host::KernelOperation operation(entry_of(many_parameters), shape_of(1, 1), args, pool);
  EXPECT_THAT(operation.accesses,
              ::testing::ElementsAre(
                  MemoryAccess::of(&in, MemoryAccess::whole_allocation, AccessKind::read),
                  MemoryAccess::of(&out, MemoryAccess::whole_allocation, AccessKind::write)));
}

}  // namespace
}  // namespace warpsafe::host_test
