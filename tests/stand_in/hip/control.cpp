// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The functions of stand_in_hip.hpp.
#include "code/function.hpp"

#include <algorithm>

using namespace stand_in_hip;

namespace {

Runtime& r = runtime();

bool is_device(int index) {
  return index >= 0 && static_cast<std::size_t>(index) < r.devices.size();
}

template <class All>
std::uint64_t alive_in(const All& all) {
  return static_cast<std::uint64_t>(
      std::count_if(all.begin(), all.end(), [](const auto& object) { return object.alive; }));
}

}  // namespace

extern "C" {

void stand_in_hip_reset(void) {
  const std::lock_guard lock(r.mutex);
  r.reset();
}

void stand_in_hip_set_release(StandInHipRelease release) {
  const std::lock_guard lock(r.mutex);
  r.release = release;
}

int stand_in_hip_lacks(const char* function) {
  const std::lock_guard lock(r.mutex);
  return rules().lacks(function) ? 1 : 0;
}

void stand_in_hip_set_peers(int possible) {
  const std::lock_guard lock(r.mutex);
  r.has_peers = possible != 0;
}

void stand_in_hip_forgive_broken_captures(int forgive) {
  const std::lock_guard lock(r.mutex);
  r.forgives_broken_captures = forgive != 0;
}

void stand_in_hip_set_device_count(int count) {
  const std::lock_guard lock(r.mutex);
  r.devices.resize(static_cast<std::size_t>(count), Device::preset("gfx90a"));
}

int stand_in_hip_set_device_preset(int device, const char* architecture) {
  const std::lock_guard lock(r.mutex);
  Device preset = Device::preset(architecture);
  if (!is_device(device) || preset.name.empty()) return -1;
  r.devices[static_cast<std::size_t>(device)] = std::move(preset);
  return 0;
}

void stand_in_hip_set_attribute(int device, hipDeviceAttribute_t attribute, int value) {
  const std::lock_guard lock(r.mutex);
  if (is_device(device)) r.devices[static_cast<std::size_t>(device)].attributes[attribute] = value;
}

void stand_in_hip_set_device_name(int device, const char* name) {
  const std::lock_guard lock(r.mutex);
  if (is_device(device)) r.devices[static_cast<std::size_t>(device)].name = name;
}

void stand_in_hip_set_memory(int device, std::uint64_t free_bytes, std::uint64_t total_bytes) {
  const std::lock_guard lock(r.mutex);
  if (!is_device(device)) return;
  r.devices[static_cast<std::size_t>(device)].memory = total_bytes;
  r.devices[static_cast<std::size_t>(device)].used_by_others = total_bytes - free_bytes;
}

void stand_in_hip_require_matching_code(int required) {
  const std::lock_guard lock(r.mutex);
  r.require_matching_code = required != 0;
}

void stand_in_hip_fail(const char* function, unsigned k, hipError_t code) {
  const std::lock_guard lock(r.mutex);
  r.failures.push_back({function, k, code});
}

void stand_in_hip_plant_last_error(hipError_t code) {
  const std::lock_guard lock(r.mutex);
  r.thread().last_error = code;
}

hipError_t stand_in_hip_last_error(void) {
  const std::lock_guard lock(r.mutex);
  return r.thread().last_error;
}

void stand_in_hip_post_async_error(hipError_t code) {
  const std::lock_guard lock(r.mutex);
  r.async_error = code;
}

void stand_in_hip_set_deferred(int deferred) {
  const std::lock_guard lock(r.mutex);
  r.deferred = deferred != 0;
  if (!r.deferred) r.drain();
}

std::uint64_t stand_in_hip_call_count(void) {
  const std::lock_guard lock(r.mutex);
  return r.calls.size();
}

int stand_in_hip_call(std::uint64_t index, StandInHipCall* call) {
  const std::lock_guard lock(r.mutex);
  if (index >= r.calls.size()) return -1;
  *call = r.calls[index];
  return 0;
}

std::uint64_t stand_in_hip_count(const char* function) {
  const std::lock_guard lock(r.mutex);
  const auto found = r.counts.find(std::string_view(function));
  return found == r.counts.end() ? 0 : found->second;
}

std::uint64_t stand_in_hip_launch_count(void) {
  const std::lock_guard lock(r.mutex);
  return r.launches.size();
}

int stand_in_hip_launch(std::uint64_t index, StandInHipLaunch* launch) {
  const std::lock_guard lock(r.mutex);
  if (index >= r.launches.size()) return -1;
  *launch = r.launches[index].launch;
  return 0;
}

std::uint64_t stand_in_hip_undefined_uses(void) {
  const std::lock_guard lock(r.mutex);
  return r.undefined_uses;
}

std::uint64_t stand_in_hip_live_objects(void) {
  const std::lock_guard lock(r.mutex);
  return alive_in(r.streams) + alive_in(r.events) + alive_in(r.graphs) + alive_in(r.graph_execs) +
         r.allocations.size() + r.modules.size();
}

void stand_in_hip_declare_kernel(const void* host_function, const char* name,
                                 const StandInHipArgument* arguments, std::size_t count,
                                 const StandInHipKernelInfo* info) {
  const std::lock_guard lock(r.mutex);
  Kernel& kernel = r.kernels[host_function];
  kernel = {};
  kernel.name = name;
  kernel.declared.name = name;
  kernel.declared.info = *info;
  kernel.declared.arguments.assign(arguments, arguments + count);
}

int stand_in_hip_override_kernel(const void* host_function, const StandInHipKernelInfo* info) {
  const std::lock_guard lock(r.mutex);
  const auto found = r.kernels.find(host_function);
  if (found == r.kernels.end()) return -1;
  found->second.overridden = true;
  found->second.override_info = *info;
  return 0;
}

int stand_in_hip_kernel_info(const void* host_function, StandInHipKernelInfo* info) {
  const std::lock_guard lock(r.mutex);
  Function function;
  if (r.devices.empty() || find_function(host_function, 0, function) != hipSuccess) return -1;
  *info = function.info;
  return 0;
}

}  // extern "C"
