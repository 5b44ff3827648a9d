// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/backend.hpp>
#include <warpsafe/backend/host/call_place.hpp>
#include <warpsafe/backend/host/device_calls.hpp>
#include <warpsafe/backend/host/graph_calls.hpp>
#include <warpsafe/backend/host/kernel_calls.hpp>
#include <warpsafe/backend/host/memory_calls.hpp>
#include <warpsafe/backend/host/stream_calls.hpp>
#include <warpsafe/backend/host/thread_loop.hpp>
#include <warpsafe/backend/traced_calls.hpp>
#include <warpsafe/config.hpp>
#include <warpsafe/limits.hpp>
#include <warpsafe/name.hpp>

#include <cstddef>

namespace warpsafe {

namespace host {

/// What host_backend calls, as it is.
struct AllCalls : ErrorCalls,
                  DeviceCalls,
                  KernelCalls,
                  StreamCalls,
                  EventCalls,
                  PlaceCalls,
                  GraphCalls,
                  MemoryCalls {
  static constexpr Vendor vendor = Vendor::host;
  static constexpr Name name = Name::of("host");
  static constexpr int not_ready = raw(HostStatus::not_ready);
  /// What every CUDA and AMD device takes: limits.hpp, max_parameter_bytes.
  static constexpr std::size_t parameter_bytes = limits::cuda_floor.max_parameter_bytes;
  /// Not the default device, but those that a test models.
  static constexpr bool has_clusters = true;
};

}  // namespace host

/// A CPU model of a GPU, for tests, laptops and CI. Streams are asynchronous, launches are judged
/// by the limits of a modelled device, errors behave as CUDA's do; <warpsafe/host.hpp> controls it.
/// Link Boost.Context and threads.
struct host_backend : host::AllCalls {};

template <>
inline constexpr bool detail::tells_of_calls<host_backend> = true;

static_assert(Backend<host_backend>);

}  // namespace warpsafe
