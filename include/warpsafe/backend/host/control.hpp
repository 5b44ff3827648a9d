// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/calls.hpp>
#include <warpsafe/backend/host/detail/capture_rules.hpp>
#include <warpsafe/backend/host/detail/host_status.hpp>
#include <warpsafe/backend/host/detail/runtime.hpp>
#include <warpsafe/backend/host/detail/stream_calls.hpp>
#include <warpsafe/backend/host/detail/thread_state.hpp>
#include <warpsafe/backend/host/detail/threads.hpp>
#include <warpsafe/backend/host/host_backend.hpp>
#include <warpsafe/core/detail/observing.hpp>
#include <warpsafe/core/limits.hpp>

#include <cstddef>
#include <cstdint>

// Functions that control the modelled GPU in tests. Any thread may call them. They do not count as
// calls of the program, and do not touch the last-error slot unless their comment says so. In a
// child that was forked after the host backend was first used they do nothing, and return 0, false
// or nullptr.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// Resets the model: ends all captures, waits for all work, then models one device with its initial
/// limits and an intact context, without injected faults or counted calls. The calling thread is on
/// device 0 with an empty last-error slot. Streams, events and memory stay valid, except those of
/// devices that no longer exist.
inline void reset() {
  Runtime& runtime = Runtime::get();
  if (runtime.forked()) return;
  Lock lock(runtime.mutex);
  while (!runtime.captures.empty()) end_capture(runtime, runtime.captures.back());
  runtime.wait_all(lock, nullptr);
  runtime.reset_devices(1);
  runtime.book = CallBook{};
  thread_state() = ThreadState{};
  for (const auto& device : runtime.devices) {
    warpsafe::detail::tell_device_idle(Vendor::host, device->limits.device);
  }
}

/// Models `count` new devices; 0 models a machine without a GPU. Waits for all work.
inline void set_device_count(int count) {
  Runtime& runtime = Runtime::get();
  if (runtime.forked()) return;
  Lock lock(runtime.mutex);
  runtime.wait_all(lock, nullptr);
  runtime.reset_devices(count);
}

/// Sets a device's limits, for example to those of a real GPU. `limits.device` is replaced by the
/// ordinal; `limits.name` must live as long as the program. With `limits.multiprocessors` 0, as in
/// the rows of limits_table.hpp, the device keeps its number. Returns false if there is no such
/// device.
inline bool set_limits(int device, const DeviceLimits& limits) {
  Runtime& runtime = Runtime::get();
  if (runtime.forked()) return false;
  const Lock lock(runtime.mutex);
  Device* const found = runtime.device(device);
  if (found == nullptr) return false;
  const std::uint32_t processors = found->limits.multiprocessors;
  found->limits = limits;
  found->limits.device = device;
  if (limits.multiprocessors == 0) found->limits.multiprocessors = processors;
  return true;
}

/// Sets the attributes of a kernel on a device, which attributes_of returns: launch bounds, static
/// shared memory, registers. A limit of 0 means the device's own. Returns false if there is no such
/// device.
inline bool set_kernel_limits(int device, const void* function, const KernelLimits& limits) {
  Runtime& runtime = Runtime::get();
  if (runtime.forked()) return false;
  const Lock lock(runtime.mutex);
  Device* const found = runtime.device(device);
  if (found == nullptr) return false;
  found->set_kernel(function, limits);
  return true;
}

/// Sets the memory of a device in bytes. Existing allocations stay. Returns false if there is no
/// such device.
inline bool set_memory(int device, std::size_t bytes) {
  Runtime& runtime = Runtime::get();
  if (runtime.forked()) return false;
  const Lock lock(runtime.mutex);
  Device* const found = runtime.device(device);
  if (found == nullptr) return false;
  found->capacity = bytes;
  return true;
}

/// Sets the stack of each thread of a kernel in bytes, rounded up to whole pages, in place of
/// WARPSAFE_HOST_STACK. The stack holds all local variables and calls of the thread. Waits for all
/// work. Memory is used only where a kernel touches it. Returns false for less than 64 KiB or more
/// than 1 GiB, and changes nothing.
inline bool set_stack_bytes(std::size_t bytes) {
  if (bytes < least_stack_bytes || bytes > most_stack_bytes) return false;
  Runtime& runtime = Runtime::get();
  if (runtime.forked()) return false;
  Lock lock(runtime.mutex);
  runtime.wait_all(lock, nullptr);
  stack_bytes() = bytes;
  runtime.pool.drop_stacks();
  return true;
}

/// Lets the kernels and fills of `device` access the memory of `peer`, or not. At first no device
/// can access another's memory, as on CUDA without cudaDeviceEnablePeerAccess and
/// cudaMemPoolSetAccess: a kernel that tries it faults. Copies need no access. Returns false if
/// there is no such device, or for a `peer` from 64 on.
inline bool set_peer_access(int device, int peer, bool allowed) {
  Runtime& runtime = Runtime::get();
  if (runtime.forked()) return false;
  const Lock lock(runtime.mutex);
  Device* const from = runtime.device(device);
  if (from == nullptr || runtime.device(peer) == nullptr || peer >= 64) return false;
  const std::uint64_t bit = std::uint64_t{1} << peer;
  from->peers = allowed ? from->peers | bit : from->peers & ~bit;
  return true;
}

/// Makes the `nth` coming call of `member` (1: the next), by any thread, do nothing and return
/// `status`: `fail_next(call_of<&host_backend::allocate>, 1, HostStatus::out_of_memory)`.
inline void fail_next(const Call& member, unsigned nth, HostStatus status) {
  Runtime& runtime = Runtime::get();
  if (runtime.forked()) return;
  const Lock lock(runtime.mutex);
  runtime.book.fail_next(member, nth, status);
}

/// Makes the `nth` coming kernel launch (1: the next) fail while running: the launch succeeds, and
/// `status` is returned by the next synchronising call on any stream of the device. The status
/// persists, as in CUDA, if severity_of says that the context is lost.
inline void fault_in_kernel(unsigned nth, HostStatus status) {
  Runtime& runtime = Runtime::get();
  if (runtime.forked()) return;
  const Lock lock(runtime.mutex);
  runtime.book.fail_kernel(nth, status);
}

/// The number of calls of `member` by any thread since `reset`.
[[nodiscard]] inline std::uint64_t calls_made(const Call& member) {
  Runtime& runtime = Runtime::get();
  if (runtime.forked()) return 0;
  const Lock lock(runtime.mutex);
  return runtime.book.made(member);
}

/// Stores `status` in the calling thread's last-error slot, as an earlier failed call would.
inline void plant_last_error(HostStatus status) noexcept {
  thread_state().last_error = raw(status);
}

/// Returns the calling thread's last error and clears the slot.
inline HostStatus take_last_error() noexcept {
  const int last = thread_state().last_error;
  thread_state().last_error = 0;
  return static_cast<HostStatus>(last);
}

/// A stream that is ordered with the device's default stream, as cudaStreamCreate makes; a `Stream`
/// never is. Destroy it with host_backend::stream_destroy. nullptr if there is no such device.
[[nodiscard]] inline StreamHandle* create_blocking_stream(int device) {
  Runtime& runtime = Runtime::get();
  if (runtime.forked()) return nullptr;
  const Lock lock(runtime.mutex);
  Device* const found = runtime.device(device);
  return found == nullptr ? nullptr : add_stream(runtime, *found, true);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
