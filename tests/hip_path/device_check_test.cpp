// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The host's side of WARPSAFE_DEVICE_CHECK over AMD's runtime. The agent runs no kernel: a test
// writes what a kernel would write, at the place that hipcc's object names.

#include "../vendor_path/stand_in.hpp"
#include "checked_kernel.hpp"
#include <warpsafe/debug.hpp>
#include <warpsafe/kernel/detail/device_checks.hpp>
#include <warpsafe/stream/device.hpp>
#include <warpsafe/stream/event.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hip_path {
namespace {

namespace ws = warpsafe;
namespace detail = warpsafe::detail;
using namespace vendor_test;
using ::testing::HasSubstr;

/// Nothing is reset between these tests: the runtime keeps a record's memory for the whole process.
class DeviceCheckOnHip : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    reset();
    set_device_count(4);
  }
  /// What checked_kernel.cpp's kernel writes for the first thread that fails.
  static void leave() {
    detail::CheckRecord* const record = record_of_the_kernels();
    ASSERT_NE(record, nullptr);
    ASSERT_EQ(record->state, detail::CheckRecord::empty);
    record->block[0] = 1;
    record->thread[0] = 5;
    record->line = 18;
    detail::copy_check_text(record->text, "inside of the array (i < count)");
    detail::copy_check_file(record->file, "/home/me/src/checked_kernel.cpp");
    detail::copy_check_text(record->kernel, "checked");
    __atomic_store_n(&record->state, detail::CheckRecord::filled, __ATOMIC_RELEASE);
  }
  ws::Stream stream = ws::Stream::create().value();
};

TEST_F(DeviceCheckOnHip, ARecordThatCannotBeHadIsTheLaunchsError) {
  const ws::DeviceGuard third = ws::DeviceGuard::create(ws::DeviceId(2)).value();
  const ws::Stream other = ws::Stream::create(ws::DeviceId(2)).value();
  const auto before = launches().size();
  fail("HostMalloc", 1, code::out_of_memory);
  const ws::LaunchError error = error_in(launch_checked(other, 64));
  EXPECT_EQ(error.code, ws::Errc::out_of_memory);
  EXPECT_EQ(error.raw, code::out_of_memory);
  fail("GetSymbolAddress", 1, code::invalid_value);
  EXPECT_EQ(error_in(launch_checked(other, 64)).raw, code::invalid_value);
  EXPECT_EQ(launches().size(), before);
  EXPECT_THAT(launch_checked(other, 64), Succeeds()) << "the next launch tries again";
}

TEST_F(DeviceCheckOnHip, TheFirstLaunchTellsTheKernelsWhereTheRecordIsAndLaterOnesCallNothing) {
  // A device that no other test uses.
  const ws::DeviceGuard current = ws::DeviceGuard::create(ws::DeviceId(3)).value();
  const ws::Stream fourth = ws::Stream::create(ws::DeviceId(3)).value();
  ASSERT_THAT(launch_checked(fourth, 64), Succeeds());
  EXPECT_EQ(record_of_the_kernels(), detail::check_record_of(ws::Vendor::amd, 3));
  const auto asked = count("GetSymbolAddress");
  const auto allocated = count("HostMalloc");
  ASSERT_THAT(launch_checked(fourth, 64), Succeeds());
  EXPECT_EQ(count("GetSymbolAddress"), asked);
  EXPECT_EQ(count("HostMalloc"), allocated);
}

TEST_F(DeviceCheckOnHip, AWaitSaysWhichCheckAndWhereOnce) {
  ASSERT_THAT(launch_checked(stream, 64), Succeeds());
  leave();
  const ws::LaunchError error = error_in(stream.synchronize());
  EXPECT_EQ(error.code, ws::Errc::device_check_failed);
  EXPECT_EQ(error.severity, ws::Severity::recoverable);
  EXPECT_EQ(error.vendor, ws::Vendor::amd);
  EXPECT_EQ(ws::message(error),
            "Device synchronization failed after kernel 'checked': check 'inside of the array (i < "
            "count)' failed in block (1,0,0), thread (5,0,0), at checked_kernel.cpp:18\n  at " +
                place(error));
  EXPECT_THAT(stream.synchronize(), Succeeds());
  EXPECT_THAT(launch_checked(stream, 64), Succeeds()) << "the context is whole";
}

TEST_F(DeviceCheckOnHip, SoDoesAnEvent) {
  ASSERT_THAT(launch_checked(stream, 64), Succeeds());
  const auto event = stream.record().value();
  leave();
  EXPECT_EQ(error_in(event.synchronize()).code, ws::Errc::device_check_failed);
}

TEST_F(DeviceCheckOnHip, TheFirstLaunchOfADeviceMayBeCaptured) {
  const ws::DeviceGuard second = ws::DeviceGuard::create(ws::DeviceId(1)).value();
  const ws::Stream other = ws::Stream::create(ws::DeviceId(1)).value();
  ASSERT_EQ(begin_capture(other.native()), code::success);
  EXPECT_THAT(launch_checked(other, 64), Succeeds());
  EXPECT_EQ(end_capture(other.native()), 1) << "the launch alone, and the capture is whole";
  EXPECT_NE(detail::check_record_of(ws::Vendor::amd, 1), nullptr);
}

}  // namespace
}  // namespace hip_path
