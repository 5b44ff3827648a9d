// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "launch_fixture.hpp"
#include <warpsafe/graph.hpp>
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/copy.hpp>
#include <warpsafe/memory/managed_buffer.hpp>
#include <warpsafe/memory/pinned_buffer.hpp>

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpsafe::core_test {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

std::atomic<bool> may_end{false};
WARPSAFE_KERNEL void until_told() {
  while (!may_end) std::this_thread::yield();
}
WARPSAFE_KERNEL void put_value(int value, int* out) { *out = value; }
WARPSAFE_KERNEL void add_value(int value, int* out) { *out += value; }
WARPSAFE_KERNEL void add_span(DeviceSpan<const int> from, int* to) {
  for (size_type i = 0; i < from.size(); ++i) to[i] += from[i];
}
WARPSAFE_KERNEL void add_all(int value, int* out, std::size_t n) {
  for (auto i : grid_stride(n)) out[i] += value;
}

WARPSAFE_KERNEL void ignore_number(std::uintptr_t) {}

static_assert(!std::is_copy_constructible_v<Graph> &&
              !std::is_copy_constructible_v<ExecutableGraph>);
static_assert(std::is_nothrow_move_constructible_v<Graph>);
static_assert(std::is_nothrow_move_constructible_v<ExecutableGraph>);

struct GraphTest : LaunchTest {
  const decltype(LaunchConfig{grid<1>, block<1>}) once{grid<1>, block<1>};
  int* const number = device_array<int>(1);
  GraphTest() { *number = 0; }

  /// A graph that adds `value` to the number, `times` times.
  [[nodiscard]] Graph adds(int value, int times = 1) {
    return warpsafe::capture(
               stream,
               [&](Capture&) -> result<void> {
                 for (int i = 0; i < times; ++i) {
                   WARPSAFE_TRYV(launch(stream, once, kernel<add_value>, value, trust(number)));
                 }
                 return success();
               })
        .value();
  }
};

TEST_F(GraphTest, RunsAsOftenAsItIsLaunched) {
  auto exec = adds(2, 3).instantiate().value();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(exec.launch(stream).has_value());
  wait();
  EXPECT_EQ(*number, 30);
}

TEST_F(GraphTest, InstantiatedItOutlivesTheGraph) {
  std::optional<Graph> graph = adds(2);
  auto first = graph->instantiate().value();
  auto second = graph->instantiate().value();
  graph.reset();
  EXPECT_EQ(host::calls_made(call_of<&host_backend::graph_destroy>), 1U);
  ASSERT_TRUE(first.launch(stream).has_value());
  ASSERT_TRUE(second.launch(stream).has_value());
  wait();
  EXPECT_EQ(*number, 4);
}

TEST_F(GraphTest, ItsLaunchesComeOneAfterAnotherOnAnyStreams) {
  const Stream other = Stream::create().value();
  may_end = false;
  auto exec = warpsafe::capture(stream,
                                [&](Capture&) -> result<void> {
                                  WARPSAFE_TRYV(launch(stream, once, kernel<until_told>));
                                  return launch(stream, once, kernel<add_value>, 1, trust(number));
                                })
                  .value()
                  .instantiate()
                  .value();
  ASSERT_TRUE(exec.launch(stream).has_value());
  ASSERT_TRUE(exec.launch(other).has_value());
  EXPECT_TRUE(stays_pending(other));
  may_end = true;
  ASSERT_TRUE(other.synchronize().has_value());
  EXPECT_EQ(*number, 2) << "the first launch has ended too";
}

TEST_F(GraphTest, IsOrderedWithItsStream) {
  auto exec = adds(2).instantiate().value();
  ASSERT_TRUE(launch(stream, once, kernel<put_value>, 10, trust(number)).has_value());
  ASSERT_TRUE(exec.launch(stream).has_value());
  ASSERT_TRUE(launch(stream, once, kernel<add_value>, 100, trust(number)).has_value());
  wait();
  EXPECT_EQ(*number, 112);
}

TEST_F(GraphTest, IsNotLaunchedWhereItsStreamCapturesAndTheCaptureGoesOn) {
  auto inner = adds(2).instantiate().value();
  const Stream side = Stream::create().value();
  auto outer = warpsafe::capture(stream, [&](Capture&) -> result<void> {
    WARPSAFE_TRYV(warpsafe::wait(side, stream.record().value()));
    for (const Stream* const capturing : {&std::as_const(stream), &side}) {
      EXPECT_EQ(said(inner.launch(*capturing, app)),
                "graph launch not called: the stream is capturing a graph, and this would break "
                "the capture\n  at app.cpp:7");
      const LaunchError error = error_in(inner.launch<CheckLevel::off>(*capturing));
      EXPECT_EQ(error.code, Errc::stream_capturing);
      EXPECT_EQ(error.stream, capturing->native());
      EXPECT_EQ(error.device, 0);
    }
    WARPSAFE_TRYV(launch(side, once, kernel<add_value>, 1, trust(number)));
    return warpsafe::wait(stream, side.record().value());
  });
  auto exec = outer.value().instantiate().value();
  ASSERT_TRUE(exec.launch(stream).has_value());
  wait();
  EXPECT_EQ(*number, 1);
}

TEST_F(GraphTest, IsNeitherCapturedNorLaunchedOnWhatIsLeftOfAStream) {
  auto exec = adds(2).instantiate().value();
  Stream left = Stream::create().value();
  const Stream moved = std::move(left);
  EXPECT_EQ(error_in(Capture::begin(left)).code, Errc::stream_null);
  EXPECT_EQ(
      said(exec.launch(left, app)),
      "graph launch not called: this Stream was moved from or closed; use the one that it was "
      "moved to\n  at app.cpp:7");
  ASSERT_TRUE(exec.launch(moved).has_value());
  ASSERT_TRUE(moved.synchronize().has_value());
  EXPECT_EQ(*number, 2);
}

// A replay uses the arguments of the capture.

TEST_F(GraphTest, AScalarStaysWhatItWas) {
  int value = 1;
  const auto body = [&](Capture& capture) -> result<void> {
    return launch(capture.stream(), once, kernel<add_value>, value, trust(number));
  };
  auto exec = warpsafe::capture(stream, body).value().instantiate().value();
  value = 100;
  ASSERT_TRUE(exec.launch(stream).has_value());
  wait();
  EXPECT_EQ(*number, 1);
  ASSERT_TRUE(recapture(exec, stream, body).has_value());
  ASSERT_TRUE(exec.launch(stream).has_value());
  wait();
  EXPECT_EQ(*number, 101);
}

TEST_F(GraphTest, AnUpdateIsForTheLaunchesToCome) {
  may_end = false;
  auto exec = adds(2).instantiate().value();
  ASSERT_TRUE(launch(stream, once, kernel<until_told>).has_value());
  ASSERT_TRUE(exec.launch(stream).has_value());
  const Stream other = Stream::create().value();
  const auto graph = warpsafe::capture(other, [&](Capture&) -> result<void> {
    return launch(other, once, kernel<add_value>, 50, trust(number));
  });
  ASSERT_TRUE(exec.update(graph.value()).has_value());
  ASSERT_TRUE(exec.launch(stream).has_value());
  may_end = true;
  wait();
  EXPECT_EQ(*number, 52);
}

TEST_F(GraphTest, AnUpdateThatCannotBeSaysWhy) {
  auto exec = adds(2).instantiate().value();
  const LaunchError error = error_in(exec.update(adds(2, 2), app));
  EXPECT_EQ(error.code, Errc::graph_update_refused);
  EXPECT_EQ(error.value, static_cast<std::uint64_t>(GraphChange::topology));
  EXPECT_THAT(
      message(error),
      HasSubstr(
          "graph update failed: the new graph has other nodes or dependencies; instantiate() the "
          "new graph"));
  EXPECT_THAT(message(error), HasSubstr("at app.cpp:7"));
  const auto fills = warpsafe::capture(stream, [&](Capture&) -> result<void> {
    EXPECT_EQ(host_backend::fill(number, 1, sizeof *number, stream.native()), 0);
    return success();
  });
  EXPECT_EQ(error_in(exec.update(fills.value())).value,
            static_cast<std::uint64_t>(GraphChange::node_kind));
  ASSERT_TRUE(exec.launch(stream).has_value());
  wait();
  EXPECT_EQ(*number, 2) << "it does what it did";
}

// Objects that a graph keeps alive.

struct Guard {
  explicit Guard(int& its_count) : count(&its_count) {}
  Guard(Guard&& other) noexcept : count(std::exchange(other.count, nullptr)) {}
  Guard& operator=(Guard&&) = delete;
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  ~Guard() {
    if (count != nullptr) ++*count;
  }
  int* count;
};

TEST_F(GraphTest, OneThatWasMovedOrClosedKeepsNothing) {
  int gone = 0;
  auto from = Capture::begin(stream).value();
  auto graph = std::move(from).end().value();
  auto moved = std::move(graph);
  Guard guard(gone);
  // NOLINTNEXTLINE(bugprone-use-after-move): on purpose
  const LaunchError error = error_in(graph.keep(std::move(guard)));
  EXPECT_EQ(error.code, Errc::graph_moved);
  EXPECT_EQ(text(error.operation), "graph keep");
  EXPECT_EQ(guard.count, &gone);  // untouched
  EXPECT_TRUE(moved.close().has_value());
  EXPECT_EQ(error_in(moved.keep(std::move(guard))).code, Errc::graph_moved);
  EXPECT_EQ(gone, 0);
}

// A Pending owns what its copy uses, and has a data() that does not compile.
TEST_F(GraphTest, KeepsEachKindOfPending) {
  auto buffer = DeviceBuffer<int>::from(stream, std::vector<int>(4, 7)).value();
  auto managed = ManagedBuffer<int>::create(stream, 4).value();
  auto elements = buffer.to_host(stream);
  auto pinned = copy(stream, from(buffer), to(PinnedBuffer<int>::create(4).value()));
  auto at_host = std::move(managed).to_host(stream);
  const auto graph = capture(stream, [&](Capture& open) -> result<void> {
    WARPSAFE_TRYV(open.keep(std::move(elements)));
    WARPSAFE_TRYV(open.keep(std::move(pinned)));
    WARPSAFE_TRYV(open.keep(std::move(at_host)));
    return success();
  });
  EXPECT_TRUE(graph.has_value());
}

// The wait for the last launch is the library's own, so it breaks no capture of another stream.
TEST_F(GraphTest, IsUpdatedAndClosedWhileAnotherStreamCaptures) {
  const auto other = Stream::create().value();
  int gone = 0;
  const auto made = [&] {
    return capture(stream, [&](Capture& open) -> result<void> {
      WARPSAFE_TRYV(open.keep(Guard(gone)));
      return success();
    });
  };
  const auto graph = made().value();
  const auto next = made().value();
  for (const CaptureMode mode : {CaptureMode::global, CaptureMode::thread}) {
    auto exec = graph.instantiate().value();
    auto dropped = std::optional(graph.instantiate().value());
    ASSERT_TRUE(exec.launch(stream).has_value());
    ASSERT_TRUE(dropped->launch(stream).has_value());
    auto open = Capture::begin(other, mode).value();
    EXPECT_TRUE(exec.update(next).has_value());
    EXPECT_TRUE(exec.close().has_value());
    dropped.reset();
    EXPECT_TRUE(std::move(open).end().has_value());
  }
}

TEST_F(GraphTest, KeepsWhatItIsGivenAsLongAsAnyOfItLives) {
  int gone = 0;
  std::optional<ExecutableGraph> exec;
  {
    auto capture = Capture::begin(stream).value();
    EXPECT_EQ(capture.keep(Guard(gone)).value()->count, &gone);
    auto graph = std::move(capture).end().value();
    EXPECT_TRUE(graph.keep(Guard(gone)).has_value());
    exec = graph.instantiate().value();
  }
  EXPECT_EQ(gone, 0);
  ASSERT_TRUE(exec->launch(stream).has_value());
  exec.reset();
  EXPECT_EQ(gone, 2);
}

TEST_F(GraphTest, KeepsACopyOfAHold) {
  const auto buffer = DeviceBuffer<int>::create(stream, 10).value();
  const MemoryHold hold = buffer.keep();
  auto capture = Capture::begin(stream).value();
  EXPECT_FALSE(capture.keep(hold).value()->empty());
  EXPECT_FALSE(hold.empty());
  auto graph = std::move(capture).end().value();
  EXPECT_FALSE(graph.keep(hold).value()->empty());
}

TEST_F(GraphTest, ADiscardedCaptureKeepsNothing) {
  int gone = 0;
  {
    auto capture = Capture::begin(stream).value();
    EXPECT_TRUE(capture.keep(Guard(gone)).has_value());
  }
  EXPECT_EQ(gone, 1);
}

TEST_F(GraphTest, WhatItKeepsLivesUntilItsLaunchHasEnded) {
  int gone = 0;
  may_end = false;
  auto capture = Capture::begin(stream).value();
  ASSERT_TRUE(launch(stream, once, kernel<until_told>).has_value());
  EXPECT_TRUE(capture.keep(Guard(gone)).has_value());
  std::optional<ExecutableGraph> exec = std::move(capture).end().value().instantiate().value();
  ASSERT_TRUE(exec->launch(stream).has_value());
  std::atomic<bool> closed{false};
  std::thread closer([&] {
    exec.reset();
    closed = true;
  });
  // Long enough for a closer that does not wait.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(closed);
  EXPECT_EQ(stream.query().value(), Progress::not_ready);
  may_end = true;
  closer.join();
  EXPECT_EQ(stream.query().value(), Progress::ready) << "its end was waited for";
  EXPECT_EQ(gone, 1);
}

TEST_F(GraphTest, WhatItKeepsLivesUntilItsLaunchHasEndedAlsoWhileItsStreamCaptures) {
  int gone = 0;
  const auto made = [&] {
    return warpsafe::capture(stream,
                             [&](Capture& capture) -> result<void> {
                               WARPSAFE_TRYV(capture.keep(Guard(gone)));
                               return launch(stream, once, kernel<until_told>);
                             })
        .value();
  };
  const auto begin_own = [&] { return std::optional(Capture::begin(stream).value()); };
  const auto begin_other = [&] {
    EXPECT_EQ(host_backend::capture_begin(stream.native(), CaptureMode::relaxed), 0);
    return std::optional<Capture>();
  };
  const auto expect_waits = [&](const auto& begin, const auto& release) {
    gone = 0;
    may_end = false;
    std::optional<ExecutableGraph> exec = made().instantiate().value();
    const Graph next = made();
    EXPECT_TRUE(exec->launch(stream).has_value());
    auto open = begin();
    std::atomic<bool> released{false};
    std::thread releaser([&] {
      release(exec, next);
      released = true;
    });
    // Long enough for one that does not wait.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(released);
    EXPECT_EQ(gone, 0) << "the launch still runs";
    may_end = true;
    releaser.join();
    EXPECT_EQ(gone, 1);
    if (open.has_value()) {
      EXPECT_TRUE(std::move(*open).end().has_value()) << "nothing broke it";
    } else {
      host_backend::native_graph graph = nullptr;
      EXPECT_EQ(host_backend::capture_end(stream.native(), graph), 0) << "nothing broke it";
      EXPECT_EQ(host_backend::graph_destroy(graph), 0);
    }
    wait();
  };
  const auto drop = [](auto& exec, const Graph&) { exec.reset(); };
  const auto close = [](auto& exec, const Graph&) { EXPECT_TRUE(exec->close().has_value()); };
  const auto update = [](auto& exec, const Graph& next) {
    EXPECT_TRUE(exec->update(next).has_value());
  };
  const auto move_away = [](auto& exec, const Graph&) {
    const ExecutableGraph taken = *std::move(exec);
  };
  expect_waits(begin_own, drop);
  expect_waits(begin_own, close);
  expect_waits(begin_own, update);
  expect_waits(begin_own, move_away);
  expect_waits(begin_other, close);
}

TEST_F(GraphTest, WhatItKeepsLivesUntilTheLaunchOnTheNewestOfItsDevicesHasEnded) {
  host::set_device_count(2);
  const Stream far = Stream::create(DeviceId(1)).value();
  int gone = 0;
  auto exec = warpsafe::capture(stream,
                                [&](Capture& capture) -> result<void> {
                                  WARPSAFE_TRYV(capture.keep(Guard(gone)));
                                  return launch(stream, once, kernel<until_told>);
                                })
                  .value()
                  .instantiate()
                  .value();
  may_end = true;
  EXPECT_TRUE(exec.launch(stream).has_value());
  EXPECT_TRUE(exec.launch(far).has_value());
  EXPECT_TRUE(exec.close().has_value());
  EXPECT_EQ(far.query().value(), Progress::ready);
  EXPECT_EQ(gone, 1);
}

TEST_F(GraphTest, WhatItIsGivenAfterItsLaunchStaysAliveIfItsStreamCaptures) {
  static int gone = 0;  // nothing can tell when the launch has ended
  auto graph = adds(1);
  auto exec = graph.instantiate().value();
  ASSERT_TRUE(exec.launch(stream).has_value());
  ASSERT_TRUE(graph.keep(Guard(gone)).has_value());
  {
    auto open = Capture::begin(stream).value();
    EXPECT_TRUE(exec.close().has_value());
    EXPECT_TRUE(graph.close().has_value());
    EXPECT_TRUE(std::move(open).end().has_value()) << "nothing broke it";
  }
  EXPECT_EQ(gone, 0);
}

TEST_F(GraphTest, AnUpdateLetsGoOfWhatWasKeptBefore) {
  int gone = 0;
  const auto body = [&](Capture& capture) -> result<void> {
    WARPSAFE_TRYV(capture.keep(Guard(gone)));
    return launch(stream, once, kernel<add_value>, 1, trust(number));
  };
  auto exec = warpsafe::capture(stream, body).value().instantiate().value();
  ASSERT_TRUE(exec.launch(stream).has_value());
  ASSERT_TRUE(recapture(exec, stream, body).has_value());
  EXPECT_EQ(gone, 1);
  ASSERT_TRUE(exec.close().has_value());
  EXPECT_EQ(gone, 2);
}

TEST_F(GraphTest, KeepsABufferThatIsGone) {
  std::optional<ExecutableGraph> exec;
  DeviceBuffer<int>* kept = nullptr;
  {
    auto buffer = DeviceBuffer<int>::from(stream, std::vector<int>(1000, 1)).value();
    auto capture = Capture::begin(stream).value();
    ASSERT_TRUE(launch(stream, LaunchConfig{grid<4>, block<64>}, kernel<add_all>, 2, buffer.view(),
                       buffer.size())
                    .has_value());
    kept = capture.keep(std::move(buffer)).value();
    exec = std::move(capture).end().value().instantiate().value();
  }
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(exec->launch(stream).has_value());
  EXPECT_THAT(kept->to_host(stream).get().value(), Each(7));
}

TEST_F(GraphTest, ASpanWithoutElementsUsesNoBuffer) {
  auto target = DeviceBuffer<int>::from(stream, std::vector<int>(4, 1)).value();
  std::optional<DeviceBuffer<int>> other = DeviceBuffer<int>::create(stream, 4).value();
  const auto body = [&](Capture&) -> result<void> {
    return launch(stream, LaunchConfig{grid<1>, block<1>}, kernel<add_span>,
                  other->view().subspan(0, 0).value(), target.view());
  };
  auto exec = warpsafe::capture(stream, body).value().instantiate().value();
  other.reset();
  EXPECT_TRUE(exec.launch(stream).has_value());
  EXPECT_THAT(target.to_host(stream).get().value(), Each(1));
}

// The memory behind views is not freed, at every check level and whatever submitted the work. Full
// checks refuse the launch if nobody said `keep`.

WARPSAFE_KERNEL void copy_one(const int* from, int* to) { *to = *from; }

/// Calls that would free device memory.
std::uint64_t frees() { return host::calls_made(call_of<&host_backend::deallocate>); }

template <CheckLevel Level>
void expect_buffer_is_kept(const Stream& stream) {
  auto target = DeviceBuffer<int>::from(stream, std::vector<int>(1)).value();
  std::optional<ExecutableGraph> exec;
  {
    auto scratch = DeviceBuffer<int>::from(stream, std::vector<int>(1, 5)).value();
    const auto body = [&](Capture&) -> result<void> {
      const LaunchConfig once{grid<1>, block<1>};
      for (int i = 0; i < 3; ++i) {
        WARPSAFE_TRYV(launch<Level>(stream, once, kernel<copy_one>, scratch.view(), target.view()));
      }
      return success();
    };
    exec = warpsafe::capture(stream, body).value().template instantiate<Level>().value();
  }
  const auto before = frees();
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(target.zero(stream).has_value());
    ASSERT_TRUE(exec->launch<CheckLevel::off>(stream).has_value());
    EXPECT_THAT(target.to_host(stream).get().value(), Each(5));
  }
  if (Level == CheckLevel::full) {
    EXPECT_EQ(error_in(exec->launch<Level>(stream)).code, Errc::graph_memory_freed);
  }
  EXPECT_EQ(frees(), before);
  exec.reset();
  EXPECT_EQ(frees(), before + 1) << "the target is still in use";
}
TEST_F(GraphTest, KeepsTheMemoryBehindTheViewsOfItsKernels) {
  expect_buffer_is_kept<CheckLevel::off>(stream);
  expect_buffer_is_kept<CheckLevel::full>(stream);
}

TEST_F(GraphTest, KeepsTheMemoryOfEachKindOfWork) {
  const Stream other = Stream::create().value();
  const auto expect_kept = [&](const char* what, const Stream& owner, const auto& use) {
    SCOPED_TRACE(what);
    std::optional<DeviceBuffer<int>> used =
        DeviceBuffer<int>::from(owner, std::vector<int>(4, 1)).value();
    ASSERT_TRUE(owner.synchronize().has_value());
    auto target = DeviceBuffer<int>::create(stream, 4).value();
    auto graph = warpsafe::capture(stream, [&](Capture&) { return use(*used, target); });
    ASSERT_TRUE(graph.has_value());
    const auto before = frees();
    used.reset();
    EXPECT_EQ(frees(), before);
    ASSERT_TRUE(graph.value().close().has_value());
    EXPECT_EQ(frees(), before + 1);
  };
  using Buffer = DeviceBuffer<int>;
  expect_kept("a copy from it", stream,
              [&](Buffer& used, Buffer& target) { return copy(stream, from(used), to(target)); });
  expect_kept("a copy from a view", stream, [&](Buffer& used, Buffer& target) {
    return copy(stream, from(used.view()), to(target));
  });
  expect_kept("a copy to it without checks", stream, [&](Buffer& used, Buffer& target) {
    return copy<CheckLevel::off>(stream, from(target), to(used));
  });
  expect_kept("a fill", stream, [&](Buffer& used, Buffer&) { return used.zero(stream); });
  expect_kept("a fill of memory of another stream", other,
              [&](Buffer& used, Buffer&) { return used.zero(stream); });
  expect_kept("a kernel with memory of another stream", other, [&](Buffer& used, Buffer&) {
    return launch<CheckLevel::off>(stream, once, kernel<put_value>, 1, used.view());
  });
  expect_kept("a stream that takes part", other, [&](Buffer& used, Buffer&) -> result<void> {
    WARPSAFE_TRYV(warpsafe::wait(other, stream.record().value()));
    WARPSAFE_TRYV(launch(other, once, kernel<put_value>, 1, used.view()));
    return warpsafe::wait(stream, other.record().value());
  });
  expect_kept("a span, said by hand", stream, [&](Buffer& used, Buffer&) -> result<void> {
    WARPSAFE_TRYV(launch(stream, once, kernel<put_value>, 1, used.view().pointer()));
    return used.used_on(stream);
  });
}

TEST_F(GraphTest, FreesItsMemoryAfterTheLaunchOnAnotherStreamAndDoesNotWaitForIt) {
  const Stream other = Stream::create().value();
  may_end = false;
  std::optional<ExecutableGraph> exec;
  const auto before = frees();
  {
    auto buffer = DeviceBuffer<int>::create(stream, 1).value();
    exec = warpsafe::capture(stream,
                             [&](Capture&) -> result<void> {
                               WARPSAFE_TRYV(launch(stream, once, kernel<until_told>));
                               return launch(stream, once, kernel<put_value>, 1, buffer.view());
                             })
               .value()
               .instantiate()
               .value();
    wait();
    ASSERT_TRUE(exec->launch(other).has_value());
  }
  EXPECT_EQ(frees(), before);
  exec.reset();
  EXPECT_EQ(frees(), before + 1) << "nothing waited for the launch";
  EXPECT_TRUE(stays_pending(stream)) << "the free comes after the launch";
  may_end = true;
  wait();
  ASSERT_TRUE(other.synchronize().has_value());
}

TEST_F(GraphTest, TheHostTakesManagedMemoryAfterTheLaunch) {
  const Stream other = Stream::create().value();
  auto managed = ManagedBuffer<int>::create(stream, 1).value();
  auto exec = warpsafe::capture(stream,
                                [&](Capture&) -> result<void> {
                                  WARPSAFE_TRYV(launch(stream, once, kernel<until_told>));
                                  return launch(stream, once, kernel<put_value>, 7, managed.view());
                                })
                  .value()
                  .instantiate()
                  .value();
  for (const bool first : {true, false}) {
    may_end = false;
    ASSERT_TRUE(exec.launch(other).has_value());
    std::atomic<bool> taken{false};
    std::thread taker([&] {
      auto at_host = std::move(managed).to_host(stream).get().value();
      taken = true;
      EXPECT_EQ(at_host.span()[0], 7);
      at_host.span()[0] = 0;
      managed = std::move(at_host).to_device();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(taken) << first;
    may_end = true;
    taker.join();
  }
}

TEST_F(GraphTest, FreesItsMemoryAfterTheCaptureOfTheStreamThatRanIt) {
  const Stream other = Stream::create().value();
  const StreamRef borrowed = StreamRef::borrow(other.native(), DeviceId(0)).value();
  for (const StreamRef ran_on : {StreamRef(stream), StreamRef(other), borrowed}) {
    std::optional<ExecutableGraph> exec;
    {
      auto buffer = DeviceBuffer<int>::create(stream, 1).value();
      exec = warpsafe::capture(stream,
                               [&](Capture&) {
                                 return launch(stream, once, kernel<put_value>, 1, buffer.view());
                               })
                 .value()
                 .instantiate()
                 .value();
      ASSERT_TRUE(exec->launch(ran_on).has_value());
    }
    const auto before = frees();
    auto open = Capture::begin(ran_on).value();
    exec.reset();
    EXPECT_EQ(frees(), before);
    EXPECT_TRUE(std::move(open).end().has_value()) << "nothing broke it";
    EXPECT_EQ(frees(), before + 1);
  }
}

TEST_F(GraphTest, RecordsNoEventInALaunchIfItKeepsOnlyMemory) {
  auto buffer = DeviceBuffer<int>::create(stream, 1).value();
  auto moved_in = DeviceBuffer<int>::create(stream, 1).value();
  auto graph = warpsafe::capture(stream, [&](Capture& capture) -> result<void> {
    WARPSAFE_TRYV(capture.keep(buffer.keep()));
    WARPSAFE_TRYV(launch(stream, once, kernel<put_value>, 1, moved_in.view()));
    WARPSAFE_TRYV(capture.keep(std::move(moved_in)));
    return launch(stream, once, kernel<put_value>, 1, buffer.view());
  });
  auto exec = graph.value().instantiate().value();
  const auto before = host::calls_made(call_of<&host_backend::event_record>);
  ASSERT_TRUE(exec.launch(stream).has_value());
  ASSERT_TRUE(exec.close().has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::event_record>), before);
}

TEST_F(GraphTest, AFreedBufferIsNotUsedByALaterLaunch) {
  std::optional<ExecutableGraph> exec;
  const void* memory = nullptr;
  const auto adds_to = [&](auto& buffer) {
    return [&](Capture&) -> result<void> {
      return launch(stream, LaunchConfig{grid<4>, block<64>}, kernel<add_all>, 2, buffer.view(),
                    buffer.size());
    };
  };
  {
    auto buffer = DeviceBuffer<int>::from(stream, std::vector<int>(1000, 1)).value();
    exec = warpsafe::capture(stream, adds_to(buffer)).value().instantiate().value();
    ASSERT_TRUE(exec->launch(stream).has_value());
    memory = buffer.view().pointer().get();
  }
  const LaunchError error = error_in(exec->launch(stream, app));
  EXPECT_EQ(message(error), "graph launch not called: memory at " + address(memory) +
                                ", which a captured kernel uses, was freed; give the buffer to the "
                                "capture with keep(), or capture again\n  at app.cpp:7");
  EXPECT_EQ(error.code, Errc::graph_memory_freed);
  EXPECT_EQ(error.vendor, Vendor::host);
  EXPECT_EQ(error.stream, stream.native());
  EXPECT_EQ(error.device, 0);
  // A new capture makes it complete again.
  auto other = DeviceBuffer<int>::from(stream, std::vector<int>(1000, 1)).value();
  ASSERT_TRUE(recapture(*exec, stream, adds_to(other)).has_value());
  ASSERT_TRUE(exec->launch(stream).has_value());
  EXPECT_THAT(other.to_host(stream).get().value(), Each(3));
}

// Without checks, memory that the graph got by its address is a fault of the device, also if
// another buffer has it by then.
TEST_F(GraphTest, AFreedSpanIsAFaultOnTheModelWithoutChecks) {
  for (const bool reused : {false, true}) {
    host::reset();
    const Stream own = Stream::create().value();
    std::optional<ExecutableGraph> exec;
    {
      auto buffer = DeviceBuffer<int>::create(own, 1000).value();
      exec = warpsafe::capture(own,
                               [&](Capture&) {
                                 return launch(own, once, kernel<put_value>, 1,
                                               buffer.view().pointer());
                               })
                 .value()
                 .instantiate()
                 .value();
      ASSERT_TRUE(exec->launch<CheckLevel::off>(own).has_value());
      ASSERT_TRUE(own.synchronize().has_value());
    }
    std::vector<DeviceBuffer<int>> next;
    if (reused) next.push_back(DeviceBuffer<int>::create(own, 1000).value());
    ASSERT_TRUE(exec->launch<CheckLevel::off>(own).has_value());
    const LaunchError error = error_in(own.synchronize());
    EXPECT_EQ(error.code, Errc::execution_failed);
    EXPECT_THAT(message(error), HasSubstr("a graph that uses 4000 bytes of memory was launched "
                                          "after their free; they were allocated at "));
  }
  host::reset();
}

// The graph knows the memory of its kernels from their pointers, and only from these.
TEST_F(GraphTest, ANumberThatLooksLikeAnAddressIsNoUseOfMemory) {
  std::optional<ExecutableGraph> exec;
  {
    const auto buffer = DeviceBuffer<int>::create(stream, 10).value();
    const auto number_of = reinterpret_cast<std::uintptr_t>(buffer.view().pointer().get());
    exec = warpsafe::capture(stream,
                             [&](Capture&) -> result<void> {
                               return launch(stream, once, kernel<ignore_number>, number_of);
                             })
               .value()
               .instantiate()
               .value();
  }
  EXPECT_TRUE(exec->launch(stream).has_value());
  wait();
}

TEST_F(GraphTest, AFaultInALaunchSurfacesAtTheWait) {
  host::fault_in_kernel(1, HostStatus::unknown);
  auto exec = adds(2, 2).instantiate().value();
  ASSERT_TRUE(exec.launch(stream).has_value());
  EXPECT_EQ(error_in(stream.synchronize()).raw, raw(HostStatus::unknown));
  EXPECT_EQ(*number, 0) << "what comes after it is not done";
  ASSERT_TRUE(exec.launch(stream).has_value());
  wait();
  EXPECT_EQ(*number, 4) << "an error that loses nothing leaves the graph as it was";
}

TEST_F(GraphTest, EachCallThatFailsIsNamedWithItsCallersLine) {
  const auto expect_failed = [](const auto& outcome, const char* operation) {
    const LaunchError error = error_in(outcome);
    EXPECT_EQ(error.code, Errc::runtime_failed);
    EXPECT_EQ(text(error.operation), operation);
    EXPECT_TRUE(is_app(error.site));
  };
  const auto fail = [](Call call) { host::fail_next(call, 1, HostStatus::unknown); };
  auto graph = adds(1);
  auto exec = graph.instantiate().value();
  fail(call_of<&host_backend::graph_nodes>);
  expect_failed(graph.node_count(app), "graph nodes");
  fail(call_of<&host_backend::graph_instantiate>);
  expect_failed(graph.instantiate(app), "graph instantiate");
  fail(call_of<&host_backend::graph_launch>);
  expect_failed(exec.launch(stream, app), "graph launch");
  {
    int gone = 0;
    auto keeps = adds(1);
    ASSERT_TRUE(keeps.keep(Guard(gone)).has_value());
    auto marked = keeps.instantiate().value();
    fail(call_of<&host_backend::event_record>);
    expect_failed(marked.launch(stream, app), "event record");
  }
  {
    // Each launch of a graph that uses managed memory is a use on its stream.
    const Stream other = Stream::create().value();
    auto managed = ManagedBuffer<int>::create(stream, 1).value();
    auto uses = warpsafe::capture(stream, [&](Capture&) {
      return launch(stream, once, kernel<put_value>, 7, managed.view());
    });
    auto noted = uses.value().instantiate().value();
    fail(call_of<&host_backend::event_record>);
    expect_failed(noted.launch(other, app), "event record");
  }
  fail(call_of<&host_backend::graph_update>);
  expect_failed(exec.update(graph, app), "graph update");
  fail(call_of<&host_backend::graph_exec_destroy>);
  expect_failed(exec.close(app), "graph destroy");
  fail(call_of<&host_backend::graph_destroy>);
  expect_failed(graph.close(app), "graph destroy");
  host::take_last_error();
}

TEST_F(GraphTest, ALaunchThatFailsNamesItsStreamAndDevice) {
  host::set_device_count(2);
  const Stream far = Stream::create(DeviceId(1)).value();
  auto ready = adds(1).instantiate().value();
  host::fail_next(call_of<&host_backend::graph_launch>, 1, HostStatus::invalid_value);
  const LaunchError error = error_in(ready.launch(far, app));
  EXPECT_EQ(error.stage, Stage::runtime_call);
  EXPECT_EQ(error.stream, far.native());
  EXPECT_EQ(error.device, 1);
  EXPECT_EQ(error.site, app);
}

TEST_F(GraphTest, AnAssignmentDestroysTheOldOne) {
  const auto destroyed = [] {
    return host::calls_made(call_of<&host_backend::graph_exec_destroy>);
  };
  auto first = adds(1).instantiate().value();
  auto second = adds(10).instantiate().value();
  const auto before = destroyed();
  first = std::move(second);
  EXPECT_EQ(destroyed(), before + 1);
  ASSERT_TRUE(first.launch(stream).has_value());
  wait();
  EXPECT_EQ(*number, 10);
  auto& itself = first;
  first = std::move(itself);
  EXPECT_EQ(destroyed(), before + 1);
  ASSERT_TRUE(first.launch(stream).has_value());
}

TEST_F(GraphTest, AMovedOrClosedOneIsRefused) {
  const Graph graph = adds(1);
  ExecutableGraph running = graph.instantiate().value();
  ExecutableGraph moved = std::move(running);
  const auto expect_refused = [&](const result<void>& launched) {
    EXPECT_EQ(said(launched),
              "graph launch not called: this Graph was moved from or closed; use the one that it "
              "was moved to\n  at app.cpp:7");
  };
  const auto expect_all_refused = [&](ExecutableGraph& gone) {
    expect_refused(gone.launch(stream, app));
    expect_refused(gone.launch<CheckLevel::off>(stream, app));
  };
  expect_all_refused(running);  // NOLINT(bugprone-use-after-move): its purpose
  ASSERT_TRUE(moved.launch(stream).has_value());
  wait();
  EXPECT_EQ(*number, 1) << "by the one that was moved to alone";
  ASSERT_TRUE(moved.close().has_value());
  expect_all_refused(moved);
  EXPECT_TRUE(moved.close().has_value()) << "of a closed one does nothing";
  wait();
  EXPECT_EQ(*number, 1) << "none of the refused ones runs";
}

TEST_F(GraphTest, AMovedOneIsDestroyedOnce) {
  {
    Graph first = adds(1);
    Graph second = std::move(first);
    first = std::move(second);
    ExecutableGraph one = first.instantiate().value();
    ExecutableGraph two = std::move(one);
    one = std::move(two);
    ASSERT_TRUE(one.launch(stream).has_value());
  }
  EXPECT_EQ(host::calls_made(call_of<&host_backend::graph_destroy>), 1U);
  EXPECT_EQ(host::calls_made(call_of<&host_backend::graph_exec_destroy>), 1U);
}

}  // namespace
}  // namespace warpsafe::core_test
