// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Queues: a thread for each takes the packets in order. Rules for packets that are no dispatch: HSA
// Platform System Architecture Specification 1.2, 2.9; vendor packets: hsa_ext_amd.h.
#include "agents.hpp"
#include "answer.hpp"
#include "dispatches.hpp"
#include "signals.hpp"
#include "soft_hsa.h"

#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>

namespace soft_hsa {
namespace {

constexpr std::size_t packet_bytes = 64;
std::atomic<std::uint64_t> live_queues{0};

using ErrorCallback = void (*)(hsa_status_t, hsa_queue_t*, void*);

/// A queue. The runtime has the address of `raw`, the first member.
struct Queue {
  amd_queue_t raw{};
  Agent* agent = nullptr;
  ErrorCallback on_error = nullptr;
  void* on_error_data = nullptr;
  std::thread thread;
  std::atomic<bool> stop{false};

  std::atomic<std::uint64_t>& read() {
    return reinterpret_cast<std::atomic<std::uint64_t>&>(
        const_cast<std::uint64_t&>(raw.read_dispatch_id));
  }
  std::atomic<std::uint64_t>& write() {
    return reinterpret_cast<std::atomic<std::uint64_t>&>(
        const_cast<std::uint64_t&>(raw.write_dispatch_id));
  }
  [[nodiscard]] std::byte* slot(std::uint64_t index) const {
    return static_cast<std::byte*>(raw.hsa_queue.base_address) +
           (index & (raw.hsa_queue.size - 1)) * packet_bytes;
  }
  static std::atomic<std::uint16_t>& header_of(std::byte* slot) {
    return reinterpret_cast<std::atomic<std::uint16_t>&>(*slot);
  }

  hsa_status_t wait_for_all_or_any(const hsa_barrier_and_packet_t& packet, bool all) {
    for (const hsa_signal_t& s : packet.dep_signal) {
      if (s.handle != 0) require_signal(s, "a barrier packet");
    }
    wait_until(
        [&] {
          int named = 0;
          int zero = 0;
          for (const hsa_signal_t& s : packet.dep_signal) {
            if (s.handle != 0) ++named, zero += value_of(s).load() == 0 ? 1 : 0;
          }
          return named == 0 || (all ? zero == named : zero > 0);
        },
        &stop);
    return HSA_STATUS_SUCCESS;
  }
  hsa_status_t wait_for_value(const hsa_amd_barrier_value_packet_t& packet) {
    if (packet.header.AmdFormat != HSA_AMD_PACKET_TYPE_BARRIER_VALUE) {
      return HSA_STATUS_ERROR_INVALID_PACKET_FORMAT;
    }
    if (packet.signal.handle == 0) return HSA_STATUS_SUCCESS;
    require_signal(packet.signal, "a barrier value packet");
    wait_until(
        [&] {
          return holds(value_of(packet.signal).load() & packet.mask, packet.cond, packet.value);
        },
        &stop);
    return HSA_STATUS_SUCCESS;
  }

  /// @param completion receives the packet's signal
  hsa_status_t execute(unsigned type, std::byte* at, hsa_signal_t& completion) {
    switch (type) {
      case HSA_PACKET_TYPE_KERNEL_DISPATCH: {
        const auto packet = read_at<hsa_kernel_dispatch_packet_t>(at, 0);
        completion = packet.completion_signal;
        return run_dispatch(packet, *agent);
      }
      case HSA_PACKET_TYPE_BARRIER_AND:
      case HSA_PACKET_TYPE_BARRIER_OR: {
        const auto packet = read_at<hsa_barrier_and_packet_t>(at, 0);
        completion = packet.completion_signal;
        return wait_for_all_or_any(packet, type == HSA_PACKET_TYPE_BARRIER_AND);
      }
      case HSA_PACKET_TYPE_VENDOR_SPECIFIC: {
        const auto packet = read_at<hsa_amd_barrier_value_packet_t>(at, 0);
        completion = packet.completion_signal;
        return wait_for_value(packet);
      }
    }
    return HSA_STATUS_ERROR_INVALID_PACKET_FORMAT;
  }

  void run() {
    for (;;) {
      const std::uint64_t index = read().load();
      std::byte* const at = slot(index);
      const auto ready = [&] {
        return !held && index < write().load() &&
               (header_of(at).load(std::memory_order_acquire) & 0xFFU) != HSA_PACKET_TYPE_INVALID;
      };
      wait_until(ready, &stop);
      if (stop) return;
      const std::uint64_t begin = now();
      hsa_signal_t completion{};
      const unsigned type = header_of(at).load() & 0xFFU;
      const hsa_status_t status = execute(type, at, completion);
      if (stop) return;
      if (status != HSA_STATUS_SUCCESS) {
        // The queue takes no further packet, and the failed one does not complete.
        if (logs(1)) std::fprintf(stderr, "soft_hsa: queue error %#x\n", unsigned{status});
        if (on_error != nullptr) on_error(status, &raw.hsa_queue, on_error_data);
        wait_until([] { return false; }, &stop);
        return;
      }
      header_of(at).store(HSA_PACKET_TYPE_INVALID, std::memory_order_release);
      read().store(index + 1);
      finish(completion, begin);
    }
  }
};

Queue& queue_of(const hsa_queue_t* queue) {
  return *reinterpret_cast<Queue*>(const_cast<hsa_queue_t*>(queue));
}

}  // namespace
}  // namespace soft_hsa

using namespace soft_hsa;

extern "C" {

std::uint64_t soft_hsa_live_queues(void) { return live_queues; }

// The rules are ROCr's (hsa.cpp).
hsa_status_t hsa_queue_create(hsa_agent_t agent, std::uint32_t size, hsa_queue_type32_t type,
                              ErrorCallback on_error, void* data, std::uint32_t, std::uint32_t,
                              hsa_queue_t** out) {
  const bool power_of_two = size != 0 && (size & (size - 1)) == 0;
  if (out == nullptr || !power_of_two || type > HSA_QUEUE_TYPE_COOPERATIVE) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  if (agent_of(agent).gpu == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
  auto* const queue = new (std::align_val_t{64}) Queue;
  queue->agent = &agent_of(agent);
  queue->on_error = on_error;
  queue->on_error_data = data;
  auto& raw = queue->raw.hsa_queue;
  raw.type = type;
  raw.features = HSA_QUEUE_FEATURE_KERNEL_DISPATCH;
  raw.size = size;
  raw.base_address = std::aligned_alloc(packet_bytes, size * packet_bytes);
  for (std::uint32_t i = 0; i < size; ++i) {
    std::memset(queue->slot(i), 0, packet_bytes);
    give<std::uint16_t>(queue->slot(i), HSA_PACKET_TYPE_INVALID);
  }
  hsa_signal_create(-1, 0, nullptr, &raw.doorbell_signal);
  queue->raw.queue_properties = AMD_QUEUE_PROPERTIES_IS_PTR64;
  queue->thread = std::thread([queue] { queue->run(); });
  ++live_queues;
  *out = &raw;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_queue_destroy(hsa_queue_t* handle) {
  if (handle == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE;
  Queue& queue = queue_of(handle);
  queue.stop = true;
  tell();
  queue.thread.join();
  hsa_signal_destroy(handle->doorbell_signal);
  std::free(handle->base_address);
  queue.~Queue();
  ::operator delete (&queue, std::align_val_t{64});
  --live_queues;
  return HSA_STATUS_SUCCESS;
}

std::uint64_t hsa_queue_add_write_index_screlease(const hsa_queue_t* queue, std::uint64_t value) {
  return queue_of(queue).write().fetch_add(value);
}
std::uint64_t hsa_queue_load_read_index_relaxed(const hsa_queue_t* queue) {
  return queue_of(queue).read().load();
}
std::uint64_t hsa_queue_load_read_index_scacquire(const hsa_queue_t* queue) {
  return queue_of(queue).read().load();
}
std::uint64_t hsa_queue_load_write_index_relaxed(const hsa_queue_t* queue) {
  return queue_of(queue).write().load();
}

hsa_status_t hsa_amd_queue_cu_set_mask(const hsa_queue_t*, std::uint32_t, const std::uint32_t*) {
  return HSA_STATUS_SUCCESS;
}
hsa_status_t hsa_amd_queue_set_priority(hsa_queue_t*, hsa_amd_queue_priority_t) {
  return HSA_STATUS_SUCCESS;
}
hsa_status_t hsa_amd_profiling_set_profiler_enabled(hsa_queue_t*, int) {
  return HSA_STATUS_SUCCESS;
}
hsa_status_t hsa_amd_profiling_async_copy_enable(bool) { return HSA_STATUS_SUCCESS; }

}  // extern "C"
