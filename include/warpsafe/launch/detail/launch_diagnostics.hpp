// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/declare_launch.hpp>
#include <warpsafe/kernel/detail/argument_types.hpp>
#include <warpsafe/kernel/kernel.hpp>
#include <warpsafe/launch/detail/launch_rules.hpp>
#include <warpsafe/launch/launch_config.hpp>
#include <warpsafe/stream/stream_ref.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

// Mistakes in a launch that its types show. Each has a sentence of its own.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

template <class Grid>
inline constexpr bool is_strided_grid = false;
template <class Rules, class Block, int Rank, std::uint32_t Items>
inline constexpr bool is_strided_grid<SafeGrid<Rules, Block, Rank, GridPolicy::strided, Items>> =
    true;

/// The items per thread of the grid; 0: an item has a block. A grid that covers no size has as many
/// as the kernel declares.
template <class K, class Grid>
constexpr std::uint32_t items_of_grid() noexcept {
  if constexpr (is_safe_grid<Grid>) {
    return Grid::items;
  }
  return K::items;
}

/// Diagnoses, while compiling, a configuration and a kernel that do not fit together.
template <class Config, class K>
constexpr bool check_config_types() noexcept {
  using Block = typename Config::block_type;
  constexpr KernelNeeds needs = K::needs;
  if constexpr (Block::is_static) {
    static_assert(
        needs.max_threads == 0 || Block{}.count() <= needs.max_threads,
        "warpsafe: the block has more threads than the kernel's declared maximum (max_threads, "
        "launch_bounds); use a smaller block");
    static_assert(needs.block_multiple == 0 || Block{}.count() % needs.block_multiple == 0,
                  "warpsafe: the block's threads are not a multiple of what the kernel declares "
                  "(block_multiple_of)");
    if constexpr (is_grid_dim<typename Config::grid_type>) {
      if constexpr (Config::grid_type::is_static) {
        static_assert(
            total_threads(typename Config::grid_type{}.count(), Block{}.count()) - 1 <=
                needs.index_max,
            "warpsafe: the grid has more threads than the kernel's index type counts (int, 2^31, unless declared); use 64-bit indices (thread_index(), grid_stride(n)) and declare index<std::uint64_t>");
      }
    }
  }
  static_assert(
      !is_strided_grid<typename Config::grid_type> || K::is_grid_stride,
      "warpsafe: a grid_stride grid has fewer threads than items, and this kernel is not declared grid_stride_kernel, so items would be dropped; use cover, or declare grid_stride_kernel");
  constexpr std::uint32_t items = items_of_grid<K, typename Config::grid_type>();
  static_assert(
      K::is_grid_stride || K::items != 0 || items == 0,
      "warpsafe: each block of this kernel handles one item (block_per_item_kernel), and this grid has fewer blocks than items, so items would be dropped; use cover(n, block<256>, block_per_item)");
  static_assert(
      K::is_grid_stride || items != 0 || K::items == 0,
      "warpsafe: the grid has a block for each item, and the kernel does not declare that its blocks handle one item each; declare block_per_item_kernel, or use cover without block_per_item");
  static_assert(
      K::is_grid_stride || K::items == 0 || items == 0 || items == K::items,
      "warpsafe: the grid gives each thread a different number of items than the kernel declares, so items would be dropped or done twice; items_per_thread<N> needs handles_items<N>");
  using Wanted = typename K::shared_type;
  if constexpr (!std::is_void_v<Wanted>) {
    static_assert(
        Config::template has<PartKind::shared>,
        "warpsafe: the kernel declares needs_shared<T>, and the launch gives no dynamic shared "
        "memory; add shared<T>(count) to the configuration");
    if constexpr (Config::template has<PartKind::shared>) {
      using Given = typename Config::template option<PartKind::shared>::element_type;
      static_assert(
          std::is_same_v<Given, Wanted> || std::is_same_v<Given, unsigned char>,
          "warpsafe: the dynamic shared memory has a different element type than the kernel declares (needs_shared<T>)");
    }
  }
  static_assert(
      !Config::template has<PartKind::dependent> || K::waits_for_predecessor,
      "warpsafe: dependent_launch may start the kernel before its input is written; use it only for kernels declared waits_for_predecessor");
  return true;
}

/// Diagnoses a kernel that cannot run on a stream of backend B, or not with `Count` arguments.
template <class B, class K, int Count>
constexpr bool check_kernel_types() noexcept {
  static_assert(
      part_kind<K> == PartKind::none,
      "warpsafe: this launch option or block stands in the kernel's place; put it into the configuration: configure(grid, shared<float>(256)), or LaunchConfig{grid, block}");
  static_assert(!is_result<K>,
                "warpsafe: this kernel is a result; unwrap it with WARPSAFE_TRY or .value()");
  static_assert(is_kernel<K> || part_kind<K> != PartKind::none || is_result<K>,
                "warpsafe: launch takes the kernel as kernel<fn>");
  if constexpr (is_kernel<K>) {
    constexpr bool host_stream = runs_host_kernels<B>;
    constexpr bool host_kernel = K::provenance == Provenance::host;
    // The host compiler compiles a file of `external` kernels.
    constexpr bool declared_for_device = K::provenance == Provenance::external;
    static_assert(
        !host_stream || !declared_for_device,
        "warpsafe: WARPSAFE_BACKEND_CUDA or _HIP makes this a kernel of nvcc or hipcc, which cannot run on a host stream; to run it on the host, compile its file and this one without that macro (CMake: link warpsafe::host), or launch it on a device stream");
    static_assert(
        !host_stream || host_kernel || declared_for_device,
        "warpsafe: this kernel is compiled for a device and cannot run on a host stream; compile the kernel and this file with the host compiler and the host as default backend (WARPSAFE_BACKEND_HOST), or launch it on a device stream");
    static_assert(
        host_stream || !host_kernel,
        "warpsafe: this kernel is compiled for the host and cannot run on a device stream; compile it with nvcc or hipcc, and declare it WARPSAFE_KERNEL_EXTERN in a file with the default backend WARPSAFE_BACKEND_CUDA or _HIP");
    if constexpr (requires { typename K::module_backend; }) {
      static_assert(std::is_same_v<typename K::module_backend, B>,
                    "warpsafe: this kernel was loaded by a different backend than the stream's");
    }
    constexpr bool right_count = Count == K::parameters::size;
    static_assert(
        right_count,
        "warpsafe: the number of arguments differs from the kernel's number of parameters");
    return right_count && host_stream == host_kernel;
  }
  return false;
}

/// Diagnoses the parameters P of a kernel and the arguments A, numbered from 1. Each function
/// between `launch` and an assertion costs g++ a line before the sentence, so `launch` reaches this
/// one directly.
template <class B, class... A, class... P, std::size_t... Place>
constexpr bool check_arguments(TypeList<P...>, std::index_sequence<Place...>) noexcept {
  if constexpr (sizeof...(P) == sizeof...(A)) {
    constexpr bool parameters = (check_parameter<Place + 1, P>() && ... && true);
    static_assert(
        !(is_result<A> || ...),
        "warpsafe: an argument of the launch is a result; unwrap it with WARPSAFE_TRY or .value()");
    if constexpr (parameters && !(is_result<A> || ...)) {
      constexpr bool fits = parameter_bytes<P...>() <= B::parameter_bytes;
      static_assert(
          fits,
          "warpsafe: the kernel's parameters exceed the runtime's limit for parameter bytes; put the large one into device memory");
      constexpr bool arguments = (check_argument<Place + 1, P, A>() && ... && fits);
      return arguments;
    }
  }
  return false;
}

/// Diagnoses a launch by its types, but for the arguments.
template <class B, class Config, class K, int Count>
constexpr bool check_launch_types() noexcept {
  static_assert(
      is_launch_config<Config>,
      "warpsafe: the second argument of launch is a LaunchConfig, or a grid without options: SafeGrid<>::cover(n, block<256>)");
  if constexpr (is_launch_config<Config>) {
    // First, and without a use of B's members: the header of a backend that cannot run the kernel
    // need not be included.
    constexpr bool kernel_fine = check_kernel_types<B, K, Count>();
    static_assert(
        is_launchable<B>,
        "warpsafe: launch does not know this stream's backend; include the backend's own header");
    if constexpr (Config::template has<PartKind::cluster>) {
      static_assert(
          B::has_clusters,
          "warpsafe: this backend's devices have no clusters of blocks; leave cluster<…> out");
    }
    if constexpr (Config::template has<PartKind::dependent>) {
      static_assert(B::has_clusters, "warpsafe: this backend has no programmatic dependent launch");
    }
    if constexpr (is_kernel<K>) {
      return check_config_types<Config, typename K::declaration>() && kernel_fine;
    }
  }
  return false;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
