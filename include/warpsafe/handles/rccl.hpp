// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/hip/hip_backend.hpp>
#include <warpsafe/handles/stream_bound.hpp>

#include <rccl/rccl.h>

namespace warpsafe {

/// A communicator of RCCL. The library's own type is called as NCCL's is, and a program can have
/// both.
struct RcclComm {};

/// Which of how many a communicator is: what RCCL's ncclCommInitRank is given.
struct RcclRank {
  ncclUniqueId id;
  int ranks;
  int rank;  ///< 0 to ranks - 1
};

/// RCCL: `StreamBound<RcclComm>::create(stream, RcclRank{id, ranks, rank})`, which waits for the
/// other ranks; communicators of one thread that are made together (ncclCommInitAll) come in by
/// adopt. `comm.call<ncclAllReduce>(in.view(), out.view(), n, ncclFloat, ncclSum)`: communicator
/// and stream are passed by `call`. ncclCommAbort stays the way out of a hang: native().
template <>
struct handle_traits<RcclComm> : HandleCalls<hip_backend, nullptr, ncclCommDestroy> {
  using options = RcclRank;
  using refused = Functions<ncclCommDestroy, ncclCommAbort>;
  static constexpr Name name = Name::of("RCCL");

  static status create(native& comm, const options& rank) noexcept {
    return ncclCommInitRank(&comm, rank.ranks, rank.id, rank.rank);
  }
  static Name status_name(status value) noexcept {
    return detail::enumerator_name<ncclUnhandledCudaError, ncclSystemError, ncclInternalError,
                                   ncclInvalidArgument, ncclInvalidUsage, ncclRemoteError>(value);
  }
  static Name status_text(status value) noexcept { return Name::of(ncclGetErrorString(value)); }
};

}  // namespace warpsafe
