// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Streams, events, graphs, memory of all kinds, several devices.

#include "programs.hpp"
#include <warpsafe/graph.hpp>
#include <warpsafe/launch/occupancy.hpp>
#include <warpsafe/stream/device.hpp>

#include <array>
#include <cstdint>
#include <optional>

namespace right {
namespace {

WARPSAFE_KERNEL void add(int* x, int amount, std::size_t n) {
  for (auto i : ws::grid_stride(n)) x[i] += amount;
}
WARPSAFE_KERNEL void sum_two(const int* x, const int* y, int* z, std::size_t n) {
  for (auto i : ws::grid_stride(n)) z[i] = x[i] + y[i];
}
constexpr std::size_t n = 600;
ws::result<void> add_to(ws::StreamRef stream, ws::DeviceBuffer<int>& x, int amount) {
  return ws::launch(stream, ws::SafeGrid<>::cover(x.size(), ws::block<128>), ws::kernel<add>,
                    x.view(), amount, x.size());
}
ws::result<ws::DeviceBuffer<int>> zeros(const ws::Stream& stream) {
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<int>::create(stream, n));
  WARPSAFE_TRYV(x.zero(stream));
  return x;
}
auto always(int value) {
  return [value](std::size_t) { return value; };
}

ws::result<bool> two_streams_joined_by_an_event(const ws::Stream& stream) {
  WARPSAFE_TRY(const auto other, ws::Stream::create());
  WARPSAFE_TRY(auto x, zeros(stream));
  WARPSAFE_TRY(auto y, zeros(other));
  WARPSAFE_TRYV(add_to(stream, x, 1));
  WARPSAFE_TRYV(add_to(other, y, 2));
  WARPSAFE_TRY(const auto done, other.record());
  WARPSAFE_TRYV(ws::wait(stream, done));
  WARPSAFE_TRYV(ws::launch(stream, ws::SafeGrid<>::cover(n, ws::block<128>), ws::kernel<sum_two>,
                           x.view(), y.view(), x.view(), n));
  return holds(stream, x, always(3));
}

ws::result<bool> parts_on_several_streams(const ws::Stream& stream) {
  WARPSAFE_TRY(auto x, zeros(stream));
  WARPSAFE_TRY(const auto ready, stream.record());
  std::vector<ws::Stream> streams;
  for (int i = 0; i < 3; ++i) {
    WARPSAFE_TRY(auto one, ws::Stream::create());
    streams.push_back(std::move(one));
  }
  const std::size_t part = n / streams.size();
  for (std::size_t i = 0; i < streams.size(); ++i) {
    WARPSAFE_TRYV(ws::wait(streams[i], ready));
    WARPSAFE_TRYV(ws::launch(streams[i], ws::SafeGrid<>::cover(part, ws::block<64>),
                             ws::kernel<add>, x.view().subspan(i * part, part).value(),
                             static_cast<int>(i), part));
    WARPSAFE_TRY(const auto done, streams[i].record());
    WARPSAFE_TRYV(ws::wait(stream, done));
  }
  return holds(stream, x, [&](std::size_t i) { return static_cast<int>(i / part); });
}

ws::result<bool> time_of_a_kernel(const ws::Stream& stream) {
  WARPSAFE_TRY(auto x, zeros(stream));
  WARPSAFE_TRY(const auto begin, stream.record_timed());
  for (int i = 0; i < 4; ++i) WARPSAFE_TRYV(add_to(stream, x, 1));
  WARPSAFE_TRY(const auto end, stream.record_timed());
  WARPSAFE_TRYV(end.synchronize());
  WARPSAFE_TRY(const float took, ws::elapsed_ms(begin, end));
  WARPSAFE_TRY(const bool right, holds(stream, x, always(4)));
  return right && took >= 0;
}

ws::result<bool> progress_of_a_stream(const ws::Stream& stream) {
  WARPSAFE_TRY(auto x, zeros(stream));
  WARPSAFE_TRYV(add_to(stream, x, 1));
  while (stream.query().value() == ws::Progress::not_ready) {
  }
  return holds(stream, x, always(1));
}

ws::result<bool> pinned_memory(const ws::Stream& stream) {
  WARPSAFE_TRY(auto x, zeros(stream));
  WARPSAFE_TRY(auto in, ws::PinnedBuffer<int>::create(n));
  for (int& value : in.span()) value = 5;
  auto sent = ws::copy(stream, ws::from(std::move(in)), ws::to(x.view()));
  WARPSAFE_TRYV(add_to(stream, x, 1));
  WARPSAFE_TRY(auto again, std::move(sent).get());
  WARPSAFE_TRY(auto back, ws::copy(stream, ws::from(x.view()), ws::to(std::move(again))).get());
  bool right = true;
  for (const int value : back.span()) right = right && value == 6;
  return right;
}

ws::result<bool> managed_memory(const ws::Stream& stream) {
  WARPSAFE_TRY(auto x, ws::ManagedBuffer<int>::create(stream, n));
  WARPSAFE_TRY(auto on_host, std::move(x).to_host(stream).get());
  for (int& value : on_host.span()) value = 2;
  auto on_device = std::move(on_host).to_device();
  WARPSAFE_TRYV(ws::launch(stream, ws::SafeGrid<>::cover(n, ws::block<64>), ws::kernel<add>,
                           on_device.view(), 3, n));
  WARPSAFE_TRY(const auto result, std::move(on_device).to_host(stream).get());
  bool right = true;
  for (const int value : result.span()) right = right && value == 5;
  return right;
}

WARPSAFE_KERNEL void fill_rows(ws::PitchedSpan<int> matrix) {
  const auto at = ws::thread_index();
  if (matrix.size().contains(at)) matrix.row(at.y)[at.x] = static_cast<int>(at.y);
}
ws::result<bool> pitched_memory(const ws::Stream& stream) {
  const ws::extent size{ws::rows{9}, ws::cols{21}};
  WARPSAFE_TRY(auto matrix, ws::PitchedBuffer<int>::create(stream, size));
  WARPSAFE_TRYV(ws::launch(stream, ws::SafeGrid<>::cover(size, ws::block<8, 8>),
                           ws::kernel<fill_rows>, matrix.view()));
  WARPSAFE_TRY(const auto values, matrix.to_host(stream).get());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != static_cast<int>(i / 21)) return false;
  }
  return true;
}

ws::result<bool> copies_of_parts(const ws::Stream& stream) {
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<int>::from(stream, counting<int>(100)));
  WARPSAFE_TRY(auto y, ws::DeviceBuffer<int>::create(stream, 10));
  WARPSAFE_TRYV(ws::copy(stream, ws::from(x.view().subspan(90, 10).value()), ws::to(y.view())));
  std::vector<int> some(4);
  WARPSAFE_TRYV(ws::copy_and_wait(stream, ws::from(x.view().subspan(50, 4).value()), ws::to(some)));
  std::array<int, 3> few{7, 8, 9};
  WARPSAFE_TRYV(ws::copy_and_wait(stream, ws::from(few), ws::to(y.view().subspan(0, 3).value())));
  WARPSAFE_TRY(const bool right, holds(stream, y, [](std::size_t i) {
                 return static_cast<int>(i < 3 ? 7 + i : 90 + i);
               }));
  return right && some == counting<int>(4, 50);
}

ws::result<bool> one_wait_for_two_results(const ws::Stream& stream) {
  WARPSAFE_TRY(auto x, zeros(stream));
  WARPSAFE_TRY(auto y, zeros(stream));
  WARPSAFE_TRYV(y.fill_bytes(stream, std::byte{1}));
  auto a = x.to_host(stream);
  auto b = y.to_host(stream);
  WARPSAFE_TRY(const auto both, ws::synchronize(stream, std::move(a), std::move(b)));
  return std::get<0>(both)[0] == 0 && std::get<1>(both)[n - 1] == 0x01010101;
}

ws::result<bool> buffers_in_containers(const ws::Stream& stream) {
  std::vector<ws::DeviceBuffer<int>> buffers;
  for (int i = 0; i < 3; ++i) {
    WARPSAFE_TRY(auto x, zeros(stream));
    buffers.push_back(std::move(x));
  }
  std::optional<ws::DeviceBuffer<int>> last;
  for (int i = 0; i < 3; ++i) {
    WARPSAFE_TRYV(add_to(stream, buffers[static_cast<std::size_t>(i)], i));
  }
  last = std::move(buffers.back());
  buffers.pop_back();
  WARPSAFE_TRYV(buffers.front().close());
  return holds(stream, *last, always(2));
}

ws::result<bool> graph_that_is_replayed(const ws::Stream& stream) {
  WARPSAFE_TRY(auto x, zeros(stream));
  WARPSAFE_TRY(auto capture, ws::Capture::begin(stream));
  for (int i = 0; i < 3; ++i) WARPSAFE_TRYV(add_to(stream, x, 1));
  WARPSAFE_TRYV(capture.keep(x.keep()));
  WARPSAFE_TRY(auto graph, std::move(capture).end());
  WARPSAFE_TRY(auto exec, graph.instantiate());
  for (int i = 0; i < 5; ++i) WARPSAFE_TRYV(exec.launch(stream));
  return holds(stream, x, always(15));
}

ws::result<bool> graph_with_new_arguments(const ws::Stream& stream) {
  WARPSAFE_TRY(auto x, zeros(stream));
  int amount = 1;
  const auto step = [&](ws::Capture&) -> ws::result<void> { return add_to(stream, x, amount); };
  WARPSAFE_TRY(auto graph, ws::capture(stream, step));
  WARPSAFE_TRY(auto exec, graph.instantiate());
  WARPSAFE_TRYV(exec.launch(stream));
  amount = 10;
  WARPSAFE_TRYV(ws::recapture(exec, stream, step));
  WARPSAFE_TRYV(exec.launch(stream));
  return holds(stream, x, always(11));
}

ws::result<bool> graph_of_two_streams(const ws::Stream& stream) {
  WARPSAFE_TRY(const auto other, ws::Stream::create());
  WARPSAFE_TRY(auto x, zeros(stream));
  WARPSAFE_TRY(auto y, zeros(stream));
  WARPSAFE_TRY(auto graph, ws::capture(stream, [&](ws::Capture&) -> ws::result<void> {
                 WARPSAFE_TRY(const auto fork, stream.record());
                 WARPSAFE_TRYV(ws::wait(other, fork));
                 WARPSAFE_TRYV(add_to(stream, x, 1));
                 WARPSAFE_TRYV(add_to(other, y, 2));
                 WARPSAFE_TRY(const auto join, other.record());
                 WARPSAFE_TRYV(ws::wait(stream, join));
                 return ws::launch(stream, ws::SafeGrid<>::cover(n, ws::block<128>),
                                   ws::kernel<sum_two>, x.view(), y.view(), x.view(), n);
               }));
  WARPSAFE_TRY(auto exec, graph.instantiate());
  WARPSAFE_TRYV(exec.launch(stream));
  return holds(stream, x, always(3));
}

ws::result<bool> cooperative_launch(const ws::Stream& stream) {
  WARPSAFE_TRY(auto x, zeros(stream));
  WARPSAFE_TRY(const auto most, ws::max_resident_blocks(stream, ws::kernel<add>, ws::block<64>));
  const auto config =
      ws::configure(ws::SafeGrid<>::grid_stride(n, ws::block<64>, most), ws::cooperative);
  WARPSAFE_TRYV(
      ws::launch(stream, config, ws::kernel<add, ws::grid_stride_kernel>, x.view(), 4, n));
  return holds(stream, x, always(4));
}

ws::result<bool> stream_and_launch_with_a_priority(const ws::Stream&) {
  WARPSAFE_TRY(const auto urgent, ws::Stream::create(ws::priority(-1)));
  WARPSAFE_TRY(auto x, zeros(urgent));
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<64>), ws::priority(0));
  WARPSAFE_TRYV(ws::launch(urgent, config, ws::kernel<add>, x.view(), 4, n));
  return holds(urgent, x, always(4));
}

ws::result<bool> occupancy_of_a_kernel(const ws::Stream& stream) {
  WARPSAFE_TRY(const auto limits, ws::kernel_limits(stream, ws::kernel<add>));
  WARPSAFE_TRY(const auto device, ws::device_limits(stream.device()));
  return limits.max_threads_per_block > 0 && device.warp_size > 0;
}

ws::result<bool> block_size_chosen_at_run_time(const ws::Stream& stream) {
  WARPSAFE_TRY(auto x, zeros(stream));
  for (const int threads : {32, 100, 256}) {
    WARPSAFE_TRY(const auto block, ws::BlockDim::create(threads));
    WARPSAFE_TRYV(
        ws::launch(stream, ws::SafeGrid<>::cover(n, block), ws::kernel<add>, x.view(), 1, n));
  }
  return holds(stream, x, always(3));
}

ws::result<bool> every_device(const ws::Stream&) {
  WARPSAFE_TRY(const int devices, ws::device_count());
  int right = 0;
  for (int device = 0; device < devices; ++device) {
    WARPSAFE_TRY(const auto current, ws::DeviceGuard::create(ws::DeviceId(device)));
    WARPSAFE_TRY(const auto stream, ws::Stream::create());
    WARPSAFE_TRY(auto x, zeros(stream));
    WARPSAFE_TRYV(add_to(stream, x, device));
    WARPSAFE_TRY(const bool here, holds(stream, x, always(device)));
    right += here ? 1 : 0;
  }
  return right == devices && devices > 0;
}

ws::result<bool> copy_between_devices(const ws::Stream& stream) {
  WARPSAFE_TRY(const int devices, ws::device_count());
  const ws::DeviceId last(devices - 1);
  WARPSAFE_TRY(auto x, ws::DeviceBuffer<int>::from(stream, counting<int>(n)));
  WARPSAFE_TRYV(stream.synchronize());
  WARPSAFE_TRY(const auto current, ws::DeviceGuard::create(last));
  WARPSAFE_TRY(const auto there, ws::Stream::create());
  WARPSAFE_TRY(auto y, ws::DeviceBuffer<int>::create(there, n));
  WARPSAFE_TRYV(ws::copy(there, ws::from(x.view()), ws::to(y.view())));
  return holds(there, y, [](std::size_t i) { return static_cast<int>(i); });
}

// Three buffers in flight on three streams, each for several batches.
ws::result<bool> pipeline_of_batches(const ws::Stream& stream) {
  std::vector<ws::Stream> streams;
  std::vector<ws::DeviceBuffer<int>> buffers;
  for (int i = 0; i < 3; ++i) {
    WARPSAFE_TRY(auto one, ws::Stream::create());
    WARPSAFE_TRY(auto buffer, ws::DeviceBuffer<int>::create(one, n));
    streams.push_back(std::move(one));
    buffers.push_back(std::move(buffer));
  }
  WARPSAFE_TRYV(stream.synchronize());
  int total = 0;
  for (int batch = 0; batch < 7; ++batch) {
    const auto slot = static_cast<std::size_t>(batch) % 3;
    WARPSAFE_TRYV(ws::copy_and_wait(streams[slot], ws::from(std::vector<int>(n, batch)),
                                    ws::to(buffers[slot])));
    WARPSAFE_TRYV(add_to(streams[slot], buffers[slot], 1));
    WARPSAFE_TRY(const auto values, buffers[slot].to_host(streams[slot]).get());
    total += values[n / 2];
  }
  return total == 28;
}

// A class that owns its stream and its memory, and whose functions return results.
class Solver {
 public:
  static ws::result<Solver> create(std::size_t size) {
    WARPSAFE_TRY(auto stream, ws::Stream::create());
    WARPSAFE_TRY(auto state, ws::DeviceBuffer<int>::create(stream, size));
    WARPSAFE_TRYV(state.zero(stream));
    return Solver(std::move(stream), std::move(state));
  }
  ws::result<void> steps(int count) {
    for (int i = 0; i < count; ++i) WARPSAFE_TRYV(add_to(stream_, state_, 1));
    return ws::success();
  }
  [[nodiscard]] ws::result<std::vector<int>> state() const { return state_.to_host(stream_).get(); }

 private:
  Solver(ws::Stream stream, ws::DeviceBuffer<int> state)
      : stream_(std::move(stream)), state_(std::move(state)) {}
  ws::Stream stream_;
  ws::DeviceBuffer<int> state_;
};
ws::result<bool> class_that_owns_stream_and_memory(const ws::Stream&) {
  WARPSAFE_TRY(auto solver, Solver::create(n));
  WARPSAFE_TRYV(solver.steps(6));
  WARPSAFE_TRY(const auto state, solver.state());
  return state == std::vector<int>(n, 6);
}

ws::result<bool> errors_as_exceptions(const ws::Stream& stream) {
  auto x = ws::DeviceBuffer<int>::from(stream, std::vector<int>(n, 1)).value();
  add_to(stream, x, 1).value();
  return x.to_host(stream).get().value() == std::vector<int>(n, 2);
}

ws::result<bool> an_error_that_is_handled(const ws::Stream& stream) {
  WARPSAFE_TRY(auto x, zeros(stream));
  auto block = ws::BlockDim::create(64, 64);
  if (!block.has_value() && block.error().code == ws::Errc::block_too_large) {
    block = ws::BlockDim::create(256);
  }
  WARPSAFE_TRY(const auto chosen, block);
  WARPSAFE_TRYV(
      ws::launch(stream, ws::SafeGrid<>::cover(n, chosen), ws::kernel<add>, x.view(), 9, n));
  return holds(stream, x, always(9));
}

ws::result<bool> memory_that_is_free(const ws::Stream& stream) {
  WARPSAFE_TRY(const auto before, ws::memory_info(stream.device()));
  WARPSAFE_TRY(auto x, zeros(stream));
  WARPSAFE_TRYV(stream.synchronize());
  return before.total >= before.free && x.size() == n;
}

ws::result<bool> a_launch_with_its_callers_place(const ws::Stream& stream) {
  WARPSAFE_TRY(auto x, zeros(stream));
  WARPSAFE_TRYV(ws::launch({stream, {"app.cpp", "main", 41}},
                           ws::SafeGrid<>::cover(n, ws::block<128>), ws::kernel<add>, x.view(), 1,
                           n));
  return holds(stream, x, always(1));
}

// nvcc takes emplace(), which returns a reference, for a call that drops an object.
ws::result<bool> objects_made_in_place(const ws::Stream& stream) {
  std::optional<ws::DeviceBuffer<int>> x;
  x.emplace(zeros(stream).value());
  std::optional<ws::Event> zeroed;
  zeroed.emplace(stream.record().value());
  std::vector<ws::Stream> streams;
  streams.emplace_back(ws::Stream::create().value());
  WARPSAFE_TRYV(ws::wait(streams.back(), *zeroed));
  return holds(streams.back(), *x, always(0));
}

constexpr Program programs[] = {
    {"two_streams_joined_by_an_event", two_streams_joined_by_an_event},
    {"parts_on_several_streams", parts_on_several_streams},
    {"time_of_a_kernel", time_of_a_kernel},
    {"progress_of_a_stream", progress_of_a_stream},
    {"pinned_memory", pinned_memory},
    {"managed_memory", managed_memory},
    {"pitched_memory", pitched_memory},
    {"copies_of_parts", copies_of_parts},
    {"one_wait_for_two_results", one_wait_for_two_results},
    {"buffers_in_containers", buffers_in_containers},
    {"objects_made_in_place", objects_made_in_place},
    {"graph_that_is_replayed", graph_that_is_replayed},
    {"graph_with_new_arguments", graph_with_new_arguments},
    {"graph_of_two_streams", graph_of_two_streams},
    {"cooperative_launch", cooperative_launch},
    {"stream_and_launch_with_a_priority", stream_and_launch_with_a_priority},
    {"occupancy_of_a_kernel", occupancy_of_a_kernel},
    {"block_size_chosen_at_run_time", block_size_chosen_at_run_time},
    {"every_device", every_device},
    {"copy_between_devices", copy_between_devices},
    {"pipeline_of_batches", pipeline_of_batches},
    {"class_that_owns_stream_and_memory", class_that_owns_stream_and_memory},
    {"errors_as_exceptions", errors_as_exceptions},
    {"an_error_that_is_handled", an_error_that_is_handled},
    {"memory_that_is_free", memory_that_is_free},
    {"a_launch_with_its_callers_place", a_launch_with_its_callers_place},
};

}  // namespace

std::span<const Program> stream_programs() { return programs; }

}  // namespace right
