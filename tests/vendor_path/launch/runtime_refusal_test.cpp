// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Launches that the runtime itself refuses or reports, code by code, at each level.
#include "../kernels.hpp"
#include "../stand_in.hpp"
#include <warpsafe/debug.hpp>

#include <algorithm>
#include <ostream>
#include <string>

namespace vendor_test {
namespace {

namespace ws = warpsafe;
using testing::StartsWith;
using ws::CheckLevel;
using ws::Errc;
using ws::Severity;

constexpr ws::LaunchConfig refused_config{ws::grid<2>, ws::block<64>};
const std::string lost =
    "\n  the device's context is lost: every later call of this process fails; restart the process";

struct Answer {
  Status status;
  std::string name;  // without the prefix
  Errc code;
  Severity severity;
  friend void PrintTo(const Answer& answer, std::ostream* out) { *out << answer.name; }
};

class RuntimeRefusal : public VendorTest, public testing::WithParamInterface<Answer> {
 protected:
  template <CheckLevel Level>
  ws::LaunchError refused() {
    const ws::Stream stream = make_stream();
    EXPECT_THAT(ws::launch(stream, refused_config, ws::kernel<nothing>), Succeeds());
    fail("LaunchKernel", 1, GetParam().status);
    const auto error = error_in(ws::launch<Level>(stream, refused_config, ws::kernel<nothing>));
    EXPECT_EQ(error.stage, ws::Stage::launch);
    EXPECT_EQ(error.code, GetParam().code);
    EXPECT_EQ(error.severity, GetParam().severity);
    EXPECT_EQ(error.raw, GetParam().status);
    EXPECT_EQ(error.grid[0], 2U);
    EXPECT_EQ(error.block[0], 64U);
    EXPECT_EQ(error.device, 0);
    EXPECT_EQ(error.stream, stream.native());
    EXPECT_EQ(error.vendor, is_cuda ? ws::Vendor::nvidia : ws::Vendor::amd);
    EXPECT_EQ(std::string(error.raw_name.data, error.raw_name.size),
              prefix + "Error" + GetParam().name);
    return error;
  }
};

/// The text up to the suspects of a fault, which are earlier launches.
std::string without_suspects(const std::string& text) {
  const auto suspects = std::min(text.find("\n  suspect"), text.find("\n  no suspects"));
  return suspects == std::string::npos ? text : text.substr(0, suspects);
}

TEST_P(RuntimeRefusal, HasTheRuntimesCodeAndOurs) {
  const auto full = refused<CheckLevel::full>();
  const std::string first = "Kernel 'vendor_test::nothing' launch failed: " + prefix + "Error" +
                            GetParam().name + " (grid=(2,1,1), block=(64,1,1))";
  const std::string last =
      "\n  at " + place(full) + (GetParam().severity == Severity::context_lost ? lost : "");
  const std::string text = without_suspects(ws::message(full));
  if (GetParam().code == Errc::launch_refused) {
    EXPECT_EQ(text, first + last);
  } else {  // the code says more than the runtime's name: one line of it
    ASSERT_THAT(text, StartsWith(first + "\n  "));
    EXPECT_EQ(text.substr(text.size() - last.size()), last);
    EXPECT_GT(text.size(), first.size() + 3 + last.size());
  }
  EXPECT_THAT(ws::message(refused<CheckLevel::off>()), StartsWith(first));
}

constexpr auto recoverable = Severity::recoverable;
constexpr auto context_lost = Severity::context_lost;
INSTANTIATE_TEST_SUITE_P(
    Codes, RuntimeRefusal,
    testing::Values(
        Answer{code::invalid_value, "InvalidValue", Errc::launch_refused, recoverable},
        Answer{code::invalid_configuration, "InvalidConfiguration", Errc::launch_refused,
               recoverable},
        Answer{code::out_of_resources, "LaunchOutOfResources", Errc::launch_refused, recoverable},
        Answer{code::invalid_handle, is_cuda ? "InvalidResourceHandle" : "InvalidHandle",
               Errc::launch_refused, recoverable},
        Answer{code::cooperative_too_large, "CooperativeLaunchTooLarge", Errc::launch_refused,
               recoverable},
        Answer{code::unknown, "Unknown", Errc::launch_refused, recoverable},
        Answer{code::out_of_memory, is_cuda ? "MemoryAllocation" : "OutOfMemory",
               Errc::out_of_memory, recoverable},
        Answer{code::not_supported, "NotSupported", Errc::unsupported, recoverable},
        Answer{code::not_a_kernel, "InvalidDeviceFunction", Errc::not_a_kernel, recoverable},
        Answer{code::no_image, is_cuda ? "NoKernelImageForDevice" : "NoBinaryForGpu",
               Errc::no_kernel_image, recoverable},
        Answer{code::no_device, "NoDevice", Errc::no_device, recoverable},
        Answer{code::not_initialized, is_cuda ? "InitializationError" : "NotInitialized",
               Errc::no_device, recoverable},
        Answer{code::insufficient_driver, "InsufficientDriver", Errc::no_device, recoverable},
        Answer{code::invalid_device, "InvalidDevice", Errc::device_invalid, recoverable},
        Answer{code::capture_unsupported, "StreamCaptureUnsupported", Errc::stream_capturing,
               recoverable},
        Answer{code::capture_implicit, "StreamCaptureImplicit", Errc::stream_capturing,
               recoverable},
        Answer{code::illegal_address, "IllegalAddress", Errc::pending_error, context_lost},
        Answer{code::launch_timeout, is_cuda ? "LaunchTimeout" : "LaunchTimeOut",
               Errc::pending_error, context_lost},
        Answer{code::device_assert, "Assert", Errc::pending_error, context_lost},
        // AMD's runtime returns this for a destroyed stream.
        Answer{code::context_destroyed, "ContextIsDestroyed",
               is_cuda ? Errc::pending_error : Errc::launch_refused,
               is_cuda ? context_lost : recoverable},
        // AMD's runtime also returns this for more threads than the kernel's bounds.
        Answer{code::launch_failure, "LaunchFailure",
               is_cuda ? Errc::pending_error : Errc::launch_refused,
               is_cuda ? context_lost : recoverable}),
    [](const auto& instance) { return instance.param.name; });

using RuntimeRefusals = VendorTest;

TEST_F(RuntimeRefusals, AtLevelOffTheRuntimeRefusesWhatNobodyChecked) {
  const ws::Stream stream = make_stream();
  const auto launched = ws::launch<CheckLevel::off>(
      stream, ws::LaunchConfig{ws::grid<1>, ws::BlockDim::from_vendor(dim3(64, 64))},
      ws::kernel<nothing>);
  const auto error = error_in(launched);
  EXPECT_EQ(error.code, Errc::launch_refused);
  EXPECT_EQ(
      ws::message(error),
      "Kernel 'vendor_test::nothing' launch failed: " + prefix +
          (error.raw == code::invalid_value ? "ErrorInvalidValue" : "ErrorInvalidConfiguration") +
          " (grid=(1,1,1), block=(64,64,1))\n  at " + place(error));
}

TEST_F(RuntimeRefusals, ASizeThatOverflowsIsRefusedByTheRuntimeToo) {
  const ws::Stream stream = make_stream();
  const auto config_of = [](auto n) {
    return ws::configure<CheckLevel::off>(ws::SafeGrid<>::cover<CheckLevel::off>(n, ws::block<1>));
  };
  const auto launched =
      ws::launch<CheckLevel::off>(stream, config_of(std::uint64_t{1} << 40U), ws::kernel<nothing>);
  EXPECT_EQ(error_in(launched).code, Errc::launch_refused);
  ASSERT_EQ(launches().size(), 1U);
  EXPECT_EQ(last_launch().grid.x, 0U);
  EXPECT_NE(last_launch().result, code::success);
}

#if defined(WARPSAFE_BACKEND_CUDA)
TEST_F(RuntimeRefusals, AFaultOfEarlierWorkIsNotTheNextKernels) {
  ws::debug::mark_device_idle(ws::Vendor::nvidia, 0);  // other tests launched on it too
  const ws::Stream stream = make_stream();
  ASSERT_THAT(ws::launch(stream, refused_config, ws::kernel<nothing>), Succeeds());
  stand_in_cuda_post_async_error(0, cudaErrorIllegalAddress, 1);
  const auto error =
      error_in(ws::launch<CheckLevel::off>(stream, refused_config, ws::kernel<nothing>));
  EXPECT_EQ(error.code, Errc::pending_error);
  EXPECT_EQ(error.severity, Severity::context_lost);
  EXPECT_EQ(
      ws::message(error),
      "Kernel 'vendor_test::nothing' launch failed: cudaErrorIllegalAddress (grid=(2,1,1), "
      "block=(64,1,1))\n  an error was pending before this call: an illegal memory access was "
      "encountered\n  at " +
          place(error) + lost);
  const auto waited = error_in(stream.synchronize());
  EXPECT_EQ(waited.code, Errc::execution_failed);
  EXPECT_EQ(without_suspects(ws::message(waited)),
            "Device synchronization failed: an illegal memory access was encountered\n  at " +
                place(waited) + lost);
  EXPECT_THAT(
      ws::message(waited),
      ::testing::HasSubstr("\n  suspect: 1 launch of device 0 not known to have ended\n    #"));
  EXPECT_THAT(ws::message(waited), ::testing::HasSubstr(" 'vendor_test::nothing', grid=(2,1,1), "));
  EXPECT_EQ(error_in(stream.ready()).severity, Severity::context_lost);
}
#else
TEST_F(RuntimeRefusals, AFaultOfEarlierWorkComesOutOfTheWait) {
  const ws::Stream stream = make_stream();
  amd_control_post_async_error(hipErrorIllegalAddress);
  const auto waited = error_in(stream.synchronize());
  EXPECT_EQ(waited.code, Errc::execution_failed);
  EXPECT_EQ(without_suspects(ws::message(waited)),
            "Device synchronization failed: " + text_of(code::illegal_address) + "\n  at " +
                place(waited) + lost);
}
#endif

}  // namespace
}  // namespace vendor_test
