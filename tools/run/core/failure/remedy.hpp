// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../call/call.hpp"
#include "../call/memory_kind.hpp"
#include "../call/stream_call.hpp"
#include "../report/counted.hpp"
#include "call_weight.hpp"
#include "memory_table.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace warpsafe::watch {

/// What is known about one address of a failed call.
struct FailedAddress {
  std::uintptr_t address = 0;
  bool is_memory = false;  ///< the call has this argument
  std::optional<Allocation> allocation{};
  MemoryKind kind = MemoryKind::ordinary;  ///< as the runtime says; only without an allocation
  /// The allocation before the address, if the address is past its end and no host memory.
  std::optional<Allocation> before{};

  [[nodiscard]] bool is_freed() const noexcept {
    return allocation.has_value() && !allocation->freed_by.empty();
  }
  [[nodiscard]] bool is_live() const noexcept {
    return allocation.has_value() && allocation->freed_by.empty();
  }
  /// Ordinary host memory: neither an allocation nor known to the runtime.
  [[nodiscard]] bool is_host() const noexcept {
    return is_memory && address != 0 && !allocation.has_value() && !before.has_value() &&
           kind == MemoryKind::ordinary;
  }
  /// The bytes from the address to the end of its live allocation.
  [[nodiscard]] std::size_t bytes_left() const noexcept {
    return is_live() ? allocation->bytes - (address - allocation->begin) : 0;
  }
};

/// cudaFuncAttributeMaxDynamicSharedMemorySize (driver_types.h).
inline constexpr int max_dynamic_shared = 8;

/// What a remedy depends on.
struct FailedCallFacts {
  FailedAddress to;
  FailedAddress from;
  int devices = 0;                  ///< number of devices; 0: unknown
  std::size_t free_bytes = 0;       ///< of the device's memory, after the call
  std::size_t total_bytes = 0;      ///< 0: unknown
  std::size_t shared_limit = 0;     ///< the most shared memory of a block; 0: unknown
  bool stream_is_known = true;      ///< the stream is a default stream, or exists
  std::string capture_broken_by{};  ///< the call that broke the capture; empty: unknown
};

/// Returns the name of a cudaFuncAttribute (driver_types.h).
[[nodiscard]] inline std::string attribute_name(int attribute) {
  if (attribute == max_dynamic_shared) return "MaxDynamicSharedMemorySize";
  if (attribute == 9) return "PreferredSharedMemoryCarveout";
  return "attribute " + std::to_string(attribute) + ',';
}

namespace detail {

[[nodiscard]] inline std::string remedy_for_side(const char* side, const char* verb,
                                                 const FailedAddress& at, std::size_t bytes) {
  if (!at.is_memory) return {};
  const std::string name = side;
  if (at.address == 0) {
    return "the " + name + " is a null pointer: check the status of the call that was to set it";
  }
  if (at.is_freed()) return "the " + name + " was freed before: " + verb + " before the free";
  if (at.before.has_value()) {
    return "the " + name +
           " begins past the end of that allocation: allocate more, or begin earlier";
  }
  if (at.is_live() && at.bytes_left() < bytes) {
    const std::string left = std::to_string(at.bytes_left()) + " bytes";
    return "the " + name + " has " + left + " from that address: " + verb + " at most " + left +
           ", or allocate more";
  }
  return {};
}
[[nodiscard]] inline std::string remedy_for_copy(const StreamCall& of,
                                                 const FailedCallFacts& facts) {
  const bool in = of.call == Call::copy_in || of.call == Call::copy_in_async || of.kind == 1;
  const bool out = of.call == Call::copy_out || of.call == Call::copy_out_async || of.kind == 2;
  if ((in && facts.to.is_host() && facts.from.is_live()) ||
      (out && facts.from.is_host() && facts.to.is_live())) {
    return "the addresses do not fit the direction: swap source and target, or name the other "
           "direction";
  }
  if (in && facts.to.is_host()) return "the target is host memory, not device memory";
  if (out && facts.from.is_host()) return "the source is host memory, not device memory";
  const std::string target = remedy_for_side("target", "copy", facts.to, of.bytes);
  return !target.empty() ? target : remedy_for_side("source", "copy", facts.from, of.bytes);
}
[[nodiscard]] inline std::string remedy_for_free(const StreamCall& of,
                                                 const FailedCallFacts& facts) {
  const FailedAddress& at = facts.to;
  if (at.is_freed()) return "the memory is free already: free it once";
  if (at.is_live() && at.address != at.allocation->begin) {
    return "the address is " + std::to_string(at.address - at.allocation->begin) +
           " bytes past the beginning of an allocation: free the address that the allocation "
           "returned";
  }
  const bool of_host = of.call == Call::free_host;
  const bool is_pinned = (at.is_live() && at.allocation->kind == AllocationKind::pinned) ||
                         (!at.allocation.has_value() && at.kind == MemoryKind::pinned);
  if (!of_host && is_pinned)
    return "it is pinned host memory: cudaFreeHost or hipHostFree frees it";
  if (of_host && at.is_live() && !is_pinned)
    return "it is device memory: cudaFree or hipFree frees it";
  if (at.is_host())
    return "no allocation of the runtime begins there: ordinary host memory is freed "
           "by free() or delete";
  return {};
}
[[nodiscard]] inline std::string remedy_for_memory(const StreamCall& of,
                                                   const FailedCallFacts& facts) {
  constexpr std::size_t negative = std::size_t{1} << 63;
  if (of.bytes >= negative) {
    return "a negative number was passed as the size: " +
           std::to_string(static_cast<std::int64_t>(of.bytes));
  }
  if (facts.total_bytes == 0) return "free memory first, or ask for less";
  const std::string free = std::to_string(facts.free_bytes) + " of the device's " +
                           std::to_string(facts.total_bytes) + " bytes are free";
  if (of.bytes > facts.total_bytes) return free + ": split the data, or use managed memory";
  return free + (of.bytes <= facts.free_bytes
                     ? ", but not contiguous, or another process has taken them since"
                     : ": free memory first, or ask for less");
}

}  // namespace detail

/// Returns what to do about a failed call, or "" if nothing is known. May throw std::bad_alloc.
[[nodiscard]] inline std::string remedy_for(const StreamCall& of, int status,
                                            const FailedCallFacts& facts) {
  if (of.call == Call::set_attribute && of.kind == max_dynamic_shared && facts.shared_limit != 0) {
    return "a block has at most " + std::to_string(facts.shared_limit) +
           " bytes of shared memory on this device, and the kernel's static shared memory counts too";
  }
  switch (status) {
    case status::out_of_memory:
      return detail::remedy_for_memory(of, facts);
    case status::not_initialized:
      return "call cuInit(0) first; a child of a fork cannot use the parent's GPU";
    case status::no_device:
      return "no device is visible: look at nvidia-smi, CUDA_VISIBLE_DEVICES and "
             "HIP_VISIBLE_DEVICES";
    case status::invalid_device:
      return facts.devices == 0
                 ? std::string()
                 : "the process sees " +
                       counted(static_cast<std::uint64_t>(facts.devices), "device", "devices") +
                       ", numbered from 0 (CUDA_VISIBLE_DEVICES chooses them)";
    case status::invalid_context:
      return "no context is current on this thread: call cudaSetDevice or cuCtxSetCurrent first";
    case 200:
    case 301:
      return "the file or the text is not a module: check the path, and that the module is "
             "complete";
    case 209:
      return "the module has no code for this device: compile it with the device's architecture "
             "(nvcc -arch) or with PTX";
    case 218:
    case 222:
      return "the driver cannot compile this PTX: it may be newer than the driver, or damaged";
    case 21:
      return "the direction is none of cudaMemcpyKind's values: cudaMemcpyDefault derives it from "
             "the addresses";
    case status::not_found:
      return of.call == Call::find_function
                 ? "the module has no function of that name: names of C++ are mangled; declare the "
                   "kernel extern \"C\", or pass the mangled name"
                 : std::string();
    case status::capture_unsupported:
      return "a stream is being captured, and this call would break the order of its graph: call it "
             "before the capture begins";
    case status::capture_invalidated:
      return facts.capture_broken_by.empty()
                 ? "an earlier call has broken the capture: look at its status"
                 : "the capture was broken by " + facts.capture_broken_by;
    case status::not_ready:
      return "wait for the second event first";
    default:
      break;
  }
  if (of.call == Call::elapsed_time && status == status::invalid_handle) {
    return "both events must be recorded, and neither may be created with cudaEventDisableTiming";
  }
  if (!facts.stream_is_known) {
    return "the program has no stream of that handle: it was destroyed, or never made";
  }
  switch (of.call) {
    case Call::free:
    case Call::free_async:
    case Call::free_host:
      return detail::remedy_for_free(of, facts);
    case Call::fill:
    case Call::fill_async:
      return facts.to.is_host() ? "the target is host memory, not device memory"
                                : detail::remedy_for_side("target", "fill", facts.to, of.bytes);
    default:
      return facts.to.is_memory || facts.from.is_memory ? detail::remedy_for_copy(of, facts)
                                                        : std::string();
  }
}

}  // namespace warpsafe::watch
