// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A device's backend and the host's in one program. Both compilers compile the kernels of one
// header into different kernels, and each runs on its own backend.
#include "device_side.hpp"
#include "header_kernel.hpp"
#include <warpsafe/error/message.hpp>
#include <warpsafe/kernel/functor.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gmock/gmock.h>

#include <vector>

namespace side_by_side {
namespace {

namespace ws = warpsafe;
using testing::HasSubstr;

template <class Config, class K>
std::vector<float> run_here(const Config& config, K kernel) {
  const ws::Stream stream = ws::Stream::create().value();
  auto values = ws::DeviceBuffer<float>::from(stream, std::vector<float>(100, 1.5F)).value();
  const auto launched = ws::launch(stream, config, kernel, values.view(), values.size());
  EXPECT_TRUE(launched.has_value()) << ws::message(launched.error());
  return values.to_host(stream).get().value();
}

TEST(SideBySide, AKernelOfAHeaderRunsWhereItWasCompiledFor) {
  const DeviceSide device = launch_twice();
  EXPECT_EQ(device.error, "");
  EXPECT_EQ(device.launches, 1U);
  EXPECT_THAT(device.kernel, HasSubstr("twice"));
  EXPECT_EQ(run_here(ws::LaunchConfig{ws::grid<2>, ws::block<32>}, ws::kernel<twice>),
            std::vector<float>(100, 3.0F));
  const DeviceSide again = launch_twice();
  EXPECT_EQ(again.error, "");
  EXPECT_EQ(again.launches, 1U) << "the host's launch never reached the device's runtime";
}

TEST(SideBySide, AFunctorOfAHeaderRunsWhereItWasCompiledFor) {
  const DeviceSide device = launch_thrice();
  EXPECT_EQ(device.error, "");
  EXPECT_EQ(device.launches, 1U);
  EXPECT_THAT(device.kernel, HasSubstr("Thrice"));
  EXPECT_EQ(run_here(ws::LaunchConfig{ws::grid<1>, ws::block<1>}, ws::functor(Thrice{})),
            std::vector<float>(100, 4.5F));
}

TEST(SideBySide, ADeviceCompilersFileMayHaveTheHostAsItsDefault) {
  const DeviceSide device = launch_where_the_host_is_the_default();
  EXPECT_EQ(device.error, "");
  EXPECT_EQ(device.launches, 1U);
  EXPECT_THAT(device.kernel, HasSubstr("twice"));
}

}  // namespace
}  // namespace side_by_side
