// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The rules for a packet's fields are those of hsa.h (hsa_kernel_dispatch_packet_t; HSA Platform
// System Architecture Specification 1.2, 2.9.6). The status for each is the one into which ROCr
// translates the packet processor's report (ROCR-Runtime, amd_aql_queue.cpp:
// DynamicQueueEventsHandler and ExceptionHandler).
#include "packet_rules.hpp"

namespace soft_hsa {
namespace {

constexpr unsigned most_work_items = 1024;  // HSA_AGENT_INFO_WORKGROUP_MAX_SIZE

}  // namespace

hsa_status_t dispatch_error(const hsa_kernel_dispatch_packet_t& packet, const LoadedKernel* kernel,
                            const Model& model) {
  const unsigned dimensions = packet.setup & 3U;
  const std::uint32_t block[3] = {packet.workgroup_size_x, packet.workgroup_size_y,
                                  packet.workgroup_size_z};
  const std::uint32_t grid[3] = {packet.grid_size_x, packet.grid_size_y, packet.grid_size_z};
  // EC_QUEUE_PACKET_DISPATCH_DIM_INVALID
  if (dimensions == 0) return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
  for (unsigned axis = 0; axis < 3; ++axis) {
    const bool used = axis < dimensions;
    if (block[axis] == 0 || grid[axis] == 0 || (!used && (block[axis] != 1 || grid[axis] != 1)) ||
        grid[axis] < block[axis]) {
      return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
    }
  }
  // EC_QUEUE_PACKET_DISPATCH_CODE_INVALID
  if (kernel == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  // EC_QUEUE_PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID
  if (packet.group_segment_size > model.group_bytes ||
      packet.group_segment_size < kernel->group_bytes) {
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  }
  // EC_QUEUE_PACKET_DISPATCH_WORK_GROUP_SIZE_INVALID
  const std::uint64_t work_items = std::uint64_t{block[0]} * block[1] * block[2];
  if (work_items > most_work_items) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return HSA_STATUS_SUCCESS;
}

}  // namespace soft_hsa
