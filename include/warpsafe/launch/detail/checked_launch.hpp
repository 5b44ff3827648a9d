// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/call_scope.hpp>
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

// A launch with checks: what its types say, its checks, its call, its errors. A program has it once
// for each backend. What depends on the types of a launch is in constants, and in functions that
// are compiled for the types that need them: a plain launch has none of the others.

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
  constexpr CheckLevel full = CheckLevel::full;
  int fits = 0;
  int status = 0;
  if (shape.dynamic_shared != 0) {
    status = kernel.slots.template allow_dynamic_shared<full>(
        kernel.entry, at.stream.device().value(), shape.dynamic_shared);
  }
  if (status == 0 && shape.cooperative) {
    status =
        Calls::resident_blocks(kernel.entry, static_cast<std::uint32_t>(shape.threads_per_block()),
                               shape.dynamic_shared, fits);
  } else if (status == 0) {
    status = Calls::max_cluster_blocks(kernel.entry, shape, fits);
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
    status = kernel.slots.template settle_dependence<CheckLevel::full>(kernel.entry, device, shape);
  }
  if constexpr (Shared) {
    if (status == 0 && shape.dynamic_shared != 0) {
      status = kernel.slots.template allow_dynamic_shared<CheckLevel::full>(kernel.entry, device,
                                                                            shape.dynamic_shared);
    }
  }
  return status;
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

/// The rules of a launch with the driver's answers. False with the problem in `error`.
template <class B, class Calls>
[[gnu::noinline]] bool check_limits(const Located<B>& at, const LaunchTypes<B, Calls>& types,
                                    const LaunchNumbers& numbers,
                                    const LaunchedKernel<Calls>& kernel, const KernelLimits& limits,
                                    const DeviceLimits& device, LaunchError& error) noexcept {
  return validate_plain(numbers.shape, types.kernel.needs, limits, device, error) &&
         validate_reach(numbers.shape.elements, numbers.shape, types.kernel.needs, error) &&
         (types.check_options == nullptr ||
          types.check_options(at, numbers.shape, kernel, limits, device, error));
}
/// As check_limits, if the driver has not been asked yet.
template <class B, class Calls>
[[WARPSAFE_DETAIL_RARE]] bool check_first_launch(
    const Located<B>& at, const LaunchTypes<B, Calls>& types, const LaunchNumbers& numbers,
    const LaunchedKernel<Calls>& kernel, const KernelLimits*& kernel_limits,
    KernelLimits& kernel_local, LaunchError& error) noexcept {
  DeviceLimits device_local;
  const DeviceLimits* device = nullptr;
  return ask_driver(at, kernel, device, device_local, kernel_limits, kernel_local, error) &&
         check_limits(at, types, numbers, kernel, *kernel_limits, *device, error);
}

[[WARPSAFE_DETAIL_RARE]] inline bool keep_problem(const LaunchError& problem,
                                                  LaunchError& error) noexcept {
  __builtin_memcpy(static_cast<void*>(&error), &problem, sizeof error);
  return false;
}
/// The checks of the dimensions. False with the problem in `error`. `kernel_limits` then points to
/// the kernel's limits, which may be `kernel_local`.
template <class B, class Calls>
[[gnu::always_inline]] inline bool check_numbers(
    const Located<B>& at, const LaunchTypes<B, Calls>& types, const LaunchNumbers& numbers,
    const LaunchedKernel<Calls>& kernel, const KernelLimits*& kernel_limits,
    KernelLimits& kernel_local, LaunchError& error) noexcept {
  // The runtime takes the handle of a closed Stream for the default stream, and may have given that
  // of a destroyed one to another stream.
  if (const Subcode problem = StreamAccess::problem<CheckLevel::full>(at.stream);
      problem != Subcode::none) [[unlikely]] {
    refuse(error, Errc::stream_null, Stage::validation);
    error.subcode = problem;
    return false;
  }
  if (numbers.problem != nullptr && numbers.problem->code != Errc{}) [[unlikely]] {
    return keep_problem(*numbers.problem, error);
  }
  if (!check_device(at, kernel, error)) return false;
  const int device = at.stream.device().value();
  const DeviceLimits* const device_limits = DeviceCache<B>::remembered(device);
  kernel_limits = kernel.slots.remembered(device);
  if (device_limits == nullptr || kernel_limits == nullptr) [[unlikely]] {
    return check_first_launch(at, types, numbers, kernel, kernel_limits, kernel_local, error);
  }
  return check_limits(at, types, numbers, kernel, *kernel_limits, *device_limits, error);
}

/// Checks the values of a launch's arguments. False with the problem in `error`.
template <class B>
[[nodiscard]] bool check_values(const Located<B>& at, const ArgumentWords& arguments,
                                LaunchError& error) noexcept {
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

/// A launch that has passed its checks.
template <class B, class Calls>
struct Submission {
  const Located<B>& at;
  const LaunchTypes<B, Calls>& types;
  const LaunchShape& shape;
  const LaunchedKernel<Calls>& kernel;
  const ArgumentWords& arguments;
  int prepared;  ///< the status of LaunchTypes::prepare
  bool foreign;
};
/// Makes the one call of the backend. False with the problem in `error`.
template <class B, class Calls>
[[gnu::noinline]] bool submit(const Submission<B, Calls>& launch, LaunchError& error) noexcept {
  int status = launch.prepared;
  if (status == 0) {
    const CallScope<B> here(launch.at.site, launch.kernel.name);
    if constexpr (RecordsCallers<B>) {
      tell_windows(launch.kernel.entry, launch.types.kernel.elements, launch.arguments);
    }
    status = launch.types.launch(launch.kernel.entry, launch.shape, launch.arguments.values(),
                                 launch.at.stream.native());
    if constexpr (RecordsCallers<B>) host::launch_windows() = nullptr;
  }
  if (status != 0) [[unlikely]] {
    launch_failed(status, launch.shape, launch.at, launch.kernel.name, error);
    return false;
  }
  if (launch.types.record_owners == nullptr) return true;
  return (!launch.foreign && open_captures() == nullptr) ||
         launch.types.record_owners(launch.at, launch.arguments, error);
}
/// WatchedLaunch::submit.
template <class B, class Calls>
[[WARPSAFE_DETAIL_RARE]] bool submit_context(const void* context, LaunchError& error) noexcept {
  return submit(*static_cast<const Submission<B, Calls>*>(context), error);
}
/// Submits a launch through `watcher`.
template <class B, class Calls>
[[gnu::cold, gnu::noinline]] bool submit_watched(LaunchWatcher watcher,
                                                 const Submission<B, Calls>& launch,
                                                 const KernelLimits* limits,
                                                 LaunchError& error) noexcept {
  const basic_stream_ref<B>& stream = launch.at.stream;
  const LaunchFacts facts{launch.kernel.name, launch.shape,    limits,
                          stream.native(),    stream.number(), stream.device().value(),
                          launch.at.site};
  const WatchedLaunch watched{facts,
                              backend_calls<B>,
                              launch.kernel.entry,
                              launch.types.kernel,
                              launch.arguments,
                              &submit_context<B, Calls>,
                              &launch};
  return watcher(watched, error);
}

/// Submits a launch, and lets those who watch see it.
template <class B, class Calls>
[[gnu::always_inline]] inline bool submit_checked(const Submission<B, Calls>& launch,
                                                  const KernelLimits* limits,
                                                  LaunchError& error) noexcept {
  const LaunchWatcher watcher = watcher_of_launches();
  return watcher == nullptr ? submit(launch, error)
                            : submit_watched(watcher, launch, limits, error);
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
  KernelLimits kernel_local;
  const KernelLimits* kernel_limits = nullptr;
  bool foreign = types.record_owners != nullptr;
  bool launched = (check_numbers(at, types, numbers, kernel, kernel_limits, kernel_local, error) &&
                   (types.check_arguments == nullptr ||
                    types.check_arguments(at, arguments, foreign, error))) ||
                  continues_after_refusal(report_refusal(error, numbers.shape, at, kernel.name));
  if (launched) [[likely]] {
    arguments.prepare();
    const int prepared = types.prepare == nullptr
                             ? 0
                             : types.prepare(kernel, at.stream.device().value(), numbers.shape);
    const Submission<B, Calls> launch{at,        types,    numbers.shape, kernel,
                                      arguments, prepared, foreign};
    launched = submit_checked(launch, kernel_limits, error);
  }
  if (!launched) [[unlikely]]
    UnwrapWithTryOrValue::mark_as_error(answer);
  return answer;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
