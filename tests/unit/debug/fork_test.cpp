// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A child that was forked while other threads of its parent held the library's locks. It has no
// such thread, so nobody frees them. Nothing in it may wait for one.

#include "launch_fixture.hpp"
#include "private_member.hpp"
#include <warpsafe/all.hpp>
#include <warpsafe/debug/journal/suspects.hpp>
#include <warpsafe/debug/run/run_recorder.hpp>
#include <warpsafe/race.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::core_test {

struct StreamsAtFork {
  friend constexpr auto member(StreamsAtFork);
};
template struct PrivateMember<StreamsAtFork, &detail::SharedStream<host_backend>::list_lock>;
struct IncidentsAtFork {
  friend constexpr auto member(IncidentsAtFork);
};
template struct PrivateMember<IncidentsAtFork, &debug::Incidents::lock_>;
struct CompletionAtFork {
  friend constexpr auto member(CompletionAtFork);
};
template struct PrivateMember<CompletionAtFork, &debug::Completion::lock_>;
struct RecorderAtFork {
  friend constexpr auto member(RecorderAtFork);
};
template struct PrivateMember<RecorderAtFork, &debug::RunRecorder::lock_>;

namespace fork_test {
namespace {

WARPSAFE_KERNEL void set(float value, float* x) { x[thread_index().x] = value; }
const host::NamedKernel table[] = {host::named<set>("set")};
constexpr LaunchConfig one_block{grid<1>, block<4>};

/// What a program has at the fork.
struct Objects {
  Stream stream = Stream::create().value(), other = Stream::create().value();
  DeviceBuffer<float> buffer = DeviceBuffer<float>::create(stream, 4).value();
  Pending<PinnedBuffer<float>> pending =
      copy(stream, from(buffer), to(PinnedBuffer<float>::create(4).value()));
  Event event = stream.record().value();
  Module module = Module::load(table).value();
  Graph graph = capture(stream, [&](Capture& capture) -> result<void> {
                  WARPSAFE_TRYV(capture.keep(buffer.keep()));
                  return launch(stream, one_block, kernel<set>, 1.0F, buffer.view());
                }).value();
};

/// Uses everything. Each call may fail in a child, and none may hang. Returns the first one that
/// succeeds although the runtime is not there; nullptr if there is none.
const char* use(std::optional<Objects>& objects, debug::RunRecorder& recorder) {
  Objects& all = *objects;
  if (Stream::create().has_value()) return "create a stream";
  if (launch(all.stream, one_block, kernel<set>, 1.0F, all.buffer.view()).has_value()) {
    return "launch";
  }
  if (launch(all.other, one_block, kernel<set>, 1.0F, all.buffer.view()).has_value()) {
    return "launch on another stream";
  }
  if (DeviceBuffer<float>::create(all.stream, 4).has_value()) return "create a buffer";
  if (all.buffer.zero(all.other).has_value()) return "fill";
  if (std::move(all.pending).get().has_value()) return "get";
  if (all.stream.synchronize().has_value()) return "synchronize";
  if (all.event.synchronize().has_value()) return "wait for an event";
  if (all.graph.instantiate().has_value()) return "instantiate";
  if (all.module.kernel<void(float, float*)>("no such kernel").has_value()) return "no kernel";
  if (adversarial::run(2, [] {}).clean()) return "run under the race detector";
  if (!recorder.run().launches.empty()) return "record";
  host::reset();
  if (host::calls_made(host::call_of<&host_backend::launch>) != 0) return "count calls";
  debug::mark_device_idle(Vendor::host, 0);
  LaunchError error = LaunchError::make(Errc::execution_failed, Stage::completion);
  error.incident = 1;
  static_cast<void>(message(error));
  const basic_stream_hold<host_backend> hold(all.stream.ref());
  static_cast<void>(all.buffer.close().has_value());
  static_cast<void>(all.module.close().has_value());
  static_cast<void>(all.graph.close().has_value());
  objects.reset();
  return nullptr;
}

TEST(Fork, AChildNeverWaitsForALockOfItsParent) {
  host::reset();
  std::optional<Objects> objects(std::in_place);
  debug::RunRecorder recorder;
  recorder.start();
  ASSERT_TRUE(objects->stream.synchronize().has_value());
  ASSERT_TRUE(objects->module.kernel<void(float, float*)>("set").has_value());
  using detail::ProcessLock;
  const std::vector<std::pair<const char*, ProcessLock*>> locks = {
      {"streams", member(StreamsAtFork{})},
      {"texts", &detail::kept_text_lock},
      {"graphs", &detail::graph_lock},
      {"device checks", &detail::device_checks.lock},
      {"completion", &(debug::Completion::get().*member(CompletionAtFork{}))},
      {"incidents", &(debug::Incidents::get().*member(IncidentsAtFork{}))},
      {"recorder", &(recorder.*member(RecorderAtFork{}))}};
  host::Runtime& runtime = host::Runtime::get();
  std::unique_lock model(runtime.mutex);
  for (const auto& [name, lock] : locks) lock->lock();
  int pipes[2];
  ASSERT_EQ(::pipe(pipes), 0);
  const pid_t child = fork();
  ASSERT_NE(child, -1);
  if (child == 0) {
    ::alarm(30);
    const char* const succeeded = use(objects, recorder);
    if (succeeded != nullptr) {
      static_cast<void>(::write(pipes[1], succeeded, std::string(succeeded).size()) != 0);
    }
    ::_exit(succeeded == nullptr ? 0 : 9);
  }
  for (const auto& [name, lock] : locks) lock->unlock();
  model.unlock();
  ::close(pipes[1]);
  char said[64] = "";
  EXPECT_EQ(::read(pipes[0], said, sizeof said - 1), 0) << said;
  ::close(pipes[0]);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  static_cast<void>(std::move(objects->pending).get().has_value());
}

}  // namespace
}  // namespace fork_test
}  // namespace warpsafe::core_test
