// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The control functions of stand_in_cuda.hpp.
#include "runtime.hpp"

#include <algorithm>

using namespace stand_in_cuda;

namespace {

Device& device_at(int device) { return runtime().devices.at(static_cast<std::size_t>(device)); }

template <class Objects>
std::uint64_t count_alive(const Objects& objects) {
  return static_cast<std::uint64_t>(
      std::count_if(objects.begin(), objects.end(), [](const auto& each) { return each.alive(); }));
}

}  // namespace

extern "C" {

void stand_in_cuda_reset(void) {
  const std::lock_guard lock(runtime().mutex);
  runtime().reset();
}

void stand_in_cuda_set_device_count(int count) {
  const std::lock_guard lock(runtime().mutex);
  runtime().set_device_count(count);
}

void stand_in_cuda_set_attribute(int device, cudaDeviceAttr attribute, int value) {
  const std::lock_guard lock(runtime().mutex);
  device_at(device).attributes[static_cast<int>(attribute)] = {cudaSuccess, value};
}

void stand_in_cuda_set_device_name(int device, const char* name) {
  const std::lock_guard lock(runtime().mutex);
  device_at(device).name = name;
}

void stand_in_cuda_set_memory(int device, std::uint64_t free_bytes, std::uint64_t total_bytes) {
  const std::lock_guard lock(runtime().mutex);
  device_at(device).free_bytes = free_bytes;
  device_at(device).total_bytes = total_bytes;
}

void stand_in_cuda_set_peers(int possible) {
  const std::lock_guard lock(runtime().mutex);
  runtime().has_peers = possible != 0;
}

void stand_in_cuda_set_versions(int driver, int runtime_version) {
  const std::lock_guard lock(runtime().mutex);
  runtime().driver_version = driver;
  runtime().runtime_version = runtime_version;
}

void stand_in_cuda_fail(const char* function, unsigned k, cudaError_t code) {
  const std::lock_guard lock(runtime().mutex);
  runtime().failures.push_back({function, k, code});
}

void stand_in_cuda_plant_last_error(cudaError_t code) {
  const std::lock_guard lock(runtime().mutex);
  runtime().thread().last_error = code;
}

cudaError_t stand_in_cuda_last_error(void) {
  const std::lock_guard lock(runtime().mutex);
  return runtime().thread().last_error;
}

void stand_in_cuda_fault_kernel(const char* kernel, cudaError_t code) {
  const std::lock_guard lock(runtime().mutex);
  if (code == cudaSuccess) {
    runtime().faults.erase(kernel);
  } else {
    runtime().faults[kernel] = code;
  }
}

void stand_in_cuda_post_async_error(int device, cudaError_t code, int sticky) {
  const std::lock_guard lock(runtime().mutex);
  (sticky != 0 ? device_at(device).context_error : device_at(device).async_error) = code;
}

void stand_in_cuda_hold(cudaStream_t handle) {
  const std::lock_guard lock(runtime().mutex);
  Stream& stream = runtime().stream(handle);
  if (stream.hold != nullptr) return;
  stream.hold = std::make_shared<Mark>();
  runtime().submit(stream, {}, stream.hold);
}

void stand_in_cuda_release(cudaStream_t handle) {
  const std::lock_guard lock(runtime().mutex);
  Runtime& r = runtime();
  const auto release = [](Stream& stream) {
    if (stream.hold != nullptr) stream.hold->reached = true;
    stream.hold = nullptr;
  };
  if (is_special(handle)) {
    release(r.stream(handle));
  } else {
    for (Stream& each : r.streams) {
      if (each.had(handle)) release(each);
    }
  }
  r.pump();
}

std::uint64_t stand_in_cuda_call_count(void) {
  const std::lock_guard lock(runtime().mutex);
  return runtime().calls.size();
}

int stand_in_cuda_call(std::uint64_t index, StandInCudaCall* call) {
  const std::lock_guard lock(runtime().mutex);
  if (index >= runtime().calls.size()) return -1;
  const CallRecord& record = runtime().calls[index];
  *call = {record.function.c_str(), record.arguments.c_str(), record.sequence, record.result,
           record.device};
  return 0;
}

std::uint64_t stand_in_cuda_count(const char* function) {
  const std::lock_guard lock(runtime().mutex);
  const auto found = runtime().counts.find(function);
  return found == runtime().counts.end() ? 0 : found->second;
}

std::uint64_t stand_in_cuda_launch_count(void) {
  const std::lock_guard lock(runtime().mutex);
  return runtime().launches.size();
}

int stand_in_cuda_launch(std::uint64_t index, StandInCudaLaunch* launch) {
  const std::lock_guard lock(runtime().mutex);
  if (index >= runtime().launches.size()) return -1;
  const LaunchRecord& record = runtime().launches[index];
  *launch = record.launch;
  launch->function = record.function.c_str();
  launch->kernel = record.kernel.c_str();
  launch->argument_bytes = record.bytes.data();
  launch->argument_byte_count = record.bytes.size();
  launch->arguments = record.arguments.data();
  launch->argument_count = record.arguments.size();
  return 0;
}

std::uint64_t stand_in_cuda_live_objects(void) {
  const std::lock_guard lock(runtime().mutex);
  const Runtime& r = runtime();
  const auto special = std::count_if(r.streams.begin(), r.streams.end(), [](const Stream& each) {
    return each.kind != Stream::Kind::made;
  });
  return count_alive(r.streams) - static_cast<std::uint64_t>(special) + count_alive(r.events) +
         count_alive(r.graphs) + count_alive(r.graph_execs) + r.allocations.size() +
         r.captures.size() + count_alive(r.libraries);
}

std::uint64_t stand_in_cuda_kept_streams(void) {
  const std::lock_guard lock(runtime().mutex);
  return runtime().streams.size() + runtime().events.size();
}

}  // extern "C"
