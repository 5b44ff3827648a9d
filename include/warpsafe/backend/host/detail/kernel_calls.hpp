// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/backend.hpp>
#include <warpsafe/backend/host/detail/call.hpp>
#include <warpsafe/backend/host/detail/device_calls.hpp>
#include <warpsafe/backend/host/detail/launch_verdict.hpp>
#include <warpsafe/backend/host/detail/operation.hpp>
#include <warpsafe/backend/host/detail/runtime.hpp>
#include <warpsafe/backend/host/detail/stream_calls.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace warpsafe::host {

/// The backend's members about kernels, for the calling thread's current device. See
/// backend/backend.hpp.
struct KernelCalls {
  static int attributes_of(const KernelEntry& entry, KernelLimits& limits) noexcept {
    return call(Call::attributes_of, [&](Runtime& runtime, auto&) {
      return with_kernel(runtime, entry, [&](Device&, const KernelLimits& kernel) {
        limits = kernel;
        return HostStatus::success;
      });
    });
  }
  static int raise_dynamic_shared(const KernelEntry& entry, std::uint64_t bytes) noexcept {
    return call(Call::raise_dynamic_shared, [&](Runtime& runtime, auto&) {
      return with_kernel(runtime, entry, [&](Device& device, const KernelLimits&) {
        return device.raise_dynamic_shared(entry.function, bytes) ? HostStatus::success
                                                                  : HostStatus::invalid_value;
      });
    });
  }
  static int resident_blocks(const KernelEntry& entry, std::uint32_t threads,
                             std::uint64_t dynamic_bytes, int& per_multiprocessor) noexcept {
    return call(Call::resident_blocks, [&](Runtime& runtime, auto&) {
      return with_kernel(runtime, entry, [&](Device& device, const KernelLimits& kernel) {
        per_multiprocessor =
            static_cast<int>(host::resident_blocks(threads, dynamic_bytes, device.limits, kernel));
        return HostStatus::success;
      });
    });
  }
  /// The largest cluster, in blocks, that a launch of `shape` may ask for.
  static int max_cluster_blocks(const KernelEntry& entry, const LaunchShape& shape,
                                int& blocks) noexcept {
    return call(Call::max_cluster_blocks, [&](Runtime& runtime, auto&) {
      return with_kernel(runtime, entry, [&](Device& device, const KernelLimits&) {
        const DeviceLimits& limits = device.limits;
        if (limits.max_cluster_blocks == 0) return HostStatus::not_supported;
        blocks = static_cast<int>(shape.non_portable_cluster ? limits.max_cluster_blocks_optin
                                                             : limits.max_cluster_blocks);
        return HostStatus::success;
      });
    });
  }
  /// Returns at once; the arguments are copied. The stream must be of the current device.
  static int launch(const KernelEntry& entry, const LaunchShape& shape, void** args,
                    StreamState* stream) noexcept {
    return call(Call::launch, [&](Runtime& runtime, auto&) {
      if (const int status = usable(runtime, stream); status != 0) return status;
      const int launched =
          with_kernel(runtime, entry, [&](Device& device, const KernelLimits& kernel) {
            if (&device != &stream->device) return HostStatus::invalid_resource_handle;
            const HostStatus verdict = launch_verdict(entry, shape, device.limits, kernel);
            if (verdict != HostStatus::success) return verdict;
            auto operation = std::make_shared<KernelOperation>(entry, shape, args, runtime.pool);
            operation->injected.status = runtime.book.kernel_fault();
            runtime.submit(*stream, std::move(operation));
            return HostStatus::success;
          });
      // As on an H200 (driver 580): a refused launch breaks the capture that it was to go into.
      if (launched != 0 && stream->capture != nullptr) stream->capture->broken = true;
      return launched;
    });
  }

 private:
  /// `body(device, kernel)` for the current device and what `entry` allows there.
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

}  // namespace warpsafe::host
