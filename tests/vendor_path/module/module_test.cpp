// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Modules over a vendor's runtime: the loaded code, the calls, and the errors.

#include "../stand_in.hpp"
#include <warpsafe/graph.hpp>
#include <warpsafe/launch/occupancy.hpp>
#include <warpsafe/module.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace vendor_test {

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;
using warpsafe::Errc;
using warpsafe::Module;

const char* const image_path = VENDOR_TEST_MODULE;
const char* const offset_name = "_ZN3app6offsetIdEEvPT_S1_";
const char* const add_name = "_ZN3app6add_toEPKfPfm";
using Scale = void(float, float*, unsigned long);
const std::string architecture = is_cuda ? "sm_90" : "gfx90a";

std::vector<char> image() {
  std::ifstream file(image_path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
template <class Result>
std::string said(const Result& outcome) {
  return warpsafe::message(error_in(outcome));
}

class ModuleTest : public VendorTest {};

TEST_F(ModuleTest, AKernelOfAFileReachesTheRuntime) {
  const auto stream = make_stream();
  const auto module = Module::load_file(image_path).value();
  const auto scale = module.kernel<Scale>("scale").value();
  warpsafe::device_ptr<float> no_memory = nullptr;
  const warpsafe::LaunchConfig config{warpsafe::grid<3>, warpsafe::block<64>};
  ASSERT_THAT(warpsafe::launch(stream, config, scale, 2.5F, no_memory, 100), Succeeds());
  const Launch launch = last_launch();
  EXPECT_STREQ(launch.kernel, "scale");
  EXPECT_STREQ(launch.function, is_cuda ? "cudaLaunchKernel" : "hipModuleLaunchKernel");
  EXPECT_EQ(launch.grid.x, 3U);
  EXPECT_EQ(launch.block.x, 64U);
  EXPECT_EQ(launch.stream, stream.native());
  EXPECT_EQ(launch.result, code::success);
  ASSERT_EQ(launch.arguments_known, 1);
  EXPECT_EQ(argument<float>(launch, 0), 2.5F);
  EXPECT_EQ(argument<unsigned long>(launch, 2), 100U);
}

TEST_F(ModuleTest, AMangledNameTellsTheTypesOfParameters) {
  const auto module = Module::load(image()).value();
  using Add = void(const float*, float*, unsigned long);
  EXPECT_THAT(module.kernel<Add>(add_name), Succeeds());
  const auto swapped = module.kernel<void(float*, const float*, unsigned long)>(add_name);
  EXPECT_EQ(error_in(swapped).code, Errc::signature_mismatch);
  EXPECT_THAT(said(swapped), HasSubstr("parameter 2 is float32* in the kernel, const float32* in "
                                       "the declared signature"));
  // An extern "C" name tells nothing, nor does that of a template.
  EXPECT_THAT((module.kernel<void(float, const float*, unsigned long)>("scale")), Succeeds());
  EXPECT_THAT((module.kernel<void(const double*, double)>(offset_name)), Succeeds());
}

TEST_F(ModuleTest, AnImageInMemoryIsCopied) {
  auto bytes = image();
  const auto module = Module::load(bytes).value();
  bytes.assign(bytes.size(), '\0');
  EXPECT_THAT(module.kernel<Scale>("scale"), Succeeds());
}

TEST_F(ModuleTest, ALaterLaunchMakesNoFurtherCalls) {
  const auto stream = make_stream();
  const auto module = Module::load(image()).value();
  const auto bounded = module.kernel<void(int*)>("bounded").value();
  const warpsafe::LaunchConfig config{warpsafe::grid<1>, warpsafe::block<64>};
  const auto launch = [&] {
    EXPECT_THAT(warpsafe::launch(stream, config, bounded, nullptr), Succeeds());
  };
  launch();
  EXPECT_THAT(calls_of(launch),
              ElementsAre("GetDevice", is_cuda ? "LaunchKernel" : "ModuleLaunchKernel"));
  EXPECT_THAT(calls_of([&] {
                EXPECT_THAT(
                    warpsafe::launch<warpsafe::CheckLevel::off>(stream, config, bounded, nullptr),
                    Succeeds());
              }),
              ElementsAre(is_cuda ? "LaunchKernel" : "ModuleLaunchKernel"));
}

TEST_F(ModuleTest, TheDriversLimitsOfTheKernelAreChecked) {
  const auto stream = make_stream();
  const auto module = Module::load(image()).value();
  const auto bounded = module.kernel<void(int*)>("bounded").value();
  EXPECT_EQ(warpsafe::kernel_limits(stream, bounded).value().max_threads_per_block, 256U);
  const auto refused = warpsafe::launch(
      stream, warpsafe::LaunchConfig{warpsafe::grid<1>, warpsafe::block<512>}, bounded, nullptr);
  EXPECT_EQ(error_in(refused).code, Errc::kernel_threads_exceeded);
  EXPECT_THAT(said(refused), HasSubstr("Kernel 'bounded' not launched: block=(512,1,1) is 512 "
                                       "threads, limit 256"));
  EXPECT_EQ(launches().size(), 0U);
  EXPECT_GT(
      warpsafe::max_resident_blocks(stream, bounded, warpsafe::block<256>).value().count.magnitude,
      0U);
}

TEST_F(ModuleTest, DynamicSharedMemoryIsRaisedOnceForAllHandles) {
  const auto stream = make_stream();
  const auto module = Module::load(image()).value();
  const auto launch = [&](std::size_t count) {
    const auto kernel = module.kernel<void(float*)>("shared_sum").value();
    const auto config =
        warpsafe::configure(warpsafe::grid<1>, warpsafe::block<32>, warpsafe::shared<float>(count));
    EXPECT_THAT(warpsafe::launch(stream, config, kernel, nullptr), Succeeds());
  };
  launch(15000);
  launch(13000);
  launch(15000);
  EXPECT_EQ(count("FuncSetAttribute"), is_cuda ? 1U : 0U);
  EXPECT_EQ(launches().size(), 3U);
}

TEST_F(ModuleTest, ACooperativeLaunchIsOne) {
  const auto stream = make_stream();
  const auto module = Module::load(image()).value();
  const auto bounded = module.kernel<void(int*)>("bounded").value();
  const warpsafe::LaunchConfig config{warpsafe::grid<2>, warpsafe::block<64>,
                                      warpsafe::cooperative};
  const auto launched = warpsafe::launch(stream, config, bounded, nullptr);
#if defined(HIP_VERSION) && HIP_VERSION < 60000000
  EXPECT_EQ(error_in(launched).code, Errc::unsupported) << "not in these headers";
  return;
#endif
  ASSERT_THAT(launched, Succeeds());
  EXPECT_EQ(last_launch().cooperative, 1);
  const auto too_many = warpsafe::launch(
      stream,
      warpsafe::LaunchConfig{warpsafe::grid<1000000>, warpsafe::block<64>, warpsafe::cooperative},
      bounded, nullptr);
  EXPECT_EQ(error_in(too_many).code, Errc::cooperative_too_large);
}

// The module's end waits for the device, which would break a capture.
TEST_F(ModuleTest, AnEndBesideACaptureOfAnotherThreadBreaksNothing) {
  const auto stream = make_stream();
  const auto other = make_stream();
  std::atomic<bool> ends{false};
  std::thread ending([&] {
    const warpsafe::LaunchConfig config{warpsafe::grid<1>, warpsafe::block<64>};
    const warpsafe::device_ptr<float> no_memory = nullptr;
    while (!ends) {
      const auto module = Module::load(image()).value();
      const auto scale = module.kernel<Scale>("scale").value();
      EXPECT_THAT(warpsafe::launch(stream, config, scale, 2.0F, no_memory, 0UL), Succeeds());
    }
  });
  for (int i = 0; i < 200; ++i) {
    EXPECT_THAT(warpsafe::capture(
                    other, [](warpsafe::Capture&) { return warpsafe::success(); },
                    warpsafe::CaptureMode::thread),
                Succeeds());
  }
  ends = true;
  ending.join();
}

TEST_F(ModuleTest, ACaptureThatIsDroppedUnloadsTheModuleThatItKept) {
  const auto stream = make_stream();
  const warpsafe::LaunchConfig config{warpsafe::grid<1>, warpsafe::block<64>};
  const warpsafe::device_ptr<float> no_memory = nullptr;
  auto capture = warpsafe::Capture::begin(stream, warpsafe::CaptureMode::relaxed).value();
  {
    const auto module = Module::load(image()).value();
    const auto scale = module.kernel<Scale>("scale").value();
    EXPECT_THAT(warpsafe::launch(stream, config, scale, 2.0F, no_memory, 0UL), Succeeds());
  }
  const char* const unload = is_cuda ? "LibraryUnload" : "ModuleUnload";
  EXPECT_EQ(count(unload), 0U);
  capture.discard();
  EXPECT_EQ(count(unload), 1U);
}

TEST_F(ModuleTest, AWrongNameNamesWhatThereIs) {
  const auto module = Module::load_file(image_path).value();
  const auto wrong = module.kernel<Scale>("scale_");
  EXPECT_EQ(error_in(wrong).code, Errc::kernel_not_found);
  EXPECT_THAT(
      said(wrong),
      AllOf(HasSubstr(std::string("loading kernel 'scale_' from module '") + image_path +
                      "' failed: the module holds no kernel of that name; " +
                      (is_cuda ? "it holds: " : "pass the mangled name ")),
            HasSubstr(is_cuda ? "(cudaErrorSymbolNotFound, 500)" : "(hipErrorNotFound, 500)")));
  if (!is_cuda) return;  // AMD's runtime does not list them
  EXPECT_THAT(said(wrong), AllOf(HasSubstr("scale, "), HasSubstr("bounded"),
                                 HasSubstr("shared_sum"), HasSubstr(offset_name)));
}

TEST_F(ModuleTest, ATemplatesKernelHasItsMangledName) {
  const auto module = Module::load(image()).value();
  EXPECT_EQ(error_in(module.kernel<void(double*, double)>("offset")).code, Errc::kernel_not_found);
  EXPECT_THAT((module.kernel<void(double*, double)>(offset_name)), Succeeds());
}

#if defined(WARPSAFE_BACKEND_CUDA)  // AMD's runtime does not list them
TEST_F(ModuleTest, TheNamesCanBeVisited) {
  const auto module = Module::load(image()).value();
  std::vector<std::string> names;
  module.visit_kernels([&](warpsafe::Name name) { names.emplace_back(name.data, name.size); });
  EXPECT_THAT(names, UnorderedElementsAre("scale", "bounded", "shared_sum", offset_name, add_name));
}
#endif

TEST_F(ModuleTest, TheSignatureIsComparedWhereTheDriverTells) {
  const auto module = Module::load(image()).value();
  const auto fewer = module.kernel<void(float, float*)>("scale");
  const auto other = module.kernel<void(double, float*, unsigned long)>("scale");
  if (!is_cuda) {
    EXPECT_THAT(fewer, Succeeds()) << "HIP tells nothing";
    return;
  }
  EXPECT_EQ(error_in(fewer).code, Errc::signature_mismatch);
  EXPECT_THAT(said(fewer), HasSubstr("takes 3 parameters, the declared signature has 2"));
  EXPECT_THAT(said(module.kernel<void(float, float*, unsigned long, int)>("scale")),
              HasSubstr("takes 3 parameters, the declared signature has 4"));
  EXPECT_THAT(said(other), HasSubstr("parameter 1 takes 4 bytes in the kernel"));
  EXPECT_EQ(last_error(), code::success) << "asking left an error behind";
}

TEST_F(ModuleTest, CodeForAnotherDeviceIsSaid) {
  const std::string load = is_cuda ? "LibraryLoadData" : "ModuleLoadData";
  fail(load, 1, code::no_image);
  const auto missing = Module::load(image());
  EXPECT_EQ(error_in(missing).code, Errc::no_kernel_image);
  EXPECT_THAT(said(missing),
              HasSubstr("loading a module in memory failed: the module has no code for device 0 '" +
                        std::string(device_name) + (is_cuda ? "' (sm_90)" : "'") + ": it holds " +
                        architecture));
  // With lazy loading, this only shows at the first query about the kernel.
  const auto module = Module::load(image()).value();
  fail(is_cuda ? "FuncGetAttributes" : "FuncGetAttribute", 1, code::no_image);
  const auto late = module.kernel<Scale>("scale");
  EXPECT_EQ(error_in(late).code, Errc::no_kernel_image);
  EXPECT_THAT(said(late), HasSubstr("loading kernel 'scale' from a module in memory failed: the "
                                    "module has no code for device 0"));
}

TEST_F(ModuleTest, WhatIsNoImageIsRefused) {
  const auto path = Module::load(std::string("axpy.cubin"));
  EXPECT_EQ(error_in(path).code, Errc::module_invalid);
  EXPECT_THAT(said(path),
              HasSubstr(std::string("the runtime cannot load the image: 10 bytes that are not a ") +
                        (is_cuda ? "cubin, fatbin or PTX" : "code object or bundle") +
                        "; to load a file, call load_file(path)"));
  EXPECT_EQ(error_in(Module::load(std::string())).code, Errc::module_invalid);
}

#if defined(WARPSAFE_BACKEND_CUDA)
TEST_F(ModuleTest, OnlyPtxIsCompiledAndHasMessages) {
  const auto options = [](const std::string& code_image) {
    static_cast<void>(Module::load(std::vector<char>(code_image.begin(), code_image.end())));
    std::string arguments;
    for (const auto& call : recorded_calls()) {
      if (std::string(call.function) == "cudaLibraryLoadData") arguments = call.arguments;
    }
    return arguments.substr(arguments.rfind(' ') + 1);
  };
  const auto whole = image();
  EXPECT_EQ(options({whole.begin(), whole.end()}), "0");
  EXPECT_EQ(options("//\n.version 8.0\n.target sm_75\n.address_size 64\n"), "2");
}
#else
TEST_F(ModuleTest, WhatIsNoImageIsRefusedWithTheAnswerOfEachRelease) {
  for (const auto answer : {hipErrorInvalidKernelFile, hipErrorInvalidImage}) {
    fail("ModuleLoadData", 1, answer);
    const auto path = Module::load(std::string("axpy.hsaco"));
    EXPECT_EQ(error_in(path).code, Errc::module_invalid);
    EXPECT_EQ(error_in(path).raw, answer);
    EXPECT_THAT(said(path), HasSubstr("10 bytes that are not a code object or bundle"));
  }
}
#endif

TEST_F(ModuleTest, ABrokenImageIsReadWithinItsBounds) {
  const auto whole = image();
  for (std::size_t size = 0; size < whole.size(); size += 61) {
    fail(is_cuda ? "LibraryLoadData" : "ModuleLoadData", 1, code::no_image);
    const auto cut =
        Module::load(std::vector<char>(whole.begin(), whole.begin() + static_cast<long>(size)));
    EXPECT_EQ(error_in(cut).code, Errc::no_kernel_image);
  }
}

TEST_F(ModuleTest, IsUnloadedAfterItsLaunches) {
  const std::string unload = is_cuda ? "LibraryUnload" : "ModuleUnload";
  const auto stream = make_stream();
  {
    const auto kernel = [] {
      const auto module = Module::load(image()).value();
      return module.kernel<void(int*)>("bounded").value();
    }();
    EXPECT_EQ(count(unload), 0U) << "the kernel keeps it";
    const warpsafe::LaunchConfig config{warpsafe::grid<1>, warpsafe::block<64>};
    ASSERT_THAT(warpsafe::launch(stream, config, kernel, nullptr), Succeeds());
    EXPECT_EQ(count("DeviceSynchronize"), 0U);
  }
  EXPECT_EQ(count("DeviceSynchronize"), 1U);
  EXPECT_EQ(count(unload), 1U);
}

TEST_F(ModuleTest, AFailedWaitLeavesItLoaded) {
  const auto stream = make_stream();
  auto module = std::optional(Module::load(image()).value());
  {
    const auto kernel = module->kernel<void(int*)>("bounded").value();
    const warpsafe::LaunchConfig config{warpsafe::grid<1>, warpsafe::block<64>};
    ASSERT_THAT(warpsafe::launch(stream, config, kernel, nullptr), Succeeds());
  }
  fail("DeviceSynchronize", 1, code::capture_unsupported);
  EXPECT_EQ(error_in(module->close()).code, Errc::stream_capturing);
  EXPECT_EQ(count(is_cuda ? "LibraryUnload" : "ModuleUnload"), 0U);
}

TEST_F(ModuleTest, OnAnotherDevice) {
  const auto other = make_stream(1);
  const auto module = Module::load(image()).value();
  const auto kernel = module.kernel<void(int*)>("bounded").value();
  const auto guard = warpsafe::DeviceGuard::create(warpsafe::DeviceId(1)).value();
  const auto launched = warpsafe::launch(
      other, warpsafe::LaunchConfig{warpsafe::grid<1>, warpsafe::block<64>}, kernel, nullptr);
  if (is_cuda) {
    EXPECT_THAT(launched, Succeeds()) << "a library is of every device";
    return;
  }
  EXPECT_EQ(error_in(launched).code, Errc::module_wrong_device);
  EXPECT_THAT(said(launched), HasSubstr("the module was loaded on device 0, not on device 1; make "
                                        "device 1 current and load the module there too"));
}

}  // namespace

}  // namespace vendor_test
