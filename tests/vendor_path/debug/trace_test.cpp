// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Compares the trace of the runtime's calls with the calls that reached the runtime.

#include "../kernels.hpp"
#include "../stand_in.hpp"
#include <warpsafe/debug.hpp>
#include <warpsafe/debug/run/run_recorder.hpp>
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/managed_buffer.hpp>
#include <warpsafe/memory/pinned_buffer.hpp>
#include <warpsafe/module.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace vendor_test {
namespace {

namespace ws = warpsafe;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Counts = std::map<std::string, int>;

class Trace : public VendorTest {
 protected:
  void SetUp() override {
    VendorTest::SetUp();
    successes_leave_last_error();
    ws::debug::set_log_sink(&sink);
    ws::debug::set_log_level(ws::debug::LogLevel::trace);
  }
  void TearDown() override {
    ws::debug::set_log_level(ws::debug::LogLevel::off);
    ws::debug::set_log_sink(nullptr);
    VendorTest::TearDown();
  }
  static void take(void* user, ws::debug::LogLevel level, const char* text,
                   std::size_t size) noexcept {
    if (level == ws::debug::LogLevel::trace)
      static_cast<Trace*>(user)->lines.emplace_back(text, size);
  }
  /// The number of calls of each of the runtime's functions, by the trace.
  [[nodiscard]] Counts told() const {
    Counts found;
    for (const std::string& line : lines) {
      const std::size_t at = line.rfind(", by ");
      if (at != std::string::npos) ++found[line.substr(at + 5 + prefix.size())];
    }
    return found;
  }
  /// The number of calls that reached the runtime. Left out: queries for a status's text, calls
  /// that share one line of the trace, and launches, whose line names no function on HIP.
  [[nodiscard]] Counts made() const {
    Counts found;
    const auto calls = recorded_calls();
    for (std::size_t i = first; i < calls.size(); ++i) {
      std::string name = std::string(calls[i].function).substr(prefix.size());
      if (name.find("GetError") == 0 || name.find("Launch") != std::string::npos) {
        if (name != "GraphLaunch") continue;
      }
      if (const std::size_t version = name.find("_v"); version != std::string::npos) {
        name.resize(version);
      }
      ++found[name];
    }
    return found;
  }

  /// Counts from here on.
  void begin() {
    lines.clear();
    first = recorded_calls().size();
  }
  void use_everything();

  std::size_t first = 0;
  ws::debug::LogSink sink{&take, this};
  std::vector<std::string> lines;
};

/// Makes, uses and drops each kind of object.
void Trace::use_everything() {
  const auto stream = make_stream();
  const auto other = make_stream();
  const auto guard = ws::DeviceGuard::create(ws::DeviceId(1)).value();
  const auto back = ws::DeviceGuard::create(ws::DeviceId(0)).value();
  auto buffer = ws::DeviceBuffer<int>::create(stream, 100).value();
  const auto pinned = ws::PinnedBuffer<int>::create(10).value();
  const auto managed = ws::ManagedBuffer<int>::create(stream, 10).value();
  ASSERT_THAT(buffer.zero(other), Succeeds());
  ASSERT_THAT(buffer.to_host(other).get(), Succeeds());
  { const auto dropped = buffer.to_host(stream); }
  const auto point = stream.record().value();
  ASSERT_THAT(ws::wait(other, point), Succeeds());
  const auto begin = stream.record_timed().value();
  const auto end = stream.record_timed().value();
  ASSERT_THAT(ws::elapsed_ms(begin, end), Succeeds());
  const auto body = [&](ws::Capture& capture) -> ws::result<void> {
    WARPSAFE_TRYV(buffer.zero(capture.stream()));
    return ws::success();
  };
  const auto graph = ws::capture(stream, body).value();
  auto exec = graph.instantiate().value();
  ASSERT_THAT(exec.launch(stream), Succeeds());
  ASSERT_THAT(ws::recapture(exec, stream, body), Succeeds());
  { const auto discarded = ws::Capture::begin(stream).value(); }
  ASSERT_THAT(stream.synchronize(), Succeeds());
}

TEST_F(Trace, HasEachCallOfTheRuntimeByItsNameThere) {
  begin();
  use_everything();
  EXPECT_EQ(told()["EventDestroy"], made()["EventDestroy"]);
  EXPECT_GE(made()["EventDestroy"], 3);
  // One line asks for all limits of a device.
  Counts expected = made();
  Counts found = told();
  expected.erase("DeviceGetAttribute");
  found.erase("DeviceGetAttribute");
  EXPECT_EQ(found, expected);
}

TEST_F(Trace, HasTheCallsOfModules) {
  {
    const auto stream = make_stream();
    begin();
    const std::string load = is_cuda ? "LibraryLoadData" : "ModuleLoadData";
    const std::string unload = is_cuda ? "LibraryUnload" : "ModuleUnload";
    const std::string function = is_cuda ? "LibraryGetKernel" : "ModuleGetFunction";
    {
      const auto module = ws::Module::load_file(VENDOR_TEST_MODULE).value();
      EXPECT_EQ(told()[load], 1);
      const auto scale = module.kernel<void(float, float*, unsigned long)>("scale").value();
      EXPECT_EQ(told()[function], 1);
      EXPECT_THAT(lines,
                  Contains(ContainsRegex(", \"scale\", 0x[0-9a-f]+\\) = " + prefix + "Success, ")));
      EXPECT_FALSE(module.kernel<void()>("scole").has_value());
      EXPECT_EQ(told()[function], 2);
      EXPECT_EQ(told()["LibraryEnumerateKernels"], is_cuda ? 1 : 0);
      EXPECT_EQ(told()[unload], 0);
    }
    EXPECT_EQ(told()[unload], 1);
    EXPECT_EQ(told()[unload], made()[unload]);
  }
}

TEST_F(Trace, HasWhatTheToolsAsk) {
  const auto stream = make_stream();
  ws::debug::set_blocking(true);
  begin();
  const ws::LaunchConfig config{ws::grid<1>, ws::block<32>};
  EXPECT_THAT(ws::launch(stream, config, ws::kernel<nothing>), Succeeds());
  ws::debug::set_blocking(false);
  for (const char* const call : {"StreamIsCapturing", "StreamSynchronize", "PeekAtLastError"}) {
    EXPECT_EQ(told()[call], made()[call]) << call;
    EXPECT_GE(made()[call], 1) << call;
  }
  if (is_cuda) {
    EXPECT_THAT(lines, Contains(HasSubstr(" us, by cudaLaunchKernel")));
  }
}

TEST_F(Trace, OfAnObjectOfAnotherLevelHasNothing) {
  constexpr auto off = ws::CheckLevel::off;
  const auto stream = ws::Stream::create<off>().value();
  begin();
  {
    const auto event = stream.record<off>().value();
    const auto pinned = ws::PinnedBuffer<int>::create<off>(10).value();
    const auto buffer = ws::DeviceBuffer<int>::create<off>(stream, 10).value();
    const auto guard = ws::DeviceGuard::create<off>(ws::DeviceId(1)).value();
  }
  EXPECT_THAT(lines, IsEmpty());
}

}  // namespace
}  // namespace vendor_test
