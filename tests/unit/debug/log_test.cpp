// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What is written to the log, through a sink.

#include "launch_fixture.hpp"
#include <warpsafe/debug/log.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/stream/event.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

WARPSAFE_KERNEL void dequantize_q4_0() {}
WARPSAFE_KERNEL void another_with_shared() {}
/// One thread of the block writes.
template <class T>
WARPSAFE_FN void set(T& element) {
  if (warpsafe::thread_in_block().x == 0) element = 1;
}
#line 23 "/home/me/src/reverse.cpp"
WARPSAFE_KERNEL void reverse(unsigned count) { set(warpsafe::dynamic_shared<float>(count)[0]); }
WARPSAFE_KERNEL void use_all(unsigned count) {
  for (unsigned i = 0; i < 4 * count; ++i) set(warpsafe::dynamic_shared<int>(count)[i]);
}
WARPSAFE_KERNEL void reverse_bytes(unsigned n) { set(warpsafe::dynamic_shared<char>(n)[0]); }
#line 36 "log_test.cpp"

namespace warpsafe::core_test {
namespace {

using debug::LogLevel;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

struct VendorDims {
  std::uint32_t x = 64, y = 64, z = 1;
};
struct Message {
  LogLevel level;
  std::string text;
};

struct Log : LaunchTest {
  Log() { debug::set_log_sink(&sink); }
  ~Log() override {
    debug::set_log_level(LogLevel::off);
    debug::set_log_sink(nullptr);
  }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  static void take(void* user, LogLevel level, const char* text, std::size_t size) noexcept {
    auto* const log = static_cast<Log*>(user);
    const std::lock_guard lock(log->mutex);
    EXPECT_EQ(text[size], '\0');
    log->messages.push_back({level, {text, size}});
  }
  /// The texts of one level.
  [[nodiscard]] std::vector<std::string> of(LogLevel level) const {
    std::vector<std::string> found;
    for (const Message& one : messages) {
      if (one.level == level) found.push_back(one.text);
    }
    return found;
  }
  auto go() { return launch(stream, LaunchConfig{grid<140>, block<64>}, kernel<dequantize_q4_0>); }

  debug::LogSink sink{&take, this};
  std::mutex mutex;
  std::vector<Message> messages;
};

TEST_F(Log, IsSilentWhenItIsOff) {
  debug::set_log_level(LogLevel::off);
  ASSERT_TRUE(go().has_value());
  host::fail_next(call_of<&host_backend::launch>, 1, HostStatus::invalid_value);
  ASSERT_FALSE(go().has_value());
  EXPECT_THAT(messages, IsEmpty());
}

TEST_F(Log, EachLaunchIsOneLineToTheLetter) {
  debug::set_log_level(LogLevel::debug);
  ASSERT_TRUE(go().has_value());
  const LaunchConfig config{grid<2, 3, 4>, block<8, 4, 2>, shared<float>(25)};
  ASSERT_TRUE(launch(stream, config, kernel<dequantize_q4_0>).has_value());
  const auto lines = of(LogLevel::debug);
  ASSERT_GE(lines.size(), 2U);
  EXPECT_EQ(lines[lines.size() - 2],
            "Launch: kernel=dequantize_q4_0, grid=(140,1,1), block=(64,1,1), shared=0 bytes");
  EXPECT_EQ(lines.back(),
            "Launch: kernel=dequantize_q4_0, grid=(2,3,4), block=(8,4,2), shared=100 bytes");
}

TEST_F(Log, ControlCharactersAreEscapedExceptEndsOfLines) {
  debug::detail::log_line(LogLevel::warn, "file '%s'\nis\tthere", "\x1b[2J\r.npy");
  const std::string long_text = std::string(20000, 'x') + '\n';
  debug::detail::write_log(LogLevel::warn, long_text.c_str(), long_text.size());
  EXPECT_THAT(of(LogLevel::warn), ElementsAre("file '\\x1b[2J\\x0d.npy'\nis\tthere", long_text));
}

TEST_F(Log, ALineMayBeEmptyAndIsCutAfter1023Bytes) {
  const std::string most(1023, 'x');
  debug::detail::log_line(LogLevel::warn, "%s", "");
  debug::detail::log_line(LogLevel::warn, "%s", most.c_str());
  debug::detail::log_line(LogLevel::warn, "%sy", most.c_str());
  debug::detail::log_line(LogLevel::warn, "%s%s", most.c_str(), most.c_str());
  EXPECT_THAT(of(LogLevel::warn), ElementsAre("", most, most, most));
}

struct SwitchesOfTheProgram : Log {
  ~SwitchesOfTheProgram() override { debug::set_reference(nullptr); }
};
TEST_F(SwitchesOfTheProgram, AFilterOfAnotherFormIsSaidWithItsFunction) {
  debug::set_reference("axpy:1e9");
  debug::set_shadow("x:");
  debug::set_trace("y:1:2:3");
  const std::string rest =
      " selects no launch: after the names come at most two numbers, :skip:count, each from 0 to "
      "18446744073709551615";
  EXPECT_THAT(of(LogLevel::warn),
              ElementsAre("warpsafe: set_reference=axpy:1e9" + rest,
                          "warpsafe: set_shadow=x:" + rest, "warpsafe: set_trace=y:1:2:3" + rest));
  EXPECT_FALSE(debug::detail::any_switch_on());
  debug::set_reference("axpy");
  EXPECT_TRUE(debug::detail::any_switch_on());
}
TEST_F(SwitchesOfTheProgram, ListenersComeAndGoInAnyOrder) {
  static std::string told;
  const auto add = [](Observer& one, const char* name) {
    one.user = const_cast<char*>(name);
    one.failed = [](void* user, const LaunchError&) noexcept {
      told += static_cast<const char*>(user);
    };
    observe(one);
  };
  const auto told_now = [] {
    told.clear();
    detail::tell_failed(detail::observers(), LaunchError::make(Errc{}, Stage{}));
    return told;
  };
  Observer a, b, c;
  add(a, "a");
  add(b, "b");
  add(c, "c");
  EXPECT_EQ(told_now(), "abc");
  stop_observing(a);
  EXPECT_EQ(told_now(), "bc");
  stop_observing(a);
  EXPECT_EQ(told_now(), "bc") << "it was removed before";
  stop_observing(c);
  EXPECT_EQ(told_now(), "b");
  observe(a);
  EXPECT_EQ(told_now(), "ba") << "one that comes back is the last";
  stop_observing(b);
  stop_observing(a);
  EXPECT_EQ(told_now(), "");
}

TEST_F(Log, ErrorsHaveTheirWholeText) {
  debug::set_log_level(LogLevel::error);
  ASSERT_FALSE(launch(stream, LaunchConfig{grid<1>, BlockDim::from_vendor(VendorDims{})},
                      kernel<dequantize_q4_0>)
                   .has_value());
  host::fail_next(call_of<&host_backend::launch>, 1, HostStatus::invalid_value);
  ASSERT_FALSE(go().has_value());
  EXPECT_THAT(of(LogLevel::error),
              ElementsAre(StartsWith("warpsafe: Kernel 'dequantize_q4_0' not launched: "
                                     "block=(64,64,1) is 4096 threads, limit 1024"),
                          StartsWith("warpsafe: Kernel 'dequantize_q4_0' launch failed: "
                                     "hostErrorInvalidValue (grid=(140,1,1), block=(64,1,1))")));
  EXPECT_EQ(messages.size(), 2U);
}

TEST_F(Log, AFaultThatALaunchWaitsForIsAnError) {
  debug::set_log_level(LogLevel::error);
  debug::set_blocking(true);
  host::fault_in_kernel(1, HostStatus::illegal_address);
  const auto launched = go();
  debug::set_blocking(false);
  EXPECT_EQ(error_in(launched).sequence, debug::Journal::get().last());
  EXPECT_THAT(of(LogLevel::error),
              ElementsAre(StartsWith("warpsafe: Device synchronization failed after kernel "
                                     "'dequantize_q4_0': an illegal memory access")));
}

TEST_F(Log, AnErrorThatWasPendingIsToldBeforeTheLaunchAndLeftWhereItIs) {
  debug::set_log_level(LogLevel::warn);
  // Each status is told once in a row, so another one comes first.
  host::plant_last_error(HostStatus::invalid_value);
  ASSERT_TRUE(go().has_value());
  messages.clear();
  host::plant_last_error(HostStatus::invalid_pitch);
  ASSERT_TRUE(go().has_value());
  EXPECT_EQ(of(LogLevel::warn).size(), 1U);
  ASSERT_TRUE(go().has_value());
  EXPECT_THAT(of(LogLevel::warn),
              ElementsAre(AllOf(StartsWith("warpsafe: an error was pending before the launch of "
                                           "'dequantize_q4_0': a row is longer than its pitch"),
                                HasSubstr("this launch is not its cause"))))
      << "once";
  EXPECT_EQ(host::take_last_error(), HostStatus::invalid_pitch);
  ASSERT_TRUE(go().has_value());
  EXPECT_EQ(of(LogLevel::warn).size(), 1U) << "nothing is pending";
  host::plant_last_error(HostStatus::invalid_pitch);
  ASSERT_TRUE(go().has_value());
  EXPECT_EQ(of(LogLevel::warn).size(), 1U) << "this was told";
  host::plant_last_error(HostStatus::invalid_value);
  ASSERT_TRUE(go().has_value());
  EXPECT_EQ(of(LogLevel::warn).size(), 2U);
  host::take_last_error();
}

TEST_F(Log, TraceHasTheLaunchWithItsStatusAndItsPlace) {
  debug::set_log_level(LogLevel::trace);
  ASSERT_TRUE(go().has_value());
  EXPECT_THAT(of(LogLevel::trace),
              Contains(MatchesRegex("  host launch\\(stream 0x[0-9a-f]+\\) = hostSuccess, "
                                    "[0-9]+\\.[0-9] us, at log_test.cpp:[0-9]+")));
  messages.clear();
  host::fail_next(call_of<&host_backend::launch>, 1, HostStatus::invalid_value);
  ASSERT_FALSE(go().has_value());
  EXPECT_THAT(of(LogLevel::trace),
              Contains(MatchesRegex("  host launch\\(stream 0x[0-9a-f]+\\) = "
                                    "hostErrorInvalidValue, [0-9]+\\.[0-9] us, at log_test.cpp:"
                                    "[0-9]+")));
}

TEST_F(Log, TraceHasEachOperationAndItsPlace) {
  debug::set_log_level(LogLevel::trace);
  const Stream other = Stream::create(priority(-1)).value();
  const std::string its_address = address(other.native());
  {
    auto buffer = DeviceBuffer<int>::create(other, 1000).value();
    ASSERT_TRUE(buffer.zero(other).has_value());
  }
  ASSERT_TRUE(other.record().has_value());
  host::fail_next(call_of<&host_backend::stream_synchronize>, 1, HostStatus::invalid_value);
  ASSERT_FALSE(other.synchronize().has_value());
  const std::string on = ", stream " + its_address;
  const std::string memory = on + ", 4000 bytes at 0x[0-9a-f]+";
  const std::string place = ", at log_test.cpp:[0-9]+";
  EXPECT_THAT(of(LogLevel::trace),
              ElementsAre(MatchesRegex("  stream create" + on + place),
                          MatchesRegex("  allocate device memory" + memory + place),
                          MatchesRegex("  fill device memory" + memory + place),
                          MatchesRegex("  free device memory" + memory),
                          MatchesRegex("  event record" + on + place),
                          MatchesRegex("  stream synchronize" + on + ", status [0-9]+, [0-9.]+ us" +
                                       place)));
  messages.clear();
  debug::set_log_level(LogLevel::debug);
  ASSERT_TRUE(other.synchronize().has_value());
  EXPECT_THAT(of(LogLevel::trace), IsEmpty());
}

TEST_F(Log, TraceHasNoOperationOfLevelOff) {
  constexpr CheckLevel off = CheckLevel::off;
  debug::set_log_level(LogLevel::trace);
  {
    const Stream other = Stream::create<off>().value();
    auto buffer = DeviceBuffer<int>::create<off>(other, 1000).value();
    ASSERT_TRUE(buffer.zero<off>(other).has_value());
    ASSERT_TRUE(other.record<off>().has_value());
  }
  EXPECT_THAT(of(LogLevel::trace), IsEmpty());
}

TEST_F(Log, ALaunchOfLevelOffIsNotLogged) {
  debug::set_log_level(LogLevel::debug);
  const LaunchConfig config{grid<1>, block<1>};
  ASSERT_TRUE(launch<CheckLevel::off>(stream, config, kernel<dequantize_q4_0>).has_value());
  EXPECT_THAT(messages, IsEmpty());
}

TEST_F(Log, WarnsOfStaticSharedMemoryThatIsGivenAgain) {
  KernelLimits limits;
  limits.static_shared = 4096;
  constexpr auto k = kernel<dequantize_q4_0>;
  ASSERT_TRUE(host::set_kernel_limits(0, k.entry().function, limits));
  debug::set_log_level(LogLevel::warn);
  // Each kernel is told once in a row, so another one comes first.
  constexpr auto other = kernel<another_with_shared>;
  ASSERT_TRUE(host::set_kernel_limits(0, other.entry().function, limits));
  const LaunchConfig twice{grid<1>, block<32>, shared(Bytes(4096))};
  ASSERT_TRUE(launch(stream, twice, other).has_value());
  messages.clear();
  const auto run = [&](int bytes) {
    EXPECT_TRUE(
        launch(stream, LaunchConfig{grid<1>, block<32>, shared(Bytes(bytes))}, k).has_value());
  };
  run(2048);
  EXPECT_THAT(messages, IsEmpty()) << "a kernel may have both";
  run(4096);
  EXPECT_EQ(messages.size(), 1U);
  run(4096);
  EXPECT_THAT(
      of(LogLevel::warn),
      ElementsAre(AllOf(HasSubstr("'dequantize_q4_0' gives 4096 bytes of dynamic shared "
                                  "memory, the size of the kernel's static shared memory"))));
  messages.clear();
  run(2048);
  EXPECT_THAT(messages, IsEmpty());
}

// At every level, because the program looks right and only runs fewer blocks at once.
TEST_F(Log, WarnsOfBytesThatAreGivenAsANumberOfElements) {
  debug::set_log_level(LogLevel::error);
  const auto run = [&](auto k, unsigned count, std::size_t given) {
    const LaunchConfig config{grid<2>, block<32>, shared(Bytes(given))};
    ASSERT_TRUE(launch(stream, config, k, count).has_value());
    ASSERT_TRUE(stream.synchronize().has_value());
  };
  run(kernel<reverse>, 8, 32);
  run(kernel<reverse>, 8, 64);  // more than it asks for, but not by this mistake
  run(kernel<reverse>, 1, 16);  // a call without a number declares no size
  run(kernel<reverse_bytes>, 8, 8);
  run(kernel<use_all>, 8, 128);
  EXPECT_THAT(messages, IsEmpty());
  // The process tells it once, also if the test runs again.
  static bool told = false;
  run(kernel<reverse>, 8, 128);
  run(kernel<reverse>, 8, 128);
  if (std::exchange(told, true)) {
    EXPECT_THAT(messages, IsEmpty());
  } else {
    EXPECT_THAT(of(LogLevel::warn),
                ElementsAre("warpsafe: the launch of 'reverse' gives 128 bytes of dynamic shared "
                            "memory, 4 times the 32 bytes that the kernel asks for at "
                            "reverse.cpp:23; shared<T>(count) takes the number of elements: write "
                            "shared<T>(8)"));
  }
}

}  // namespace
}  // namespace warpsafe::core_test
