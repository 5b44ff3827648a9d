// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The data of a launch: which memory is copied, what is written of it, and what happens if a call
// fails. The launches, their arguments and the runtime are made by hand.

#include "core_test.hpp"
#include "log_fixture.hpp"
#include "private_member.hpp"
#include <warpsafe/debug.hpp>
#include <warpsafe/debug/data/detail/inspect.hpp>
#include <warpsafe/debug/data/launch_dump.hpp>
#include <warpsafe/debug/journal/suspects.hpp>

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::core_test {

struct WriteText {
  friend constexpr auto member(WriteText);
};
template struct PrivateMember<WriteText, &debug::DumpWriter::write_text>;

namespace {

using debug::DumpWriter;
using debug::LaunchMemory;
using debug::LaunchRecord;
using detail::Inspected;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The runtime: its memory is the test's.
struct DataRuntime {
  int copies = 1000;  ///< that work
  int waits = 1000;   ///< that work
  int capturing_status = 0;
  bool capturing = false;
  int kind_status = 0;
  MemoryKind kind = MemoryKind::unregistered;
  std::vector<std::string> calls;
};
DataRuntime data;
constexpr detail::WaitCalls data_waits{Name::of("stream synchronize"),
                                       Vendor::amd,
                                       34,
                                       [](void*) noexcept { return data.waits-- > 0 ? 0 : 8; },
                                       [](void*) noexcept { return 0; },
                                       [](void*) noexcept { return true; }};
constexpr detail::BackendCalls data_calls{
    .name = Name::of("test"),
    .vendor = Vendor::amd,
    .peek_last_error = nullptr,
    .error_name = [](int) noexcept { return Name{}; },
    .error_text = nullptr,
    .stream_capturing =
        [](void*, bool& capturing) noexcept {
          capturing = data.capturing;
          return data.capturing_status;
        },
    .stream_wait = &data_waits,
    .error =
        [](int status, Name operation, call_site site, Stage stage, int) noexcept {
          LaunchError error = LaunchError::make(Errc::execution_failed, stage, site);
          error.raw = status;
          error.operation = operation;
          return error;
        },
    .limits_of = nullptr,
    .floor = nullptr,
    .device_name = nullptr,
    .copy =
        [](void* to, const void* from, std::size_t bytes, CopyKind kind, void*) noexcept {
          if (data.copies-- <= 0) return 9;
          data.calls.push_back((kind == CopyKind::device_to_host ? "out " : "in ") +
                               std::to_string(bytes));
          std::memcpy(to, from, bytes);
          return 0;
        },
    .pointer_kind =
        [](const void*, MemoryKind& kind, int&) noexcept {
          kind = data.kind;
          return data.kind_status;
        },
    .profile = nullptr};

/// A launch of a kernel with some parameters.
struct HandMadeLaunch {
  std::vector<ParameterInfo> parameters;
  std::vector<void*> values;
  std::vector<detail::ArgumentMemory> memory;
  std::vector<detail::ElementInfo> elements;
  KernelEntry entry{};
  LaunchShape shape;
  const detail::HostReference* reference = nullptr;

  /// A pointer to bytes of device memory.
  void reaches(const void* begin, std::uint64_t bytes, bool writes = true,
               detail::ElementInfo element = {ElementType::uint8, 1}) {
    parameters.push_back({8, 8, true, writes, element.type});
    values.push_back(nullptr);
    memory.push_back({begin, bytes});
    elements.push_back(element);
  }
  /// A parameter that is no pointer.
  void holds(void* value, std::uint32_t bytes, ElementType type) {
    parameters.push_back({bytes, 8, false, false, type});
    values.push_back(value);
    memory.push_back({nullptr, 0});
    elements.push_back({type, bytes});
  }
  [[nodiscard]] detail::LaunchArguments arguments() {
    entry.parameters = parameters.data();
    entry.parameter_count = static_cast<std::uint32_t>(parameters.size());
    return {entry,         shape,           nullptr,   values.data(),
            memory.data(), elements.data(), reference, data_calls};
  }
};
LaunchRecord record_named(const char* kernel) {
  LaunchRecord record{};
  record.sequence = 12;
  record.kernel = Name::of(kernel);
  for (std::uint32_t axis = 0; axis < 3; ++axis) {
    record.grid[axis] = axis + 1;
    record.block[axis] = axis + 4;
  }
  record.dynamic_shared = 99;
  record.stream = reinterpret_cast<const void*>(std::uintptr_t{0x990});
  record.device = 41;
  record.vendor = Vendor::amd;
  return record;
}

struct LaunchData : ::testing::Test, LogSinkTest {
  LaunchData() : folder("launch_data_test." + std::to_string(::getpid())) {
    data = {};
    debug::detail::ensure_started();
    for (std::size_t i = 0; i < device.size(); ++i) device[i] = static_cast<unsigned char>(i);
  }
  ~LaunchData() override {
    static_cast<void>(debug::detail::take_inspection());
    debug::set_trace(nullptr);
    debug::mark_device_idle(Vendor::amd, 41);
    std::filesystem::remove_all(folder);
  }
  LaunchData(const LaunchData&) = delete;
  LaunchData& operator=(const LaunchData&) = delete;

  [[nodiscard]] static std::string text_in(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string folder;
  std::array<unsigned char, 64> device{};
  HandMadeLaunch launch;
  LaunchRecord record = record_named("axpy");
  LaunchError error = LaunchError::make(Errc{}, Stage{});
};

TEST_F(LaunchData, OverlappingArgumentsShareOneCopy) {
  launch.reaches(device.data(), 10, false);
  launch.reaches(device.data() + 20, 10);
  launch.reaches(device.data() + 40, 8, false);
  launch.reaches(device.data() + 5, 20, false);  // joins the first two
  launch.reaches(device.data() + 40, 8, false);
  launch.reaches(device.data() + 48, 1);  // a neighbour
  launch.reaches(nullptr, 8);
  launch.reaches(device.data() + 50, detail::unknown_extent);
  LaunchMemory memory(launch.arguments(), record);
  ASSERT_TRUE(memory.valid());
  EXPECT_EQ(memory.arguments(), 8U);
  ASSERT_TRUE(memory.copy_before(error));
  std::vector<std::string> calls = std::move(data.calls);
  std::sort(calls.begin(), calls.end());
  EXPECT_THAT(calls, ElementsAre("out 1", "out 30", "out 8"));
  EXPECT_EQ(memory.before(1), memory.before(0) + 20);
  EXPECT_EQ(memory.before(3), memory.before(0) + 5);
  EXPECT_EQ(memory.before(4), memory.before(2));
  for (const std::size_t place : {0U, 1U, 2U, 3U, 5U}) {
    EXPECT_TRUE(memory.reaches(place));
    EXPECT_EQ(std::memcmp(memory.before(place), launch.memory[place].begin,
                          static_cast<std::size_t>(memory.bytes(place))),
              0)
        << place;
  }
  for (const std::size_t place : {6U, 7U}) {
    EXPECT_FALSE(memory.reaches(place));
    EXPECT_EQ(memory.before(place), nullptr);
  }
  EXPECT_EQ(memory.bytes(7), 0U);
  // Only what a kernel may have written is copied afterwards: an overlap is written as a whole.
  data.calls.clear();
  device.fill(7);
  ASSERT_TRUE(memory.copy_after(error));
  EXPECT_EQ(data.calls.size(), 2U);
  EXPECT_EQ(memory.after(2), nullptr);
  EXPECT_EQ(memory.after(3)[0], 7);
  EXPECT_EQ(memory.after(5)[0], 7);
  EXPECT_EQ(memory.before(5)[0], 48);
  ASSERT_TRUE(memory.write_back(error));
  EXPECT_EQ(device[29], 29);
  EXPECT_EQ(device[40], 7);
  EXPECT_EQ(device[48], 48);
}
TEST_F(LaunchData, AnEmptyArrayNeedsNoCopy) {
  launch.reaches(device.data(), 0);
  launch.reaches(device.data(), 0, false);
  LaunchMemory memory(launch.arguments(), record);
  ASSERT_TRUE(memory.copy_before(error));
  EXPECT_THAT(data.calls, IsEmpty());
  EXPECT_TRUE(memory.reaches(0));
  EXPECT_NE(memory.before(0), nullptr);
}
TEST_F(LaunchData, ACallThatFailsEndsTheCopyWithItsError) {
  launch.reaches(device.data(), 4);
  LaunchMemory memory(launch.arguments(), record);
  data.copies = 0;
  EXPECT_FALSE(memory.copy_before(error));
  EXPECT_EQ(error.raw, 9);
  EXPECT_EQ(text(error.operation), "copy to host");
  EXPECT_EQ(error.device, 41);
  data = {};
  ASSERT_TRUE(memory.copy_before(error));
  data.copies = 0;
  EXPECT_FALSE(memory.write_back(error));
  EXPECT_EQ(text(error.operation), "copy to device");
  data = {};
  data.waits = 0;
  EXPECT_FALSE(memory.copy_after(error));
  EXPECT_EQ(error.raw, 8);
  EXPECT_EQ(text(error.operation), "stream synchronize");
}
TEST_F(LaunchData, MoreDataThanTheHostHasMemoryForIsAnError) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer ends a program that asks for so much";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "a sanitizer ends a program that asks for so much";
#endif
#endif
  constexpr std::uint64_t bytes = std::uint64_t{1} << 61U;
  launch.reaches(device.data(), bytes);
  record.site = app;
  LaunchMemory memory(launch.arguments(), record);
  EXPECT_FALSE(memory.copy_before(error));
  EXPECT_EQ(error.code, Errc::out_of_memory);
  EXPECT_EQ(error.value, bytes);
  EXPECT_EQ(error.limit, 0U);
  EXPECT_TRUE(is_app(error.site));
  EXPECT_THAT(data.calls, IsEmpty());
}
TEST_F(LaunchData, AnArgumentFindsItsCopyAmongThoseThatWereMoved) {
  launch.reaches(device.data() + 40, 8, false);
  launch.reaches(device.data(), 8, false);
  launch.reaches(device.data() + 44, 8, false);
  LaunchMemory memory(launch.arguments(), record);
  ASSERT_TRUE(memory.copy_before(error));
  EXPECT_EQ(memory.before(2), memory.before(0) + 4);
  EXPECT_EQ(memory.before(0)[0], 40);
  EXPECT_EQ(memory.before(1)[0], 0);
  EXPECT_EQ(memory.before(2)[7], 51);
}
TEST_F(LaunchData, AWaitForDataIsNotPartOfTheProgramsRun) {
  static int told;
  told = 0;
  debug::RunListener listener;
  listener.waited = [](void*, const debug::WaitRecord&) noexcept { ++told; };
  debug::add_listener(listener);
  launch.reaches(device.data(), 4);
  EXPECT_TRUE(LaunchMemory(launch.arguments(), record).copy_before(error));
  debug::remove_listener(listener);
  EXPECT_EQ(told, 0);
}

TEST_F(LaunchData, ADumpsFolderHasTheNumberAndTheLettersOfTheName) {
  const auto named = [&](const char* kernel) {
    const std::string whole = DumpWriter(folder.c_str(), record_named(kernel)).folder();
    EXPECT_EQ(whole.substr(0, folder.size() + 1), folder + '/');
    return whole.substr(folder.size() + 1);
  };
  EXPECT_EQ(named("azAZ09"), "000012-azAZ09");
  EXPECT_EQ(named("a`b{c@d[e/f:g"), "000012-a_b_c_d_e_f_g");
  EXPECT_EQ(named("ns::scale<float, 3>"), "000012-ns__scale_float__3_");
  const std::string most(80, 'k');
  EXPECT_EQ(named(most.c_str()), "000012-" + most);
  EXPECT_EQ(named((most + 'x').c_str()), "000012-" + most);
}
TEST_F(LaunchData, ADumpTellsEachArgument) {
  std::int32_t number = 5;
  launch.reaches(device.data(), 8, true, {ElementType::float32, 4});
  launch.reaches(device.data() + 16, 6, false, {ElementType::bytes, 3});
  launch.holds(&number, 4, ElementType::int32);
  launch.reaches(nullptr, 0);
  launch.reaches(device.data(), detail::unknown_extent);
  LaunchMemory memory(launch.arguments(), record);
  ASSERT_TRUE(memory.copy_before(error) && memory.copy_after(error));
  const auto about = [&] {
    DumpWriter dump(folder.c_str(), record);
    dump.write_inputs(record, launch.arguments(), memory);
    dump.write_outputs(memory, &LaunchMemory::after);
    EXPECT_EQ(dump.problem(), "");
    return text_in(dump.folder() + "/launch.txt");
  };
  const std::string start =
      "Launch: kernel=axpy, grid=(1,2,3), block=(4,5,6), shared=99 bytes\nlaunch 12, device 41, "
      "stream 0x990";
  const std::string rest =
      "\narg1: float32, 2 elements of 4 bytes\narg2: bytes, 2 elements of 3 bytes, only read"
      "\narg3: int32\narg4: uint8, a null pointer"
      "\narg5: uint8, a pointer of unknown extent: not written\n";
  EXPECT_EQ(about(), start + rest);
  record.site = app;
  EXPECT_EQ(about(), start + ", at app.cpp:7" + rest);
  debug::LaunchDump dump;
  std::string problem;
  ASSERT_TRUE(dump.open(folder + "/000012-axpy", problem)) << problem;
  EXPECT_THAT(dump.block, ElementsAre(4, 5, 6));
  EXPECT_EQ(dump.dynamic_shared, 99U);
  std::int32_t read_number = 0;
  EXPECT_TRUE(dump.value(3, read_number, problem)) << problem;
  EXPECT_EQ(read_number, 5);
  std::vector<float> floats;
  EXPECT_TRUE(dump.output(1, floats, problem)) << problem;
  EXPECT_EQ(floats.size(), 2U);
  EXPECT_EQ(debug::LaunchDump().dynamic_shared, 0U);
}

TEST_F(LaunchData, AFolderThatCannotBeMadeHasTheSystemsReason) {
  for (const std::string place : {"/sys/none.warpsafe", "/proc/none", "/dev/null/none"}) {
    errno = 0;
    ASSERT_NE(::mkdir(place.c_str(), S_IRWXU), 0);
    const std::string reason = std::strerror(errno);
    EXPECT_EQ(DumpWriter(place.c_str(), record).problem(), place + ": " + reason);
  }
}
TEST_F(LaunchData, AnotherUsersFolderOrLinkIsNotUsed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file to another user";
  constexpr uid_t somebody = 65533, nobody = 65534;
  folder = std::filesystem::temp_directory_path() / folder;  // others cannot enter every folder
  const std::string target = folder + "/target", link = folder + "/link";
  std::filesystem::create_directories(target);
  std::filesystem::create_directory_symlink("target", link);
  ASSERT_EQ(::chmod(target.c_str(), 0777) + ::chmod(folder.c_str(), 0777), 0);
  const auto problem_as = [&](uid_t owner, uid_t user) {
    EXPECT_EQ(::lchown(link.c_str(), owner, owner), 0);
    EXPECT_EQ(::seteuid(user), 0);
    std::string problem = DumpWriter(link.c_str(), record).problem();
    EXPECT_EQ(::seteuid(0), 0);
    EXPECT_EQ(std::filesystem::is_empty(target), !problem.empty()) << "nothing is made there";
    std::filesystem::remove_all(target + "/000012-axpy");
    return problem;
  };
  const std::string refused =
      link + ": a symbolic link has that name; remove it, or choose another name";
  EXPECT_EQ(problem_as(0, 0), "");
  EXPECT_EQ(problem_as(somebody, 0), refused);
  EXPECT_EQ(problem_as(0, nobody), "") << "the system's link";
  EXPECT_EQ(problem_as(nobody, nobody), "") << "the user's own";
  EXPECT_EQ(problem_as(somebody, nobody), refused);
  // The folder of a launch must be the user's own, also where root made it.
  const std::string own = target + "/000012-axpy";
  std::filesystem::create_directory(own);
  EXPECT_EQ(DumpWriter(target.c_str(), record).problem(), "");
  ASSERT_EQ(::chown(own.c_str(), nobody, nobody), 0);
  EXPECT_EQ(DumpWriter(target.c_str(), record).problem(),
            own + ": the folder belongs to another user; remove it, or choose another folder");
  ASSERT_EQ(::lchown(target.c_str(), somebody, somebody), 0);
  std::filesystem::remove(own);
  EXPECT_EQ(DumpWriter(target.c_str(), record).problem(), "")
      << "the folder of all may be another's";
}
TEST_F(LaunchData, ATextThatDoesNotFitOnTheDiskIsSaid) {
  const auto problem_of = [&](const std::string& text, bool full) {
    DumpWriter dump(folder.c_str(), record);
    ::rlimit before{};
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
    const ::rlimit none{0, before.rlim_max};
    if (full) ::setrlimit(RLIMIT_FSIZE, &none);
    (dump.*member(WriteText{}))("about.txt", text);
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    return dump.problem();
  };
  const std::string path = folder + "/000012-axpy/about.txt";
  EXPECT_EQ(problem_of("short", false), "");
  EXPECT_EQ(text_in(path), "short");
  EXPECT_EQ(problem_of("", false), "");
  const std::string failed = path + ": " + std::strerror(EFBIG);
  EXPECT_EQ(problem_of("short", true), failed) << "when it is closed";
  EXPECT_EQ(problem_of(std::string(100'000, 'x'), true), failed) << "when it is written";
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  EXPECT_EQ(problem_of("short", false), path + ": " + std::strerror(EISDIR));
}

TEST_F(LaunchData, AProfilersFunctionIsFoundInTheProcess) {
  EXPECT_NE(debug::detail::loaded_function<void>("malloc"), nullptr);
  EXPECT_EQ(debug::detail::loaded_function<void>("no_function_has_this_name"), nullptr);
}

/// The tools that take a launch of this thread.
void choose(bool reference, bool shadow, bool trace) {
  debug::detail::data_modes = {reference, shadow, trace};
}
Inspected inspected(HandMadeLaunch& launch, const LaunchRecord& record, LaunchError& error) {
  return debug::detail::inspect(record, data_calls, launch.arguments(), error);
}
constexpr detail::HostReference zeroes{
    [](const LaunchShape&, void* const*, void* const* memory, const std::uint64_t* bytes) {
      std::memset(memory[0], 0, static_cast<std::size_t>(bytes[0]));
    },
    {},
    false};

TEST_F(LaunchData, TheReferenceGoesBeforeTheComparison) {
  debug::set_reference("axpy");
  debug::set_shadow("axpy,scale");
  debug::set_trace("copy");
  const auto modes = [&](const char* kernel) {
    const bool asked = debug::detail::request_data(record_named(kernel)) == detail::asks_for_data;
    const auto& found = debug::detail::data_modes;
    return std::string(asked ? "+" : "-") + (found.reference ? " reference" : "") +
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
TEST_F(LaunchData, ACapturedLaunchIsNotInspected) {
  launch.reaches(device.data(), 4);
  launch.reference = &zeroes;
  choose(true, false, false);
  data.capturing = true;
  EXPECT_EQ(inspected(launch, record, error), Inspected::dispatch);
  data.capturing = false;
  data.capturing_status = 5;
  EXPECT_EQ(inspected(launch, record, error), Inspected::dispatch);
  EXPECT_THAT(data.calls, IsEmpty());
  EXPECT_EQ(debug::detail::data_launch, nullptr);
}
TEST_F(LaunchData, AReferencesResultsReachTheDevice) {
  launch.reaches(device.data(), 4);
  launch.reference = &zeroes;
  choose(true, false, false);
  record.sequence = debug::Journal::get().append(record);
  EXPECT_EQ(inspected(launch, record, error), Inspected::done);
  EXPECT_THAT(data.calls, ElementsAre("out 4", "in 4"));
  EXPECT_EQ(device[3], 0);
  EXPECT_EQ(device[4], 4);
  LaunchRecord found{};
  std::uint64_t submitted_at = 0;
  ASSERT_TRUE(
      debug::Journal::get().read(record.sequence % debug::Journal::capacity, found, submitted_at));
  EXPECT_EQ(found.state, debug::LaunchState::submitted);
  // A copy that fails is the launch's error, and the launch never ran.
  data.copies = 1;
  record.sequence = debug::Journal::get().append(record);
  EXPECT_EQ(inspected(launch, record, error), Inspected::failed);
  EXPECT_EQ(text(error.operation), "copy to device");
  EXPECT_EQ(text(error.kernel), "axpy");
  ASSERT_TRUE(
      debug::Journal::get().read(record.sequence % debug::Journal::capacity, found, submitted_at));
  EXPECT_EQ(found.state, debug::LaunchState::refused);
}
TEST_F(LaunchData, ALaunchWithoutAReferenceIsStillWritten) {
  debug::detail::DataFilters::get().folder = folder.c_str();
  launch.reaches(device.data(), 4);
  choose(false, true, true);
  EXPECT_EQ(inspected(launch, record, error), Inspected::dispatch);
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
TEST_F(LaunchData, AWaitThatFailsCompletesNothing) {
  launch.reaches(device.data(), 4);
  launch.reference = &zeroes;
  choose(false, true, false);
  const std::uint64_t submitted = debug::Completion::get().now();
  const auto complete = [&] { return debug::Completion::get().is_complete(record, submitted); };
  EXPECT_EQ(inspected(launch, record, error), Inspected::dispatch);
  data.waits = 0;
  EXPECT_TRUE(debug::detail::finish_inspection(record, data_calls, error));
  EXPECT_EQ(error.raw, 8);
  EXPECT_FALSE(complete());
  data = {};
  EXPECT_EQ(inspected(launch, record, error), Inspected::dispatch);
  std::memset(device.data(), 0, 4);
  EXPECT_FALSE(debug::detail::finish_inspection(record, data_calls, error)) << "they agree";
  EXPECT_TRUE(complete());
}

TEST_F(LaunchData, EachArgumentThatDiffersIsReportedAndTheFirstIsTheError) {
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

TEST_F(LaunchData, AnAddressInAStructureIsSeenAtEachOfItsPlaces) {
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
