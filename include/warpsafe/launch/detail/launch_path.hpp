// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/call_scope.hpp>
#include <warpsafe/backend/detail/capture_hooks.hpp>
#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/kernel/detail/arguments.hpp>
#include <warpsafe/kernel/kernel.hpp>
#include <warpsafe/launch/config.hpp>
#include <warpsafe/launch/detail/launch_arguments.hpp>
#include <warpsafe/launch/detail/launch_check.hpp>
#include <warpsafe/launch/detail/launch_types.hpp>
#include <warpsafe/launch/detail/memory_uses.hpp>
#include <warpsafe/launch/detail/observation.hpp>
#include <warpsafe/stream/stream_ref.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

// The errors of a launch. Each is made out of line.

namespace warpsafe::detail {

/// Adds the launch to the error of a check: kernel, place, stream, dimensions and device.
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
  LaunchError& own = ResultPolicy::error_in(refused);
  if (own.kernel.empty()) own.kernel = kernel.name();
  own.stream = at.stream.native();
  if (own.site.file == nullptr) own.site = at.site;
  return refused;
}

/// The dimensions of a launch, from a LaunchShape or a configuration.
[[nodiscard]] constexpr const LaunchShape& shape_of(const LaunchShape& shape) noexcept {
  return shape;
}
template <class Config>
[[nodiscard, gnu::always_inline]] constexpr LaunchShape shape_of(const Config& config) noexcept {
  return config.shape();
}

/// Makes the error of a launch that the runtime refused, or at which it reported earlier work.
///
/// The parameters taken by reference lie in memory. That costs a launch one store for each value
/// known only at run time, and none for a value in a type. A value kept in registers across the
/// call would cost three instructions.
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
  report_to_captures(error);
  return failure<void>(error);
}

}  // namespace warpsafe::detail

// A launch whose types are right: validate, dispatch, observe.

namespace warpsafe::detail {

/// Passes the values to the backend, each with the bytes of its parameter's type.
template <class Calls, bool Plain, class B, class... V>
[[nodiscard, gnu::always_inline]] inline int pass_values(const KernelEntry& entry,
                                                         const LaunchShape& shape,
                                                         basic_stream_ref<B> stream,
                                                         const V&... values) noexcept {
  // One element more than values: an array has at least one, and an element without an initialiser
  // is not zeroed.
  void* pointers[sizeof...(V) + 1];
  [[maybe_unused]] std::size_t count = 0;
  ((pointers[count++] = const_cast<void*>(static_cast<const void*>(&values))), ...);
  if constexpr (Plain && requires { &Calls::launch_plain; }) {
    return Calls::launch_plain(entry, shape, pointers, stream.native());
  } else {
    return Calls::launch(entry, shape, pointers, stream.native());
  }
}

/// Shows a launch's arguments, before the dispatch, to an open capture and to the debug tools.
/// `captures` (or nullptr) keeps track of the memory that the launch reaches. `observation` knows,
/// at level full, whether a debug tool asks for the data.
struct ArgumentInspection {
  const CaptureHooks* captures;
  const Observation& observation;
  LaunchError error;
  Inspected verdict;

  static void read(void* context, const LaunchArguments& arguments) noexcept {
    ArgumentInspection& self = *static_cast<ArgumentInspection*>(context);
    if (self.captures != nullptr) {
      self.captures->launched(arguments.stream, arguments.entry, arguments.values);
    }
    if (self.observation.asks_for_data()) {
      self.verdict = self.observation.inspect(arguments, self.error);
    }
  }
  /// The result of the launch where a debug tool has taken the place of the dispatch.
  [[nodiscard]] result<void> outcome() const noexcept {
    return verdict == Inspected::failed ? failure<void>(error) : success();
  }
};

/// Shows the arguments to an open capture alone, where there are no debug tools.
inline void record_in_capture(void* captures, const LaunchArguments& arguments) noexcept {
  static_cast<const CaptureHooks*>(captures)->launched(arguments.stream, arguments.entry,
                                                       arguments.values);
}

/// Makes the one call of the backend; its status is the result. `shaped` is the LaunchConfig or a
/// LaunchShape. `OptIn`: the type allows dynamic shared memory. `Plain`: the type has no option
/// that needs a launch attribute.
template <CheckLevel Level, bool OptIn, bool Plain, class B, class Shaped, class K, class... P,
          class... A>
[[nodiscard, gnu::always_inline]] inline result<void> dispatch(const Located<B>& at,
                                                               const Shaped& shaped, K kernel,
                                                               TypeList<P...>,
                                                               const A&... arguments) noexcept {
  using Calls = typename K::template calls<B>;
  const KernelEntry entry = kernel.entry();
  // launch_failed takes the stream by reference, so it lies in memory at every launch. A copy keeps
  // the caller's file and line out of memory.
  const basic_stream_ref<B> stream = at.stream;
  const LaunchShape& shape = shape_of(shaped);
  int status = 0;
  if constexpr (OptIn) {
    status = kernel_slots<B>(kernel).template allow_dynamic_shared<Level>(
        entry, stream.device().value(), shape.dynamic_shared);
  }
  if (status == 0) {
    if constexpr (RecordsCallers<B>) {
      const CallScope<B> here(at.site, kernel.name());
      status =
          pass_values<Calls, Plain>(entry, shape, stream, convert_argument<P, true>(arguments)...);
    } else {
      status =
          pass_values<Calls, Plain>(entry, shape, stream, convert_argument<P, true>(arguments)...);
    }
  }
  if (status != 0) [[unlikely]] {
    const Name name = kernel.name();
    return launch_failed(status, shaped, stream, name.data, name.size, at.site.file,
                         at.site.function, at.site.line);
  }
  if constexpr ((is_view<A> || ...)) {
    if ((is_of_another_stream(arguments, stream.native()) || ...)) [[unlikely]] {
      return record_uses(stream, at.site.file, at.site.function, at.site.line,
                         owner_of(arguments)...);
    }
  }
  return success();
}

/// Whether no option in the configuration's type needs a launch attribute.
template <class Config>
inline constexpr bool is_plain =
    !(Config::template has<PartKind::cluster> || Config::template has<PartKind::cooperative> ||
      Config::template has<PartKind::priority> || Config::template has<PartKind::dependent>);

/// Validates, dispatches and observes. Every launch of a configuration ends here.
template <CheckLevel Level, class B, class Config, class K, class... A>
[[nodiscard, gnu::always_inline]] inline result<void> launch_typed(const Located<B>& at,
                                                                   const Config& config, K kernel,
                                                                   const A&... arguments) noexcept {
  constexpr bool opts_in = Config::template has<PartKind::shared>;
  constexpr bool plain = is_plain<Config>;
  constexpr typename K::parameters parameters{};
  if (config.empty()) return success();
  if constexpr (Level == CheckLevel::off) {
    return dispatch<Level, opts_in, plain>(at, config.numbers(ForDispatch{}), kernel, parameters,
                                           arguments...);
  } else {
    const LaunchShape shape = config.shape();
    KernelLimits kernel_local;
    const KernelLimits* kernel_limits = nullptr;
    LaunchError error;
    if (!check_launch<Level>(at, config, shape, kernel, kernel_limits, kernel_local, error) ||
        !check_values<Level, B>(error, parameters, arguments...)) {
      if (!continues_after_refusal(report_refusal(error, shape, at, kernel)))
        return failure<void>(error);
    }
    const CaptureHooks* const captures = open_captures();
    if constexpr (Level == CheckLevel::full) {
      const Observation observation = observe(at, shape, kernel.name(), kernel_limits);
      if (captures != nullptr || observation.asks_for_data()) [[unlikely]] {
        ArgumentInspection inspection{captures, observation, {}, Inspected::dispatch};
        show_arguments<B>({&ArgumentInspection::read, &inspection}, at.stream.native(), kernel,
                          shape, parameters, arguments...);
        if (inspection.verdict != Inspected::dispatch) return inspection.outcome();
      }
      result<void> launched =
          dispatch<Level, opts_in, plain>(at, shape, kernel, parameters, arguments...);
      observation.end(launched);
      return launched;
    } else {
      if (captures != nullptr) [[unlikely]] {
        show_arguments<B>({&record_in_capture, const_cast<CaptureHooks*>(captures)},
                          at.stream.native(), kernel, shape, parameters, arguments...);
      }
      return dispatch<Level, opts_in, plain>(at, shape, kernel, parameters, arguments...);
    }
  }
}

/// How a launch keeps what an error needs. A release launch copies it when there is an error, so
/// that no address is taken on the success path. With checks it lies in memory already.
template <CheckLevel Level, class T>
using copied_at = std::conditional_t<Level == CheckLevel::off, T, const T&>;

#if !defined(__CUDA_ARCH__)  // launch.hpp has what is left of this for nvcc's device compiler
/// Checks the types. Each mistake has a sentence of its own, and nothing after it is compiled.
template <CheckLevel Level, class B, class C, class K, class... A>
inline result<void> launch_on(const Located<B>& at, const C& config, const K& kernel,
                              const A&... arguments) noexcept {
  if constexpr (is_functor_kernel<K>) {
    return launch_on<Level>(at, config, typename K::kernel_type{}, kernel.function, arguments...);
  } else if constexpr (is_module_kernel<K>) {
    return launch_on<Level>(at, config, kernel.loaded(at.stream.device()), arguments...);
  } else if constexpr (check_launch_types<B, std::remove_cvref_t<decltype(value_of(config))>, K,
                                          A...>()) {
    if constexpr (is_result<C>) {
      if (!config.has_value()) [[unlikely]] {
        const copied_at<Level, Located<B>> here =
            at;  // so that `at` itself stays in registers, and the error too
        const copied_at<Level, LaunchError> error = ResultPolicy::error_in(config);
        return refused_configuration<B, K>(error, here, kernel);
      }
    }
    return launch_typed<Level>(at, value_of(config), kernel, arguments...);
  } else {
    return success();
  }
}
#endif

}  // namespace warpsafe::detail
