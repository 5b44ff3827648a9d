// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What the runtime imports and the agent does not have: images, graphics interoperation, and the
// virtual memory calls of releases 5.7 and later. Each returns an error, which the runtime passes
// on; with SOFT_HSA_LOG=2 a line names the function.
#include "answer.hpp"

// No declarations: the parameters are of no account, and later headers are not asked for.
#define SOFT_HSA_UNSUPPORTED(function) \
  extern "C" hsa_status_t function() { return soft_hsa::unsupported(#function); }

SOFT_HSA_UNSUPPORTED(hsa_amd_image_create)
SOFT_HSA_UNSUPPORTED(hsa_ext_image_create)
SOFT_HSA_UNSUPPORTED(hsa_ext_image_create_with_layout)
SOFT_HSA_UNSUPPORTED(hsa_ext_image_data_get_info)
SOFT_HSA_UNSUPPORTED(hsa_ext_image_destroy)
SOFT_HSA_UNSUPPORTED(hsa_ext_image_export)
SOFT_HSA_UNSUPPORTED(hsa_ext_image_import)
SOFT_HSA_UNSUPPORTED(hsa_ext_sampler_create)
SOFT_HSA_UNSUPPORTED(hsa_ext_sampler_destroy)
SOFT_HSA_UNSUPPORTED(hsa_amd_interop_map_buffer)
SOFT_HSA_UNSUPPORTED(hsa_amd_interop_unmap_buffer)
SOFT_HSA_UNSUPPORTED(hsa_amd_vmem_address_free)
SOFT_HSA_UNSUPPORTED(hsa_amd_vmem_address_reserve)
SOFT_HSA_UNSUPPORTED(hsa_amd_vmem_export_shareable_handle)
SOFT_HSA_UNSUPPORTED(hsa_amd_vmem_get_access)
SOFT_HSA_UNSUPPORTED(hsa_amd_vmem_handle_create)
SOFT_HSA_UNSUPPORTED(hsa_amd_vmem_handle_release)
SOFT_HSA_UNSUPPORTED(hsa_amd_vmem_import_shareable_handle)
SOFT_HSA_UNSUPPORTED(hsa_amd_vmem_map)
SOFT_HSA_UNSUPPORTED(hsa_amd_vmem_set_access)
SOFT_HSA_UNSUPPORTED(hsa_amd_vmem_unmap)
