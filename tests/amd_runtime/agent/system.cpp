// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The system as a whole, and the texts of statuses.
#include "answer.hpp"

#include <hsa/hsa_ext_amd.h>

using namespace soft_hsa;

extern "C" {

hsa_status_t hsa_init() { return HSA_STATUS_SUCCESS; }
hsa_status_t hsa_shut_down() { return HSA_STATUS_SUCCESS; }

hsa_status_t hsa_status_string(hsa_status_t status, const char** text) {
  struct Row {
    unsigned status;
    const char* text;
  };
  static constexpr Row rows[] = {
      {HSA_STATUS_SUCCESS, "HSA_STATUS_SUCCESS"},
      {HSA_STATUS_ERROR, "HSA_STATUS_ERROR"},
      {HSA_STATUS_ERROR_INVALID_ARGUMENT, "HSA_STATUS_ERROR_INVALID_ARGUMENT"},
      {HSA_STATUS_ERROR_INVALID_ALLOCATION, "HSA_STATUS_ERROR_INVALID_ALLOCATION"},
      {HSA_STATUS_ERROR_INVALID_AGENT, "HSA_STATUS_ERROR_INVALID_AGENT"},
      {HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "HSA_STATUS_ERROR_INVALID_CODE_OBJECT"},
      {HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, "HSA_STATUS_ERROR_INVALID_PACKET_FORMAT"},
      {HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, "HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS"},
      {HSA_STATUS_ERROR_OUT_OF_RESOURCES, "HSA_STATUS_ERROR_OUT_OF_RESOURCES"},
      {HSA_STATUS_ERROR_EXCEPTION, "HSA_STATUS_ERROR_EXCEPTION"},
      {HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION, "HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION"},
      {HSA_STATUS_ERROR_VARIABLE_UNDEFINED, "HSA_STATUS_ERROR_VARIABLE_UNDEFINED"},
  };
  for (const Row& row : rows) {
    if (row.status != static_cast<unsigned>(status)) continue;
    *text = row.text;
    return HSA_STATUS_SUCCESS;
  }
  *text = "an HSA status that soft_hsa does not return";
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_system_get_info(hsa_system_info_t attribute, void* value) {
  // Named by later headers: MWAITX, exported buffers, virtual memory, XNACK.
  constexpr unsigned mwaitx = 0x203, exported_buffers = 0x204, virtual_memory = 0x205,
                     xnack = 0x206;
  switch (static_cast<unsigned>(attribute)) {
    case HSA_SYSTEM_INFO_VERSION_MAJOR:
    case HSA_SYSTEM_INFO_VERSION_MINOR:
      return give<std::uint16_t>(value, 1);
    case HSA_SYSTEM_INFO_TIMESTAMP:
      return give(value, now());
    case HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY:
      return give<std::uint64_t>(value, 1000000000);
    case HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT:
      return give(value, UINT64_MAX);
    case HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED:
      return give(value, true);
    case HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT:
    case mwaitx:
    case exported_buffers:
    case virtual_memory:
    case xnack:
      return give(value, false);
  }
  return unknown(__func__, static_cast<unsigned>(attribute));
}

hsa_status_t hsa_system_extension_supported(std::uint16_t, std::uint16_t, std::uint16_t,
                                            bool* result) {
  return give(result, false);
}
hsa_status_t hsa_system_get_major_extension_table(std::uint16_t, std::uint16_t, std::size_t,
                                                  void*) {
  return unsupported(__func__);
}
hsa_status_t hsa_agent_extension_supported(std::uint16_t, hsa_agent_t, std::uint16_t, std::uint16_t,
                                           bool* result) {
  return give(result, false);
}
hsa_status_t hsa_amd_coherency_set_type(hsa_agent_t, hsa_amd_coherency_type_t) {
  return HSA_STATUS_SUCCESS;
}
hsa_status_t hsa_amd_enable_logging(std::uint8_t*, void*) { return HSA_STATUS_SUCCESS; }

}  // extern "C"
