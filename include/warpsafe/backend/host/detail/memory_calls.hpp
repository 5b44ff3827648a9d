// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/capture_rules.hpp>
#include <warpsafe/backend/host/detail/containers.hpp>
#include <warpsafe/backend/host/detail/device_calls.hpp>
#include <warpsafe/backend/host/detail/memory.hpp>
#include <warpsafe/backend/host/detail/operation.hpp>
#include <warpsafe/backend/host/detail/runtime.hpp>
#include <warpsafe/backend/host/detail/stream_calls.hpp>
#include <warpsafe/backend/host/detail/thread_state.hpp>
#include <warpsafe/backend/host/detail/threads.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/backend/memory_access.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// Frees an allocation's storage when its stream reaches this operation. Reports a write past its
/// end as an illegal access.
struct ReleaseOperation final : Operation {
  ReleaseOperation(Runtime& runtime, void* memory, std::size_t bytes)
      : runtime_(runtime), memory_(memory) {
    accesses = {MemoryAccess::of(memory, bytes, AccessKind::release)};
  }
  [[nodiscard]] OperationKind kind() const noexcept override { return OperationKind::release; }
  Failure run() override {
    Lock lock(runtime_.mutex);
    Allocation allocation = runtime_.memory.remove(memory_);
    lock.unlock();
    Failure failure = overrun(allocation, caller.site);
    allocation.storage.retire();
    lock.lock();
    runtime_.quarantine(std::move(allocation));
    return failure;
  }
  /// The failure if something was written past the end of memory that is freed in this line.
  [[nodiscard]] static Failure overrun(Allocation& memory, const call_site& freed) {
    char text[256];
    warpsafe::detail::TextBuffer out(text, sizeof text);
    out << "; found when the memory was freed";
    if (freed.file != nullptr) out << " at " << freed;
    return memory.take_overrun({text, out.size()});
  }

 private:
  Runtime& runtime_;
  void* memory_;
};

/// The backend's calls for memory; sizes are in bytes. See backend/backend.hpp.
struct MemoryCalls {
  /// For 0 bytes, stores nullptr and succeeds, as CUDA does.
  static int allocate(void*& memory, std::size_t bytes, StreamHandle* handle) noexcept {
    return call(__func__, [&](Runtime& runtime, Lock& lock) {
      StreamState* stream = nullptr;
      if (const int status = usable(runtime, handle, stream); status != 0) return status;
      Device& device = stream->device;
      // CUDA makes this a node whose memory exists while the graph runs; this model does not.
      if (const int no = check_query(runtime, *stream); no != 0) return no;
      if (!device.limits.memory_pools) return raw(HostStatus::not_supported);
      const int status = take(runtime, lock, memory, bytes, MemoryKind::device, device, true);
      if (runtime.scheduler == nullptr || memory == nullptr) return status;
      // Without a record of the allocation, there is no allocation.
      OnFailure unrecorded{[&] {
        static_cast<void>(runtime.memory.remove(memory));
        device.used -= bytes;
      }};
      runtime.submit(*stream, make_shared<AllocateOperation>(memory, bytes));
      unrecorded.active = false;
      return status;
    });
  }
  /// The memory counts as free at once, but its storage stays until the stream reaches the free.
  /// Returns invalid_value for memory that is not device memory or was already freed.
  static int deallocate(void* memory, StreamHandle* handle) noexcept {
    return call(__func__, [&](Runtime& runtime, auto&) {
      StreamState* stream = nullptr;
      const int status = usable(runtime, handle, stream);
      if (status == raw(HostStatus::invalid_resource_handle) || memory == nullptr) return status;
      Allocation* const found = runtime.memory.at(memory);
      if (found == nullptr || !found->ordered || found->freed) {
        return raw(HostStatus::invalid_value);
      }
      if (const int no = check_query(runtime, *stream); no != 0) return no;
      runtime.submit(*stream, make_shared<ReleaseOperation>(runtime, memory, found->bytes));
      found->freed = true;
      runtime.devices[static_cast<std::size_t>(found->device)]->used -= found->bytes;
      // If no work may still write to it, this call returns what the release would find.
      if (!runtime.works(*stream)) {
        stream->device.fail(ReleaseOperation::overrun(*found, caller().site));
        return runtime.lost(stream->device);
      }
      return status;
    });
  }
  static int has_memory_pools(int device, bool& answer) noexcept {
    return call<pure_query>(__func__, [&](Runtime& runtime, auto&) {
      const Device* const found = runtime.device(device);
      answer = found != nullptr && found->limits.memory_pools;
      return raw(found == nullptr ? HostStatus::invalid_device : HostStatus::success);
    });
  }
  static int allocate_unordered(void*& memory, std::size_t bytes) noexcept {
    return call(__func__, [&](Runtime& runtime, Lock& lock) {
      Device* device = nullptr;
      if (const int status = current(runtime, device); status != 0) return status;
      if (const int no = unsafe_call(runtime); no != 0) return no;
      return take(runtime, lock, memory, bytes, MemoryKind::device, *device, false);
    });
  }
  static int allocate_managed(void*& memory, std::size_t bytes) noexcept {
    return call(__func__, [&](Runtime& runtime, Lock& lock) {
      Device* device = nullptr;
      if (const int status = current(runtime, device); status != 0) return status;
      if (const int no = unsafe_call(runtime); no != 0) return no;
      return take(runtime, lock, memory, bytes, MemoryKind::managed, *device, false);
    });
  }
  /// Waits for all work of the memory's device, which may use the memory. HIP documents this for
  /// hipFree. cudaFree only "may perform implicit synchronization" (CUDA 13.0, cuda_runtime_api.h),
  /// so a program cannot rely on it.
  static int deallocate_unordered(void* memory) noexcept {
    return call(__func__, [&](Runtime& runtime, Lock& lock) {
      if (memory == nullptr) return 0;
      Allocation* const found = runtime.memory.at(memory);
      if (found == nullptr || found->kind == MemoryKind::pinned || found->ordered || found->freed) {
        return raw(HostStatus::invalid_value);
      }
      if (const int no = unsafe_call(runtime); no != 0) return no;
      Device& device = *runtime.devices[static_cast<std::size_t>(found->device)];
      const std::size_t bytes = found->bytes;
      release(runtime, lock, *found, device, &device);
      device.used -= bytes;
      return runtime.lost(device);
    });
  }
  static int host_allocate(void*& memory, std::size_t bytes) noexcept {
    return call(__func__, [&](Runtime& runtime, Lock& lock) {
      Device* device = nullptr;
      if (const int status = current(runtime, device); status != 0) return status;
      if (const int no = unsafe_call(runtime); no != 0) return no;
      memory = nullptr;
      if (bytes == 0) return 0;
      memory = add(runtime, lock, bytes, MemoryKind::pinned, *device, false);
      return raw(memory == nullptr ? HostStatus::out_of_memory : HostStatus::success);
    });
  }
  /// Waits for all work of all devices, which may use the memory. HIP documents this for
  /// hipHostFree. CUDA does not for cudaFreeHost, so a program cannot rely on it.
  static int host_deallocate(void* memory) noexcept {
    return call(__func__, [&](Runtime& runtime, Lock& lock) {
      if (memory == nullptr) return 0;
      Allocation* const found = runtime.memory.at(memory);
      if (found == nullptr || found->kind != MemoryKind::pinned || found->freed) {
        return raw(HostStatus::invalid_value);
      }
      if (const int no = unsafe_call(runtime); no != 0) return no;
      Device& device = *runtime.devices[static_cast<std::size_t>(found->device)];
      release(runtime, lock, *found, device, nullptr);
      return runtime.lost(device);
    });
  }

  /// A copy from host to host returns when it has ended; all others are asynchronous. From pageable
  /// host memory, the bytes are read before the call returns; into pageable memory, they are there
  /// when it returns. Drivers behave like this, but CUDA no longer promises it ("might be
  /// synchronous", CUDA Runtime API, "API synchronization behavior").
  static int copy(void* to, const void* from, std::size_t bytes, CopyKind kind,
                  StreamHandle* stream) noexcept {
    return call(__func__, [&](Runtime& runtime, Lock& lock) {
      return copy_rows(runtime, lock, to, bytes, from, bytes, {bytes, 1}, kind, stream);
    });
  }
  static int copy_2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                     std::size_t width, std::size_t rows, CopyKind kind,
                     StreamHandle* stream) noexcept {
    return call(__func__, [&](Runtime& runtime, Lock& lock) {
      if (width > to_pitch || width > from_pitch) return raw(HostStatus::invalid_pitch);
      return copy_rows(runtime, lock, to, to_pitch, from, from_pitch, {width, rows}, kind, stream);
    });
  }
  /// Needs no peer access, as on CUDA.
  static int copy_peer(void* to, int to_device, const void* from, int from_device,
                       std::size_t bytes, StreamHandle* stream) noexcept {
    return call(__func__, [&](Runtime& runtime, Lock& lock) {
      if (runtime.device(to_device) == nullptr || runtime.device(from_device) == nullptr) {
        return raw(HostStatus::invalid_device);
      }
      return copy_rows(runtime, lock, to, bytes, from, bytes, {bytes, 1},
                       CopyKind::device_to_device, stream, true);
    });
  }
  static int fill(void* memory, unsigned char value, std::size_t bytes,
                  StreamHandle* handle) noexcept {
    return call(__func__, [&](Runtime& runtime, auto&) {
      StreamState* stream = nullptr;
      if (const int status = usable(runtime, handle, stream); status != 0) return status;
      if (bytes == 0) return 0;
      if (!reachable(runtime, memory, bytes, &stream->device)) {
        return raw(HostStatus::invalid_value);  // as on two H200s (CUDA 13.0)
      }
      runtime.submit(*stream, make_shared<FillOperation>(memory, value, bytes));
      return 0;
    });
  }
  /// `device` is -1 for memory that the backend did not allocate.
  static int pointer_kind(const void* memory, MemoryKind& kind, int& device) noexcept {
    return call<pure_query>(__func__, [&](Runtime& runtime, auto&) {
      const Allocation* const found = runtime.memory.around(memory);
      const bool live = found != nullptr && !found->freed;
      kind = live ? found->kind : MemoryKind::unregistered;
      device = live ? found->device : -1;
      return 0;
    });
  }

 private:
  /// Allocates memory of a device and counts it.
  [[nodiscard]] static int take(Runtime& runtime, Lock& lock, void*& memory, std::size_t bytes,
                                MemoryKind kind, Device& device, bool ordered) {
    memory = nullptr;
    if (bytes == 0) return 0;
    if (bytes > device.available()) return raw(HostStatus::out_of_memory);
    device.used += bytes;
    OnFailure unused{[&] { device.used -= bytes; }};
    memory = add(runtime, lock, bytes, kind, device, ordered);
    unused.active = memory == nullptr;
    return raw(memory == nullptr ? HostStatus::out_of_memory : HostStatus::success);
  }
  /// Registers new memory; nullptr if the system has none left. Releases the lock meanwhile,
  /// because filling the memory takes time.
  [[nodiscard]] static void* add(Runtime& runtime, Lock& lock, std::size_t bytes, MemoryKind kind,
                                 const Device& device, bool ordered) {
    Allocation made{{}, bytes, kind, device.limits.device, false, ordered, caller().site};
    if (!runtime.hands_out_again(made)) {
      lock.unlock();
      made.storage = Storage(bytes);
      lock.lock();
    }
    void* const memory = made.storage.get();
    if (memory == nullptr) return nullptr;
    runtime.memory.add(std::move(made));
    if (!ordered) touch(runtime, memory, bytes, AccessKind::allocate);
    return memory;
  }
  /// Frees memory of `device` outside any stream's order, after all work of `users` (nullptr: of
  /// all devices). If it fails, the memory stays allocated.
  static void release(Runtime& runtime, Lock& lock, Allocation& memory, Device& device,
                      const Device* users) {
    memory.freed = true;
    {
      OnFailure kept{[&] { memory.freed = false; }};
      runtime.finish_all(lock, users);
      runtime.freed_memory.make_room();
      touch(runtime, memory.storage.get(), memory.bytes, AccessKind::release);
      kept.active = false;
    }
    Allocation allocation = runtime.memory.remove(memory.storage.get());
    device.fail(ReleaseOperation::overrun(allocation, caller().site));
    allocation.storage.retire();
    runtime.quarantine(std::move(allocation));
  }
  static void touch(Runtime& runtime, const void* memory, std::size_t bytes, AccessKind kind) {
    if (runtime.scheduler == nullptr) return;
    runtime.scheduler->touched(MemoryAccess::of(memory, bytes, kind));
  }
  /// Whether all these bytes are in memory that exists, and `from`, if given, may access it.
  [[nodiscard]] static bool reachable(const Runtime& runtime, const void* memory, std::size_t bytes,
                                      const Device* from = nullptr) {
    const Allocation* const found = runtime.memory.around(memory, bytes);
    return found != nullptr && !found->freed && (from == nullptr || found->is_accessible(*from));
  }
  /// Whether these bytes are where the copy's direction requires. `now` is the current device,
  /// unless the call names the devices: CUDA does not find another one's pool (two H200s, CUDA 13).
  [[nodiscard]] static bool on_side(const Runtime& runtime, bool device_side, const void* memory,
                                    std::size_t bytes, const Device* now) {
    const Allocation* const found = runtime.memory.around(memory);
    const bool ordered = found != nullptr && found->ordered;
    if (device_side) return reachable(runtime, memory, bytes, ordered ? now : nullptr);
    return memory != nullptr && (found == nullptr || found->kind != MemoryKind::device);
  }

  [[nodiscard]] static int copy_rows(Runtime& runtime, Lock& lock, void* to, std::size_t to_pitch,
                                     const void* from, std::size_t from_pitch, Rows rows,
                                     CopyKind kind, StreamHandle* handle, bool by_device = false) {
    StreamState* stream = nullptr;
    if (const int status = usable(runtime, handle, stream); status != 0) return status;
    const std::size_t to_bytes = rows.extent(to_pitch);
    const std::size_t from_bytes = rows.extent(from_pitch);
    if (to_bytes == 0) return 0;
    const bool from_host = kind == CopyKind::host_to_device || kind == CopyKind::host_to_host;
    const bool to_host = kind == CopyKind::device_to_host || kind == CopyKind::host_to_host;
    const Device* const now = by_device ? nullptr : runtime.device(thread_state().device);
    if (!on_side(runtime, !to_host, to, to_bytes, now) ||
        !on_side(runtime, !from_host, from, from_bytes, now)) {
      return raw(HostStatus::invalid_value);
    }
    auto operation = make_shared<CopyOperation>(to, to_pitch, from, from_pitch, rows);
    // A captured copy reads the memory at each replay, not now.
    const bool captured = stream->capture != nullptr;
    const bool wait = !captured && to_host && (from_host || !reachable(runtime, to, to_bytes));
    // What the backend does not know is pageable memory of the host.
    if (!wait && !captured && !reachable(runtime, from, from_bytes)) operation->stage();
    Device& device = stream->device;
    runtime.submit(*stream, operation);
    if (!wait) return 0;
    const Shared<const Operation> copied = operation;
    runtime.finish(lock, {&copied, 1});
    if (from_host) runtime.report_done(copied);
    return runtime.take_failure(device);
  }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
