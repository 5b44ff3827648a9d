// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The calls of the runtime that a launch makes. docs/reference/driver-calls.md has the same lists,
// and this test compares them with the page.
#include "../kernels.hpp"
#include "../stand_in.hpp"
#include <warpsafe/launch/check.hpp>

#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vendor_test {
namespace {

namespace ws = warpsafe;
using ws::CheckLevel;

const std::string& page() {
  static const std::string text = [] {
    std::ifstream file(VENDOR_TEST_PAGE);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  return text;
}

/// One line of the page's table: an action, and the calls that it makes.
std::string row(const std::string& what, const std::vector<std::string>& calls) {
  std::string text = "| " + what + " |";
  for (const std::string& call : calls) {
    const std::size_t space = call.find(' ');
    const std::string function = call.substr(0, space);
    text += (text.back() == '|' ? " `" : ", `") + prefix + function + '`';
    if (space != std::string::npos) text += call.substr(space);
  }
  return text + (calls.empty() ? " none |\n" : " |\n");
}

/// The queries of a first launch are tested on a device that was never queried before.
class DriverCalls : public VendorTest {
 protected:
  void SetUp() override {
    VendorTest::SetUp();
    device = ws::DeviceId(needs_fresh_device() ? fresh_device() : 0);
    guard.emplace(ws::DeviceGuard::create(device).value());
    stream.emplace(make_stream(device.value()));
  }
  void TearDown() override {
    stream.reset();
    guard.reset();
    VendorTest::TearDown();
  }
  /// Does `work` and compares its calls with the page.
  template <class Work>
  void expect_row(const std::string& what, const Work& work,
                  const std::vector<std::string>& expected) {
    const auto calls = calls_of([&] { EXPECT_THAT(work(), Succeeds()) << what; });
    EXPECT_EQ(calls, expected) << what;
    EXPECT_NE(page().find(row(what, calls)), std::string::npos)
        << "not on the page: " << row(what, calls);
  }

  static bool needs_fresh_device() {
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    return test == "ALaunchAtEachLevel" || test == "DynamicSharedMemory" ||
           test == "DependentLaunches";
  }
  ws::DeviceId device;
  std::optional<ws::DeviceGuard> guard;
  std::optional<ws::Stream> stream;
};

const std::string all_limits = is_cuda ? "DeviceGetAttribute x22" : "DeviceGetAttribute x21";
constexpr ws::LaunchConfig four_blocks{ws::grid<4>, ws::block<64>};

TEST_F(DriverCalls, ALaunchAtEachLevel) {
  const auto at_level = [&]<CheckLevel Level>(std::integral_constant<CheckLevel, Level>) {
    return ws::launch<Level>(*stream, four_blocks, ws::kernel<nothing>);
  };
  const std::integral_constant<CheckLevel, CheckLevel::off> off;
  const std::integral_constant<CheckLevel, CheckLevel::full> full;
  expect_row("off: any launch", [&] { return at_level(off); }, {"LaunchKernel"});
  expect_row("full: the first launch on a device", [&] { return at_level(full); },
             {"GetDevice", all_limits, "GetDevice", "FuncGetAttributes", "LaunchKernel"});
  expect_row("full: every later launch", [&] { return at_level(full); },
             {"GetDevice", "LaunchKernel"});
  expect_row("full: the first launch of another kernel",
             [&] { return ws::launch(*stream, four_blocks, ws::kernel<floats>, 1.0F, 2.0); },
             {"GetDevice x2", "FuncGetAttributes", "LaunchKernel"});
}

TEST_F(DriverCalls, DynamicSharedMemory) {
  const auto with = [&](std::size_t bytes) {
    return ws::launch<CheckLevel::off>(
        *stream, ws::LaunchConfig{ws::grid<4>, ws::block<64>, ws::shared<char>(bytes)},
        ws::kernel<nothing>);
  };
  expect_row("the first launch with dynamic shared memory", [&] { return with(1000); },
             {"GetDevice", "FuncGetAttributes", "LaunchKernel"});
  expect_row("every later launch that needs no more dynamic shared memory",
             [&] { return with(1000); }, {"LaunchKernel"});
  EXPECT_EQ(calls_of([&] { EXPECT_THAT(with(10), Succeeds()); }),
            std::vector<std::string>{"LaunchKernel"});
  if (is_cuda) {
    EXPECT_EQ(calls_of([&] { EXPECT_THAT(with(49152), Succeeds()); }),
              std::vector<std::string>{"LaunchKernel"});
    expect_row("a launch that needs more dynamic shared memory than any launch before",
               [&] { return with(49153); },
               {"GetDevice", "FuncGetAttributes", "FuncSetAttribute", "LaunchKernel"});
    EXPECT_EQ(calls_of([&] { EXPECT_THAT(with(49153), Succeeds()); }),
              std::vector<std::string>{"LaunchKernel"});
  } else {  // AMD's runtime allows all that the device has from the start
    EXPECT_EQ(calls_of([&] { EXPECT_THAT(with(65536), Succeeds()); }),
              std::vector<std::string>{"LaunchKernel"});
  }
}

TEST_F(DriverCalls, CooperativeLaunches) {
  constexpr ws::LaunchConfig config{ws::grid<4>, ws::block<64>, ws::cooperative};
  const std::string launch = is_cuda ? "LaunchKernelExC" : "LaunchCooperativeKernel";
  ASSERT_THAT(ws::launch(*stream, four_blocks, ws::kernel<nothing>), Succeeds());
  expect_row("full: a cooperative launch",
             [&] { return ws::launch(*stream, config, ws::kernel<nothing>); },
             {"GetDevice", "OccupancyMaxActiveBlocksPerMultiprocessor", launch});
  expect_row("off: a cooperative launch",
             [&] { return ws::launch<CheckLevel::off>(*stream, config, ws::kernel<nothing>); },
             {launch});
}

#if defined(WARPSAFE_BACKEND_CUDA)
TEST_F(DriverCalls, Clusters) {
  constexpr ws::LaunchConfig portable{ws::grid<8>, ws::block<64>, ws::cluster<8>};
  constexpr ws::LaunchConfig large{ws::grid<16>, ws::block<64>, ws::non_portable_cluster<16>};
  ASSERT_THAT(ws::launch(*stream, four_blocks, ws::kernel<nothing>), Succeeds());
  expect_row("full: a launch with a cluster",
             [&] { return ws::launch(*stream, portable, ws::kernel<nothing>); },
             {"GetDevice", "LaunchKernelExC"});
  expect_row("full: a launch with a non-portable cluster",
             [&] { return ws::launch(*stream, large, ws::kernel<nothing>); },
             {"GetDevice", "FuncSetAttribute", "OccupancyMaxPotentialClusterSize",
              "FuncSetAttribute", "LaunchKernelExC"});
  expect_row("off: a launch with a non-portable cluster",
             [&] { return ws::launch<CheckLevel::off>(*stream, large, ws::kernel<nothing>); },
             {"FuncSetAttribute", "LaunchKernelExC"});
}

TEST_F(DriverCalls, DependentLaunches) {
  constexpr ws::LaunchConfig config{ws::grid<4>, ws::block<64>, ws::dependent_launch};
  constexpr auto waiting = ws::kernel<nothing, ws::waits_for_predecessor>;
  const auto off = [&] { return ws::launch<CheckLevel::off>(*stream, config, waiting); };
  expect_row("off: the first dependent launch of a kernel", off,
             {"GetDevice", "FuncGetAttributes", "LaunchKernelExC"});
  expect_row("off: every later dependent launch", off, {"LaunchKernelExC"});
  ASSERT_THAT(ws::launch(*stream, four_blocks, ws::kernel<nothing>), Succeeds());
  expect_row("full: a dependent launch", [&] { return ws::launch(*stream, config, waiting); },
             {"GetDevice", "LaunchKernelExC"});
}
#endif

TEST_F(DriverCalls, TrustedPointers) {
  void* memory = nullptr;
  ASSERT_EQ(Backend::allocate_unordered(memory, 256), 0);
  const auto* floats_there = static_cast<const float*>(memory);
  const auto at_level = [&]<CheckLevel Level>(std::integral_constant<CheckLevel, Level>) {
    return ws::launch<Level>(*stream, four_blocks, ws::kernel<counted>, ws::trust(floats_there),
                             4U);
  };
  // Other tests of this program make streams on further devices.
  const unsigned long devices = std::exchange(ws::detail::devices_with_streams<Backend>, 1UL);
  ASSERT_THAT(at_level(std::integral_constant<CheckLevel, CheckLevel::full>{}), Succeeds());
  expect_row("full: a launch with one pointer through `trust`",
             [&] { return at_level(std::integral_constant<CheckLevel, CheckLevel::full>{}); },
             {"GetDevice", "PointerGetAttributes", "LaunchKernel"});
  ws::detail::devices_with_streams<Backend> |= devices;
  EXPECT_EQ(Backend::deallocate_unordered(memory), 0);
}

TEST_F(DriverCalls, LaunchesAsWritten) {
  const auto check = [&](NativeStream on) { return ws::check(ws::kernel<nothing>, 4, 64, 0, on); };
  ASSERT_THAT(check(nullptr), Succeeds());
  expect_row("full: `check` of the default stream", [&] { return check(nullptr); },
             {"GetDevice x2"});
  const auto check_stream = [&] { return check(stream->native()); };
  const std::vector<std::string> asked{"GetDevice", "StreamIsCapturing", "StreamGetDevice",
                                       "GetDevice"};
#if defined(HIP_VERSION) && HIP_VERSION >= 50600000
  // The page has the calls of HIP 5.2, which cannot tell a stream's device.
  EXPECT_EQ(calls_of([&] { EXPECT_THAT(check_stream(), Succeeds()); }), asked);
#else
  expect_row(
      "full: `check` of another stream", check_stream,
      is_cuda ? asked : std::vector<std::string>{"GetDevice", "StreamIsCapturing", "GetDevice"});
#endif
  expect_row("off: `check`",
             [&] {
               return ws::check<Backend, CheckLevel::off>(ws::kernel<nothing>, 4, 64, 0,
                                                          stream->native());
             },
             {});
}

}  // namespace
}  // namespace vendor_test
