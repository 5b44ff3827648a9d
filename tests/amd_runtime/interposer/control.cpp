// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The functions of amd_control.hpp.
#include "../agent/soft_hsa.h"
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

const amd_code::CodeKernel* Kernel::code() const {
  if (objects == nullptr) return nullptr;
  for (const amd_code::CodeObject& object : *objects) {
    for (const amd_code::CodeKernel& kernel : object.kernels) {
      if (kernel.name == name) return &kernel;
    }
  }
  return nullptr;
}

}  // namespace interposer

using namespace interposer;

extern "C" {

void amd_control_reset(void) {
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
  s.deferred = s.keeps_last_error = s.forgives_captures = false;
  s.without_code.clear();
  s.async_error = hipSuccess;
  ++s.epoch;
}

void amd_control_keep_last_error(int keep) {
  const std::lock_guard hold(state().lock);
  state().keeps_last_error = keep != 0;
}
void amd_control_set_device_count(int count) {
  int real_count = 0;
  static_cast<void>(real<&hipGetDeviceCount>("hipGetDeviceCount")(&real_count));
  const std::lock_guard hold(state().lock);
  state().visible_devices = count < real_count ? count : real_count;
}
void amd_control_set_attribute(int device, hipDeviceAttribute_t attribute, int value) {
  const std::lock_guard hold(state().lock);
  state().attributes[{device, static_cast<int>(attribute)}] = value;
}
void amd_control_set_peers(int possible) {
  const std::lock_guard hold(state().lock);
  state().has_peers = possible != 0;
}
void amd_control_set_code(int device, int available) {
  const std::lock_guard hold(state().lock);
  if (available != 0) {
    state().without_code.erase(device);
  } else {
    state().without_code.insert(device);
  }
}
void amd_control_forgive_broken_captures(int forgive) {
  const std::lock_guard hold(state().lock);
  state().forgives_captures = forgive != 0;
}

void amd_control_fail(const char* function, unsigned k, hipError_t code) {
  const std::lock_guard hold(state().lock);
  state().failures.push_back({function, k, code});
}
void amd_control_plant_last_error(hipError_t code) { slot() = {true, code, state().epoch}; }
hipError_t amd_control_last_error(void) { return last_error(); }
void amd_control_post_async_error(hipError_t code) {
  const std::lock_guard hold(state().lock);
  state().async_error = code;
}
void amd_control_set_deferred(int deferred) {
  const std::lock_guard hold(state().lock);
  state().deferred = deferred != 0;
  hold_work(deferred != 0);
  if (deferred == 0) bury_streams();
}

std::uint64_t amd_control_call_count(void) {
  const std::lock_guard hold(state().lock);
  return state().calls.size();
}
int amd_control_call(std::uint64_t index, AmdCall* call) {
  const std::lock_guard hold(state().lock);
  if (index >= state().calls.size()) return -1;
  *call = state().calls[index];
  return 0;
}
std::uint64_t amd_control_count(const char* function) {
  const std::lock_guard hold(state().lock);
  const auto found = state().counts.find(function);
  return found == state().counts.end() ? 0 : found->second;
}
std::uint64_t amd_control_launch_count(void) {
  const std::lock_guard hold(state().lock);
  return state().launches.size();
}
int amd_control_launch(std::uint64_t index, AmdLaunch* launch) {
  const std::lock_guard hold(state().lock);
  if (index >= state().launches.size()) return -1;
  *launch = state().launches[index].record;
  return 0;
}
std::uint64_t amd_control_live_objects(void) {
  const std::lock_guard hold(state().lock);
  return state().live.size();
}
int amd_control_is_inside(void) { return inside_calls() != 0 ? 1 : 0; }
std::uint64_t amd_control_dispatches(int device) {
  const auto count =
      reinterpret_cast<decltype(&soft_hsa_dispatches)>(dlsym(RTLD_DEFAULT, "soft_hsa_dispatches"));
  const auto get =
      reinterpret_cast<decltype(&soft_hsa_dispatch)>(dlsym(RTLD_DEFAULT, "soft_hsa_dispatch"));
  if (count == nullptr || get == nullptr) return 0;
  std::uint64_t found = 0;
  const std::uint64_t last = count();
  for (std::uint64_t sequence = 1; sequence <= last; ++sequence) {
    SoftHsaDispatch one{};
    if (get(sequence, &one) != 0 && one.blit == 0 && one.device == device) ++found;
  }
  return found;
}

int amd_control_override_kernel(const void* host_function, const AmdKernelInfo* info) {
  const std::lock_guard hold(state().lock);
  const auto found = state().kernels.find(host_function);
  if (found == state().kernels.end()) return -1;
  found->second.info = *info;
  return 0;
}

}  // extern "C"
