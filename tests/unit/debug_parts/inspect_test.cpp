// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What the tools that look at a launch's data do with it.

#include "hand_made_launch.hpp"
#include <warpsafe/debug/data/detail/inspect.hpp>
#include <warpsafe/debug/data/launch_dump.hpp>

#include <gmock/gmock.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace warpsafe::core_test {
namespace {

using debug::LaunchMemory;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using InspectedData = LaunchData;

TEST_F(InspectedData, AProfilersFunctionIsFoundInTheProcess) {
  EXPECT_NE(debug::detail::loaded_function<void>("malloc"), nullptr);
  EXPECT_EQ(debug::detail::loaded_function<void>("no_function_has_this_name"), nullptr);
}

/// The tools that take a launch of this thread.
void choose(bool reference, bool shadow, bool trace) {
  debug::detail::data_modes = {reference, shadow, trace};
}
LaunchVerdict inspected(HandMadeLaunch& launch, const LaunchRecord& record, LaunchError& error) {
  return debug::detail::inspect(record, data_calls, launch.arguments(), error);
}
constexpr detail::HostReference zeroes{
    [](const LaunchShape&, void* const*, void* const* memory, const std::uint64_t* bytes) {
      std::memset(memory[0], 0, static_cast<std::size_t>(bytes[0]));
    },
    {},
    false};

TEST_F(InspectedData, TheReferenceGoesBeforeTheComparison) {
  debug::set_reference("axpy");
  debug::set_shadow("axpy,scale");
  debug::set_trace("copy");
  const auto modes = [&](const char* kernel) {
    const bool request = debug::detail::requests_data(record_named(kernel));
    const bool taken = request != 0;
    const auto& found = debug::detail::data_modes;
    return std::string(taken ? "+" : "-") + (found.reference ? " reference" : "") +
           (found.shadow ? " shadow" : "") + (found.trace ? " trace" : "");
  };
  EXPECT_EQ(modes("axpy"), "+ reference");
  EXPECT_EQ(modes("scale"), "+ shadow");
  EXPECT_EQ(modes("copy"), "+ trace");
  EXPECT_EQ(modes("other"), "-");
  debug::set_reference(nullptr);
  debug::set_shadow(nullptr);
  debug::set_trace(nullptr);
}
TEST_F(InspectedData, ACapturedLaunchIsNotInspected) {
  launch.reaches(device.data(), 4);
  launch.reference = &zeroes;
  choose(true, false, false);
  data.capturing = true;
  EXPECT_EQ(inspected(launch, record, error), LaunchVerdict::dispatch);
  data.capturing = false;
  data.capturing_status = 5;
  EXPECT_EQ(inspected(launch, record, error), LaunchVerdict::dispatch);
  EXPECT_THAT(data.calls, IsEmpty());
  EXPECT_EQ(debug::detail::data_launch, nullptr);
}
TEST_F(InspectedData, AReferencesResultsReachTheDevice) {
  launch.reaches(device.data(), 4);
  launch.reference = &zeroes;
  choose(true, false, false);
  record.sequence = debug::Journal::get().append(record);
  EXPECT_EQ(inspected(launch, record, error), LaunchVerdict::done);
  EXPECT_THAT(data.calls, ElementsAre("out 4", "in 3")) << "the first one was 0 before";
  EXPECT_EQ(device[3], 0);
  EXPECT_EQ(device[4], 4);
  EXPECT_FALSE(debug::detail::finish_inspection(record, data_calls, error));
  EXPECT_THAT(data.calls, ElementsAre("out 4", "in 3")) << "nothing is left to wait for";
  LaunchRecord found{};
  std::uint64_t submitted_at = 0;
  ASSERT_TRUE(
      debug::Journal::get().read(record.sequence % debug::Journal::capacity, found, submitted_at));
  EXPECT_EQ(found.state, LaunchState::submitted);
  EXPECT_TRUE(debug::Completion::get().is_complete(found, submitted_at));
  // A copy that fails is the launch's error, and the launch never ran.
  device[0] = device[2] = 7;
  data.copies = 1;
  record.sequence = debug::Journal::get().append(record);
  EXPECT_EQ(inspected(launch, record, error), LaunchVerdict::failed);
  EXPECT_EQ(text(error.operation), "copy to device");
  EXPECT_EQ(text(error.kernel), "axpy");
  ASSERT_TRUE(
      debug::Journal::get().read(record.sequence % debug::Journal::capacity, found, submitted_at));
  EXPECT_EQ(found.state, LaunchState::refused);
}
TEST_F(InspectedData, ALaunchWithoutAReferenceIsStillWritten) {
  debug::detail::DataFilters::get().folder = folder.c_str();
  launch.reaches(device.data(), 4);
  choose(false, true, true);
  EXPECT_EQ(inspected(launch, record, error), LaunchVerdict::dispatch);
  ASSERT_NE(debug::detail::data_launch, nullptr);
  EXPECT_FALSE(debug::detail::data_launch->shadow);
  device.fill(9);
  EXPECT_FALSE(debug::detail::finish_inspection(record, data_calls, error));
  debug::LaunchDump dump;
  std::string problem;
  std::vector<std::uint8_t> after;
  ASSERT_TRUE(dump.open(folder + "/000012-axpy", problem) && dump.output(1, after, problem))
      << problem;
  EXPECT_THAT(after, ElementsAre(9, 9, 9, 9));
}
TEST_F(InspectedData, AWaitThatFailsCompletesNothing) {
  launch.reaches(device.data(), 4);
  launch.reference = &zeroes;
  choose(false, true, false);
  const std::uint64_t submitted = debug::Completion::get().now();
  const auto complete = [&] { return debug::Completion::get().is_complete(record, submitted); };
  EXPECT_EQ(inspected(launch, record, error), LaunchVerdict::dispatch);
  data.waits = 0;
  EXPECT_TRUE(debug::detail::finish_inspection(record, data_calls, error));
  EXPECT_EQ(error.raw, 8);
  EXPECT_FALSE(complete());
  data = {};
  EXPECT_EQ(inspected(launch, record, error), LaunchVerdict::dispatch);
  std::memset(device.data(), 0, 4);
  EXPECT_FALSE(debug::detail::finish_inspection(record, data_calls, error)) << "they agree";
  EXPECT_TRUE(complete());
}

TEST_F(InspectedData, EachArgumentThatDiffersIsReportedAndTheFirstIsTheError) {
  launch.reaches(device.data(), 4);
  launch.reaches(device.data() + 8, 2);
  launch.reaches(device.data() + 16, 2, false);
  launch.reaches(device.data() + 24, 3);
  const auto reported = [&] {
    messages.clear();
    LaunchMemory memory(launch.arguments(), record);
    EXPECT_TRUE(memory.copy_before(error));
    device[1] = 200;
    device[17] = 200;
    device[24] = 200;
    device[25] = 200;
    EXPECT_TRUE(memory.copy_after(error));
    EXPECT_TRUE(debug::detail::log_mismatches(record, memory, nullptr, error));
    for (std::size_t i = 0; i < device.size(); ++i) device[i] = static_cast<unsigned char>(i);
    std::vector<std::string> starts;
    for (const std::string& one : all_texts())
      starts.push_back(one.substr(0, one.find("\n  ", one.find("\n  ") + 1)));
    return starts;
  };
  const auto line = [](int number, const std::string& place) {
    return "warpsafe: launch 12, kernel 'axpy': argument " + std::to_string(number) +
           " differs from the result of the kernel's reference\n  grid=(1,2,3), block=(4,5,6), "
           "shared=99 bytes, stream 0x990" +
           place;
  };
  EXPECT_THAT(reported(), ElementsAre(line(1, ""), line(4, "")));
  EXPECT_EQ(error.code, Errc::reference_differs);
  EXPECT_EQ(error.argument(), 1U);
  EXPECT_EQ(error.value, 1U);
  EXPECT_EQ(error.limit, 4U);
  EXPECT_EQ(error.vendor, Vendor::amd);
  EXPECT_THAT(error.grid, ElementsAre(1, 2, 3));
  EXPECT_THAT(error.block, ElementsAre(4, 5, 6));
  EXPECT_EQ(error.dynamic_shared, 99U);
  EXPECT_EQ(error.stream, record.stream);
  EXPECT_EQ(error.device, 41);
  EXPECT_EQ(error.sequence, 12U);
  record.site = app;
  EXPECT_THAT(reported(), ElementsAre(line(1, ", at app.cpp:7"), line(4, ", at app.cpp:7")));
  EXPECT_TRUE(is_app(error.site));
}

TEST_F(InspectedData, AnAddressInAStructureIsSeenAtEachOfItsPlaces) {
  std::array<const void*, 2> words{nullptr, device.data()};
  std::size_t argument = 9;
  launch.reference = &zeroes;
  launch.holds(words.data(), 16, ElementType::bytes);
  const auto obstacle = [&] {
    const char* const found = debug::detail::reference_obstacle(launch.arguments(), argument);
    return std::string(found == nullptr ? "" : found).substr(0, 25);
  };
  EXPECT_EQ(obstacle(), "");
  EXPECT_EQ(argument, 0U);
  data.kind = MemoryKind::device;
  EXPECT_EQ(obstacle(), "contains a device address");
  EXPECT_EQ(argument, 1U);
  data.kind_status = 5;
  EXPECT_EQ(obstacle(), "") << "the runtime does not know it";
  data.kind_status = 0;
  launch.parameters[0].size = 15;
  EXPECT_EQ(obstacle(), "") << "no whole address";
  words = {device.data(), nullptr};
  launch.parameters[0].size = 8;
  EXPECT_EQ(obstacle(), "contains a device address");
  launch.reference = nullptr;
  EXPECT_EQ(obstacle(), "it carries no reference; ");
  EXPECT_EQ(argument, 0U);
}

/// Reports more kernels than the list of reports has places. Exits with how many were first ones.
[[noreturn]] void report_many() {
  static char names[200];
  int first = 0;
  bool in_order = true;
  for (char& name : names) {
    const bool one = debug::detail::is_first_report(Name{&name, 1}, "reason");
    in_order = in_order && one == (first < 128 && &name == names + first);
    first += one ? 1 : 0;
    in_order = in_order && !debug::detail::is_first_report(Name{&name, 1}, "reason");
  }
  in_order = in_order && !debug::detail::is_first_report(Name{names + 3, 1}, "reason");
  std::_Exit(in_order ? first : 3);
}
TEST(FirstReportDeathTest, TheListHas128Places) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(report_many(), ::testing::ExitedWithCode(128), "");
}

}  // namespace
}  // namespace warpsafe::core_test
