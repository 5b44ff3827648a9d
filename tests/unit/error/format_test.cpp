// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The exact texts of errors. Here the numbers of each code are set by hand; other tests check the
// values that the library sets.

#include "core_test.hpp"
#include <warpsafe/error/format.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace warpsafe::core_test {
namespace {

/// The clause of a code: the text between "not launched: " and the end, without a place.
std::string clause(LaunchError error) {
  error.kernel = Name::of("k");
  error.site = {};
  const std::string all = message(error);
  const std::string before = "Kernel 'k' not launched: ";
  EXPECT_EQ(all.substr(0, before.size()), before);
  return all.substr(before.size());
}
LaunchError with(Errc code, std::uint64_t value = 0, std::uint64_t limit = 0,
                 Axis axis = Axis::none, std::uint64_t extra = 0) {
  LaunchError error = LaunchError::make(code, Stage::validation, value, limit, axis);
  error.extra = extra;
  return error;
}
/// The error with this subcode.
LaunchError as(Subcode subcode, LaunchError error) {
  error.subcode = subcode;
  return error;
}
LaunchError on_h200(LaunchError error) {
  error.device = 0;
  error.device_name = Name::of("NVIDIA H200");
  return error;
}
LaunchError with_block(LaunchError error, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  error.block[0] = x;
  error.block[1] = y;
  error.block[2] = z;
  return error;
}
LaunchError from_runtime(Errc code, Stage stage) {
  LaunchError error = LaunchError::make(code, stage, app);
  error.raw = 1;
  error.raw_name = Name::of("hipErrorInvalidValue");
  error.raw_text = Name::of("invalid argument");
  return error;
}

// The messages that the project's own requirements quote.

TEST(Format, ABlockThatIsTooLarge) {
  LaunchError error = on_h200(LaunchError::make(Errc::block_too_large, Stage::validation, 4096,
                                                1024, Axis::none, {"src/demo.cu", "run", 41}));
  error.kernel = Name::of("transpose");
  error = with_block(error, 64, 64, 1);
  error.grid[0] = 2800;
  error.grid[1] = error.grid[2] = 1;
  error.stream = reinterpret_cast<const void*>(std::uintptr_t{0x55d0c8});
  error.extra = 1024;
  EXPECT_EQ(message(error),
            "Kernel 'transpose' not launched: block=(64,64,1) is 4096 threads, limit 1024 "
            "(maxThreadsPerBlock of device 0 'NVIDIA H200')\n"
            "  grid=(2800,1,1), block=(64,64,1), shared=0 bytes, stream 0x55d0c8, at demo.cu:41\n"
            "  try block<32,32> and recompute the grid with cover(extent, block<32,32>)");
}

TEST(Format, ACountThatMakesNoNumberOfBytesIsToldAsItWasGiven) {
  const auto shown = [](Errc code, std::uint64_t count, std::uint64_t size) {
    LaunchError error = with_block(with(code, count, size), 32, 1, 1);
    error.kernel = Name::of("sum");
    error.grid[0] = error.grid[1] = error.grid[2] = 1;
    error.dynamic_shared = ~std::uint64_t{0};
    const std::string all = message(error);
    const std::size_t at = all.find(", shared=");
    return at == std::string::npos ? all : all.substr(at + 2, all.find('\n', at) - at - 2);
  };
  EXPECT_EQ(shown(Errc::shared_negative, 3, 4), "shared=-3 elements of 4 bytes");
  EXPECT_EQ(shown(Errc::shared_negative, 8, 1), "shared=-8 bytes");
  EXPECT_EQ(shown(Errc::shared_overflow, 4611686018427387904, 4),
            "shared=4611686018427387904 elements of 4 bytes");
}

TEST(Format, AnAxisThatIsTooLong) {
  LaunchError error = with(Errc::grid_too_large, 70000, 65535, Axis::y);
  error.kernel = Name::of("batch");
  EXPECT_EQ(
      message(error),
      "Kernel 'batch' not launched: grid.y 70000 invalid (limit: 1..65535); put the long axis "
      "in x (limit 2147483647)");
}

TEST(Format, SharedMemoryThatIsTooLarge) {
  LaunchError error = with(Errc::shared_too_large, 70000, 65536, Axis::none, 6000);
  error.kernel = Name::of("softmax");
  EXPECT_EQ(message(error),
            "Kernel 'softmax' not launched: shared memory 70000 bytes exceeds limit 65536 (6000 "
            "static + 64000 dynamic, no opt-in on this device): 4464 too many");
  error.subcode = Subcode::opt_in_included;
  EXPECT_EQ(message(error),
            "Kernel 'softmax' not launched: shared memory 70000 bytes exceeds limit 65536 (6000 "
            "static + 64000 dynamic, opt-in included): 4464 too many");
}

TEST(Format, ALaunchThatTheRuntimeRefuses) {
  LaunchError error = from_runtime(Errc::launch_refused, Stage::launch);
  error.site = {};
  error.kernel = Name::of("transpose_kernel");
  error = with_block(error, 64, 64, 1);
  error.grid[0] = 2800;
  error.grid[1] = error.grid[2] = 1;
  EXPECT_EQ(message(error),
            "Kernel 'transpose_kernel' launch failed: hipErrorInvalidValue (grid=(2800,1,1), "
            "block=(64,64,1))");
}

TEST(Format, AFaultThatASynchronisingCallFinds) {
  LaunchError error = LaunchError::make(Errc::execution_failed, Stage::completion);
  error.raw = 700;
  error.raw_name = Name::of("cudaErrorIllegalAddress");
  error.raw_text = Name::of("an illegal memory access was encountered");
  error.kernel = Name::of("matmul_f32");
  EXPECT_EQ(message(error),
            "Device synchronization failed after kernel 'matmul_f32': an illegal memory access was "
            "encountered");
  error.kernel = Name{};
  error.severity = Severity::context_lost;
  error.site = app;
  EXPECT_EQ(
      message(error),
      "Device synchronization failed: an illegal memory access was encountered\n"
      "  at app.cpp:7\n"
      "  the device's context is lost: every later call of this process fails; restart the process");
}

// Each code's clause.

TEST(FormatClause, Sizes) {
  EXPECT_EQ(clause(with(Errc::size_zero)),
            "the size to cover is 0; cover_or_empty is for sizes that may be zero");
  EXPECT_EQ(clause(with(Errc::size_negative, 5)), "the size is -5; a size must be at least 0");
  EXPECT_EQ(clause(with(Errc::size_negative, 5, 0, Axis::z)),
            "the size is -5 in z; a size must be at least 0");
  EXPECT_EQ(clause(with(Errc::size_overflow, 1, 2, Axis::none, 3)),
            "the extent 1 x 2 x 3 has more than 18446744073709551615 elements; cover it in parts");
  EXPECT_EQ(clause(with(Errc::bytes_overflow, 9, 8)),
            "9 elements of 8 bytes do not fit in 64 bits");
  EXPECT_EQ(clause(with(Errc::size_mismatch, 9, 8)), "the source has 9 elements and the target 8");
  EXPECT_EQ(clause(with(Errc::size_mismatch, 9, 8, Axis::y)),
            "the source has 9 rows and the target 8");
  EXPECT_EQ(clause(with(Errc::size_overflow, 4, 0 - std::uint64_t{28}, Axis::none, 1)),
            "the extent 4 x 18446744073709551588 x 1 contains 2^64 - 28: a subtraction of unsigned "
            "numbers wrapped below 0; compare the numbers before you subtract");
  EXPECT_EQ(clause(with(Errc::bytes_overflow, 0 - std::uint64_t{28}, 4)),
            "the number of elements is 2^64 - 28: a subtraction of unsigned numbers wrapped below "
            "0; compare the numbers before you subtract");
  EXPECT_EQ(clause(with(Errc::shared_overflow, 0 - std::uint64_t{1}, 4)),
            "shared memory for 2^64 - 1 elements: a subtraction of unsigned numbers wrapped below "
            "0; compare the numbers before you subtract");
  EXPECT_EQ(clause(with(Errc::size_not_multiple, 1000, 256)),
            "size 1000 is not a multiple of the 256 items of one block: 232 left over; use cover "
            "and check the bound in the kernel");
  EXPECT_EQ(clause(with(Errc::size_not_multiple, 1000)),
            "size 1000 is not a multiple of the 0 items of one block: 0 left over; use cover and "
            "check the bound in the kernel")
      << "an error made by hand";
}

TEST(FormatClause, GridAxes) {
  EXPECT_EQ(
      clause(with(Errc::grid_zero, 0, 65535, Axis::z)),
      "grid.z 0 invalid (limit: 1..65535); a grid without blocks runs nothing, and the runtime "
      "refuses it");
  EXPECT_EQ(clause(with(Errc::grid_too_large, 3000000000, 2147483647, Axis::x)),
            "grid.x 3000000000 invalid (limit: 1..2147483647); give each thread more items "
            "(items_per_thread<N>), or use grid_stride");
  EXPECT_EQ(clause(with(Errc::axis_threads_too_many, 4294967296, 4294967295, Axis::x)),
            "grid.x times block.x is 4294967296 threads, limit 4294967295 per axis on AMD; give "
            "each thread more items, or use grid_stride");
  EXPECT_EQ(clause(with(Errc::index_overflow, 2147483649, 2147483648)),
            "the grid has 2147483649 threads, more than the kernel's index type counts (limit "
            "2147483648); index in 64 bits and declare index<std::uint64_t>");
  const auto counts = [](Subcode which) {
    return clause(as(which, with(Errc::index_overflow, 2147483649, 2147483648)));
  };
  EXPECT_EQ(counts(Subcode::elements),
            "the grid covers 2147483649 elements, more than the kernel's index type counts (limit "
            "2147483648); index in 64 bits and declare index<std::uint64_t>");
  const std::string undeclared =
      ", but the kernel declares no index type, so int is assumed (limit 2147483648); index in "
      "64 bits, as thread_index() and grid_stride(n) do, and declare index<std::uint64_t>";
  EXPECT_EQ(counts(Subcode::threads_assumed_int), "the grid has 2147483649 threads" + undeclared);
  EXPECT_EQ(counts(Subcode::elements_assumed_int),
            "the grid covers 2147483649 elements" + undeclared);
  EXPECT_EQ(clause(with(Errc::dimension_negative, 3, 1024, Axis::x)),
            "grid.x is -3; a dimension must be at least 1");
  EXPECT_EQ(clause(as(Subcode::block_axis, with(Errc::dimension_negative, 3, 1024, Axis::y))),
            "block.y is -3; a dimension must be at least 1");
  EXPECT_EQ(clause(as(Subcode::cluster_axis, with(Errc::dimension_negative, 3, 1024, Axis::z))),
            "cluster.z is -3; a dimension must be at least 1");
}

TEST(FormatClause, Blocks) {
  EXPECT_EQ(clause(with(Errc::block_zero, 0, 1024, Axis::x)), "block.x 0 invalid (limit: 1..1024)");
  EXPECT_EQ(clause(on_h200(with(Errc::block_axis_too_large, 128, 64, Axis::z))),
            "block.z 128 invalid (limit: 1..64 of device 0 'NVIDIA H200'); put the long axis in x");
  EXPECT_EQ(
      clause(on_h200(with_block(with(Errc::kernel_threads_exceeded, 512, 256), 512, 1, 1))),
      "block=(512,1,1) is 512 threads, limit 256 (this kernel's launch bounds and registers on "
      "device 0 'NVIDIA H200')");
  EXPECT_EQ(clause(with_block(with(Errc::block_not_multiple, 100, 32), 100, 1, 1)),
            "block=(100,1,1) is 100 threads, not a multiple of 32, which the kernel requires");
  EXPECT_EQ(clause(on_h200(with(Errc::warp_size_mismatch, 32, 64))),
            "the kernel requires warps of 64 threads, but warps on device 0 'NVIDIA H200' have "
            "32");
}

TEST(FormatClause, ALimitThatTheDeviceDoesNotReportSaysSo) {
  LaunchError error = with_block(with(Errc::block_too_large, 2048, 1024), 2048, 1, 1);
  error.device = 1;
  error.limit_is_floor = true;
  EXPECT_EQ(clause(error),
            "block=(2048,1,1) is 2048 threads, limit 1024 (maxThreadsPerBlock of device 1, "
            "documented; the device reports none)");
}

TEST(FormatClause, Kernels) {
  EXPECT_EQ(clause(with(Errc::not_a_kernel)),
            "the runtime does not know this function as a kernel: it is a plain function, or its "
            "code is in a shared object with another copy of the runtime");
  EXPECT_EQ(clause(with(Errc::no_kernel_image)),
            "the program has no code for this device; add its architecture to the build");
  EXPECT_EQ(clause(on_h200(with(Errc::no_kernel_image, 90))),
            "the program has no code for device 0 'NVIDIA H200' (sm_90); add its architecture to "
            "the build");
  LaunchError nameless = with(Errc::no_kernel_image);
  nameless.device = 2;
  EXPECT_EQ(clause(nameless),
            "the program has no code for device 2; add its architecture to the build");
}

TEST(FormatClause, Modules) {
  LaunchError error = as(Subcode::in_module, on_h200(with(Errc::no_kernel_image, 90)));
  error.raw_text = Name::of("sm_75 and sm_80");
  EXPECT_EQ(clause(error),
            "the module has no code for device 0 'NVIDIA H200' (sm_90): it holds sm_75 and sm_80; "
            "build it for that architecture, or with PTX");
  error.value = 0;
  EXPECT_EQ(clause(error),
            "the module has no code for device 0 'NVIDIA H200': it holds sm_75 and sm_80; build it "
            "for that architecture");
  EXPECT_EQ(clause(with(Errc::module_wrong_device, 1, 0)),
            "the module was loaded on device 0, not on device 1; make device 1 current and load "
            "the module there too");
  EXPECT_EQ(clause(as(Subcode::parameter_count, with(Errc::signature_mismatch, 2, 3))),
            "the kernel takes 3 parameters, the declared signature has 2");
  const auto second = [](Subcode what) {
    return clause(as(what, with(Errc::signature_mismatch, 4, 8, Axis::none, 2)));
  };
  EXPECT_EQ(second(Subcode::parameter_size),
            "parameter 2 takes 8 bytes in the kernel, 4 in the declared signature");
  EXPECT_EQ(second(Subcode::parameter_offset),
            "parameter 2 is at byte 8 in the kernel, at byte 4 in the declared signature");
}

TEST(FormatClause, Graphs) {
  const struct {
    GraphChange change;
    const char* text;
  } changes[] = {
      {GraphChange::topology, "the new graph has other nodes or dependencies"},
      {GraphChange::node_kind, "a node became another kind of operation"},
      {GraphChange::function, "a node cannot take the kernel of the new graph"},
      {GraphChange::parameters, "a parameter changed in a way that cannot be updated"},
      {GraphChange::none, "the runtime cannot make this change"},
      {GraphChange::unsupported, "the runtime cannot make this change"},
      {GraphChange::unknown, "the runtime cannot make this change"},
  };
  for (const auto& [change, expected] : changes) {
    EXPECT_EQ(clause(with(Errc::graph_update_refused, static_cast<std::uint64_t>(change))),
              std::string(expected) + "; instantiate() the new graph");
  }
}

TEST(FormatClause, LibraryHandles) {
  EXPECT_EQ(clause(with(Errc::handle_owned)),
            "another StreamBound owns this handle and destroys it; keep one for each handle, and "
            "move it or pass a reference to it");
  EXPECT_EQ(clause(with(Errc::handle_partly_bound, 2, 3)),
            "inner handle 2 of 3 is still on another stream; set the stream of each in "
            "handle_traits::set_stream");
}

TEST(FormatClause, SharedMemory) {
  EXPECT_EQ(clause(with(Errc::shared_negative, 3, 4)),
            "shared memory for -3 elements; a count must be at least 0");
  EXPECT_EQ(clause(with(Errc::shared_overflow, 4611686018427387904, 4)),
            "shared memory for 4611686018427387904 elements of 4 bytes does not fit in 64 bits");
  EXPECT_EQ(
      clause(with(Errc::shared_not_opted_in, 65536, 49152)),
      "65536 bytes of dynamic shared memory, limit 49152 until the kernel's attribute is "
      "raised (cudaFuncSetAttribute, MaxDynamicSharedMemorySize); launch() raises it automatically");
  EXPECT_EQ(clause(with(Errc::shared_missing, 0, 1024)),
            "the kernel needs 1024 bytes of dynamic shared memory, the launch gives 0; add "
            "shared<T>(count) to the configuration");
}

TEST(FormatClause, ClustersAndCooperativeLaunches) {
  EXPECT_EQ(clause(with(Errc::cluster_not_divisor, 3, 2, Axis::x)),
            "grid.x 3 is not a multiple of cluster.x 2");
  EXPECT_EQ(clause(on_h200(with(Errc::cluster_too_large, 16, 8))),
            "a cluster of 16 blocks, limit 8 (cluster size of device 0 'NVIDIA H200')");
  EXPECT_EQ(clause(on_h200(with(Errc::cluster_unsupported, 2, 0))),
            "this device has no clusters of blocks (cluster size limit 0 of device 0 "
            "'NVIDIA H200')");
  EXPECT_EQ(clause(on_h200(with(Errc::cooperative_unsupported))),
            "this device has no cooperative launches (cooperativeLaunch 0 of device 0 "
            "'NVIDIA H200')");
  EXPECT_EQ(
      clause(on_h200(with(Errc::cooperative_too_large, 1048576, 264))),
      "a cooperative grid of 1048576 blocks, limit 264 (blocks that are resident at once on device "
      "0 'NVIDIA H200'); use grid_stride with at most that many blocks");
}

TEST(FormatClause, Arguments) {
  EXPECT_EQ(clause(with(Errc::argument_negative, 5, 0, Axis::none, 3)),
            "argument 3 is -5, but the parameter is unsigned");
  EXPECT_EQ(clause(with(Errc::argument_host_pointer, 0, 0, Axis::none, 2)),
            "argument 2 is host memory, which the device cannot read; pass a device buffer's view, "
            "or pinned or managed memory");
  EXPECT_EQ(clause(with(Errc::argument_host_pointer, 7, 0, Axis::none, 0)),
            "element 7 of the table points to host memory, which the device cannot read; store the "
            "device's addresses: view().pointer().get()");
  EXPECT_EQ(clause(with(Errc::argument_misaligned, 4, 16)),
            "a pointer is aligned to 4 bytes, but its type needs 16");
  EXPECT_EQ(clause(with(Errc::argument_misaligned, 4, 16, Axis::none, 2)),
            "argument 2 is aligned to 4 bytes, but its type needs 16");
  EXPECT_EQ(clause(with(Errc::argument_empty, 0, 0, Axis::none, 2)),
            "argument 2 is a view without elements, but the kernel takes a pointer; make the "
            "parameter a DeviceSpan, or pass nullptr if the kernel needs no elements");
}

TEST(FormatClause, StreamsAndDevices) {
  EXPECT_EQ(clause(with(Errc::stream_wrong_device, 1, 0)),
            "the stream belongs to device 0, but device 1 is current; make device 0 current with "
            "DeviceGuard");
  EXPECT_EQ(clause(with(Errc::stream_null)),
            "stream 0 is the default stream, which other code uses too; create a Stream");
  EXPECT_EQ(clause(as(Subcode::stream_closed, with(Errc::stream_null))),
            "this Stream was moved from or closed; use the one that it was moved to");
  EXPECT_EQ(
      clause(as(Subcode::stream_destroyed, with(Errc::stream_null))),
      "the Stream that this StreamRef refers to was destroyed; keep the Stream for as long as "
      "its references are used");
  EXPECT_EQ(clause(with(Errc::stream_capturing)),
            "the stream is capturing a graph, and this would break the capture");
  EXPECT_EQ(clause(as(Subcode::other_stream, with(Errc::stream_capturing))),
            "a graph is being captured, and this would break the capture");
  LaunchError seventh = with(Errc::device_invalid);
  seventh.device = 7;
  EXPECT_EQ(clause(seventh), "device 7 does not exist");
  EXPECT_EQ(clause(with(Errc::no_device)), "no device was found");
}

TEST(FormatClause, Memory) {
  EXPECT_EQ(clause(with(Errc::out_of_memory)), "out of memory");
  EXPECT_EQ(clause(with(Errc::out_of_memory, 100, 50, Axis::none, 20)),
            "out of memory: 100 bytes requested, 20 of 50 bytes free on the device; this program's "
            "buffers hold 0 bytes");
}

TEST(FormatClause, PartsOfMemory) {
  EXPECT_EQ(
      clause(with(Errc::part_outside, 200, 1000, Axis::none, 900)),
      "200 elements from offset 900 are not all in this view of 1000 elements; ask for at most "
      "1000 - offset elements, from offset 0 on");
  EXPECT_EQ(clause(with(Errc::part_outside, 2, 3, Axis::y, 2)),
            "2 elements from offset 2 are not all in this view of 3 elements in y; ask for at most "
            "3 - offset elements, from offset 0 on");
  // Numbers that were computed below 0.
  constexpr std::uint64_t none = 0;
  EXPECT_EQ(clause(with(Errc::part_outside, 4, 10, Axis::none, none - 1)),
            "4 elements from offset -1 are not all in this view of 10 elements; ask for at most "
            "10 - offset elements, from offset 0 on");
  EXPECT_EQ(clause(with(Errc::part_outside, none - 3, 10, Axis::none, 2)),
            "-3 elements from offset 2 are not all in this view of 10 elements; ask for at most "
            "10 - offset elements, from offset 0 on");
  EXPECT_EQ(clause(with(Errc::copy_overlaps, 40, 400)),
            "source and target begin 40 bytes apart and are 400 bytes long, so they overlap; "
            "copy to another buffer first, or move the elements with a kernel");
  EXPECT_EQ(clause(with(Errc::memory_closed)),
            "this buffer was closed or moved from and has no memory");
  EXPECT_EQ(clause(with(Errc::memory_closed, 0, 0, Axis::none, 2)),
            "argument 2 is a view of a freed buffer; take a new view");
  EXPECT_EQ(clause(as(Subcode::in_structure, with(Errc::memory_closed, 0, 0, Axis::none, 2))),
            "argument 2 holds a span of a freed buffer; take a new span, or an empty one if the "
            "kernel does not use it");
  const auto closed = [](Subcode subcode, std::uint64_t argument) {
    return clause(as(subcode, with(Errc::memory_closed, 0, 0, Axis::none, argument)));
  };
  EXPECT_EQ(closed(Subcode::at_host, 0), "this memory is with the host until to_device()");
  EXPECT_EQ(closed(Subcode::at_host, 2), "argument 2 is with the host until to_device()");
  EXPECT_EQ(closed(Subcode::graph_idle, 0),
            "a graph allocates this memory, and has not run; launch the graph first");
  EXPECT_EQ(closed(Subcode::graph_idle, 2),
            "argument 2 is memory that a graph allocates, and the graph has not run; launch the "
            "graph first");
  EXPECT_EQ(closed(Subcode::graph_lost, 0),
            "the graph that would allocate this memory is gone; allocate outside of the capture");
  EXPECT_EQ(closed(Subcode::graph_lost, 2),
            "argument 2 is memory of a graph that is gone and never ran; allocate outside of the "
            "capture");
}

TEST(FormatClause, Copies) {
  EXPECT_EQ(clause(with(Errc::pending_taken)),
            "the value of this Pending was already taken or moved away; call get() once");
  EXPECT_EQ(clause(with(Errc::graph_moved)),
            "this Graph was moved from or closed; use the one that it was moved to");
  EXPECT_EQ(clause(with(Errc::module_moved)),
            "this Module was moved from or closed; use the one that it was moved to");
}

TEST(FormatClause, BarrierThatDiverges) {
  EXPECT_EQ(clause(with(Errc::barrier_divergence, 3, 64)),
            "3 of 64 threads of a block reached sync_block(); every thread of the block must "
            "reach it");
}

// Texts with the runtime's own status.

TEST(FormatRuntime, ItsOwnWordsStandWhereItGivesNoNumbers) {
  for (const Errc code : {Errc::kernel_threads_exceeded, Errc::cluster_too_large,
                          Errc::cooperative_too_large, Errc::barrier_divergence}) {
    LaunchError error = from_runtime(code, Stage::launch);
    error.kernel = Name::of("k");
    error = with_block(error, 64, 1, 1);
    error.grid[0] = error.grid[1] = error.grid[2] = 1;
    EXPECT_EQ(message(error),
              "Kernel 'k' launch failed: hipErrorInvalidValue (grid=(1,1,1), block=(64,1,1))\n"
              "  invalid argument\n"
              "  at app.cpp:7");
  }
}

TEST(FormatRuntime, ItsWordsDoNotReplaceNumbersThatAreKnown) {
  LaunchError error = from_runtime(Errc::cluster_too_large, Stage::runtime_call);
  EXPECT_THAT(message(error), ::testing::HasSubstr("invalid argument"));
  error.value = 16;
  error.limit = 8;
  EXPECT_THAT(message(error), ::testing::HasSubstr("a cluster of 16 blocks, limit 8"));
  error.raw = 0;
  error.limit = 0;
  EXPECT_THAT(message(error), ::testing::HasSubstr("a cluster of 16 blocks, limit 0"));

  error = from_runtime(Errc::device_invalid, Stage::runtime_call);
  EXPECT_THAT(message(error), ::testing::Not(::testing::HasSubstr("device -1")));
  for (const int device : {0, 1}) {
    error.device = device;
    EXPECT_THAT(message(error),
                ::testing::HasSubstr("device " + std::to_string(device) + " does not exist"));
  }
}

TEST(FormatRuntime, ACallThatFailedIsNamed) {
  LaunchError error = from_runtime(Errc::runtime_failed, Stage::runtime_call);
  error.operation = Name::of("stream create");
  EXPECT_EQ(message(error),
            "stream create failed: invalid argument (hipErrorInvalidValue, 1)\n  at app.cpp:7");
  error.code = Errc::no_device;
  EXPECT_EQ(message(error),
            "stream create failed: no device was found: invalid argument (hipErrorInvalidValue, 1)"
            "\n  at app.cpp:7");
  error.code = Errc::unsupported;
  EXPECT_EQ(message(error),
            "stream create failed: not supported: invalid argument (hipErrorInvalidValue, 1)"
            "\n  at app.cpp:7");
  error.code = Errc::pending_error;
  error.operation = Name{};
  EXPECT_EQ(message(error),
            "an error was pending before this call: invalid argument (hipErrorInvalidValue, 1)"
            "\n  at app.cpp:7");
}

TEST(FormatRuntime, WordsAloneOrANameAloneAreNoStatus) {
  LaunchError error = from_runtime(Errc::runtime_failed, Stage::runtime_call);
  error.operation = Name::of("stream create");
  error.raw_name = Name{};
  EXPECT_EQ(message(error), "stream create failed: invalid argument (1)\n  at app.cpp:7");
  error.raw_name = Name::of("hipErrorInvalidValue");
  error.raw_text = Name{};
  EXPECT_NE(message(error).find(" (1)\n"), std::string::npos);
}

TEST(FormatRuntime, ACaptureNamesTheCallThatBrokeIt) {
  LaunchError error = LaunchError::make(Errc::capture_broken, Stage::runtime_call, app);
  error.operation = Name::of("copy");
  const std::string plain = message(error);
  EXPECT_EQ(plain.substr(0, 13), "copy failed: ");
  error.subcode = Subcode::broken_by_call;
  EXPECT_EQ(message(error).substr(0, 32), "Graph capture broken by 'copy': ");
  error.subcode = Subcode::broken_before_call;
  EXPECT_EQ(message(error).substr(0, 36), std::string("Graph capture broken before 'copy': "));
  error.kernel = Name::of("k");
  EXPECT_EQ(message(error).substr(0, 56),
            std::string("Graph capture broken before the launch of kernel 'k': ") +
                message(error).substr(54, 2));
  error.subcode = Subcode::none;
  EXPECT_EQ(message(error).substr(0, 13), "copy failed: ");
  error.code = Errc::runtime_failed;
  error.subcode = Subcode::other_stream;
  EXPECT_EQ(message(error).substr(0, 13), "copy failed: ");
}

TEST(Format, SaysWhatWasNotDone) {
  LaunchError error = LaunchError::make(Errc::size_zero, Stage::validation);
  EXPECT_EQ(message(error).substr(0, 34), "Kernel '(unnamed)' not launched: t");
  error.operation = Name::of("copy");
  EXPECT_EQ(message(error).substr(0, 17), "copy not called: ");
  error.kernel = Name::of("k");
  EXPECT_EQ(message(error).substr(0, 25), "Kernel 'k' not launched: ");
  error.stage = Stage::construction;
  EXPECT_EQ(message(error).substr(0, 25), "Kernel 'k' not launched: ");
  error.kernel = {};
  EXPECT_EQ(message(error).substr(0, 17), "copy not called: ");
  error.operation = {};
  EXPECT_EQ(message(error).substr(0, 30), "Launch configuration refused: ");
  error.code = Errc::size_negative;
  error.grid[0] = 2;
  EXPECT_EQ(message(error).find("grid="), std::string::npos) << "it has no block";
  error.block[0] = 3;
  EXPECT_NE(message(error).find("grid="), std::string::npos);
  error.grid[0] = 0;
  EXPECT_EQ(message(error).find("grid="), std::string::npos) << "it has no grid";
}

TEST(FormatRuntime, AnUnjoinedStreamIsNamedWithThePlaceWhereItJoined) {
  LaunchError error = LaunchError::make(Errc::capture_unjoined, Stage::runtime_call, app);
  error.operation = Name::of("capture end");
  EXPECT_NE(message(error).find("\n  at app.cpp:7"), std::string::npos);
  int stream = 0;
  error.stream = &stream;
  EXPECT_NE(message(error).find("\n  it joined at app.cpp:7"), std::string::npos);
  error.code = Errc::runtime_failed;
  EXPECT_EQ(message(error).find("joined"), std::string::npos);
}

TEST(FormatRuntime, ALaunchBlockingModeIsMentioned) {
  LaunchError error = from_runtime(Errc::launch_refused, Stage::launch);
  error.kernel = Name::of("k");
  error.site = {};
  error.blocking_was_on = true;
  EXPECT_EQ(message(error),
            "Kernel 'k' launch failed: hipErrorInvalidValue (grid=(0,0,0), block=(0,0,0))\n"
            "  (a launch-blocking mode was on, which changes the timing)");
}

// Prefix and place.

TEST(Format, WithoutAKernelTheConfigurationIsRefused) {
  EXPECT_EQ(
      message(LaunchError::make(Errc::size_zero, Stage::construction, app)),
      "Launch configuration refused: the size to cover is 0; cover_or_empty is for sizes that "
      "may be zero\n  at app.cpp:7");
  EXPECT_EQ(
      message(LaunchError::make(Errc::stream_null, Stage::validation)),
      "Kernel '(unnamed)' not launched: stream 0 is the default stream, which other code uses "
      "too; create a Stream");
}

TEST(Format, APlaceIsTheFilesLastName) {
  LaunchError error = LaunchError::make(Errc::stream_capturing, Stage::runtime_call);
  for (const char* file : {"app.cpp", "/app.cpp", "a/b/app.cpp"}) {
    error.site = {file, "main", 12};
    EXPECT_THAT(message(error), ::testing::EndsWith("\n  at app.cpp:12"));
  }
}

TEST(Format, CutsAtTheCapacityAndCountsWhatItWrote) {
  const LaunchError error = LaunchError::make(Errc::size_zero, Stage::construction, app);
  const std::string whole = message(error);
  for (const std::size_t capacity : {std::size_t{1}, std::size_t{2}, std::size_t{20}, whole.size(),
                                     whole.size() + 1, whole.size() + 100}) {
    std::string buffer(capacity + 1, '#');
    const std::size_t size = format_error(error, buffer.data(), capacity);
    EXPECT_EQ(size, std::min(whole.size(), capacity - 1));
    EXPECT_EQ(buffer.substr(0, size), whole.substr(0, size));
    EXPECT_EQ(buffer[size], '\0');
    EXPECT_EQ(buffer[capacity], '#');
  }
}

// Suggestions.

std::string suggestion(std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint64_t most) {
  const std::string all = message(with_block(
      with(Errc::block_too_large, std::uint64_t{x} * y * z, 1024, Axis::none, most), x, y, z));
  const std::size_t start = all.find("\n  try ");
  return start == std::string::npos ? "" : all.substr(start + 3);
}

TEST(FormatSuggestion, HalvesTheLongestAxis) {
  EXPECT_EQ(suggestion(2048, 1, 1, 1024),
            "try block<1024> and recompute the grid with cover(n, block<1024>)");
  EXPECT_EQ(suggestion(2048, 1, 1, 256),
            "try block<256> and recompute the grid with cover(n, block<256>)");
  EXPECT_EQ(suggestion(1, 2048, 1, 1024),
            "try block<1,1024> and recompute the grid with cover(extent, block<1,1024>)");
  EXPECT_EQ(suggestion(16, 16, 16, 1024),
            "try block<8,8,16> and recompute the grid with cover(extent, block<8,8,16>)");
  EXPECT_EQ(suggestion(2048, 2, 1, 1024),
            "try block<512,2> and recompute the grid with cover(extent, block<512,2>)");
  EXPECT_EQ(suggestion(2048, 1, 2, 1024),
            "try block<512,1,2> and recompute the grid with cover(extent, block<512,1,2>)");
  EXPECT_EQ(suggestion(4294967295, 4294967295, 4294967295, 1024),
            "try block<7,7,15> and recompute the grid with cover(extent, block<7,7,15>)");
}

TEST(FormatSuggestion, StaysWithinWhatBlockTakesInZ) {
  EXPECT_EQ(suggestion(1, 1, 2048, 1024),
            "try block<1,1,64> and recompute the grid with cover(extent, block<1,1,64>)");
  EXPECT_EQ(suggestion(2, 2, 1000, 1024),
            "try block<2,2,62> and recompute the grid with cover(extent, block<2,2,62>)");
}

TEST(FormatSuggestion, IsNotGivenWhereNoneIsKnownToWork) { EXPECT_EQ(suggestion(96, 1, 1, 0), ""); }

}  // namespace
}  // namespace warpsafe::core_test
