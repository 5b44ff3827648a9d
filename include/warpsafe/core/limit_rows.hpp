// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// One row for each limit that a runtime reports, and for each number that a kernel declares. A row
// is all that is fixed about one: the fields of DeviceLimits, KernelLimits and KernelNeeds, what
// the backends ask for, the texts and the journal's fields are made of the rows.
//
//   // What it is, with its unit.
//   WARPSAFE_DEVICE_LIMIT(type, name, CUDA's attribute of a device, HIP's; -1: none)
//   WARPSAFE_KERNEL_LIMIT(type, name, the member of both vendors' attributes of a function, the
//                         attribute of a function in a module without the prefix CU_ or HIP_)
//   WARPSAFE_KERNEL_NEED(type, name, the number for a kernel that declares two)
//
// The file that includes this one defines one of the macros before and undefines it after.

#if defined(WARPSAFE_DEVICE_LIMIT)

WARPSAFE_DEVICE_LIMIT(std::uint32_t, max_threads_per_block, cudaDevAttrMaxThreadsPerBlock,
                      hipDeviceAttributeMaxThreadsPerBlock)
// threads per axis
WARPSAFE_DEVICE_LIMIT(detail::Axes, max_block, cudaDevAttrMaxBlockDimX,
                      hipDeviceAttributeMaxBlockDimX)
// blocks per axis
WARPSAFE_DEVICE_LIMIT(detail::Axes, max_grid, cudaDevAttrMaxGridDimX, hipDeviceAttributeMaxGridDimX)
// gridDim.d * blockDim.d; 0: no such rule
WARPSAFE_DEVICE_LIMIT(std::uint64_t, max_threads_per_axis, -1, -1)
// bytes, static + dynamic, without opt-in
WARPSAFE_DEVICE_LIMIT(std::uint64_t, shared_per_block, cudaDevAttrMaxSharedMemoryPerBlock,
                      hipDeviceAttributeMaxSharedMemoryPerBlock)
// bytes, with the kernel's attribute raised
WARPSAFE_DEVICE_LIMIT(std::uint64_t, shared_per_block_optin,
                      cudaDevAttrMaxSharedMemoryPerBlockOptin,
                      hipDeviceAttributeSharedMemPerBlockOptin)
// bytes
WARPSAFE_DEVICE_LIMIT(std::uint64_t, shared_per_multiprocessor,
                      cudaDevAttrMaxSharedMemoryPerMultiprocessor,
                      hipDeviceAttributeMaxSharedMemoryPerMultiprocessor)
// bytes that the runtime takes of each block
WARPSAFE_DEVICE_LIMIT(std::uint64_t, reserved_shared_per_block,
                      cudaDevAttrReservedSharedMemoryPerBlock,
                      hipDeviceAttributeReservedSharedMemPerBlock)
// threads
WARPSAFE_DEVICE_LIMIT(std::uint32_t, warp_size, cudaDevAttrWarpSize, hipDeviceAttributeWarpSize)
WARPSAFE_DEVICE_LIMIT(std::uint32_t, registers_per_block, cudaDevAttrMaxRegistersPerBlock,
                      hipDeviceAttributeMaxRegistersPerBlock)
WARPSAFE_DEVICE_LIMIT(std::uint32_t, multiprocessors, cudaDevAttrMultiProcessorCount,
                      hipDeviceAttributeMultiprocessorCount)
WARPSAFE_DEVICE_LIMIT(std::uint32_t, max_threads_per_multiprocessor,
                      cudaDevAttrMaxThreadsPerMultiProcessor,
                      hipDeviceAttributeMaxThreadsPerMultiProcessor)
WARPSAFE_DEVICE_LIMIT(std::uint32_t, max_blocks_per_multiprocessor,
                      cudaDevAttrMaxBlocksPerMultiprocessor,
                      hipDeviceAttributeMaxBlocksPerMultiProcessor)
// portable cluster size; 0: no clusters
WARPSAFE_DEVICE_LIMIT(std::uint32_t, max_cluster_blocks, -1, -1)
// with the non-portable attribute
WARPSAFE_DEVICE_LIMIT(std::uint32_t, max_cluster_blocks_optin, -1, -1)
// NVIDIA: compute capability; AMD: gfx major
WARPSAFE_DEVICE_LIMIT(std::uint32_t, compute_major, cudaDevAttrComputeCapabilityMajor,
                      hipDeviceAttributeComputeCapabilityMajor)
WARPSAFE_DEVICE_LIMIT(std::uint32_t, compute_minor, cudaDevAttrComputeCapabilityMinor,
                      hipDeviceAttributeComputeCapabilityMinor)
// of a kernel's parameter block
WARPSAFE_DEVICE_LIMIT(std::uint32_t, max_parameter_bytes, -1, -1)
WARPSAFE_DEVICE_LIMIT(bool, cooperative_launch, cudaDevAttrCooperativeLaunch,
                      hipDeviceAttributeCooperativeLaunch)
// stream-ordered allocation
WARPSAFE_DEVICE_LIMIT(bool, memory_pools, cudaDevAttrMemoryPoolsSupported,
                      hipDeviceAttributeMemoryPoolsSupported)
WARPSAFE_DEVICE_LIMIT(bool, concurrent_managed_access, cudaDevAttrConcurrentManagedAccess,
                      hipDeviceAttributeConcurrentManagedAccess)

#elif defined(WARPSAFE_KERNEL_LIMIT)

// launch bounds and registers together; 0: unknown
WARPSAFE_KERNEL_LIMIT(std::uint32_t, max_threads_per_block, maxThreadsPerBlock,
                      FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
// per thread
WARPSAFE_KERNEL_LIMIT(std::uint32_t, registers, numRegs, FUNC_ATTRIBUTE_NUM_REGS)
// bytes per block
WARPSAFE_KERNEL_LIMIT(std::uint64_t, static_shared, sharedSizeBytes,
                      FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
// bytes per block that the current attribute allows
WARPSAFE_KERNEL_LIMIT(std::uint64_t, max_dynamic_shared, maxDynamicSharedSizeBytes,
                      FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
// per thread
WARPSAFE_KERNEL_LIMIT(std::uint64_t, local_bytes, localSizeBytes, FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)
WARPSAFE_KERNEL_LIMIT(std::uint64_t, constant_bytes, constSizeBytes,
                      FUNC_ATTRIBUTE_CONST_SIZE_BYTES)
// 10 * major + minor of the code that the driver chose
WARPSAFE_KERNEL_LIMIT(std::uint32_t, binary_version, binaryVersion, FUNC_ATTRIBUTE_BINARY_VERSION)
// 10 * major + minor of the PTX behind it
WARPSAFE_KERNEL_LIMIT(std::uint32_t, ptx_version, ptxVersion, FUNC_ATTRIBUTE_PTX_VERSION)

#elif defined(WARPSAFE_KERNEL_NEED)

// threads per block
WARPSAFE_KERNEL_NEED(std::uint32_t, max_threads, strictest)
// the number of threads per block is a multiple of it
WARPSAFE_KERNEL_NEED(std::uint32_t, block_multiple, common_multiple)
// threads per warp that the code assumes
WARPSAFE_KERNEL_NEED(std::uint32_t, warp_size, largest)
// the largest value of the kernel's index type
WARPSAFE_KERNEL_NEED(std::uint64_t, index_max, strictest)
// bytes
WARPSAFE_KERNEL_NEED(std::uint64_t, min_dynamic_shared, largest)
WARPSAFE_KERNEL_NEED(bool, portable, largest)

#endif
