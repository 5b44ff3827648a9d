// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The stand-in's control functions, over AMD's runtime.
#include "handles.hpp"
#include "interposer.hpp"

#include <dlfcn.h>

namespace interposer {

State& state() {
  static auto* const made = new State;
  return *made;
}

Slot& slot() {
  thread_local Slot mine;
  if (mine.epoch != state().epoch) mine = {false, hipSuccess, state().epoch};
  return mine;
}

hipError_t last_error() {
  return slot().planted ? slot().code : real<&hipPeekAtLastError>("hipPeekAtLastError")();
}

void hold_work(bool held) {
  if (auto* const hold = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "soft_hsa_hold"))) {
    hold(held ? 1 : 0);
  }
}

const stand_in_hip::CodeKernel* Kernel::code() const {
  if (objects == nullptr) return nullptr;
  for (const stand_in_hip::CodeObject& object : *objects) {
    for (const stand_in_hip::CodeKernel& kernel : object.kernels) {
      if (kernel.name == name) return &kernel;
    }
  }
  return nullptr;
}

}  // namespace interposer

using namespace interposer;

extern "C" {

void stand_in_hip_reset(void) {
  State& s = state();
  const std::lock_guard hold(s.lock);
  hold_work(false);
  bury_streams();
  for (hipStream_t const stream : s.capturing) {
    hipGraph_t graph = nullptr;
    static_cast<void>(
        real<&hipStreamEndCapture>("hipStreamEndCapture")(real_stream(stream), &graph));
    if (graph != nullptr) static_cast<void>(real<&hipGraphDestroy>("hipGraphDestroy")(graph));
  }
  s.capturing.clear();
  static_cast<void>(real<&hipSetDevice>("hipSetDevice")(0));
  static_cast<void>(real<&hipGetLastError>("hipGetLastError")());
  s.calls.clear();
  s.counts.clear();
  s.launches.clear();
  s.failures.clear();
  s.attributes.clear();
  for (auto& [function, kernel] : s.kernels) kernel.info = {-1, -1, -1, -1, -1, -1};
  s.visible_devices = 1;
  s.has_peers = true;
  s.deferred = s.later_release = false;
  s.async_error = hipSuccess;
  ++s.epoch;
}

void stand_in_hip_set_release(StandInHipRelease release) {
  const std::lock_guard hold(state().lock);
  state().later_release = release >= STAND_IN_HIP_7;
}
void stand_in_hip_set_device_count(int count) {
  int real_count = 0;
  static_cast<void>(real<&hipGetDeviceCount>("hipGetDeviceCount")(&real_count));
  const std::lock_guard hold(state().lock);
  state().visible_devices = count < real_count ? count : real_count;
}
/// The devices are what the agent says; another architecture needs another process.
int stand_in_hip_set_device_preset(int, const char*) { return -1; }
void stand_in_hip_set_attribute(int device, hipDeviceAttribute_t attribute, int value) {
  const std::lock_guard hold(state().lock);
  state().attributes[{device, static_cast<int>(attribute)}] = value;
}
void stand_in_hip_set_peers(int possible) {
  const std::lock_guard hold(state().lock);
  state().has_peers = possible != 0;
}
/// What the runtime does with a broken capture is its own.
void stand_in_hip_forgive_broken_captures(int) {}
/// The runtime always wants it.
void stand_in_hip_require_matching_code(int) {}

void stand_in_hip_fail(const char* function, unsigned k, hipError_t code) {
  const std::lock_guard hold(state().lock);
  state().failures.push_back({function, k, code});
}
void stand_in_hip_plant_last_error(hipError_t code) { slot() = {true, code, state().epoch}; }
hipError_t stand_in_hip_last_error(void) { return last_error(); }
void stand_in_hip_post_async_error(hipError_t code) {
  const std::lock_guard hold(state().lock);
  state().async_error = code;
}
void stand_in_hip_set_deferred(int deferred) {
  const std::lock_guard hold(state().lock);
  state().deferred = deferred != 0;
  hold_work(deferred != 0);
  if (deferred == 0) bury_streams();
}

std::uint64_t stand_in_hip_call_count(void) {
  const std::lock_guard hold(state().lock);
  return state().calls.size();
}
int stand_in_hip_call(std::uint64_t index, StandInHipCall* call) {
  const std::lock_guard hold(state().lock);
  if (index >= state().calls.size()) return -1;
  *call = state().calls[index];
  return 0;
}
std::uint64_t stand_in_hip_count(const char* function) {
  const std::lock_guard hold(state().lock);
  const auto found = state().counts.find(function);
  return found == state().counts.end() ? 0 : found->second;
}
std::uint64_t stand_in_hip_launch_count(void) {
  const std::lock_guard hold(state().lock);
  return state().launches.size();
}
int stand_in_hip_launch(std::uint64_t index, StandInHipLaunch* launch) {
  const std::lock_guard hold(state().lock);
  if (index >= state().launches.size()) return -1;
  *launch = state().launches[index].record;
  return 0;
}
int stand_in_hip_override_kernel(const void* host_function, const StandInHipKernelInfo* info) {
  const std::lock_guard hold(state().lock);
  const auto found = state().kernels.find(host_function);
  if (found == state().kernels.end()) return -1;
  found->second.info = *info;
  return 0;
}

}  // extern "C"
