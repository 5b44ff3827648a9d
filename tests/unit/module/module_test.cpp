// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Kernels by name, on the host backend: a module is a table of this program's functions.

#include "launch_fixture.hpp"
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/launch/occupancy.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/module.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace warpsafe::core_test {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

WARPSAFE_KERNEL void scale(float factor, float* values, std::size_t n) {
  for (auto i : grid_stride(n)) values[i] *= factor;
}
WARPSAFE_KERNEL void count_up(std::uint32_t* values) { values[thread_index().x] += 1; }
WARPSAFE_KERNEL void use_shared(float* out) { *out = dynamic_shared<float>()[0] = 3; }
WARPSAFE_KERNEL void no_parameters() {}
WARPSAFE_KERNEL void add_to(const float* from, float* to, std::int64_t n, double factor) {
  for (auto i : grid_stride(static_cast<std::size_t>(n)))
    to[i] += static_cast<float>(factor) * from[i];
}

const host::NamedKernel table[] = {host::named<scale>("scale"), host::named<count_up>("count_up"),
                                   host::named<use_shared>("use_shared"),
                                   host::named<no_parameters>("no_parameters")};
using Scale = void(float, float*, std::size_t);

class ModuleTest : public LaunchTest {
 protected:
  Module module = Module::load(table).value();
};

// A JIT's program: many modules, each with a kernel of a name of its own, come and go.
TEST_F(ModuleTest, FindsTheRightKernelAfterMegabytesOfOtherNames) {
  const std::string letters(300, 'k');
  for (int i = 0; i < 1000; ++i) {
    const std::string name = letters + std::to_string(i);
    const std::vector<host::NamedKernel> generated = {host::named<no_parameters>(name.c_str())};
    const auto loaded = Module::load(generated).value();
    const auto found = loaded.kernel<void()>(name.c_str());
    ASSERT_TRUE(found.has_value()) << i;
    ASSERT_EQ(text(found.value().name()), name);
    ASSERT_THAT(message(loaded.kernel<void()>((name + 'x').c_str()).error()),
                HasSubstr("loading kernel '" + name +
                          "x' from a module in memory failed: the "
                          "module holds no kernel of that name; it holds: " +
                          name));
  }
  const std::string one = letters + "one", two = letters + "two";
  const std::vector<host::NamedKernel> both = {host::named<scale>(one.c_str()),
                                               host::named<count_up>(two.c_str())};
  const auto loaded = Module::load(both).value();
  const auto first = loaded.kernel<Scale>(one.c_str()).value();
  const auto second = loaded.kernel<void(std::uint32_t*)>(two.c_str()).value();
  EXPECT_EQ(text(first.name()), one);
  EXPECT_EQ(text(second.name()), two);
  EXPECT_NE(first.entry().function, second.entry().function);
  EXPECT_EQ(loaded.kernel<void(std::uint32_t*)>(one.c_str()).error().code,
            Errc::signature_mismatch);
}

TEST_F(ModuleTest, LaunchesAKernelByItsName) {
  const auto by_two = module.kernel<Scale>("scale").value();
  auto values = DeviceBuffer<float>::from(stream, std::vector<float>(1000, 1.5F)).value();
  const auto config = configure(SafeGrid<>::cover(values.size(), block<256>, by_two));
  ASSERT_TRUE(launch(stream, config, by_two, 2.0F, values.view(), values.size()).has_value());
  EXPECT_EQ(values.to_host(stream).get().value(), std::vector<float>(1000, 3.0F));
}

TEST_F(ModuleTest, EveryCheckOfALaunchIsMade) {
  const auto scale_it = module.kernel<Scale, max_threads<128>>("scale").value();
  auto values = DeviceBuffer<float>::create(stream, 100).value();
  const auto refused =
      launch(stream, configure(grid<1>, BlockDim::create(256)), scale_it, 1.0F, values.view(), 100);
  EXPECT_EQ(error_in(refused).code, Errc::kernel_threads_exceeded);
  EXPECT_THAT(said(refused), HasSubstr("Kernel 'scale' not launched: block=(256,1,1) is 256"));
  const auto negative =
      launch(stream, LaunchConfig{grid<1>, block<32>}, scale_it, 1.0F, values.view(), -1);
  EXPECT_EQ(error_in(negative).code, Errc::argument_negative);
  std::vector<float> on_host(4);
  const auto pointer = launch(stream, LaunchConfig{grid<1>, block<32>}, scale_it, 1.0F,
                              trust(on_host.data()), on_host.size());
  EXPECT_EQ(error_in(pointer).code, Errc::argument_host_pointer);
  const auto uncovered = launch(stream, configure(SafeGrid<>::cover(0, block<32>)), scale_it, 1.0F,
                                values.view(), values.size());
  EXPECT_THAT(said(uncovered), HasSubstr("Kernel 'scale' not launched: the size to cover is 0"));
}

TEST_F(ModuleTest, TheDeviceSaysWhatTheKernelAllows) {
  KernelLimits limits;
  limits.max_threads_per_block = 64;
  const auto counter = module.kernel<void(std::uint32_t*)>("count_up").value();
  ASSERT_TRUE(host::set_kernel_limits(0, counter.entry().function, limits));
  auto values = DeviceBuffer<std::uint32_t>::create(stream, 128).value();
  EXPECT_EQ(
      error_in(launch(stream, LaunchConfig{grid<1>, block<128>}, counter, values.view())).code,
      Errc::kernel_threads_exceeded);
  EXPECT_EQ(kernel_limits(stream, counter).value().max_threads_per_block, 64U);
  EXPECT_GT(max_resident_blocks(stream, counter, block<64>).value().count.magnitude, 0U);
}

TEST_F(ModuleTest, DynamicSharedMemoryIsRaised) {
  const auto kernel = module.kernel<void(float*), needs_shared<float>>("use_shared").value();
  auto value = DeviceBuffer<float>::create(stream, 1).value();
  ASSERT_TRUE(launch(stream, configure(grid<1>, block<1>, shared<float>(4)), kernel, value.view())
                  .has_value());
  EXPECT_EQ(value.to_host(stream).get().value().at(0), 3.0F);
}

TEST_F(ModuleTest, HandlesOfOneKernelShareWhatIsKnownOfIt) {
  const auto one = module.kernel<Scale>("scale").value();
  const auto other = module.kernel<Scale, max_threads<32>>("scale").value();
  EXPECT_EQ(&one.slots(), &other.slots());
  EXPECT_NE(&one.slots(), &module.kernel<void()>("no_parameters").value().slots());
}

TEST_F(ModuleTest, AWrongNameListsTheKernels) {
  const auto wrong = module.kernel<Scale>("scael", app);
  EXPECT_EQ(error_in(wrong).code, Errc::kernel_not_found);
  EXPECT_TRUE(is_app(error_in(wrong).site));
  EXPECT_EQ(said(wrong),
            "loading kernel 'scael' from a module in memory failed: the module holds no kernel of "
            "that name; it holds: scale, count_up, use_shared, no_parameters "
            "(hostErrorSymbolNotFound, 500)\n  at app.cpp:7");
}

// The same sizes in another order, and other types behind the pointers.
TEST_F(ModuleTest, ASignatureWithOtherTypesIsSaid) {
  static const host::NamedKernel kernels[] = {host::named<add_to>("add_to")};
  const Module adds = Module::load(kernels).value();
  const auto reason = [&](const auto& taken) {
    EXPECT_EQ(error_in(taken).code, Errc::signature_mismatch);
    const std::string text = said(taken);
    return text.substr(text.find(": ") + 2, text.find(';') - text.find(": ") - 2);
  };
  EXPECT_EQ(reason(adds.kernel<void(float*, const float*, std::int64_t, double)>("add_to")),
            "parameter 2 is float32* in the kernel, const float32* in the declared signature");
  EXPECT_EQ(
      reason(adds.kernel<void(const double*, float*, std::int64_t, double)>("add_to")),
      "parameter 1 is const float32* in the kernel, const float64* in the declared signature");
  EXPECT_EQ(reason(adds.kernel<void(const int*, float*, std::int64_t, double)>("add_to")),
            "parameter 1 is const float32* in the kernel, const int32* in the declared signature");
  EXPECT_EQ(reason(adds.kernel<void(const float*, float*, double, std::int64_t)>("add_to")),
            "parameter 3 is int64 in the kernel, float64 in the declared signature");
  EXPECT_EQ(reason(adds.kernel<void(std::int64_t, float*, std::int64_t, double)>("add_to")),
            "parameter 1 is const float32* in the kernel, int64 in the declared signature");
  // These mean the same.
  EXPECT_TRUE((adds.kernel<void(float*, float*, std::int64_t, double)>("add_to").has_value()));
  EXPECT_TRUE((adds.kernel<void(const float*, device_ptr<float>, std::size_t, double)>("add_to")
                   .has_value()));
  EXPECT_TRUE((adds.kernel<void(const void*, float*, long, double)>("add_to").has_value()));
}

TEST_F(ModuleTest, ASignatureThatIsNotTheKernelsIsSaid) {
  const auto reason = [&](const auto& taken) {
    EXPECT_EQ(error_in(taken).code, Errc::signature_mismatch);
    const std::string text = said(taken);
    return text.substr(text.find(": ") + 2, text.find('\n') - text.find(": ") - 2);
  };
  EXPECT_EQ(reason(module.kernel<void(float, float*)>("scale")),
            "the kernel takes 3 parameters, the declared signature has 2");
  EXPECT_EQ(reason(module.kernel<void(float, float*, std::size_t, int)>("scale")),
            "the kernel takes 3 parameters, the declared signature has 4");
  EXPECT_EQ(reason(module.kernel<void(int)>("no_parameters")),
            "the kernel takes 0 parameters, the declared signature has 1");
  EXPECT_EQ(reason(module.kernel<void(double, float*, std::size_t)>("scale")),
            "parameter 1 takes 4 bytes in the kernel, 8 in the declared signature");
  EXPECT_EQ(reason(module.kernel<void(float, float*, int)>("scale")),
            "parameter 3 takes 8 bytes in the kernel, 4 in the declared signature");
}

TEST_F(ModuleTest, AKernelKeepsItsModule) {
  auto kernel = std::optional(module.kernel<Scale>("scale").value());
  ASSERT_TRUE(module.close().has_value());
  auto values = DeviceBuffer<float>::from(stream, std::vector<float>(8, 1.0F)).value();
  ASSERT_TRUE(
      launch(stream, LaunchConfig{grid<1>, block<8>}, *kernel, 5.0F, values.view(), 8).has_value());
  kernel.reset();  // waits for the launch
  EXPECT_EQ(values.to_host(stream).get().value(), std::vector<float>(8, 5.0F));
}

TEST_F(ModuleTest, TheLastHolderWaitsForTheDevicesItLaunchedOn) {
  {
    const Module unused = Module::load(table).value();
    const auto kernel = unused.kernel<void()>("no_parameters").value();
  }
  EXPECT_EQ(host::calls_made(call_of<&host_backend::device_synchronize>), 0U)
      << "nothing was launched";
  {
    const auto kernel = module.kernel<void()>("no_parameters").value();
    ASSERT_TRUE(launch(stream, LaunchConfig{grid<1>, block<8>}, kernel).has_value());
  }
  EXPECT_EQ(host::calls_made(call_of<&host_backend::device_synchronize>), 0U)
      << "the module is still held";
  ASSERT_TRUE(module.close().has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::device_synchronize>), 1U);
}

TEST_F(ModuleTest, CloseTellsOfAFaultInItsKernels) {
  {
    const auto kernel = module.kernel<void()>("no_parameters").value();
    host::fault_in_kernel(1, HostStatus::illegal_address);
    ASSERT_TRUE(launch(stream, LaunchConfig{grid<1>, block<8>}, kernel).has_value());
  }
  EXPECT_EQ(error_in(module.close()).code, Errc::execution_failed);
  EXPECT_TRUE(module.close().has_value()) << "it is gone";
}

TEST_F(ModuleTest, IsNotUnloadedInACapture) {
  const auto kernel = module.kernel<void()>("no_parameters").value();
  ASSERT_TRUE(launch(stream, LaunchConfig{grid<1>, block<8>}, kernel).has_value());
  auto capture = Capture::begin(stream).value();
  EXPECT_EQ(error_in(module.close()).code, Errc::stream_capturing);
  ASSERT_TRUE(capture.keep(kernel).has_value()) << "a copy, with its own hold of the module";
  ASSERT_TRUE(launch(capture.stream(), LaunchConfig{grid<1>, block<8>}, kernel).has_value());
  auto graph = std::move(capture).end().value();
  EXPECT_TRUE(graph.instantiate().value().launch(stream).has_value());
  wait();
}

TEST_F(ModuleTest, IsKeptByTheGraphsOfItsKernels) {
  // An unload waits for the device first.
  const auto unloads = [] { return host::calls_made(call_of<&host_backend::device_synchronize>); };
  const LaunchConfig config{grid<1>, block<8>};
  std::optional<ExecutableGraph> exec;
  {
    const auto kernel = module.kernel<void()>("no_parameters").value();
    exec = warpsafe::capture(stream,
                             [&](Capture&) -> result<void> {
                               WARPSAFE_TRYV(launch<CheckLevel::off>(stream, config, kernel));
                               return launch(stream, config, kernel);
                             })
               .value()
               .instantiate()
               .value();
  }
  EXPECT_TRUE(module.close().has_value());
  EXPECT_EQ(unloads(), 0U);
  EXPECT_TRUE(exec->launch(stream).has_value());
  exec.reset();
  EXPECT_EQ(unloads(), 1U);
  EXPECT_EQ(stream.query().value(), Progress::ready) << "the launch has ended";
}

TEST_F(ModuleTest, WaitsForGraphsOnStreamsOfOtherDevices) {
  // A device that no other test uses, and a stream that only this launch knows.
  host::set_device_count(8);
  host_backend::native_stream native{};
  {
    const auto guard = DeviceGuard::create(DeviceId(7)).value();
    ASSERT_EQ(host_backend::stream_create(native, 0), 0);
  }
  const auto there = StreamRef::borrow<CheckLevel::off>(native, DeviceId(7)).value();
  {
    auto exec = [&] {
      const auto kernel = module.kernel<void()>("no_parameters").value();
      const auto graph = warpsafe::capture(stream, [&](Capture&) -> result<void> {
        return launch(stream, LaunchConfig{grid<1>, block<8>}, kernel);
      });
      return graph.value().instantiate().value();
    }();
    EXPECT_TRUE(module.close().has_value());
    EXPECT_TRUE(exec.launch(there).has_value());
  }
  EXPECT_EQ(there.query().value(), Progress::ready) << "the launch has ended";
  EXPECT_EQ(host_backend::stream_destroy(native), 0);
}

TEST_F(ModuleTest, WhatIsNoTableIsRefused) {
  const auto nothing = Module::load(std::vector<host::NamedKernel>{});
  EXPECT_EQ(error_in(nothing).code, Errc::module_invalid);
  EXPECT_THAT(said(nothing), HasSubstr("loading a module in memory failed: the runtime cannot load "
                                       "the image: invalid argument (hostErrorInvalidValue, 1)"));
}

TEST_F(ModuleTest, AFileThatIsNotThereIsNamed) {
  const auto missing = Module::load_file("/nowhere/axpy.cubin", app);
  EXPECT_EQ(error_in(missing).code, Errc::module_unreadable);
  EXPECT_EQ(said(missing),
            "loading module '/nowhere/axpy.cubin' failed: the file cannot be read: No such file or "
            "directory\n  at app.cpp:7");
  EXPECT_THAT(said(Module::load_file("/")), HasSubstr("Is a directory"));
}

TEST_F(ModuleTest, AnImageIsReadFromAFile) {
  // On the host backend, the bytes of a table are the image.
  const std::string path = testing::TempDir() + "warpsafe_module." + std::to_string(getpid());
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  ASSERT_EQ(std::fwrite(table, sizeof table, 1, file), 1U);
  ASSERT_EQ(std::fclose(file), 0);
  const auto loaded = Module::load_file(path.c_str());
  EXPECT_EQ(std::remove(path.c_str()), 0);
  ASSERT_TRUE(loaded.has_value()) << message(loaded.error());
  EXPECT_THAT(said(loaded.value().kernel<void()>("no_parameter")),
              HasSubstr("loading kernel 'no_parameter' from module '" + path +
                        "' failed: the module holds no kernel of that name; it holds: "));
}

TEST_F(ModuleTest, VisitsTheNames) {
  std::vector<std::string> names;
  module.visit_kernels([&](Name name) { names.push_back(text(name)); });
  EXPECT_THAT(names, ElementsAre("scale", "count_up", "use_shared", "no_parameters"));
}

TEST_F(ModuleTest, NamesOutliveTheModule) {
  const std::string name = "scale";
  std::optional<Module> mine = Module::load(table).value();
  const auto refused = [&] {
    const auto kernel = mine->kernel<Scale>(std::string(name).c_str()).value();
    return launch(stream, configure(grid<1>, BlockDim::create(4096)), kernel, 1.0F, nullptr, 0);
  }();
  mine.reset();
  EXPECT_THAT(said(refused), HasSubstr("Kernel 'scale' not launched"));
}

TEST_F(ModuleTest, ManyThreadsTakeAndLaunchOneKernel) {
  auto values = DeviceBuffer<std::uint32_t>::from(stream, std::vector<std::uint32_t>(32)).value();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int again = 0; again < 50; ++again) {
        const auto kernel = module.kernel<void(std::uint32_t*)>("count_up").value();
        EXPECT_TRUE(
            launch(stream, LaunchConfig{grid<1>, block<32>}, kernel, values.view()).has_value());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(values.to_host(stream).get().value(), std::vector<std::uint32_t>(32, 200));
}

TEST_F(ModuleTest, WithoutADeviceNothingIsLoaded) {
  host::set_device_count(0);
  EXPECT_EQ(error_in(Module::load(table)).code, Errc::no_device);
  host::reset();
}

}  // namespace

}  // namespace warpsafe::core_test
