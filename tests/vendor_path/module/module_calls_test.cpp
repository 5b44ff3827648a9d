// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The backend's calls for modules alone.
#include "../stand_in.hpp"
#include <warpsafe/module.hpp>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace vendor_test {
namespace {

namespace ws = warpsafe;
using Calls = ws::ModuleCalls<Backend>;
using KernelCalls = Calls::kernel_calls;
using testing::UnorderedElementsAre;

class ModuleCallsTest : public VendorTest {
 protected:
  void SetUp() override {
    VendorTest::SetUp();
    std::ifstream file(VENDOR_TEST_MODULE, std::ios::binary);
    image.assign(std::istreambuf_iterator<char>(file), {});
    bytes = reinterpret_cast<const unsigned char*>(image.data());
    ASSERT_EQ(Calls::module_load(module, bytes, image.size(), log, sizeof log), code::success);
    ASSERT_EQ(Calls::module_function(module, "bounded", bounded), code::success);
  }
  void TearDown() override {
    EXPECT_EQ(Calls::module_unload(module), code::success);
    VendorTest::TearDown();
  }
  /// The names, and the status.
  std::vector<std::string> names(int expected) {
    std::vector<std::string> found;
    EXPECT_EQ(Calls::module_names(module, {bytes, image.size()},
                                  [&](ws::Name name) { found.emplace_back(name.data, name.size); }),
              expected);
    return found;
  }

  std::vector<char> image;
  const unsigned char* bytes = nullptr;
  char log[64] = {};
  Calls::native_module module{};
  ws::KernelEntry bounded{};
};

TEST_F(ModuleCallsTest, ANameThatIsNotThereIsNotFound) {
  ws::KernelEntry none{};
  const int status = Calls::module_function(module, "none", none);
  EXPECT_TRUE(Calls::not_found(status));
  EXPECT_FALSE(Calls::not_found(code::success));
  EXPECT_FALSE(Calls::not_found(code::no_image));
  EXPECT_EQ(Calls::tells_parameters(), is_cuda);
}

TEST_F(ModuleCallsTest, EachNameIsVisited) {
  EXPECT_THAT(names(code::success),
              UnorderedElementsAre("scale", "bounded", "shared_sum", "_ZN3app6offsetIdEEvPT_S1_",
                                   "_ZN3app6add_toEPKfPfm"));
}

TEST_F(ModuleCallsTest, AModulesKernelHasTheOrderOfItsAxes) {
  const auto stream = make_stream();
  ws::LaunchShape shape;
  const std::uint32_t grid[3] = {2, 3, 5};
  const std::uint32_t block[3] = {4, 6, 7};
  for (int axis = 0; axis != 3; ++axis) {
    shape.grid[axis] = grid[axis];
    shape.block[axis] = block[axis];
  }
  int* out = nullptr;
  void* arguments[] = {&out};
  ASSERT_EQ(KernelCalls::launch(bounded, shape, arguments, stream.native()), code::success);
  const Launch launch = last_launch();
  EXPECT_EQ(std::vector({launch.grid.x, launch.grid.y, launch.grid.z}), std::vector({2U, 3U, 5U}));
  EXPECT_EQ(std::vector({launch.block.x, launch.block.y, launch.block.z}),
            std::vector({4U, 6U, 7U}));
}

#if defined(WARPSAFE_BACKEND_CUDA)
TEST_F(ModuleCallsTest, NamesThatCannotBeReadAreAnError) {
  fail("LibraryGetKernelCount", 1, code::unknown);
  EXPECT_TRUE(names(code::unknown).empty());
  fail("LibraryEnumerateKernels", 1, code::unknown);
  EXPECT_TRUE(names(code::unknown).empty());
  fail("FuncGetName", 3, code::unknown);
  EXPECT_EQ(names(code::unknown).size(), 2U);
}

TEST_F(ModuleCallsTest, OnlyPtxIsCompiledAndHasMessages) {
  const auto options = [&](const unsigned char* code_image, std::size_t size) {
    Calls::native_module loaded{};
    static_cast<void>(Calls::module_load(loaded, code_image, size, log, sizeof log));
    const std::string arguments = recorded_calls().back().arguments;
    if (loaded != nullptr) EXPECT_EQ(Calls::module_unload(loaded), code::success);
    return arguments.substr(arguments.rfind(' ') + 1);
  };
  EXPECT_EQ(options(bytes, image.size()), "0");
  const std::string ptx = "//\n.version 8.0\n.target sm_75\n.address_size 64\n";
  EXPECT_EQ(options(reinterpret_cast<const unsigned char*>(ptx.c_str()), ptx.size() + 1), "2");
}
#else
TEST_F(ModuleCallsTest, AModulesKernelHasTheRuntimesAttributes) {
  ws::KernelLimits limits;
  ASSERT_EQ(KernelCalls::attributes_of(bounded, limits), code::success);
  const auto attribute = [&](hipFunction_attribute which) {
    int value = -1;
    EXPECT_EQ(hipFuncGetAttribute(&value, which, KernelCalls::native(bounded)), hipSuccess);
    return static_cast<std::uint64_t>(value < 0 ? 0 : value);
  };
  EXPECT_EQ(limits.max_threads_per_block, attribute(HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
  EXPECT_EQ(limits.registers, attribute(HIP_FUNC_ATTRIBUTE_NUM_REGS));
  EXPECT_EQ(limits.static_shared, attribute(HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
  EXPECT_EQ(limits.max_dynamic_shared, attribute(HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES));
  EXPECT_EQ(limits.local_bytes, attribute(HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
  EXPECT_EQ(limits.constant_bytes, attribute(HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES));
  EXPECT_EQ(limits.binary_version, attribute(HIP_FUNC_ATTRIBUTE_BINARY_VERSION));
  EXPECT_EQ(limits.ptx_version, attribute(HIP_FUNC_ATTRIBUTE_PTX_VERSION));
  EXPECT_NE(limits.registers, 0U);
  EXPECT_NE(limits.max_dynamic_shared, 0U);
  fail("FuncGetAttribute", 2, code::unknown);
  EXPECT_EQ(KernelCalls::attributes_of(bounded, limits), code::unknown);
}

TEST_F(ModuleCallsTest, WhatTheRuntimeHasNotForAModulesKernelIsNotSupported) {
  const auto stream = make_stream();
  const auto launch = [&](const auto& change) {
    ws::LaunchShape shape;
    for (int axis = 0; axis != 3; ++axis) shape.grid[axis] = shape.block[axis] = 1;
    change(shape);
    int* out = nullptr;
    void* arguments[] = {&out};
    return KernelCalls::launch(bounded, shape, arguments, stream.native());
  };
  EXPECT_EQ(launch([](ws::LaunchShape& s) { s.has_priority = true; }), code::not_supported);
  EXPECT_EQ(launch([](ws::LaunchShape& s) { s.has_cluster = true; }), code::not_supported);
  EXPECT_EQ(launch([](ws::LaunchShape& s) { s.programmatic = true; }), code::not_supported);
  EXPECT_EQ(launch([](ws::LaunchShape& s) {
              s.cooperative = true;
              s.grid[0] = 1U << 31U;
              s.block[0] = 2;
            }),
            code::cooperative_too_large);
  EXPECT_TRUE(launches().empty());
  int blocks = 7;
  EXPECT_EQ(KernelCalls::max_cluster_blocks(bounded, {}, blocks), code::not_supported);
  EXPECT_EQ(blocks, 0);
  EXPECT_EQ(KernelCalls::raise_dynamic_shared(bounded, 70'000), code::success)
      << "no opt-in needed";
  std::size_t offset = 0;
  std::size_t size = 0;
  EXPECT_EQ(Calls::kernel_parameter(bounded, 0, offset, size), code::not_supported);
}
#endif

}  // namespace
}  // namespace vendor_test
