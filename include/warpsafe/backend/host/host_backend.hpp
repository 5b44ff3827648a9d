// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/backend.hpp>
#include <warpsafe/backend/declare_launch.hpp>
#include <warpsafe/backend/detail/host_thread.hpp>
#include <warpsafe/backend/host/detail/caller.hpp>
#include <warpsafe/backend/host/detail/device_calls.hpp>
#include <warpsafe/backend/host/detail/graph_calls.hpp>
#include <warpsafe/backend/host/detail/host_status.hpp>
#include <warpsafe/backend/host/detail/kernel_calls.hpp>
#include <warpsafe/backend/host/detail/memory_calls.hpp>
#include <warpsafe/backend/host/detail/stream_calls.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/core/name.hpp>

#include <cstddef>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

namespace host {

/// The calls of host_backend.
struct AllCalls : ErrorCalls,
                  DeviceCalls,
                  KernelCalls,
                  StreamCalls,
                  EventCalls,
                  CallerCalls,
                  GraphCalls,
                  MemoryCalls {
  static constexpr Vendor vendor = Vendor::host;
  static constexpr Name name = Name::of("host");
  static constexpr int not_ready = raw(HostStatus::not_ready);
  /// The status of a capture's begin on a stream that captures, and of its end on one that does
  /// not.
  static constexpr int illegal_state = raw(HostStatus::illegal_state);
  /// The size that every CUDA and AMD device accepts: limits.hpp, max_parameter_bytes.
  static constexpr std::size_t parameter_bytes = limits::cuda_floor.max_parameter_bytes;
  /// Tests can model devices with clusters; the default device has none.
  static constexpr bool has_clusters = true;
  static constexpr bool runs_host_kernels = true;
  static constexpr bool limits_may_change = true;
};

}  // namespace host

/// A CPU model of a GPU for tests, laptops and CI. Streams are asynchronous, launches are checked
/// against the limits of a modelled device, and errors behave as CUDA's do.
/// <warpsafe/backend/host/control.hpp> controls it. Link threads, and on
/// processors other than x86-64 also Boost.Context.
struct [[gnu::visibility("default")]] host_backend : host::AllCalls{};

static_assert(Backend<host_backend>);

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION

WARPSAFE_DECLARE_LAUNCH(warpsafe::host_backend);
