// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "code_objects.hpp"
#include "settings.hpp"

#include <hsa/hsa.h>

namespace soft_hsa {

/// What a packet processor does with a kernel dispatch: HSA_STATUS_SUCCESS, or the error that ROCr
/// gives to the queue's callback. `kernel` is null if the packet names none.
hsa_status_t dispatch_error(const hsa_kernel_dispatch_packet_t& packet, const LoadedKernel* kernel,
                            const Model& model);

}  // namespace soft_hsa
