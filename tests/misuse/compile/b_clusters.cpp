// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "launches.hpp"

namespace ws = warpsafe;

// B13: Three blocks do not form clusters of two.
auto b13_cluster_that_does_not_divide() {
#ifdef MISUSE
  // expected-error {{"the cluster does not divide the grid"}}
  return ws::configure(ws::grid<3>, ws::block<32>, ws::cluster<2>);
#else
  return ws::configure(ws::grid<4>, ws::block<32>, ws::cluster<2>);
#endif
}

// B13: The cluster divides the number of blocks, but not each axis.
auto b13b_cluster_that_divides_the_count() {
#ifdef MISUSE
  // expected-error {{"the cluster does not divide the grid"}}
  return ws::configure(ws::grid<4, 3>, ws::block<32>, ws::cluster<2, 2>);
#else
  return ws::configure(ws::grid<4, 4>, ws::block<32>, ws::cluster<2, 2>);
#endif
}

// B14: Every device with clusters allows 8 blocks; this cluster has 16.
auto b14_cluster_of_16() {
#ifdef MISUSE
  // expected-error {{"a portable cluster has at most 8 blocks"}}
  return ws::cluster<16>;
#else
  return ws::non_portable_cluster<16>;
#endif
}

// B14: The cluster has 16 blocks in two axes.
auto b14b_cluster_of_4_by_4() {
#ifdef MISUSE
  // expected-error {{"a portable cluster has at most 8 blocks"}}
  return ws::cluster<4, 4>;
#else
  return ws::cluster<4, 2>;
#endif
}

// B14: No device allows 32 blocks, not even on request.
// alone: g++
auto b14c_cluster_of_32() {
#ifdef MISUSE
  // expected-error {{"no device has clusters of more than 16 blocks"}}
  return ws::non_portable_cluster<32>;
#else
  return ws::non_portable_cluster<16>;
#endif
}

// B14: The configuration gets a portable cluster and a non-portable one.
auto b14d_two_clusters() {
#ifdef MISUSE
  // expected-error {{"two clusters in one LaunchConfig"}}
  return ws::configure(ws::grid<16>, ws::block<32>, ws::cluster<2>, ws::non_portable_cluster<16>);
#else
  return ws::configure(ws::grid<16>, ws::block<32>, ws::non_portable_cluster<16>);
#endif
}

// B14: The cluster of 32 blocks is made by the name of its type.
// alone: g++
auto b14e_cluster_by_its_type() {
#ifdef MISUSE
  // expected-error {{"no device has clusters of more than 16"}}
  return ws::configure(ws::grid<64>, ws::block<64>, ws::NonPortableCluster<32, 1, 1>{});
#else
  return ws::configure(ws::grid<64>, ws::block<64>, ws::non_portable_cluster<16>);
#endif
}

// B15: HIP devices have no clusters.
// only: hipcc
namespace b15_cluster_on_amd {

WARPSAFE_KERNEL void nothing() {}

auto launched(ws::StreamRef stream) {
#ifdef MISUSE
  // expected-error {{"this backend's devices have no clusters"}}
  return ws::launch(stream, ws::configure(ws::grid<4>, ws::block<32>, ws::cluster<2>),
                    ws::kernel<nothing>);
#else
  return ws::launch(stream, ws::configure(ws::grid<4>, ws::block<32>), ws::kernel<nothing>);
#endif
}

}  // namespace b15_cluster_on_amd

// B16: An option is given twice.
auto b16_cooperative_twice() {
#ifdef MISUSE
  // expected-error {{"a launch option is given twice"}}
  return ws::configure(ws::grid<4>, ws::block<32>, ws::cooperative, ws::cooperative);
#else
  return ws::configure(ws::grid<4>, ws::block<32>, ws::cooperative);
#endif
}
