// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Launches that the library's own checks refuse: the code, the numbers, the whole text. Nothing is
// launched then.
#include "../kernels.hpp"
#include "../stand_in.hpp"
#include <warpsafe/launch/occupancy.hpp>
#if defined(WARPSAFE_BACKEND_HIP)
#endif

#include <limits>
#include <string>

namespace vendor_test {

WARPSAFE_KERNEL_EXTERN void impostor();  // not a kernel: see impostor.cpp

namespace {

namespace ws = warpsafe;
using ws::Errc;
using ws::LaunchConfig;

class Refusal : public VendorTest {
 protected:
  /// The error of a launch on `device` that must not reach the runtime.
  template <class Config, class K, class... A>
  ws::LaunchError refused(int device, const Config& config, K kernel, const A&... arguments) {
    const auto guard = ws::DeviceGuard::create(ws::DeviceId(device)).value();
    const ws::Stream stream = make_stream(device);
    native = stream.native();
    const auto launched = ws::launch(stream, config, kernel, arguments...);
    EXPECT_TRUE(launches().empty());
    EXPECT_EQ(count("LaunchKernel"), 0U);
    const ws::LaunchError error = error_in(launched);
    EXPECT_LE(error.stage, ws::Stage::validation);
    EXPECT_EQ(error.severity, ws::Severity::recoverable);
    EXPECT_EQ(error.device, device);
    EXPECT_EQ(error.stream, native);
    return error;
  }
  /// The whole text: a reason, the launch, the place, and a suggestion.
  void expect_text(const ws::LaunchError& error, const std::string& reason, const std::string& dims,
                   const std::string& suggestion = "") const {
    EXPECT_EQ(ws::message(error),
              "Kernel 'vendor_test::" + reason + second_line(error, dims, native) + suggestion);
  }
  void expect_no_code(int device, Status raw) {
    const auto error =
        refused(device, LaunchConfig{ws::grid<1>, ws::block<64>}, ws::kernel<floats>, 1.0F, 2.0);
    EXPECT_EQ(error.code, Errc::no_kernel_image);
    EXPECT_EQ(error.raw, raw);
    expect_text(error,
                "floats' not launched: the program has no code for device " +
                    std::to_string(device) + " '" + device_name +
                    "'; add its architecture to the build",
                "grid=(1,1,1), block=(64,1,1), shared=0 bytes");
  }
  static std::string of_device(int device) {
    return " of device " + std::to_string(device) + " '" + device_name + "'";
  }
  static std::string on_device(int device) {
    return " on device " + std::to_string(device) + " '" + device_name + "'";
  }

  NativeStream native = nullptr;
};

ws::BlockDim block_of(unsigned x, unsigned y = 1, unsigned z = 1) {
  return ws::BlockDim::from_vendor(dim3(x, y, z));
}
ws::GridDim grid_of(unsigned x, unsigned y = 1, unsigned z = 1) {
  return ws::GridDim::from_vendor(dim3(x, y, z));
}

TEST_F(Refusal, NamesTheCallersLine) {
  const ws::Stream stream = make_stream();
  const LaunchConfig config{grid_of(0), ws::block<64>};
  const unsigned line = __LINE__ + 1;
  const auto launched = ws::launch(stream, config, ws::kernel<nothing>);
  const auto error = error_in(launched);
  EXPECT_EQ(place(error), "refusal_test.cpp:" + std::to_string(line));
}

TEST_F(Refusal, BlockTooLarge) {
  const auto error = refused(0, LaunchConfig{grid_of(2800), block_of(64, 64)}, ws::kernel<nothing>);
  EXPECT_EQ(error.code, Errc::block_too_large);
  EXPECT_EQ(error.value, 4096U);
  EXPECT_EQ(error.limit, 1024U);
  expect_text(error,
              "nothing' not launched: block=(64,64,1) is 4096 threads, limit 1024 "
              "(maxThreadsPerBlock" +
                  of_device(0) + ")",
              "grid=(2800,1,1), block=(64,64,1), shared=0 bytes",
              "\n  try block<32,32> and recompute the grid with cover(extent, block<32,32>)");
}

TEST_F(Refusal, ZeroDimensions) {
  auto error = refused(0, LaunchConfig{grid_of(1), block_of(32, 0)}, ws::kernel<nothing>);
  EXPECT_EQ(error.code, Errc::block_zero);
  EXPECT_EQ(error.axis, ws::Axis::y);
  error = refused(0, LaunchConfig{grid_of(1, 1, 0), block_of(32)}, ws::kernel<nothing>);
  EXPECT_EQ(error.code, Errc::grid_zero);
  expect_text(
      error,
      "nothing' not launched: grid.z 0 invalid (limit: 1..65535); a grid without blocks runs "
      "nothing, and the runtime refuses it",
      "grid=(1,1,0), block=(32,1,1), shared=0 bytes");
}

TEST_F(Refusal, GridTooLarge) {
  auto error = refused(0, LaunchConfig{grid_of(1, 70000), block_of(32)}, ws::kernel<nothing>);
  EXPECT_EQ(error.code, Errc::grid_too_large);
  EXPECT_EQ(error.axis, ws::Axis::y);
  EXPECT_EQ(error.value, 70000U);
  EXPECT_EQ(error.limit, 65535U);
  expect_text(error,
              "nothing' not launched: grid.y 70000 invalid (limit: 1..65535); put the long axis in "
              "x (limit 2147483647)",
              "grid=(1,70000,1), block=(32,1,1), shared=0 bytes");
  error = refused(0, LaunchConfig{grid_of(3000000000), block_of(1)}, ws::kernel<nothing>);
  EXPECT_EQ(error.code, Errc::grid_too_large);
  expect_text(error,
              "nothing' not launched: grid.x 3000000000 invalid (limit: 1..2147483647); give each "
              "thread more items (items_per_thread<N>), or use grid_stride",
              "grid=(3000000000,1,1), block=(1,1,1), shared=0 bytes");
}

TEST_F(Refusal, LaunchBounds) {
  const auto error = refused(0, LaunchConfig{ws::grid<1>, block_of(512)}, ws::kernel<bounded>);
  EXPECT_EQ(error.code, Errc::kernel_threads_exceeded);
  EXPECT_EQ(error.value, 512U);
  EXPECT_EQ(error.limit, 256U);
  expect_text(error,
              "bounded' not launched: block=(512,1,1) is 512 threads, limit 256 (this kernel's "
              "launch bounds and registers" +
                  on_device(0) + ")",
              "grid=(1,1,1), block=(512,1,1), shared=0 bytes",
              "\n  try block<256> and recompute the grid with cover(n, block<256>)");
}

TEST_F(Refusal, StaticAndDynamicSharedMemoryTogether) {
  const std::uint64_t dynamic = shared_limit - 6000 + 1;
  const auto error = refused(0, LaunchConfig{ws::grid<1>, ws::block<64>, ws::shared<char>(dynamic)},
                             ws::kernel<with_static>);
  EXPECT_EQ(error.code, Errc::shared_too_large);
  EXPECT_EQ(error.value, shared_limit + 1);
  EXPECT_EQ(error.limit, shared_limit);
  EXPECT_EQ(error.static_shared(), 6000U);
  const std::string total = std::to_string(shared_limit + 1);
  expect_text(error,
              "with_static' not launched: shared memory " + total + " bytes exceeds limit " +
                  std::to_string(shared_limit) + " (6000 static + " + std::to_string(dynamic) +
                  " dynamic, " + (is_cuda ? "opt-in included" : "no opt-in on this device") +
                  "): 1 too many",
              "grid=(1,1,1), block=(64,1,1), shared=" + std::to_string(dynamic) + " bytes");
}

TEST_F(Refusal, WrongDevice) {
  const ws::Stream stream = make_stream(3);
  native = stream.native();
  const auto launched =
      ws::launch(stream, LaunchConfig{ws::grid<1>, ws::block<64>}, ws::kernel<nothing>);
  const auto error = error_in(launched);
  EXPECT_TRUE(launches().empty());
  EXPECT_EQ(error.code, Errc::stream_wrong_device);
  EXPECT_EQ(error.device, 3);
  expect_text(
      error,
      "nothing' not launched: the stream belongs to device 3, but device 0 is current; make device "
      "3 current with DeviceGuard",
      "grid=(1,1,1), block=(64,1,1), shared=0 bytes");
}

TEST_F(Refusal, NegativeArgument) {
  const auto error =
      refused(0, LaunchConfig{ws::grid<1>, ws::block<64>}, ws::kernel<counted>, nullptr, -5);
  EXPECT_EQ(error.code, Errc::argument_negative);
  expect_text(error, "counted' not launched: argument 2 is -5, but the parameter is unsigned",
              "grid=(1,1,1), block=(64,1,1), shared=0 bytes");
  const auto least = refused(0, LaunchConfig{ws::grid<1>, ws::block<64>}, ws::kernel<counted>,
                             nullptr, std::numeric_limits<int>::min());
  EXPECT_EQ(least.value, 2147483648U);
}

TEST_F(Refusal, HostPointerThroughTrust) {
  const float here = 0;
  const auto error = refused(0, LaunchConfig{ws::grid<1>, ws::block<64>}, ws::kernel<counted>,
                             ws::trust(&here), 1);
  EXPECT_EQ(error.code, Errc::argument_host_pointer);
  expect_text(
      error,
      "counted' not launched: argument 1 is host memory, which the device cannot read; pass "
      "a device buffer's view, or pinned or managed memory",
      "grid=(1,1,1), block=(64,1,1), shared=0 bytes");
}

TEST_F(Refusal, PinnedMemoryThroughTrustIsFine) {
  void* memory = nullptr;
  ASSERT_EQ(Backend::host_allocate(memory, 64), 0);
  const ws::Stream stream = make_stream();
  EXPECT_THAT(ws::launch(stream, LaunchConfig{ws::grid<1>, ws::block<64>}, ws::kernel<counted>,
                         ws::trust(static_cast<const float*>(memory)), 16),
              Succeeds());
  EXPECT_EQ(Backend::host_deallocate(memory), 0);
}

TEST_F(Refusal, AFunctionThatIsNoKernel) {
  const auto error = refused(0, LaunchConfig{ws::grid<1>, ws::block<64>}, ws::kernel<impostor>);
  EXPECT_EQ(error.code, Errc::not_a_kernel);
  EXPECT_EQ(error.raw, is_cuda ? 400 : 13);
  EXPECT_EQ(std::string(error.raw_name.data, error.raw_name.size),
            is_cuda ? "cudaErrorInvalidResourceHandle" : "hipErrorInvalidSymbol");
  expect_text(
      error,
      "impostor' not launched: the runtime does not know this function as a kernel: it is a "
      "plain function, or its code is in a shared object with another copy of the runtime",
      "grid=(1,1,1), block=(64,1,1), shared=0 bytes");
  const ws::Stream stream = make_stream();
  EXPECT_EQ(error_in(ws::kernel_limits(stream, ws::kernel<impostor>)).code, Errc::not_a_kernel);
}

TEST_F(Refusal, NoCodeForTheDevice) {
  const int device = fresh_device();
  fail("FuncGetAttributes", 1, code::no_image);
  expect_no_code(device, code::no_image);
#if defined(WARPSAFE_BACKEND_HIP)
  amd_control_set_code(device, 0);
  expect_no_code(device, hipErrorInvalidKernelFile);
  amd_control_set_code(device, 1);
#endif
  // A refused size is not cached.
  const auto guard = ws::DeviceGuard::create(ws::DeviceId(device)).value();
  const ws::Stream stream = make_stream(device);
  EXPECT_THAT(
      ws::launch(stream, LaunchConfig{ws::grid<1>, ws::block<64>}, ws::kernel<floats>, 1.0F, 2.0),
      Succeeds());
}

TEST_F(Refusal, CooperativeTooLarge) {
  const ws::Stream stream = make_stream();
  const auto limits = ws::max_resident_blocks(stream, ws::kernel<nothing>, ws::block<1024>);
  ASSERT_THAT(limits, Succeeds());
  const std::uint64_t most = limits.value().count.magnitude;
  EXPECT_EQ(most % ws::device_limits(ws::DeviceId(0)).value().multiprocessors, 0U);
  const auto config = [](std::uint64_t blocks) {
    return LaunchConfig{grid_of(static_cast<unsigned>(blocks)), ws::block<1024>, ws::cooperative};
  };
  const auto error = refused(0, config(most + 1), ws::kernel<nothing>);
  EXPECT_EQ(error.code, Errc::cooperative_too_large);
  EXPECT_EQ(error.limit, most);
  expect_text(error,
              "nothing' not launched: a cooperative grid of " + std::to_string(most + 1) +
                  " blocks, limit " + std::to_string(most) + " (blocks that are resident at once" +
                  on_device(0) + "); use grid_stride with at most that many blocks",
              "grid=(" + std::to_string(most + 1) + ",1,1), block=(1024,1,1), shared=0 bytes");
  EXPECT_THAT(ws::launch(stream, config(most), ws::kernel<nothing>), Succeeds());
}

TEST_F(Refusal, DeclaredNeeds) {
  auto error = refused(0, LaunchConfig{ws::grid<1>, block_of(33)},
                       ws::kernel<nothing, ws::block_multiple_of<32>>);
  EXPECT_EQ(error.code, Errc::block_not_multiple);
  error = refused(0, LaunchConfig{ws::grid<1>, ws::block<64>},
                  ws::kernel<nothing, ws::requires_warp<is_cuda ? 64 : 32>>);
  EXPECT_EQ(error.code, Errc::warp_size_mismatch);
  EXPECT_EQ(error.value, is_cuda ? 32U : 64U);
}

#if defined(WARPSAFE_BACKEND_CUDA)
TEST_F(Refusal, Registers) {
  ASSERT_EQ(stand_in_cuda_override_kernel("_ZN11vendor_test7nothingEv",
                                          [] {
                                            static StandInCudaKernelInfo info;
                                            info = {-1, -1, -1, 128, -1, -1, -1, -1};
                                            return &info;
                                          }()),
            0);
  const auto error =
      refused(fresh_device(), LaunchConfig{ws::grid<1>, block_of(1024)}, ws::kernel<nothing>);
  EXPECT_EQ(error.code, Errc::kernel_threads_exceeded);
  EXPECT_EQ(error.limit, 512U);
}

TEST_F(Refusal, Clusters) {
  const auto with = [](unsigned blocks, auto cluster) {
    return LaunchConfig{grid_of(blocks), ws::block<64>, cluster};
  };
  auto error = refused(0, with(9, ws::cluster<2>), ws::kernel<nothing>);
  EXPECT_EQ(error.code, Errc::cluster_not_divisor);
  expect_text(error, "nothing' not launched: grid.x 9 is not a multiple of cluster.x 2",
              "grid=(9,1,1), block=(64,1,1), shared=0 bytes");
  error = refused(0, with(16, ws::ClusterDim::create(16).value()), ws::kernel<nothing>);
  EXPECT_EQ(error.code, Errc::cluster_too_large);
  expect_text(
      error,
      "nothing' not launched: a cluster of 16 blocks, limit 8 (cluster size" + of_device(0) + ")",
      "grid=(16,1,1), block=(64,1,1), shared=0 bytes");
  const int device = fresh_device();
  stand_in_cuda_set_attribute(device, cudaDevAttrClusterLaunch, 0);
  error = refused(device, with(2, ws::cluster<2>), ws::kernel<nothing>);
  EXPECT_EQ(error.code, Errc::cluster_unsupported);
  expect_text(error,
              "nothing' not launched: this device has no clusters of blocks (cluster size "
              "limit 0" +
                  of_device(device) + ")",
              "grid=(2,1,1), block=(64,1,1), shared=0 bytes");
}
#else
TEST_F(Refusal, MoreThanTheThreadsOfOneAxis) {
  const auto error =
      refused(0, LaunchConfig{grid_of(4194304), ws::block<1024>}, ws::kernel<nothing>);
  EXPECT_EQ(error.code, Errc::axis_threads_too_many);
  EXPECT_EQ(error.value, 4294967296U);
  expect_text(error,
              "nothing' not launched: grid.x times block.x is 4294967296 threads, limit 4294967295 "
              "per axis on AMD; give each thread more items, or use grid_stride",
              "grid=(4194304,1,1), block=(1024,1,1), shared=0 bytes");
}
#endif

TEST_F(Refusal, NoCooperativeLaunches) {
  const int device = fresh_device();
#if defined(WARPSAFE_BACKEND_CUDA)
  stand_in_cuda_set_attribute(device, cudaDevAttrCooperativeLaunch, 0);
#else
  amd_control_set_attribute(device, hipDeviceAttributeCooperativeLaunch, 0);
#endif
  const auto error = refused(device, LaunchConfig{ws::grid<1>, ws::block<64>, ws::cooperative},
                             ws::kernel<nothing>);
  EXPECT_EQ(error.code, Errc::cooperative_unsupported);
  expect_text(error,
              "nothing' not launched: this device has no cooperative launches "
              "(cooperativeLaunch 0" +
                  of_device(device) + ")",
              "grid=(1,1,1), block=(64,1,1), shared=0 bytes");
}

TEST_F(Refusal, NoDeviceAtAll) {
  const ws::Stream stream = make_stream();
  fail("GetDevice", 1, code::no_device);
  auto error =
      error_in(ws::launch(stream, LaunchConfig{ws::grid<1>, ws::block<64>}, ws::kernel<nothing>));
  EXPECT_EQ(error.code, Errc::no_device);
  EXPECT_EQ(error.raw, code::no_device);
  EXPECT_TRUE(launches().empty());
  fail("GetDevice", 1, code::insufficient_driver);
  error = error_in(ws::Stream::create());
  EXPECT_EQ(error.code, Errc::no_device);
  set_device_count(0);
  error = error_in(ws::Stream::create());
  EXPECT_EQ(error.code, Errc::no_device);
  EXPECT_EQ(ws::message(error),
            "stream create failed: no device was found: " + text_of(code::no_device) + " (" +
                prefix + "ErrorNoDevice, 100)\n  at " + place(error));
  set_device_count(device_count);
}

}  // namespace
}  // namespace vendor_test
