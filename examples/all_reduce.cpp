// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Trains with data parallelism on any number of GPUs and machines. Each rank has one device and the
// same weights. It computes gradients of its own data and adds the gradients of all ranks. All
// kernels of all ranks share one launch configuration. MPI starts the ranks:
//
//   mpirun -n 2 all_reduce
//
// With nvcc, NCCL adds the gradients from device to device, on the stream of the kernels. With g++
// or clang++, the ranks run on the host backend and MPI adds the gradients.

#include <warpsafe/memory.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/warpsafe.hpp>

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <cstddef>
#include <iostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#if defined(__CUDACC__)
#include <warpsafe/handles/nccl.hpp>
#endif

namespace ws = warpsafe;

// All numbers are small multiples of 1/4. Their sums are exact in any order, so every rank must
// compute the same bits.
WARPSAFE_FN inline float gradient_of(float weight, std::size_t i, int rank) {
  const auto own = static_cast<float>(rank + 1) + static_cast<float>(i % 4);
  return weight > 0 ? own : -own;
}
WARPSAFE_FN inline float stepped(float weight, float sum) { return weight - 0.25F * sum; }

WARPSAFE_KERNEL void gradient(const float* weights, float* gradients, int rank, std::size_t n) {
  for (auto i : ws::grid_stride(n)) gradients[i] = gradient_of(weights[i], i, rank);
}
WARPSAFE_KERNEL void step(const float* sums, float* weights, std::size_t n) {
  for (auto i : ws::grid_stride(n)) weights[i] = stepped(weights[i], sums[i]);
}

constexpr int steps = 4;
constexpr float first_weight = 2.0F;

struct Ranks {
  int count;
  int own;
  int on_this_machine;  ///< 0, 1, … among the ranks of one machine
};

#if defined(__CUDACC__)
/// Adds with a communicator of all ranks, which stays on its stream.
class Adder {
 public:
  static ws::result<Adder> create(const ws::Stream& stream, const Ranks& ranks) {
    ncclUniqueId id{};
    // The other ranks wait for the id and would hang, so a failure ends all of them.
    if (ranks.own == 0 && ncclGetUniqueId(&id) != ncclSuccess) MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    WARPSAFE_TRY(auto all, ws::StreamBound<ncclComm_t>::create(
                               stream, ws::NcclRank{id, ranks.count, ranks.own}));
    return Adder(std::move(all));
  }
  /// Replaces `values` by the sum over all ranks, after the stream's earlier work.
  ws::result<void> add(const ws::Stream&, ws::DeviceBuffer<float>& values) {
    return all_.call<ncclAllReduce>(values.view(), values.view(), values.size(), ncclFloat,
                                    ncclSum);
  }

 private:
  explicit Adder(ws::StreamBound<ncclComm_t> all) : all_(std::move(all)) {}
  ws::StreamBound<ncclComm_t> all_;
};
#else
/// Adds on the host.
class Adder {
 public:
  static ws::result<Adder> create(const ws::Stream&, const Ranks&) { return Adder{}; }
  ws::result<void> add(const ws::Stream& stream, ws::DeviceBuffer<float>& values) {
    WARPSAFE_TRY(auto host, values.to_host(stream).get());
    MPI_Allreduce(MPI_IN_PLACE, host.data(), static_cast<int>(host.size()), MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
    WARPSAFE_TRY(values, ws::DeviceBuffer<float>::from(stream, std::span<const float>(host)));
    return ws::success();
  }
};
#endif

/// Returns the weights after all steps, computed on this rank's device.
ws::result<std::vector<float>> train(const Ranks& ranks, std::size_t n) {
  WARPSAFE_TRY(const int devices, ws::device_count());
  const auto own_device = ws::DeviceId(ranks.on_this_machine % devices);
  WARPSAFE_TRY(const auto device, ws::DeviceGuard::create(own_device));
  WARPSAFE_TRY(const auto stream, ws::Stream::create(own_device));
  WARPSAFE_TRY(auto adder, Adder::create(stream, ranks));
  const std::vector<float> first(n, first_weight);
  WARPSAFE_TRY(auto weights, ws::DeviceBuffer<float>::from(stream, std::span(first)));
  WARPSAFE_TRY(auto gradients, ws::DeviceBuffer<float>::create(stream, n));

  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
  for (int i = 0; i < steps; ++i) {
    WARPSAFE_TRYV(ws::launch(stream, config, ws::kernel<gradient>, weights.view(), gradients.view(),
                             ranks.own, n));
    WARPSAFE_TRYV(adder.add(stream, gradients));
    WARPSAFE_TRYV(
        ws::launch(stream, config, ws::kernel<step>, gradients.view(), weights.view(), n));
  }
  return weights.to_host(stream).get();
}

/// Computes the same weight in one loop on the host.
float expected(std::size_t i, int ranks) {
  float weight = first_weight;
  for (int one = 0; one < steps; ++one) {
    float sum = 0;
    for (int rank = 0; rank < ranks; ++rank) sum += gradient_of(weight, i, rank);
    weight = stepped(weight, sum);
  }
  return weight;
}

int run(const Ranks& ranks) {
  const std::size_t n = 1000003;
#if defined(__CUDACC__)
  const auto devices = ws::device_count();
  if (devices.has_value() && devices.value() > 0 && ranks.on_this_machine >= devices.value()) {
    std::cerr << "NCCL needs a GPU for each rank: rank " << ranks.own << " finds none free\n";
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 2;
  }
#endif
  const auto weights = train(ranks, n);
  if (!weights.has_value()) {
    std::cerr << "rank " + std::to_string(ranks.own) + ": " + message(weights.error()) + '\n';
    // The other ranks wait for this one.
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 2;
  }
  long long right = 0;
  for (std::size_t i = 0; i < n; ++i) right += weights.value()[i] == expected(i, ranks.count);
  MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  const auto all = static_cast<long long>(n) * ranks.count;
  if (ranks.own == 0) {
    std::cout << right << " of " << all << " weights are right after " << steps << " steps of "
              << ranks.count << " ranks\n";
  }
  return right == all ? 0 : 1;
}

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  Ranks ranks{};
  MPI_Comm machine{};
  MPI_Comm_size(MPI_COMM_WORLD, &ranks.count);
  MPI_Comm_rank(MPI_COMM_WORLD, &ranks.own);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MPI_Comm_rank(machine, &ranks.on_this_machine);
  MPI_Comm_free(&machine);
  const int status = run(ranks);
  MPI_Finalize();
  return status;
}
