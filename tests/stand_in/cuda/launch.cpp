// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Launches: the runtime's statuses, and the record. No kernel runs.
#include "capture.hpp"
#include "kernel_on.hpp"

#include <cstring>

namespace stand_in_cuda {
namespace {

struct Request {
  const void* function;
  dim3 grid;
  dim3 block;
  void** arguments;
  std::size_t shared;
  cudaStream_t stream;
  bool cooperative = false;
  bool has_cluster = false;
  dim3 cluster{0, 0, 0};
  int priority = 0;
  int programmatic_serialization = 0;

  std::int64_t threads() const { return std::int64_t{block.x} * block.y * block.z; }
  std::uint64_t blocks() const { return std::uint64_t{grid.x} * grid.y * grid.z; }
};

bool read_attributes(Request& request, const cudaLaunchAttribute* attributes, unsigned count) {
  if (count > 0 && attributes == nullptr) return false;
  for (unsigned i = 0; i < count; ++i) {
    const cudaLaunchAttributeValue& value = attributes[i].val;
    switch (attributes[i].id) {
      case cudaLaunchAttributeCooperative:
        request.cooperative = value.cooperative != 0;
        break;
      case cudaLaunchAttributeClusterDimension:
        request.cluster = dim3(value.clusterDim.x, value.clusterDim.y, value.clusterDim.z);
        request.has_cluster = value.clusterDim.x + value.clusterDim.y + value.clusterDim.z != 0;
        break;
      case cudaLaunchAttributePriority:
        request.priority = value.priority;
        break;
      case cudaLaunchAttributeProgrammaticStreamSerialization:
        request.programmatic_serialization =
            value.programmaticStreamSerializationAllowed != 0 ? 1 : 0;
        break;
      default:
        if (static_cast<int>(attributes[i].id) > cudaLaunchAttributeNvlinkUtilCentricScheduling)
          return false;
    }
  }
  return true;
}

// The rules of h200.transcript, in its order.
cudaError_t verdict(const KernelOn& kernel, const Request& request) {
  const Device& device = kernel.device();
  const auto limit = [&](cudaDeviceAttr id) { return static_cast<unsigned>(device.attribute(id)); };
  const dim3 grid = request.grid;
  const dim3 block = request.block;
  const bool fits =
      grid.x - 1 < limit(cudaDevAttrMaxGridDimX) && grid.y - 1 < limit(cudaDevAttrMaxGridDimY) &&
      grid.z - 1 < limit(cudaDevAttrMaxGridDimZ) && block.x - 1 < limit(cudaDevAttrMaxBlockDimX) &&
      block.y - 1 < limit(cudaDevAttrMaxBlockDimY) && block.z - 1 < limit(cudaDevAttrMaxBlockDimZ);
  if (!fits || request.threads() > device.attribute(cudaDevAttrMaxThreadsPerBlock)) {
    return cudaErrorInvalidValue;
  }
  const int bound = kernel.info().max_threads_per_block;
  if (bound > 0 && request.threads() > bound) return cudaErrorInvalidValue;
  if (request.threads() > kernel.max_threads()) return cudaErrorLaunchOutOfResources;
  if (request.cooperative) {
    if (device.attribute(cudaDevAttrCooperativeLaunch) == 0) return cudaErrorNotSupported;
    const auto resident = static_cast<std::uint64_t>(
        kernel.blocks_per_multiprocessor(request.threads(), bytes_as_taken(request.shared)) *
        device.attribute(cudaDevAttrMultiProcessorCount));
    if (request.blocks() > resident) return cudaErrorCooperativeLaunchTooLarge;
  }
  if (bytes_as_taken(request.shared) > kernel.max_dynamic()) return cudaErrorInvalidValue;

  const dim3 own = kernel.cluster();
  const bool has_own = (own.x | own.y | own.z) != 0;
  if (!request.has_cluster && !has_own) return cudaSuccess;
  const dim3 cluster = request.has_cluster ? request.cluster : own;
  const std::uint64_t size = std::uint64_t{cluster.x} * cluster.y * cluster.z;
  const bool differs = has_own && (cluster.x != own.x || cluster.y != own.y || cluster.z != own.z);
  if (size == 0 || differs || size > static_cast<std::uint64_t>(kernel.max_cluster()) ||
      grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0) {
    return cudaErrorInvalidClusterSize;
  }
  return cudaSuccess;
}

LaunchRecord& add_record(const std::string& function, const Kernel* kernel,
                         const Request& request) {
  Runtime& r = runtime();
  LaunchRecord& record = r.launches.emplace_back();
  StandInCudaLaunch& launch = record.launch;
  record.function = function;
  launch.sequence = r.calls.size();
  launch.grid = request.grid;
  launch.block = request.block;
  launch.dynamic_shared_bytes = request.shared;
  launch.stream = request.stream;
  launch.device = r.thread().device;
  launch.cluster = request.cluster;
  launch.cooperative = request.cooperative ? 1 : 0;
  launch.priority = request.priority;
  launch.programmatic_serialization = request.programmatic_serialization;
  if (kernel != nullptr) {
    record.kernel = kernel->name;
    launch.host_function = kernel->host_function;
    const KernelCode& code = kernel->code;
    if (code.has_arguments && (request.arguments != nullptr || code.arguments.empty())) {
      launch.arguments_known = 1;
      record.arguments = code.arguments;
      record.bytes.assign(code.argument_bytes, 0);
      for (std::size_t i = 0; i < code.arguments.size(); ++i) {
        std::memcpy(record.bytes.data() + code.arguments[i].offset, request.arguments[i],
                    code.arguments[i].size);
      }
    }
  }
  return record;
}

// The words of a launch's arguments, any of which may be an address.
std::vector<std::uintptr_t> words_of(const LaunchRecord& record) {
  std::vector<std::uintptr_t> words;
  for (const StandInCudaArgument& argument : record.arguments) {
    for (std::size_t at = 0; at + sizeof(std::uintptr_t) <= argument.size;
         at += sizeof(std::uintptr_t)) {
      words.emplace_back();
      std::memcpy(&words.back(), record.bytes.data() + argument.offset + at, sizeof words.back());
    }
  }
  return words;
}

// The work of the launch in its stream. Only a graph's kernel is asked about freed memory.
Node execution(const Kernel& kernel, const LaunchRecord& record, bool in_graph) {
  return [name = kernel.name, device = record.launch.device, words = words_of(record), in_graph] {
    Runtime& r = runtime();
    const auto fault = r.faults.find(name);
    const auto index = static_cast<std::size_t>(device);
    if (index >= r.devices.size()) return;
    if (fault != r.faults.end()) r.devices[index].context_error = fault->second;
    for (const std::uintptr_t word : words) {
      if (r.is_gone(word, in_graph)) r.devices[index].context_error = cudaErrorIllegalAddress;
    }
  };
}

// In a graph, each replay is a launch too.
Node replay(const LaunchRecord& record, Node execute) {
  return Node(
      [record, execute = std::move(execute)] {
        LaunchRecord& again = runtime().launches.emplace_back(record);
        again.function = "cudaGraphLaunch";
        again.launch.captured = 0;
        again.launch.sequence = runtime().calls.size();
        execute();
      },
      Node::Kind::kernel);
}

cudaError_t launch(const char* function, Request request,
                   const cudaLaunchAttribute* attributes = nullptr, unsigned attribute_count = 0) {
  const auto words = [&] {
    return text(request.function, text_of(request.grid), text_of(request.block), request.shared,
                request.stream);
  };
  return api(function, words(), plain, [&](auto&) {
    Runtime& r = runtime();
    if (request.stream == nullptr && r.thread().null_is_per_thread)
      request.stream = cudaStreamPerThread;
    const bool attributes_read = read_attributes(request, attributes, attribute_count);
    Kernel* kernel = nullptr;
    cudaError_t status = r.find_kernel(request.function, &kernel);
    LaunchRecord& record = add_record(r.calls.back().function, kernel, request);
    if (status == cudaSuccess && !attributes_read) status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
      Stream& stream = r.stream(request.stream);
      record.launch.device = stream.device;
      status = verdict(KernelOn(*kernel, stream.device), request);
      Node work = execution(*kernel, record, stream.capture != nullptr);
      if (status != cudaSuccess) {
        spoil(stream);
      } else if (stream.capture != nullptr) {
        status = put(stream, replay(record, std::move(work)));
        record.launch.captured = status == cudaSuccess ? 1 : 0;
      } else {
        status = put(stream, std::move(work));
      }
    }
    record.launch.result = status;
    return status;
  });
}

}  // namespace
}  // namespace stand_in_cuda

using namespace stand_in_cuda;

extern "C" {

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                     CUstream_st* stream) {
  const std::lock_guard lock(runtime().mutex);
  runtime().thread().configurations.push_back({grid, block, shared, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  const std::lock_guard lock(runtime().mutex);
  auto& configurations = runtime().thread().configurations;
  if (configurations.empty()) return cudaErrorMissingConfiguration;
  *grid = configurations.back().grid;
  *block = configurations.back().block;
  *shared = configurations.back().shared;
  *static_cast<cudaStream_t*>(stream) = configurations.back().stream;
  configurations.pop_back();
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared, cudaStream_t stream) {
  return launch("__cudaLaunchKernel", {kernel, grid, block, arguments, shared, stream});
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared, cudaStream_t stream) {
  return launch("cudaLaunchKernel", {function, grid, block, arguments, shared, stream});
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, std::size_t shared, cudaStream_t stream) {
  return launch("cudaLaunchCooperativeKernel",
                {function, grid, block, arguments, shared, stream, true});
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** arguments) {
  return launch("cudaLaunchKernelExC",
                {function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
                 config->stream},
                config->attrs, config->numAttrs);
}

}  // extern "C"
