// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The backend's members, one by one: each returns the status of the runtime's function.

#include "../stand_in.hpp"
#include <warpsafe/module.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace vendor_test {
namespace {

namespace ws = warpsafe;

static_assert(ws::Backend<ws::default_backend>);

void runtime_calls_kernel() {}

/// A member of the backend, with arguments, and the runtime's function behind it.
struct RuntimeCall {
  const char* function;
  std::function<int()> call;
};

class RuntimeCalls : public VendorTest {
 protected:
  using Calls = std::vector<RuntimeCall>;

  [[nodiscard]] Calls of_devices_and_streams() {
    return {
        {"GetDeviceCount", [&] { return Backend::device_count(number); }},
        {"GetDevice", [&] { return Backend::current_device(number); }},
        {"SetDevice", [] { return Backend::set_device(1); }},
        {"DeviceSynchronize", [] { return Backend::device_synchronize(); }},
        {"MemGetInfo", [&] { return Backend::memory_info(bytes, more_bytes); }},
        {"DriverGetVersion", [&] { return Backend::versions(number, other_number); }},
        {"RuntimeGetVersion", [&] { return Backend::versions(number, other_number); }},
        {"GetSymbolAddress", [&] { return Backend::symbol_address(memory, &number); }},
        {"DeviceGetAttribute", [&] { return Backend::limits_of(0, limits); }},
        {"DeviceGetAttribute", [&] { return Backend::has_memory_pools(0, answer); }},
        {"StreamCreateWithPriority", [&] { return Backend::stream_create(stream, 0); }},
        {"StreamDestroy", [&] { return Backend::stream_destroy(stream); }},
        {"StreamSynchronize", [&] { return Backend::stream_synchronize(stream); }},
        {"StreamQuery", [&] { return Backend::stream_query(stream); }},
        {"StreamIsCapturing", [&] { return Backend::stream_capturing(stream, answer); }},
        {"StreamWaitEvent", [&] { return Backend::stream_wait(stream, event); }},
        {"EventCreateWithFlags", [&] { return Backend::event_create(event, true); }},
        {"EventDestroy", [&] { return Backend::event_destroy(event); }},
        {"EventRecord", [&] { return Backend::event_record(event, stream); }},
        {"EventSynchronize", [&] { return Backend::event_synchronize(event); }},
        {"EventQuery", [&] { return Backend::event_query(event); }},
        {"EventElapsedTime", [&] { return Backend::event_elapsed(time, event, event); }},
    };
  }
  [[nodiscard]] Calls of_memory() {
    constexpr auto kind = ws::CopyKind::host_to_device;
    return {
        {"MallocAsync", [&] { return Backend::allocate(memory, 8, stream); }},
        {"FreeAsync", [&] { return Backend::deallocate(memory, stream); }},
        {is_cuda ? "MallocHost" : "HostMalloc", [&] { return Backend::host_allocate(memory, 8); }},
        {is_cuda ? "FreeHost" : "HostFree", [&] { return Backend::host_deallocate(memory); }},
        {"Malloc", [&] { return Backend::allocate_unordered(memory, 8); }},
        {"MallocManaged", [&] { return Backend::allocate_managed(memory, 8); }},
        {"Free", [&] { return Backend::deallocate_unordered(memory); }},
        {"MemcpyAsync", [&] { return Backend::copy(memory, memory, 8, kind, stream); }},
        {"Memcpy2DAsync",
         [&] { return Backend::copy_2d(memory, 8, memory, 8, 4, 2, kind, stream); }},
        {"MemsetAsync", [&] { return Backend::fill(memory, 1, 8, stream); }},
        {is_cuda ? "MemcpyPeerAsync" : "MemcpyAsync",
         [&] { return Backend::copy_peer(memory, 0, memory, 1, 8, stream); }},
        {"PointerGetAttributes",
         [&] { return Backend::pointer_kind(memory, memory_kind, number); }},
        {is_cuda ? "PointerGetAttributes" : "DeviceCanAccessPeer",
         [&] { return Backend::can_access(0, memory, 1, answer); }},
    };
  }
  [[nodiscard]] Calls of_kernels_and_graphs() {
    return {
        {"FuncGetAttributes", [&] { return Backend::attributes_of(entry, of_kernel); }},
        {"FuncSetAttribute", [&] { return Backend::raise_dynamic_shared(entry, 8); }},
        {"OccupancyMaxActiveBlocksPerMultiprocessor",
         [&] { return Backend::resident_blocks(entry, 32, 8, number); }},
        {"LaunchKernel", [&] { return Backend::launch(entry, shape, nullptr, stream); }},
        {"ThreadExchangeStreamCaptureMode", [&] { return Backend::exchange_capture_mode(number); }},
        {"StreamBeginCapture",
         [&] { return Backend::capture_begin(stream, ws::CaptureMode::relaxed); }},
        {"StreamEndCapture", [&] { return Backend::capture_end(stream, graph); }},
        {is_cuda ? "StreamGetCaptureInfo" : "StreamGetCaptureInfo_v2",
         [&] { return Backend::capture_info(stream, capture); }},
        {"GraphGetNodes", [&] { return Backend::graph_nodes(graph, bytes); }},
        {is_cuda ? "GraphInstantiate" : "GraphInstantiateWithFlags",
         [&] { return Backend::graph_instantiate(exec, graph); }},
        {"GraphLaunch", [&] { return Backend::graph_launch(exec, stream); }},
        {"GraphExecUpdate", [&] { return Backend::graph_update(exec, graph, change); }},
        {"GraphExecDestroy", [&] { return Backend::graph_exec_destroy(exec); }},
        {"GraphDestroy", [&] { return Backend::graph_destroy(graph); }},
    };
  }
  static void expect_status_of_the_runtime(const Calls& calls) {
    for (const RuntimeCall& one : calls) {
      const std::uint64_t before = count(one.function);
      fail(one.function, 1, code::unknown);
      EXPECT_EQ(one.call(), code::unknown) << one.function;
      EXPECT_GT(count(one.function), before) << one.function;
    }
  }

  int number = 0, other_number = 0;
  std::size_t bytes = 0, more_bytes = 0;
  bool answer = false;
  float time = 0;
  void* memory = nullptr;
  Backend::native_stream stream = nullptr;
  Backend::native_event event = nullptr;
  Backend::native_graph graph = nullptr;
  Backend::native_graph_exec exec = nullptr;
  ws::DeviceLimits limits;
  ws::KernelLimits of_kernel;
  ws::MemoryKind memory_kind{};
  ws::CaptureInfo capture{};
  ws::GraphChange change{};
  ws::LaunchShape shape;
  const ws::KernelEntry entry{reinterpret_cast<const void*>(&runtime_calls_kernel), nullptr,
                              nullptr, 0};
};

TEST_F(RuntimeCalls, OfDevicesAndStreamsReturnTheRuntimesStatus) {
  expect_status_of_the_runtime(of_devices_and_streams());
}
TEST_F(RuntimeCalls, OfMemoryReturnTheRuntimesStatus) { expect_status_of_the_runtime(of_memory()); }
TEST_F(RuntimeCalls, OfKernelsAndGraphsReturnTheRuntimesStatus) {
  expect_status_of_the_runtime(of_kernels_and_graphs());
  if (is_cuda) {
    EXPECT_EQ(change, ws::GraphChange::unknown) << "of an update that fails for another reason";
  }
}

TEST_F(RuntimeCalls, AFailedQuestionAnswersNo) {
  answer = true;
  fail("DeviceGetAttribute", 1, code::unknown);
  EXPECT_EQ(Backend::has_memory_pools(0, answer), code::unknown);
  EXPECT_FALSE(answer);
}

TEST_F(RuntimeCalls, TheDirectionOfACopyIsPassed) {
  ASSERT_EQ(Backend::allocate_unordered(memory, 8), code::success);
  char host[8] = "1234567";
  char other[8] = {};
  const auto copied = [&](void* to, const void* from, ws::CopyKind kind) {
    return Backend::copy(to, from, 8, kind, nullptr);
  };
  EXPECT_EQ(copied(memory, host, ws::CopyKind::host_to_device), code::success);
  EXPECT_EQ(copied(other, memory, ws::CopyKind::device_to_host), code::success);
  EXPECT_STREQ(other, "1234567");
  if (is_cuda) {  // which refuses a direction that its memory does not have
    EXPECT_NE(copied(memory, host, ws::CopyKind::device_to_host), code::success);
    EXPECT_NE(copied(other, memory, ws::CopyKind::host_to_device), code::success);
  }
  EXPECT_EQ(Backend::deallocate_unordered(memory), code::success);
}

TEST_F(RuntimeCalls, ADeviceThatDoesNotExistHasNoName) {
  EXPECT_FALSE(Backend::device_name(0).empty());
  for (const int device : {-1, device_count, device_count + 1, 1000}) {
    EXPECT_TRUE(Backend::device_name(device).empty()) << device;
  }
}

TEST_F(RuntimeCalls, AShapeWithoutOptionsIsAPlainLaunch) {
  for (int axis = 0; axis < 3; ++axis) {
    shape.grid[axis] = static_cast<std::uint32_t>(axis + 2);
    shape.block[axis] = static_cast<std::uint32_t>(axis + 5);
  }
  shape.dynamic_shared = 48;
  static_cast<void>(Backend::launch(entry, shape, nullptr, nullptr));
  const Launch launch = last_launch();
  EXPECT_EQ(launch.function, prefix + "LaunchKernel");
  EXPECT_EQ(launch.grid.x, 2U);
  EXPECT_EQ(launch.grid.y, 3U);
  EXPECT_EQ(launch.grid.z, 4U);
  EXPECT_EQ(launch.block.x, 5U);
  EXPECT_EQ(launch.block.y, 6U);
  EXPECT_EQ(launch.block.z, 7U);
  EXPECT_EQ(launch.dynamic_shared_bytes, 48U);
}

TEST_F(RuntimeCalls, ACooperativeShapeIsACooperativeLaunch) {
  for (int axis = 0; axis < 3; ++axis) {
    shape.grid[axis] = static_cast<std::uint32_t>(axis + 2);
    shape.block[axis] = static_cast<std::uint32_t>(axis + 5);
  }
  shape.cooperative = true;
  static_cast<void>(Backend::launch(entry, shape, nullptr, nullptr));
  const Launch launch = last_launch();
  EXPECT_EQ(launch.cooperative, 1);
  EXPECT_EQ(launch.grid.x, 2U);
  EXPECT_EQ(launch.grid.y, 3U);
  EXPECT_EQ(launch.grid.z, 4U);
  EXPECT_EQ(launch.block.x, 5U);
  EXPECT_EQ(launch.block.y, 6U);
  EXPECT_EQ(launch.block.z, 7U);
}

}  // namespace
}  // namespace vendor_test
