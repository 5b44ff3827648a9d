// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>

// The binary interface of NCCL 2 and of RCCL, which has the same names: nccl.h of NCCL 2.28 and
// rccl.h of ROCm 6. Declared here, so that the library is built on machines without either, and
// does not depend on a release. tools/ranks/tests compares it with the nccl.h that is installed.

namespace warpsafe::ranks::nccl {

using Status = int;     ///< ncclResult_t
using Comm = void*;     ///< ncclComm_t
using Stream = void*;   ///< cudaStream_t, hipStream_t
using Type = int;       ///< ncclDataType_t
using Reduction = int;  ///< ncclRedOp_t
struct UniqueId {       ///< ncclUniqueId, passed by value
  char internal[128];
};
inline constexpr Status success = 0;
inline constexpr Status internal_error = 3;  ///< ncclInternalError
inline constexpr Status in_progress = 7;  ///< ncclInProgress: of a communicator that does not block

}  // namespace warpsafe::ranks::nccl
