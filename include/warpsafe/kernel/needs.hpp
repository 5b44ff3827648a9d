// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/size_type.hpp>

#include <cstdint>
#include <type_traits>

// The needs that a kernel declares: `kernel<fn, max_threads<256>, block_multiple_of<32>>`. Each is
// checked while compiling if possible, otherwise at the launch.

namespace warpsafe {

/// The needs of a kernel as plain numbers, for `validate`. 0 means "not declared".
struct KernelNeeds {
  std::uint32_t max_threads = 0;         ///< threads per block
  std::uint32_t block_multiple = 0;      ///< the number of threads per block is a multiple of it
  std::uint32_t warp_size = 0;           ///< threads per warp that the code assumes
  std::uint64_t index_max = 0;           ///< the largest value of the kernel's index type
  std::uint64_t min_dynamic_shared = 0;  ///< bytes
  bool portable = false;
  bool index_assumed = false;  ///< the kernel declares no index type; int is assumed
};

namespace detail {
struct HostReference;
}

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
/// N if it is such a number, else 1, so that the compiler prints only the sentence.
template <auto N>
constexpr std::uint32_t count_or_1() noexcept {
  if constexpr (is_count_up_to<N>(0xffffffffU)) {
    return static_cast<std::uint32_t>(N);
  } else {
    return 1;
  }
}

struct Need {
  using shared_type = void;
  static constexpr std::uint32_t its_max_threads = 0;
  static constexpr std::uint32_t its_block_multiple = 0;
  static constexpr std::uint32_t its_warp_size = 0;
  static constexpr std::uint64_t its_index_max = 0;
  static constexpr std::uint64_t its_min_dynamic_shared = 0;
  static constexpr bool its_portable = false;
  static constexpr bool its_grid_stride = false;
  static constexpr std::uint32_t its_items = 1;
  static constexpr bool its_waits = false;
  /// The reference function of a kernel with these parameters, or nullptr (reference.hpp).
  template <class Parameters>
  static constexpr const detail::HostReference* its_reference = nullptr;
  template <class Parameters>
  static constexpr bool its_reference_fits = true;
};
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
/// The kernel waits for its predecessor in the stream before it uses the predecessor's data (CUDA:
/// cudaGridDependencySynchronize), so `dependent_launch` is safe.
struct waits_for_predecessor : needs_detail::Need {
  static constexpr bool its_waits = true;
};

namespace detail {

template <class T>
inline constexpr bool is_need = std::is_base_of_v<needs_detail::Need, T>;

constexpr std::uint64_t largest(std::uint64_t a, std::uint64_t b) noexcept { return a > b ? a : b; }
/// The smaller of two numbers; 0 means "none".
constexpr std::uint64_t strictest(std::uint64_t a, std::uint64_t b) noexcept {
  return a == 0 ? b : b == 0 ? a : a < b ? a : b;
}

/// The least common multiple of two numbers; 0 means "none".
constexpr std::uint64_t common_multiple(std::uint64_t a, std::uint64_t b) noexcept {
  if (a == 0 || b == 0) return a + b;
  std::uint64_t both = a;
  while (both % b != 0) both += a;
  return both;
}

/// The first reference among the needs, or nullptr.
template <class Parameters, class... Needs>
constexpr const HostReference* find_reference() noexcept {
  const HostReference* found = nullptr;
  ((found = found != nullptr ? found : Needs::template its_reference<Parameters>), ...);
  return found;
}

/// The largest index of a kernel without a declared index type: the largest int.
inline constexpr std::uint64_t assumed_index_max = 0x7fffffffU;

template <class... Needs>
[[nodiscard]] constexpr KernelNeeds collect_needs() noexcept {
  KernelNeeds all;
  // Every need is named, so that a new one does not compile until it is collected.
  auto& [max_threads, block_multiple, warp_size, index_max, min_dynamic_shared, portable,
         index_assumed] = all;
  ((max_threads = static_cast<std::uint32_t>(strictest(max_threads, Needs::its_max_threads))), ...);
  ((block_multiple =
        static_cast<std::uint32_t>(common_multiple(block_multiple, Needs::its_block_multiple))),
   ...);
  ((warp_size = static_cast<std::uint32_t>(largest(warp_size, Needs::its_warp_size))), ...);
  ((index_max = strictest(index_max, Needs::its_index_max)), ...);
  index_assumed = index_max == 0;
  if (index_assumed) index_max = assumed_index_max;
  ((min_dynamic_shared = largest(min_dynamic_shared, Needs::its_min_dynamic_shared)), ...);
  ((portable = portable || Needs::its_portable), ...);
  return all;
}

/// The T of needs_shared<T>, or void.
template <class... Needs>
struct SharedNeed {
  using type = void;
};
template <class First, class... Rest>
struct SharedNeed<First, Rest...> {
  using type = std::conditional_t<std::is_void_v<typename First::shared_type>,
                                  typename SharedNeed<Rest...>::type, typename First::shared_type>;
};

}  // namespace detail
}  // namespace warpsafe
