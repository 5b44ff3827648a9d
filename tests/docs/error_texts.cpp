// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Causes each error and prints its code and text, which docs/reference/errors.md shows exactly.
// Replaces text that differs from run to run: the stream's address, and the line in this file.

#include <warpsafe/args/align.hpp>
#include <warpsafe/debug.hpp>
#include <warpsafe/device_check.hpp>
#include <warpsafe/error/message.hpp>
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/kernel/reference.hpp>
#include <warpsafe/launch/check.hpp>
#include <warpsafe/launch/occupancy.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/copy.hpp>
#include <warpsafe/module.hpp>
#include <warpsafe/stream/event.hpp>
#include <warpsafe/warpsafe.hpp>

#include <sched.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <regex>
#include <thread>
#include <utility>
#include <vector>

namespace ws = warpsafe;
using ws::Errc;

WARPSAFE_KERNEL void fill(float* values, std::size_t n) {
  for (auto i : ws::grid_stride(n)) values[i] = 1;
}
WARPSAFE_KERNEL void sum(float* values) { values[0] += ws::dynamic_shared<float>()[0]; }
WARPSAFE_KERNEL void hold(const int* go) {
  while (__atomic_load_n(go, __ATOMIC_ACQUIRE) == 0) sched_yield();
}
// This error's text contains the place of the barrier.
#line 7 "main.cpp"
WARPSAFE_KERNEL void diverge(float* values) {
  if (ws::thread_in_block().x < 32) ws::sync_block();
  values[ws::thread_in_block().x] = 1;
}
WARPSAFE_KERNEL void fill_checked(float* values, std::size_t n) {
  WARPSAFE_DEVICE_CHECK(ws::thread_index().x < n, "inside of the array");
  values[ws::thread_index().x] = 1;
}

namespace {

void print(const char* name, Errc code, ws::LaunchError error) {
  if (error.code != code) {
    std::cerr << name << ": another error came: " << error << '\n';
    std::exit(1);
  }
  if (error.site.file != nullptr) error.site = {"main.cpp", "main", 41};
  if (error.stream != nullptr) error.stream = reinterpret_cast<const void*>(0x55d0c8);
  // A suspect's stream and line, which the error itself does not contain.
  static const std::regex suspect("\n    (#.*), stream 0x[0-9a-f]+, at main.cpp:[0-9]+");
  std::cout << "### " << name << '\n'
            << std::regex_replace(ws::message(error), suspect,
                                  "\n    $1, stream 0x55d0c8, at main.cpp:40")
            << '\n';
}
template <class T>
void print(const char* name, Errc code, const ws::result<T>& outcome) {
  if (outcome.has_value()) {
    std::cerr << name << ": no error came\n";
    std::exit(1);
  }
  print(name, code, outcome.error());
}
// Errors that only a real GPU's runtime returns, with the runtime's own text.
ws::LaunchError cuda_error(Errc code, ws::Stage stage, int raw, const char* name,
                           const char* text) {
  ws::LaunchError error = ws::LaunchError::make(code, stage);
  error.vendor = ws::Vendor::nvidia;
  error.raw = raw;
  error.raw_name = ws::Name::of(name);
  error.raw_text = ws::Name::of(text);
  return error;
}

#define PRINT(code, ...) print(#code, Errc::code, __VA_ARGS__)

void print_rows() {
#define WARPSAFE_ERROR(number, name, meaning, reason)                                              \
  std::cout << "ROW " #name " " << static_cast<int>(Errc::name) << ' ' << ws::describe(Errc::name) \
            << '\n';
#include <warpsafe/error/detail/launch_rows.hpp>
#include <warpsafe/error/detail/runtime_rows.hpp>
#undef WARPSAFE_ERROR
}

void print_sizes(ws::StreamRef stream) {
  constexpr auto block = ws::block<256>;
  using Grid = ws::SafeGrid<>;
  PRINT(size_zero, Grid::cover(0, block, ws::kernel<fill>));
  PRINT(size_negative, Grid::cover(-1000, block, ws::kernel<fill>));
  PRINT(size_overflow,
        Grid::cover(ws::extent{ws::rows{1ULL << 40U}, ws::cols{1ULL << 40U}}, ws::block<16, 16>));
  PRINT(bytes_overflow, ws::DeviceBuffer<double>::create(stream, 1ULL << 62U));
  auto buffer = ws::DeviceBuffer<float>::create(stream, 1000).value();
  PRINT(size_mismatch, ws::copy_and_wait(stream, ws::from(std::vector<float>(3)), ws::to(buffer)));
  PRINT(size_not_multiple, Grid::cover_exact(1000, block, ws::kernel<fill>));
  PRINT(grid_zero, ws::GridDim::from_blocks(0));
  PRINT(grid_too_large, ws::GridDim::from_blocks(1, 70000));
  PRINT(block_zero, ws::BlockDim::create(0));
  PRINT(block_too_large, ws::BlockDim::create(64, 64));
  PRINT(dimension_negative, ws::BlockDim::create(-32));
  PRINT(axis_threads_too_many,
        ws::SafeGrid<ws::hip_backend>::cover(1ULL << 32U, block, ws::kernel<fill>));
}

void print_kernels(ws::StreamRef stream) {
  auto values = ws::DeviceBuffer<float>::create(stream, 1000).value();
  const auto grid = ws::grid<4>;
  const auto launch = [&](auto kernel, const auto&... parts) {
    return ws::launch(stream, ws::configure(parts...), kernel, values.view(), values.size());
  };
  PRINT(block_axis_too_large, launch(ws::kernel<fill>, grid, ws::BlockDim::create(1, 1, 128)));
  PRINT(index_overflow, launch(ws::kernel<fill, ws::index<int>>,
                               ws::SafeGrid<>::cover(1ULL << 32U, ws::block<256>)));
  PRINT(kernel_threads_exceeded,
        launch(ws::kernel<fill, ws::max_threads<256>>, grid, ws::BlockDim::create(512)));
  PRINT(block_not_multiple,
        launch(ws::kernel<fill, ws::block_multiple_of<32>>, grid, ws::BlockDim::create(100)));
  PRINT(warp_size_mismatch, launch(ws::kernel<fill, ws::requires_warp<64>>, grid, ws::block<256>));
  PRINT(argument_negative, ws::launch(stream, ws::LaunchConfig{grid, ws::block<256>},
                                      ws::kernel<fill>, values.view(), -1));
  std::vector<float> on_host(1000);
  PRINT(argument_host_pointer,
        ws::launch(stream, ws::LaunchConfig{grid, ws::block<256>}, ws::kernel<fill>,
                   ws::trust(on_host.data()), on_host.size()));
  auto none = ws::DeviceBuffer<float>::create(stream, 0).value();
  PRINT(argument_empty, ws::launch(stream, ws::LaunchConfig{grid, ws::block<256>}, ws::kernel<fill>,
                                   none.view(), 1000));
  PRINT(part_outside, values.view().subspan(900, 200));
  PRINT(copy_overlaps, ws::copy(stream, ws::from(values.view().subspan(0, 100).value()),
                                ws::to(values.view().subspan(10, 100).value())));
  auto closed = ws::DeviceBuffer<float>::create(stream, 10).value();
  static_cast<void>(closed.close());
  PRINT(memory_closed, closed.zero(stream));
  PRINT(argument_misaligned, ws::align<16>(values.view().subspan(1, 4).value()));
  PRINT(cluster_unsupported, launch(ws::kernel<fill>, grid, ws::block<256>, ws::cluster<2>));
  PRINT(cluster_not_divisor,
        launch(ws::kernel<fill>, ws::GridDim::from_blocks(3), ws::block<256>, ws::cluster<2>));
  PRINT(cooperative_too_large,
        launch(ws::kernel<fill>, ws::grid<1000>, ws::block<256>, ws::cooperative));
}

void print_shared(ws::StreamRef stream) {
  auto values = ws::DeviceBuffer<float>::create(stream, 1000).value();
  const auto launch = [&](auto kernel, const auto& shared) {
    return ws::launch(stream, ws::configure(ws::grid<4>, ws::block<256>, shared), kernel,
                      values.view());
  };
  PRINT(shared_negative, launch(ws::kernel<sum>, ws::shared<float>(-1)));
  PRINT(shared_overflow, launch(ws::kernel<sum>, ws::shared<float>(1ULL << 62U)));
  PRINT(shared_too_large, launch(ws::kernel<sum>, ws::shared<float>(100000)));
  PRINT(shared_missing,
        launch(ws::kernel<sum, ws::needs_shared<float, 256>>, ws::shared<float>(16)));
}

void print_runtime(ws::StreamRef stream) {
  auto values = ws::DeviceBuffer<float>::create(stream, 1000).value();
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
  const auto launch = [&] {
    return ws::launch(stream, config, ws::kernel<fill>, values.view(), values.size());
  };
  using Native = ws::default_backend::native_stream;
  PRINT(stream_null, ws::StreamRef::borrow(Native{}, ws::DeviceId(0)));
  PRINT(priority_range, ws::Stream::create(ws::priority(5)));
  PRINT(device_invalid, ws::DeviceGuard::create(ws::DeviceId(7)));
  PRINT(out_of_memory, ws::DeviceBuffer<double>::create(stream, 1ULL << 46U).error());
  auto pending = values.to_host(stream);
  static_cast<void>(std::move(pending).get().value());
  PRINT(pending_taken, std::move(pending).get());
  ws::host::fail_next(ws::host::call_of<&ws::host_backend::launch>, 1,
                      ws::host::HostStatus::unknown);
  PRINT(launch_refused, launch());
  ws::host::fail_next(ws::host::call_of<&ws::host_backend::launch>, 1,
                      ws::host::HostStatus::invalid_device_function);
  PRINT(not_a_kernel, launch());
  ws::host::fail_next(ws::host::call_of<&ws::host_backend::stream_create>, 1,
                      ws::host::HostStatus::not_supported);
  PRINT(unsupported, ws::Stream::create());
  ws::host::fail_next(ws::host::call_of<&ws::host_backend::stream_create>, 1,
                      ws::host::HostStatus::unknown);
  PRINT(runtime_failed, ws::Stream::create());
}

void print_modules() {
  const ws::host::NamedKernel table[] = {ws::host::named<fill>("fill"),
                                         ws::host::named<sum>("sum")};
  const auto module = ws::Module::load(table).value();
  using Fill = void(float*, std::size_t);
  PRINT(module_unreadable, ws::Module::load_file("kernels.cubin"));
  PRINT(module_invalid, ws::Module::load(std::vector<ws::host::NamedKernel>{}));
  PRINT(kernel_not_found, module.kernel<Fill>("fil"));
  PRINT(signature_mismatch, module.kernel<void(float*, int)>("fill"));
  auto closed = ws::Module::load(table).value();
  static_cast<void>(closed.close().has_value());
  PRINT(module_moved, closed.kernel<Fill>("fill"));
}

// Only HIP's modules belong to one device.
void print_module_of_a_device() {
  ws::LaunchError error = ws::LaunchError::make(Errc::module_wrong_device, ws::Stage::validation, 1,
                                                0, ws::Axis::none, {"main.cpp", "main", 41});
  error.kernel = ws::Name::of("fill");
  error.grid[0] = 4;
  error.grid[1] = error.grid[2] = error.block[1] = error.block[2] = 1;
  error.block[0] = 256;
  PRINT(module_wrong_device, error);
}

void print_captures(ws::StreamRef stream) {
  auto values = ws::DeviceBuffer<float>::create(stream, 1000).value();
  const ws::LaunchConfig config{ws::grid<4>, ws::block<256>};
  const auto fill_on = [&](ws::StreamRef on) {
    return ws::launch(on, config, ws::kernel<fill>, values.view(), values.size());
  };
  const auto other = ws::Stream::create().value();
  const ws::Event outside = other.record().value();
  ws::Event from = other.record().value();
  const ws::Event moved = std::move(from);
  PRINT(event_moved, from.synchronize());  // NOLINT(bugprone-use-after-move): on purpose
  const ws::TimedEvent begin = stream.record_timed().value();
  static_cast<void>(begin.synchronize());
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ws::LaunchError reversed = ws::elapsed_ms(stream.record_timed().value(), begin).error();
  reversed.value = 1250;
  PRINT(events_reversed, reversed);
  auto capture = ws::Capture::begin(stream).value();
  PRINT(stream_capturing, stream.synchronize());
  const ws::Event inside = stream.record().value();
  PRINT(captured_event, inside.synchronize());
  PRINT(capture_isolation, ws::wait(stream, outside));
  PRINT(capture_broken, std::move(capture).end());

  auto from_graph =
      ws::capture(other, [](ws::Capture&) { return ws::result<void>(ws::success()); });
  const ws::Graph moved_graph = std::move(from_graph.value());
  PRINT(graph_moved, from_graph.value().keep(values.keep()));

  capture = ws::Capture::begin(stream).value();
  {
    auto second = ws::Capture::begin(other).value();
    PRINT(capture_merged, ws::wait(other, stream.record().value()));
  }
  static_cast<void>(std::move(capture).end());
  capture = ws::Capture::begin(stream).value();
  static_cast<void>(ws::wait(other, stream.record().value()));
  static_cast<void>(fill_on(other));
  PRINT(capture_unjoined, std::move(capture).end());
  PRINT(capture_unmatched, std::move(capture).end());

  capture = ws::Capture::begin(stream).value();
  std::thread([&] { PRINT(capture_wrong_thread, std::move(capture).end()); }).join();

  const auto fill_times = [&](int times) {
    return ws::capture(stream, [&](ws::Capture&) -> ws::result<void> {
      for (int i = 0; i < times; ++i) {
        WARPSAFE_TRYV(fill_on(stream));
      }
      return ws::success();
    });
  };
  auto exec = fill_times(1).value().instantiate().value();
  PRINT(graph_update_refused, exec.update(fill_times(2).value()));
  static_cast<void>(values.close());
  ws::LaunchError freed = exec.launch(stream).error();
  freed.value = 0x7f1c40000000;
  PRINT(graph_memory_freed, freed);
}

// One device, the same on every machine.
ws::DeviceLimits fixed_device() {
  ws::host::reset();
  ws::DeviceLimits limits = ws::limits::cuda_floor;
  limits.vendor = ws::Vendor::host;
  limits.name = ws::Name::of("CPU");
  limits.floored = false;
  limits.multiprocessors = 2;
  limits.max_threads_per_multiprocessor = 1024;
  limits.max_blocks_per_multiprocessor = 16;
  limits.shared_per_multiprocessor = 65536;
  limits.cooperative_launch = true;
  ws::host::set_limits(0, limits);
  ws::host::set_memory(0, std::size_t{16} << 30U);
  return limits;
}

// Devices with other limits than the modelled one's defaults.
void print_devices(ws::DeviceLimits limits) {
  ws::host::set_device_count(2);
  limits.cooperative_launch = false;
  limits.max_cluster_blocks = 8;
  limits.max_cluster_blocks_optin = 8;
  limits.shared_per_block_optin = 65536;
  ws::host::set_limits(1, limits);
  const auto stream = ws::Stream::create(ws::DeviceId(1)).value();
  auto values = ws::DeviceBuffer<float>::create(stream, 1000).value();
  const auto launch = [&](const auto&... parts) {
    return ws::launch(stream, ws::configure(ws::grid<16>, ws::block<256>, parts...),
                      ws::kernel<fill>, values.view(), values.size());
  };
  PRINT(stream_wrong_device, launch());
  const auto guard = ws::DeviceGuard::create(ws::DeviceId(1));
  PRINT(cooperative_unsupported, launch(ws::cooperative));
  {
    const auto here = ws::Stream::create(ws::DeviceId(0)).value();
    auto near = ws::DeviceBuffer<float>::create(here, 1000).value();
    PRINT(memory_wrong_device, ws::launch(stream, ws::LaunchConfig{ws::grid<16>, ws::block<256>},
                                          ws::kernel<fill>, near.view(), near.size()));
    std::thread([] { PRINT(device_not_chosen, ws::Stream::create()); }).join();
    constexpr auto strided = ws::kernel<fill, ws::grid_stride_kernel>;
    const auto most = ws::max_resident_blocks(here, strided, ws::block<256>).value();
    PRINT(occupancy_mismatch,
          ws::launch(stream, ws::SafeGrid<>::grid_stride(1000, ws::block<256>, most), strided,
                     values.view(), values.size()));
  }
  PRINT(cluster_too_large, launch(ws::non_portable_cluster<16>));
  PRINT(shared_not_opted_in, ws::check(ws::kernel<sum>, 4, 256, 60000, stream.native()));
}

// Errors that only a real GPU's runtime returns, with CUDA 13's text.
void print_cuda() {
  ws::LaunchError image =
      cuda_error(Errc::no_kernel_image, ws::Stage::launch, 209, "cudaErrorNoKernelImageForDevice",
                 "no kernel image is available for execution on the device");
  image.kernel = ws::Name::of("fill");
  image.grid[0] = 4;
  image.grid[1] = image.grid[2] = image.block[1] = image.block[2] = 1;
  image.block[0] = 256;
  PRINT(no_kernel_image, image);
  ws::LaunchError failed = cuda_error(Errc::library_failed, ws::Stage::runtime_call, 7,
                                      "CUBLAS_STATUS_INVALID_VALUE", "an invalid value was given");
  failed.operation = ws::Name::of("cublasSgemm");
  PRINT(library_failed, failed);
  for (const auto& [name, code] :
       {std::pair{"handle_stream_changed", Errc::handle_stream_changed},
        std::pair{"handle_pointer_mode", Errc::handle_pointer_mode},
        std::pair{"handle_busy", Errc::handle_busy}, std::pair{"handle_moved", Errc::handle_moved},
        std::pair{"handle_owned", Errc::handle_owned}}) {
    ws::LaunchError handle = ws::LaunchError::make(code, ws::Stage::validation);
    handle.operation = ws::Name::of("cublasSgemm");
    print(name, code, handle);
  }
  ws::LaunchError partly =
      ws::LaunchError::make(Errc::handle_partly_bound, ws::Stage::validation, 2, 2);
  partly.operation = ws::Name::of("solver set stream");
  PRINT(handle_partly_bound, partly);
}

void print_hanging() {
  const auto stream = ws::Stream::create().value();
  // `from` waits: a fill that came late would undo the store below.
  auto go = ws::DeviceBuffer<int>::from(stream, std::vector<int>{0}).value();
  int* const flag = go.view().pointer().get();
  ws::debug::set_timeout(50, true);
  static_cast<void>(
      ws::launch(stream, ws::LaunchConfig{ws::grid<1>, ws::block<1>}, ws::kernel<hold>, go.view()));
  PRINT(wait_timed_out, stream.synchronize());
  ws::debug::clear_timeout();
  __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
}

/// A kernel that differs from its reference, which runs beside it.
void fill_host(float* values, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) values[i] = i < 990 ? 1 : 2;
}
void print_shadowed(const ws::Stream& stream) {
  static const ws::debug::LogSink nowhere{
      [](void*, ws::debug::LogLevel, const char*, std::size_t) noexcept {}, nullptr};
  ws::debug::set_log_sink(&nowhere);  // the log contains the numbers around the first mismatch
  ws::debug::set_shadow("fill");
  auto values = ws::DeviceBuffer<float>::create(stream, 1000).value();
  PRINT(reference_differs,
        ws::launch(stream, ws::LaunchConfig{ws::grid<4>, ws::block<256>},
                   ws::kernel<fill, ws::reference<fill_host>>, values.view(), values.size()));
  ws::debug::set_shadow(nullptr);
  ws::debug::set_log_sink(nullptr);
}

}  // namespace

int main() {
  print_rows();
  static_cast<void>(fixed_device());
  {
    const auto stream = ws::Stream::create().value();
    print_sizes(stream);
    print_kernels(stream);
    print_shared(stream);
    print_runtime(stream);
    print_captures(stream);
    print_modules();
    print_module_of_a_device();

    auto values = ws::DeviceBuffer<float>::create(stream, 1000).value();
    const ws::LaunchConfig two_warps{ws::grid<1>, ws::block<64>};
    static_cast<void>(ws::launch(stream, two_warps, ws::kernel<diverge>, values.view()));
    PRINT(barrier_divergence, stream.synchronize());
    const ws::LaunchConfig one_block{ws::grid<1>, ws::block<64>};
    static_cast<void>(ws::launch(stream, one_block, ws::kernel<fill_checked>, values.view(), 40));
    PRINT(device_check_failed, stream.synchronize());
  }
  static_cast<void>(fixed_device());
  {
    const auto stream = ws::Stream::create().value();
    ws::host::fault_in_kernel(1, ws::host::HostStatus::illegal_address);
    auto values = ws::DeviceBuffer<float>::create(stream, 1000).value();
    static_cast<void>(ws::launch(stream, ws::LaunchConfig{ws::grid<4>, ws::block<256>},
                                 ws::kernel<fill>, values.view(), values.size()));
    PRINT(execution_failed, stream.synchronize());
    PRINT(pending_error, ws::launch(stream, ws::LaunchConfig{ws::grid<4>, ws::block<256>},
                                    ws::kernel<fill>, values.view(), values.size()));
  }
  print_devices(fixed_device());
  print_hanging();
  print_shadowed(ws::Stream::create().value());
  print_cuda();
  ws::host::set_device_count(0);
  PRINT(no_device, ws::Stream::create());
}
