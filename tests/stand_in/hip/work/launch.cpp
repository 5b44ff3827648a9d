// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "../code/function.hpp"
#include "stream.hpp"

#include <hip/hip_ext.h>

#include <algorithm>
#include <climits>
#include <cstring>

namespace stand_in_hip {
namespace {

struct Dims {
  std::uint64_t x = 1;
  std::uint64_t y = 1;
  std::uint64_t z = 1;
  bool any_zero() const { return x == 0 || y == 0 || z == 0; }
  bool any_over(std::uint64_t limit) const { return x > limit || y > limit || z > limit; }
};

Dims of(dim3 d) { return {d.x, d.y, d.z}; }

struct Request {
  const char* function = "";
  dim3 grid{1, 1, 1};
  dim3 block{1, 1, 1};
  std::size_t shared = 0;
  void** parameters = nullptr;  ///< one pointer per argument
  void** extra = nullptr;       ///< or one packed block
  bool cooperative = false;

  /// Work-items per axis, as the runtime counts.
  Dims global() const {
    return {std::uint64_t{grid.x} * block.x, std::uint64_t{grid.y} * block.y,
            std::uint64_t{grid.z} * block.z};
  }
};

std::uint64_t threads_of(dim3 block) {
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  return rules().multiplies_in_32_bits ? static_cast<std::uint32_t>(threads) : threads;
}

// clr hip_module.cpp:302-320.
hipError_t validate_cooperative(const Request& request, const Function& function, Dims global,
                                const Device& device) {
  if (device.attribute(hipDeviceAttributeCooperativeLaunch) == 0) return hipErrorLaunchFailure;
  const std::uint64_t block_size = threads_of(request.block);
  if (block_size == 0) {
    return give(rules().cooperative_wraps_to_zero, "a cooperative block of 2^32 threads");
  }
  Occupancy fits;
  const hipError_t status =
      occupancy(device, function.info, static_cast<int>(block_size), request.shared, true, fits);
  if (status != hipSuccess) return status;
  std::uint64_t items = global.x * global.y * global.z;
  if (rules().multiplies_in_32_bits) items = static_cast<std::uint32_t>(items);
  return items / block_size > static_cast<std::uint64_t>(fits.blocks_per_grid)
             ? hipErrorCooperativeLaunchTooLarge
             : hipSuccess;
}

/// What the submission of a valid launch returns, or of a graph with it. Line 252 of clr
/// hip_module.cpp takes the bytes as uint32, so it does not see 2^32 more.
hipError_t submission(const Request& request, const Function& function, const Device& device) {
  const std::uint64_t shared = std::uint64_t{static_cast<std::uint32_t>(request.shared)} +
                               static_cast<std::uint64_t>(function.info.static_shared_bytes);
  const auto limit =
      static_cast<std::uint64_t>(device.attribute(hipDeviceAttributeMaxSharedMemoryPerBlock));
  return rules().adds_static_shared && shared > limit ? hipErrorOutOfMemory : hipSuccess;
}

// ihipLaunchKernel_validate, clr hip_module.cpp:249, in its order. global is what the caller made
// of grid times block.
hipError_t validate(const Request& request, const Function& function, Dims global,
                    const Device& device) {
  if (request.parameters != nullptr && request.extra != nullptr) return hipErrorInvalidValue;
  // A zero block makes the global size zero too, and is refused here, before line 268 checks it.
  if (global.any_zero()) return rules().zero_size;
  const int shared_limit = device.attribute(hipDeviceAttributeMaxSharedMemoryPerBlock);
  if (rules().refuses_dynamic_alone &&
      static_cast<std::uint32_t>(request.shared) > static_cast<std::uint32_t>(shared_limit)) {
    return hipErrorInvalidValue;
  }
  const std::uint64_t threads = threads_of(request.block);
  const int thread_limit = device.attribute(hipDeviceAttributeMaxThreadsPerBlock);
  if (threads > static_cast<std::uint64_t>(thread_limit)) return rules().too_many_threads;
  const bool takes_arguments = function.arguments != nullptr && !function.arguments->empty();
  if (takes_arguments && request.parameters == nullptr && request.extra == nullptr) {
    return give(rules().no_arguments, "a launch without the kernel's arguments");
  }
  if (threads > static_cast<std::uint64_t>(function.info.max_threads_per_block)) {
    return hipErrorLaunchFailure;
  }
  if (request.cooperative) return validate_cooperative(request, function, global, device);
  if (request.extra != nullptr &&  // line 366
      (request.extra[0] != HIP_LAUNCH_PARAM_BUFFER_POINTER ||
       request.extra[2] != HIP_LAUNCH_PARAM_BUFFER_SIZE ||
       request.extra[4] != HIP_LAUNCH_PARAM_END)) {
    return hipErrorInvalidValue;
  }
  return hipSuccess;
}

void copy_arguments(const Request& request, const Function& function, LaunchRecord& record) {
  if (function.arguments == nullptr) return;
  record.arguments = *function.arguments;
  std::size_t size = 0;
  for (const auto& argument : record.arguments) {
    size = std::max(size, std::size_t{argument.offset} + argument.size);
  }
  record.bytes.assign(size, 0);
  if (request.extra != nullptr) {
    const std::size_t given = *static_cast<const std::size_t*>(request.extra[3]);
    if (size != 0) std::memcpy(record.bytes.data(), request.extra[1], std::min(size, given));
    return;
  }
  if (request.parameters == nullptr) return;
  for (std::size_t i = 0; i < record.arguments.size(); ++i) {
    const auto& argument = record.arguments[i];
    std::memcpy(record.bytes.data() + argument.offset, request.parameters[i], argument.size);
  }
}

/// Appends to the list of launches. Does not read a refused launch's arguments, because the
/// caller's count may be wrong.
LaunchRecord& record_launch(const Request& request, const Function& function,
                            const void* host_function, const StreamArgument& on, hipStream_t stream,
                            hipError_t result) {
  Runtime& r = runtime();
  LaunchRecord& record = r.launches.emplace_back();
  if (function.kernel != nullptr) record.kernel = function.kernel->name;
  if (result == hipSuccess) copy_arguments(request, function, record);
  StandInHipLaunch& launch = record.launch;
  launch.function = request.function;
  launch.kernel = record.kernel.c_str();
  launch.host_function = host_function;
  launch.sequence = r.calls.size() + 1;
  launch.result = result;
  launch.grid = request.grid;
  launch.block = request.block;
  launch.dynamic_shared_bytes = request.shared;
  launch.static_shared_bytes = static_cast<std::uint64_t>(function.info.static_shared_bytes);
  launch.stream = stream;
  launch.device = on.device;
  launch.cooperative = request.cooperative ? 1 : 0;
  launch.arguments_known = result == hipSuccess && function.arguments != nullptr ? 1 : 0;
  launch.argument_bytes = record.bytes.data();
  launch.argument_byte_count = record.bytes.size();
  launch.arguments = record.arguments.data();
  launch.argument_count = record.arguments.size();
  return record;
}

const Device& device_of(const StreamArgument& on) {
  return runtime().devices[static_cast<std::size_t>(on.device)];
}

/// Records a validated launch, as captured or as run. @param captures whether it can be captured
hipError_t conclude(const Request& request, const Function& function, const void* host_function,
                    const StreamArgument& on, hipStream_t stream, hipError_t result,
                    bool captures = true) {
  const bool capturing = captures && on.capturing();
  hipError_t submitted = hipSuccess;
  if (result == hipSuccess) submitted = submission(request, function, device_of(on));
  if (!capturing && submitted != hipSuccess) result = submitted;
  if (result != hipSuccess) {
    record_launch(request, function, host_function, on, stream, result);
    return result;
  }
  LaunchRecord& record = record_launch(request, function, host_function, on, stream, result);
  record.launch.captured = capturing ? 1 : 0;
  if (!capturing) return hipSuccess;
  const std::size_t index = runtime().launches.size() - 1;
  const auto replay = [index] {
    Runtime& r = runtime();
    LaunchRecord& again = r.launches.emplace_back(r.launches[index]);
    again.launch.captured = 0;
    again.launch.replayed = 1;
    again.launch.sequence = r.calls.size() + 1;
    again.launch.kernel = again.kernel.c_str();
    again.launch.argument_bytes = again.bytes.data();
    again.launch.arguments = again.arguments.data();
    return hipSuccess;
  };
  hipError_t status = hipSuccess;
  static_cast<void>(captured(on, replay, status, submitted));
  return status;
}

/// Where it is not refused, the launch runs on the stream's device.
bool wrong_device(const StreamArgument& on) {
  return rules().stays_on_device && on.device != runtime().thread().device;
}

// hipLaunchKernel_common and ihipLaunchKernel: clr hip_module.cpp:725, hip_platform.cpp:611.
hipError_t launch(const Request& request, const void* host_function, hipStream_t stream,
                  CallNote& note) {
  const StreamArgument on = resolve(stream, note);
  Function function;
  const hipError_t result = [&] {
    if (!on.valid)
      return refuse(on, rules().launch_stream, "a launch on a stream that does not exist");
    if (on.stream != nullptr && on.stream->capture == hipStreamCaptureStatusInvalidated) {
      return hipErrorStreamCaptureInvalidated;
    }
    const hipError_t found = find_function(host_function, on.device, function);
    if (found == hipErrorInvalidKernelFile) return rules().no_code_for_launch;
    if (found != hipSuccess) return hipErrorInvalidDeviceFunction;
    const Device& device = device_of(on);
    // hip_platform.cpp:630 checks y and z only on gfx12 and later.
    if (runtime().release >= STAND_IN_HIP_6_4 && device.major() >= 12 &&
        (request.grid.y > 65536 || request.grid.z > 65536)) {
      return hipErrorInvalidConfiguration;
    }
    if (request.global().any_over(UINT32_MAX)) return hipErrorInvalidConfiguration;
    if (wrong_device(on)) return hipErrorInvalidResourceHandle;
    return validate(request, function, request.global(), device);
  }();
  return conclude(request, function, host_function, on, stream, result);
}

// hipLaunchCooperativeKernel_common: clr hip_module.cpp:762. Before 6.4 it has no branch for a
// capturing stream: the launch is not part of the graph.
hipError_t launch_cooperative(Request request, const void* host_function, hipStream_t stream,
                              CallNote& note) {
  request.cooperative = true;
  const StreamArgument on = resolve(stream, note);
  const Rules& by = rules();
  Function function;
  const hipError_t result = [&] {
    if (!on.valid) return refuse(on, by.cooperative_stream, "a cooperative launch");
    if (by.captures_cooperative && on.stream != nullptr &&
        on.stream->capture == hipStreamCaptureStatusInvalidated) {
      return hipErrorStreamCaptureInvalidated;
    }
    if (host_function == nullptr) return by.cooperative_null;
    const hipError_t found = find_function(host_function, on.device, function);
    if (found != hipSuccess) return found;
    const Device& device = device_of(on);
    const int thread_limit = device.attribute(hipDeviceAttributeMaxThreadsPerBlock);
    if (request.global().any_over(UINT32_MAX) ||
        threads_of(request.block) > static_cast<std::uint64_t>(thread_limit)) {
      return hipErrorInvalidConfiguration;
    }
    const int shared_limit = device.attribute(hipDeviceAttributeMaxSharedMemoryPerBlock);
    if (by.cooperative_shared_first && request.shared > static_cast<std::size_t>(shared_limit)) {
      return hipErrorCooperativeLaunchTooLarge;
    }
    if (wrong_device(on)) return hipErrorInvalidResourceHandle;
    return validate(request, function, request.global(), device);
  }();
  return conclude(request, function, host_function, on, stream, result, by.captures_cooperative);
}

// clr hip_module.cpp:487.
hipError_t validate_module(const Request& request, const Function& function,
                           const StreamArgument& on) {
  const Device& device = device_of(on);
  Dims global = request.global();
  if (runtime().release >= STAND_IN_HIP_7) {  // sys-7 hip_module.cpp hipModuleLaunchKernel
    const int threads = device.attribute(hipDeviceAttributeMaxThreadsPerBlock);
    const int shared = device.attribute(hipDeviceAttributeMaxSharedMemoryPerBlock);
    if (global.any_over(UINT32_MAX) || global.any_zero() ||
        threads_of(request.block) > static_cast<std::uint64_t>(threads) ||
        request.shared > static_cast<std::size_t>(shared)) {
      return hipErrorInvalidValue;
    }
    if (wrong_device(on)) return hipErrorInvalidResourceHandle;
    return validate(request, function, global, device);
  }
  const std::uint64_t yz_limit = rules().limits_module_yz ? 65536 : INT_MAX;
  const Dims grid = of(request.grid);
  if (rules().limits_module_grid && (grid.x > INT_MAX || grid.y > yz_limit || grid.z > yz_limit)) {
    return hipErrorInvalidValue;
  }
  if (global.x > UINT32_MAX) return hipErrorInvalidConfiguration;
  if (!rules().module_yz_wrap && global.any_over(UINT32_MAX)) return hipErrorInvalidConfiguration;
  // Line 512 casts y and z without a check.
  global.y = static_cast<std::uint32_t>(global.y);
  global.z = static_cast<std::uint32_t>(global.z);
  return validate(request, function, global, device);
}

hipError_t launch_module(const Request& request, hipFunction_t handle, hipStream_t stream,
                         CallNote& note) {
  const StreamArgument on = resolve(stream, note);
  Function function;
  const hipError_t result = [&] {
    if (!on.valid) return refuse(on, rules().module_stream, "a module's kernel on a stream");
    if (on.stream != nullptr && on.stream->capture == hipStreamCaptureStatusInvalidated) {
      return hipErrorStreamCaptureInvalidated;
    }
    if (handle == nullptr) return rules().null_module_function;
    Kernel* kernel = module_function(handle);
    if (kernel == nullptr) return runtime().undefined(hipErrorInvalidResourceHandle);
    const hipError_t found = find_code(*kernel, on.device, function);
    return found != hipSuccess ? found : validate_module(request, function, on);
  }();
  return conclude(request, function, nullptr, on, stream, result, rules().captures_modules);
}

}  // namespace
}  // namespace stand_in_hip

using namespace stand_in_hip;

extern "C" {

hipError_t hipLaunchKernel(const void* host_function, dim3 grid, dim3 block, void** arguments,
                           std::size_t shared, hipStream_t stream) {
  return api("hipLaunchKernel", [&](CallNote& note) {
    const Request request{"hipLaunchKernel", grid, block, shared, arguments};
    return launch(request, host_function, stream, note);
  });
}

hipError_t hipLaunchKernel_spt(const void* host_function, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared, hipStream_t stream);
hipError_t hipLaunchKernel_spt(const void* host_function, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared, hipStream_t stream) {
  return api("hipLaunchKernel_spt", [&](CallNote& note) {
    const Request request{"hipLaunchKernel_spt", grid, block, shared, arguments};
    return launch(request, host_function, per_thread(stream), note);
  });
}

// clr hip_module.cpp:746.
hipError_t hipExtLaunchKernel(const void* host_function, dim3 grid, dim3 block, void** arguments,
                              std::size_t shared, hipStream_t stream, hipEvent_t start,
                              hipEvent_t stop, int) {
  return api("hipExtLaunchKernel", [&](CallNote& note) {
    const bool valid = (start == nullptr || live_event(start) != nullptr) &&
                       (stop == nullptr || live_event(stop) != nullptr);
    if (!valid) return hipErrorInvalidValue;
    const Request request{"hipExtLaunchKernel", grid, block, shared, arguments};
    return launch(request, host_function, stream, note);
  });
}

hipError_t hipLaunchCooperativeKernel(const void* host_function, dim3 grid, dim3 block,
                                      void** arguments, unsigned shared, hipStream_t stream) {
  return api("hipLaunchCooperativeKernel", [&](CallNote& note) {
    const Request request{"hipLaunchCooperativeKernel", grid, block, shared, arguments};
    return launch_cooperative(request, host_function, stream, note);
  });
}

hipError_t hipLaunchCooperativeKernel_spt(const void* host_function, dim3 grid, dim3 block,
                                          void** arguments, std::uint32_t shared,
                                          hipStream_t stream);
hipError_t hipLaunchCooperativeKernel_spt(const void* host_function, dim3 grid, dim3 block,
                                          void** arguments, std::uint32_t shared,
                                          hipStream_t stream) {
  return api("hipLaunchCooperativeKernel_spt", [&](CallNote& note) {
    const Request request{"hipLaunchCooperativeKernel_spt", grid, block, shared, arguments};
    return launch_cooperative(request, host_function, per_thread(stream), note);
  });
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y,
                                 unsigned grid_z, unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned shared, hipStream_t stream,
                                 void** parameters, void** extra) {
  return api("hipModuleLaunchKernel", [&](CallNote& note) {
    const Request request{"hipModuleLaunchKernel",
                          dim3(grid_x, grid_y, grid_z),
                          dim3(block_x, block_y, block_z),
                          shared,
                          parameters,
                          extra};
    return launch_module(request, function, stream, note);
  });
}

// clr hip_module.cpp, hipModuleLaunchCooperativeKernel. The real function ignores captures: the
// launch runs at once.
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned grid_x,
                                            unsigned grid_y, unsigned grid_z, unsigned block_x,
                                            unsigned block_y, unsigned block_z, unsigned shared,
                                            hipStream_t stream, void** parameters) {
  return api("hipModuleLaunchCooperativeKernel", [&](CallNote& note) {
    Request request{"hipModuleLaunchCooperativeKernel",
                    dim3(grid_x, grid_y, grid_z),
                    dim3(block_x, block_y, block_z),
                    shared,
                    parameters,
                    nullptr};
    request.cooperative = true;
    return launch_module(request, function, stream, note);
  });
}

}  // extern "C"
