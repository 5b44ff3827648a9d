// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Calls of the backend that need several calls of the runtime: captures and modules.

#include "../stand_in.hpp"
#include <warpsafe/module.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

namespace vendor_test {
namespace {

namespace ws = warpsafe;
using testing::ElementsAre;
using testing::IsEmpty;

void runtime_parts_kernel() {}

class RuntimeParts : public VendorTest {
 protected:
  using Modules = ws::ModuleCalls<Backend>;

  [[nodiscard]] static std::vector<unsigned char> image() {
    std::ifstream file(VENDOR_TEST_MODULE, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] static std::uint64_t tail_of(const ws::Stream& stream) {
    ws::CaptureInfo info{};
    EXPECT_EQ(Backend::capture_info(stream.native(), info), code::success);
    EXPECT_EQ(info.state, ws::CaptureState::active);
    return info.tail;
  }
  const ws::KernelEntry entry{reinterpret_cast<const void*>(&runtime_parts_kernel), nullptr,
                              nullptr, 0};
};

TEST_F(RuntimeParts, ATailIsThatOfAllNodesThatTheNextOneWaitsFor) {
  const ws::Stream one = make_stream();
  const ws::Stream two = make_stream();
  void* memory = nullptr;
  ASSERT_EQ(Backend::allocate_unordered(memory, 8), code::success);
  Backend::native_event event = nullptr;
  ASSERT_EQ(Backend::event_create(event, false), code::success);
  ASSERT_EQ(Backend::capture_begin(one.native(), ws::CaptureMode::relaxed), code::success);
  // No node is a set of nodes too, but HIP does not report it.
  EXPECT_EQ(tail_of(one) == 0, !is_cuda);
  const auto fork = [&](const ws::Stream& from, const ws::Stream& to) {
    EXPECT_EQ(Backend::event_record(event, from.native()), code::success);
    EXPECT_EQ(Backend::stream_wait(to.native(), event), code::success);
  };
  EXPECT_EQ(Backend::fill(memory, 1, 8, one.native()), code::success);
  fork(one, two);
  EXPECT_EQ(tail_of(one), tail_of(two));
  EXPECT_EQ(Backend::fill(memory, 1, 8, one.native()), code::success);
  EXPECT_EQ(Backend::fill(memory, 1, 8, two.native()), code::success);
  const std::uint64_t of_one = tail_of(one);
  const std::uint64_t of_two = tail_of(two);
  EXPECT_NE(of_one, of_two);
  fork(two, one);
  EXPECT_EQ(tail_of(one), of_one + of_two) << "both nodes, in any order";
  // AMD's release 5.2 takes the joined stream for one that was not joined.
  Backend::native_graph graph = nullptr;
  const int ended = Backend::capture_end(one.native(), graph);
  if (ended == code::success) {
    EXPECT_EQ(Backend::graph_destroy(graph), code::success);
  } else {
    EXPECT_FALSE(is_cuda) << ended;
  }
  EXPECT_EQ(Backend::event_destroy(event), code::success);
  EXPECT_EQ(Backend::deallocate_unordered(memory), code::success);
}

TEST_F(RuntimeParts, AModuleThatLacksAKernelIsToldFromOtherFailures) {
#if defined(WARPSAFE_BACKEND_CUDA)
  EXPECT_TRUE(Modules::not_found(cudaErrorSymbolNotFound));
#else
  EXPECT_TRUE(Modules::not_found(hipErrorNotFound));
#endif
  EXPECT_FALSE(Modules::not_found(code::success));
  EXPECT_FALSE(Modules::not_found(code::invalid_value));
}

TEST_F(RuntimeParts, ThreeAxesOfALaunchFromAModuleReachTheRuntime) {
  const auto bytes = image();
  Modules::native_module module = nullptr;
  ASSERT_EQ(Modules::module_load(module, bytes.data(), bytes.size(), nullptr, 0), code::success);
  ws::KernelEntry kernel{};
  ASSERT_EQ(Modules::module_function(module, "bounded", kernel), code::success);
  ws::LaunchShape shape;
  for (int axis = 0; axis < 3; ++axis) {
    shape.grid[axis] = static_cast<std::uint32_t>(axis + 2);
    shape.block[axis] = static_cast<std::uint32_t>(axis + 4);
  }
  shape.dynamic_shared = 16;
  int* out = nullptr;
  void* arguments[] = {&out};
  EXPECT_EQ(Modules::kernel_calls::launch(kernel, shape, arguments, nullptr), code::success);
  const Launch launch = last_launch();
  EXPECT_EQ(launch.grid.x, 2U);
  EXPECT_EQ(launch.grid.y, 3U);
  EXPECT_EQ(launch.grid.z, 4U);
  EXPECT_EQ(launch.block.x, 4U);
  EXPECT_EQ(launch.block.y, 5U);
  EXPECT_EQ(launch.block.z, 6U);
  EXPECT_EQ(launch.dynamic_shared_bytes, 16U);
  EXPECT_EQ(Modules::module_unload(module), code::success);
}

#if defined(WARPSAFE_BACKEND_CUDA)
TEST_F(RuntimeParts, AFailedListOfNamesReturnsTheStatus) {
  const auto bytes = image();
  Modules::native_module module = nullptr;
  ASSERT_EQ(Modules::module_load(module, bytes.data(), bytes.size(), nullptr, 0), code::success);
  int visited = 0;
  const auto names = [&] {
    visited = 0;
    return Modules::module_names(module, [&](ws::Name) { ++visited; });
  };
  EXPECT_EQ(names(), code::success);
  EXPECT_EQ(visited, 5);
  for (const char* const function :
       {"LibraryGetKernelCount", "LibraryEnumerateKernels", "FuncGetName"}) {
    fail(function, 1, code::unknown);
    EXPECT_EQ(names(), code::unknown) << function;
    EXPECT_EQ(visited, 0) << function;
  }
  fail("FuncGetName", 3, code::unknown);
  EXPECT_EQ(names(), code::unknown);
  EXPECT_EQ(visited, 2);
  EXPECT_EQ(Modules::module_unload(module), code::success);
}

TEST_F(RuntimeParts, WaitsHaveNoFlags) {
  Backend::native_event event = nullptr;
  static_cast<void>(Backend::stream_wait(nullptr, event));
  const auto all = recorded_calls();
  ASSERT_FALSE(all.empty());
  const std::string arguments = all.back().arguments;
  EXPECT_EQ(arguments.substr(arguments.rfind(' ')), " 0") << all.back().function << arguments;
}

TEST_F(RuntimeParts, ALargeClusterIsAllowedForTheKernelFirst) {
  const StandInCudaKernelInfo info{0, 0, 0, 16, 256, 0, 0, 0};
  stand_in_cuda_declare_kernel(entry.function, "runtime_parts_kernel", nullptr, 0, &info);
  ws::LaunchShape shape;
  for (int axis = 0; axis < 3; ++axis) shape.grid[axis] = shape.block[axis] = 16;
  shape.block[2] = 1;
  shape.has_cluster = shape.non_portable_cluster = true;
  shape.cluster[0] = 16;
  int blocks = 0;
  const auto launch = [&] { return Backend::launch(entry, shape, nullptr, nullptr); };
  const auto ask = [&] { return Backend::max_cluster_blocks(entry, shape, blocks); };
  for (const auto& call : {std::function<int()>(launch), std::function<int()>(ask)}) {
    const std::size_t before = recorded_calls().size();
    static_cast<void>(call());
    const auto all = recorded_calls();
    ASSERT_EQ(all.size(), before + 2);
    EXPECT_STREQ(all[before].function, "cudaFuncSetAttribute");
    const std::string set = all[before].arguments;
    EXPECT_EQ(set.substr(set.rfind(' ')), " 1") << set;
    fail("FuncSetAttribute", 1, code::unknown);
    EXPECT_THAT(calls_of([&] { EXPECT_EQ(call(), code::unknown); }),
                ElementsAre("FuncSetAttribute"));
  }
  for (std::uint32_t axis = 0; axis < 3; ++axis) {
    shape.grid[axis] = 16 + axis;
    shape.block[axis] = 3 + axis;
  }
  static_cast<void>(ask());
  EXPECT_THAT(recorded_calls().back().arguments, testing::HasSubstr("(16,17,18) (3,4,5)"));
  EXPECT_GT(blocks, 0);
  shape.dynamic_shared = std::uint64_t{1} << 20U;
  EXPECT_EQ(ask(), code::success);
  EXPECT_EQ(blocks, 0) << "no multiprocessor has as much";
  shape.dynamic_shared = 0;
  for (int axis = 0; axis < 3; ++axis) shape.grid[axis] = shape.block[axis] = 16;
  shape.block[2] = 1;
  shape.non_portable_cluster = false;
  EXPECT_THAT(calls_of([&] { static_cast<void>(launch()); }), ElementsAre("LaunchKernelExC"));
}

#else
TEST_F(RuntimeParts, AModulesKernelHasItsAttributesAndNoOptions) {
  const auto bytes = image();
  Modules::native_module module = nullptr;
  ASSERT_EQ(Modules::module_load(module, bytes.data(), bytes.size(), nullptr, 0), code::success);
  ws::KernelEntry kernel{};
  ASSERT_EQ(Modules::module_function(module, "bounded", kernel), code::success);
  using Calls = Modules::kernel_calls;
  const auto value = [&](hipFunction_attribute attribute) {
    int answer = 0;
    EXPECT_EQ(hipFuncGetAttribute(&answer, attribute, Calls::native(kernel)), hipSuccess);
    return static_cast<std::uint64_t>(answer > 0 ? answer : 0);
  };
  ws::KernelLimits limits{true, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99};
  ASSERT_EQ(Calls::attributes_of(kernel, limits), code::success);
  EXPECT_EQ(limits.max_threads_per_block, 256U);
  EXPECT_EQ(limits.registers, value(HIP_FUNC_ATTRIBUTE_NUM_REGS));
  EXPECT_EQ(limits.static_shared, value(HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
  EXPECT_EQ(limits.max_dynamic_shared, value(HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES));
  EXPECT_EQ(limits.local_bytes, value(HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
  EXPECT_EQ(limits.constant_bytes, value(HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES));
  EXPECT_EQ(limits.binary_version, value(HIP_FUNC_ATTRIBUTE_BINARY_VERSION));
  EXPECT_EQ(limits.ptx_version, value(HIP_FUNC_ATTRIBUTE_PTX_VERSION));
  for (const unsigned k : {1U, 2U, 8U}) {
    fail("FuncGetAttribute", k, code::unknown);
    EXPECT_EQ(Calls::attributes_of(kernel, limits), code::unknown) << k;
  }
  for (bool ws::LaunchShape::*const option :
       {&ws::LaunchShape::has_priority, &ws::LaunchShape::has_cluster,
        &ws::LaunchShape::programmatic}) {
    ws::LaunchShape shape;
    shape.*option = true;
    for (int axis = 0; axis < 3; ++axis) shape.grid[axis] = shape.block[axis] = 1;
    EXPECT_THAT(calls_of([&] {
                  EXPECT_EQ(Calls::launch(kernel, shape, nullptr, nullptr), code::not_supported);
                }),
                IsEmpty());
  }
  ws::LaunchShape huge;
  huge.cooperative = true;
  for (int axis = 0; axis < 3; ++axis) huge.grid[axis] = huge.block[axis] = 65536;
  EXPECT_EQ(Calls::launch(kernel, huge, nullptr, nullptr), code::cooperative_too_large);
  int blocks = 5;
  EXPECT_EQ(Calls::max_cluster_blocks(kernel, huge, blocks), code::not_supported);
  EXPECT_EQ(blocks, 0);
  EXPECT_THAT(calls_of([&] { EXPECT_EQ(Calls::raise_dynamic_shared(kernel, 9), 0); }), IsEmpty());
  std::size_t offset = 0;
  std::size_t size = 0;
  EXPECT_FALSE(Modules::tells_parameters());
  EXPECT_EQ(Modules::kernel_parameter(kernel, 0, offset, size), code::not_supported);
  EXPECT_EQ(Modules::module_unload(module), code::success);
}
#endif

}  // namespace
}  // namespace vendor_test
