// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/guard/memory_guard.hpp"
#include "../core/watcher.hpp"
#include "driver.hpp"
#include "known_call.hpp"
#include "thread_state.hpp"

#include <cuda.h>
#include <cupti.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// The guard's work on the device: on a stream of its own, so that it orders nothing else; for
/// memory of a pool, in the order of the program's stream.
inline constexpr GuardAccess cuda_guard_access{
    [](std::uintptr_t to, std::uint32_t pattern, std::size_t bytes, void* in_order) noexcept {
      auto stream = static_cast<CUstream>(in_order);
      if (in_order == nullptr && call_driver(&Driver::stream_create, &stream,
                                             unsigned{CU_STREAM_NON_BLOCKING}) != CUDA_SUCCESS) {
        return false;
      }
      const bool words = to % 4 == 0;
      const std::size_t whole = words ? bytes / 4 : 0;
      bool done = whole == 0 || call_driver(&Driver::fill_words, CUdeviceptr{to}, pattern, whole,
                                            stream) == CUDA_SUCCESS;
      // The rest, and a zone at an odd address, whose bytes are all equal.
      if (bytes != whole * 4) {
        done = done && call_driver(&Driver::fill_bytes, CUdeviceptr{to + whole * 4},
                                   static_cast<unsigned char>(pattern), bytes - whole * 4,
                                   stream) == CUDA_SUCCESS;
      }
      if (in_order != nullptr) return done;
      done = call_driver(&Driver::stream_synchronize, stream) == CUDA_SUCCESS && done;
      static_cast<void>(call_driver(&Driver::stream_destroy, stream));
      return done;
    },
    [](void* to, std::uintptr_t from, std::size_t bytes) noexcept {
      CUstream stream = nullptr;
      if (call_driver(&Driver::stream_create, &stream, unsigned{CU_STREAM_NON_BLOCKING}) !=
          CUDA_SUCCESS) {
        return false;
      }
      bool done =
          call_driver(&Driver::copy_out, to, CUdeviceptr{from}, bytes, stream) == CUDA_SUCCESS;
      done = call_driver(&Driver::stream_synchronize, stream) == CUDA_SUCCESS && done;
      static_cast<void>(call_driver(&Driver::stream_destroy, stream));
      return done;
    },
    []() noexcept { return call_driver(&Driver::context_synchronize) == CUDA_SUCCESS; },
    [](std::uintptr_t memory) noexcept {
      static_cast<void>(call_driver(&Driver::free_memory, CUdeviceptr{memory}));
    },
    [](void* stream, void*& mark) noexcept {
      CUevent event = nullptr;
      if (call_driver(&Driver::event_create, &event, unsigned{CU_EVENT_DISABLE_TIMING}) !=
          CUDA_SUCCESS) {
        return false;
      }
      mark = event;
      if (call_driver(&Driver::event_record, event, static_cast<CUstream>(stream)) == CUDA_SUCCESS)
        return true;
      static_cast<void>(call_driver(&Driver::event_destroy, event));
      return false;
    },
    [](void* mark) noexcept {
      return call_driver(&Driver::event_query, static_cast<CUevent>(mark)) == CUDA_SUCCESS;
    },
    [](void* mark) noexcept {
      static_cast<void>(call_driver(&Driver::event_destroy, static_cast<CUevent>(mark)));
    },
    [](std::uintptr_t memory, void* mark) noexcept {
      CUstream stream = nullptr;
      if (call_driver(&Driver::stream_create, &stream, unsigned{CU_STREAM_NON_BLOCKING}) !=
          CUDA_SUCCESS) {
        return;
      }
      if (call_driver(&Driver::stream_waits, stream, static_cast<CUevent>(mark), 0U) ==
          CUDA_SUCCESS) {
        static_cast<void>(call_driver(&Driver::free_in_order, CUdeviceptr{memory}, stream));
      }
      static_cast<void>(call_driver(&Driver::stream_destroy, stream));
    }};

/// Makes the program's allocations larger, and keeps its freed memory (--guard). It changes the
/// parameters of a call before the driver reads them, and restores them afterwards. CUPTI does not
/// document that the driver reads them there, so the new size is verified.
class GuardCalls {
 public:
  GuardCalls(Watcher& watcher, std::uint64_t every)
      : watcher_(watcher), guard_(every, cuda_guard_access) {}
  [[nodiscard]] bool on() const noexcept { return guard_.on(); }

  /// Call when the driver call begins. `captures`: a stream captures, which forbids the guard's own
  /// work on the device.
  void enter(ThreadState& mine, const KnownCall& known, std::int32_t device,
             const CUpti_CallbackData& info, bool captures) noexcept {
    mine.guarded = 0;
    try {
      if (captures) {
        // Both begin with the address.
        if (known.call == Call::free || known.call == Call::free_async)
          guard_.forget(parameters<cuMemFree_v2_params>(info).dptr, 1);
        return;
      }
      if (allocates(known.call)) {
        // All begin with the same two.
        auto& of = parameters<cuMemAlloc_v2_params>(info);
        if (!has_room(of.bytesize, known.call == Call::allocate)) return;
        mine.guarded = guard_.next_zone(of.bytesize);
        of.bytesize += mine.guarded;
      } else if (known.call == Call::free) {
        auto& of = parameters<cuMemFree_v2_params>(info);
        std::vector<GuardReport> found;
        const bool twice = guard_.is_kept(of.dptr);
        if (twice || guard_.freed(of.dptr, device, found)) {
          mine.guarded = of.dptr;
          // The driver refuses an address inside of memory; a free of nothing succeeds.
          of.dptr = twice ? of.dptr + 1 : 0;
        }
        report(found);
      } else if (known.call == Call::free_async) {
        free_in_order(mine, known, device, info);
      }
    } catch (...) {  // out of memory: this call is not guarded
      return;
    }
  }
  /// Call when it has ended.
  void leave(ThreadState& mine, const KnownCall& known, std::int32_t device,
             const CUpti_CallbackData& info, CUresult status) noexcept {
    try {
      if (allocates(known.call)) {
        auto& of = parameters<cuMemAlloc_v2_params>(info);
        of.bytesize -= mine.guarded;
        if (status != CUDA_SUCCESS) {
          mine.guarded = 0;
          return;
        }
        guard_.forget(*of.dptr, of.bytesize);
        if (mine.guarded != 0) {
          void* const stream = known.call == Call::allocate ? nullptr : stream_of(known, info);
          allocated(*of.dptr, of.bytesize, mine.guarded, device, mine, stream);
        }
      } else if ((known.call == Call::free || known.call == Call::free_async) &&
                 mine.guarded != 0) {
        parameters<cuMemFree_v2_params>(info).dptr = mine.guarded;
      } else if (ends_context(known) && status == CUDA_SUCCESS) {
        guard_.forget();
      } else if (status == CUDA_SUCCESS &&
                 (known.call == Call::copy_out || known.call == Call::copy_out_async)) {
        copied_out(mine, known, info);
      } else if (status == CUDA_SUCCESS &&
                 (known.call == Call::wait_stream || known.call == Call::wait_device)) {
        report(guard_.look(device));
      }
    } catch (...) {  // out of memory
    }
    mine.guarded = 0;
  }
  /// Call when cuMemGetAddressRange has ended: the program sees the size that it has asked for.
  void hide_zone(const CUpti_CallbackData& info, CUresult status) noexcept {
    const auto& of = parameters<cuMemGetAddressRange_v2_params>(info);
    if (status == CUDA_SUCCESS && of.psize != nullptr) *of.psize -= guard_.zone_of(of.dptr);
  }
  void launched(const Kernel& kernel) noexcept {
    try {
      guard_.launched(kernel.name_view());
    } catch (...) {  // out of memory: a report names fewer kernels
      return;
    }
  }
  /// Call when the process ends, while the driver still works. Neither waits nor frees: a kernel
  /// may run for ever, and end with the process.
  void finish() noexcept {
    int device = 0;
    if (!on() || call_driver(&Driver::context_device, &device) != CUDA_SUCCESS) return;
    try {
      report(guard_.look(device, true));
      std::vector<GuardReport> found;
      guard_.look_at_kept(found);
      report(found);
    } catch (...) {  // out of memory
      return;
    }
  }

 private:
  /// Below this, the guard takes no memory from the program.
  static constexpr std::size_t least_free = std::size_t{256} << 20U;

  template <class Parameters>
  [[nodiscard]] static Parameters& parameters(const CUpti_CallbackData& info) noexcept {
    return *static_cast<Parameters*>(const_cast<void*>(info.functionParams));
  }
  [[nodiscard]] static bool allocates(Call call) noexcept {
    return call == Call::allocate || call == Call::allocate_async;
  }
  /// Returns the stream of a pool's call; never nullptr.
  [[nodiscard]] static void* stream_of(const KnownCall& known,
                                       const CUpti_CallbackData& info) noexcept {
    const CUstream stream = known.call == Call::free_async
                                ? parameters<cuMemFreeAsync_params>(info).hStream
                            : known.name.size == sizeof "cuMemAllocAsync" - 1
                                ? parameters<cuMemAllocAsync_params>(info).hStream
                                : parameters<cuMemAllocFromPoolAsync_params>(info).hStream;
    return stream != nullptr ? stream : known.per_thread ? CU_STREAM_PER_THREAD : CU_STREAM_LEGACY;
  }
  /// Lets the driver free other memory of the pool in place of memory that the guard keeps.
  void free_in_order(ThreadState& mine, const KnownCall& known, std::int32_t device,
                     const CUpti_CallbackData& info) {
    auto& of = parameters<cuMemFreeAsync_params>(info);
    if (guard_.is_kept(of.dptr)) {
      mine.guarded = of.dptr;
      of.dptr += 1;  // no address of an allocation
      return;
    }
    if (!guard_.is_of_pool(of.dptr)) return guard_.forget(of.dptr, 1);
    const auto stream = static_cast<CUstream>(stream_of(known, info));
    CUdeviceptr other = 0;
    if (call_driver(&Driver::allocate_in_order, &other, std::size_t{1}, stream) != CUDA_SUCCESS)
      return guard_.forget(of.dptr, 1);
    std::vector<GuardReport> found;
    if (guard_.freed_in_order(of.dptr, device, stream, found)) {
      mine.guarded = std::exchange(of.dptr, other);
    } else {
      static_cast<void>(call_driver(&Driver::free_in_order, other, stream));
    }
    report(found);
  }
  /// Returns whether the memory of a context is gone, other than by cuModuleUnload.
  /// Gives the kept memory back if the device has little left, and the call may wait.
  [[nodiscard]] bool has_room(std::size_t bytes, bool may_wait) {
    std::size_t left = 0;
    std::size_t total = 0;
    if (call_driver(&Driver::memory_info, &left, &total) != CUDA_SUCCESS) return false;
    if (left > least_free && left - least_free > bytes) return true;
    if (!may_wait) return false;
    std::vector<GuardReport> found;
    guard_.release_all(found);
    report(found);
    return false;
  }
  void allocated(CUdeviceptr begin, std::size_t bytes, std::size_t zone, std::int32_t device,
                 const ThreadState& mine, void* stream) {
    CUdeviceptr base = 0;
    std::size_t size = 0;
    const CUresult answer = call_driver(&Driver::address_range, &base, &size, begin);
    if (answer != CUDA_SUCCESS || base != begin || size < bytes + zone) {
      if (!__atomic_exchange_n(stream == nullptr ? &warned_ : &warned_of_pools_, true,
                               __ATOMIC_RELAXED)) {
        StandardError::line(stream == nullptr
                                ? "warpsafe: --guard has no effect: this driver does not take a "
                                  "size from CUPTI's callback"
                                : "warpsafe: --guard does not guard memory of pools: this driver "
                                  "does not tell its size");
      }
      return;
    }
    // A pool may be of another device than the stream, which then may not reach its memory.
    int owner = device;
    if (stream != nullptr &&
        call_driver(&Driver::pointer_attribute, static_cast<void*>(&owner),
                    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, begin) == CUDA_SUCCESS &&
        owner != device) {
      return;
    }
    const Name by = mine.runtime_call != nullptr ? mine.runtime_call->name
                    : stream == nullptr          ? Name::of("cuMemAlloc")
                                                 : Name::of("cuMemAllocAsync");
    guard_.allocated(begin, bytes, zone, device, by, HostStack::here(), stream);
  }
  /// An asynchronous copy to pinned memory may still run, and what is the device's cannot be read.
  void copied_out(const ThreadState& mine, const KnownCall& known, const CUpti_CallbackData& info) {
    // Both begin with the same three.
    const auto& of = parameters<cuMemcpyDtoH_v2_params>(info);
    unsigned kind = 0;
    if (call_driver(&Driver::pointer_attribute, static_cast<void*>(&kind),
                    CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                    reinterpret_cast<CUdeviceptr>(of.dstHost)) == CUDA_SUCCESS &&
        kind != 0 && (kind == CU_MEMORYTYPE_DEVICE || known.call == Call::copy_out_async)) {
      return;
    }
    const UnwrittenBytes found = guard_.unwritten(of.srcDevice, of.dstHost, of.ByteCount);
    if (found.count == 0) return;
    const Name call = mine.runtime_call != nullptr ? mine.runtime_call->name : known.name;
    watcher_.suspicions().unwritten.found(call, of.ByteCount, found);
  }
  void report(const std::vector<GuardReport>& found) noexcept {
    for (const GuardReport& one : found) watcher_.guard_found(one);
  }

  Watcher& watcher_;
  MemoryGuard guard_;
  bool warned_ = false;
  bool warned_of_pools_ = false;
};

}  // namespace warpsafe::watch
