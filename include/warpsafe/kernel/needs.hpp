// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/size_type.hpp>
#include <warpsafe/kernel/kernel.hpp>

#include <cstdint>
#include <type_traits>

// The needs that a kernel declares: `kernel<fn, max_threads<256>, block_multiple_of<32>>`. Each is
// checked while compiling if possible, otherwise at the launch.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

namespace needs_detail {
/// Whether N is a whole number of 32 bits from 1 to `most`. Signed numbers are accepted, so that a
/// negative one gets a sentence instead of a narrowing error.
template <auto N>
constexpr bool is_count_up_to(unsigned long long most) noexcept {
  if constexpr (detail::is_size<decltype(N)>) {
    return N > 0 && static_cast<unsigned long long>(N) <= most;
  } else {
    return false;
  }
}
/// N if it is a number, else 1, so that the compiler prints only the sentence.
template <auto N>
constexpr std::uint32_t count_or_1() noexcept {
  if constexpr (is_count_up_to<N>(0xffffffffU)) {
    return static_cast<std::uint32_t>(N);
  } else {
    return 1;
  }
}
}  // namespace needs_detail

/// At most N threads per block, as __launch_bounds__ declares to the compiler.
template <auto N>
struct max_threads : needs_detail::Need {
  static_assert(needs_detail::is_count_up_to<N>(1024), "warpsafe: a block has 1 to 1024 threads");
  static constexpr std::uint32_t its_max_threads = needs_detail::count_or_1<N>();
};
/// The two numbers of WARPSAFE_LAUNCH_BOUNDS. `using bounds = launch_bounds<256, 2>;` provides them
/// to the attribute and to the launch.
template <auto Threads, auto MinBlocks = 1>
struct launch_bounds : max_threads<Threads> {
  static_assert(needs_detail::is_count_up_to<MinBlocks>(1024),
                "warpsafe: at least one block fits on a multiprocessor: launch_bounds<256, 2>");
  static constexpr std::uint32_t threads = needs_detail::count_or_1<Threads>();
  static constexpr std::uint32_t min_blocks = needs_detail::count_or_1<MinBlocks>();
};
/// The number of threads per block is a multiple of N.
template <auto N>
struct block_multiple_of : needs_detail::Need {
  static_assert(needs_detail::is_count_up_to<N>(1024), "warpsafe: a block has 1 to 1024 threads");
  static constexpr std::uint32_t its_block_multiple = needs_detail::count_or_1<N>();
};
/// The kernel uses at least `MinCount` elements of T of dynamic shared memory. A launch without
/// `shared<T>(count)` does not compile.
template <class T, auto MinCount = 1>
struct needs_shared : needs_detail::Need {
  static_assert(needs_detail::is_count_up_to<MinCount>(0xffffffffU),
                "warpsafe: a kernel needs at least one element of dynamic shared memory: "
                "needs_shared<float, 256>");
  using shared_type = T;
  static constexpr std::uint64_t its_min_dynamic_shared =
      std::uint64_t{needs_detail::count_or_1<MinCount>()} * sizeof(T);
};
/// The kernel assumes warps (AMD: wavefronts) of N threads.
template <auto N>
struct requires_warp : needs_detail::Need {
  static_assert(N == 32 || N == 64, "warpsafe: warps have 32 or 64 threads");
  static constexpr std::uint32_t its_warp_size = needs_detail::count_or_1<N>();
};
/// Each thread of the kernel handles N items. Launch it on a grid made with items_per_thread<N>.
template <auto N>
struct handles_items : needs_detail::Need {
  static_assert(needs_detail::is_count_up_to<N>(0xffffffffU),
                "warpsafe: a thread handles at least one item");
  static constexpr std::uint32_t its_items = needs_detail::count_or_1<N>();
};
/// Each block of the kernel handles the item with the block's index, for instance a row of a
/// matrix. Launch it on a grid made with block_per_item; any other grid that covers a size has too
/// few blocks.
struct block_per_item_kernel : needs_detail::Need {
  static constexpr std::uint32_t its_items = 0;
};
/// The kernel strides over its size, for instance with `grid_stride(n)`, so a grid may have fewer
/// threads than items.
struct grid_stride_kernel : needs_detail::Need {
  static constexpr bool its_grid_stride = true;
};
/// The kernel computes its index in T. A grid with more threads or elements than T counts is
/// refused. A kernel without a declared index type is assumed to use int, as most kernels do. Its
/// index would wrap beyond 2^31; for larger grids, use 64-bit indices and declare
/// `index<std::uint64_t>`.
template <class T>
struct index : needs_detail::Need {
  static_assert(detail::is_size<T>, "warpsafe: an index type is a built-in whole number");
  static constexpr std::uint64_t its_index_max = static_cast<T>(-1) < static_cast<T>(0)
                                                     ? ~std::uint64_t{0} >> (65 - 8 * sizeof(T))
                                                     : ~std::uint64_t{0} >> (64 - 8 * sizeof(T));
};
/// The configuration must be valid on every vendor's devices, not only on the one that launches it.
struct portable : needs_detail::Need {
  static constexpr bool its_portable = true;
};
/// The kernel calls wait_for_predecessor() before it uses its predecessor's data, so that it can be
/// launched with `dependent_launch`. On the host backend, a run without the call is an error.
struct waits_for_predecessor : needs_detail::Need {
  static constexpr bool its_waits = true;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
