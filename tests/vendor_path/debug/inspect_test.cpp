// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The runtime calls of the tools that inspect a launch's data, and their order. No kernel
// runs here, so a kernel's output stays unchanged.
#include "../kernels.hpp"
#include "../stand_in.hpp"
#include <warpsafe/debug.hpp>
#include <warpsafe/debug/run/detail/gpu_clock.hpp>
#include <warpsafe/kernel/reference.hpp>
#include <warpsafe/memory/buffer.hpp>

#include <unistd.h>

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace vendor_test {
namespace {

namespace ws = warpsafe;
using ::testing::ElementsAre;

// The reference of `spans`, which also gets extents.
void leaves_all(std::span<float>, std::span<const float>, ws::extent<1>, ws::extent<2>,
                ws::extent<3>) {}
void adds_one(std::span<float> to, std::span<const float> from, ws::extent<1>, ws::extent<2>,
              ws::extent<3>) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i] + 1;
}

class Inspect : public VendorTest {
 protected:
  void SetUp() override {
    VendorTest::SetUp();
    plant_last_error(code::unknown);
    successes_leave_last_error();
    data.emplace(Data{});
  }
  void TearDown() override {
    data.reset();
    EXPECT_EQ(last_error(), code::unknown) << "the library leaves it alone";
    ws::debug::set_shadow(nullptr);
    ws::debug::set_reference(nullptr);
    ws::debug::set_trace(nullptr);
    VendorTest::TearDown();
  }
  template <auto Reference>
  auto go() {
    return ws::launch(data->stream, ws::LaunchConfig{ws::grid<1>, ws::block<32>},
                      ws::kernel<spans, ws::reference<Reference>>, data->to.view(),
                      data->from.view(), ws::extent{ws::x{1}}, ws::extent{ws::x{1}, ws::y{1}},
                      ws::extent{ws::x{1}, ws::y{1}, ws::z{1}});
  }

  static ws::DeviceBuffer<float> filled(const ws::Stream& on, std::vector<float> values) {
    return ws::DeviceBuffer<float>::from(on, values).value();
  }

  // Created after SetUp has reset the runtime.
  struct Data {
    ws::Stream stream = make_stream();
    ws::DeviceBuffer<float> from = filled(stream, {1, 2, 3});
    ws::DeviceBuffer<float> to = filled(stream, {7, 7, 7});
  };
  std::optional<Data> data;
};

/// The calls that move data and launch, in their order, without queries. The first is a wait for
/// the stream's earlier work, so that WARPSAFE_TIMEOUT watches it.
std::vector<std::string> without_questions(const std::vector<std::string>& calls) {
  std::vector<std::string> found;
  for (const std::string& call : calls) {
    const bool question = call.rfind("GetDevice", 0) == 0 ||
                          call.find("Attribute") != std::string::npos ||
                          call.find("Capturing") != std::string::npos ||
                          call.find("CaptureMode") != std::string::npos;
    if (!question) found.push_back(call);
  }
  return found;
}

TEST_F(Inspect, AShadowCopiesOnBothSidesOfTheLaunch) {
  ASSERT_THAT(go<&leaves_all>(), Succeeds());
  ws::debug::set_shadow("spans");
  const auto calls = calls_of([&] { EXPECT_THAT(go<&leaves_all>(), Succeeds()); });
  EXPECT_THAT(without_questions(calls),
              ElementsAre("StreamSynchronize", "MemcpyAsync x2", "StreamSynchronize",
                          "LaunchKernel", "StreamSynchronize", "MemcpyAsync", "StreamSynchronize"));
}

TEST_F(Inspect, WhatDiffersFromTheReferenceIsTheLaunchsError) {
  ws::debug::set_shadow("spans");
  const auto launched = go<&adds_one>();
  ASSERT_FALSE(launched.has_value());
  EXPECT_EQ(launched.error().code, ws::Errc::reference_differs);
  EXPECT_EQ(launched.error().value, 3U);
  EXPECT_EQ(launched.error().argument(), 1U);
}

TEST_F(Inspect, AReferenceWritesItsResultsToTheDevice) {
  ws::debug::set_reference("spans");
  const auto calls = calls_of([&] { EXPECT_THAT(go<&adds_one>(), Succeeds()); });
  EXPECT_THAT(without_questions(calls),
              ElementsAre("StreamSynchronize", "MemcpyAsync x2", "StreamSynchronize", "MemcpyAsync",
                          "StreamSynchronize"));
  EXPECT_THAT(data->to.to_host(data->stream).get().value(), ElementsAre(2, 3, 4));
}

TEST_F(Inspect, AProfilerSeesTheLaunchAlone) {
  const std::string folder = "inspect_test." + std::to_string(::getpid());
  ws::debug::set_trace("spans", folder.c_str());
  const auto calls = calls_of([&] { EXPECT_THAT(go<&leaves_all>(), Succeeds()); });
  if (is_cuda) {
    EXPECT_THAT(without_questions(calls),
                ElementsAre("StreamSynchronize", "MemcpyAsync x2", "StreamSynchronize",
                            "ProfilerStart", "LaunchKernel", "StreamSynchronize", "ProfilerStop",
                            "MemcpyAsync", "StreamSynchronize"));
  } else {
    EXPECT_THAT(
        without_questions(calls),
        ElementsAre("StreamSynchronize", "MemcpyAsync x2", "StreamSynchronize", "LaunchKernel",
                    "StreamSynchronize", "MemcpyAsync", "StreamSynchronize"));
  }
  std::filesystem::remove_all(folder);
}

TEST_F(Inspect, AToolSparesTheCaptureOfAnotherThread) {
  const std::string folder = "inspect_test." + std::to_string(::getpid());
  const auto capturing = ws::Stream::create().value();
  ws::debug::set_trace("spans", folder.c_str());
  ASSERT_EQ(begin_capture(capturing.native()), code::success);
  std::thread([&] {
    EXPECT_THAT(go<&leaves_all>(), Succeeds());
    // RunRecorder's first question to a device.
    const auto& timing = ws::debug::detail::TimingCallsOf<Backend>::calls;
    void* event = nullptr;
    EXPECT_EQ(timing.now(0, event), 0);
    EXPECT_EQ(timing.destroy(event), 0);
  }).join();
  EXPECT_EQ(end_capture(capturing.native()), 0) << "no node, and not broken";
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace vendor_test
