// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/limits_table.hpp>
#include <warpsafe/error/message.hpp>
#include <warpsafe/warpsafe.hpp>

#if defined(WARPSAFE_BACKEND_HOST)
#include <warpsafe/host.hpp>
#else
#include "../../vendor_path/stand_in.hpp"
#endif
#include <gmock/gmock.h>

#include <cstdint>
#include <string>

// The machine that a run-time row runs on, under one name for three backends: the modelled GPU of
// the host backend, the stand-in for NVIDIA's runtime, and AMD's own. For features that
// only some of them have, a test checks `is_host`, `is_cuda`, `is_hip`.

namespace misuse_test {

#if defined(WARPSAFE_BACKEND_HOST)
inline constexpr bool is_host = true;
inline constexpr bool is_cuda = false;
#else
inline constexpr bool is_host = false;
inline constexpr bool is_cuda = vendor_test::is_cuda;
#endif
inline constexpr bool is_hip = !is_host && !is_cuda;
/// Whether the runtime is AMD's of release 7.
inline bool on_hip_7() {
#if defined(WARPSAFE_BACKEND_HIP)
  return vendor_test::release_major() >= 7;
#else
  return false;
#endif
}
/// Whether this program checks: each is built with all checks and with none.
inline constexpr bool checked = WARPSAFE_CHECKS == 1;
static_assert(WARPSAFE_CHECKS == 1 || WARPSAFE_CHECKS == 0);

/// Three numbers, like a vendor's dim3.
struct Vendor3 {
  std::uint32_t x = 1, y = 1, z = 1;
};

#if defined(WARPSAFE_BACKEND_HOST)

inline constexpr const char* device_name = "Test GPU";
inline constexpr std::uint64_t shared_limit = 232448;
inline constexpr std::uint32_t warp = 32;
inline constexpr int a_foreign_error = 12;  // no call here ever fails with it

class Machine : public testing::Test {
 protected:
  ~Machine() override { warpsafe::host::reset(); }

  /// A new machine, and the objects that each test uses.
  static warpsafe::Stream first_stream() {
    warpsafe::host::reset();
    become(warpsafe::limits::sm_90);
    return warpsafe::Stream::create().value();
  }

  /// Device 0 gets the limits of an architecture.
  static void become(warpsafe::DeviceLimits limits) {
    limits.name = warpsafe::Name::of(device_name);
    limits.multiprocessors = 4;
    ASSERT_TRUE(warpsafe::host::set_limits(0, limits));
  }
  static void two_devices() {
    warpsafe::host::set_device_count(2);
    become(warpsafe::limits::sm_90);
    warpsafe::DeviceLimits other = warpsafe::limits::sm_90;
    other.name = warpsafe::Name::of(device_name);
    other.multiprocessors = 4;
    ASSERT_TRUE(warpsafe::host::set_limits(1, other));
  }
  /// The number of launches that reached the runtime.
  static std::uint64_t launches_asked() {
    return warpsafe::host::calls_made(warpsafe::host::call_of<&warpsafe::host_backend::launch>);
  }
  static std::uint64_t opt_ins() {
    return warpsafe::host::calls_made(
        warpsafe::host::call_of<&warpsafe::host_backend::raise_dynamic_shared>);
  }
  /// The compiled kernel allows no more threads in a block.
  template <class K>
  static void allow_threads(K kernel, int threads) {
    warpsafe::KernelLimits limits;
    limits.max_threads_per_block = static_cast<std::uint32_t>(threads);
    ASSERT_TRUE(warpsafe::host::set_kernel_limits(0, kernel.entry().function, limits));
  }
  /// The next query about a kernel fails for lack of code; without checks, the next launch.
  static void lose_code() {
    using warpsafe::host::call_of;
    const auto status = warpsafe::host::HostStatus::no_kernel_image;
    warpsafe::host::fail_next(checked ? call_of<&warpsafe::host_backend::attributes_of>
                                      : call_of<&warpsafe::host_backend::launch>,
                              1, status);
  }
  static void refuse_next_launch() {
    warpsafe::host::fail_next(warpsafe::host::call_of<&warpsafe::host_backend::launch>, 1,
                              warpsafe::host::HostStatus::invalid_value);
  }
  /// The next kernel faults while it runs.
  static void fault_in_next_kernel() {
    warpsafe::host::fault_in_kernel(1, warpsafe::host::HostStatus::illegal_address);
  }
  static void fault_after_launch() {}
  static void plant_error() {
    warpsafe::host::plant_last_error(warpsafe::host::HostStatus::invalid_pitch);
  }
  static bool planted_error_is_there() {
    return warpsafe::host::thread_state().last_error == a_foreign_error;
  }
  static const std::string& prefix() {
    static const std::string text = "host";
    return text;
  }
};

#else

inline constexpr const char* device_name = vendor_test::device_name;
inline constexpr std::uint64_t shared_limit = vendor_test::shared_limit;
inline constexpr std::uint32_t warp = vendor_test::is_cuda ? 32 : 64;

class Machine : public vendor_test::VendorTest {
 protected:
  // first_stream has done the rest.
  void SetUp() override {
    vendor_test::skip_what_differs();
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }

  static warpsafe::Stream first_stream() {
    vendor_test::reset();
    vendor_test::set_device_count(vendor_test::device_count);
    // The names are read once per process, so read them before a test removes devices.
    EXPECT_FALSE(vendor_test::Backend::device_name(0).empty());
    return make_stream();
  }
  static void two_devices() {}  // there are more
  static std::uint64_t launches_asked() { return vendor_test::launches().size(); }
  static std::uint64_t opt_ins() { return vendor_test::count("FuncSetAttribute"); }
  template <class K>
  static void allow_threads(K kernel, int threads) {
#if defined(WARPSAFE_BACKEND_CUDA)
    const std::string plain(kernel.name().data, kernel.name().size);
    const std::string mangled = "_Z" + std::to_string(plain.size()) + plain + "v";
    const StandInCudaKernelInfo info{-1, -1, -1, -1, threads, -1, -1, -1};
    ASSERT_EQ(stand_in_cuda_override_kernel(mangled.c_str(), &info), 0);
#else
    const AmdKernelInfo info{-1, -1, -1, -1, threads, -1};
    ASSERT_EQ(amd_control_override_kernel(kernel.entry().function, &info), 0);
#endif
  }
  static void lose_code() {
    vendor_test::fail(checked ? "FuncGetAttributes" : "LaunchKernel", 1,
                      vendor_test::code::no_image);
  }
  static void refuse_next_launch() {
    vendor_test::fail("LaunchKernel", 1, vendor_test::code::invalid_value);
  }
  static void fault_in_next_kernel() {}
  /// The last launched kernel faults while it runs.
  static void fault_after_launch() {
#if defined(WARPSAFE_BACKEND_CUDA)
    stand_in_cuda_post_async_error(0, cudaErrorIllegalAddress, 1);
#else
    amd_control_post_async_error(hipErrorIllegalAddress);
#endif
  }
  static void plant_error() {
#if !defined(WARPSAFE_BACKEND_CUDA)
    // Earlier releases overwrite the slot at every call, successful ones included.
    amd_control_keep_last_error(1);
#endif
    vendor_test::plant_last_error(vendor_test::code::out_of_memory);
  }
  static bool planted_error_is_there() {
    return vendor_test::last_error() == vendor_test::code::out_of_memory;
  }
  static const std::string& prefix() { return vendor_test::prefix; }
};

#endif

}  // namespace misuse_test
