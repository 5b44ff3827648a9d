// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// An observer that a program writes itself.

#include <warpsafe/error/message.hpp>
#include <warpsafe/graph.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/launch/observe.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

WARPSAFE_KERNEL void observed_scale(float* values, float by, std::size_t n) {
  for (auto i : warpsafe::grid_stride(n)) values[i] *= by;
}

namespace warpsafe::core_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string of(Name name) { return {name.data, name.size}; }

/// Writes down what it sees, each line with its letter.
class Notes {
 public:
  explicit Notes(char letter) : letter_(letter) {
    observer_.user = this;
    observer_.launching = [](void* self, LaunchRecord& launch, const auto&) noexcept {
      note(self, "launching " + of(launch.kernel) + " of " + std::to_string(launch.grid[0]));
      return true;
    };
    observer_.inspect = [](void* self, const LaunchRecord&, const auto&,
                           const LaunchArguments& arguments, LaunchError& error) noexcept {
      const float by = *static_cast<const float*>(arguments.values[1]);
      note(self, "by " + std::to_string(static_cast<int>(by)) + ", " +
                     std::to_string(arguments.memory[0].bytes) + " bytes");
      Notes& notes = *static_cast<Notes*>(self);
      if (notes.verdict == LaunchVerdict::failed) {
        error = LaunchError::make(Errc::launch_refused, Stage::validation);
      }
      return notes.verdict;
    };
    observer_.launched = [](void* self, const LaunchRecord& launch, std::uint64_t begun,
                            std::uint64_t ended) noexcept {
      EXPECT_LE(begun, ended);
      note(self, launch.state == LaunchState::submitted ? "submitted" : "refused");
    };
    observer_.finish = [](void* self, const LaunchRecord&, const auto&, LaunchError&) noexcept {
      note(self, "finish");
      return false;
    };
    observer_.continues_after = [](void* self, LaunchError&) noexcept {
      return static_cast<Notes*>(self)->lets_through;
    };
    observer_.called = [](void* self, const CallRecord& call) noexcept {
      Notes& notes = *static_cast<Notes*>(self);
      if (!notes.sees_calls) return;
      note(self, of(call.what) + (call.stream == nullptr ? "" : ", stream") +
                     (call.memory == nullptr ? "" : ", " + std::to_string(call.bytes) + " bytes") +
                     (call.site.file == nullptr ? "" : ", at a line"));
    };
    observer_.waiting = [](void* self, Name what) noexcept { note(self, "waiting, " + of(what)); };
    observer_.waited = [](void* self, const WaitRecord& wait) noexcept {
      note(self, "waited: " + std::to_string(wait.status));
    };
    observer_.failed = [](void* self, const LaunchError& error) noexcept {
      note(self, std::string("failed: ") + describe(error.code));
    };
    observe(observer_);
  }
  ~Notes() { stop_observing(observer_); }
  Notes(const Notes&) = delete;
  Notes& operator=(const Notes&) = delete;

  LaunchVerdict verdict = LaunchVerdict::dispatch;
  bool lets_through = false;
  bool sees_calls = false;
  static inline std::vector<std::string> lines;

 private:
  static void note(void* self, const std::string& text) {
    lines.push_back(static_cast<Notes*>(self)->letter_ + (": " + text));
  }
  char letter_;
  Observer observer_;
};

/// A buffer of ones on a stream, and a launch that scales it.
struct OwnObserver : ::testing::Test {
  OwnObserver() { Notes::lines.clear(); }
  [[nodiscard]] result<void> scale(float by, std::uint32_t threads = 32) {
    return launch<CheckLevel::full>(
        stream, LaunchConfig{GridDim::from_vendor(Dims{2}), BlockDim::from_vendor(Dims{threads})},
        kernel<observed_scale>, values.view(), by, std::size_t{40});
  }
  [[nodiscard]] float first() { return values.to_host(stream).get().value()[0]; }
  static std::vector<std::string> taken() { return std::exchange(Notes::lines, {}); }
  struct Dims {
    std::uint32_t x = 1, y = 1, z = 1;
  };
  Stream stream = Stream::create().value();
  DeviceBuffer<float> values =
      DeviceBuffer<float>::from(stream, std::vector<float>(40, 1.0F)).value();
};

TEST_F(OwnObserver, SeesALaunchWithItsArgumentsAndAWait) {
  const Notes notes('a');
  ASSERT_TRUE(scale(3).has_value());
  ASSERT_TRUE(stream.synchronize().has_value());
  EXPECT_THAT(taken(),
              ElementsAre("a: launching observed_scale of 2", "a: by 3, 160 bytes", "a: submitted",
                          "a: finish", "a: waiting, stream synchronize", "a: waited: 0"));
}

TEST_F(OwnObserver, SeesAllocationsCopiesEventsCapturesAndFrees) {
  Notes notes('a');
  notes.sees_calls = true;
  {
    auto made = DeviceBuffer<float>::create<CheckLevel::full>(stream, 5).value();
    ASSERT_TRUE(made.zero<CheckLevel::full>(stream).has_value());
    ASSERT_TRUE(stream.record<CheckLevel::full>().has_value());
    EXPECT_THAT(taken(), ElementsAre("a: allocate device memory, stream, 20 bytes, at a line",
                                     "a: fill device memory, stream, 20 bytes, at a line",
                                     "a: event record, stream, at a line"));
  }
  EXPECT_THAT(taken(), ElementsAre("a: free device memory, stream, 20 bytes"));
  EXPECT_EQ(values.to_host<CheckLevel::full>(stream).get().value().size(), 40U);
  EXPECT_EQ(taken()[0], "a: copy to host, stream, 160 bytes, at a line");
  ASSERT_TRUE(PinnedBuffer<int>::create<CheckLevel::full>(3).value().close<CheckLevel::full>());
  EXPECT_THAT(taken(), ElementsAre("a: allocate pinned memory, 12 bytes, at a line",
                                   "a: free pinned memory, 12 bytes, at a line"));
  auto capture = Capture::begin<CheckLevel::full>(stream).value();
  ASSERT_TRUE(std::move(capture).end<CheckLevel::full>().has_value());
  const auto begins_and_ends =
      ElementsAre("a: capture begin, stream, at a line", "a: capture end, stream, at a line");
  EXPECT_THAT(taken(), begins_and_ends);
  for (const bool on_purpose : {true, false}) {
    auto dropped = Capture::begin<CheckLevel::full>(stream).value();
    if (on_purpose) dropped.discard();
    if (!on_purpose) static_cast<void>(Capture(std::move(dropped)));
    EXPECT_THAT(taken(), begins_and_ends) << "a stream does not capture for ever";
  }
  Capture::begin<CheckLevel::off>(stream).value().discard();
  EXPECT_THAT(taken(), ElementsAre());
  EXPECT_TRUE(Stream::create<CheckLevel::full>().has_value());
  EXPECT_THAT(taken(), ElementsAre("a: stream create, stream, at a line"));
}

TEST_F(OwnObserver, RefusesALaunch) {
  Notes notes('a');
  notes.verdict = LaunchVerdict::failed;
  const result<void> refused = scale(3);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::launch_refused);
  EXPECT_EQ(of(refused.error().kernel), "observed_scale");
  EXPECT_NE(refused.error().site.file, nullptr);
  EXPECT_THAT(taken(), ElementsAre("a: launching observed_scale of 2", "a: by 3, 160 bytes",
                                   "a: refused", "a: finish",
                                   "a: failed: " + std::string(describe(Errc::launch_refused))));
  notes.verdict = LaunchVerdict::done;
  EXPECT_TRUE(scale(3).has_value()) << "another computation has produced the results";
  EXPECT_EQ(first(), 1.0F) << "neither ran";
}

TEST_F(OwnObserver, SeesWhatACheckRefusesAndMayLetItThrough) {
  Notes notes('a');
  EXPECT_FALSE(scale(3, 4096).has_value());
  EXPECT_THAT(taken(), ElementsAre("a: failed: " + std::string(describe(Errc::block_too_large))));
  notes.lets_through = true;
  EXPECT_FALSE(scale(3, 4096).has_value()) << "the runtime refuses it, too";
  EXPECT_EQ(taken().size(), 6U);
}

TEST_F(OwnObserver, SeveralSeeEachEventInTheirOrder) {
  Notes first_one('a');
  const Notes second_one('b');
  ASSERT_TRUE(scale(3).has_value());
  EXPECT_THAT(taken(),
              ElementsAre("a: launching observed_scale of 2", "b: launching observed_scale of 2",
                          "a: by 3, 160 bytes", "b: by 3, 160 bytes", "a: submitted",
                          "b: submitted", "a: finish", "b: finish"));
  first_one.verdict = LaunchVerdict::done;
  ASSERT_TRUE(scale(3).has_value());
  EXPECT_THAT(taken(), ElementsAre("a: launching observed_scale of 2",
                                   "b: launching observed_scale of 2", "a: by 3, 160 bytes",
                                   "a: submitted", "b: submitted", "a: finish", "b: finish"))
      << "the first that decides";
}

TEST_F(OwnObserver, SeesNothingWithoutChecksOrAfterItIsRemoved) {
  {
    const Notes notes('a');
    ASSERT_TRUE(launch<CheckLevel::off>(
                    stream,
                    LaunchConfig{GridDim::from_vendor(Dims{2}), BlockDim::from_vendor(Dims{32})},
                    kernel<observed_scale>, values.view(), 2.0F, std::size_t{40})
                    .has_value());
    EXPECT_THAT(taken(), IsEmpty());
  }
  ASSERT_TRUE(scale(3).has_value());
  EXPECT_EQ(first(), 6.0F);
  EXPECT_THAT(taken(), IsEmpty());
}

}  // namespace
}  // namespace warpsafe::core_test
