// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "core_test.hpp"
#include <warpsafe/error/error.hpp>

#include <gmock/gmock.h>

#include <cstring>
#include <new>

namespace warpsafe::core_test {
namespace {

TEST(LaunchError, MadeOnesKnowNothingButWhatIsGiven) {
  const LaunchError error = LaunchError::make(Errc::block_zero, Stage::validation, app);
  EXPECT_EQ(error.code, Errc::block_zero);
  EXPECT_EQ(error.stage, Stage::validation);
  EXPECT_TRUE(is_app(error.site));
  EXPECT_EQ(error.severity, Severity::recoverable);
  EXPECT_TRUE(error.recoverable());
  EXPECT_EQ(error.axis, Axis::none);
  EXPECT_EQ(error.vendor, Vendor::unknown);
  EXPECT_FALSE(error.limit_is_floor);
  EXPECT_EQ(error.subcode, Subcode::none);
  EXPECT_FALSE(error.blocking_was_on);
  EXPECT_EQ(error.raw, 0);
  EXPECT_EQ(error.device, -1);
  for (const Name& name :
       {error.raw_name, error.raw_text, error.kernel, error.device_name, error.operation}) {
    EXPECT_TRUE(name.empty());
  }
  EXPECT_THAT(error.grid, ::testing::Each(0U));
  EXPECT_THAT(error.block, ::testing::Each(0U));
  EXPECT_EQ(error.dynamic_shared, 0U);
  EXPECT_EQ(error.value, 0U);
  EXPECT_EQ(error.limit, 0U);
  EXPECT_EQ(error.extra, 0U);
  EXPECT_EQ(error.held, 0U);
  EXPECT_EQ(error.stream, nullptr);
  EXPECT_EQ(error.sequence, 0U);
}

TEST(LaunchError, AResetOneKeepsNoSubcode) {
  LaunchError error = LaunchError::make(Errc::index_overflow, Stage::validation);
  error.subcode = Subcode::elements;
  error.reset(Errc::block_zero, Stage::construction);
  EXPECT_EQ(error.subcode, Subcode::none);
}

TEST(LaunchError, TakesTheTwoNumbersOfACheck) {
  EXPECT_EQ(finding(LaunchError::make(Errc::grid_too_large, Stage::construction, 70000, 65535,
                                      Axis::y, app)),
            (Finding{Errc::grid_too_large, Stage::construction, 70000, 65535, Axis::y}));
}

TEST(LaunchError, TakesALaunchsNumbersAndADevicesName) {
  LaunchShape shape;
  shape.grid[0] = 1;
  shape.grid[1] = 2;
  shape.grid[2] = 3;
  shape.block[0] = 4;
  shape.block[1] = 5;
  shape.block[2] = 6;
  shape.dynamic_shared = 7;
  DeviceLimits device;
  device.device = 3;
  device.name = Name::of("Some GPU");
  device.vendor = Vendor::amd;
  LaunchError error = LaunchError::make(Errc::block_zero, Stage::validation);
  error.with_shape(shape).with_device(device);
  EXPECT_THAT(error.grid, ::testing::ElementsAre(1, 2, 3));
  EXPECT_THAT(error.block, ::testing::ElementsAre(4, 5, 6));
  EXPECT_EQ(error.dynamic_shared, 7U);
  EXPECT_EQ(error.device, 3);
  EXPECT_EQ(text(error.device_name), "Some GPU");
  EXPECT_EQ(error.vendor, Vendor::amd);
}

TEST(LaunchError, OnlyALostContextIsNotRecoverable) {
  LaunchError error = LaunchError::make(Errc::execution_failed, Stage::completion);
  error.severity = Severity::context_lost;
  EXPECT_FALSE(error.recoverable());
}

// Outcome default-constructs the error of each success, which must write nothing. The bytes are
// read as unsigned char, which may alias anything.
TEST(LaunchError, ADefaultConstructedOneIsNotWrittenTo) {
  alignas(LaunchError) unsigned char storage[sizeof(LaunchError)];
  std::memset(storage, 0x5a, sizeof storage);
  unsigned char* volatile opaque = storage;  // hides from the optimiser that the bytes are known
  ::new (static_cast<void*>(opaque)) LaunchError;
  int written = 0;
  for (std::size_t i = 0; i < sizeof storage; ++i) written += opaque[i] != 0x5a;
  EXPECT_EQ(written, 0);
}

TEST(Axis, HasALetter) {
  EXPECT_EQ(axis_letter(Axis::x), 'x');
  EXPECT_EQ(axis_letter(Axis::y), 'y');
  EXPECT_EQ(axis_letter(Axis::z), 'z');
  EXPECT_EQ(axis_letter(Axis::none), '?');
}

TEST(CallSite, IsTheCallersLineFileAndFunction) {
  const call_site here = call_site::current();
  EXPECT_EQ(here.line, __LINE__ - 1U);
  EXPECT_STREQ(here.file, __FILE__);
  EXPECT_STREQ(here.function, "TestBody");
  EXPECT_FALSE(here == call_site::current());
}

}  // namespace
}  // namespace warpsafe::core_test
