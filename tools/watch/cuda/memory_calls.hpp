// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/watcher.hpp"
#include "call_stack.hpp"
#include "captures.hpp"
#include "driver.hpp"
#include "known_call.hpp"
#include "stream_names.hpp"
#include <warpsafe/debug/memory_access.hpp>

#include <cuda.h>
#include <cupti.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace warpsafe::watch {

/// The driver's calls that allocate, copy and fill, for the suspicions. Calls that it took alone.
class MemoryCalls {
 public:
  MemoryCalls(Watcher& watcher, Captures& captures) : watcher_(watcher), captures_(captures) {}

  /// May throw std::bad_alloc.
  void done(const KnownCall& known, std::int32_t device, const CUpti_CallbackData& info) {
    switch (known.call) {
      case Call::allocate: {
        const auto& of = read<cuMemAlloc_v2_params>(info);
        if (of.dptr == nullptr) return;
        watcher_.suspicions().copies.allocated(*of.dptr, of.bytesize);
        // This call is slow enough to be asked for its caller.
        if (*calling_library() != '\0') return;
        return order().allocated(*of.dptr, of.bytesize, false);
      }
      case Call::allocate_async: {
        const auto& of = read<cuMemAllocAsync_params>(info);
        if (of.dptr != nullptr) order().allocated(*of.dptr, of.bytesize, false);
        return;
      }
      case Call::allocate_managed: {
        const auto& of = read<cuMemAllocManaged_params>(info);
        if (of.dptr != nullptr) order().allocated(*of.dptr, of.bytesize, true);
        return;
      }
      case Call::allocate_pitch: {
        const auto& of = read<cuMemAllocPitch_v2_params>(info);
        if (of.dptr == nullptr || of.pPitch == nullptr) return;
        return order().allocated(*of.dptr, *of.pPitch * of.Height, false);
      }
      case Call::free: {
        const CUdeviceptr memory = read<cuMemFree_v2_params>(info).dptr;
        watcher_.suspicions().copies.freed(memory);
        order().freed(memory);
        return order().host_knows_all();  // it waits for the device, or may
      }
      case Call::free_async:
        return order().freed(read<cuMemFreeAsync_params>(info).dptr);
      default:
        return copied(known, device, info);
    }
  }

 private:
  using Kind = debug::AccessKind;
  template <class Parameters>
  [[nodiscard]] static const Parameters& read(const CUpti_CallbackData& info) noexcept {
    return *static_cast<const Parameters*>(info.functionParams);
  }
  [[nodiscard]] OrderWatch& order() noexcept { return watcher_.suspicions().order; }

  void copied(const KnownCall& known, std::int32_t device, const CUpti_CallbackData& info) {
    const On on{known, device, info};
    switch (known.call) {
      case Call::copy_in: {
        const auto& of = read<cuMemcpyHtoD_v2_params>(info);
        watcher_.suspicions().copies.copied(of.dstDevice, of.ByteCount);
        return work(on, nullptr, {of.dstDevice, of.ByteCount, Kind::write}, {}, true);
      }
      case Call::copy_out: {
        const auto& of = read<cuMemcpyDtoH_v2_params>(info);
        watcher_.suspicions().copies.copied(of.srcDevice, of.ByteCount);
        return work(on, nullptr, {}, {of.srcDevice, of.ByteCount, Kind::read}, true);
      }
      case Call::copy_in_async: {
        const auto& of = read<cuMemcpyHtoDAsync_v2_params>(info);
        watcher_.suspicions().copies.copied(of.dstDevice, of.ByteCount);
        return work(on, of.hStream, {of.dstDevice, of.ByteCount, Kind::write}, {},
                    order().on() && host_waits(address(of.srcHost)));
      }
      case Call::copy_out_async: {
        const auto& of = read<cuMemcpyDtoHAsync_v2_params>(info);
        watcher_.suspicions().copies.copied(of.srcDevice, of.ByteCount);
        return work(on, of.hStream, {}, {of.srcDevice, of.ByteCount, Kind::read},
                    order().on() && host_waits(address(of.dstHost)));
      }
      case Call::copy_any: {
        const auto& of = read<cuMemcpy_params>(info);
        return work(on, nullptr, {of.dst, of.ByteCount, Kind::write},
                    {of.src, of.ByteCount, Kind::read},
                    order().on() && !(is_on_device(of.dst) && is_on_device(of.src)));
      }
      case Call::copy_any_async: {
        const auto& of = read<cuMemcpyAsync_params>(info);
        return work(on, of.hStream, {of.dst, of.ByteCount, Kind::write},
                    {of.src, of.ByteCount, Kind::read},
                    order().on() && (host_waits(of.dst) || host_waits(of.src)));
      }
      case Call::copy_device: {
        // "No host-side synchronization is performed" (API synchronization behavior).
        const auto& of = read<cuMemcpyDtoD_v2_params>(info);
        return work(on, nullptr, {of.dstDevice, of.ByteCount, Kind::write},
                    {of.srcDevice, of.ByteCount, Kind::read}, false);
      }
      case Call::copy_device_async: {
        const auto& of = read<cuMemcpyDtoDAsync_v2_params>(info);
        return work(on, of.hStream, {of.dstDevice, of.ByteCount, Kind::write},
                    {of.srcDevice, of.ByteCount, Kind::read}, false);
      }
      case Call::fill:
      case Call::fill_async: {
        // The widths have the same layout; those without a stream are shorter.
        const auto& of = read<cuMemsetD32Async_params>(info);
        const CUstream stream = known.call == Call::fill ? nullptr : of.hStream;
        return work(on, stream, {of.dstDevice, of.N * width(known), Kind::write}, {},
                    order().on() && order().is_managed(of.dstDevice));
      }
      default:
        return;
    }
  }

  struct On {
    const KnownCall& known;
    std::int32_t device;
    const CUpti_CallbackData& info;
  };
  /// `done`: the host waits for it.
  void work(const On& on, CUstream stream, const debug::MemoryAccess& writes,
            const debug::MemoryAccess& reads, bool done) {
    if (!order().on() || captures_.is_capturing(stream)) return;
    const StreamPlace at = place_of(stream, on.known.per_thread, on.device, watcher_.streams());
    const debug::MemoryAccess both[] = {writes, reads};
    const std::size_t bytes = writes.bytes != 0 ? writes.bytes : reads.bytes;
    order().submitted({on.known.name, false, bytes, "", at}, both);
    if (done) order().host_knows(at);
  }
  /// cuMemsetD8, D16, D32: bytes of an element.
  [[nodiscard]] static std::size_t width(const KnownCall& known) noexcept {
    const char digit = known.name.data[sizeof "cuMemsetD" - 1];
    return digit == '8' ? 1 : digit == '1' ? 2 : 4;
  }
  [[nodiscard]] static CUdeviceptr address(const void* memory) noexcept {
    return reinterpret_cast<CUdeviceptr>(memory);
  }
  /// What kind of memory that is; 0: the driver does not know it.
  [[nodiscard]] static unsigned kind_of(CUdeviceptr memory) noexcept {
    unsigned kind = 0;
    return call_driver(&Driver::pointer_attribute, static_cast<void*>(&kind),
                       CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory) == CUDA_SUCCESS
               ? kind
               : 0;
  }
  [[nodiscard]] static bool is_on_device(CUdeviceptr memory) noexcept {
    return kind_of(memory) == CU_MEMORYTYPE_DEVICE;
  }
  /// Of a copy from or to ordinary host memory: it "might be synchronous" (the same page).
  [[nodiscard]] static bool host_waits(CUdeviceptr memory) noexcept { return kind_of(memory) == 0; }

  Watcher& watcher_;
  Captures& captures_;
};

}  // namespace warpsafe::watch
