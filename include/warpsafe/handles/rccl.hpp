// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/hip/hip_backend.hpp>
#include <warpsafe/handles/stream_bound.hpp>

#include <rccl/rccl.h>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// A communicator of RCCL. The library's own type has the same name as NCCL's, and a program may
/// use both.
struct RcclComm {};

/// The rank of a communicator: the arguments of RCCL's ncclCommInitRank.
struct RcclRank {
  ncclUniqueId id;
  int ranks;
  int rank;  ///< 0 to ranks - 1
};

/// RCCL: `StreamBound<RcclComm>::create(stream, RcclRank{id, ranks, rank})` waits for the other
/// ranks. If one thread makes several communicators together (ncclCommInitAll), pass each to adopt.
/// `comm.call<ncclAllReduce>(in.view(), out.view(), n, ncclFloat, ncclSum)`: `call` passes
/// communicator and stream. To end a hang, call ncclCommAbort with native().
template <>
struct handle_traits<RcclComm> : HandleCalls<hip_backend, nullptr, ncclCommDestroy> {
  using options = RcclRank;
  using refused = Functions<ncclCommDestroy, ncclCommAbort>;
  static constexpr Name name = Name::of("RCCL");
  static constexpr bool has_functions_without_stream = true;  // ranks, errors, registrations

  static status create(native& comm, const options& rank) noexcept {
    return ncclCommInitRank(&comm, rank.ranks, rank.id, rank.rank);
  }
  static Name status_name(status value) noexcept {
    return detail::enumerator_name<ncclUnhandledCudaError, ncclSystemError, ncclInternalError,
                                   ncclInvalidArgument, ncclInvalidUsage, ncclRemoteError>(value);
  }
  static Name status_text(status value) noexcept { return Name::of(ncclGetErrorString(value)); }
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
