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
#include <string_view>
#include <vector>

namespace warpsafe::watch {

/// The guard's work on the device: on a stream of its own, so that it orders nothing else.
inline constexpr GuardAccess cuda_guard_access{
    [](std::uintptr_t to, std::uint32_t pattern, std::size_t bytes) noexcept {
      CUstream stream = nullptr;
      if (call_driver(&Driver::stream_create, &stream, unsigned{CU_STREAM_NON_BLOCKING}) !=
          CUDA_SUCCESS) {
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
        if (known.call == Call::free) guard_.forget(parameters<cuMemFree_v2_params>(info).dptr, 1);
        return;
      }
      if (known.call == Call::allocate) {
        auto& of = parameters<cuMemAlloc_v2_params>(info);
        if (!has_room(of.bytesize)) return;
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
      }
    } catch (...) {  // out of memory: this call is not guarded
      return;
    }
  }
  /// Call when it has ended.
  void leave(ThreadState& mine, const KnownCall& known, std::int32_t device,
             const CUpti_CallbackData& info, CUresult status) noexcept {
    try {
      if (known.call == Call::allocate) {
        auto& of = parameters<cuMemAlloc_v2_params>(info);
        of.bytesize -= mine.guarded;
        if (status != CUDA_SUCCESS) {
          mine.guarded = 0;
          return;
        }
        guard_.forget(*of.dptr, of.bytesize);
        if (mine.guarded != 0) allocated(*of.dptr, of.bytesize, mine.guarded, device, mine);
      } else if (known.call == Call::free && mine.guarded != 0) {
        parameters<cuMemFree_v2_params>(info).dptr = mine.guarded;
      } else if (known.call == Call::unload && status == CUDA_SUCCESS && ends_context(known.name)) {
        guard_.forget();
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
  /// Returns whether the memory of a context is gone, other than by cuModuleUnload.
  [[nodiscard]] static bool ends_context(Name name) noexcept {
    const std::string_view text(name.data, name.size);
    return text.substr(0, 5) == "cuCtx" || text.substr(0, 8) == "cuDevice";
  }
  /// Gives the kept memory back if the device has little left.
  [[nodiscard]] bool has_room(std::size_t bytes) {
    std::size_t left = 0;
    std::size_t total = 0;
    if (call_driver(&Driver::memory_info, &left, &total) != CUDA_SUCCESS) return false;
    if (left > least_free && left - least_free > bytes) return true;
    std::vector<GuardReport> found;
    guard_.release_all(found);
    report(found);
    return false;
  }
  void allocated(CUdeviceptr begin, std::size_t bytes, std::size_t zone, std::int32_t device,
                 const ThreadState& mine) {
    CUdeviceptr base = 0;
    std::size_t size = 0;
    const CUresult answer = call_driver(&Driver::address_range, &base, &size, begin);
    if (answer != CUDA_SUCCESS || base != begin || size < bytes + zone) {
      if (!__atomic_exchange_n(&warned_, true, __ATOMIC_RELAXED)) {
        StandardError::line(
            "warpsafe: --guard has no effect: this driver does not take a size from CUPTI's "
            "callback");
      }
      return;
    }
    const Name by = mine.runtime_call != nullptr ? mine.runtime_call->name : Name::of("cuMemAlloc");
    guard_.allocated(begin, bytes, zone, device, by, HostStack::here());
  }
  void report(const std::vector<GuardReport>& found) noexcept {
    for (const GuardReport& one : found) watcher_.guard_found(one);
  }

  Watcher& watcher_;
  MemoryGuard guard_;
  bool warned_ = false;
};

}  // namespace warpsafe::watch
