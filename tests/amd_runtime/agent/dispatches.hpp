// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "agents.hpp"

#include <hsa/hsa.h>

#include <atomic>

namespace soft_hsa {

/// Whether queues and copies wait (soft_hsa_hold).
extern std::atomic<bool> held;

/// Records the dispatch and does what the kernel does, as far as it is known.
/// @return the error that the queue ends with, or HSA_STATUS_SUCCESS
hsa_status_t run_dispatch(const hsa_kernel_dispatch_packet_t& packet, const Agent& agent);

}  // namespace soft_hsa
