// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What becomes of a status that a runtime returns, and who is told.

#include "core_test.hpp"
#include <warpsafe/backend/detail/call_scope.hpp>
#include <warpsafe/backend/detail/host_thread.hpp>
#include <warpsafe/backend/detail/runtime_error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::core_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A runtime whose statuses are the numbers of Errc, and their negatives lose the context.
struct ErringRuntime {
  static constexpr Vendor vendor = Vendor::amd;
  static constexpr int not_ready = static_cast<int>(Errc::unsupported);

  static Errc classify(int status) noexcept {
    return static_cast<Errc>(status < 0 ? -status : status);
  }
  static Severity severity_of(int status) noexcept {
    return status < 0 && status > -1000 ? Severity::context_lost : Severity::recoverable;
  }
  static Name error_name(int) noexcept { return Name::of("errName"); }
  static Name error_text(int) noexcept { return Name::of("the text"); }
  static int limits_of(int device, DeviceLimits& limits) noexcept {
    limits.name = Name::of("a device");
    return device;  // 0 is the only one
  }
};
/// A runtime that says in its own way that it does not know a function.
struct ErringRuntimeOfKernels : ErringRuntime {
  static constexpr int unknown_function = static_cast<int>(Errc::runtime_failed);
};
struct ErringRuntimeOfNames : ErringRuntime {
  static Name device_name(int) noexcept { return Name::of("a name"); }
};

std::vector<std::string> erring_told;

/// The hooks of device checks, debug tools and captures, which note that they are told.
class ErrorReceivers {
 public:
  ErrorReceivers() {
    erring_told.clear();
    checks_.failed = []() noexcept { return true; };
    checks_.take = [](LaunchError& error) noexcept {
      error.device = 7;
      erring_told.emplace_back("taken");
    };
    debug_.complete = [](void*, LaunchError& error, std::int32_t device, bool earlier) noexcept {
      erring_told.push_back(std::string(earlier ? "earlier" : "created") + " on " +
                            std::to_string(device) + " of " +
                            std::to_string(static_cast<int>(error.vendor)));
    };
    captures_.failed = [](const LaunchError& error) noexcept {
      erring_told.push_back("capture of " + text(error.operation));
    };
    __atomic_store_n(&detail::observers_in_use, &debug_, __ATOMIC_RELEASE);
    __atomic_store_n(&detail::capture_hooks, &captures_, __ATOMIC_RELEASE);
    __atomic_store_n(&detail::check_hooks_in_use, nullptr, __ATOMIC_RELEASE);
  }
  ~ErrorReceivers() {
    __atomic_store_n(&detail::observers_in_use, debug_before_, __ATOMIC_RELEASE);
    __atomic_store_n(&detail::capture_hooks, captures_before_, __ATOMIC_RELEASE);
    __atomic_store_n(&detail::check_hooks_in_use, checks_before_, __ATOMIC_RELEASE);
  }
  ErrorReceivers(const ErrorReceivers&) = delete;
  ErrorReceivers& operator=(const ErrorReceivers&) = delete;

  /// From now on a device check has failed.
  void check_failed() const {
    __atomic_store_n(&detail::check_hooks_in_use, &checks_, __ATOMIC_RELEASE);
  }
  [[nodiscard]] static std::vector<std::string> told() { return std::exchange(erring_told, {}); }

 private:
  Observer* const debug_before_ = detail::observers_in_use;
  const detail::CaptureHooks* captures_before_ = detail::open_captures();
  const detail::CheckHooks* checks_before_ = detail::check_hooks();
  Observer debug_{};
  detail::CaptureHooks captures_{};
  detail::CheckHooks checks_{};
};

template <class B = ErringRuntime>
LaunchError erring(int status, Stage stage = Stage::runtime_call, int device = 3) {
  return detail::runtime_error<B>(status, Name::of("rtCopy"), app, stage, device);
}
int status_of(Errc code) { return static_cast<int>(code); }

TEST(RuntimeError, HasWhatTheRuntimeSays) {
  const ErrorReceivers receivers;
  const int status = -status_of(Errc::execution_failed);
  const LaunchError error = erring(status);
  EXPECT_EQ(error.code, Errc::execution_failed);
  EXPECT_EQ(error.stage, Stage::runtime_call);
  EXPECT_EQ(error.severity, Severity::context_lost);
  EXPECT_EQ(error.vendor, Vendor::amd);
  EXPECT_EQ(error.raw, status);
  EXPECT_EQ(text(error.raw_name), "errName");
  EXPECT_EQ(text(error.raw_text), "the text");
  EXPECT_EQ(text(error.operation), "rtCopy");
  EXPECT_TRUE(is_app(error.site));
  EXPECT_THAT(receivers.told(), ElementsAre("earlier on 3 of 2", "capture of rtCopy"));
}

TEST(RuntimeError, IsAFaultOfEarlierWorkByItsCodeOrIfTheContextIsLost) {
  const ErrorReceivers receivers;
  for (const Errc code : {Errc::execution_failed, Errc::pending_error, Errc::barrier_divergence}) {
    static_cast<void>(erring(status_of(code)));
    EXPECT_THAT(receivers.told(), ElementsAre("earlier on 3 of 2", "capture of rtCopy"));
  }
  for (const Errc code : {Errc::out_of_memory, Errc::runtime_failed, Errc::unsupported}) {
    static_cast<void>(erring(status_of(code)));
    EXPECT_THAT(receivers.told(), ElementsAre("created on 3 of 2", "capture of rtCopy"));
    static_cast<void>(erring(-status_of(code)));
    EXPECT_THAT(receivers.told(), ElementsAre("earlier on 3 of 2", "capture of rtCopy"));
  }
}

TEST(RuntimeError, OfALaunchIsReportedLaterAndBelongsToEarlierWork) {
  const ErrorReceivers receivers;
  EXPECT_EQ(erring(status_of(Errc::execution_failed), Stage::launch).code, Errc::pending_error);
  EXPECT_THAT(receivers.told(), IsEmpty());
  EXPECT_EQ(erring(status_of(Errc::execution_failed), Stage::validation).code, Errc::pending_error);
  EXPECT_THAT(receivers.told(), ElementsAre("earlier on 3 of 2", "capture of rtCopy"));
  EXPECT_EQ(erring(status_of(Errc::out_of_memory), Stage::launch).code, Errc::out_of_memory);
  EXPECT_EQ(erring(status_of(Errc::execution_failed), Stage::completion).code,
            Errc::execution_failed);
}

TEST(RuntimeError, OfAWaitThatIsNotReadyIsAWaitThatWasAbandoned) {
  const ErrorReceivers receivers;
  EXPECT_EQ(erring(status_of(Errc::unsupported), Stage::completion).code, Errc::wait_timed_out);
  EXPECT_EQ(erring(status_of(Errc::unsupported), Stage::runtime_call).code, Errc::unsupported);
  EXPECT_EQ(erring(status_of(Errc::out_of_memory), Stage::completion).code, Errc::out_of_memory);
}

TEST(RuntimeError, OfAFailedCheckIsTheRecordOfTheCheck) {
  const ErrorReceivers receivers;
  receivers.check_failed();
  const LaunchError error = erring(detail::failed_check_status, Stage::completion, 4);
  EXPECT_EQ(error.code, Errc::device_check_failed);
  EXPECT_EQ(error.stage, Stage::completion);
  EXPECT_EQ(error.device, 7) << "as the record says";
  EXPECT_EQ(error.vendor, Vendor::amd);
  EXPECT_EQ(error.raw, 0) << "the runtime reported nothing";
  EXPECT_TRUE(is_app(error.site));
  EXPECT_THAT(receivers.told(), ElementsAre("taken", "created on 4 of 2"));
  // Another status takes no record.
  EXPECT_EQ(erring(status_of(Errc::out_of_memory)).code, Errc::out_of_memory);
  EXPECT_THAT(receivers.told(), ElementsAre("created on 3 of 2", "capture of rtCopy"));
}

TEST(RuntimeError, WithoutDeviceChecksTheirStatusIsTheRuntimes) {
  const ErrorReceivers receivers;
  EXPECT_EQ(erring(detail::failed_check_status).raw, detail::failed_check_status);
  EXPECT_THAT(receivers.told(), ElementsAre("created on 3 of 2", "capture of rtCopy"));
}

TEST(RuntimeError, AWaitReportsAFailedCheckUnlessTheRuntimeReportsAFault) {
  const ErrorReceivers receivers;
  EXPECT_EQ(detail::status_with_device_check(0), 0);
  EXPECT_EQ(detail::status_with_device_check(700), 700);
  receivers.check_failed();
  EXPECT_EQ(detail::status_with_device_check(0), detail::failed_check_status);
  EXPECT_EQ(detail::status_with_device_check(700), 700);
}

TEST(RuntimeError, OfAKernelSaysThatTheRuntimeDoesNotKnowIt) {
  const ErrorReceivers receivers;
  const auto of_kernel = [](auto runtime, Errc code) {
    return detail::kernel_error<decltype(runtime)>(status_of(code), Name::of("rtFunc"), app).code;
  };
  EXPECT_EQ(of_kernel(ErringRuntimeOfKernels{}, Errc::runtime_failed), Errc::not_a_kernel);
  EXPECT_EQ(of_kernel(ErringRuntimeOfKernels{}, Errc::out_of_memory), Errc::out_of_memory);
  EXPECT_EQ(of_kernel(ErringRuntime{}, Errc::runtime_failed), Errc::runtime_failed);
}

TEST(RuntimeError, ADeviceHasTheNameThatItsRuntimeTells) {
  EXPECT_EQ(text(detail::device_name<ErringRuntime>(0)), "a device");
  EXPECT_EQ(text(detail::device_name<ErringRuntime>(1)), "");
  EXPECT_EQ(text(detail::device_name<ErringRuntimeOfNames>(1)), "a name");
}

// A destructor's error, whose text is as long as the CPU model's texts of faults can be.
TEST(RuntimeError, ADroppedErrorKeepsItsAdvice) {
  const std::string fault(1020, 'x');
  LaunchError error = LaunchError::make(Errc::runtime_failed, Stage::runtime_call);
  error.operation = Name::of("device memory free");
  error.raw_text = Name{fault.data(), fault.size()};
  testing::internal::CaptureStderr();
  detail::print_dropped(error, "call close() to get it");
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_THAT(printed, testing::HasSubstr(fault));
  EXPECT_THAT(printed, testing::EndsWith("drops this error: call close() to get it\n"));
}

// The other parts between the library and a backend.

TEST(HostCaller, IsUnknownUntilACallNamesIt) {
  const host::Caller none;
  EXPECT_EQ(none.site.file, nullptr);
  EXPECT_EQ(none.site.function, nullptr);
  EXPECT_EQ(none.site.line, 0U);
  EXPECT_EQ(none.kernel.data, nullptr);
  EXPECT_EQ(none.kernel.size, 0U);
}

TEST(HostThreadIndex, GoesThroughTheBlockAxisByAxis) {
  detail::HostThread thread{};
  const unsigned dims[3] = {2, 3, 4};
  for (int axis = 0; axis < 3; ++axis) thread.block_dim[axis] = dims[axis];
  for (unsigned i = 0; i < 24; ++i) {
    EXPECT_THAT(thread.thread, ElementsAre(i % 2, i / 2 % 3, i / 6)) << i;
    EXPECT_EQ(thread.next(), i != 23) << i;
  }
}

}  // namespace
}  // namespace warpsafe::core_test
