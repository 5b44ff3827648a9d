// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "programs.hpp"

#include "injector.hpp"
#include <warpsafe/all.hpp>
#include <warpsafe/debug/data/launch_dump.hpp>
#include <warpsafe/debug/run/journal_file.hpp>
#include <warpsafe/debug/run/run_recorder.hpp>
#include <warpsafe/debug/run/timeline_export.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/race.hpp>
#include <warpsafe/race/adversarial.hpp>

#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace failures {

namespace {

using namespace warpsafe;

WARPSAFE_KERNEL void add_one(int* values, std::size_t n) {
  for (auto i : grid_stride(n)) values[i] += 1;
}
WARPSAFE_KERNEL void reverse(int* values) {
  auto shared = dynamic_shared<int>();
  const auto i = thread_index().x;
  shared[i] = values[i];
  sync_block();
  values[i] = shared[31 - i];
}
void add_one_host(int* values, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) values[i] += 1;
}
const host::NamedKernel table[] = {host::named<add_one>("add_one")};

result<bool> launches() {
  WARPSAFE_TRY(const auto stream, Stream::create());
  WARPSAFE_TRY(auto buffer, DeviceBuffer<int>::from(stream, std::span(zeros)));
  const auto config = configure(SafeGrid<>::cover(size, block<8>));
  WARPSAFE_TRYV(launch(stream, config, kernel<add_one>, buffer.view(), size));
  WARPSAFE_TRYV(check(kernel<add_one>, 1U, 32U, 0, stream.native()));
  WARPSAFE_TRYV(
      launch(stream, LaunchConfig{grid<1>, block<32>}, kernel<add_one>, buffer.view(), size));
  WARPSAFE_TRY(const auto values, buffer.to_host(stream).get());
  return all_are(values, 2);
}

result<bool> barriers() {
  WARPSAFE_TRY(const auto stream, Stream::create());
  WARPSAFE_TRY(auto buffer, DeviceBuffer<int>::from(stream, std::span(zeros)));
  WARPSAFE_TRYV(launch(stream, LaunchConfig{grid<1>, block<32>, shared<int>(size)}, kernel<reverse>,
                       buffer.view()));
  WARPSAFE_TRYV(launch(stream, LaunchConfig{grid<1>, block<32>, shared<int>(size), cooperative},
                       kernel<reverse>, buffer.view()));
  WARPSAFE_TRY(const auto values, buffer.to_host(stream).get());
  return all_are(values, 0);
}

result<bool> events() {
  WARPSAFE_TRY(const auto first, Stream::create());
  WARPSAFE_TRY(const auto second, Stream::create());
  WARPSAFE_TRY(auto buffer, DeviceBuffer<int>::from(first, std::span(zeros)));
  WARPSAFE_TRY(const auto begin, first.record_timed());
  WARPSAFE_TRYV(launch(first, small, kernel<add_one>, buffer.view(), size));
  WARPSAFE_TRY(const auto end, first.record_timed());
  WARPSAFE_TRYV(wait(second, end));
  WARPSAFE_TRYV(buffer.used_on(second));
  WARPSAFE_TRYV(launch(second, small, kernel<add_one>, buffer.view(), size));
  WARPSAFE_TRYV(end.synchronize());
  WARPSAFE_TRY(const float ms, elapsed_ms(begin, end));
  WARPSAFE_TRY(const auto values, buffer.to_host(second).get());
  WARPSAFE_TRYV(first.synchronize());
  return ms >= 0 && all_are(values, 2);
}

result<bool> buffers() {
  WARPSAFE_TRY(const auto stream, Stream::create());
  WARPSAFE_TRY(auto device, DeviceBuffer<int>::create(stream, size));
  WARPSAFE_TRYV(device.zero(stream));
  WARPSAFE_TRY(auto pinned, PinnedBuffer<int>::create(size));
  for (int& value : pinned.span()) value = 5;
  WARPSAFE_TRYV(copy_and_wait(stream, from(pinned.span()), to(device)));
  WARPSAFE_TRY(auto pitched, PitchedBuffer<int>::create(stream, extent<2>{rows{4}, cols{8}}));
  WARPSAFE_TRYV(copy_and_wait(stream, from(std::span(zeros)), to(pitched)));
  WARPSAFE_TRY(const auto plane, pitched.to_host(stream).get());
  WARPSAFE_TRY(auto managed, ManagedBuffer<int>::create(stream, size));
  WARPSAFE_TRYV(launch(stream, small, kernel<add_one>, device.view(), size));
  WARPSAFE_TRY(const auto on_host, std::move(managed).to_host(stream).get());
  WARPSAFE_TRY(const auto free, memory_info(DeviceId(0)));
  WARPSAFE_TRY(const auto values, device.to_host(stream).get());
  WARPSAFE_TRYV(device.close());
  WARPSAFE_TRYV(pitched.close());
  WARPSAFE_TRYV(pinned.close());
  return all_are(values, 6) && all_are(plane, 0) && on_host.span().size() == size && free.held != 0;
}

result<bool> graphs() {
  WARPSAFE_TRY(const auto stream, Stream::create());
  WARPSAFE_TRY(auto buffer, DeviceBuffer<int>::from(stream, std::span(zeros)));
  const auto body = [&](Capture& capture) -> result<void> {
    WARPSAFE_TRYV(capture.keep(buffer.keep()));
    WARPSAFE_TRYV(launch(stream, small, kernel<add_one>, buffer.view(), size));
    return launch(stream, small, kernel<add_one>, buffer.view(), size);
  };
  WARPSAFE_TRY(const auto graph, capture(stream, body));
  WARPSAFE_TRY(const auto nodes, graph.node_count());
  WARPSAFE_TRY(auto exec, graph.instantiate());
  WARPSAFE_TRYV(exec.launch(stream));
  WARPSAFE_TRYV(recapture(exec, stream, body));
  WARPSAFE_TRYV(exec.launch(stream));
  WARPSAFE_TRY(const auto values, buffer.to_host(stream).get());
  return nodes == 2 && all_are(values, 4);
}

result<bool> modules() {
  WARPSAFE_TRY(const auto stream, Stream::create());
  WARPSAFE_TRY(auto buffer, DeviceBuffer<int>::from(stream, std::span(zeros)));
  WARPSAFE_TRY(const auto module, Module::load(table));
  WARPSAFE_TRY(const auto found, (module.kernel<void(int*, std::size_t)>("add_one")));
  WARPSAFE_TRYV(launch(stream, small, found, buffer.view(), size));
  WARPSAFE_TRYV(max_resident_blocks(stream, found, block<32>));
  WARPSAFE_TRY(const auto values, buffer.to_host(stream).get());
  return all_are(values, 1);
}

result<bool> comparisons() {
  WARPSAFE_TRY(const auto stream, Stream::create());
  WARPSAFE_TRY(auto buffer, DeviceBuffer<int>::from(stream, std::span(zeros)));
  const auto compared = compare(stream, buffer, std::span<const int>(zeros));
  if (!compared.has_value()) return compared.error();
  return compared.value().agrees();
}

/// Reads WARPSAFE_TRACE's files, runs references. A problem with files is told in the log.
result<bool> data_tools() {
  debug::set_trace("all", "failures-trace");
  debug::set_shadow("all");
  const auto work = []() -> result<bool> {
    WARPSAFE_TRY(const auto stream, Stream::create());
    WARPSAFE_TRY(auto buffer, DeviceBuffer<int>::from(stream, std::span(zeros)));
    WARPSAFE_TRYV(
        launch(stream, small, kernel<add_one, reference<add_one_host>>, buffer.view(), size));
    WARPSAFE_TRY(const auto values, buffer.to_host(stream).get());
    return all_are(values, 1);
  };
  const auto done = work();
  debug::set_trace(nullptr);
  debug::set_shadow(nullptr);
  return done;
}

[[nodiscard]] LaunchError file_error() {
  return LaunchError::make(Errc::execution_failed, Stage::completion);
}

result<bool> records() {
  debug::RunRecorder recorder;
  recorder.start({.gpu_times = true});
  WARPSAFE_TRY(const bool right, launches());
  recorder.stop();
  const debug::RunRecord run = recorder.run();
  if (run.incomplete) return file_error();
  if (debug::write_journal(run, "failures-run.jsonl") != 0) return file_error();
  if (debug::write_trace(run, "failures-run.json") != 0) return file_error();
  return right && run.launches.size() >= 2;
}

result<bool> arrays_in_files() {
  if (debug::write_npy("failures.npy", ElementType::int32, 4, size, false, zeros) != 0) {
    return file_error();
  }
  debug::NpyArray array;
  std::string problem;
  if (!debug::read_npy("failures.npy", array, problem)) {
    // A failed read is not a file of a wrong form.
    if (std::strcmp(failed_function() == nullptr ? "" : failed_function(), "fread") == 0 &&
        problem.find("cannot be read") == std::string::npos) {
      return false;
    }
    return file_error();
  }
  return array.elements() == size;
}

result<bool> races() {
  const auto report = adversarial::run(3, [] { return launches(); });
  if (!report.clean()) return file_error();
  return report.seeds_run == 3;
}

/// Makes each call a second time, on the same objects, if it failed: such a call changes nothing.
result<bool> second_attempts() {
  using B = host_backend;
  bool right = true;
  const auto twice = [&right](const auto& call) {
    const bool done = call() == 0 || call() == 0;
    right = right && done;
  };
  B::native_stream one = nullptr;
  B::native_stream other = nullptr;
  B::native_event event = nullptr;
  B::native_graph graph = nullptr;
  B::native_graph_exec exec = nullptr;
  void* memory = nullptr;
  const auto join = [](B::native_stream stream, B::native_event earlier) {
    const int status = B::stream_wait(stream, earlier);
    bool captures = false;
    static_cast<void>(B::stream_capturing(stream, captures));
    return status == 0 || !captures ? status : B::stream_wait(nullptr, earlier);
  };
  twice([&] { return B::stream_create(one, 0); });
  twice([&] { return B::stream_create(other, 0); });
  twice([&] { return B::event_create(event, false); });
  twice([&] { return B::allocate(memory, sizeof(int), one); });
  twice([&] { return B::event_record(event, one); });
  twice([&] { return B::stream_wait(other, event); });
  twice([&] { return B::fill(memory, 1, sizeof(int), other); });
  twice([&] { return B::event_record(event, other); });
  twice([&] { return B::event_synchronize(event); });
  twice([&] { return B::capture_begin(one, CaptureMode::relaxed); });
  twice([&] { return B::event_record(event, one); });
  twice([&] { return join(other, event); });
  twice([&] { return B::fill(memory, 2, sizeof(int), other); });
  twice([&] { return B::event_record(event, other); });
  twice([&] { return B::stream_wait(one, event); });
  // A capture ends even if it gives no graph.
  if (B::capture_end(one, graph) != 0) static_cast<void>(B::capture_end(one, graph));
  if (graph != nullptr) {
    twice([&] { return B::graph_instantiate(exec, graph); });
    twice([&] { return B::graph_launch(exec, one); });
    twice([&] { return B::graph_launch(exec, other); });
    twice([&] { return B::stream_synchronize(one); });
    twice([&] { return B::stream_synchronize(other); });
    twice([&] { return B::graph_exec_destroy(exec); });
    twice([&] { return B::graph_destroy(graph); });
  }
  twice([&] { return B::deallocate(memory, one); });
  twice([&] { return B::allocate_unordered(memory, sizeof(int)); });
  twice([&] { return B::deallocate_unordered(memory); });
  twice([&] { return B::host_allocate(memory, sizeof(int)); });
  twice([&] { return B::host_deallocate(memory); });
  twice([&] { return B::event_destroy(event); });
  twice([&] { return B::stream_destroy(other); });
  twice([&] { return B::stream_destroy(one); });
  return right;
}
/// The same under the race detector.
result<bool> second_attempts_in_a_run() {
  bool right = true;
  const auto report = adversarial::run(3, [&right] {
    const auto done = second_attempts();
    right = right && done.has_value() && done.value();
  });
  if (!report.clean()) return file_error();
  return right;
}

constexpr Program all[] = {
    {"launches", launches},
    {"barriers", barriers},
    {"events", events},
    {"buffers", buffers},
    {"graphs", graphs},
    {"modules", modules},
    {"comparisons", comparisons},
    {"data tools", data_tools},
    {"records", records, true, true},
    {"arrays in files", arrays_in_files, false, true},
    {"races", races, true, false, nullptr, 160},
    {"second attempts", second_attempts},
    {"second attempts in a run", second_attempts_in_a_run, true, false, nullptr, 320},
    {"library handles", library_handles},
    {"peers", peers},
    {"launch options", launch_options},
    {"timeouts", timeouts},
    {"references", references},
    {"guard past the end", guarded_memory, false, false, "1"},
    {"guard before the beginning", guarded_memory, false, false, "before"},
    {"reports", reports, true},
    {"dumps", dumps, true, true},
    {"texts", texts, true},
};

}  // namespace

void prepare() {
  host::set_device_count(2);
  for (const int device : {0, 1}) {
    // With clusters, which the model's own limits lack.
    DeviceLimits limits = limits::sm_90;
    limits.multiprocessors = host::Runtime::get().device(device)->limits.multiprocessors;
    limits.concurrent_managed_access = true;
    host::set_limits(device, limits);
  }
}

std::span<const Program> programs() noexcept { return all; }

Held held() {
  const Own not_counted;
  host::Runtime& runtime = host::Runtime::get();
  host::Lock lock(runtime.mutex);
  runtime.wait_all(lock, nullptr);
  runtime.reap();
  return {runtime.streams.size(), runtime.events.size(),
          runtime.graphs.size() + runtime.graph_execs.size(),
          runtime.device(0)->used + runtime.device(1)->used};
}

}  // namespace failures
