// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../kernel/foreign_memory.hpp"
#include "../kernel/kernel_table.hpp"
#include "../kernel/parameter_types.hpp"
#include "../launch/argument_log.hpp"
#include "../rerun/rerun.hpp"
#include "failed_calls.hpp"
#include <warpsafe/core/launch_record.hpp>
#include <warpsafe/debug/journal/suspects.hpp>
#include <warpsafe/error/error.hpp>

#include <dlfcn.h>
#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>

namespace warpsafe::watch {

namespace detail {

/// Returns the type that a pointer points to, without const, or "".
[[nodiscard]] inline std::string pointed_to(const PassedPointer& one) {
  const std::size_t star = one.type.rfind('*');
  if (star == std::string::npos || star == 0) return {};
  std::string element = one.type.substr(0, star);
  constexpr std::string_view constant = " const";
  if (element.size() > constant.size() &&
      element.compare(element.size() - constant.size(), constant.size(), constant) == 0) {
    element.resize(element.size() - constant.size());
  }
  return element;
}
/// Returns how many elements of the grid's size, one for each thread, need more memory than is left
/// behind a pointer; "" if they do not, or if the type is unknown.
[[nodiscard]] inline std::string short_memory(const PassedPointer& one, const FailedAddress& at,
                                              const LaunchRecord& launch) {
  const std::string element = pointed_to(one);
  const std::size_t bytes = element_bytes(element);
  // Each factor is below 2^32, and three of them have limits of 16 bits and less.
  double threads = 1;
  double least = 1;  // of several blocks, the last may have one thread with an element
  for (int axis = 0; axis < 3; ++axis) {
    threads *= static_cast<double>(launch.grid[axis]) * launch.block[axis];
    least *= launch.grid[axis] == 1
                 ? launch.block[axis]
                 : (static_cast<double>(launch.grid[axis]) - 1) * launch.block[axis] + 1;
  }
  if (bytes == 0 || least * static_cast<double>(bytes) <= static_cast<double>(at.bytes_left())) {
    return {};
  }
  return ": " + std::to_string(at.bytes_left()) + " bytes from there, and a '" + element +
         "' for each of the grid's " + std::to_string(static_cast<std::uint64_t>(threads)) +
         " threads needs " + std::to_string(static_cast<std::uint64_t>(threads) * bytes) + " bytes";
}
/// Returns which alignment of its type an address does not have, or "".
[[nodiscard]] inline std::string missing_alignment(const PassedPointer& one) {
  const std::string element = pointed_to(one);
  const std::size_t bytes = alignment_bytes(element);
  if (bytes == 0 || one.address % bytes == 0) return {};
  return ": the address is not a multiple of " + std::to_string(bytes) + ", the alignment of '" +
         element + "'";
}
/// CUDA_ERROR_MISALIGNED_ADDRESS (cuda.h).
[[nodiscard]] inline bool is_misaligned(const LaunchError& error) noexcept {
  return error.vendor == Vendor::nvidia && error.raw == 716;
}
/// How much a finding about a pointer explains.
enum class Cause : std::uint8_t {
  likely,    ///< no correct access through it exists
  possible,  ///< some machine or kernel may do with it
  guess,     ///< the kernel may use less memory than it seems to
};
/// Returns whether that address is in this thread's stack, or in code or data of an object: what a
/// structure's unset parts may hold.
[[nodiscard]] inline bool is_left_over(std::uintptr_t address) noexcept {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(address), &info) != 0) return true;
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return true;
  void* begin = nullptr;
  std::size_t bytes = 0;
  const bool known = ::pthread_attr_getstack(&attributes, &begin, &bytes) == 0;
  static_cast<void>(::pthread_attr_destroy(&attributes));
  return !known || address - reinterpret_cast<std::uintptr_t>(begin) < bytes;
}
/// Returns what is wrong with a pointer that a launch has passed, or "". `misaligned`: the fault
/// was a misaligned access.
[[nodiscard]] inline std::string wrong_pointer(const PassedPointer& one, const LaunchRecord& launch,
                                               bool misaligned, FailedCalls& calls, Cause& cause) {
  FailedAddress at;
  at.address = one.address;
  at.is_memory = true;
  at.allocation = calls.memory().find(one.address);
  cause = one.in_structure ? Cause::possible : Cause::likely;
  if (misaligned) {
    const std::string missing = missing_alignment(one);
    return missing.empty() ? missing : calls.words(at) + missing;
  }
  if (at.is_freed()) return calls.words(at);
  if (at.address == 0) return one.type.empty() || one.of_library ? std::string() : "a null pointer";
  cause = Cause::possible;
  if (at.is_live()) {
    const Allocation& is = *at.allocation;
    if (is.kind == AllocationKind::device && is.device != launch.device) {
      return "memory of device " + std::to_string(is.device) + ", and the launch is on device " +
             std::to_string(launch.device) + ", which needs peer access";
    }
    cause = Cause::guess;
    const std::string missing = short_memory(one, at, launch);
    return missing.empty() ? missing : calls.words(at) + missing;
  }
  if (one.type.empty() && !one.in_structure) return {};
  // Memory that the host can read and that no call of the runtime has allocated. Some machines let
  // the device read it.
  char letter = 0;
  if (read_foreign(letter, reinterpret_cast<const void*>(one.address))) {
    if (one.in_structure && is_left_over(one.address)) return {};
    return "host memory that the runtime has not allocated, which most devices cannot read";
  }
  if (one.in_structure) return {};
  const std::optional<Allocation> before = calls.memory().before(one.address);
  return before.has_value() ? calls.past_the_end(one.address, *before) : std::string();
}

}  // namespace detail

/// Whether a launch has no shared memory, neither its kernel's own nor dynamic, and its kernel's
/// code accesses some.
[[nodiscard]] inline bool lacks_shared(const LaunchRecord& launch, KernelTable& kernels) {
  bool found = false;
  if (launch.dynamic_shared != 0) return found;
  kernels.each([&](const Kernel& one) {
    found =
        found || (one.name.data() == launch.kernel.data && one.limits.known &&
                  one.limits.static_shared == 0 && one.machine_code().has(KernelCode::uses_shared));
  });
  return found;
}

/// Returns lines about the launches that may have caused a fault: missing shared memory, and with
/// --arguments pointers, first those that are certainly wrong. Each line is after "\n  ". Returns
/// "" without memory.
[[nodiscard]] inline std::string likely_causes(const LaunchError& error, std::int32_t device,
                                               ArgumentLog& arguments, FailedCalls& calls,
                                               KernelTable& kernels, Rerun& rerun) noexcept try {
  constexpr std::size_t most = 16;
  constexpr int most_lines = 6;
  LaunchRecord suspects[most];
  std::size_t found = 0;
  if (rerun.waits()) {
    for (const OpenLaunch& one : rerun.open(device)) {
      if (found < most) suspects[found++] = one.record;
    }
  } else {
    found = debug::suspects(error, suspects, most);
  }
  std::set<std::tuple<const char*, std::string, std::uintptr_t>> said;
  std::string text;
  int lines = 0;
  std::set<std::uint64_t> without_shared;  // launches whose cause is known
  std::set<const char*> named;
  for (std::size_t i = 0; i < found && i < most; ++i) {
    if (!lacks_shared(suspects[i], kernels)) continue;
    without_shared.insert(suspects[i].sequence);
    if (lines == most_lines || !named.insert(suspects[i].kernel.data).second) continue;
    ++lines;
    text += "\n  likely cause: #" + std::to_string(suspects[i].sequence) + " '" +
            std::string(suspects[i].kernel.data, suspects[i].kernel.size) +
            "' accesses shared memory and has none: pass the bytes of its extern __shared__ array "
            "to the launch";
  }
  bool is_explained = !without_shared.empty();
  for (const auto wanted : {detail::Cause::likely, detail::Cause::possible, detail::Cause::guess}) {
    // Most guesses are wrong.
    if (wanted == detail::Cause::guess && is_explained) break;
    for (std::size_t i = 0; i < found && i < most; ++i) {
      for (const PassedPointer& one : arguments.of(suspects[i].sequence)) {
        detail::Cause cause = detail::Cause::likely;
        const std::string wrong =
            detail::wrong_pointer(one, suspects[i], detail::is_misaligned(error), calls, cause);
        if (wrong.empty() || cause != wanted || lines == most_lines) continue;
        const bool certain = cause == detail::Cause::likely;
        if (!certain && without_shared.count(suspects[i].sequence) != 0) continue;
        // Older launches with the same pointer say nothing more.
        if (!said.emplace(suspects[i].kernel.data, one.text(), one.address).second) continue;
        ++lines;
        is_explained = true;
        text += std::string("\n  ") + (certain ? "likely cause" : "possible cause") + ": " +
                one.text() + " of #" + std::to_string(suspects[i].sequence) + " '" +
                std::string(suspects[i].kernel.data, suspects[i].kernel.size) + "' is " + wrong;
      }
    }
  }
  return text;
} catch (...) {
  return {};
}

}  // namespace warpsafe::watch
