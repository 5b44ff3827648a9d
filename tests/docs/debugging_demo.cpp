// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The program whose output debugging.md, hangs.md and log.md in docs/tools show: debugging_demo
// WHAT. It runs on the host backend, whose kernels fault on request.

#include <warpsafe/debug.hpp>
#include <warpsafe/error/message.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/launch/kernel_report.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/stream/event.hpp>
#include <warpsafe/warpsafe.hpp>

#include <sched.h>

#include <chrono>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

namespace ws = warpsafe;

// The kernel before the faulty one takes a moment, so that the fault comes after the last launch
// and before the wait, as on the page.
WARPSAFE_FN void take_a_moment() {
  if (ws::thread_index().x == 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

// clang-format off
#line 10 "demo.cpp"
WARPSAFE_KERNEL void dequantize() {}
WARPSAFE_KERNEL void matmul_f32() { take_a_moment(); }
WARPSAFE_KERNEL void softmax() {}
WARPSAFE_KERNEL void wait_for_peer(const int* arrived) {
  while (__atomic_load_n(arrived, __ATOMIC_ACQUIRE) == 0) sched_yield();
}

/// One layer of a model, on two streams; softmax reads out of bounds.
ws::result<void> run(ws::StreamRef compute, ws::StreamRef copies) {
  WARPSAFE_TRYV(ws::launch(copies, ws::LaunchConfig{ws::grid<140>, ws::block<64>}, ws::kernel<dequantize>));
  WARPSAFE_TRYV(copies.synchronize());
  ws::host::fault_in_kernel(2, ws::host::HostStatus::illegal_address);
  WARPSAFE_TRYV(ws::launch(compute, ws::LaunchConfig{ws::grid<28>, ws::block<256>}, ws::kernel<matmul_f32>));
  WARPSAFE_TRYV(ws::launch(compute, ws::LaunchConfig{ws::grid<28>, ws::block<32>}, ws::kernel<softmax>));
  return compute.synchronize();
}

/// A kernel waits for a peer that comes after a second, and another stream waits for the kernel.
ws::result<void> hang(ws::StreamRef compute, ws::StreamRef copies) {
  WARPSAFE_TRY(auto arrived, ws::DeviceBuffer<int>::from(compute, std::vector<int>{0}));
  WARPSAFE_TRYV(compute.synchronize());
  std::thread([flag = arrived.view().pointer().get()] {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
  }).detach();
  WARPSAFE_TRYV(ws::launch(compute, ws::LaunchConfig{ws::grid<1>, ws::block<1>}, ws::kernel<wait_for_peer>, arrived.view()));
  WARPSAFE_TRYV(ws::launch(compute, ws::LaunchConfig{ws::grid<28>, ws::block<256>}, ws::kernel<matmul_f32>));
  WARPSAFE_TRY(const auto multiplied, compute.record());
  WARPSAFE_TRYV(ws::wait(copies, multiplied));
  WARPSAFE_TRYV(ws::launch(copies, ws::LaunchConfig{ws::grid<140>, ws::block<64>}, ws::kernel<dequantize>));
  const auto waited = copies.synchronize();
  __atomic_store_n(arrived.view().pointer().get(), 1, __ATOMIC_RELEASE);
  return waited;
}

/// Prints what the driver knows about a kernel, and how well a launch fills the device.
ws::result<void> report(ws::StreamRef stream) {
  char text[512];
  WARPSAFE_TRYV(ws::format_kernel(stream, ws::kernel<matmul_f32>, text, sizeof text));
  std::cout << text << '\n';
  WARPSAFE_TRY(const auto full, ws::occupancy(stream, ws::LaunchConfig{ws::grid<28>, ws::block<256>}, ws::kernel<matmul_f32>));
  ws::format_occupancy(full, text, sizeof text);
  std::cout << text << '\n';
  return ws::success();
}

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  // A limit that is the same on every machine.
  ws::DeviceLimits limits = ws::device_limits(ws::DeviceId(0)).value();
  limits.name = ws::Name::of("CPU");
  limits.multiprocessors = 4;
  ws::host::set_limits(0, limits);
  const auto compute = ws::Stream::create().value();
  const auto copies = ws::Stream::create().value();
  const auto outcome = what == "hang" ? hang(compute, copies) : what == "kernel" ? report(compute) : run(compute, copies);
  if (!outcome.has_value()) std::cerr << outcome.error() << '\n';
  if (what == "again") {
    const auto later = run(compute, copies);
    if (!later.has_value()) std::cerr << "\n" << later.error() << '\n';
  }
  if (what == "pending") {
    ws::host::reset();
    ws::host::plant_last_error(ws::host::HostStatus::invalid_value);
    const auto fresh = ws::Stream::create().value();
    static_cast<void>(ws::launch(fresh, ws::LaunchConfig{ws::grid<28>, ws::block<32>}, ws::kernel<softmax>));
  }
}
