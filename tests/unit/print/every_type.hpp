// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// A variable of every public type that is a value, for tests of how they print: print_test.cpp uses
// operator<< and GoogleTest, tests/package/gdb the debugger. Define SHOW(variable) and stop_here()
// before you include this. Each function calls stop_here() once all its variables exist.

#include <warpsafe/args/align.hpp>
#include <warpsafe/args/trust.hpp>
#include <warpsafe/compare/comparison.hpp>
#include <warpsafe/core/limits_table.hpp>
#include <warpsafe/graph.hpp>
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/handles/library_scalar.hpp>
#include <warpsafe/handles/stream_bound.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/launch/kernel_report.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/managed_buffer.hpp>
#include <warpsafe/memory/memory_info.hpp>
#include <warpsafe/memory/pinned_buffer.hpp>
#include <warpsafe/memory/pitched_buffer.hpp>
#include <warpsafe/module.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/print/debug_records.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace shown {

/// A library whose handles are numbers in the heap.
struct Library {
  int number;
};

}  // namespace shown

template <>
struct warpsafe::handle_traits<shown::Library*> {
  using backend = host_backend;
  using native = shown::Library*;
  using status = int;
  using refused = Functions<>;
  static constexpr Name name = Name::of("library");
  static constexpr int inner_handles = 0;
  static status create(native& handle) noexcept {
    handle = new shown::Library{1};
    return 0;
  }
  static status destroy(native handle) noexcept {
    delete handle;
    return 0;
  }
  static status set_stream(native, host_backend::native_stream) noexcept { return 0; }
  static Name status_name(status) noexcept { return {}; }
  static Name status_text(status) noexcept { return {}; }
};

namespace shown {

namespace ws = warpsafe;

WARPSAFE_KERNEL void scale(float a, float* x, std::size_t n) {
  for (auto i : ws::grid_stride(n)) x[i] *= a;
}

inline ws::result<void> sizes() {
  const auto static_block = ws::block<32, 8>;
  WARPSAFE_TRY(const auto run_time_block, ws::BlockDim::create(64, 2));
  WARPSAFE_TRY(const auto run_time_grid, ws::GridDim::from_blocks(7));
  const auto static_cluster = ws::cluster<2>;
  WARPSAFE_TRY(const auto grid, ws::SafeGrid<>::cover(1000, ws::block<256>));
  WARPSAFE_TRY(const auto flat,
               ws::SafeGrid<>::cover(ws::extent{ws::rows{30}, ws::cols{70}}, ws::block<32, 8>));
  WARPSAFE_TRY(const auto block_each,
               ws::SafeGrid<>::cover(30, ws::block<32, 8>, ws::block_per_item));
  const ws::extent sizes_of_two{ws::rows{30}, ws::cols{70}};
  const ws::x along_x{3};
  const ws::y along_y{4};
  const ws::z along_z{5};
  const ws::rows some_rows{30};
  const ws::cols negative_cols{-70};
  const ws::Index3 index{1, 2, 3};
  const ws::LaunchConfig config{grid, ws::shared<float>(16)};
  const ws::LaunchConfig by_hand{ws::grid<7>, run_time_block};
  const auto some_shared = ws::shared<float>(16);
  const auto negative_shared = ws::shared<float>(-16);
  const ws::priority urgent(-1);
  const ws::cooperative_t together = ws::cooperative;
  const ws::dependent_launch_t early = ws::dependent_launch;
  const auto large_cluster = ws::non_portable_cluster<16>;
  const ws::LaunchShape shape =
      ws::LaunchConfig{grid, ws::cluster<2>, urgent, ws::cooperative}.shape();
  const ws::Bytes bytes(4096);
  const ws::DeviceId device(0);
  const ws::Name name = ws::Name::of("scale");
  const auto site = ws::call_site::current();
  const ws::call_site no_site{};
  const auto made = ws::BlockDim::create(64);
  const ws::result<void> fine = ws::success();
  const ws::LaunchException exception(ws::BlockDim::create(64, 64).error());
  const ws::answer<bool> answered = true;
  const auto kernel = ws::kernel<scale>;
  const ws::KernelNeeds needs =
      ws::kernel<scale, ws::max_threads<256>, ws::block_multiple_of<32>, ws::portable>.needs;
  const ws::KernelNeeds no_needs{};
  const ws::KernelEntry entry = kernel.entry();
  const ws::ParameterInfo parameter = entry.parameters[1];
  const ws::ParameterInfo number = entry.parameters[2];
  WARPSAFE_TRY(const auto limits, ws::device_limits(device));
  const ws::DeviceLimits floored = ws::limits::amd_floor;
  const ws::KernelLimits not_asked{};
  ws::KernelLimits asked{};
  asked.known = true;
  asked.registers = 32;
  asked.max_dynamic_shared = 49152;
  const ws::Occupancy occupancy{ws::Name::of("scale"),      256, 64, 8, 64, 64, 32, 100,
                                ws::OccupancyLimit::threads};
  const ws::Occupancy nothing_fits{};
  const ws::MemoryInfo memory{100, 10, 20};
  const ws::Errc code = ws::Errc::block_too_large;
  const ws::Errc no_code{};
  const ws::Subcode subcode = ws::Subcode::in_module;
  const ws::Severity severity = ws::Severity::context_lost;
  const ws::Stage stage = ws::Stage::validation;
  const ws::Axis axis = ws::Axis::none;
  const ws::Vendor vendor = ws::Vendor::nvidia;
  const ws::CheckLevel level = ws::CheckLevel::full;
  const ws::GridPolicy policy = ws::GridPolicy::strided;
  const ws::Provenance provenance = ws::Provenance::host;
  const ws::OccupancyLimit limit = ws::OccupancyLimit::registers;
  const ws::Progress progress = ws::Progress::ready;
  const ws::ElementType element = ws::ElementType::boolean;
  const ws::Tolerance tolerance = ws::tolerance_for<float>;
  ws::Comparison agreeing;
  agreeing.type = ws::ElementType::float32;
  agreeing.count = 10;
  agreeing.first_mismatch = 10;
  ws::Comparison differing = agreeing;
  differing.tolerance = {.absolute = 1e-5, .relative = 1.3e-6, .nan_agrees = false};
  differing.mismatches = 2;
  differing.first_mismatch = 3;
  differing.absolute = {0.25, 3};
  differing.relative = {0.125, 4};
  differing.nan.actual_only = 1;
  differing.neighbourhood = "\n  [3] 1.25\n      1";
  SHOW(static_block);
  SHOW(run_time_block);
  SHOW(run_time_grid);
  SHOW(static_cluster);
  SHOW(grid);
  SHOW(flat);
  SHOW(block_each);
  SHOW(sizes_of_two);
  SHOW(along_x);
  SHOW(along_y);
  SHOW(along_z);
  SHOW(some_rows);
  SHOW(negative_cols);
  SHOW(index);
  SHOW(config);
  SHOW(by_hand);
  SHOW(some_shared);
  SHOW(negative_shared);
  SHOW(urgent);
  SHOW(together);
  SHOW(early);
  SHOW(large_cluster);
  SHOW(shape);
  SHOW(bytes);
  SHOW(device);
  SHOW(name);
  SHOW(site);
  SHOW(no_site);
  SHOW(made);
  SHOW(fine);
  SHOW(exception);
  SHOW(answered);
  SHOW(kernel);
  SHOW(needs);
  SHOW(no_needs);
  SHOW(entry);
  SHOW(parameter);
  SHOW(number);
  SHOW(limits);
  SHOW(floored);
  SHOW(not_asked);
  SHOW(asked);
  SHOW(occupancy);
  SHOW(nothing_fits);
  SHOW(memory);
  SHOW(code);
  SHOW(no_code);
  SHOW(subcode);
  SHOW(severity);
  SHOW(stage);
  SHOW(axis);
  SHOW(vendor);
  SHOW(level);
  SHOW(policy);
  SHOW(provenance);
  SHOW(limit);
  SHOW(progress);
  SHOW(element);
  SHOW(tolerance);
  SHOW(agreeing);
  SHOW(differing);
  stop_here();
  return ws::success();
}

inline ws::result<void> memory() {
  // ManagedBuffer::create refuses a device that does not report that it can share managed memory.
  WARPSAFE_TRY(auto sharing, ws::device_limits(ws::DeviceId(0)));
  sharing.concurrent_managed_access = true;
  ws::host::set_limits(0, sharing);
  WARPSAFE_TRY(auto stream, ws::Stream::create());
  WARPSAFE_TRY(auto buffer, ws::DeviceBuffer<float>::create(stream, 1000));
  const auto view = buffer.view();
  const auto span = view.span();
  const auto pointer = view.pointer();
  const ws::device_ptr<float> null_pointer{};
  const auto trusted = ws::trust(pointer.get());
  const auto trusted_elements = ws::trust(pointer.get(), -3);
  WARPSAFE_TRY(const auto aligned, ws::align<16>(buffer.view()));
  const auto aligned_pointer = aligned.pointer();
  const auto hold = buffer.keep();
  const ws::MemoryHold no_hold;
  WARPSAFE_TRY(auto moved_buffer, ws::DeviceBuffer<float>::create(stream, 10));
  const auto next_buffer = std::move(moved_buffer);
  WARPSAFE_TRY(auto pitched,
               ws::PitchedBuffer<float>::create(stream, ws::extent{ws::rows{3}, ws::cols{100}}));
  const auto pitched_view = pitched.view();
  const auto window =
      pitched_view
          .window(ws::extent{ws::rows{1}, ws::cols{2}}, ws::extent{ws::rows{1}, ws::cols{5}})
          .value();
  const auto pitched_span = pitched_view.span();
  WARPSAFE_TRY(auto moved_pitched,
               ws::PitchedBuffer<float>::create(stream, ws::extent{ws::rows{3}, ws::cols{100}}));
  const auto next_pitched = std::move(moved_pitched);
  WARPSAFE_TRY(const auto managed, ws::ManagedBuffer<double>::create(stream, 20));
  WARPSAFE_TRY(auto moved_managed, ws::ManagedBuffer<double>::create(stream, 20));
  WARPSAFE_TRY(const auto host_managed, std::move(moved_managed).to_host(stream).get());
  WARPSAFE_TRY(const auto pinned, ws::PinnedBuffer<int>::create(7));
  auto pending = buffer.to_host(stream);
  auto taken = buffer.to_host(stream);
  WARPSAFE_TRYV(std::move(taken).get());
  const auto scalar = ws::host_scalar(2.5F);
  const auto device_scalar = ws::device_scalar(view.pointer());
  const ws::MemoryKind kind = ws::MemoryKind::pinned;
  const ws::CopyKind direction = ws::CopyKind::host_to_device;
  SHOW(buffer);
  SHOW(view);
  SHOW(span);
  SHOW(pointer);
  SHOW(null_pointer);
  SHOW(trusted);
  SHOW(trusted_elements);
  SHOW(aligned);
  SHOW(aligned_pointer);
  SHOW(hold);
  SHOW(no_hold);
  SHOW(moved_buffer);  // NOLINT(bugprone-use-after-move): that is what is shown
  SHOW(next_buffer);
  SHOW(pitched);
  SHOW(pitched_view);
  SHOW(window);
  SHOW(pitched_span);
  SHOW(moved_pitched);  // NOLINT(bugprone-use-after-move)
  SHOW(next_pitched);
  SHOW(managed);
  SHOW(moved_managed);  // NOLINT(bugprone-use-after-move)
  SHOW(host_managed);
  SHOW(pinned);
  SHOW(pending);
  SHOW(taken);  // NOLINT(bugprone-use-after-move)
  SHOW(scalar);
  SHOW(device_scalar);
  SHOW(kind);
  SHOW(direction);
  stop_here();
  WARPSAFE_TRYV(std::move(pending).get());
  return ws::success();
}

inline ws::result<void> streams() {
  const ws::host::NamedKernel table[] = {ws::host::named<scale>("scale")};
  WARPSAFE_TRY(auto module, ws::Module::load(table));
  WARPSAFE_TRY(const auto module_kernel, module.kernel<void(float, float*, std::size_t)>("scale"));
  WARPSAFE_TRY(auto closed_module, ws::Module::load(table));
  WARPSAFE_TRYV(closed_module.close());
  WARPSAFE_TRY(auto stream, ws::Stream::create());
  const ws::StreamRef reference = stream;
  const ws::basic_stream_hold<ws::host_backend> hold = stream;
  WARPSAFE_TRY(const auto event, stream.record());
  WARPSAFE_TRY(auto moved_from, ws::Stream::create());
  const auto moved_to = std::move(moved_from);
  WARPSAFE_TRY(auto capture, ws::Capture::begin(stream));
  WARPSAFE_TRY(auto ended_capture, ws::Capture::begin(moved_to));
  WARPSAFE_TRY(auto graph, std::move(ended_capture).end());
  WARPSAFE_TRY(auto executable, graph.instantiate());
  WARPSAFE_TRY(auto closed_executable, graph.instantiate());
  WARPSAFE_TRYV(closed_executable.close());
  auto moved_graph = std::move(graph);
  WARPSAFE_TRY(const auto bound, ws::StreamBound<Library*>::create(moved_to));
  const ws::CaptureMode mode = ws::CaptureMode::relaxed;
  const ws::CaptureState state = ws::CaptureState::broken;
  const ws::CaptureInfo info{ws::CaptureState::active, 1};
  const ws::GraphChange change = ws::GraphChange::topology;
  SHOW(stream);
  SHOW(reference);
  SHOW(hold);
  SHOW(event);
  SHOW(moved_from);  // NOLINT(bugprone-use-after-move)
  SHOW(moved_to);
  SHOW(capture);
  SHOW(ended_capture);  // NOLINT(bugprone-use-after-move)
  SHOW(graph);          // NOLINT(bugprone-use-after-move)
  SHOW(moved_graph);
  SHOW(executable);
  SHOW(closed_executable);
  SHOW(bound);
  SHOW(module);
  SHOW(module_kernel);
  SHOW(closed_module);
  SHOW(mode);
  SHOW(state);
  SHOW(info);
  SHOW(change);
  stop_here();
  return ws::success();
}

inline ws::result<void> debug_values() {
  namespace debug = ws::debug;
  ws::LaunchRecord record{};
  record.sequence = 12;
  record.kernel = ws::Name::of("scale");
  record.grid[0] = 4;
  record.block[0] = 256;
  record.stream = &record;
  record.state = ws::LaunchState::submitted;
  record.site = ws::call_site::current();
  ws::LaunchRecord asking = record;
  asking.options = 31;
  asking.priority = -1;
  asking.cluster[0] = 16;
  asking.cluster[1] = asking.cluster[2] = 1;
  const ws::MemoryAccess access{0x1000, 64, ws::AccessKind::write};
  const ws::MemoryAccess in_rows{0x1000, 64, ws::AccessKind::read, 3, 256};
  const ws::MemoryAccess everything{0x1000, ws::MemoryAccess::whole_allocation,
                                    ws::AccessKind::read};
  const ws::WaitRecord wait{ws::Name::of("stream synchronize"),
                            &record,
                            0,
                            ws::Vendor::host,
                            0,
                            100,
                            1300,
                            ws::call_site{}};
  const debug::Finding finding = debug::finding_of(debug::Mistake::failure, "It failed\n");
  debug::RaceReport clean;
  clean.seeds_run = 10;
  debug::RaceReport report = clean;
  report.seed = 3;
  report.findings = {finding, finding};
  report.timeline_text = "  first\n  second\n";
  const debug::LogLevel log = debug::LogLevel::warn;
  const ws::LaunchState launch_state = ws::LaunchState::refused;
  const ws::LaunchOption launch_option = ws::LaunchOption::cooperative;
  const ws::LaunchVerdict launch_verdict = ws::LaunchVerdict::done;
  const ws::AccessKind access_kind = ws::AccessKind::release;
  const debug::ActionKind action = debug::ActionKind::host_read;
  const debug::Mistake mistake = debug::Mistake::use_after_release;
  SHOW(record);
  SHOW(asking);
  SHOW(access);
  SHOW(in_rows);
  SHOW(everything);
  SHOW(wait);
  SHOW(finding);
  SHOW(clean);
  SHOW(report);
  SHOW(log);
  SHOW(launch_state);
  SHOW(launch_option);
  SHOW(launch_verdict);
  SHOW(access_kind);
  SHOW(action);
  SHOW(mistake);
  stop_here();
  return ws::success();
}

/// All of them, in order. Returns an error if one cannot be made.
inline ws::result<void> every_type() {
  WARPSAFE_TRYV(sizes());
  WARPSAFE_TRYV(memory());
  WARPSAFE_TRYV(streams());
  return debug_values();
}

}  // namespace shown
