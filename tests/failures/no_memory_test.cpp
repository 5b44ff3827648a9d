// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What must hold after one allocation failed, beyond what main.cpp asks of each program: which call
// reports it, what was not begun, and what is freed again.

#include "../unit/fixtures/private_member.hpp"
#include "../unit/fixtures/scripted_runtime.hpp"
#include "injector.hpp"
#include <warpsafe/all.hpp>
#include <warpsafe/debug/data/npy.hpp>
#include <warpsafe/debug/run/run_recorder.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/race.hpp>

#include <gmock/gmock.h>
#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::core_test {

struct RecorderListener {
  friend constexpr auto member(RecorderListener);
};
template struct PrivateMember<RecorderListener, &debug::RunRecorder::observer_>;

namespace {

using failures::Kind;

/// Runs `body` with a failure of the `nth` allocation. Returns whether there were as many.
template <class Body>
[[nodiscard]] bool fails_at(std::uint64_t nth, const Body& body) {
  failures::arm(Kind::memory, nth);
  body();
  return failures::disarm() >= nth;
}
/// The bytes that malloc has given and not got back; 0 if a sanitizer has replaced it.
[[nodiscard]] std::size_t bytes_in_use() {
  const auto now = ::mallinfo2();
  return now.uordblks + now.hblkhd;
}

WARPSAFE_KERNEL void add_one(int* values, std::size_t n) {
  for (auto i : grid_stride(n)) values[i] += 1;
}
void add_one_on_host(int* values, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) values[i] += 1;
}
void add_nothing_on_host(int*, std::size_t) {}
WARPSAFE_KERNEL void writes_beyond(int* values, std::size_t n) { values[n + 100'000] = 1; }
WARPSAFE_KERNEL void nothing() {}
constexpr LaunchConfig small{grid<1>, block<32>};

TEST(NoMemory, FreedMemoryIsKeptWithoutFurtherMemory) {
  host::FreedMemory kept;
  for (int i = 0; i < 40; ++i) {
    host::Allocation freed{host::Storage(100),   100, MemoryKind::device, 0, false, false,
                           {nullptr, nullptr, 0}};
    freed.storage.retire();
    kept.make_room();
    EXPECT_FALSE(fails_at(1, [&] { kept.add(std::move(freed)); })) << i;
  }
}

TEST(NoMemory, AFibreThatCannotBeMadeIsNone) {
  host::FibrePool pool;
  host::Fibre* before = nullptr;
  std::uint64_t failed = 0;
  for (int slab = 0; slab < 3; ++slab) {
    host::Fibre* next = nullptr;
    for (std::uint64_t nth = 1; fails_at(nth, [&] { next = pool.after(before); }); ++nth) {
      EXPECT_EQ(next, nullptr) << nth;
      ++failed;
    }
    for (std::size_t i = 0; i < host::StackSlab::stacks; ++i) before = pool.after(before);
  }
  EXPECT_GE(failed, 3U);
}

TEST(NoMemory, AnArrayIsNotWrittenWithoutItsHeader) {
  const std::string path = "no_memory_test." + std::to_string(::getpid()) + ".npy";
  const float values[] = {1, 2};
  int status = 0;
  std::uint64_t nth = 1;
  while (fails_at(nth, [&] {
    status = debug::write_npy(path.c_str(), ElementType::float32, 4, 2, false, values);
  })) {
    EXPECT_EQ(status, ENOMEM) << nth;
    EXPECT_FALSE(std::filesystem::exists(path)) << nth;
    ++nth;
  }
  EXPECT_GT(nth, 1U);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(std::filesystem::file_size(path), 128U + sizeof values);
  std::filesystem::remove(path);
}

TEST(NoMemory, AnArrayThatCannotBeReadNamesItsMemory) {
  const std::string path = "no_memory_read." + std::to_string(::getpid()) + ".npy";
  const std::vector<float> values(1000, 1);
  ASSERT_EQ(debug::write_npy(path.c_str(), ElementType::float32, 4, 1000, false, values.data()), 0);
  std::set<std::string> problems;
  bool read = false;
  for (std::uint64_t nth = 1; !read; ++nth) {
    debug::NpyArray array;
    std::string problem;
    static_cast<void>(fails_at(nth, [&] { read = debug::read_npy(path, array, problem); }));
    if (!read) problems.insert(problem);
  }
  EXPECT_THAT(problems,
              testing::ElementsAre("no host memory",
                                   path + ": there is no host memory for its 4000 bytes; free "
                                          "some, or compare a part of the array"));
  std::filesystem::remove(path);
}

TEST(NoMemory, ALaunchThatCannotBeInspectedIsNotMade) {
  const std::string folder = "no_memory_test." + std::to_string(::getpid());
  const auto add = kernel<add_one, reference<add_one_on_host>>;
  const Stream stream = Stream::create().value();
  const auto inspect = [&](const std::string& what) {
    debug::set_trace(what[0] == 't' ? "all" : nullptr, folder.c_str());
    debug::set_shadow(what[0] == 's' ? "all" : nullptr);
    debug::set_reference(what[0] == 'r' ? "all" : nullptr);
    auto buffer = DeviceBuffer<int>::from(stream, std::vector<int>(32)).value();
    const auto go = [&] { return launch(stream, small, add, buffer.view(), 32U); };
    const auto value = [&] { return buffer.to_host(stream).get().value()[31]; };
    EXPECT_TRUE(go().has_value());
    int refused = 0;
    for (std::uint64_t nth = 1;; ++nth) {
      SCOPED_TRACE(what + std::to_string(nth));
      result<void> launched = success();
      const int before = value();
      const bool failed = fails_at(nth, [&] { launched = go(); });
      // A dump can lack a file, and the log says so.
      if (nth == 1 || what != "trace") {
        EXPECT_EQ(launched.has_value(), !failed);
      }
      // The runtime, which needs memory too, has other errors.
      if (!launched.has_value() && launched.error().stage == Stage::runtime_call) {
        EXPECT_EQ(launched.error().code, Errc::out_of_memory);
        EXPECT_EQ(launched.error().kernel, Name::of("add_one"));
        const auto state = debug::run_from_journal().launches.back().record.state;
        // After the launch, only its results cannot be read.
        if (state != LaunchState::complete) {
          EXPECT_EQ(state, LaunchState::refused);
          EXPECT_EQ(value(), before);
          ++refused;
        }
      }
      if (!failed) break;
    }
    debug::set_trace(nullptr);
    debug::set_shadow(nullptr);
    debug::set_reference(nullptr);
    return refused;
  };
  EXPECT_GE(inspect("trace"), 2) << "the inspection, and its dump";
  EXPECT_GE(inspect("shadow"), 2) << "the inspection, and the reference's memory";
  EXPECT_GE(inspect("reference"), 2);
  std::filesystem::remove_all(folder);
}

TEST(NoMemory, ADifferenceIsReportedWithoutItsNumbers) {
  struct Last {
    char text[2048];
    int count;
  };
  Last last{};
  const debug::LogSink sink{
      [](void* user, debug::LogLevel, const char* text, std::size_t) noexcept {
        auto& said = *static_cast<Last*>(user);
        std::snprintf(said.text, sizeof said.text, "%s", text);
        ++said.count;
      },
      &last};
  debug::set_log_sink(&sink);
  debug::set_shadow("all");
  const Stream stream = Stream::create().value();
  auto buffer = DeviceBuffer<int>::from(stream, std::vector<int>(32)).value();
  const auto wrong = kernel<add_one, reference<add_nothing_on_host>>;
  int without_numbers = 0;
  bool failed = true;
  for (std::uint64_t nth = 1; failed; ++nth) {
    SCOPED_TRACE(nth);
    last = {};
    result<void> launched = success();
    failed = fails_at(nth, [&] { launched = launch(stream, small, wrong, buffer.view(), 32U); });
    ASSERT_FALSE(launched.has_value());
    if (launched.error().code != Errc::reference_differs) continue;
    EXPECT_EQ(launched.error().value, 32U);
    EXPECT_EQ(last.count, 1);
    EXPECT_THAT(last.text, ::testing::HasSubstr("argument 1 differs from the result"));
    without_numbers += std::strstr(last.text, "first at [0]") == nullptr ? 1 : 0;
  }
  EXPECT_GE(without_numbers, 2) << "the numbers around the first, and the text";
  debug::set_shadow(nullptr);
  debug::set_log_sink(nullptr);
}

/// Told by hand, because a launch needs memory of its own.
TEST(NoMemory, ARunWithoutMemoryForALaunchLacksThatLaunchAlone) {
  for (const std::size_t before : {0U, 1U, 3U, 7U}) {  // lists of that length are full
    std::uint64_t failures = 0;
    for (bool failed = true; failed; failures += failed ? 1 : 0) {
      debug::RunRecorder recorder;
      const Observer& listener = recorder.*member(RecorderListener{});
      LaunchRecord record{};
      record.state = LaunchState::submitted;
      const auto tell = [&] {
        ++record.sequence;
        listener.launched(listener.user, record, 1, 2);
      };
      for (std::size_t i = 0; i < before; ++i) tell();
      failed = fails_at(failures + 1, tell);
      EXPECT_EQ(recorder.run().incomplete, failed);
      for (int i = 0; i < 3; ++i) tell();
      const debug::RunRecord run = recorder.run();
      std::vector<std::uint64_t> numbers;
      for (const debug::RunLaunch& one : run.launches) numbers.push_back(one.record.sequence);
      std::vector<std::uint64_t> expected;
      for (std::uint64_t number = 1; number <= record.sequence; ++number) {
        if (!failed || number != before + 1) expected.push_back(number);
      }
      EXPECT_EQ(numbers, expected) << failures << " after " << before;
    }
    EXPECT_GE(failures, 1U) << "of a full list";
  }
}

TEST(NoMemory, ALaunchIsNotGivenTheTimesOfOneThatHasNoMemory) {
  const Stream stream = Stream::create().value();
  std::uint64_t failures = 0;
  int missing = 0;
  for (bool failed = true; failed; failures += failed ? 1 : 0) {
    debug::RunRecorder recorder;
    debug::RecordOptions options;
    options.gpu_times = true;
    recorder.start(options);
    recorder.stop();  // told by hand
    const Observer& listener = recorder.*member(RecorderListener{});
    LaunchRecord record{};
    record.state = LaunchState::submitted;
    record.vendor = host_backend::vendor;
    record.device = 0;
    record.stream = stream.native();
    record.sequence = 1;
    EXPECT_FALSE(listener.launching(listener.user, record, detail::backend_calls<host_backend>));
    failed = fails_at(failures + 1, [&] { listener.launched(listener.user, record, 1, 2); });
    record.sequence = 2;
    listener.launched(listener.user, record, 1, 2);
    ASSERT_TRUE(stream.synchronize().has_value());
    const std::vector<debug::RunLaunch> launches = recorder.run().launches;
    ASSERT_FALSE(launches.empty());
    EXPECT_EQ(launches.back().record.sequence, 2U);
    EXPECT_EQ(launches.back().gpu_ended, 0U) << failures;
    missing += launches.size() == 1 ? 1 : 0;
  }
  EXPECT_GE(missing, 1);
}

/// Calls `tell` a hundred times, each time with every failure there is, which it must throw.
template <class Tell>
void expect_that_it_throws(const Tell& tell) {
  std::uint64_t failures = 0;
  for (int i = 0; i < 100; ++i) {
    bool failed = true;
    for (std::uint64_t nth = 1; failed; ++nth) {
      bool threw = false;
      failed = fails_at(nth, [&] {
        try {
          tell();
        } catch (const std::bad_alloc&) {
          threw = true;
        }
      });
      EXPECT_EQ(threw, failed) << i << ' ' << nth;
      failures += failed ? 1 : 0;
    }
  }
  EXPECT_GE(failures, 10U);
}

TEST(NoMemory, TheRaceDetectorsRecordOfAnActionThrowsAndDoesNotEndTheProgram) {
  host::HostRaceRecorder recorder;
  recorder.begin();
  expect_that_it_throws([&] { recorder.host(debug::ActionKind::not_done); });
  EXPECT_GE(recorder.history.size(), 100U);
}

TEST(NoMemory, AKernelWithoutMemoryForItsOrderLeavesNoOlderOnePending) {
  constexpr char function = 0;
  host::StreamState stream{*host::Runtime::get().devices[0], 0};
  const host::MemoryRegistry memory;
  host::HostRaceRecorder recorder;
  host::DependentLaunches launches;
  recorder.begin();
  // Returns how many random numbers its begin asked for.
  const auto run = [&](bool dependent, bool lacks_memory) {
    LaunchShape shape{};
    for (int axis = 0; axis < 3; ++axis) shape.grid[axis] = shape.block[axis] = 1;
    shape.programmatic = dependent;
    const auto kernel = host::make_shared<host::KernelOperation>(
        KernelEntry{&function, nullptr, nullptr, 0}, shape, nullptr, host::Runtime::get().pool);
    recorder.submitted(stream, *kernel);
    stream.queue.push_back(kernel);
    int asked = 0;
    EXPECT_TRUE(launches.begin(stream, memory, recorder, [&](std::size_t) {
      ++asked;
      return std::size_t{0};
    }));
    stream.queue.pop_front();
    const auto end = [&] { EXPECT_NE(launches.end(stream, kernel, recorder), lacks_memory); };
    EXPECT_EQ(fails_at(lacks_memory ? 1 : 1000, end), lacks_memory);
    return asked;
  };
  for (const bool lacks_memory : {false, true}) {
    run(false, false);
    run(false, lacks_memory);
    EXPECT_EQ(run(true, false), lacks_memory ? 1 : 2) << "which pending kernel, and which blocks";
  }
}

TEST(NoMemory, UnderTheRaceDetectorAWaitOrTheNextCallReportsEachFailure) {
  int later = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    bool failed = true;
    for (std::uint64_t nth = 1; failed; ++nth) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", allocation " + std::to_string(nth));
      const auto body = [&] {
        const Stream stream = Stream::create().value();
        for (int i = 0; i < 3; ++i) ASSERT_TRUE(launch(stream, small, kernel<nothing>).has_value());
        result<void> waited = success();
        failed = fails_at(nth, [&] { waited = stream.synchronize(); });
        const result<void> next = stream.synchronize();
        EXPECT_EQ(!waited.has_value() || !next.has_value(), failed);
        EXPECT_TRUE(waited.has_value() || next.has_value()) << "once";
        if (next.has_value()) return;
        EXPECT_EQ(next.error().code, Errc::out_of_memory);
        ++later;
      };
      static_cast<void>(adversarial::run({1, seed}, body));
    }
  }
  EXPECT_GE(later, 16) << "two of three kernels, at least";
}

TEST(NoMemory, AKernelThatCannotBeWatchedIsTakenForOneThatWritesAnywhere) {
  host::Runtime& runtime = host::Runtime::get();
  const Stream stream = Stream::create().value();
  auto buffer = DeviceBuffer<int>::create(stream, 32).value();
  ASSERT_TRUE(stream.synchronize().has_value());
  int* const begin = buffer.view().span().pointer().get();
  constexpr char function = 0;
  const auto writer = host::make_shared<host::KernelOperation>(
      KernelEntry{&function, nullptr, nullptr, 0}, LaunchShape{}, nullptr, runtime.pool);
  writer->accesses.push_back(MemoryAccess::of(begin, 4, AccessKind::write));
  bool failed = true;
  std::uint64_t nth = 1;
  for (; failed; ++nth) {
    SCOPED_TRACE(nth);
    host::OutsideWrites outside;
    failed = fails_at(nth, [&] { outside.begins(*writer); });
    outside.has_run(*writer);
    bool found = false;
    EXPECT_EQ(fails_at(1,
                       [&] {
                         try {
                           found = outside.takes_new();
                         } catch (const std::bad_alloc&) {
                         }
                       }),
              failed);
    EXPECT_FALSE(found);
    EXPECT_EQ(outside.takes_new(), failed);
    EXPECT_EQ(outside.is_known(*writer), failed);
  }
  EXPECT_GE(nth, 3U) << "the copy of the memory, and its place in a list";
}

TEST(NoMemory, ARunThatThrowsLeavesNoDeviceLost) {
  if (host::address_sanitizer) GTEST_SKIP() << "it ends the program at the kernel's bad access";
  std::uint64_t threw = 0;
  bool failed = true;
  for (std::uint64_t nth = 1; failed; ++nth) {
    SCOPED_TRACE(nth);
    const auto body = [&] {
      {
        const Stream stream = Stream::create().value();
        auto buffer = DeviceBuffer<int>::create(stream, 32).value();
        static_cast<void>(launch(stream, small, kernel<writes_beyond>, buffer.view(), 32U));
        static_cast<void>(stream.synchronize());
      }
      failures::arm(Kind::memory, nth);
    };
    try {
      EXPECT_FALSE(adversarial::run(1, body).clean());
    } catch (const std::bad_alloc&) {
      ++threw;
    }
    failed = failures::disarm() >= nth;
    const Stream stream = Stream::create().value();
    EXPECT_TRUE(launch(stream, small, kernel<nothing>).has_value());
    ASSERT_TRUE(stream.synchronize().has_value());
  }
  EXPECT_GE(threw, 2U);
}

TEST(NoMemory, ABufferWithoutMemoryForItsOwnRecordSaysHowMuch) {
  const Stream stream = Stream::create().value();
  constexpr std::size_t bytes = sizeof(detail::DeviceMemory<host_backend>);
  // The records of buffers that other tests have destroyed are used again.
  std::vector<DeviceBuffer<int>> others;
  for (int i = 0; i < 300; ++i) others.push_back(DeviceBuffer<int>::create(stream, 1).value());
  int found = 0;
  bool failed = true;
  for (std::uint64_t nth = 1; failed; ++nth) {
    result<DeviceBuffer<int>> made = LaunchError{};
    failed = fails_at(nth, [&] { made = DeviceBuffer<int>::create(stream, 1000); });
    EXPECT_EQ(made.has_value(), !failed);
    if (!failed || made.error().value != bytes) continue;
    EXPECT_EQ(made.error().code, Errc::out_of_memory);
    EXPECT_EQ(made.error().limit, 0U) << "that is not known";
    ++found;
  }
  EXPECT_EQ(found, 1);
}

TEST(NoMemory, AUseThatCannotBeRecordedHasEnded) {
  using Memory = detail::DeviceMemory<ScriptedRuntime>;
  const auto stream = [](std::uintptr_t number) { return ScriptedRuntime::stream(number); };
  Memory* const memory =
      Memory::allocate<CheckLevel::full>(basic_stream_hold(stream(1)), Bytes(8), false, {}).value();
  static_cast<void>(script.taken());
  EXPECT_TRUE(fails_at(1, [&] { EXPECT_EQ(memory->record_use<CheckLevel::full>(stream(2)), 0); }));
  EXPECT_EQ(script.taken(), std::vector<std::string>{"stream_synchronize 2 ~"});
  EXPECT_EQ(memory->release(), 0);
}

TEST(NoFile, AProgramIsNotTakenForADebuggedOne) {
  failures::arm(Kind::file, 1);
  EXPECT_FALSE(debug::detail::is_debugged());
  EXPECT_EQ(failures::disarm(), 1U);
}

TEST(NoMemory, AnImageThatCannotBeLoadedIsFreed) {
  const std::vector<host::NamedKernel> many(50000, host::named<add_one>("add_one"));
  const std::size_t bytes = many.size() * sizeof many[0];
  ASSERT_TRUE(Module::load(many).has_value()) << "the backend's own memory is there from now on";
  std::uint64_t nth = 1;
  for (;; ++nth) {
    const std::size_t before = bytes_in_use();
    Errc code{};
    const bool failed = fails_at(nth, [&] {
      const auto loaded = Module::load(many);
      if (!loaded.has_value()) code = loaded.error().code;
    });
    EXPECT_LT(bytes_in_use(), before + bytes / 2) << nth;
    if (!failed) break;
    EXPECT_EQ(code, Errc::out_of_memory) << nth;
  }
  EXPECT_GE(nth, 2U) << "the copy, or what describes it";
}

// Whatever finds no memory, the call says so, or finds the kernel that was asked for.
TEST(NoMemory, NoKernelIsTakenForAnother) {
  const std::vector<host::NamedKernel> both = {host::named<add_one>("add_one_of_no_memory"),
                                               host::named<nothing>("nothing_of_no_memory")};
  const auto module = Module::load(both).value();
  const auto first = module.kernel<void(int*, std::size_t)>("add_one_of_no_memory");
  ASSERT_TRUE(first.has_value());
  std::uint64_t nth = 1;
  for (;; ++nth) {
    Errc code{};
    const void* found = nullptr;
    const bool failed = fails_at(nth, [&] {
      const auto second = module.kernel<void()>("nothing_of_no_memory");
      if (second.has_value()) {
        found = second.value().entry().function;
      } else {
        code = second.error().code;
      }
    });
    if (!failed) {
      EXPECT_EQ(found, kernel<nothing>.entry().function);
      break;
    }
    EXPECT_EQ(code, Errc::out_of_memory) << nth;
  }
  EXPECT_GE(nth, 3U) << "the name, and the record of the function";
}
TEST(NoMemory, AFileWithoutMemoryForItsNameIsNotLoaded) {
  const std::string path = "no_memory_module." + std::to_string(::getpid());
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  const host::NamedKernel image[] = {host::named<nothing>("nothing")};
  ASSERT_EQ(std::fwrite(image, sizeof image, 1, file), 1U);
  std::fclose(file);
  ASSERT_TRUE(Stream::create().has_value()) << "the runtime starts at its first call";
  std::uint64_t nth = 1;
  for (;; ++nth) {
    Errc code{};
    const bool failed = fails_at(nth, [&] {
      const auto loaded = Module::load_file(path.c_str());
      if (!loaded.has_value()) code = loaded.error().code;
    });
    if (!failed) break;
    EXPECT_TRUE(code == Errc::out_of_memory || code == Errc::module_unreadable) << nth;
  }
  EXPECT_GE(nth, 4U) << "the image, its name, and what describes it";
  std::filesystem::remove(path);
}
std::atomic<unsigned> blocks_run = 0;
WARPSAFE_KERNEL void count_block() { ++blocks_run; }
TEST(NoMemory, ACooperativeGridBeginsOnlyWithAThreadForEachBlock) {
  const Stream stream = Stream::create().value();
  ASSERT_TRUE(launch(stream, LaunchConfig{grid<8>, block<1>}, kernel<nothing>).has_value());
  ASSERT_TRUE(stream.synchronize().has_value());
  for (std::uint64_t nth = 1; nth <= 8; ++nth) {
    blocks_run = 0;
    failures::arm(Kind::thread, nth);
    const auto launched =
        launch(stream, LaunchConfig{grid<8>, block<1>, cooperative}, kernel<count_block>);
    const auto ended = stream.synchronize();
    ASSERT_TRUE(launched.has_value());
    ASSERT_EQ(failures::disarm() >= nth, nth < 8) << "the caller runs one block itself";
    if (nth == 8) {
      EXPECT_TRUE(ended.has_value());
    } else {
      EXPECT_EQ(ended.error().code, Errc::out_of_memory) << nth;
    }
    EXPECT_EQ(blocks_run, nth == 8 ? 8U : 0U);
  }
}

TEST(NoMemory, AnErrorWithoutMemoryForItsTextSaysSo) {
  Name text{};
  EXPECT_TRUE(fails_at(1, [&] { text = detail::keep_error_text(Name::of("never kept before")); }));
  EXPECT_EQ(text, Name::of("(no memory was left for this text)"));
  EXPECT_TRUE(fails_at(1, [&] { text = detail::keep_name(Name::of("never kept before")); }));
  EXPECT_EQ(text.data, nullptr);
}

TEST(NoMemory, AGraphFreesItsListOfMemory) {
  std::vector<char> memory(1000);
  const std::size_t before = bytes_in_use();
  for (int i = 0; i < 100; ++i) {
    const detail::ResourcesPtr graph(new detail::GraphResources);
    for (const char& one : memory) graph->add_memory(&one);
  }
  EXPECT_LT(bytes_in_use(), before + 50 * memory.size() * sizeof(void*));
}

TEST(NoMemory, ARaceCheckerGivesBackWhatItForgets) {
  debug::RaceChecker checker;
  std::vector<debug::Race> races;
  const debug::Strand host = checker.add_strand();
  const MemoryAccess read{64, 4, AccessKind::read};
  std::vector<debug::Point> reads;
  const std::size_t before = bytes_in_use();
  for (int i = 0; i < 10000; ++i) {
    const debug::Strand strand = checker.add_strand();
    reads.push_back(checker.add(strand, {}, {&read, 1}, races));
    checker.end_strand(strand);
  }
  const std::size_t most = bytes_in_use() - before;
  checker.forget(checker.add(host, reads, {}, races), {});
  EXPECT_EQ(checker.accesses_held(), 0U);
  if (most == 0) GTEST_SKIP() << "a sanitizer has replaced malloc, so nothing counts its bytes";
  EXPECT_LT(bytes_in_use() - before, most / 2);
}

TEST(NoMemory, AFilterFreesItsNames) {
  const std::string names(100000, 'x');
  const std::size_t before = bytes_in_use();
  for (int i = 0; i < 100; ++i) {
    debug::LaunchFilter filter;
    ASSERT_TRUE(filter.set(names.c_str()));
    ASSERT_TRUE(filter.set(names.c_str()));
  }
  EXPECT_LT(bytes_in_use(), before + 20 * names.size());
}

}  // namespace
}  // namespace warpsafe::core_test
