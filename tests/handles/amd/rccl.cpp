// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// RCCL through a bound handle, compiled against the library's own header.

#include "amd.hpp"
#include <warpsafe/handles/rccl.hpp>

/// A sum over all ranks, each of which calls this.
ws::result<void> with_rccl(const HipStream& stream, const ws::RcclRank& rank,
                           const Buffer<float>& in, Buffer<float>& out) {
  auto comm = ws::StreamBound<ws::RcclComm>::create(stream, rank);
  if (!comm.has_value()) return comm.error();
  return comm.value().call<ncclAllReduce>(in.view(), out.view(), in.size(), ncclFloat, ncclSum);
}

/// A communicator that was made together with those of the other devices.
ws::result<void> with_communicator(const HipStream& stream, ncclComm_t one, Buffer<float>& both) {
  auto comm = ws::StreamBound<ws::RcclComm>::adopt(one, stream);
  if (!comm.has_value()) return comm.error();
  return comm.value().call<ncclAllReduce>(both.view(), both.view(), both.size(), ncclFloat,
                                          ncclSum);
}
