// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/config.hpp>
#include <warpsafe/detail/arguments.hpp>
#include <warpsafe/detail/caches.hpp>
#include <warpsafe/detail/calls_at.hpp>
#include <warpsafe/detail/check_hooks.hpp>
#include <warpsafe/detail/observation.hpp>
#include <warpsafe/detail/runtime_error.hpp>
#include <warpsafe/kernel.hpp>
#include <warpsafe/launch_config.hpp>
#include <warpsafe/stream.hpp>
#include <warpsafe/validate.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

// The checks that a launch makes before it dispatches, and the errors it can end with.

namespace warpsafe::detail {

template <class Grid>
inline constexpr bool is_strided_grid = false;
template <class Rules, class Block, int Rank, std::uint32_t Items>
inline constexpr bool is_strided_grid<SafeGrid<Rules, Block, Rank, GridPolicy::strided, Items>> =
    true;

/// How many items each thread of the grid has, or what the kernel declares for a grid that covers
/// nothing in particular.
template <class K, class Grid>
constexpr std::uint32_t items_of_grid() noexcept {
  if constexpr (is_safe_grid<Grid>) {
    return Grid::items;
  } else {
    return K::items;
  }
}

/// The sentences about a configuration and a kernel that do not go together, all known while
/// compiling.
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
            all_threads(typename Config::grid_type{}.count(), Block{}.count()) - 1 <=
                needs.index_max,
            "warpsafe: the grid has more threads than the kernel's index counts, an int's 2^31 if "
            "it declares none; index in 64 bits (thread_index(), grid_stride(n)) and declare "
            "index<std::uint64_t>");
      }
    }
  }
  static_assert(
      !is_strided_grid<typename Config::grid_type> || K::is_grid_stride,
      "warpsafe: a grid_stride grid has fewer threads than items, and this kernel is not declared "
      "grid_stride_kernel: the rest would be dropped; use cover, or declare the kernel so");
  static_assert(
      K::is_grid_stride || items_of_grid<K, typename Config::grid_type>() == K::items,
      "warpsafe: the grid gives each thread another number of items than the kernel declares "
      "(items_per_thread<N> needs handles_items<N>): some would be dropped, or done twice");
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
          "warpsafe: the dynamic shared memory has other elements than the kernel declares "
          "(needs_shared<T>)");
    }
  }
  static_assert(
      !Config::template has<PartKind::dependent> || K::waits_for_predecessor,
      "warpsafe: dependent_launch may start the kernel before its input is written; only for "
      "kernels declared waits_for_predecessor");
  return true;
}

/// The sentences about a kernel on a stream of backend B, and about its arguments.
template <class B, class K, class... A>
constexpr bool check_kernel_types() noexcept {
  static_assert(is_kernel<K>, "warpsafe: launch takes the kernel as kernel<fn>");
  if constexpr (is_kernel<K>) {
    constexpr bool host_stream = std::is_same_v<B, host_backend>;
    constexpr bool host_kernel = K::provenance == Provenance::host;
    static_assert(!host_stream || host_kernel,
                  "warpsafe: this kernel is compiled for a device and cannot run on a host stream; "
                  "compile it with the host compiler, or launch it on a device's stream");
    static_assert(host_stream || !host_kernel,
                  "warpsafe: this kernel is a function of the host compiler and cannot run on a "
                  "device's stream; compile it with nvcc or hipcc, and declare it "
                  "WARPSAFE_KERNEL_EXTERN here");
    if constexpr (requires { typename K::module_backend; }) {
      static_assert(std::is_same_v<typename K::module_backend, B>,
                    "warpsafe: this kernel was loaded by another backend than the stream's");
    }
    constexpr bool right_count = static_cast<int>(sizeof...(A)) == K::parameters::size;
    static_assert(right_count,
                  "warpsafe: the number of arguments is not the kernel's number of parameters");
    if constexpr (right_count && host_stream == host_kernel) {
      return check_all_arguments<B, A...>(typename K::parameters{},
                                          std::index_sequence_for<A...>{});
    } else {
      return false;
    }
  } else {
    return false;
  }
}

/// Everything about a launch that its types tell.
template <class B, class Config, class K, class... A>
constexpr bool check_launch_types() noexcept {
  static_assert(is_launch_config<Config>,
                "warpsafe: launch takes a LaunchConfig second, or a grid that needs no options: "
                "SafeGrid<>::cover(n, block<256>)");
  if constexpr (is_launch_config<Config>) {
    // First, and without a look into B: the backend of a stream that the kernel cannot run on need
    // not be included.
    constexpr bool kernel_fine = check_kernel_types<B, K, A...>();
    if constexpr (Config::template has<PartKind::cluster>) {
      static_assert(
          B::has_clusters,
          "warpsafe: this backend's devices have no clusters of blocks; leave cluster<…> out");
    }
    if constexpr (Config::template has<PartKind::dependent>) {
      static_assert(B::has_clusters, "warpsafe: this backend has no programmatic dependent launch");
    }
    if constexpr (is_kernel<K>) {
      return check_config_types<Config, K>() && kernel_fine;
    } else {
      return false;
    }
  } else {
    return false;
  }
}

/// The documented floor of a backend, without what only a device can tell: for CheckLevel::cheap.
template <class B>
inline constexpr DeviceLimits cheap_limits = [] {
  DeviceLimits limits = floor_of<B>;
  limits.shared_per_block = ~std::uint64_t{0};
  limits.shared_per_block_optin = ~std::uint64_t{0};
  limits.warp_size = 0;
  limits.max_cluster_blocks = 16;
  limits.max_cluster_blocks_optin = 16;
  limits.cooperative_launch = true;
  return limits;
}();

/// What the driver knows of the device and the kernel, from memory after the first launch.
template <class B, class K>
bool ask_driver(const Located<B>& at, K kernel, const DeviceLimits*& device_limits,
                DeviceLimits& device_local, const KernelLimits*& kernel_limits,
                KernelLimits& kernel_local, LaunchError& error) noexcept {
  const int device = at.stream.device().value();
  if constexpr (requires { kernel.module_device(); }) {
    if (kernel.module_device() >= 0 && kernel.module_device() != device) {
      return refuse(error, Errc::module_wrong_device, Stage::validation,
                    static_cast<std::uint64_t>(device),
                    static_cast<std::uint64_t>(kernel.module_device()));
    }
  }
  int current = -1;
  int status = QuestionsAt<B, CheckLevel::full>::current_device(current);
  if (status == 0 && current != device) {
    return refuse(error, Errc::stream_wrong_device, Stage::validation,
                  static_cast<std::uint64_t>(current), static_cast<std::uint64_t>(device));
  }
  if (const CheckHooks* const checks = check_hooks(); status == 0 && checks != nullptr) {
    status = checks->prepare(B::vendor, device);
  }
  if (status == 0) {
    device_limits = DeviceCache<B>::template find<QuestionsAt<B, CheckLevel::full>>(
        device, device_local, status);
  }
  if (status == 0) {
    using Calls = QuestionsAt<typename K::template calls<B>, CheckLevel::full>;
    kernel_limits =
        kernel_slots<B>(kernel).template find<Calls>(kernel.entry(), device, kernel_local, status);
  }
  if (status != 0) {
    // Made in its place: a copy is 400 bytes of code.
    ::new (static_cast<void*>(&error))
        LaunchError(kernel_error<B>(status, Name::of("launch"), at.site, Stage::validation));
    error.device = device;
    return false;
  }
  return true;
}

/// What fits on the device at once, for cooperative launches and large clusters alone: asked of the
/// driver every time, for a shape that is fine otherwise. An opt-in for its shared memory comes
/// first, since the driver answers 0 without it.
template <class B, class K>
bool check_residency(const Located<B>& at, const LaunchShape& shape, K kernel,
                     const DeviceLimits& device, LaunchError& error) noexcept {
  using Calls = QuestionsAt<typename K::template calls<B>, CheckLevel::full>;
  const KernelEntry entry = kernel.entry();
  int fits = 0;
  int status = 0;
  if (shape.dynamic_shared != 0) {
    status = kernel_slots<B>(kernel).template allow_dynamic_shared<Calls>(
        entry, at.stream.device().value(), shape.dynamic_shared);
  }
  if (status == 0 && shape.cooperative) {
    status = Calls::resident_blocks(entry, static_cast<std::uint32_t>(shape.threads_per_block()),
                                    shape.dynamic_shared, fits);
  } else if (status == 0) {
    status = Calls::max_cluster_blocks(entry, shape, fits);
  }
  if (status != 0) {
    error = runtime_error<B>(status, Name::of("launch"), at.site, Stage::validation);
    error.device = at.stream.device().value();
    return false;
  }
  const std::uint64_t most =
      static_cast<std::uint64_t>(fits) * (shape.cooperative ? device.multiprocessors : 1U);
  const std::uint64_t blocks = shape.cooperative ? shape.blocks() : shape.blocks_per_cluster();
  if (blocks <= most) return true;
  error =
      LaunchError::make(shape.cooperative ? Errc::cooperative_too_large : Errc::cluster_too_large,
                        Stage::validation, blocks, most);
  error.with_shape(shape).with_device(device);
  return false;
}

/// The run-time part before the dispatch. False with the problem in `error`. At level full
/// `kernel_limits` is then what the driver knows of the kernel, which may lie in `kernel_local`.
template <CheckLevel Level, class B, class K, class Config>
bool check_launch(const Located<B>& at, const Config& config, const LaunchShape& shape, K kernel,
                  const KernelLimits*& kernel_limits, KernelLimits& kernel_local,
                  LaunchError& error) noexcept {
  // What is left of a Stream that was moved from or closed: to the runtime, its default stream.
  if (at.stream.native() == nullptr) {
    return refuse(error, Errc::stream_null, Stage::validation, 0, 0, Axis::none, 1);
  }
  if constexpr (Config::template has<PartKind::shared> || Config::template has<PartKind::cluster>) {
    const LaunchError problem = config.problem();
    if (problem.code != Errc{}) {
      error = problem;
      return false;
    }
  }
  // By type: most launches have neither, and need not compile the questions.
  constexpr bool together =
      Config::template has<PartKind::cooperative> || Config::template has<PartKind::cluster>;
  if constexpr (Level == CheckLevel::full) {
    DeviceLimits device_local;
    const DeviceLimits* device_limits = nullptr;
    if (!ask_driver(at, kernel, device_limits, device_local, kernel_limits, kernel_local, error) ||
        !validate_launch<K, together>(shape, *kernel_limits, *device_limits, error) ||
        !validate_reach<K>(config, shape, error)) {
      return false;
    }
    if constexpr (together) {
      return !(shape.cooperative || shape.non_portable_cluster) ||
             check_residency(at, shape, kernel, *device_limits, error);
    } else {
      return true;
    }
  } else {
    static_cast<void>(kernel_limits);
    return validate_launch<K, together>(shape, kernel_local, cheap_limits<B>, error) &&
           validate_reach<K>(config, shape, error);
  }
}

template <CheckLevel Level, class B, class... P, class... A>
[[nodiscard, gnu::always_inline]] inline bool check_values(LaunchError& error, TypeList<P...>,
                                                           const A&... arguments) noexcept {
  constexpr bool ask_driver = Level == CheckLevel::full;
  if constexpr ((has_a_check<ask_driver, P, A> || ...)) {
    int number = 0;
    return (check_value<B, ask_driver, P>(arguments, ++number, error) && ...);
  } else {
    return true;
  }
}

/// Puts the launch beside a problem that a check has found, for the caller to read.
template <class B, class K>
[[gnu::cold, gnu::noinline]] LaunchError& report_refusal(LaunchError& error,
                                                         const LaunchShape& shape,
                                                         const Located<B>& at, K kernel) noexcept {
  error.kernel = kernel.name();
  error.site = at.site;
  error.stream = at.stream.native();
  error.with_shape(shape);
  if (error.device < 0 || error.code == Errc::stream_wrong_device) {
    error.device = at.stream.device().value();
  }
  if (error.device_name.empty()) error.device_name = device_name<B>(error.device);
  return error;
}

template <class B, class K>
[[gnu::cold, gnu::noinline]] result<void> refused_configuration(const LaunchError& error,
                                                                const Located<B>& at,
                                                                K kernel) noexcept {
  result<void> refused = failure<void>(error);
  LaunchError& told = ResultPolicy::error_in(refused);
  if (told.kernel.empty()) told.kernel = kernel.name();
  told.stream = at.stream.native();
  if (told.site.file == nullptr) told.site = at.site;
  return refused;
}

/// The numbers of a launch, from what carries them.
[[nodiscard]] constexpr const LaunchShape& shape_of(const LaunchShape& shape) noexcept {
  return shape;
}
template <class Config>
[[nodiscard, gnu::always_inline]] constexpr LaunchShape shape_of(const Config& config) noexcept {
  return config.shape();
}

/// The runtime refused the launch, or says at this launch that earlier work has failed. What it
/// reads of the launch by reference, it finds in memory: that costs a launch one store for what is
/// known only at run time, and nothing for what the types say; kept in registers across the call,
/// it would cost three instructions each.
template <class B, class Shaped>
[[gnu::cold, gnu::noinline]] result<void> launch_failed(int status, const Shaped& shaped,
                                                        const basic_stream_ref<B>& stream,
                                                        const char* kernel, std::size_t kernel_size,
                                                        const char* file, const char* function,
                                                        unsigned line) noexcept {
  LaunchError error = runtime_error<B>(status, Name{}, {file, function, line}, Stage::launch);
  if (error.code == Errc::runtime_failed) error.code = Errc::launch_refused;
  error.kernel = {kernel, kernel_size};
  error.with_shape(shape_of(shaped));
  error.stream = stream.native();
  error.device = stream.device().value();
  tell_captures(error);
  return failure<void>(error);
}

}  // namespace warpsafe::detail
