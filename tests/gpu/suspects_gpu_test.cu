// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A thousand programs, each with one faulty kernel at a random place among launches on four
// streams; a wait for another stream reports the fault. Is the culprit among the suspects, and how
// long is the list? A fault loses the context, so each program is a separate process; the parent
// never touches the GPU. With WARPSAFE_BACKEND_HOST the same runs on the modelled GPU.

#include "wanted.hpp"
#include <warpsafe/debug.hpp>
#include <warpsafe/error/message.hpp>
#include <warpsafe/stream/device.hpp>
#include <warpsafe/warpsafe.hpp>
#if defined(WARPSAFE_BACKEND_HOST)
#include <warpsafe/host.hpp>
#endif

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <random>
#include <thread>
#include <vector>

namespace ws = warpsafe;

WARPSAFE_KERNEL void honest(unsigned rounds) {
  for (volatile unsigned i = 0; i < rounds;) i = i + 1;
}
WARPSAFE_KERNEL void culprit(std::uintptr_t address) {
#if !defined(WARPSAFE_BACKEND_HOST)
  *reinterpret_cast<volatile int*>(address) = 1;
#else
  static_cast<void>(address);
#endif
}

namespace {

constexpr unsigned at_once = 16;
constexpr std::size_t streams = 4;

/// The result of one program, which it sends to the parent through a pipe.
struct Report {
  bool noticed;        ///< a call returned the fault
  bool listed;         ///< the culprit is among the suspects
  std::uint32_t list;  ///< how many suspects there are
};

/// One program. It launches, and after every third launch on average waits for one of its streams.
/// After the culprit's launch it waits only for streams other than the culprit's.
Report run_program(unsigned seed) {
  std::mt19937 random(seed);
  const auto pick = [&random](std::size_t below) { return random() % below; };
  std::vector<ws::Stream> all;
  for (std::size_t i = 0; i < streams; ++i) all.push_back(ws::Stream::create().value());
  const std::size_t launches = 20 + pick(180);
  const std::size_t bad = pick(launches);
  std::size_t bad_stream = streams;  // none yet
  std::uint64_t bad_number = 0;
  ws::LaunchError error = ws::LaunchError::make(ws::Errc{}, ws::Stage{});
  bool noticed = false;
  const auto see = [&](const ws::result<void>& outcome) {
    if (outcome.has_value() || noticed) return;
    noticed = true;
    error = outcome.error();
  };
  const ws::LaunchConfig config{ws::grid<4>, ws::block<64>};
  for (std::size_t i = 0; i < launches && !noticed; ++i) {
    const std::size_t on = pick(streams);
    if (i == bad) {
#if defined(WARPSAFE_BACKEND_HOST)
      ws::host::fault_in_kernel(1, ws::host::HostStatus::illegal_address);
#endif
      see(ws::launch(all[on], config, ws::kernel<culprit>, std::uintptr_t{16}));
      bad_number = ws::debug::Journal::get().last();
      bad_stream = on;
    } else {
      see(ws::launch(all[on], config, ws::kernel<honest>, static_cast<unsigned>(pick(2000))));
    }
    const std::size_t waited = pick(streams);
    if (pick(3) == 0 && waited != bad_stream && !noticed) see(all[waited].synchronize());
  }
  // The fault may not have happened yet.
  for (int i = 0; i < 10000 && !noticed; ++i) {
    see(all[(bad_stream + 1 + pick(streams - 1)) % streams].synchronize());
    if (!noticed) std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  std::vector<ws::LaunchRecord> list(ws::debug::Journal::capacity);
  list.resize(ws::debug::suspects(error, list.data(), list.size()));
  const bool listed = std::any_of(
      list.begin(), list.end(), [&](const auto& record) { return record.sequence == bad_number; });
  return {noticed, listed, static_cast<std::uint32_t>(list.size())};
}

/// Runs `work` in a separate process, and returns the end of the pipe from which to read its
/// Report.
template <class Work>
int start(const Work& work) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const Report report = work();
    const bool sent = write(ends[1], &report, sizeof report) == sizeof report;
    _exit(sent ? 0 : 1);
  }
  close(ends[1]);
  return child < 0 ? -1 : ends[0];
}
bool take(int end, Report& report) {
  const bool whole = end >= 0 && read(end, &report, sizeof report) == sizeof report;
  close(end);
  wait(nullptr);
  return whole;
}

TEST(SuspectsGpu, TheCulpritIsListedInEveryRunAndTheListIsShort) {
  // Queried in a separate process: a runtime that this process has started would not work in the
  // programs that it forks.
  Report probe{};
  ASSERT_TRUE(take(start([] {
                     const auto count = ws::device_count();
                     return Report{count.has_value() && count.value() > 0, false, 0};
                   }),
                   probe));
  if (!probe.noticed) GTEST_SKIP() << "needs a GPU: no device was found";

  const auto runs = static_cast<unsigned>(wanted("WS_TEST_RUNS", 100));
  ASSERT_GT(runs, 0U);
  std::vector<std::uint32_t> lengths;
  unsigned listed = 0;
  for (unsigned begin = 0; begin < runs; begin += at_once) {
    std::vector<int> open;
    for (unsigned seed = begin; seed < std::min(begin + at_once, runs); ++seed) {
      open.push_back(start([seed] { return run_program(seed); }));
    }
    for (std::size_t i = 0; i < open.size(); ++i) {
      Report report{};
      ASSERT_TRUE(take(open[i], report)) << "the program of seed " << begin + i << " ended early";
      EXPECT_TRUE(report.noticed) << "seed " << begin + i;
      EXPECT_TRUE(report.listed) << "seed " << begin + i;
      listed += report.listed ? 1 : 0;
      lengths.push_back(report.list);
    }
  }
  std::sort(lengths.begin(), lengths.end());
  std::cout << "culprit listed in " << listed << " of " << runs << " runs; suspects: median "
            << lengths[lengths.size() / 2] << ", longest " << lengths.back() << '\n';
  EXPECT_EQ(listed, runs);
  // The median of a few runs has no meaning.
  if (runs >= 100) {
    EXPECT_LE(lengths[lengths.size() / 2], 16U);
  }
}

}  // namespace
