// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What the runtime receives of a launch: function, dimensions, shared bytes, stream, attributes.
#include "../device_launches.hpp"
#include "../kernels.hpp"
#include "../stand_in.hpp"

#include <string>

namespace vendor_test {
namespace {

namespace ws = warpsafe;
using testing::HasSubstr;

class LaunchTest : public VendorTest {
 protected:
#if defined(WARPSAFE_BACKEND_CUDA)
  template <ws::CheckLevel Level>
  void expect_dependent(int ptx_version, int dependent_launches);
#endif
};

void expect_dims(const Launch& launch, dim3 grid, dim3 block) {
  EXPECT_EQ(launch.grid.x, grid.x);
  EXPECT_EQ(launch.grid.y, grid.y);
  EXPECT_EQ(launch.grid.z, grid.z);
  EXPECT_EQ(launch.block.x, block.x);
  EXPECT_EQ(launch.block.y, block.y);
  EXPECT_EQ(launch.block.z, block.z);
}

TEST_F(LaunchTest, PassesEverything) {
  const ws::Stream stream = make_stream();
  const auto config =
      ws::configure(ws::GridDim::from_blocks(5, 6, 7), ws::block<8, 4, 2>, ws::shared<float>(25));
  ASSERT_THAT(ws::launch(stream, config, ws::kernel<nothing>), Succeeds());
  const Launch launch = last_launch();
  EXPECT_EQ(launch.function, prefix + "LaunchKernel");
  EXPECT_EQ(launch.host_function, ws::kernel<nothing>.entry().function);
  EXPECT_THAT(launch.kernel, HasSubstr("nothing"));
  expect_dims(launch, dim3(5, 6, 7), dim3(8, 4, 2));
  EXPECT_EQ(launch.dynamic_shared_bytes, 100U);
  EXPECT_EQ(launch.stream, stream.native());
  EXPECT_EQ(launch.device, 0);
  EXPECT_EQ(launch.cooperative, 0);
  EXPECT_EQ(launch.captured, 0);
  EXPECT_EQ(launches().size(), 1U);
}

TEST_F(LaunchTest, TheLargestGridOfEachAxis) {
  const ws::Stream stream = make_stream();
  const auto send = [&](auto grid) {
    return ws::launch(stream, ws::configure(grid, ws::block<1>), ws::kernel<nothing>);
  };
  EXPECT_THAT(send(ws::grid<2147483647>), Succeeds());
  expect_dims(last_launch(), dim3(2147483647), dim3(1));
  EXPECT_THAT((send(ws::grid<1, 65535>)), Succeeds());
  EXPECT_THAT((send(ws::grid<1, 1, 65535>)), Succeeds());
  EXPECT_EQ(launches().size(), 3U);
}

TEST_F(LaunchTest, AnEmptyGridLaunchesNothing) {
  const ws::Stream stream = make_stream();
  const auto calls = calls_of([&] {
    const auto config = ws::configure(ws::SafeGrid<>::cover_or_empty(0, ws::block<256>));
    EXPECT_THAT(ws::launch(stream, config, ws::kernel<nothing>), Succeeds());
    EXPECT_THAT(ws::launch<ws::CheckLevel::off>(stream, config, ws::kernel<nothing>), Succeeds());
  });
  EXPECT_THAT(calls, testing::IsEmpty());
}

TEST_F(LaunchTest, AFailedConfigurationLaunchesNothing) {
  const ws::Stream stream = make_stream();
  const auto config = ws::configure(ws::SafeGrid<>::cover(-1, ws::block<256>));
  const auto calls = calls_of([&] {
    EXPECT_EQ(error_in(ws::launch(stream, config, ws::kernel<nothing>)).code,
              ws::Errc::size_negative);
  });
  EXPECT_THAT(calls, testing::IsEmpty());
}

TEST_F(LaunchTest, Cooperative) {
  const ws::Stream stream = make_stream();
  const auto config =
      ws::configure(ws::grid<4>, ws::block<64>, ws::cooperative, ws::shared<int>(32));
  ASSERT_THAT(ws::launch(stream, config, ws::kernel<nothing>), Succeeds());
  const Launch launch = last_launch();
  EXPECT_EQ(launch.function, prefix + (is_cuda ? "LaunchKernelExC" : "LaunchCooperativeKernel"));
  EXPECT_EQ(launch.cooperative, 1);
  EXPECT_EQ(launch.dynamic_shared_bytes, 128U);
  EXPECT_EQ(launch.stream, stream.native());
  expect_dims(launch, dim3(4), dim3(64));
}

#if defined(WARPSAFE_BACKEND_CUDA)
TEST_F(LaunchTest, Cluster) {
  const ws::Stream stream = make_stream();
  const auto config = ws::configure(ws::grid<8, 4, 2>, ws::block<32>, ws::cluster<4, 2, 1>);
  ASSERT_THAT(ws::launch(stream, config, ws::kernel<nothing>), Succeeds());
  const Launch launch = last_launch();
  EXPECT_EQ(launch.function, std::string("cudaLaunchKernelExC"));
  EXPECT_EQ(launch.cluster.x, 4U);
  EXPECT_EQ(launch.cluster.y, 2U);
  EXPECT_EQ(launch.cluster.z, 1U);
  EXPECT_EQ(launch.cooperative, 0);
  EXPECT_EQ(count("FuncSetAttribute"), 0U);
}

TEST_F(LaunchTest, NonPortableClusterRaisesTheKernelsAttribute) {
  const ws::Stream stream = make_stream();
  const auto config = ws::configure(ws::grid<32>, ws::block<32>, ws::non_portable_cluster<16>);
  ASSERT_THAT(ws::launch(stream, config, ws::kernel<nothing>), Succeeds());
  EXPECT_EQ(last_launch().cluster.x, 16U);
  EXPECT_GT(count("FuncSetAttribute"), 0U);
}

TEST_F(LaunchTest, SharedMemoryIsRaisedOnTheStreamsDevice) {
  const ws::DeviceId device(fresh_device());
  const ws::Stream stream = ws::Stream::create(device).value();
  const auto launch = [&] {
    return ws::launch<ws::CheckLevel::off>(
        stream, ws::LaunchConfig{ws::grid<1>, ws::block<32>, ws::shared<char>(60000)},
        ws::kernel<nothing>);
  };
  static_cast<void>(launch());  // while another device is current
  const auto guard = ws::DeviceGuard::create(device).value();
  EXPECT_THAT(launch(), Succeeds());
}

TEST_F(LaunchTest, PriorityAndProgrammaticLaunch) {
  const ws::Stream stream = make_stream();
  const auto config =
      ws::configure(ws::priority(-3), ws::grid<1>, ws::dependent_launch, ws::block<32>);
  ASSERT_THAT((ws::launch(stream, config, ws::kernel<nothing, ws::waits_for_predecessor>)),
              Succeeds());
  const Launch launch = last_launch();
  EXPECT_EQ(launch.priority, -3);
  EXPECT_EQ(launch.programmatic_serialization, 1);
  EXPECT_EQ(launch.cluster.x, 0U);
}

TEST_F(LaunchTest, AllAttributesAtOnce) {
  const ws::Stream stream = make_stream();
  const auto config = ws::configure(ws::grid<4>, ws::block<32>, ws::cluster<2>, ws::cooperative,
                                    ws::priority(-1), ws::dependent_launch, ws::shared<char>(7));
  ASSERT_THAT((ws::launch(stream, config, ws::kernel<nothing, ws::waits_for_predecessor>)),
              Succeeds());
  const Launch launch = last_launch();
  EXPECT_EQ(launch.cluster.x, 2U);
  EXPECT_EQ(launch.cooperative, 1);
  EXPECT_EQ(launch.priority, -1);
  EXPECT_EQ(launch.programmatic_serialization, 1);
  EXPECT_EQ(launch.dynamic_shared_bytes, 7U);
}

constexpr auto waiting = ws::kernel<nothing, ws::waits_for_predecessor>;
constexpr ws::LaunchConfig dependent{ws::grid<1>, ws::block<32>, ws::dependent_launch};

/// Makes the kernel's code that of PTX for an older architecture, which the driver compiles.
void compile_for(int ptx_version) {
  const StandInCudaKernelInfo info{-1, -1, -1, -1, -1, -1, -1, -1, ptx_version};
  ASSERT_EQ(stand_in_cuda_override_kernel("_ZN11vendor_test7nothingEv", &info), 0);
}

template <ws::CheckLevel Level>
void LaunchTest::expect_dependent(int ptx_version, int dependent_launches) {
  compile_for(ptx_version);
  const int device = fresh_device();
  const auto guard = ws::DeviceGuard::create(ws::DeviceId(device)).value();
  const ws::Stream stream = make_stream(device);
  for (int i = 0; i < 2; ++i) {
    ASSERT_THAT(ws::launch<Level>(stream, dependent, waiting), Succeeds());
    EXPECT_EQ(last_launch().programmatic_serialization, dependent_launches) << ptx_version;
    EXPECT_EQ(last_launch().stream, stream.native());
  }
  const auto with_priority = ws::configure(ws::grid<1>, ws::block<32>, ws::dependent_launch,
                                           ws::priority(-2), ws::shared<char>(7));
  ASSERT_THAT(ws::launch<Level>(stream, with_priority, waiting), Succeeds());
  EXPECT_EQ(last_launch().programmatic_serialization, dependent_launches) << ptx_version;
  EXPECT_EQ(last_launch().priority, -2);
  EXPECT_EQ(last_launch().dynamic_shared_bytes, 7U);
}

TEST_F(LaunchTest, CodeWithoutTheWaitBeginsAfterItsPredecessor) {
  expect_dependent<ws::CheckLevel::full>(80, 0);
  expect_dependent<ws::CheckLevel::full>(89, 0);
  expect_dependent<ws::CheckLevel::off>(75, 0);
  expect_dependent<ws::CheckLevel::full>(90, 1);
  expect_dependent<ws::CheckLevel::off>(90, 1);
}

TEST_F(LaunchTest, TheCodeOfADependentLaunchIsAskedForOnce) {
  const int device = fresh_device();
  const auto guard = ws::DeviceGuard::create(ws::DeviceId(device)).value();
  const ws::Stream stream = make_stream(device);
  const auto launched = [&] { return ws::launch<ws::CheckLevel::off>(stream, dependent, waiting); };
  fail("FuncGetAttributes", 1, code::no_image);
  EXPECT_EQ(error_in(launched()).code, ws::Errc::no_kernel_image);
  EXPECT_THAT(launches(), testing::IsEmpty());
  ASSERT_THAT(launched(), Succeeds());
  ASSERT_THAT(launched(), Succeeds());
  EXPECT_EQ(count("FuncGetAttributes"), 2U);  // the call that failed, and the first that succeeds
}
#else
TEST_F(LaunchTest, PrioritiesOfOneLaunchDoNotExist) {
  const ws::Stream stream = make_stream();
  const auto config = ws::configure(ws::grid<1>, ws::block<32>, ws::priority(-3));
  const auto error = error_in(ws::launch(stream, config, ws::kernel<nothing>));
  EXPECT_EQ(error.code, ws::Errc::unsupported);
  EXPECT_EQ(error.raw, hipErrorNotSupported);
  EXPECT_TRUE(launches().empty());
}
#endif

TEST_F(LaunchTest, FromADeviceCompilersFile) {
  const ws::Stream stream = make_stream();
  ASSERT_THAT(launch_local(stream, 41), Succeeds());
  Launch launch = last_launch();
  EXPECT_THAT(launch.kernel, HasSubstr("local_kernel"));
  EXPECT_EQ(argument<int>(launch, 0), 41);

  ASSERT_THAT(launch_template_float(stream, 2.5F), Succeeds());
  launch = last_launch();
  EXPECT_THAT(launch.kernel, HasSubstr("typed_kernel"));
  EXPECT_EQ(argument<float>(launch, 0), 2.5F);
  ASSERT_THAT(launch_template_long(stream, -7), Succeeds());
  EXPECT_NE(last_launch().host_function, launch.host_function);
  EXPECT_EQ(argument<long>(last_launch(), 0), -7);
}

TEST_F(LaunchTest, AnOverloadIsPickedByItsSignature) {
  const ws::Stream stream = make_stream();
  ASSERT_THAT(launch_overload_int(stream, 3), Succeeds());
  EXPECT_EQ(argument<int>(last_launch(), 0), 3);
  const void* first = last_launch().host_function;
  ASSERT_THAT(launch_overload_double(stream, 3.5), Succeeds());
  EXPECT_EQ(argument<double>(last_launch(), 0), 3.5);
  EXPECT_NE(last_launch().host_function, first);
}

TEST_F(LaunchTest, AFunctorIsItsKernelsFirstArgument) {
  const ws::Stream stream = make_stream();
  ASSERT_THAT(launch_functor(stream, Scale{2.0, 'u'}, 9), Succeeds());
  const Launch launch = last_launch();
  EXPECT_THAT(launch.kernel, HasSubstr("functor_entry"));
  ASSERT_EQ(launch.argument_count, 3U);
  EXPECT_EQ(argument<Scale>(launch, 0).factor, 2.0);
  EXPECT_EQ(argument<Scale>(launch, 0).unit, 'u');
  EXPECT_EQ(argument<float*>(launch, 1), nullptr);
  EXPECT_EQ(argument<unsigned long>(launch, 2), 9U);
}

TEST_F(LaunchTest, AnExternalKernelIsOneForEveryCompiler) {
  const ws::Stream stream = make_stream();
  ASSERT_THAT(launch_floats_from_device_file(stream, 1.5F, 2.5), Succeeds());
  const void* function = last_launch().host_function;
  EXPECT_EQ(function, ws::kernel<floats>.entry().function);
  ASSERT_THAT(launch_floats_from_clang(stream, 3.5F, 4.5), Succeeds());
  EXPECT_EQ(last_launch().host_function, function);
  EXPECT_EQ(argument<float>(last_launch(), 0), 3.5F);
  EXPECT_EQ(argument<double>(last_launch(), 1), 4.5);
  ASSERT_THAT(
      ws::launch(stream, ws::configure(ws::grid<1>, ws::block<1>), ws::kernel<floats>, 5.5F, 6.5),
      Succeeds());
  EXPECT_EQ(last_launch().host_function, function);
}

}  // namespace
}  // namespace vendor_test
