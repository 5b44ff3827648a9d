// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/given_memory.hpp>
#include <warpsafe/backend/host/detail/containers.hpp>
#include <warpsafe/backend/host/detail/device_calls.hpp>
#include <warpsafe/backend/host/detail/first_launch.hpp>
#include <warpsafe/backend/host/detail/host_status.hpp>
#include <warpsafe/backend/host/detail/operation.hpp>
#include <warpsafe/backend/host/detail/runtime.hpp>
#include <warpsafe/backend/host/detail/stream_calls.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/detail/arithmetic.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/limits.hpp>

#include <cstdint>
#include <cstring>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// The size of a kernel's parameter block in bytes.
[[nodiscard]] constexpr std::uint64_t parameter_bytes(const KernelEntry& entry) noexcept {
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < entry.parameter_count; ++i) {
    const ParameterInfo& parameter = entry.parameters[i];
    bytes = warpsafe::detail::place_after(bytes, parameter.alignment) + parameter.size;
  }
  return bytes;
}

/// How many blocks of `threads` threads and `dynamic_shared` bytes fit on one multiprocessor; 0 if
/// not even one fits. A limit of 0 means no limit.
[[nodiscard]] constexpr std::uint32_t resident_blocks(std::uint64_t threads,
                                                      std::uint64_t dynamic_shared,
                                                      const DeviceLimits& device,
                                                      const KernelLimits& kernel) noexcept {
  if (threads == 0 || threads > kernel.max_threads_per_block) return 0;
  if (dynamic_shared > kernel.max_dynamic_shared) return 0;
  std::uint64_t blocks = device.max_blocks_per_multiprocessor != 0
                             ? device.max_blocks_per_multiprocessor
                             : device.max_threads_per_multiprocessor;
  const auto bind = [&blocks](std::uint64_t available, std::uint64_t needed) {
    if (available != 0 && needed != 0 && available / needed < blocks) blocks = available / needed;
  };
  // Hardware allocates whole warps.
  const std::uint64_t warp = device.warp_size != 0 ? device.warp_size : 1;
  bind(device.max_threads_per_multiprocessor, (threads + warp - 1) / warp * warp);
  bind(device.registers_per_block, kernel.registers * threads);
  bind(device.shared_per_multiprocessor,
       dynamic_shared + kernel.static_shared + device.reserved_shared_per_block);
  return static_cast<std::uint32_t>(blocks);
}

namespace detail {

[[nodiscard]] constexpr bool dimensions_fit(const LaunchShape& shape,
                                            const DeviceLimits& device) noexcept {
  for (int axis = 0; axis < 3; ++axis) {
    const std::uint64_t blocks = shape.grid[axis];
    const std::uint64_t threads = shape.block[axis];
    if (blocks == 0 || blocks > device.max_grid[axis]) return false;
    if (threads == 0 || threads > device.max_block[axis]) return false;
    if (device.max_threads_per_axis != 0 && blocks * threads > device.max_threads_per_axis) {
      return false;
    }
  }
  return shape.threads_per_block() <= device.max_threads_per_block;
}

[[nodiscard]] constexpr HostStatus cluster_verdict(const LaunchShape& shape,
                                                   const DeviceLimits& device) noexcept {
  if (device.max_cluster_blocks == 0) return HostStatus::not_supported;
  for (int axis = 0; axis < 3; ++axis) {
    if (shape.cluster[axis] == 0 || shape.grid[axis] % shape.cluster[axis] != 0) {
      return HostStatus::invalid_cluster_size;
    }
  }
  const std::uint64_t allowed =
      shape.non_portable_cluster ? device.max_cluster_blocks_optin : device.max_cluster_blocks;
  return shape.blocks_per_cluster() <= allowed ? HostStatus::success
                                               : HostStatus::invalid_cluster_size;
}

}  // namespace detail

/// The modelled driver's decision about a launch, from its numbers alone. It is independent of the
/// library's validation, so that tests can compare the two. The statuses are those that CUDA
/// documents (Runtime API, "Error handling"); the drivers of CUDA 13 return 1 in nearly every case.
[[nodiscard]] constexpr HostStatus launch_verdict(const KernelEntry& entry,
                                                  const LaunchShape& shape,
                                                  const DeviceLimits& device,
                                                  const KernelLimits& kernel) noexcept {
  if (!detail::dimensions_fit(shape, device)) return HostStatus::invalid_configuration;
  if (shape.threads_per_block() > kernel.max_threads_per_block) {
    return HostStatus::launch_out_of_resources;
  }
  if (shape.dynamic_shared > kernel.max_dynamic_shared) return HostStatus::invalid_value;
  if (device.max_parameter_bytes != 0 && parameter_bytes(entry) > device.max_parameter_bytes) {
    return HostStatus::invalid_value;
  }
  if (shape.has_cluster) {
    const HostStatus verdict = detail::cluster_verdict(shape, device);
    if (verdict != HostStatus::success) return verdict;
  }
  if (shape.cooperative) {
    if (!device.cooperative_launch) return HostStatus::not_supported;
    const std::uint64_t resident =
        resident_blocks(shape.threads_per_block(), shape.dynamic_shared, device, kernel);
    if (shape.blocks() > resident * device.multiprocessors) {
      return HostStatus::cooperative_too_large;
    }
  }
  return HostStatus::success;
}

/// The backend's calls for kernels, on the calling thread's current device. See
/// backend/backend.hpp.
struct KernelCalls {
  static int attributes_of(const KernelEntry& entry, KernelLimits& limits) noexcept {
    return call<pure_query>(__func__, [&](Runtime& runtime, auto&) {
      return with_kernel(runtime, entry, [&](Device&, const KernelLimits& kernel) {
        limits = kernel;
        return HostStatus::success;
      });
    });
  }
  static int raise_dynamic_shared(const KernelEntry& entry, std::uint64_t bytes) noexcept {
    return call<pure_query>(__func__, [&](Runtime& runtime, auto&) {
      return with_kernel(runtime, entry, [&](Device& device, const KernelLimits&) {
        return device.raise_dynamic_shared(entry.function, bytes) ? HostStatus::success
                                                                  : HostStatus::invalid_value;
      });
    });
  }
  static int resident_blocks(const KernelEntry& entry, std::uint32_t threads,
                             std::uint64_t dynamic_bytes, int& per_multiprocessor) noexcept {
    return call<pure_query>(__func__, [&](Runtime& runtime, auto&) {
      return with_kernel(runtime, entry, [&](Device& device, const KernelLimits& kernel) {
        per_multiprocessor =
            static_cast<int>(host::resident_blocks(threads, dynamic_bytes, device.limits, kernel));
        return HostStatus::success;
      });
    });
  }
  /// The largest number of blocks per cluster that a launch of `shape` may use.
  static int max_cluster_blocks(const KernelEntry& entry, const LaunchShape& shape,
                                int& blocks) noexcept {
    return call<pure_query>(__func__, [&](Runtime& runtime, auto&) {
      return with_kernel(runtime, entry, [&](Device& device, const KernelLimits&) {
        const DeviceLimits& limits = device.limits;
        if (limits.max_cluster_blocks == 0) return HostStatus::not_supported;
        blocks = static_cast<int>(shape.non_portable_cluster ? limits.max_cluster_blocks_optin
                                                             : limits.max_cluster_blocks);
        return HostStatus::success;
      });
    });
  }
  /// Returns at once; the arguments are copied. The stream must belong to the current device.
  static int launch(const KernelEntry& entry, const LaunchShape& shape, void** args,
                    StreamHandle* handle) noexcept {
    print_notice();
    return call(__func__, [&](Runtime& runtime, auto&) {
      StreamState* stream = nullptr;
      if (const int status = usable(runtime, handle, stream); status != 0) return status;
      const int launched =
          with_kernel(runtime, entry, [&](Device& device, const KernelLimits& kernel) {
            if (&device != &stream->device) return HostStatus::invalid_resource_handle;
            const HostStatus verdict = launch_verdict(entry, shape, device.limits, kernel);
            if (verdict != HostStatus::success) return verdict;
            auto operation = make_shared<KernelOperation>(entry, shape, args, runtime.pool,
                                                          &runtime.known_memory);
            operation->grid.limits = {device.limits.shared_per_block, device.most_shared()};
            operation->grid.device_lost = &device.context_lost;
            operation->injected.status = runtime.book.kernel_fault();
            if (!reaches_arguments(runtime, device, entry, args)) {
              operation->injected.status = raw(HostStatus::illegal_address);
            }
            operation->unseen = unseen_parameter(runtime, entry, args);
            runtime.submit(*stream, operation);
            return HostStatus::success;
          });
      // As on an H200 (driver 580), a refused launch breaks the capture that it was submitted to.
      if (launched != 0 && stream->capture != nullptr) stream->capture->broken = true;
      return launched;
    });
  }

 private:
  /// Whether the device may access the memory behind the kernel's pointers.
  [[nodiscard]] static bool reaches_arguments(const Runtime& runtime, const Device& device,
                                              const KernelEntry& entry, void* const* args) {
    bool reaches = true;
    if (runtime.device_count <= 1) return reaches;
    warpsafe::detail::each_memory(entry, args, [&](const warpsafe::detail::GivenMemory& memory) {
      const Allocation* const found = runtime.memory.around(memory.address);
      reaches = reaches && (found == nullptr || found->is_accessible(device));
    });
    return reaches;
  }
  /// The first parameter, from 1, with an address of device memory that its type hides; 0: none.
  /// Asked only for a scheduler.
  [[nodiscard]] static std::uint32_t unseen_parameter(const Runtime& runtime,
                                                      const KernelEntry& entry, void* const* args) {
    if (runtime.scheduler == nullptr) return 0;
    for (std::uint32_t i = 0; i < entry.parameter_count; ++i) {
      const ParameterInfo& parameter = entry.parameters[i];
      const warpsafe::detail::InnerMemory inner = parameter.inner == nullptr
                                                      ? warpsafe::detail::InnerMemory{nullptr, 0}
                                                      : parameter.inner();
      // A number may be an address, too.
      if (!parameter.is_pointer && hides_memory(runtime, parameter, inner, args[i])) return i + 1;
    }
    return 0;
  }
  [[nodiscard]] static bool hides_memory(const Runtime& runtime, const ParameterInfo& parameter,
                                         const warpsafe::detail::InnerMemory& inner,
                                         const void* value) {
    const std::uint32_t word = sizeof(void*);
    const std::uint32_t step = parameter.alignment < word ? parameter.alignment : word;
    for (std::uint32_t at = 0; at + word <= parameter.size; at += step) {
      bool known = false;
      for (std::uint32_t i = 0; i < inner.count; ++i) {
        known = known || inner.places[i].offset == at;
      }
      const void* memory = nullptr;
      std::memcpy(&memory, static_cast<const unsigned char*>(value) + at, word);
      if (!known && runtime.memory.meant_by(memory) != nullptr) return true;
    }
    return false;
  }
  /// Calls `body(device, kernel)` with the current device and the kernel's attributes there.
  template <class Body>
  [[nodiscard]] static int with_kernel(Runtime& runtime, const KernelEntry& entry, Body&& body) {
    Device* device = nullptr;
    if (const int status = current(runtime, device); status != 0) return status;
    if (entry.function == nullptr || entry.invoke == nullptr) {
      return raw(HostStatus::invalid_device_function);
    }
    return raw(body(*device, device->kernel(entry.function)));
  }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
