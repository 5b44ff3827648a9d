// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/calls.hpp>
#include <warpsafe/backend/host/detail/capture_rules.hpp>
#include <warpsafe/backend/host/detail/runtime.hpp>
#include <warpsafe/backend/host/detail/status.hpp>
#include <warpsafe/backend/host/detail/stream_calls.hpp>
#include <warpsafe/backend/host/host_backend.hpp>
#include <warpsafe/core/detail/debug_hooks.hpp>
#include <warpsafe/core/limits.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>

// How a test takes the modelled GPU in hand. All functions may be called from any thread; none of
// them counts as a call of the program, and none touches the last-error slot unless it says so.

namespace warpsafe::host {

/// Everything as when the program began: ends all captures, waits for all work, then one device
/// with its first limits, its context whole, no injected faults, no counted calls, and the calling
/// thread on device 0 with an empty last-error slot. Streams, events and memory of the program stay
/// valid, but for those of devices that are gone.
inline void reset() {
  Runtime& runtime = Runtime::get();
  std::unique_lock lock(runtime.mutex);
  while (!runtime.captures.empty()) end_capture(runtime, runtime.captures.back());
  runtime.wait_all(lock, nullptr);
  runtime.reset_devices(1);
  runtime.book = CallBook{};
  thread_state() = ThreadState{};
  if (const auto* const hooks = warpsafe::detail::debug_hooks()) {
    for (const auto& device : runtime.devices) {
      hooks->device_idle(Vendor::host, device->limits.device);
    }
  }
}

/// Makes `count` devices visible, each as new; 0 models a machine without any. Waits for all work.
inline void set_device_count(int count) {
  Runtime& runtime = Runtime::get();
  std::unique_lock lock(runtime.mutex);
  runtime.wait_all(lock, nullptr);
  runtime.reset_devices(count);
}

/// Gives a device any numbers, such as a real GPU's. Their `device` is replaced by the ordinal;
/// their name must live as long as the program. False if there is no such device.
inline bool set_limits(int device, const DeviceLimits& limits) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  Device* const found = runtime.device(device);
  if (found == nullptr) return false;
  found->limits = limits;
  found->limits.device = device;
  return true;
}

/// What attributes_of says of a kernel on a device, as a compiler would have settled it: launch
/// bounds, static shared memory, registers. A limit of 0 is the device's own. False if there is no
/// such device.
inline bool set_kernel_limits(int device, const void* function, const KernelLimits& limits) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  Device* const found = runtime.device(device);
  if (found == nullptr) return false;
  found->set_kernel(function, limits);
  return true;
}

/// How much memory a device has, in bytes. What is allocated stays. False if there is no such
/// device.
inline bool set_memory(int device, std::size_t bytes) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  Device* const found = runtime.device(device);
  if (found == nullptr) return false;
  found->capacity = bytes;
  return true;
}

/// The `nth` next call (1: the next) of that member, by any thread, does nothing and returns
/// `status`.
inline void fail_next(Call member, unsigned nth, HostStatus status) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.book.fail_next(member, nth, status);
}

/// The `nth` next kernel that is launched (1: the next) fails with `status` instead of running: the
/// launch succeeds, and the status surfaces at the next synchronising call of any of the device's
/// streams. It stays, as CUDA's do, if severity_of says that the context is lost.
inline void fault_in_kernel(unsigned nth, HostStatus status) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.book.fail_kernel(nth, status);
}

/// How often that member was called since `reset`, by any thread.
[[nodiscard]] inline std::uint64_t calls_made(Call member) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  return runtime.book.made(member);
}

/// Puts `status` into the calling thread's last-error slot, as an earlier failed call would have.
inline void plant_last_error(HostStatus status) noexcept {
  thread_state().last_error = raw(status);
}

/// Takes what is in the calling thread's last-error slot, and empties it.
inline HostStatus take_last_error() noexcept {
  const int last = thread_state().last_error;
  thread_state().last_error = 0;
  return static_cast<HostStatus>(last);
}

/// The default stream of a device, as cudaStreamLegacy is CUDA's: what it is given waits for all
/// that blocking streams were given before, and they wait for it. It is ordered with no other
/// stream. For `StreamRef::borrow`; nullptr if there is no such device.
[[nodiscard]] inline StreamState* default_stream(int device) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  Device* const found = runtime.device(device);
  return found == nullptr ? nullptr : default_stream(runtime, *found);
}

/// A stream that is ordered with the device's default stream, as cudaStreamCreate makes them; a
/// `Stream` never is. host_backend::stream_destroy destroys it. nullptr if there is no such device.
[[nodiscard]] inline StreamState* create_blocking_stream(int device) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  Device* const found = runtime.device(device);
  return found == nullptr ? nullptr : add_stream(runtime, *found, true);
}

}  // namespace warpsafe::host
