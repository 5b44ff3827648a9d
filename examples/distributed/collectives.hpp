// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "job.hpp"
#include <warpsafe/memory.hpp>
#include <warpsafe/warpsafe.hpp>

#include <type_traits>
#include <utility>

#if defined(__HIPCC__)
#include <warpsafe/handles/rccl.hpp>
#elif defined(__CUDACC__)
#include <warpsafe/handles/nccl.hpp>
#else
#include <vector>
#endif

namespace ws = warpsafe;

#if defined(__CUDACC__) || defined(__HIPCC__)

/// The collectives of all ranks of a job, over NCCL or RCCL: from device to device, in the order of
/// a stream.
class Collectives {
#if defined(__HIPCC__)
  using Handle = ws::RcclComm;
  using Rank = ws::RcclRank;
#else
  using Handle = ncclComm_t;
  using Rank = ws::NcclRank;
#endif

 public:
  static ws::result<Collectives> create(const Job& job, const ws::Stream& stream) {
    ncclUniqueId id{};
    if (job.own() == 0 && ncclGetUniqueId(&id) != ncclSuccess) job.abandon();
    if (!job.share(&id, sizeof id)) job.abandon();
    WARPSAFE_TRY(auto all, ws::StreamBound<Handle>::create(
                               stream, Rank{.id = id, .ranks = job.ranks(), .rank = job.own()}));
    return Collectives(std::move(all));
  }
  /// The same ranks in a communicator of their own.
  ws::result<Collectives> duplicate(const Job& job, const ws::Stream& stream) const {
    ncclComm_t made = nullptr;
    if (ncclCommSplit(all_.native(), 0, job.own(), &made, nullptr) != ncclSuccess) job.abandon();
    WARPSAFE_TRY(auto all, ws::StreamBound<Handle>::adopt(made, stream));
    return Collectives(std::move(all));
  }

  template <class View>
  [[gnu::always_inline]] ws::result<void> all_reduce(View values, bool maximum = false) {
    return all_.template call<ncclAllReduce>(values, values, values.size(), type<View>,
                                             maximum ? ncclMax : ncclSum);
  }
  template <class View>
  [[gnu::always_inline]] ws::result<void> reduce(View values, int root) {
    return all_.template call<ncclReduce>(values, values, values.size(), type<View>, ncclSum, root);
  }
  template <class View>
  [[gnu::always_inline]] ws::result<void> broadcast(View values, int root) {
    return all_.template call<ncclBroadcast>(values, values, values.size(), type<View>, root);
  }
  template <class View>
  [[gnu::always_inline]] ws::result<void> receive(View values, int from) {
    return all_.template call<ncclRecv>(values, values.size(), type<View>, from);
  }

 private:
  template <class View>
  static constexpr ncclDataType_t type = std::is_same_v<typename View::element_type, float>
                                             ? ncclFloat
                                             : (sizeof(typename View::element_type) == 8
                                                    ? ncclInt64
                                                    : ncclInt32);

  explicit Collectives(ws::StreamBound<Handle> all) : all_(std::move(all)) {}
  ws::StreamBound<Handle> all_;
};

#else

/// The collectives of all ranks of a job, over MPI: through the host's memory.
class Collectives {
 public:
  static ws::result<Collectives> create(const Job&, const ws::Stream& stream) {
    return Collectives(MPI_COMM_WORLD, stream);
  }
  /// The same ranks in a communicator of their own.
  ws::result<Collectives> duplicate(const Job&, const ws::Stream& stream) const {
    MPI_Comm made{};
    MPI_Comm_dup(all_, &made);
    return Collectives(made, stream);
  }

  template <class View>
  [[gnu::always_inline]] ws::result<void> all_reduce(View values, bool maximum = false) {
    auto host = elements_of(values);
    WARPSAFE_TRYV(ws::copy_and_wait(stream_, ws::from(values), ws::to(host)));
    MPI_Allreduce(MPI_IN_PLACE, host.data(), static_cast<int>(host.size()), type(host),
                  maximum ? MPI_MAX : MPI_SUM, all_);
    return ws::copy_and_wait(stream_, ws::from(host), ws::to(values));
  }
  template <class View>
  [[gnu::always_inline]] ws::result<void> reduce(View values, int root) {
    auto host = elements_of(values);
    auto sums = host;
    WARPSAFE_TRYV(ws::copy_and_wait(stream_, ws::from(values), ws::to(host)));
    MPI_Reduce(host.data(), sums.data(), static_cast<int>(host.size()), type(host), MPI_SUM, root,
               all_);
    return ws::copy_and_wait(stream_, ws::from(sums), ws::to(values));
  }
  template <class View>
  [[gnu::always_inline]] ws::result<void> broadcast(View values, int root) {
    auto host = elements_of(values);
    WARPSAFE_TRYV(ws::copy_and_wait(stream_, ws::from(values), ws::to(host)));
    MPI_Bcast(host.data(), static_cast<int>(host.size()), type(host), root, all_);
    return ws::copy_and_wait(stream_, ws::from(host), ws::to(values));
  }
  template <class View>
  [[gnu::always_inline]] ws::result<void> receive(View values, int from) {
    auto host = elements_of(values);
    MPI_Recv(host.data(), static_cast<int>(host.size()), type(host), from, 0, all_,
             MPI_STATUS_IGNORE);
    return ws::copy_and_wait(stream_, ws::from(host), ws::to(values));
  }

 private:
  template <class View>
  static auto elements_of(const View& values) {
    return std::vector<std::remove_const_t<typename View::element_type>>(values.size());
  }
  template <class T>
  static MPI_Datatype type(const std::vector<T>&) {
    if constexpr (std::is_same_v<T, float>) return MPI_FLOAT;
    if constexpr (sizeof(T) == 8) return MPI_LONG_LONG;
    return MPI_INT;
  }

  Collectives(MPI_Comm all, ws::StreamRef stream) : all_(all), stream_(stream) {}
  MPI_Comm all_;
  ws::StreamRef stream_;
};

#endif
