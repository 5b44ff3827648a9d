// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/runtime_call.hpp>
#include <warpsafe/backend/host/detail/status.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpsafe::host {

/// The calls of the host backend.
using Call = warpsafe::detail::RuntimeCall;

/// Whether a call only reads facts that no work changes. A scheduler runs nothing before such a
/// call, so that a seed gives the same run whatever checks are on.
[[nodiscard]] constexpr bool is_pure_query(Call call) noexcept {
  switch (call) {
    case Call::peek_last_error:
    case Call::device_count:
    case Call::current_device:
    case Call::set_device:
    case Call::limits_of:
    case Call::memory_info:
    case Call::attributes_of:
    case Call::raise_dynamic_shared:
    case Call::resident_blocks:
    case Call::max_cluster_blocks:
    case Call::stream_device:
    case Call::stream_capturing:
    case Call::capture_info:
    case Call::exchange_capture_mode:
    case Call::has_memory_pools:
    case Call::pointer_kind:
      return true;
    default:
      return false;
  }
}

/// Counts calls and injects the failures that a test asked for. Not thread-safe; its owner locks.
class CallBook {
 public:
  /// Counts one call. Returns the status that it must fail with, or 0.
  [[nodiscard]] int enter(Call call) {
    ++made_[static_cast<std::size_t>(call)];
    return due(faults_, call);
  }
  /// The status that the kernel being launched must fail with when it runs, or 0.
  [[nodiscard]] int kernel_fault() { return due(kernel_faults_, Call::launch); }

  void fail_next(Call call, unsigned nth, HostStatus status) {
    faults_.push_back({call, nth, raw(status)});
  }
  void fail_kernel(unsigned nth, HostStatus status) {
    kernel_faults_.push_back({Call::launch, nth, raw(status)});
  }
  [[nodiscard]] std::uint64_t made(Call call) const noexcept {
    return made_[static_cast<std::size_t>(call)];
  }

 private:
  struct Fault {
    Call call;
    unsigned calls_left;
    int status;
  };
  [[nodiscard]] static int due(std::vector<Fault>& faults, Call call) {
    int status = 0;
    for (auto fault = faults.begin(); fault != faults.end();) {
      if (fault->call == call && --fault->calls_left == 0) {
        if (status == 0) status = fault->status;
        fault = faults.erase(fault);
      } else {
        ++fault;
      }
    }
    return status;
  }

  std::array<std::uint64_t, warpsafe::detail::runtime_calls> made_{};
  std::vector<Fault> faults_;
  std::vector<Fault> kernel_faults_;
};

}  // namespace warpsafe::host
