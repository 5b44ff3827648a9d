// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "programs.hpp"

#include "../../failures/library.hpp"
#include "../kernels.hpp"
#include <warpsafe/debug.hpp>
#include <warpsafe/debug/run/journal_file.hpp>
#include <warpsafe/debug/run/run_recorder.hpp>
#include <warpsafe/debug/run/timeline_export.hpp>
#include <warpsafe/graph.hpp>
#include <warpsafe/launch/occupancy.hpp>
#include <warpsafe/memory/copy.hpp>
#include <warpsafe/memory/managed_buffer.hpp>
#include <warpsafe/memory/pinned_buffer.hpp>
#include <warpsafe/memory/pitched_buffer.hpp>
#include <warpsafe/memory/synchronize.hpp>
#include <warpsafe/module.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace vendor_test {
namespace {

namespace ws = warpsafe;

constexpr std::size_t size = 32;
constexpr ws::LaunchConfig plain{ws::grid<4>, ws::block<64>};
const std::vector<int> sevens(size, 7);
const std::string files = folder_of_files();

/// Each returns an error, or whether its results are right.
ws::result<bool> many_launches() {
  WARPSAFE_TRY(const auto stream, ws::Stream::create());
  WARPSAFE_TRY(const auto other, ws::Stream::create());
  WARPSAFE_TRY(auto buffer, ws::DeviceBuffer<int>::from(stream, std::span(sevens)));
  WARPSAFE_TRYV(ws::launch(stream, plain, ws::kernel<nothing>));
  WARPSAFE_TRYV(ws::launch(stream, ws::LaunchConfig{ws::grid<1>, ws::block<32>, ws::cooperative},
                           ws::kernel<nothing>));
  WARPSAFE_TRY(const auto done, stream.record());
  WARPSAFE_TRYV(ws::wait(other, done));
  WARPSAFE_TRYV(buffer.used_on(other));
  WARPSAFE_TRY(const auto values, buffer.to_host(other).get());
  WARPSAFE_TRYV(stream.synchronize());
  return values == sevens;
}
ws::result<bool> memory_calls() {
  WARPSAFE_TRY(const auto stream, ws::Stream::create());
  WARPSAFE_TRY(auto device, ws::DeviceBuffer<int>::create(stream, size));
  WARPSAFE_TRYV(device.zero(stream));
  WARPSAFE_TRY(auto pinned, ws::PinnedBuffer<int>::create(size));
  for (int& value : pinned.span()) value = 7;
  WARPSAFE_TRYV(ws::copy_and_wait(stream, ws::from(pinned.span()), ws::to(device)));
  WARPSAFE_TRY(auto pitched,
               ws::PitchedBuffer<int>::create(stream, ws::extent<2>{ws::rows{4}, ws::cols{8}}));
  WARPSAFE_TRYV(ws::copy_and_wait(stream, ws::from(std::span(sevens)), ws::to(pitched)));
  WARPSAFE_TRY(const auto plane, pitched.to_host(stream).get());
  WARPSAFE_TRY(auto managed, ws::ManagedBuffer<int>::create(stream, size));
  WARPSAFE_TRY(const auto on_host, std::move(managed).to_host(stream).get());
  WARPSAFE_TRY(const auto values, device.to_host(stream).get());
  WARPSAFE_TRYV(device.close());
  WARPSAFE_TRYV(pitched.close());
  WARPSAFE_TRYV(pinned.close());
  return values == sevens && plane == sevens && on_host.span().size() == size;
}
ws::result<bool> graph_work() {
  WARPSAFE_TRY(const auto stream, ws::Stream::create());
  const auto body = [&](ws::Capture&) -> ws::result<void> {
    WARPSAFE_TRYV(ws::launch(stream, plain, ws::kernel<nothing>));
    return ws::launch(stream, plain, ws::kernel<nothing>);
  };
  WARPSAFE_TRY(const auto graph, ws::capture(stream, body));
  WARPSAFE_TRY(const auto nodes, graph.node_count());
  WARPSAFE_TRY(auto exec, graph.instantiate());
  WARPSAFE_TRYV(exec.launch(stream));
  WARPSAFE_TRYV(ws::recapture(exec, stream, body));
  WARPSAFE_TRYV(exec.launch(stream));
  WARPSAFE_TRYV(stream.synchronize());
  return nodes == 2;
}

ws::result<bool> two_devices() {
  WARPSAFE_TRY(auto here, ws::DeviceGuard::create(ws::DeviceId(0)));
  WARPSAFE_TRY(const auto stream, ws::Stream::create(ws::priority(-1)));
  WARPSAFE_TRY(auto buffer, ws::DeviceBuffer<int>::from(stream, std::span(sevens)));
  WARPSAFE_TRY(const auto begin, stream.record_timed());
  WARPSAFE_TRY(const auto end, stream.record_timed());
  WARPSAFE_TRYV(end.synchronize());
  WARPSAFE_TRYV(ws::elapsed_ms(begin, end));
  WARPSAFE_TRY(auto guard, ws::DeviceGuard::create(ws::DeviceId(1)));
  WARPSAFE_TRY(const auto there, ws::Stream::create(ws::DeviceId(1)));
  WARPSAFE_TRY(auto target, ws::DeviceBuffer<int>::create(there, size));
  WARPSAFE_TRYV(ws::copy(there, ws::from(buffer), ws::to(target)));
  WARPSAFE_TRY(const auto values, target.to_host(there).get());
  WARPSAFE_TRY(auto module, ws::Module::load_file(VENDOR_TEST_MODULE));
  WARPSAFE_TRYV(guard.close());
  // Unloaded on device 1, and device 0 is current again.
  WARPSAFE_TRYV(module.close());
  // The free records an event on device 1.
  WARPSAFE_TRYV(buffer.close());
  WARPSAFE_TRY(auto again, ws::DeviceGuard::create(ws::DeviceId(1)));
  WARPSAFE_TRYV(again.close());
  WARPSAFE_TRYV(here.close());
  return values == sevens;
}

ws::result<bool> modules() {
  WARPSAFE_TRY(const auto stream, ws::Stream::create());
  WARPSAFE_TRY(auto buffer, ws::DeviceBuffer<float>::create(stream, size));
  WARPSAFE_TRY(const auto module, ws::Module::load_file(VENDOR_TEST_MODULE));
  WARPSAFE_TRY(const auto scale, (module.kernel<void(float, float*, unsigned long)>("scale")));
  WARPSAFE_TRYV(ws::launch(stream, plain, scale, 2.5F, buffer.view(), size));
  WARPSAFE_TRYV(ws::max_resident_blocks(stream, scale, ws::block<64>));
  WARPSAFE_TRYV(stream.synchronize());
  return true;
}

failures::LibraryStatus library_launch(failures::Context* handle, int* values) noexcept {
  return failures::library_run("launch", handle, [&](const auto& stream) -> ws::result<void> {
    if (values == nullptr)
      return ws::LaunchError::make(ws::Errc::runtime_failed, ws::Stage::runtime_call);
    return ws::launch<ws::CheckLevel::off>(stream, plain, ws::kernel<nothing>);
  });
}
ws::result<bool> handles() {
  WARPSAFE_TRY(const auto first, ws::Stream::create());
  WARPSAFE_TRY(const auto second, ws::Stream::create());
  WARPSAFE_TRY(auto buffer, ws::DeviceBuffer<int>::from(first, std::span(sevens)));
  WARPSAFE_TRY(auto handle, ws::StreamBound<failures::Context*>::create(first));
  WARPSAFE_TRYV(handle.call<library_launch>(buffer.view()));
  WARPSAFE_TRY(const auto launched, first.record());
  WARPSAFE_TRYV(ws::wait(second, launched));
  WARPSAFE_TRYV(buffer.used_on(second));
  WARPSAFE_TRY(auto moved, std::move(handle).rebind(second));
  WARPSAFE_TRYV(moved.call<library_launch>(buffer.view()));
  WARPSAFE_TRY(const auto values, buffer.to_host(second).get());
  WARPSAFE_TRYV(moved.close());
  return values == sevens;
}

/// Each launch's arguments in files, and waits that are watched.
ws::result<bool> tools() {
  ws::debug::set_trace("all", files.c_str());
  ws::debug::set_timeout(60'000, true);
  const auto work = []() -> ws::result<bool> {
    WARPSAFE_TRY(const auto stream, ws::Stream::create());
    WARPSAFE_TRY(auto buffer, ws::DeviceBuffer<float>::create(stream, size));
    WARPSAFE_TRYV(ws::launch(stream, plain, ws::kernel<counted>, buffer.view(), 1U));
    WARPSAFE_TRY(const auto done, stream.record());
    WARPSAFE_TRYV(done.synchronize());
    WARPSAFE_TRYV(stream.synchronize());
    return true;
  };
  const auto done = work();
  ws::debug::clear_timeout();
  ws::debug::set_trace(nullptr);
  return done;
}
ws::result<bool> records() {
  ws::debug::RunRecorder recorder;
  recorder.start({.gpu_times = true});
  WARPSAFE_TRY(const bool right, many_launches());
  recorder.stop();
  const ws::debug::RunRecord run = recorder.run();
  if (run.incomplete || ws::debug::write_journal(run, (files + "/run.jsonl").c_str()) != 0 ||
      ws::debug::write_trace(run, (files + "/run.json").c_str()) != 0) {
    return ws::LaunchError::make(ws::Errc::runtime_failed, ws::Stage::runtime_call);
  }
  return right && run.launches.size() == 2;
}

#if defined(WARPSAFE_BACKEND_CUDA)
/// Another backend refuses these while it compiles.
ws::result<bool> launch_options() {
  WARPSAFE_TRY(const auto stream, ws::Stream::create(ws::priority(-1)));
  constexpr ws::LaunchConfig clusters{ws::grid<4>, ws::block<32>, ws::cluster<2>, ws::priority(-1)};
  constexpr ws::LaunchConfig large{ws::grid<32>, ws::block<32>, ws::non_portable_cluster<16>};
  constexpr ws::LaunchConfig early{ws::grid<4>, ws::block<32>, ws::dependent_launch};
  WARPSAFE_TRYV(ws::launch(stream, clusters, ws::kernel<nothing>));
  WARPSAFE_TRYV(ws::launch(stream, large, ws::kernel<nothing>));
  WARPSAFE_TRYV(ws::launch(stream, early, ws::kernel<nothing, ws::waits_for_predecessor>));
  WARPSAFE_TRYV(stream.synchronize());
  return true;
}
#endif

constexpr Program one_device[] = {
    {"launches", many_launches},
    {"memory", memory_calls},
    {"graphs", graph_work},
    {"modules", modules},
    {"handles", handles},
    {"tools", tools, true},
    {"records", records, true, true},
#if defined(WARPSAFE_BACKEND_CUDA)
    {"launch options", launch_options},
#endif
};
constexpr Program devices[] = {{"devices", two_devices}};

}  // namespace

std::span<const Program> programs() noexcept { return one_device; }
std::span<const Program> programs_on_two_devices() noexcept { return devices; }

}  // namespace vendor_test
