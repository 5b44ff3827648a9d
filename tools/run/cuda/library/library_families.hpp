// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../../core/library/library_family.hpp"

namespace warpsafe::watch {

namespace detail {

// The values of the status types: cublas_api.h, cufft.h, cusparse.h, cusolver_common.h, curand.h
// and nccl.h of CUDA 13.0 and NCCL 2.28; cudnn_graph.h of cuDNN 9, and cudnn_ops_infer.h of cuDNN 8
// for the values up to 14; types.h of cuTENSOR 2; cudss.h. A number of releases have had others:
// those of cuFFT that are not in CUDA 13 are kept.

inline constexpr LibraryStatus cublas_statuses[] = {
    {1, "CUBLAS_STATUS_NOT_INITIALIZED", LibraryTrouble::handle},
    {3, "CUBLAS_STATUS_ALLOC_FAILED", LibraryTrouble::memory},
    {7, "CUBLAS_STATUS_INVALID_VALUE", LibraryTrouble::value},
    {8, "CUBLAS_STATUS_ARCH_MISMATCH", LibraryTrouble::device},
    {11, "CUBLAS_STATUS_MAPPING_ERROR", LibraryTrouble::internal},
    {13, "CUBLAS_STATUS_EXECUTION_FAILED", LibraryTrouble::execution},
    {14, "CUBLAS_STATUS_INTERNAL_ERROR", LibraryTrouble::internal},
    {15, "CUBLAS_STATUS_NOT_SUPPORTED", LibraryTrouble::unsupported},
    {16, "CUBLAS_STATUS_LICENSE_ERROR", LibraryTrouble::internal}};
inline constexpr LibraryStatus cufft_statuses[] = {
    {1, "CUFFT_INVALID_PLAN", LibraryTrouble::plan},
    {2, "CUFFT_ALLOC_FAILED", LibraryTrouble::memory},
    {3, "CUFFT_INVALID_TYPE", LibraryTrouble::value},
    {4, "CUFFT_INVALID_VALUE", LibraryTrouble::value},
    {5, "CUFFT_INTERNAL_ERROR", LibraryTrouble::internal},
    {6, "CUFFT_EXEC_FAILED", LibraryTrouble::execution},
    {7, "CUFFT_SETUP_FAILED", LibraryTrouble::handle},
    {8, "CUFFT_INVALID_SIZE", LibraryTrouble::value},
    {9, "CUFFT_UNALIGNED_DATA", LibraryTrouble::value},
    {10, "CUFFT_INCOMPLETE_PARAMETER_LIST", LibraryTrouble::value},
    {11, "CUFFT_INVALID_DEVICE", LibraryTrouble::value},
    {12, "CUFFT_PARSE_ERROR", LibraryTrouble::internal},
    {13, "CUFFT_NO_WORKSPACE", LibraryTrouble::value},
    {14, "CUFFT_NOT_IMPLEMENTED", LibraryTrouble::unsupported},
    {15, "CUFFT_LICENSE_ERROR", LibraryTrouble::internal},
    {16, "CUFFT_NOT_SUPPORTED", LibraryTrouble::unsupported},
    {17, "CUFFT_MISSING_DEPENDENCY", LibraryTrouble::internal},
    {18, "CUFFT_NVRTC_FAILURE", LibraryTrouble::internal},
    {19, "CUFFT_NVJITLINK_FAILURE", LibraryTrouble::internal},
    {20, "CUFFT_NVSHMEM_FAILURE", LibraryTrouble::internal}};
inline constexpr LibraryStatus cusparse_statuses[] = {
    {1, "CUSPARSE_STATUS_NOT_INITIALIZED", LibraryTrouble::handle},
    {2, "CUSPARSE_STATUS_ALLOC_FAILED", LibraryTrouble::memory},
    {3, "CUSPARSE_STATUS_INVALID_VALUE", LibraryTrouble::value},
    {4, "CUSPARSE_STATUS_ARCH_MISMATCH", LibraryTrouble::device},
    {5, "CUSPARSE_STATUS_MAPPING_ERROR", LibraryTrouble::internal},
    {6, "CUSPARSE_STATUS_EXECUTION_FAILED", LibraryTrouble::execution},
    {7, "CUSPARSE_STATUS_INTERNAL_ERROR", LibraryTrouble::internal},
    {8, "CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED", LibraryTrouble::unsupported},
    {9, "CUSPARSE_STATUS_ZERO_PIVOT", LibraryTrouble::numbers},
    {10, "CUSPARSE_STATUS_NOT_SUPPORTED", LibraryTrouble::unsupported},
    {11, "CUSPARSE_STATUS_INSUFFICIENT_RESOURCES", LibraryTrouble::memory}};
inline constexpr LibraryStatus cusolver_statuses[] = {
    {1, "CUSOLVER_STATUS_NOT_INITIALIZED", LibraryTrouble::handle},
    {2, "CUSOLVER_STATUS_ALLOC_FAILED", LibraryTrouble::memory},
    {3, "CUSOLVER_STATUS_INVALID_VALUE", LibraryTrouble::value},
    {4, "CUSOLVER_STATUS_ARCH_MISMATCH", LibraryTrouble::device},
    {5, "CUSOLVER_STATUS_MAPPING_ERROR", LibraryTrouble::internal},
    {6, "CUSOLVER_STATUS_EXECUTION_FAILED", LibraryTrouble::execution},
    {7, "CUSOLVER_STATUS_INTERNAL_ERROR", LibraryTrouble::internal},
    {8, "CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED", LibraryTrouble::unsupported},
    {9, "CUSOLVER_STATUS_NOT_SUPPORTED", LibraryTrouble::unsupported},
    {10, "CUSOLVER_STATUS_ZERO_PIVOT", LibraryTrouble::numbers},
    {11, "CUSOLVER_STATUS_INVALID_LICENSE", LibraryTrouble::internal},
    {12, "CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED", LibraryTrouble::value},
    {13, "CUSOLVER_STATUS_IRS_PARAMS_INVALID", LibraryTrouble::value},
    {14, "CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC", LibraryTrouble::value},
    {15, "CUSOLVER_STATUS_IRS_PARAMS_INVALID_REFINE", LibraryTrouble::value},
    {16, "CUSOLVER_STATUS_IRS_PARAMS_INVALID_MAXITER", LibraryTrouble::value},
    {20, "CUSOLVER_STATUS_IRS_INTERNAL_ERROR", LibraryTrouble::internal},
    {21, "CUSOLVER_STATUS_IRS_NOT_SUPPORTED", LibraryTrouble::unsupported},
    {22, "CUSOLVER_STATUS_IRS_OUT_OF_RANGE", LibraryTrouble::numbers},
    {23, "CUSOLVER_STATUS_IRS_NRHS_NOT_SUPPORTED_FOR_REFINE_GMRES", LibraryTrouble::unsupported},
    {25, "CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED", LibraryTrouble::value},
    {26, "CUSOLVER_STATUS_IRS_INFOS_NOT_DESTROYED", LibraryTrouble::value},
    {30, "CUSOLVER_STATUS_IRS_MATRIX_SINGULAR", LibraryTrouble::numbers},
    {31, "CUSOLVER_STATUS_INVALID_WORKSPACE", LibraryTrouble::value}};
inline constexpr LibraryStatus curand_statuses[] = {
    {100, "CURAND_STATUS_VERSION_MISMATCH", LibraryTrouble::internal},
    {101, "CURAND_STATUS_NOT_INITIALIZED", LibraryTrouble::handle},
    {102, "CURAND_STATUS_ALLOCATION_FAILED", LibraryTrouble::memory},
    {103, "CURAND_STATUS_TYPE_ERROR", LibraryTrouble::value},
    {104, "CURAND_STATUS_OUT_OF_RANGE", LibraryTrouble::value},
    {105, "CURAND_STATUS_LENGTH_NOT_MULTIPLE", LibraryTrouble::value},
    {106, "CURAND_STATUS_DOUBLE_PRECISION_REQUIRED", LibraryTrouble::device},
    {201, "CURAND_STATUS_LAUNCH_FAILURE", LibraryTrouble::execution},
    {202, "CURAND_STATUS_PREEXISTING_FAILURE", LibraryTrouble::execution},
    {203, "CURAND_STATUS_INITIALIZATION_FAILED", LibraryTrouble::handle},
    {204, "CURAND_STATUS_ARCH_MISMATCH", LibraryTrouble::device},
    {999, "CURAND_STATUS_INTERNAL_ERROR", LibraryTrouble::internal}};
inline constexpr LibraryStatus cudnn_statuses[] = {
    {1, "CUDNN_STATUS_NOT_INITIALIZED", LibraryTrouble::handle},
    {2, "CUDNN_STATUS_ALLOC_FAILED", LibraryTrouble::memory},
    {3, "CUDNN_STATUS_BAD_PARAM", LibraryTrouble::value},
    {4, "CUDNN_STATUS_INTERNAL_ERROR", LibraryTrouble::internal},
    {5, "CUDNN_STATUS_INVALID_VALUE", LibraryTrouble::value},
    {6, "CUDNN_STATUS_ARCH_MISMATCH", LibraryTrouble::device},
    {7, "CUDNN_STATUS_MAPPING_ERROR", LibraryTrouble::internal},
    {8, "CUDNN_STATUS_EXECUTION_FAILED", LibraryTrouble::execution},
    {9, "CUDNN_STATUS_NOT_SUPPORTED", LibraryTrouble::unsupported},
    {10, "CUDNN_STATUS_LICENSE_ERROR", LibraryTrouble::internal},
    {11, "CUDNN_STATUS_RUNTIME_PREREQUISITE_MISSING", LibraryTrouble::unsupported},
    {12, "CUDNN_STATUS_RUNTIME_IN_PROGRESS", LibraryTrouble::answer},
    {13, "CUDNN_STATUS_RUNTIME_FP_OVERFLOW", LibraryTrouble::numbers},
    {14, "CUDNN_STATUS_VERSION_MISMATCH", LibraryTrouble::internal},
    {1001, "CUDNN_STATUS_NOT_INITIALIZED", LibraryTrouble::handle},
    {1002, "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH", LibraryTrouble::internal},
    {1003, "CUDNN_STATUS_SERIALIZATION_VERSION_MISMATCH", LibraryTrouble::unsupported},
    {1004, "CUDNN_STATUS_DEPRECATED", LibraryTrouble::unsupported},
    {1005, "CUDNN_STATUS_LICENSE_ERROR", LibraryTrouble::internal},
    {1006, "CUDNN_STATUS_RUNTIME_IN_PROGRESS", LibraryTrouble::answer},
    {1007, "CUDNN_STATUS_RUNTIME_FP_OVERFLOW", LibraryTrouble::numbers},
    {1008, "CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED", LibraryTrouble::internal},
    {2000, "CUDNN_STATUS_BAD_PARAM", LibraryTrouble::value},
    {2001, "CUDNN_STATUS_INVALID_VALUE", LibraryTrouble::value},
    {2002, "CUDNN_STATUS_BAD_PARAM_NULL_POINTER", LibraryTrouble::value},
    {2003, "CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER", LibraryTrouble::value},
    {2004, "CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED", LibraryTrouble::value},
    {2005, "CUDNN_STATUS_BAD_PARAM_OUT_OF_BOUND", LibraryTrouble::value},
    {2006, "CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT", LibraryTrouble::value},
    {2007, "CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH", LibraryTrouble::value},
    {2008, "CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH", LibraryTrouble::value},
    {2009, "CUDNN_STATUS_BAD_PARAM_DUPLICATED_ENTRIES", LibraryTrouble::value},
    {2010, "CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE", LibraryTrouble::value},
    {2011, "CUDNN_STATUS_BAD_PARAM_CUDA_GRAPH_MISMATCH", LibraryTrouble::value},
    {2012, "CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE", LibraryTrouble::value},
    {3000, "CUDNN_STATUS_NOT_SUPPORTED", LibraryTrouble::unsupported},
    {3001, "CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN", LibraryTrouble::unsupported},
    {3002, "CUDNN_STATUS_NOT_SUPPORTED_SHAPE", LibraryTrouble::unsupported},
    {3003, "CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE", LibraryTrouble::unsupported},
    {3004, "CUDNN_STATUS_NOT_SUPPORTED_LAYOUT", LibraryTrouble::unsupported},
    {3005, "CUDNN_STATUS_NOT_SUPPORTED_INCOMPATIBLE_CUDA_DRIVER", LibraryTrouble::unsupported},
    {3006, "CUDNN_STATUS_NOT_SUPPORTED_INCOMPATIBLE_CUDART", LibraryTrouble::unsupported},
    {3007, "CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH", LibraryTrouble::device},
    {3008, "CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING", LibraryTrouble::unsupported},
    {3009, "CUDNN_STATUS_NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE", LibraryTrouble::unsupported},
    {3010, "CUDNN_STATUS_NOT_SUPPORTED_SHARED_MEMORY_INSUFFICIENT", LibraryTrouble::unsupported},
    {3011, "CUDNN_STATUS_NOT_SUPPORTED_PADDING", LibraryTrouble::unsupported},
    {3012, "CUDNN_STATUS_NOT_SUPPORTED_BAD_LAUNCH_PARAM", LibraryTrouble::unsupported},
    {3013, "CUDNN_STATUS_NOT_SUPPORTED_CUDA_GRAPH_NATIVE_API", LibraryTrouble::unsupported},
    {3014, "CUDNN_STATUS_NOT_SUPPORTED_INVALID_DYNAMIC_SHAPE", LibraryTrouble::unsupported},
    {4000, "CUDNN_STATUS_INTERNAL_ERROR", LibraryTrouble::internal},
    {4001, "CUDNN_STATUS_INTERNAL_ERROR_COMPILATION_FAILED", LibraryTrouble::internal},
    {4002, "CUDNN_STATUS_INTERNAL_ERROR_UNEXPECTED_VALUE", LibraryTrouble::internal},
    {4003, "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED", LibraryTrouble::memory},
    {4004, "CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED", LibraryTrouble::memory},
    {4005, "CUDNN_STATUS_INTERNAL_ERROR_BAD_LAUNCH_PARAM", LibraryTrouble::internal},
    {4006, "CUDNN_STATUS_INTERNAL_ERROR_TEXTURE_CREATION_FAILED", LibraryTrouble::internal},
    {5000, "CUDNN_STATUS_EXECUTION_FAILED", LibraryTrouble::execution},
    {5001, "CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER", LibraryTrouble::execution},
    {5002, "CUDNN_STATUS_EXECUTION_FAILED_CUBLAS", LibraryTrouble::execution},
    {5003, "CUDNN_STATUS_EXECUTION_FAILED_CUDART", LibraryTrouble::execution},
    {5004, "CUDNN_STATUS_EXECUTION_FAILED_CURAND", LibraryTrouble::execution}};
inline constexpr LibraryStatus nccl_statuses[] = {
    {1, "ncclUnhandledCudaError", LibraryTrouble::execution},
    {2, "ncclSystemError", LibraryTrouble::internal},
    {3, "ncclInternalError", LibraryTrouble::internal},
    {4, "ncclInvalidArgument", LibraryTrouble::value},
    {5, "ncclInvalidUsage", LibraryTrouble::value},
    {6, "ncclRemoteError", LibraryTrouble::peer},
    {7, "ncclInProgress", LibraryTrouble::answer}};
inline constexpr LibraryStatus cutensor_statuses[] = {
    {1, "CUTENSOR_STATUS_NOT_INITIALIZED", LibraryTrouble::handle},
    {3, "CUTENSOR_STATUS_ALLOC_FAILED", LibraryTrouble::memory},
    {7, "CUTENSOR_STATUS_INVALID_VALUE", LibraryTrouble::value},
    {8, "CUTENSOR_STATUS_ARCH_MISMATCH", LibraryTrouble::device},
    {11, "CUTENSOR_STATUS_MAPPING_ERROR", LibraryTrouble::internal},
    {13, "CUTENSOR_STATUS_EXECUTION_FAILED", LibraryTrouble::execution},
    {14, "CUTENSOR_STATUS_INTERNAL_ERROR", LibraryTrouble::internal},
    {15, "CUTENSOR_STATUS_NOT_SUPPORTED", LibraryTrouble::unsupported},
    {16, "CUTENSOR_STATUS_LICENSE_ERROR", LibraryTrouble::internal},
    {17, "CUTENSOR_STATUS_CUBLAS_ERROR", LibraryTrouble::internal},
    {18, "CUTENSOR_STATUS_CUDA_ERROR", LibraryTrouble::execution},
    // The answer of cutensorHandleReadCacheFromFile when its file needs more room, or is not there.
    {19, "CUTENSOR_STATUS_INSUFFICIENT_WORKSPACE", LibraryTrouble::memory},
    {20, "CUTENSOR_STATUS_INSUFFICIENT_DRIVER", LibraryTrouble::unsupported},
    {21, "CUTENSOR_STATUS_IO_ERROR", LibraryTrouble::unsupported}};
inline constexpr LibraryStatus cudss_statuses[] = {
    {1, "CUDSS_STATUS_NOT_INITIALIZED", LibraryTrouble::handle},
    {2, "CUDSS_STATUS_ALLOC_FAILED", LibraryTrouble::memory},
    {3, "CUDSS_STATUS_INVALID_VALUE", LibraryTrouble::value},
    {4, "CUDSS_STATUS_NOT_SUPPORTED", LibraryTrouble::unsupported},
    {5, "CUDSS_STATUS_EXECUTION_FAILED", LibraryTrouble::execution},
    {6, "CUDSS_STATUS_INTERNAL_ERROR", LibraryTrouble::internal}};

}  // namespace detail

/// NVIDIA's libraries whose functions return a status. A longer name precedes its beginning.
inline constexpr LibraryFamily cuda_families[] = {
    {"cublasLt", "libcublasLt", "cublasLtCreate", "CUBLASLT_LOG_LEVEL=1", detail::cublas_statuses},
    {"cublas", "libcublas", "cublasCreate", "", detail::cublas_statuses},
    {"cufft", "libcufft", "", "", detail::cufft_statuses},
    {"cusparse", "libcusparse", "cusparseCreate", "CUSPARSE_LOG_LEVEL=1",
     detail::cusparse_statuses},
    {"cusolver", "libcusolver", "cusolverDnCreate", "", detail::cusolver_statuses},
    {"curand", "libcurand", "curandCreateGenerator", "", detail::curand_statuses},
    {"cudnn", "libcudnn", "cudnnCreate", "CUDNN_LOGLEVEL_DBG=1 CUDNN_LOGDEST_DBG=stderr",
     detail::cudnn_statuses},
    {"nccl", "libnccl", "ncclCommInitRank", "NCCL_DEBUG=WARN", detail::nccl_statuses},
    {"cutensor", "libcutensor", "cutensorCreate", "CUTENSOR_LOG_LEVEL=1",
     detail::cutensor_statuses},
    {"cudss", "libcudss", "cudssCreate", "CUDSS_LOG_LEVEL=1", detail::cudss_statuses}};

}  // namespace warpsafe::watch
