// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Group C, the launch call itself.
#include "misuse.hpp"
#include <warpsafe/module.hpp>

#include <fstream>
#include <iterator>
#include <vector>

#if !defined(WARPSAFE_BACKEND_HOST)
WARPSAFE_KERNEL_EXTERN void plain_function();  // not a kernel: see impostor.cpp
#endif

namespace misuse_test {
namespace {

using ws::block;
using ws::configure;
using ws::grid;
using ws::kernel;
using ws::launch;
using ws::shared;

using MisuseC01 = Misuse;
using MisuseC02 = Misuse;
using MisuseC03 = Misuse;
using MisuseC04 = Misuse;
using MisuseC08 = Misuse;
using MisuseC10 = Misuse;
using MisuseC11 = Misuse;
using MisuseC12 = Misuse;
using MisuseC13 = Misuse;
using MisuseC14 = Misuse;
using MisuseC15 = Misuse;
using MisuseC20 = Misuse;

constexpr LaunchConfig one_thread{grid<1>, block<1>};

// A module that holds a kernel 'scale' with these parameters.
using Scale = void(float, float*, unsigned long);
#if defined(WARPSAFE_BACKEND_HOST)
WARPSAFE_KERNEL void scale(float, float*, unsigned long) {}
WARPSAFE_KERNEL void declares_nothing() { *ws::dynamic_shared<int>() = 1; }
const ws::host::NamedKernel image[] = {ws::host::named<scale>("scale")};
#else
const std::vector<char> image = [] {
  std::ifstream file(VENDOR_TEST_MODULE, std::ios::binary);
  return std::vector<char>{std::istreambuf_iterator<char>(file), {}};
}();
#endif

// HIP's runtime does not report a kernel's parameters, so the declared signature is not checked
// there.
#if !defined(WARPSAFE_BACKEND_HIP)
TEST_F(MisuseC01, ModulesSignatureWithAnotherNumberOfParametersIsSaid) {
  const auto module = ws::Module::load(image).value();
  const ws::LaunchError error = error_in(module.kernel<void(float, float*)>("scale"));
  EXPECT_EQ(error.code, Errc::signature_mismatch);
  EXPECT_THAT(message(error),
              testing::HasSubstr("the kernel takes 3 parameters, the declared signature has 2"));
  note("call", message(error));
}

TEST_F(MisuseC02, ModulesSignatureWithAWiderParameterIsSaid) {
  const auto module = ws::Module::load(image).value();
  const ws::LaunchError error =
      error_in(module.kernel<void(double, float*, unsigned long)>("scale"));
  EXPECT_EQ(error.code, Errc::signature_mismatch);
  EXPECT_THAT(
      message(error),
      testing::HasSubstr("parameter 1 takes 4 bytes in the kernel, 8 in the declared signature"));
  note("call", message(error));
}
#endif

TEST_F(MisuseC12, WrongNameIsSaidWhereTheKernelIsTaken) {
  const auto module = ws::Module::load(image).value();
  const ws::LaunchError error = error_in(module.kernel<Scale>("scael"));
  EXPECT_EQ(error.code, Errc::kernel_not_found);
  EXPECT_THAT(message(error), testing::StartsWith("loading kernel 'scael' from a module in memory "
                                                  "failed: the module holds no kernel of that "
                                                  "name; "));
  EXPECT_TRUE(module.kernel<Scale>("scale").has_value());
  note("call", message(error));
}

TEST_F(MisuseC03, NegativeForUnsignedIsSaid) {
  expect_caught(launch(stream, one_thread, kernel<takes_unsigned>, -5),
                at_launch(Errc::argument_negative, 5, 0),
                {"argument 1 is -5, but the parameter is unsigned"}, Off::let_through,
                "takes_unsigned");
}

TEST_F(MisuseC04, TrustedHostMemoryIsFound) {
  std::vector<unsigned> host_memory(4);
  const char* const words = "argument 1 is host memory, which the device cannot read";
  expect_caught(launch(stream, LaunchConfig{ws::GridDim::from_vendor(one_block), block<1>},
                       kernel<mark>, ws::trust(host_memory.data()), std::uint64_t{0}),
                at_launch(Errc::argument_host_pointer, 0, 0), {words}, Off::let_through, "mark");
  expect_caught(launch(stream, one_thread, kernel<mark_through>, ws::trust(host_memory.data()),
                       std::uint64_t{0}),
                at_launch(Errc::argument_host_pointer, 0, 0), {words}, Off::let_through,
                "mark_through");
}

TEST_F(MisuseC04, TrustedMemoryGoesWhereADevicePtrIsTaken) {
  const std::uint64_t n = 300;
  expect_each_item_once(configure(ws::SafeGrid<>::cover(n, block<64>)), kernel<mark_through>, n, n,
                        5);
}

TEST_F(MisuseC08, BorrowedNullStreamIsSaid) {
  const ws::default_backend::native_stream none = nullptr;
  const ws::LaunchError error = error_in(ws::StreamRef::borrow(none, ws::DeviceId(0)));
  EXPECT_EQ(error.code, Errc::stream_null);
  EXPECT_EQ(error.stage, Stage::construction);
  EXPECT_THAT(message(error), testing::HasSubstr("create a Stream"));
  note("construction", message(error));
}

TEST_F(MisuseC10, TooLittleSharedMemoryIsSaid) {
  const auto needy = kernel<nothing, ws::needs_shared<float, 256>>;
  expect_caught(launch(stream, configure(grid<1>, block<32>, shared<float>(255)), needy),
                at_launch(Errc::shared_missing, 1020, 1024),
                {"needs 1024 bytes of dynamic shared memory, the launch gives 1020"},
                Off::let_through);
  expect_fine(launch(stream, configure(grid<1>, block<32>, shared<float>(256)), needy));
}

#if defined(WARPSAFE_BACKEND_HOST)
TEST_F(MisuseC10, SharedMemoryThatNobodyDeclaredIsSaidByTheKernel) {
  expect_fine(launch(stream, one_thread, kernel<declares_nothing>));
  const auto waited = stream.synchronize();
  ASSERT_FALSE(waited.has_value()) << "without checks the kernel writes to address 0";
  if (!checked) return;
  EXPECT_THAT(message(error_in(waited)),
              testing::HasSubstr("the kernel asks dynamic_shared for 1 element of 4 bytes, and "
                                 "the launch gives 0 bytes (set them with shared<T>(count))"));
  note("completion", message(error_in(waited)));
}
#endif

TEST_F(MisuseC11, ImpossibleCountsOfSharedMemoryAreSaid) {
  const int negative = -4;
  expect_caught(
      launch(stream, configure(grid<1>, block<32>, shared<float>(negative)), kernel<nothing>),
      made(Errc::shared_negative, 4, sizeof(float)), {"-4 elements"});
  const std::uint64_t much = std::uint64_t{1} << 62;
  expect_caught(
      launch(stream, configure(grid<1>, block<32>, shared<double>(much)), kernel<nothing>),
      made(Errc::shared_overflow, much, sizeof(double)),
      {"4611686018427387904 elements of 8 bytes does not fit"});
}

TEST_F(MisuseC13, CodeThatIsMissingIsSaid) {
  lose_code();
  expect_caught(launch(stream, one_thread, kernel<without_code>),
                at_launch(Errc::no_kernel_image, 0, 0),
                {"the program has no code for device 0", "add its architecture to the build"},
                Off::refused, "without_code");
}

#if !defined(WARPSAFE_BACKEND_HOST)
TEST_F(MisuseC13, ModuleWithoutCodeIsSaidWhereItIsLoaded) {
  vendor_test::fail(is_cuda ? "LibraryLoadData" : "ModuleLoadData", 1, vendor_test::code::no_image);
  const ws::LaunchError error = error_in(ws::Module::load(image));
  EXPECT_EQ(error.code, Errc::no_kernel_image);
  EXPECT_THAT(message(error), testing::HasSubstr("the module has no code for device 0"));
  note("call", message(error));
}
#endif

#if defined(WARPSAFE_BACKEND_HIP)
TEST_F(MisuseC13, CodeForAnotherArchitectureIsSaid) {
  const int device = fresh_device();
  amd_control_set_code(device, 0);
  const auto guard = ws::DeviceGuard::create(ws::DeviceId(device)).value();
  const ws::Stream there = make_stream(device);
  expect_caught(launch(there, one_thread, kernel<without_code>),
                at_launch(Errc::no_kernel_image, 0, 0), {"the program has no code for device"},
                Off::refused, "without_code");
  amd_control_set_code(device, 1);
}
#endif

#if !defined(WARPSAFE_BACKEND_HOST)
TEST_F(MisuseC14, FunctionThatTheRuntimeDoesNotKnowIsSaid) {
  expect_caught(
      launch(stream, one_thread, kernel<plain_function>), at_launch(Errc::not_a_kernel, 0, 0),
      {"the runtime does not know this function as a kernel"}, Off::refused, "plain_function");
}
#endif

TEST_F(MisuseC15, CurrentDeviceIsCompared) {
  two_devices();
  const auto guard = ws::DeviceGuard::create(ws::DeviceId(1));
  ASSERT_TRUE(guard.has_value());
  // CUDA 13 on an H200, and AMD's runtime before release 7, run it on the stream's device.
  expect_caught(launch(stream, one_thread, kernel<nothing>),
                at_launch(Errc::stream_wrong_device, 1, 0),
                {"the stream belongs to device 0, but device 1 is current"},
                is_host || on_hip_7() ? Off::refused : Off::let_through);
}

TEST_F(MisuseC20, ArgumentsAreThoseOfTheLaunch) {
#if defined(WARPSAFE_BACKEND_HOST)
  void* memory = nullptr;
  ASSERT_EQ(ws::default_backend::allocate(memory, 1000 * sizeof(unsigned), stream.native()), 0);
  ASSERT_EQ(ws::default_backend::fill(memory, 0, 1000 * sizeof(unsigned), stream.native()), 0);
  {
    std::uint64_t n = 1000;
    expect_fine(launch(stream, configure(ws::SafeGrid<>::cover(n, block<64>)), kernel<mark>,
                       ws::trust(static_cast<unsigned*>(memory)), n));
    n = 0;
  }
  expect_fine(stream.synchronize());
  EXPECT_EQ(static_cast<unsigned*>(memory)[999], 1U);
  EXPECT_EQ(ws::default_backend::deallocate(memory, stream.native()), 0);
#else
  {
    double first = 2.5;
    int second = 7;
    char third = 'c';
    expect_fine(launch(stream, one_thread, kernel<takes_structure>, first, second, third));
    first = 0, second = 0, third = 0;
  }
  const auto launched = vendor_test::last_launch();
  EXPECT_EQ(vendor_test::argument<double>(launched, 0), 2.5);
  EXPECT_EQ(vendor_test::argument<int>(launched, 1), 7);
  EXPECT_EQ(vendor_test::argument<char>(launched, 2), 'c');
#endif
  note_impossible("arguments are copied by the launch; nothing of the caller's is read later");
}

}  // namespace
}  // namespace misuse_test
