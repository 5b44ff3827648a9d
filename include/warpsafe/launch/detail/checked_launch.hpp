// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/call_scope.hpp>
#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/capture_hooks.hpp>
#include <warpsafe/kernel/detail/arguments.hpp>
#include <warpsafe/launch/detail/kernel_slots.hpp>
#include <warpsafe/launch/detail/launch_arguments.hpp>
#include <warpsafe/launch/detail/launch_diagnostics.hpp>
#include <warpsafe/launch/detail/launch_errors.hpp>
#include <warpsafe/launch/detail/launch_rules.hpp>
#include <warpsafe/launch/detail/observation.hpp>
#include <warpsafe/launch/launch_config.hpp>
#include <warpsafe/stream/stream_ref.hpp>

#include <cstdint>
#include <type_traits>

// A launch with checks: what its types say, its rules, its call. A program has it once for each
// backend. What depends on the types of a launch is in constants, and in functions that are
// compiled for the types that need them: a plain launch has none of the others.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// The numbers of a launch's configuration.
struct LaunchNumbers {
  LaunchShape& shape;
  /// What is wrong with the configuration itself; nullptr: its type can have no problem. Errc{}: it
  /// has none.
  const LaunchError* problem;
};

/// What a launch knows from its types: a constant.
template <class B, class Calls>
struct LaunchTypes {
  const KernelFacts& kernel;
  const ArgumentTypes& arguments;
  /// Checks the values of the arguments and the memory behind them. False with the problem in
  /// `error`. `foreign`: the memory behind a view may be of another stream or device. nullptr: no
  /// argument needs it.
  bool (*check_arguments)(const Located<B>& at, ArgumentWords& arguments, bool& foreign,
                          LaunchError& error) noexcept;
  /// Records that the launch uses memory of other streams. nullptr: no argument has an owner.
  bool (*record_owners)(const Located<B>& at, const ArgumentWords& arguments,
                        LaunchError& error) noexcept;
  /// The rules of the options in the configuration's type and of a portable kernel. nullptr: there
  /// are none.
  bool (*check_options)(const Located<B>& at, const LaunchShape& shape,
                        const LaunchedKernel<Calls>& kernel, const KernelLimits& limits,
                        const DeviceLimits& device, LaunchError& error) noexcept;
  /// Prepares the kernel for the options. Returns the runtime's status. nullptr: none needs it.
  int (*prepare)(const LaunchedKernel<Calls>& kernel, int device, LaunchShape& shape) noexcept;
  /// The runtime's call.
  int (*launch)(const KernelEntry& kernel, const LaunchShape& shape, void** values,
                typename B::native_stream stream) noexcept;
};

/// Checks cooperative launches and large clusters against the number of blocks that are resident at
/// once. It asks the driver every time, and only for a shape that is valid otherwise. It first opts
/// in to the shape's dynamic shared memory, since the driver answers 0 without that.
template <class B, class Calls>
bool check_residency(const Located<B>& at, const LaunchShape& shape,
                     const LaunchedKernel<Calls>& kernel, const DeviceLimits& device,
                     LaunchError& error) noexcept {
  int fits = 0;
  int status = 0;
  if (shape.dynamic_shared != 0) {
    status = kernel.slots.allow_dynamic_shared(kernel.entry, at.stream.device().value(),
                                               shape.dynamic_shared);
  }
  if (status == 0 && shape.cooperative) {
    status =
        Calls::resident_blocks(kernel.entry, static_cast<std::uint32_t>(shape.threads_per_block()),
                               shape.dynamic_shared, fits);
  } else if (status == 0) {
    status = Calls::max_cluster_blocks(kernel.entry, shape, fits);
  }
  if (status != 0) {
    error = runtime_error<B>(status, Name::of("launch"), at.site, Stage::validation);
    return false;
  }
  const std::uint64_t most =
      static_cast<std::uint64_t>(fits) * (shape.cooperative ? device.multiprocessors : 1U);
  const std::uint64_t blocks = shape.cooperative ? shape.blocks() : shape.blocks_per_cluster();
  if (blocks <= most) return true;
  refuse(error, shape.cooperative ? Errc::cooperative_too_large : Errc::cluster_too_large,
         Stage::validation, blocks, most);
  error.with_shape(shape).with_device(device);
  return false;
}

/// LaunchTypes::check_options.
template <class B, class Calls, bool Resides, bool Portable>
bool check_options(const Located<B>& at, const LaunchShape& shape,
                   const LaunchedKernel<Calls>& kernel, const KernelLimits& limits,
                   const DeviceLimits& device, LaunchError& error) noexcept {
  if constexpr (Resides) {
    if (!validate_residency(shape, limits, device, error)) return false;
  }
  if constexpr (Portable) {
    if (!validate_portable(shape, limits, error)) return false;
  }
  if constexpr (Resides) {
    if (shape.cooperative || shape.non_portable_cluster) {
      return check_residency(at, shape, kernel, device, error);
    }
  }
  return true;
}
/// LaunchTypes::prepare.
template <class Calls, bool Shared, bool Dependent>
int prepare_options(const LaunchedKernel<Calls>& kernel, int device, LaunchShape& shape) noexcept {
  int status = 0;
  if constexpr (Dependent) {
    status = kernel.slots.settle_dependence(kernel.entry, device, shape);
  }
  if constexpr (Shared) {
    if (status == 0 && shape.dynamic_shared != 0) {
      status = kernel.slots.allow_dynamic_shared(kernel.entry, device, shape.dynamic_shared);
    }
  }
  return status;
}
/// Checks the values of a launch's arguments. False with the problem in `error`.
template <class B>
[[nodiscard]] bool check_values(const Located<B>& at, const ArgumentWords& arguments,
                                LaunchError& error) noexcept {
  const ArgumentTypes& types = arguments.types();
  const bool asks_for_spans = has_streams_besides<B>(at.stream.device().value());
  for (std::uint32_t i = 0; i < types.checked_count; ++i) {
    const std::uint32_t place = types.checked[i];
    const void* const argument = arguments.argument(place);
    const ValueChecks& checks = types.facts[place]->checks;
    // A view or span begins with its address and the number of its elements.
    if (checks.has_size && static_cast<const std::uint64_t*>(argument)[1] == 0) {
      return refuse(error, Errc::argument_empty, Stage::validation, 0, 0, Axis::none, place + 1);
    }
    if ((checks.signed_bytes != 0 || checks.is_trusted || (checks.is_span && asks_for_spans)) &&
        !check_value(checks, argument, at.stream, static_cast<int>(place) + 1, error)) {
      return false;
    }
  }
  return true;
}

/// LaunchTypes::check_arguments.
template <class B, bool Owners, bool Values, bool Inner>
bool check_arguments_of(const Located<B>& at, ArgumentWords& arguments,
                        [[maybe_unused]] bool& foreign, LaunchError& error) noexcept {
  if constexpr (Owners) {  // a closed buffer is said first: its view is empty too
    if (!check_owners(at, arguments, foreign, error)) return false;
  }
  if constexpr (Values) {
    if (!check_values(at, arguments, error)) return false;
  }
  if constexpr (Inner) {
    if (!check_inner(at, arguments, error)) return false;
  }
  return true;
}

/// Room for a value that few launches make.
template <class T>
union RoomFor {
  RoomFor() noexcept {}  // NOLINT(modernize-use-equals-default): T may have a constructor
  T value;
};
/// What the driver has answered about a launch's kernel.
struct KernelAnswer {
  const KernelLimits* limits = nullptr;  ///< nullptr: it was not asked
  RoomFor<KernelLimits> room;            ///< for limits that cannot be kept
};

[[WARPSAFE_DETAIL_RARE]] inline bool keep_problem(const LaunchError& problem,
                                                  LaunchError& error) noexcept {
  __builtin_memcpy(static_cast<void*>(&error), &problem, sizeof error);
  return false;
}
/// The checks of stream, device and dimensions. False with the problem in `error`.
template <class B, class Calls>
[[gnu::always_inline]] inline bool check_numbers(
    const Located<B>& at, const LaunchTypes<B, Calls>& types, const LaunchNumbers& numbers,
    const LaunchedKernel<Calls>& kernel, KernelAnswer& answer, LaunchError& error) noexcept {
  // The runtime takes the handle of a closed Stream for the default stream, and may have given that
  // of a destroyed one to another stream.
  if (const Subcode problem = StreamAccess::problem<CheckLevel::full>(at.stream);
      problem != Subcode::none) [[unlikely]] {
    return refuse(error, Errc::stream_null, Stage::validation, 0, 0, Axis::none, 0, problem);
  }
  if (numbers.problem != nullptr && numbers.problem->code != Errc{}) [[unlikely]] {
    return keep_problem(*numbers.problem, error);
  }
  if (!check_device(at, kernel, error)) return false;
  const int device = at.stream.device().value();
  const DeviceLimits* device_limits = DeviceCache<B>::remembered(device);
  answer.limits = kernel.slots.remembered(device);
  RoomFor<DeviceLimits> room;
  if ((device_limits == nullptr || answer.limits == nullptr) &&
      !ask_driver(at, kernel, device_limits, room.value, answer.limits, answer.room.value, error))
      [[unlikely]] {
    return false;
  }
  const KernelNeeds& needs = types.kernel.needs;
  // The rules in the order of `validate`, so that both name the same of several problems.
  return validate_plain(numbers.shape, needs, *answer.limits, *device_limits, error) &&
         (types.check_options == nullptr ||
          types.check_options(at, numbers.shape, kernel, *answer.limits, *device_limits, error)) &&
         validate_reach(numbers.shape.elements, numbers.shape, needs, error);
}

/// The whole checked launch. `words` as ArgumentWords has them.
template <class B, class Calls>
[[nodiscard, gnu::noinline]] result<void> run_checked_launch(const Located<B>& at,
                                                             const LaunchTypes<B, Calls>& types,
                                                             const LaunchNumbers& numbers,
                                                             const LaunchedKernel<Calls>& kernel,
                                                             void** words) noexcept {
  // An error is made in its place: a copy takes as much code as a check.
  result<void> answer = success();
  LaunchError& error = UnwrapWithTryOrValue::error_in(answer);
  ArgumentWords arguments(types.arguments, words);
  KernelAnswer kernel_answer;
  bool foreign = types.record_owners != nullptr;

  bool launched = (check_numbers(at, types, numbers, kernel, kernel_answer, error) &&
                   (types.check_arguments == nullptr ||
                    types.check_arguments(at, arguments, foreign, error))) ||
                  continues_after_refusal(report_refusal(error, numbers.shape, at, kernel.name));
  if (launched) [[likely]] {
    arguments.prepare();
    int status = types.prepare == nullptr
                     ? 0
                     : types.prepare(kernel, at.stream.device().value(), numbers.shape);
    RoomFor<WatchedLaunch> watched;
    const LaunchWatcher* const watcher =
        begin_to_watch(watched.value, at, types.kernel, numbers.shape, kernel.entry, kernel.name,
                       arguments, kernel_answer.limits);
    LaunchVerdict verdict = LaunchVerdict::dispatch;
    if (watcher != nullptr) [[unlikely]]
      verdict = watcher->begin(watched.value, error);
    launched = verdict == LaunchVerdict::done;
    if (verdict == LaunchVerdict::dispatch) {
      if (status == 0) {
        const LaunchWindows<B> windows(kernel.entry, types.kernel.elements, arguments);
        const CallScope<B> here(at.site, kernel.name, windows.first());
        status = types.launch(kernel.entry, numbers.shape, arguments.values(), at.stream.native());
      }
      if (status != 0) [[unlikely]]
        launch_failed(status, numbers.shape, at, kernel.name, error);
      launched = status == 0 &&
                 (types.record_owners == nullptr || (!foreign && open_captures() == nullptr) ||
                  types.record_owners(at, arguments, error));
    }
    if (watcher != nullptr) [[unlikely]]
      launched = watcher->end(watched.value, launched, error);
  }
  if (!launched) [[unlikely]]
    UnwrapWithTryOrValue::mark_as_error(answer);
  return answer;
}

/// Puts the configuration's own problem, for a kernel on a device, into `error`.
template <class Config>
[[gnu::cold, gnu::noinline]] void find_problem(const Config& config, Name kernel, int device,
                                               LaunchError& error) noexcept {
  error = config.problem();
  if constexpr (is_strided_grid<typename Config::grid_type>) {
    if (error.code == Errc{}) config.grid().check_cap(kernel, device, config.shape(), error);
  }
}

/// What a launch knows from the types of its kernel, configuration and arguments.
template <class B, class Calls, class K, class Config, class Parameters, class... A>
struct TypesOf {
  template <PartKind Kind>
  static constexpr bool has = Config::template has<Kind>;
  using Table = ArgumentTable<Parameters, A...>;
  static constexpr bool resides = has<PartKind::cluster> || has<PartKind::cooperative>;

  static constexpr auto options() noexcept -> decltype(LaunchTypes<B, Calls>::check_options) {
    if constexpr (resides || K::needs.portable) {
      return &check_options<B, Calls, resides, K::needs.portable>;
    }
    return nullptr;
  }
  static constexpr auto prepare() noexcept -> decltype(LaunchTypes<B, Calls>::prepare) {
    if constexpr (has<PartKind::shared> || has<PartKind::dependent>) {
      return &prepare_options<Calls, has<PartKind::shared>, has<PartKind::dependent>>;
    }
    return nullptr;
  }
  static constexpr auto call() noexcept -> decltype(LaunchTypes<B, Calls>::launch) {
    if constexpr (is_plain<Config> && requires { &Calls::launch_plain; }) {
      return &Calls::launch_plain;
    } else {
      return &Calls::launch;
    }
  }
  static constexpr auto check() noexcept -> decltype(LaunchTypes<B, Calls>::check_arguments) {
    if constexpr (Table::types.has_owners || Table::types.checked_count != 0 ||
                  Table::types.has_inner) {
      return &check_arguments_of<B, Table::types.has_owners, (Table::types.checked_count != 0),
                                 Table::types.has_inner>;
    }
    return nullptr;
  }
  static constexpr auto record() noexcept -> decltype(LaunchTypes<B, Calls>::record_owners) {
    if constexpr (Table::types.has_owners) return &record_owners<B>;
    return nullptr;
  }
  static constexpr LaunchTypes<B, Calls> types{kernel_facts<K>, Table::types, check(), record(),
                                               options(),       prepare(),    call()};
};

#if defined(WARPSAFE_SEPARATE)
/// run_checked_launch of warpsafe/separate.cpp. A linker that misses it prints the name.
template <class B>
result<void> compile_warpsafe_separate_cpp_in_one_file_of_the_program(
    const Located<B>& at, const LaunchTypes<B, B>& types, const LaunchNumbers& numbers,
    const LaunchedKernel<B>& kernel, void** words) noexcept;
#endif

/// A launch with checks. Launches with the same types share it: a program has more launches than
/// signatures. Reads the numbers of the configuration, `config` or the value of that result.
template <class K, class B, bool Copies, class C, class Calls, class... A>
[[nodiscard, gnu::noinline]] result<void> launch_checked(const Located<B, Copies>& place,
                                                         const C& config,
                                                         const LaunchedKernel<Calls>& kernel,
                                                         const A&... arguments) noexcept {
  using Config = config_of<C>;
  const Located<B> at(place.stream, place.site);  // a copy at each call would be more code
  if constexpr (is_result<C>) {
    if (!config.has_value()) [[unlikely]]
      return refused_configuration(UnwrapWithTryOrValue::error_in(config), at, kernel.name);
  }
  const Config& given = value_of(config);
  if (given.empty()) return success();
  AddressedArguments<typename K::parameters, A...> addressed(arguments...);
  constexpr const auto& types = TypesOf<B, Calls, K, Config, typename K::parameters, A...>::types;
  LaunchShape shape = given.shape();
  shape.elements = covered_elements(given);
  if constexpr (is_safe_grid<typename Config::grid_type>) {
    shape.strides = is_strided_grid<typename Config::grid_type> && Config::grid_type::items == 1;
  }
  LaunchError problem;
  constexpr bool may_fail = may_have_problem<Config> || is_strided_grid<typename Config::grid_type>;
  if constexpr (may_fail) {
    find_problem(given, kernel.name, at.stream.device().value(), problem);
  }
  const LaunchNumbers numbers{shape, may_fail ? &problem : nullptr};
#if defined(WARPSAFE_SEPARATE)
  if constexpr (std::is_same_v<B, Calls>) {
    return compile_warpsafe_separate_cpp_in_one_file_of_the_program(at, types, numbers, kernel,
                                                                    addressed.words());
  }
#endif
  return run_checked_launch(at, types, numbers, kernel, addressed.words());
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
