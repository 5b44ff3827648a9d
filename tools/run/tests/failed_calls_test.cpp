// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Tests what warpsafe-run reports about failed calls other than launches, and about launches that
// fail for a reason outside of their numbers, over stand-ins for the runtime, the driver and CUPTI.

#include "shell.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace {

using testing::HasSubstr;
using testing::Not;

struct Failed {
  int status;
  std::string out;
  std::string line;  ///< "failed_calls.cpp:LINE" of the call that failed
};
Failed failed(const std::string& what, const std::string& options = "--quiet") {
  const Ran ran = shell("env LD_LIBRARY_PATH=" WATCH_STAND_IN " " WATCH_RUN " --cuda " + options +
                        " " WATCH_FAILED_CALLS " " + what);
  const std::size_t at = ran.out.rfind(", line ");
  const std::string number =
      at == std::string::npos ? "" : ran.out.substr(at + 7, ran.out.find('\n', at) - at - 7);
  return {ran.status, ran.out, "failed_calls.cpp:" + number};
}
std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}
bool has_addr2line() {
  return shell("command -v addr2line || command -v llvm-addr2line").status == 0;
}

TEST(FailedCalls, AFreeTwiceNamesThePlacesOfBoth) {
  const Failed ran = failed("free_twice");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("free_twice: 1, "));  // the program sees the same status
  EXPECT_THAT(ran.out, HasSubstr("warpsafe: cuMemFree failed: CUDA_ERROR_INVALID_VALUE (invalid "
                                 "argument)\n  of device memory 0x7f0000000000 of 4096 bytes, "
                                 "allocated by cuMemAlloc"));
  EXPECT_THAT(ran.out, HasSubstr(", freed by cuMemFree"));
  EXPECT_THAT(ran.out,
              HasSubstr("\n  the driver's log: the address is not one of an allocation\n"));
  EXPECT_THAT(ran.out, HasSubstr("\n  the memory is free already: free it once\n"));
  if (!has_addr2line()) return;
  EXPECT_THAT(ran.out, HasSubstr("free_twice"));
  EXPECT_THAT(ran.out, HasSubstr(ran.line + "\n  called by "));
  EXPECT_THAT(ran.out, HasSubstr("\n  called by main at "));
}

TEST(FailedCalls, WithoutLinesThePlaceIsAnOffset) {
  const Failed ran = failed("free_twice", "--quiet --no-lines");
  EXPECT_THAT(ran.out, HasSubstr("\n  called by watch_failed_calls+0x"));
  EXPECT_THAT(ran.out, Not(HasSubstr(".cpp:")));
}

TEST(FailedCalls, TheFunctionsThatTheCompilerMakesForALaunchAreNoCallers) {
  const Failed ran = failed("stub");
  EXPECT_THAT(ran.out, HasSubstr("Kernel 'demo::bounded' not launched"));
  EXPECT_THAT(ran.out, Not(HasSubstr("__device_stub__")));
  EXPECT_THAT(ran.out, Not(HasSubstr("called by demo::bounded")));
  if (!has_addr2line()) return;
  EXPECT_THAT(ran.out, HasSubstr("\n  called by (anonymous namespace)::launch_through_stub at "));
  EXPECT_THAT(ran.out, HasSubstr(ran.line));
}

// The places are the program's: neither the runtime's header nor the function around an inlined one
// is in place of another.
TEST(FailedCalls, AFunctionThatIsInlinedIsACallerOfItsOwn) {
  const Failed ran = failed("free_typed");
  EXPECT_THAT(ran.out, HasSubstr("cudaFree failed: CUDA_ERROR_INVALID_VALUE"));
  EXPECT_THAT(ran.out, Not(HasSubstr("cuda_runtime.h")));
  if (!has_addr2line()) return;
  EXPECT_THAT(ran.out, HasSubstr("\n  called by free_floats at "));
  EXPECT_THAT(ran.out, HasSubstr(ran.line + "\n  called by (anonymous namespace)::free_typed at "));
  EXPECT_THAT(ran.out, HasSubstr("\n  called by main at "));
}

// If a graph copies ordinary host memory, its launch waits and returns the fault of its kernels.
TEST(FailedCalls, AGraphWhoseLaunchReturnsAFaultIsItsSuspect) {
  const Ran ran = shell("env STAND_IN_GRAPH_FAULTS=1 LD_LIBRARY_PATH=" WATCH_STAND_IN " " WATCH_RUN
                        " --cuda " WATCH_FAILED_CALLS " launch_graph");
  EXPECT_THAT(ran.out, HasSubstr("launch_graph: 700, "));
  EXPECT_THAT(ran.out, HasSubstr(" failed: an illegal memory access was encountered\n"));
  EXPECT_THAT(ran.out, HasSubstr("\n  suspect: 1 launch of device 0 not known to have ended\n"
                                 "    #1 'graph"));
  EXPECT_THAT(ran.out, HasSubstr(": 1 launch of 1 kernel, 0 refused, 1 fault of running work\n  "
                                 "suspect of a fault: 'graph"));
  // The launch is also among those that the log lists.
  const Ran traced = shell("env STAND_IN_GRAPH_FAULTS=1 LD_LIBRARY_PATH=" WATCH_STAND_IN
                           " " WATCH_RUN " --cuda --log trace " WATCH_FAILED_CALLS " launch_graph");
  EXPECT_THAT(traced.out, HasSubstr("  CUDA launch(stream 0x"));
}

TEST(FailedCalls, AGraphIsNamedAfterTheKernelsOfTheGraphsInIt) {
  const Ran ran =
      shell("env STAND_IN_NESTED_GRAPH=1 STAND_IN_GRAPH_FAULTS=1 LD_LIBRARY_PATH=" WATCH_STAND_IN
            " " WATCH_RUN " --cuda " WATCH_FAILED_CALLS " launch_graph");
  EXPECT_THAT(ran.out,
              HasSubstr("'graph of 2 kernels and 1 conditional node: demo::axpy, demo::bounded'"));
}

TEST(FailedCalls, AddressesThatNoFreeTakes) {
  EXPECT_THAT(failed("free_inside").out,
              HasSubstr("\n  the address is 256 bytes past the beginning of an allocation: free "
                        "the address that the allocation returned\n"));
  const Failed host = failed("free_host");
  EXPECT_THAT(host.out, HasSubstr("warpsafe: cudaFree failed: "));
  EXPECT_THAT(host.out, HasSubstr("\n  of host memory 0x"));
  EXPECT_THAT(host.out, HasSubstr("ordinary host memory is freed by free() or delete\n"));
  // What the driver said inside of the runtime's call.
  EXPECT_THAT(host.out, HasSubstr("the driver's log: the address is not one of an allocation"));
  EXPECT_EQ(count(host.out, "failed:"), 1U);
}

TEST(FailedCalls, AnAttributeThatTheDeviceCannotGive) {
  EXPECT_THAT(failed("too_much_shared").out,
              HasSubstr("warpsafe: cudaFuncSetAttribute failed: CUDA_ERROR_INVALID_VALUE (invalid "
                        "argument)\n  MaxDynamicSharedMemorySize 262144\n"));
  EXPECT_THAT(failed("too_much_shared").out,
              HasSubstr("\n  a block has at most 232448 bytes of shared memory on this device, and "
                        "the kernel's static shared memory counts too\n"));
}

TEST(FailedCalls, CopiesSayWhatDoesNotFit) {
  const Failed more = failed("copy_too_much");
  EXPECT_THAT(more.out, HasSubstr("warpsafe: cudaMemcpy failed: CUDA_ERROR_INVALID_VALUE (invalid "
                                  "argument)\n  8192 bytes\n  from host memory 0x"));
  EXPECT_THAT(more.out, HasSubstr("of 4096 bytes, allocated by cudaMalloc"));
  EXPECT_THAT(more.out, HasSubstr("\n  the target has 4096 bytes from that address: copy at most "
                                  "4096 bytes, or allocate more\n"));
  EXPECT_THAT(failed("copy_swapped").out, HasSubstr("swap source and target"));
  const Failed past = failed("copy_past");
  EXPECT_THAT(past.out, HasSubstr("\n  to address 0x"));
  EXPECT_THAT(past.out, HasSubstr(", 0 bytes past the end of device memory 0x"));
  EXPECT_THAT(past.out, HasSubstr(" of 64 bytes, allocated by "));
  EXPECT_THAT(past.out, HasSubstr("\n  the target begins past the end of that allocation: "));
  EXPECT_THAT(failed("copy_to_null").out, HasSubstr("\n  the target is a null pointer: "));
  EXPECT_THAT(failed("no_direction").out,
              HasSubstr("warpsafe: cudaMemcpy failed: cudaErrorInvalidMemcpyDirection (invalid "
                        "copy direction for memcpy)"));
}

TEST(FailedCalls, TheRemedyHasTheNumbers) {
  const Failed device = failed("no_device");
  EXPECT_THAT(device.out, HasSubstr("\n  device 7\n"));
  EXPECT_THAT(device.out, HasSubstr("\n  the process sees 1 device, numbered from 0"));
  EXPECT_THAT(failed("negative", "").out,
              HasSubstr("\n  a negative number was passed as the size: -4\n"));
}

TEST(FailedCalls, OutOfMemoryIsANoteBecauseAllocatorsTryAgain) {
  EXPECT_EQ(failed("retry").out, "retry: 0, line 0\n");
  const Failed ran = failed("no_memory", "");
  EXPECT_THAT(ran.out, HasSubstr("warpsafe: note: cudaMalloc failed: CUDA_ERROR_OUT_OF_MEMORY (out "
                                 "of memory)\n  1099511627776 bytes\n"));
  EXPECT_THAT(ran.out, HasSubstr("150754820096 of the device's 150754820096 bytes are free"));
}

TEST(FailedCalls, NamesThatAreNotThere) {
  const Failed ran = failed("no_function");
  EXPECT_THAT(ran.out, HasSubstr("warpsafe: cuModuleGetFunction failed: CUDA_ERROR_NOT_FOUND"));
  EXPECT_THAT(ran.out, HasSubstr("the module has no function of that name"));
  EXPECT_THAT(ran.out, Not(HasSubstr("\x1b")));
}

TEST(FailedCalls, EventsWithoutATime) {
  EXPECT_THAT(failed("elapsed").out,
              HasSubstr("both events must be recorded, and neither may be created with "
                        "cudaEventDisableTiming\n"));
}

TEST(FailedCalls, WhatOnlyAsksIsNoError) {
  EXPECT_EQ(failed("ask").out, "ask: 1003, line 0\n");
  EXPECT_EQ(failed("library_tries").out, "library_tries: 0, line 0\n");
  const std::string noted = failed("ask library_tries", "").out;
  EXPECT_EQ(count(noted, "failed:"), 2U);
  EXPECT_EQ(count(noted, "warpsafe: note: "), 2U);
}

TEST(FailedCalls, APlaceIsReportedOnce) {
  const std::string out = failed("loop", "").out;
  EXPECT_EQ(count(out, "cudaSetDevice failed"), 1U);
  EXPECT_THAT(out, HasSubstr("loop: 100, "));
}

TEST(FailedCalls, ABrokenCaptureNamesTheCallThatBrokeIt) {
  const Failed ran = failed("broken_capture");
  EXPECT_THAT(ran.out, HasSubstr("warpsafe: cudaMalloc failed: "
                                 "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"));
  EXPECT_THAT(ran.out, HasSubstr("call it before the capture begins"));
  EXPECT_THAT(ran.out, HasSubstr("Kernel 'demo::bounded' launch failed"));
  // Of the launch, and of the end of the capture.
  EXPECT_EQ(count(ran.out, "\n  the capture was broken by cudaMalloc in "), 2U);
  if (has_addr2line()) {
    EXPECT_GE(count(ran.out, ran.line), 3U);
  }
}

// The name of a kernel with C linkage does not have its parameters; the driver reports them.
TEST(FailedCalls, ArgumentsWithoutAValue) {
  for (const char* const linkage : {"", "_in_c"}) {
    EXPECT_THAT(
        failed(std::string("null_argument") + linkage).out,
        HasSubstr("\n  argument 1 of 1 has no value: kernelParams[0] is null; pass the address "
                  "of each argument\n"));
    EXPECT_THAT(
        failed(std::string("no_arguments") + linkage).out,
        HasSubstr("\n  the kernel has 1 parameter, and the launch passes none: kernelParams "
                  "and extra are null\n"));
  }
}

TEST(FailedCalls, AFaultNamesThePointerThatIsWrong) {
  const std::string kept = "--quiet --arguments";
  const std::string first = "argument 1 (float*) of #1 'demo::out_of_bounds' is ";
  const Failed freed = failed("fault_freed", kept);
  EXPECT_THAT(freed.out, HasSubstr("fault_freed: 700, "));
  EXPECT_THAT(freed.out, HasSubstr("\n  likely cause: " + first +
                                   "device memory 0x7f0000000000 of 4096 bytes, allocated by "
                                   "cuMemAlloc in "));
  EXPECT_THAT(freed.out, HasSubstr(", freed by cuMemFree in "));
  if (has_addr2line()) {
    EXPECT_THAT(freed.out, HasSubstr(freed.line));
  }
  EXPECT_THAT(failed("fault_null", kept).out,
              HasSubstr("\n  likely cause: " + first + "a null pointer\n"));
  EXPECT_THAT(failed("fault_host", kept).out, HasSubstr("\n  possible cause: " + first +
                                                        "host memory that the runtime has not "
                                                        "allocated"));
  EXPECT_THAT(failed("fault_short", kept).out,
              HasSubstr(": 64 bytes from there, and a 'float' for each of the grid's 32 threads "
                        "needs 128 bytes\n"));
  EXPECT_THAT(failed("fault_misaligned", kept).out,
              HasSubstr("\n  likely cause: " + first +
                        "device memory 0x7f0000000002, 2 bytes into an allocation of 4096 bytes"));
  EXPECT_THAT(failed("fault_misaligned", kept).out,
              HasSubstr(": the address is not a multiple of 4, the alignment of 'float'\n"));
  EXPECT_THAT(failed("fault_past", kept).out,
              HasSubstr("\n  possible cause: " + first +
                        "address 0x7f0000001040, 64 bytes past the end of device memory "
                        "0x7f0000000000 of 4096 bytes, allocated by cuMemAlloc in "));
  EXPECT_THAT(failed("fault_right", kept).out, Not(HasSubstr(" cause: ")));
  EXPECT_THAT(failed("fault_freed").out, Not(HasSubstr(" cause: ")));  // nothing was kept
}

// Calls that make streams and events fail too then, so later calls pass handles that do not exist.
TEST(FailedCalls, HandlesThatDoNotExistAreNoErrorsOnceTheContextIsLost) {
  const Failed ran = failed("fault_null_then_handles", "");
  EXPECT_THAT(ran.out, HasSubstr("fault_null_then_handles: 700, "));
  EXPECT_THAT(ran.out, HasSubstr(" failed: an illegal memory access was encountered\n"));
  EXPECT_THAT(ran.out, Not(HasSubstr("CUDA_ERROR_INVALID_HANDLE")));
  EXPECT_THAT(ran.out, HasSubstr("1 fault of running work\n"));
}

TEST(FailedCalls, AKernelOfAnUnloadedModuleHasItsName) {
  const Failed ran = failed("unloaded");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("Kernel 'demo::of_module' launch failed"));
  EXPECT_THAT(ran.out, HasSubstr("\n  the kernel's module was unloaded before the launch, by "
                                 "cuModuleUnload in "));
  if (has_addr2line()) {
    EXPECT_THAT(ran.out, HasSubstr(ran.line + "; keep the module"));
  }
}

TEST(FailedCalls, AThreadThatLoadsALibraryIsNotWaitedFor) {
  const Failed ran = failed("unloaded_beside_loading");
  EXPECT_THAT(ran.out, HasSubstr("a kernel is found beside\n"));
  EXPECT_THAT(ran.out, HasSubstr("\n  the kernel's module was unloaded before the launch, by "));
}

TEST(FailedCalls, AKernelOfAnotherContext) {
  EXPECT_THAT(failed("other_context").out,
              HasSubstr("\n  the kernel was looked up in another context: make that context "
                        "current, or look the kernel up in this one\n"));
}

}  // namespace
