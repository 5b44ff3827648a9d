// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "faults/core_dump.hpp"

#include "make_core_dump.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>

namespace {

using core_dump::Parts;
using testing::HasSubstr;
using warpsafe::watch::CoreDump;
using warpsafe::watch::FaultSite;

CoreDump read(const std::string& file) {
  return CoreDump({reinterpret_cast<const unsigned char*>(file.data()), file.size()});
}
std::string report(const Parts& of) {
  const std::string file = core_dump::make(of);
  const CoreDump dump = read(file);
  EXPECT_TRUE(dump.is_readable());
  return fault_finding(dump.fault()).text();
}

TEST(CoreDump, NamesTheThreadThatFaulted) {
  EXPECT_EQ(report({.lanes = {{0, 0}, {12, 6}}}),
            "Kernel 'demo::out_of_bounds' faulted: misaligned address, at /src/faults.cu:42\n"
            "  thread (44,0,0) of block (2,0,0)\n"
            "  grid=(16,1,1), block=(128,1,1)\n"
            "  instruction at byte 304 of the kernel");
  EXPECT_THAT(
      report({.lanes = {{0, 14}, {1, 14}, {2, 14}}}),
      HasSubstr(
          "illegal address, at /src/faults.cu:42\n  thread (32,0,0) of block (2,0,0) and 2 other threads\n"));
}

// Without the warp's own number, the thread's is near.
TEST(CoreDump, UsesTheThreadsInstruction) {
  EXPECT_THAT(report({.lanes = {{3, 5}}, .lane_pc = 0x7f05837a0b10, .warp_has_error_pc = false}),
              HasSubstr("address out of range, at /src/faults.cu:300\n"));
}

// As seen in a graph: the instruction is right, and the threads are those of the next kernel.
TEST(CoreDump, TheInstructionCountsMoreThanTheThreads) {
  EXPECT_EQ(
      report({.lanes = {{0, 14}, {1, 14}}, .exception = 14, .lanes_of_other = true}),
      "Kernel 'demo::out_of_bounds' faulted: illegal address, at /src/faults.cu:42\n"
      "  thread and block are not known: the warp had ended or gone on when the fault arrived\n"
      "  instruction at byte 304 of the kernel");
}

// The thread has not come to the instruction, so its block has taken the place of another.
TEST(CoreDump, AThreadBeforeTheInstructionDoesNotHaveTheFault) {
  EXPECT_EQ(
      report({.lanes = {{0, 14}}, .lane_pc = 0x7f05837a0b20, .exception = 14}),
      "Kernel 'demo::out_of_bounds' faulted: illegal address, at /src/faults.cu:42\n"
      "  thread and block are not known: the warp had ended or gone on when the fault arrived\n"
      "  instruction at byte 304 of the kernel");
}

TEST(CoreDump, AFunctionIsNoKernel) {
  EXPECT_EQ(report({.lanes = {{12, 6}}, .lanes_of_other = true, .is_function = true}),
            "Kernel 'demo::axpy' faulted: misaligned address, at /src/faults.cu:42\n"
            "  thread (44,0,0) of block (2,0,0)\n"
            "  grid=(4096,1,1), block=(256,1,1)\n"
            "  instruction at byte 304 of 'demo::out_of_bounds'");
  // Any kernel may have called it.
  const std::string said =
      "A kernel faulted in its function 'demo::out_of_bounds': illegal address, at "
      "/src/faults.cu:42\n"
      "  thread and block are not known: the warp had ended or gone on when the fault arrived\n"
      "  instruction at byte 304 of 'demo::out_of_bounds'\n"
      "  running then, as far as the driver says: 'demo::out_of_bounds', 'demo::axpy'";
  EXPECT_EQ(report({.exception = 14, .is_function = true}), said);
  EXPECT_EQ(report({.lanes = {{0, 14}},
                    .lane_pc = 0x7f05837a0010,
                    .exception = 14,
                    .lanes_of_other = true,
                    .is_function = true}),
            said);
}

TEST(CoreDump, AnInstructionOutsideOfAllCodeHasNoPlace) {
  EXPECT_EQ(report({.lanes = {{12, 8}}, .error_pc = 0x10}),
            "Kernel 'demo::out_of_bounds' faulted: jump to an address without code\n"
            "  thread (44,0,0) of block (2,0,0)\n"
            "  grid=(16,1,1), block=(128,1,1)");
}

// Two devices may count their grids alike, and load their code at the same addresses.
TEST(CoreDump, ReadsTheDeviceThatFaulted) {
  EXPECT_EQ(report({.lanes = {{12, 6}}, .two_devices = true}), report({.lanes = {{12, 6}}}));
  EXPECT_EQ(report({.exception = 14, .two_devices = true}), report({.exception = 14}));
}

// A store completes after its warp has ended.
TEST(CoreDump, NamesTheKernelIfTheWarpHasEnded) {
  EXPECT_EQ(
      report({.lanes = {{0, 0}}, .exception = 14}),
      "Kernel 'demo::out_of_bounds' faulted: illegal address, at /src/faults.cu:42\n"
      "  thread and block are not known: the warp had ended or gone on when the fault arrived\n"
      "  instruction at byte 304 of the kernel");
}

TEST(CoreDump, SaysHowToGetTheLine) {
  EXPECT_THAT(report({.exception = 14, .has_lines = false}),
              testing::AllOf(HasSubstr("faulted: illegal address\n"),
                             HasSubstr("\n  compile with nvcc -lineinfo")));
}

// As after trap(), and with drivers before 555.
TEST(CoreDump, ListsTheKernelsIfNoneHasAnException) {
  const std::string said =
      "A kernel was stopped by a fault on the device: fault\n"
      "  running then, as far as the driver says: 'demo::out_of_bounds', 'demo::axpy'";
  EXPECT_EQ(report({.lanes = {{0, 0}}}), said);
  EXPECT_EQ(report({.lanes = {{0, 0}}, .exception = 14, .old_format = true}), said);
}

TEST(CoreDump, AnUnknownExceptionKeepsItsNumber) {
  EXPECT_THAT(report({.exception = 99}), HasSubstr("faulted: exception 99 of cudadebugger.h, at "));
}

TEST(CoreDump, KnowsWhetherTheFileIsWhole) {
  const std::string file = core_dump::make({.lanes = {{12, 6}}});
  EXPECT_TRUE(read(file).is_readable());
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(read(file.substr(0, size)).is_readable()) << size;
  }
  EXPECT_FALSE(read(core_dump::elf(ET_EXEC, {})).is_readable());
}

TEST(CoreDump, SurvivesAnyBytes) {
  const std::string whole = core_dump::make({.lanes = {{0, 0}, {12, 6}}, .exception = 14});
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string file = whole;
    for (int changes = 0; changes < 1 + i % 8; ++changes) {
      file[random() % file.size()] = static_cast<char>(random());
    }
    const CoreDump dump = read(file);
    if (dump.is_readable()) {
      EXPECT_FALSE(fault_finding(dump.fault()).title.empty());
    }
  }
}

}  // namespace
