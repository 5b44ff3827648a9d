// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "core/launch/launch_pointers.hpp"

#include "core/failure/likely_cause.hpp"
#include "core/kernel/named_parameters.hpp"
#include "core/launch/argument_log.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using namespace warpsafe::watch;
using warpsafe::AccessKind;
using warpsafe::MemoryAccess;

void* key(std::uintptr_t number) { return reinterpret_cast<void*>(number); }

/// A block of parameters: a float, a pointer to memory that is read, a pointer to memory that is
/// written, an int.
struct LaunchPointers : testing::Test {
  std::uint64_t block[4] = {0x3f800000, 0x7f0000001000, 0x7f0000002000, 7};
  std::size_t bytes = 28;
  Kernel kernel;

  [[nodiscard]] std::vector<std::uintptr_t> touched(const LaunchParameters& values,
                                                    AccessKind kind) const {
    std::vector<MemoryAccess> accesses;
    add_pointers(kernel, values, accesses);
    std::vector<std::uintptr_t> all;
    for (const MemoryAccess& one : accesses) {
      EXPECT_EQ(one.kind, kind);
      all.push_back(one.begin);
    }
    return all;
  }
  /// The parameters as a program passes them. The vendors end the list with 0 and with 3.
  [[nodiscard]] std::vector<std::uintptr_t> in_block(std::uintptr_t end, AccessKind kind) {
    void* extra[] = {key(1), block, key(2), &bytes, key(end)};
    return touched({nullptr, extra}, kind);
  }
};

TEST_F(LaunchPointers, OfAProgramsKernelIsWhatItWrites) {
  kernel.parameters = named_parameters("_ZN4demo4axpyEfPKfPfi");
  kernel.written = 2;
  for (const std::uintptr_t end : {0U, 3U}) {
    EXPECT_EQ(in_block(end, AccessKind::write), (std::vector<std::uintptr_t>{0x7f0000002000}));
  }
  void* each[] = {&block[0], &block[1], &block[2], &block[3]};
  EXPECT_EQ(touched({each, nullptr}, AccessKind::write),
            (std::vector<std::uintptr_t>{0x7f0000002000}));
}

TEST_F(LaunchPointers, OfALibrarysAreAllThatItIsGiven) {
  kernel.library = "librocblas";
  kernel.parameters = named_parameters("_ZN4demo4axpyEfPKfPfi");
  EXPECT_EQ(in_block(3, AccessKind::read),
            (std::vector<std::uintptr_t>{0x7f0000001000, 0x7f0000002000}));
}

TEST_F(LaunchPointers, OfAGeneratorOfRandomNumbersAreWritten) {
  kernel.parameters = named_parameters("_ZN4demo4axpyEfPKfPfi");
  for (const char* const library : {"libcurand", "libhiprand", "librocrand"}) {
    kernel.library = library;
    EXPECT_EQ(in_block(3, AccessKind::write),
              (std::vector<std::uintptr_t>{0x7f0000001000, 0x7f0000002000}));
  }
}

TEST_F(LaunchPointers, OfALibrarysKernelThatTellsNoneAreTheWordsOfTheBlock) {
  kernel.library = "librocblas";
  EXPECT_EQ(in_block(3, AccessKind::read),
            (std::vector<std::uintptr_t>{0x3f800000, 0x7f0000001000, 0x7f0000002000}));
  void* each[] = {&block[0]};
  EXPECT_TRUE(touched({each, nullptr}, AccessKind::read).empty());
}

TEST_F(LaunchPointers, BehindAStructureAreReadOneByOneAlone) {
  kernel.library = "librocblas";
  kernel.parameters = named_parameters("_Z3run6ParamsPKf");
  void* each[] = {&block[0], &block[1]};
  EXPECT_EQ(touched({each, nullptr}, AccessKind::read),
            (std::vector<std::uintptr_t>{0x7f0000001000}));
  EXPECT_TRUE(in_block(3, AccessKind::read).empty());
}

TEST_F(LaunchPointers, OutsideOfTheBlockAreNotRead) {
  kernel.parameters = named_parameters("_ZN4demo4axpyEfPKfPfi");
  kernel.written = 2;
  bytes = 20;
  EXPECT_TRUE(in_block(3, AccessKind::write).empty());
  EXPECT_TRUE(touched({}, AccessKind::write).empty());
}

// What is known of a kernel may belong to another one, whose handle or name it has.
TEST_F(LaunchPointers, ThatCannotBeReadAreLeftOut) {
  kernel.library = "libcublas";
  kernel.parameters = {{0, 8}, {8, 8}, {16, 8}};
  void* each[] = {&block[1], key(0x1230), &block[2]};
  EXPECT_EQ(touched({each, nullptr}, AccessKind::read),
            (std::vector<std::uintptr_t>{0x7f0000001000}));
  EXPECT_TRUE(touched({static_cast<void**>(key(0x1230)), nullptr}, AccessKind::read).empty());
  EXPECT_TRUE(touched({nullptr, static_cast<void**>(key(0x1230))}, AccessKind::read).empty());
  void* extra[] = {key(1), key(0x1230), key(2), &bytes, nullptr};
  EXPECT_TRUE(touched({nullptr, extra}, AccessKind::read).empty());
  void* no_size[] = {key(1), block, key(2), key(0x1230), nullptr};
  EXPECT_TRUE(touched({nullptr, no_size}, AccessKind::read).empty());
  bytes = ~std::size_t{0};
  kernel.parameters.clear();
  EXPECT_TRUE(in_block(0, AccessKind::read).empty());
}

/// The addresses that used_pointers calls certain.
std::vector<std::uintptr_t> certain(const Kernel& kernel, const LaunchParameters& values) {
  std::vector<std::uintptr_t> all;
  for (const UsedPointer& one : used_pointers(kernel, values)) {
    if (one.is_certain) all.push_back(one.address);
  }
  return all;
}

TEST_F(LaunchPointers, AreCertainWhereTheProgramHasSetThem) {
  // A structure, behind which there is a pointer: the structure may have unset parts.
  kernel.parameters = {{0, 24}, {24, 8}};
  std::uint64_t structure[3] = {0x7f0000001000, 0x7f0000002000, 0x7f0000003000};
  std::uint64_t pointer = 0x7f0000004000;
  void* each[] = {structure, &pointer};
  const LaunchParameters values{each, nullptr};
  kernel.types = {"Params", "float*"};
  EXPECT_EQ(certain(kernel, values), (std::vector<std::uintptr_t>{0x7f0000004000}));
  kernel.types = {"at::detail::Array<char*, 3>", "unsigned long"};
  EXPECT_EQ(certain(kernel, values),
            (std::vector<std::uintptr_t>{0x7f0000001000, 0x7f0000002000, 0x7f0000003000}));
  kernel.types = {"std::array<char*, 4ul>", "float const*"};  // the sizes differ
  EXPECT_EQ(certain(kernel, values), (std::vector<std::uintptr_t>{0x7f0000004000}));
  kernel.types.clear();  // C linkage
  EXPECT_EQ(certain(kernel, values), (std::vector<std::uintptr_t>{0x7f0000001000, 0x7f0000004000}));
  structure[0] = 0;
  EXPECT_EQ(certain(kernel, values), (std::vector<std::uintptr_t>{0x7f0000004000}));
  kernel.parameters.clear();
  EXPECT_TRUE(certain(kernel, values).empty());
}

TEST_F(LaunchPointers, OfALibrarysStructuresAreKeptAsWords) {
  kernel.parameters = {{0, 24}, {24, 8}};
  kernel.types = {"Params", "float*"};
  std::uint64_t structure[3] = {0x7f0000001000, 5, 0x7f0000003000};
  std::uint64_t pointer = 0;
  void* each[] = {structure, &pointer};
  const auto kept = [&] { return ArgumentLog::pointers_of(kernel, {each, nullptr}); };
  ASSERT_EQ(kept().size(), 1U);
  EXPECT_EQ(kept()[0].text(), "argument 2 (float*)");
  EXPECT_FALSE(kept()[0].of_library);
  kernel.library = "libcublas";
  ASSERT_EQ(kept().size(), 4U);
  EXPECT_EQ(kept()[2].text(), "a word of argument 1");
  EXPECT_EQ(kept()[2].address, 0x7f0000003000U);
  EXPECT_TRUE(kept()[3].of_library);
  EXPECT_FALSE(kept()[3].in_structure);
}

TEST(LeftOver, AreAddressesOfTheStackAndOfObjects) {
  static const int in_object = 0;
  const std::vector<int> on_heap(64);
  const auto is = [](const void* at) {
    return detail::is_left_over(reinterpret_cast<std::uintptr_t>(at));
  };
  EXPECT_TRUE(is(&in_object));
  // AddressSanitizer keeps variables elsewhere.
  EXPECT_TRUE(is(__builtin_frame_address(0)));
  EXPECT_FALSE(is(on_heap.data()));
}

TEST(ElementBytes, OfNumbersAndVectors) {
  EXPECT_EQ(element_bytes("double"), 8U);
  EXPECT_EQ(element_bytes("float2"), 8U);
  EXPECT_EQ(element_bytes("float3"), 12U);
  EXPECT_EQ(element_bytes("uchar4"), 4U);
  EXPECT_EQ(element_bytes("double4"), 32U);
  EXPECT_EQ(element_bytes("Vec3"), 0U);
  EXPECT_EQ(element_bytes(""), 0U);
}

TEST(PointersInArray, AreThoseOfAnArrayAlone) {
  EXPECT_EQ(pointers_in_array("std::array<char*, 3ul>"), 3U);
  EXPECT_EQ(pointers_in_array("at::detail::Array<float const*, 2>"), 2U);
  EXPECT_EQ(pointers_in_array("std::array<char**, 3ul>"), 0U);
  EXPECT_EQ(pointers_in_array("std::array<char, 3ul>"), 0U);
  EXPECT_EQ(pointers_in_array("std::array<char*, n>"), 0U);
  EXPECT_EQ(pointers_in_array("Pair<char*, 3>"), 0U);
  EXPECT_EQ(pointers_in_array("array<Fn<int (*)(char*, 3)>, 3>"), 0U);
  EXPECT_EQ(pointers_in_array("float*"), 0U);
  EXPECT_EQ(pointers_in_array(""), 0U);
}

}  // namespace
