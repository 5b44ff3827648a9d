// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/error/message.hpp>
#include <warpsafe/warpsafe.hpp>

#if defined(WARPSAFE_BACKEND_CUDA)
#include "stand_in_cuda.hpp"
#else
#include "amd_control.hpp"
#endif
#include <gmock/gmock.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

// The same names for the stand-in of NVIDIA's runtime and for the interposer over AMD's own, so
// that one test source serves both. A function of the runtime is written without its vendor's
// prefix: "LaunchKernel".

namespace vendor_test {

using Backend = warpsafe::default_backend;
inline constexpr int device_count = 64;

#if defined(WARPSAFE_BACKEND_CUDA)
inline constexpr bool is_cuda = true;
inline const std::string prefix = "cuda";
inline constexpr const char* device_name = "NVIDIA H200";
inline constexpr std::uint64_t shared_limit = 232448;  // opt-in included

using Status = cudaError_t;
using NativeStream = cudaStream_t;
using Launch = StandInCudaLaunch;
namespace code {
inline constexpr Status success = cudaSuccess;
inline constexpr Status invalid_value = cudaErrorInvalidValue;
inline constexpr Status out_of_memory = cudaErrorMemoryAllocation;
inline constexpr Status not_initialized = cudaErrorInitializationError;
inline constexpr Status invalid_configuration = cudaErrorInvalidConfiguration;
inline constexpr Status insufficient_driver = cudaErrorInsufficientDriver;
inline constexpr Status not_a_kernel = cudaErrorInvalidDeviceFunction;
inline constexpr Status no_device = cudaErrorNoDevice;
inline constexpr Status invalid_device = cudaErrorInvalidDevice;
inline constexpr Status no_image = cudaErrorNoKernelImageForDevice;
inline constexpr Status invalid_handle = cudaErrorInvalidResourceHandle;
inline constexpr Status illegal_address = cudaErrorIllegalAddress;
inline constexpr Status out_of_resources = cudaErrorLaunchOutOfResources;
inline constexpr Status launch_timeout = cudaErrorLaunchTimeout;
inline constexpr Status device_assert = cudaErrorAssert;
inline constexpr Status context_destroyed = cudaErrorContextIsDestroyed;
inline constexpr Status launch_failure = cudaErrorLaunchFailure;
inline constexpr Status cooperative_too_large = cudaErrorCooperativeLaunchTooLarge;
inline constexpr Status not_supported = cudaErrorNotSupported;
inline constexpr Status capture_unsupported = cudaErrorStreamCaptureUnsupported;
inline constexpr Status capture_implicit = cudaErrorStreamCaptureImplicit;
inline constexpr Status unknown = cudaErrorUnknown;
}  // namespace code

inline void reset() { stand_in_cuda_reset(); }
inline void successes_leave_last_error() {}  // they do
inline void set_device_count(int count) { stand_in_cuda_set_device_count(count); }
inline void fail(const std::string& function, unsigned k, Status status) {
  stand_in_cuda_fail((prefix + function).c_str(), k, status);
}
inline void plant_last_error(Status status) { stand_in_cuda_plant_last_error(status); }
[[nodiscard]] inline Status last_error() { return stand_in_cuda_last_error(); }
[[nodiscard]] inline std::uint64_t count(const std::string& function) {
  return stand_in_cuda_count((prefix + function).c_str());
}
[[nodiscard]] inline std::vector<Launch> launches() { return stand_in_cuda::launches(); }
[[nodiscard]] inline auto recorded_calls() { return stand_in_cuda::calls(); }
/// The runtime's text for a status.
[[nodiscard]] inline std::string text_of(Status status) { return cudaGetErrorString(status); }
template <class T>
[[nodiscard]] T argument(const Launch& launch, std::size_t index) {
  return stand_in_cuda::argument<T>(launch, index);
}
[[nodiscard]] inline Status begin_capture(NativeStream stream) {
  return cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
}
/// The number of nodes captured, or -1 if the capture was broken.
[[nodiscard]] inline int end_capture(NativeStream stream) {
  cudaGraph_t graph = nullptr;
  if (cudaStreamEndCapture(stream, &graph) != cudaSuccess) return -1;
  std::size_t nodes = 0;
  const Status status = cudaGraphGetNodes(graph, nullptr, &nodes);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  return status == cudaSuccess ? static_cast<int>(nodes) : -1;
}

#else
inline constexpr bool is_cuda = false;
inline const std::string prefix = "hip";
inline constexpr const char* device_name = "AMD Instinct MI250X";
inline constexpr std::uint64_t shared_limit = 65536;

using Status = hipError_t;
using NativeStream = hipStream_t;
using Launch = AmdLaunch;
namespace code {
inline constexpr Status success = hipSuccess;
inline constexpr Status invalid_value = hipErrorInvalidValue;
inline constexpr Status out_of_memory = hipErrorOutOfMemory;
inline constexpr Status not_initialized = hipErrorNotInitialized;
inline constexpr Status invalid_configuration = hipErrorInvalidConfiguration;
inline constexpr Status insufficient_driver = hipErrorInsufficientDriver;
inline constexpr Status not_a_kernel = hipErrorInvalidDeviceFunction;
inline constexpr Status no_device = hipErrorNoDevice;
inline constexpr Status invalid_device = hipErrorInvalidDevice;
inline constexpr Status no_image = hipErrorNoBinaryForGpu;
inline constexpr Status invalid_handle = hipErrorInvalidHandle;
inline constexpr Status illegal_address = hipErrorIllegalAddress;
inline constexpr Status out_of_resources = hipErrorLaunchOutOfResources;
inline constexpr Status launch_timeout = hipErrorLaunchTimeOut;
inline constexpr Status device_assert = hipErrorAssert;
inline constexpr Status context_destroyed = hipErrorContextIsDestroyed;
inline constexpr Status launch_failure = hipErrorLaunchFailure;
inline constexpr Status cooperative_too_large = hipErrorCooperativeLaunchTooLarge;
inline constexpr Status not_supported = hipErrorNotSupported;
inline constexpr Status capture_unsupported = hipErrorStreamCaptureUnsupported;
inline constexpr Status capture_implicit = hipErrorStreamCaptureImplicit;
inline constexpr Status unknown = hipErrorUnknown;
}  // namespace code

inline void reset() { amd_control_reset(); }
/// As in HIP 7: earlier releases overwrite the slot at every call, successful ones included.
inline void successes_leave_last_error() { amd_control_keep_last_error(1); }
inline void set_device_count(int count) { amd_control_set_device_count(count); }
inline void fail(const std::string& function, unsigned k, Status status) {
  amd_control_fail((prefix + function).c_str(), k, status);
}
inline void plant_last_error(Status status) { amd_control_plant_last_error(status); }
[[nodiscard]] inline Status last_error() { return amd_control_last_error(); }
[[nodiscard]] inline std::uint64_t count(const std::string& function) {
  return amd_control_count((prefix + function).c_str());
}
[[nodiscard]] inline std::vector<Launch> launches() { return amd_control::launches(); }
[[nodiscard]] inline auto recorded_calls() { return amd_control::calls(); }
template <class T>
[[nodiscard]] T argument(const Launch& launch, std::size_t index) {
  return amd_control::argument<T>(launch, index);
}
/// The runtime's text for a status. Before release 5.7 that is its name.
[[nodiscard]] inline std::string text_of(Status status) { return hipGetErrorString(status); }
/// The first number of the release of AMD's runtime.
[[nodiscard]] inline int release_major() {
  int version = 0;
  EXPECT_EQ(hipRuntimeGetVersion(&version), hipSuccess);
  return version / 10'000'000;
}
[[nodiscard]] inline Status begin_capture(NativeStream stream) {
  return hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal);
}
/// The number of nodes captured, or -1 if the capture was broken.
[[nodiscard]] inline int end_capture(NativeStream stream) {
  hipGraph_t graph = nullptr;
  if (hipStreamEndCapture(stream, &graph) != hipSuccess) return -1;
  std::size_t nodes = 0;
  const Status status = hipGraphGetNodes(graph, nullptr, &nodes);
  EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
  return status == hipSuccess ? static_cast<int>(nodes) : -1;
}
#endif

/// The runtime's functions that `work` calls, in order, without the vendor's prefix; a run of one
/// function is one entry, "DeviceGetAttribute x24".
template <class Work>
[[nodiscard]] std::vector<std::string> calls_of(const Work& work) {
  const std::size_t before = recorded_calls().size();
  work();
  const auto all = recorded_calls();
  std::vector<std::string> names;
  for (std::size_t i = before; i < all.size();) {
    std::size_t run = i;
    while (run < all.size() && std::string(all[run].function) == all[i].function) ++run;
    const std::string name = std::string(all[i].function).substr(prefix.size());
    names.push_back(run - i == 1 ? name : name + " x" + std::to_string(run - i));
    i = run;
  }
  return names;
}

inline const std::string no_launch = "no launch was recorded";

/// The last launch that the runtime was asked for.
[[nodiscard]] inline Launch last_launch() {
  const auto all = launches();
  if (all.empty()) {
    ADD_FAILURE() << no_launch;
    return {};
  }
  return all.back();
}

/// The bytes of an argument, as the runtime received them.
[[nodiscard]] inline std::string bytes_of(const Launch& launch, std::size_t index) {
  if (launch.arguments_known != 1 || index >= launch.argument_count) {
    ADD_FAILURE() << "the launch has no argument " << index;
    return {};
  }
  const auto& at = launch.arguments[index];
  return {reinterpret_cast<const char*>(launch.argument_bytes) + at.offset, at.size};
}

/// The error of a result that must hold one.
template <class Result>
[[nodiscard]] warpsafe::LaunchError error_in(const Result& outcome) {
  if (outcome.has_value()) {
    ADD_FAILURE() << "a value where an error was expected";
    return warpsafe::LaunchError::make(warpsafe::Errc{}, warpsafe::Stage{});
  }
  return outcome.error();
}

/// Whether the result holds a value; explains a mismatch with the error's text.
MATCHER(Succeeds, "") {
  if (!arg.has_value()) *result_listener << warpsafe::message(arg.error());
  return arg.has_value();
}

/// The place of an error, as at the end of its text: `app_test.cpp:12`.
[[nodiscard]] inline std::string place(const warpsafe::LaunchError& error) {
  const std::string file = error.site.file == nullptr ? "" : error.site.file;
  return file.substr(file.rfind('/') + 1) + ":" + std::to_string(error.site.line);
}

/// The second line of a refusal.
[[nodiscard]] inline std::string second_line(const warpsafe::LaunchError& error,
                                             const std::string& dims, NativeStream stream) {
  std::ostringstream out;
  out << "\n  " << dims;
  if (stream != nullptr) out << ", stream " << static_cast<const void*>(stream);
  out << ", at " << place(error);
  return out.str();
}

/// Skips a test that ends differently over the installed release of HIP, as its list says
/// (tests/amd_runtime/differences). VENDOR_TESTS=all runs these too.
inline void skip_what_differs() {
#if defined(VENDOR_DIFFERENCES)
  const auto& test = *testing::UnitTest::GetInstance()->current_test_info();
  const std::string name = std::string(test.test_suite_name()) + '.' + test.name() + " | ";
  std::ifstream list(VENDOR_DIFFERENCES);
  ASSERT_TRUE(list.good()) << VENDOR_DIFFERENCES;
  if (std::getenv("VENDOR_TESTS") != nullptr) return;
  for (std::string line; std::getline(list, line);) {
    if (line.rfind(name, 0) == 0)
      GTEST_SKIP() << "this release of HIP: " << line.substr(name.size());
  }
#endif
}

/// Each test begins with `device_count` devices, device 0 current. What the
/// library caches about devices and kernels outlives a test, as in a program.
class VendorTest : public testing::Test {
 protected:
  void SetUp() override {
    // The child of a fork has none of the threads of AMD's runtime.
    if (!is_cuda) GTEST_FLAG_SET(death_test_style, "threadsafe");
    reset();
    set_device_count(device_count);
    // The names and the number of devices are read once per process, so read them before a test
    // removes devices.
    ASSERT_FALSE(Backend::device_name(0).empty());
    warpsafe::detail::count_devices<Backend>();
    reset();
    set_device_count(device_count);
    // At the end: a fixture's own SetUp goes on.
    skip_what_differs();
  }
  void TearDown() override {
    EXPECT_EQ(count("GetLastError"), 0U) << "the library never clears the last error";
  }

  /// Ends the child process of a death test: with 0, or with 1 after the text of each failure.
  [[noreturn]] static void end_child() {
    const auto& all = *testing::UnitTest::GetInstance()->current_test_info()->result();
    for (int i = 0; i < all.total_part_count(); ++i) {
      std::fprintf(stderr, "%s\n", all.GetTestPartResult(i).message());
    }
    std::_Exit(HasFailure() ? 1 : 0);
  }
  /// A device that no test of this process has used, so nothing about it is cached. It is one of
  /// the last devices; tests that name a device by its number use one of the first 9. There are
  /// enough to run all tests twice in one process.
  [[nodiscard]] static int fresh_device() {
    static int next = device_count;
    if (--next < 9) ADD_FAILURE() << "more tests that need a device of their own than devices";
    return next;
  }
  [[nodiscard]] static warpsafe::Stream make_stream(int device = 0) {
    return warpsafe::Stream::create(warpsafe::DeviceId(device)).value();
  }
};

}  // namespace vendor_test
