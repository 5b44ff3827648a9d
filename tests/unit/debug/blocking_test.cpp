// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Launches that wait for their kernels, and the other switches of the environment. The library
// reads the environment once per process, so each value is tried in a separate process.

#include "launch_fixture.hpp"
#include <warpsafe/debug.hpp>
#include <warpsafe/graph.hpp>
#include <warpsafe/graph/capture.hpp>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>

WARPSAFE_KERNEL void matmul_f32() {}
namespace layers {
template <class T>
WARPSAFE_KERNEL void scale() {}
}  // namespace layers

namespace warpsafe::core_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr LaunchConfig one_warp{grid<1>, block<32>};

TEST(IsListed, TakesFullNamesBareNamesAndAll) {
  const Name name = Name::of("layers::scale<float>");
  EXPECT_TRUE(debug::is_listed(name, "layers::scale<float>"));
  EXPECT_TRUE(debug::is_listed(name, "layers::scale"));
  EXPECT_TRUE(debug::is_listed(name, "other,scale"));
  EXPECT_TRUE(debug::is_listed(name, "all"));
  EXPECT_FALSE(debug::is_listed(name, "scal,cale,layers,float"));
  EXPECT_FALSE(debug::is_listed(name, ""));
  EXPECT_TRUE(debug::is_listed(Name::of("two<int, float>"), "x,two<int, float>,y"));
  EXPECT_FALSE(debug::is_listed(Name::of("two<int, float>"), "two<int, double>"));
}

struct Blocking : LaunchTest {
  Blocking() { debug::set_blocking(true); }
  ~Blocking() override { debug::set_blocking(false); }
  Blocking(const Blocking&) = delete;
  Blocking& operator=(const Blocking&) = delete;
};

TEST_F(Blocking, TheLaunchItselfReportsItsKernelsFault) {
  host::fault_in_kernel(1, HostStatus::illegal_address);
  const auto launched = launch(stream, one_warp, kernel<matmul_f32>);
  const std::string line = std::to_string(__LINE__ - 1);
  const LaunchError error = error_in(launched);
  EXPECT_EQ(error.code, Errc::execution_failed);
  EXPECT_EQ(error.stage, Stage::completion);
  EXPECT_EQ(error.sequence, debug::Journal::get().last());
  EXPECT_THAT(message(error), StartsWith("Device synchronization failed after kernel 'matmul_f32': "
                                         "an illegal memory access was encountered\n"
                                         "  at blocking_test.cpp:" +
                                         line));
  EXPECT_THAT(message(error), HasSubstr("suspect: 1 launch of device 0"));
  EXPECT_THAT(message(error), HasSubstr("\n  (a launch-blocking mode was on"));
}

TEST_F(Blocking, EveryErrorSaysThatItWasOn) {
  EXPECT_TRUE(
      error_in(launch(stream,
                      LaunchConfig{grid<1>, BlockDim::create(1024).value(), shared<char>(1 << 30)},
                      kernel<matmul_f32>))
          .blocking_was_on);
  host::fail_next(call_of<&host_backend::launch>, 1, HostStatus::invalid_value);
  EXPECT_TRUE(error_in(launch(stream, one_warp, kernel<matmul_f32>)).blocking_was_on);
  host::fail_next(call_of<&host_backend::stream_synchronize>, 1, HostStatus::invalid_value);
  EXPECT_TRUE(error_in(stream.synchronize()).blocking_was_on);
  debug::set_blocking(false);
  host::fail_next(call_of<&host_backend::launch>, 1, HostStatus::invalid_value);
  EXPECT_FALSE(error_in(launch(stream, one_warp, kernel<matmul_f32>)).blocking_was_on);
}

TEST_F(Blocking, EachLaunchIsWaitedForAndNoSuspect) {
  const auto before = host::calls_made(call_of<&host_backend::stream_synchronize>);
  ASSERT_TRUE(launch(stream, one_warp, kernel<matmul_f32>).has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::stream_synchronize>), before + 1);
  host::fault_in_kernel(1, HostStatus::illegal_address);
  const LaunchError error = error_in(launch(stream, one_warp, kernel<layers::scale<float>>));
  EXPECT_EQ(debug::suspects(error, nullptr, 0), 1U);
}

TEST_F(Blocking, AFaultThatAnswersTheQuestionBeforeTheWaitIsTheKernels) {
  const auto before = host::calls_made(call_of<&host_backend::stream_synchronize>);
  host::fail_next(call_of<&host_backend::stream_capturing>, 1, HostStatus::illegal_address);
  const LaunchError error = error_in(launch(stream, one_warp, kernel<matmul_f32>));
  EXPECT_EQ(error.code, Errc::execution_failed);
  EXPECT_EQ(error.stage, Stage::completion);
  EXPECT_THAT(message(error), StartsWith("Device synchronization failed after kernel 'matmul_f32': "
                                         "an illegal memory access was encountered\n"));
  EXPECT_EQ(host::calls_made(call_of<&host_backend::stream_synchronize>), before);
}

TEST_F(Blocking, AFaultAfterTheQuestionBeforeTheWaitDoesNotSkipTheWait) {
  for (const unsigned question : {2U, 3U}) {
    const auto before = host::calls_made(call_of<&host_backend::stream_synchronize>);
    host::fail_next(call_of<&host_backend::stream_capturing>, question,
                    HostStatus::illegal_address);
    static_cast<void>(launch(stream, one_warp, kernel<matmul_f32>));
    EXPECT_EQ(host::calls_made(call_of<&host_backend::stream_synchronize>), before + 1) << question;
    host::reset();
    stream = Stream::create().value();
  }
}

TEST_F(Blocking, AQuestionBeforeTheWaitThatIsRefusedIsNoFault) {
  const auto before = host::calls_made(call_of<&host_backend::stream_synchronize>);
  host::fail_next(call_of<&host_backend::stream_capturing>, 1, HostStatus::invalid_value);
  EXPECT_TRUE(launch(stream, one_warp, kernel<matmul_f32>).has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::stream_synchronize>), before);
}

TEST_F(Blocking, ALaunchIntoACaptureDoesNotWaitAndBreaksNothing) {
  auto capture = Capture::begin(stream).value();
  const auto before = host::calls_made(call_of<&host_backend::stream_synchronize>);
  EXPECT_TRUE(launch(capture.stream(), one_warp, kernel<matmul_f32>).has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::stream_synchronize>), before);
  auto graph = std::move(capture).end();
  ASSERT_TRUE(graph.has_value());
  EXPECT_TRUE(graph.value().instantiate().value().launch(stream).has_value());
  EXPECT_TRUE(stream.synchronize().has_value());
}

// A wait of another thread would break the capture.
TEST_F(Blocking, ALaunchBesideACaptureOfAnotherThreadBreaksNothing) {
  auto capture = Capture::begin(stream, CaptureMode::global).value();
  std::thread([] {
    const Stream own = Stream::create().value();
    EXPECT_TRUE(launch(own, one_warp, kernel<matmul_f32>).has_value());
  }).join();
  EXPECT_TRUE(launch(capture.stream(), one_warp, kernel<matmul_f32>).has_value());
  EXPECT_TRUE(std::move(capture).end().has_value());
}

TEST_F(Blocking, ALaunchOfLevelOffDoesNotWait) {
  const auto before = host::calls_made(call_of<&host_backend::stream_synchronize>);
  ASSERT_TRUE(launch<CheckLevel::off>(stream, one_warp, kernel<matmul_f32>).has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::stream_synchronize>), before);
}

/// Launches matmul_f32 and then scale<float>, each twice, with one variable set. Exits with the
/// number of waits.
[[noreturn]] void launch_with(const char* name, const char* value) {
  ::setenv(name, value, 1);
  const Stream stream = Stream::create().value();
  for (int i = 0; i < 2; ++i) {
    if (!launch(stream, one_warp, kernel<matmul_f32>).has_value()) std::_Exit(101);
    if (!launch(stream, one_warp, kernel<layers::scale<float>>).has_value()) std::_Exit(102);
  }
  std::_Exit(static_cast<int>(host::calls_made(call_of<&host_backend::stream_synchronize>)));
}

struct SwitchesDeathTest : ::testing::Test {
  // A new process, not a fork: the modelled GPU has threads.
  SwitchesDeathTest() { ::testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

#define EXPECT_WAITS(count, name, value, said) \
  EXPECT_EXIT(launch_with(name, value), ::testing::ExitedWithCode(count), said)

TEST_F(SwitchesDeathTest, EachVariableMakesLaunchesWaitAndIsToldOnce) {
  for (const char* name : {"HIP_LAUNCH_BLOCKING", "CUDA_LAUNCH_BLOCKING", "AMD_SERIALIZE_KERNEL"}) {
    const std::string said = std::string("^warpsafe: ") + name +
                             "=1: every launch waits for its kernel; this slows the program down, "
                             "and hides missing synchronisation\n$";
    EXPECT_WAITS(4, name, "1", said);
    EXPECT_WAITS(4, name, "true", "every launch waits");
    EXPECT_WAITS(0, name, "0", "^$");
    EXPECT_WAITS(0, name, "", "^$");
  }
  EXPECT_WAITS(4, "AMD_SERIALIZE_KERNEL", "3", "every launch waits");
}

TEST_F(SwitchesDeathTest, OnesOwnVariableTakesKernelsByName) {
  EXPECT_WAITS(4, "WARPSAFE_SYNC", "all", "WARPSAFE_SYNC=all: every launch waits");
  EXPECT_WAITS(2, "WARPSAFE_SYNC", "scale",
               "WARPSAFE_SYNC=scale: each launch of these kernels waits");
  EXPECT_WAITS(4, "WARPSAFE_SYNC", "scale,matmul_f32", "each launch of these kernels waits");
  EXPECT_WAITS(0, "WARPSAFE_SYNC", "elsewhere", "each launch of these kernels waits");
}

TEST_F(SwitchesDeathTest, TheLogGoesToStandardError) {
  EXPECT_WAITS(0, "WARPSAFE_LOG", "debug",
               "^Device 0 'CPU[^']*': .*max_threads_per_block=1024, .*\n"
               "Launch: kernel=matmul_f32, grid=.1,1,1., block=.32,1,1., shared=0 bytes\n"
               "Launch: kernel=layers::scale.*, grid=.1,1,1., block=.32,1,1., shared=0 bytes\n"
               "Launch: kernel=matmul_f32.*\nLaunch: kernel=layers::scale.*\n$");
  EXPECT_WAITS(0, "WARPSAFE_LOG", "error", "^$");
  EXPECT_WAITS(0, "WARPSAFE_LOG", "off", "^$");
  EXPECT_WAITS(0, "WARPSAFE_LOG", "verbose",
               "^warpsafe: WARPSAFE_LOG=verbose is not one of off, error, warn, debug, trace\n$");
}

/// A program with a stream of its own, whose first use of this library is a launch.
[[noreturn]] void launch_first() {
  ::setenv("WARPSAFE_LOG", "debug", 1);
  host_backend::native_stream native = nullptr;
  if (host_backend::stream_create(native, 0) != 0) std::_Exit(101);
  const auto stream = StreamRef::borrow(native, DeviceId(0));
  if (!launch(stream.value(), one_warp, kernel<matmul_f32>).has_value()) std::_Exit(102);
  std::_Exit(0);
}
TEST_F(SwitchesDeathTest, TheFirstLaunchIsInTheLogAlsoIfItIsTheFirstCall) {
  EXPECT_EXIT(launch_first(), ::testing::ExitedWithCode(0),
              "^Device 0 .*\nLaunch: kernel=matmul_f32.*\n$");
}

TEST_F(SwitchesDeathTest, ASwitchThatLooksAtDataIsToldAtStart) {
  EXPECT_WAITS(0, "WARPSAFE_SHADOW", "other",
               "^warpsafe: WARPSAFE_SHADOW=other: the host's references run beside these kernels, "
               "and every such launch waits\n$");
}

TEST_F(SwitchesDeathTest, WithTheLogOffNothingIsToldAtStart) {
  ::setenv("WARPSAFE_LOG", "off", 1);
  EXPECT_WAITS(4, "WARPSAFE_SYNC", "all", "^$");
  ::unsetenv("WARPSAFE_LOG");
}

TEST_F(SwitchesDeathTest, ABreakStopsTheProcessBeforeThatLaunch) {
  // The grandchild stops. Its parent sees that, continues it, and takes its exit code.
  const auto watch = [] {
    const pid_t child = fork();  // before the modelled GPU has threads
    if (child == 0) launch_with("WARPSAFE_BREAK", "3");
    int status = 0;
    if (waitpid(child, &status, WUNTRACED) != child || !WIFSTOPPED(status)) std::_Exit(103);
    if (WSTOPSIG(status) != SIGSTOP) std::_Exit(104);
    kill(child, SIGCONT);
    waitpid(child, &status, 0);
    std::_Exit(WIFEXITED(status) ? WEXITSTATUS(status) : 105);
  };
  EXPECT_EXIT(watch(), ::testing::ExitedWithCode(0),
              "warpsafe: WARPSAFE_BREAK=3: stopped before launch 3, kernel 'matmul_f32', at "
              ".*blocking_test.cpp:[0-9]+; attach a debugger to this process, or resume it with "
              "SIGCONT");
}

}  // namespace
}  // namespace warpsafe::core_test
