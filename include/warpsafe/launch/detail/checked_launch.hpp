// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/call_scope.hpp>
#include <warpsafe/backend/detail/runtime_call.hpp>
#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/hooks.hpp>
#include <warpsafe/kernel/detail/arguments.hpp>
#include <warpsafe/launch/detail/kernel_slots.hpp>
#include <warpsafe/launch/detail/launch_arguments.hpp>
#include <warpsafe/launch/detail/launch_rules.hpp>
#include <warpsafe/launch/detail/observation.hpp>
#include <warpsafe/stream/stream_ref.hpp>

#include <cstdint>
#include <new>

// A launch with checks. A program has it once for each backend: the kernel, the configuration and
// the arguments come as data. What depends on their types is in constants and in
// small functions that all launches of those types share.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// The dimensions of a launch.
struct LaunchNumbers {
  LaunchShape shape;
  std::uint64_t elements;  ///< that the grid covers, or 1
  bool empty;              ///< nothing is launched
};

/// What a launch knows from its types: a constant.
struct LaunchTypes {
  const KernelFacts& kernel;
  const ArgumentTypes& arguments;
  /// Reads the configuration, or returns the error in its place.
  const LaunchError* (*read)(const void* config, LaunchNumbers& numbers) noexcept;
  /// Puts the configuration's own problem, for a kernel on a device, into `error`; nullptr if its
  /// type can have none.
  void (*problem)(const void* config, Name kernel, int device, LaunchError& error) noexcept;
};

/// Checks cooperative launches and large clusters against the number of blocks that are resident at
/// once. It asks the driver every time, and only for a shape that is valid otherwise. It first opts
/// in to the shape's dynamic shared memory, since the driver answers 0 without that.
template <class B, class Calls>
bool check_residency(const Located<B>& at, const LaunchShape& shape,
                     const LaunchedKernel<Calls>& kernel, const DeviceLimits& device,
                     LaunchError& error) noexcept {
  constexpr CheckLevel full = CheckLevel::full;
  int fits = 0;
  int status = 0;
  if (shape.dynamic_shared != 0) {
    status = kernel.slots.template allow_dynamic_shared<full>(
        kernel.entry, at.stream.device().value(), shape.dynamic_shared);
  }
  if (status == 0 && shape.cooperative) {
    status = call<Calls, full, &Calls::resident_blocks>(
        kernel.entry, static_cast<std::uint32_t>(shape.threads_per_block()), shape.dynamic_shared,
        fits);
  } else if (status == 0) {
    status = call<Calls, full, &Calls::max_cluster_blocks>(kernel.entry, shape, fits);
  }
  if (status != 0) {
    ::new (static_cast<void*>(&error))
        LaunchError(runtime_error<B>(status, Name::of("launch"), at.site, Stage::validation));
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

/// The rules of a launch with the driver's answers. False with the problem in `error`.
template <class B, class Calls>
[[gnu::noinline]] bool check_limits(const Located<B>& at, const LaunchTypes& types,
                                    const LaunchNumbers& numbers,
                                    const LaunchedKernel<Calls>& kernel,
                                    const KernelLimits& kernel_limits, const DeviceLimits& device,
                                    LaunchError& error) noexcept {
  return validate_launch(numbers.shape, types.kernel.needs, kernel_limits, device, error) &&
         validate_reach(numbers.elements, numbers.shape, types.kernel.needs, error) &&
         (!(numbers.shape.cooperative || numbers.shape.non_portable_cluster) ||
          check_residency(at, numbers.shape, kernel, device, error));
}
/// As check_limits, if the driver has not been asked yet.
template <class B, class Calls>
[[WARPSAFE_DETAIL_RARE]] bool check_first_launch(const Located<B>& at, const LaunchTypes& types,
                                                 const LaunchNumbers& numbers,
                                                 const LaunchedKernel<Calls>& kernel,
                                                 const KernelLimits*& kernel_limits,
                                                 KernelLimits& kernel_local,
                                                 LaunchError& error) noexcept {
  DeviceLimits device_local;
  const DeviceLimits* device = nullptr;
  return ask_driver(at, kernel, device, device_local, kernel_limits, kernel_local, error) &&
         check_limits(at, types, numbers, kernel, *kernel_limits, *device, error);
}

/// The checks of the dimensions. False with the problem in `error`. `kernel_limits` then points to
/// the kernel's limits, which may be `kernel_local`.
template <class B, class Calls>
[[gnu::always_inline]] inline bool check_numbers(const Located<B>& at, const LaunchTypes& types,
                                                 const void* config, const LaunchNumbers& numbers,
                                                 const LaunchedKernel<Calls>& kernel,
                                                 const KernelLimits*& kernel_limits,
                                                 KernelLimits& kernel_local,
                                                 LaunchError& error) noexcept {
  // The runtime takes the handle of a closed Stream for the default stream, and may have given that
  // of a destroyed one to another stream.
  if (const Subcode problem = StreamAccess::problem<CheckLevel::full>(at.stream);
      problem != Subcode::none) [[unlikely]] {
    refuse(error, Errc::stream_null, Stage::validation);
    error.subcode = problem;
    return false;
  }
  if (types.problem != nullptr) {
    types.problem(config, kernel.name, at.stream.device().value(), error);
    if (error.code != Errc{}) return false;
  }
  const KernelNeeds& needs = types.kernel.needs;
  const int device = at.stream.device().value();
  const DeviceLimits* const device_limits = DeviceCache<B>::remembered(device);
  kernel_limits = kernel.slots.remembered(device);
  if (device_limits == nullptr || kernel_limits == nullptr) [[unlikely]] {
    return check_first_launch(at, types, numbers, kernel, kernel_limits, kernel_local, error);
  }
  return check_device(at, kernel, error) &&
         ((is_plainly_valid(numbers.shape, needs, *kernel_limits, *device_limits) &&
           numbers.elements - 1 <= needs.index_max) ||
          check_limits(at, types, numbers, kernel, *kernel_limits, *device_limits, error));
}

/// Checks the values of a launch's arguments. False with the problem in `error`.
template <class B>
[[nodiscard]] bool check_values(const Located<B>& at, const ArgumentWords& arguments,
                                LaunchError& error) noexcept {
  if (!arguments.types().has_checks) return true;
  for (std::uint32_t i = 0; i < arguments.types().count; ++i) {
    const ValueChecks checks = arguments.types().facts[i]->checks;
    // A view or span begins with its address and the number of its elements.
    if (checks.has_size && static_cast<const std::uint64_t*>(arguments.argument(i))[1] == 0) {
      return refuse(error, Errc::argument_empty, Stage::validation, 0, 0, Axis::none, i + 1);
    }
    if (checks.any() && !check_value<B>(checks, arguments.argument(i), at.stream.device().value(),
                                        static_cast<int>(i) + 1, error)) {
      return false;
    }
  }
  return true;
}

/// Adds the launch to the error of a check: kernel, place, stream, dimensions and device.
template <class B>
[[WARPSAFE_DETAIL_RARE]] LaunchError& report_refusal(LaunchError& error, const LaunchShape& shape,
                                                     const Located<B>& at, Name kernel) noexcept {
  error.kernel = kernel;
  error.site = at.site;
  error.stream = at.stream.native();
  error.with_shape(shape);
  if (error.device < 0 || error.code == Errc::stream_wrong_device) {
    error.device = at.stream.device().value();
  }
  if (error.device_name.empty()) error.device_name = device_name<B>(error.device);
  return error;
}

/// Makes the error of a launch that the runtime refused, or at which earlier work was found to
/// fail.
template <class B>
[[WARPSAFE_DETAIL_RARE]] void launch_failed(int status, const LaunchShape& shape,
                                            const Located<B>& at, Name kernel,
                                            LaunchError& error) noexcept {
  ::new (static_cast<void*>(&error))
      LaunchError(runtime_error<B>(status, Name{}, at.site, Stage::launch));
  if (error.code == Errc::runtime_failed) error.code = Errc::launch_refused;
  error.kernel = kernel;
  error.with_shape(shape);
  error.stream = at.stream.native();
  error.device = at.stream.device().value();
  report_to_captures(error);
}

/// Makes the one call of the backend, and before it raises the kernel's limit of dynamic shared
/// memory, if this launch needs more than any before. False with the problem in `error`.
template <class B, class Calls>
[[gnu::always_inline]] inline bool submit(const Located<B>& at, const KernelFacts& facts,
                                          const LaunchShape& shape,
                                          const LaunchedKernel<Calls>& kernel,
                                          const ArgumentWords& arguments, bool foreign,
                                          LaunchError& error) noexcept {
  int status = 0;
  if (shape.dynamic_shared != 0) {
    status = kernel.slots.template allow_dynamic_shared<CheckLevel::full>(
        kernel.entry, at.stream.device().value(), shape.dynamic_shared);
  }
  if (status == 0) {
    const CallScope<B> here(at.site, kernel.name);
    tell_captures(at.stream, kernel.name, at.site);
    if constexpr (RecordsCallers<B>) tell_windows(kernel.entry, facts.elements, arguments);
    status = Calls::launch(kernel.entry, shape, arguments.values(), at.stream.native());
    if constexpr (RecordsCallers<B>) host::launch_windows() = nullptr;
  }
  if (status != 0) [[unlikely]] {
    launch_failed(status, shape, at, kernel.name, error);
    return false;
  }
  return !foreign || record_owners(at, arguments, error);
}

/// What follows the checks: shows the arguments, submits and observes. False, with `error`.
template <class B, class Calls>
[[nodiscard, gnu::always_inline]] inline bool submit_observed(
    const Located<B>& at, const KernelFacts& facts, const LaunchShape& shape,
    const LaunchedKernel<Calls>& kernel, ArgumentWords& arguments, bool foreign,
    const KernelLimits* kernel_limits, LaunchError& error) noexcept {
  arguments.prepare();
  ArgumentInspection inspection{open_captures(), 0, nullptr, error};
  if (inspection.captures != nullptr) [[unlikely]]
    inspection.stream_number = at.stream.number();
  const Observation observation = observe(at, shape, kernel.name, kernel_limits);
  if (observation.asks_for_data()) inspection.observation = &observation;
  if (inspection.captures != nullptr || inspection.observation != nullptr) [[unlikely]] {
    show_arguments({&ArgumentInspection::read, &inspection}, backend_calls<B>, at.stream.native(),
                   kernel.entry, facts, shape, arguments);
    if (inspection.verdict != Inspected::dispatch) return inspection.verdict == Inspected::done;
  }
  return observation.end(submit(at, facts, shape, kernel, arguments, foreign, error), error);
}

/// Makes the one launch of a kernel that has passed the checks. False, with `error`.
template <class B, class Calls>
[[nodiscard, gnu::always_inline]] inline bool submit_settled(
    const Located<B>& at, const KernelFacts& facts, LaunchShape& shape,
    const LaunchedKernel<Calls>& kernel, ArgumentWords& arguments, bool foreign,
    const KernelLimits* kernel_limits, LaunchError& error) noexcept {
  if (shape.programmatic) [[unlikely]] {
    const int status = kernel.slots.template settle_dependence<CheckLevel::full>(
        kernel.entry, at.stream.device().value(), shape);
    if (status != 0) {
      launch_failed(status, shape, at, kernel.name, error);
      return false;
    }
  }
  return submit_observed(at, facts, shape, kernel, arguments, foreign, kernel_limits, error);
}

/// The error of a launch whose configuration is an error.
template <class B>
[[WARPSAFE_DETAIL_RARE]] result<void> refused_configuration(const LaunchError& error,
                                                            const Located<B>& at,
                                                            Name kernel) noexcept {
  result<void> refused = failure<void>(error);
  LaunchError& own = UnwrapWithTryOrValue::error_in(refused);
  if (own.kernel.empty()) own.kernel = kernel;
  own.stream = at.stream.native();
  if (own.site.file == nullptr) own.site = at.site;
  return refused;
}

/// The whole checked launch. `config` is the configuration or its result.
template <class B, class Calls>
[[nodiscard, gnu::noinline]] result<void> run_checked_launch(const Located<B>& at,
                                                             const LaunchTypes& types,
                                                             const void* config,
                                                             const LaunchedKernel<Calls>& kernel,
                                                             void** words) noexcept {
  LaunchNumbers numbers;
  if (const LaunchError* const refused = types.read(config, numbers)) [[unlikely]] {
    return refused_configuration(*refused, at, kernel.name);
  }
  if (numbers.empty) return success();
  ArgumentWords arguments(types.arguments, words);
  KernelLimits kernel_local;
  const KernelLimits* kernel_limits = nullptr;
  LaunchError error;
  bool foreign = types.arguments.has_owners;
  if ((check_numbers(at, types, config, numbers, kernel, kernel_limits, kernel_local, error) &&
       // A closed buffer is said first: its view is empty too.
       check_owners(at, arguments, foreign, error) && check_values(at, arguments, error) &&
       (!types.arguments.has_inner || check_inner(at, arguments, error))) ||
      continues_after_refusal(report_refusal(error, numbers.shape, at, kernel.name))) {
    if (submit_settled(at, types.kernel, numbers.shape, kernel, arguments, foreign, kernel_limits,
                       error)) [[likely]] {
      return success();
    }
  }
  return failure<void>(error);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
