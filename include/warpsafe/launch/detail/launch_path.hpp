// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/call_scope.hpp>
#include <warpsafe/backend/detail/calls_at.hpp>
#include <warpsafe/backend/detail/capture_hooks.hpp>
#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/kernel/detail/arguments.hpp>
#include <warpsafe/kernel/kernel.hpp>
#include <warpsafe/launch/detail/config.hpp>
#include <warpsafe/launch/detail/launch_arguments.hpp>
#include <warpsafe/launch/detail/launch_check.hpp>
#include <warpsafe/launch/detail/launch_types.hpp>
#include <warpsafe/launch/detail/memory_uses.hpp>
#include <warpsafe/launch/detail/observation.hpp>
#include <warpsafe/stream/stream_ref.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

// The errors that a launch can end with, each made out of line.

namespace warpsafe::detail {

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
  report_to_captures(error);
  return failure<void>(error);
}

}  // namespace warpsafe::detail

// The way of a launch whose types are fine: validate, dispatch, observe.

namespace warpsafe::detail {

/// Hands the values, each with the bytes of its parameter's own type, to the backend.
template <class Calls, bool Plain, class B, class... V>
[[nodiscard, gnu::always_inline]] inline int pass_values(const KernelEntry& entry,
                                                         const LaunchShape& shape,
                                                         basic_stream_ref<B> stream,
                                                         const V&... values) noexcept {
  // One more, which nobody reads: an array has at least one element, and one without a value is not
  // filled with 0.
  void* pointers[sizeof...(V) + 1];
  [[maybe_unused]] std::size_t count = 0;
  ((pointers[count++] = const_cast<void*>(static_cast<const void*>(&values))), ...);
  if constexpr (Plain && requires { &Calls::launch_plain; }) {
    return Calls::launch_plain(entry, shape, pointers, stream.native());
  } else {
    return Calls::launch(entry, shape, pointers, stream.native());
  }
}

/// Who looks at a launch's arguments before it is dispatched, and what is left to do then.
/// `captures` (or nullptr): the memory that a launch reaches is the graph's to look after. At level
/// full, `seen` knows whether a tool wants to look as well.
struct Look {
  const CaptureHooks* captures;
  const Observation& seen;
  LaunchError error;
  Inspected verdict;

  static void take(void* self, const LaunchArguments& arguments) noexcept {
    Look& look = *static_cast<Look*>(self);
    if (look.captures != nullptr) {
      look.captures->launched(arguments.stream, arguments.entry, arguments.values);
    }
    if (look.seen.asks_for_data()) look.verdict = look.seen.inspect(arguments, look.error);
  }
  /// Where nothing is left to dispatch.
  [[nodiscard]] result<void> answer() const noexcept {
    return verdict == Inspected::failed ? failure<void>(error) : success();
  }
};

/// The same where there are no tools.
inline void record_in_capture(void* captures, const LaunchArguments& arguments) noexcept {
  static_cast<const CaptureHooks*>(captures)->launched(arguments.stream, arguments.entry,
                                                       arguments.values);
}

/// The dispatch: one call of the backend, whose own status is the answer. `shaped` is the
/// LaunchConfig, or a LaunchShape. `OptIn`: it may have dynamic shared memory. `Plain`: it has
/// nothing that a launch needs an attribute for, as its type tells.
template <CheckLevel Level, bool OptIn, bool Plain, class B, class Shaped, class K, class... P,
          class... A>
[[nodiscard, gnu::always_inline]] inline result<void> dispatch(const Located<B>& at,
                                                               const Shaped& shaped, K kernel,
                                                               TypeList<P...>,
                                                               const A&... arguments) noexcept {
  using Calls = typename K::template calls<B>;
  const KernelEntry entry = kernel.entry();
  // A copy, since what the error's function may look at is in memory at every launch: the stream
  // alone, not the caller's file and line.
  const basic_stream_ref<B> stream = at.stream;
  const LaunchShape& shape = shape_of(shaped);
  int status = 0;
  if constexpr (OptIn) {
    status = kernel_slots<B>(kernel).template allow_dynamic_shared<QuestionsAt<Calls, Level>>(
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

/// Whether a configuration, by its type, has nothing that a launch needs an attribute for.
template <class Config>
inline constexpr bool is_plain =
    !(Config::template has<PartKind::cluster> || Config::template has<PartKind::cooperative> ||
      Config::template has<PartKind::priority> || Config::template has<PartKind::dependent>);

/// Validate, dispatch, observe: every launch of a configuration goes through here.
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
      const Observation seen = observe(at, shape, kernel.name(), kernel_limits);
      if (captures != nullptr || seen.asks_for_data()) [[unlikely]] {
        Look look{captures, seen, {}, Inspected::dispatch};
        show_arguments<B>({&Look::take, &look}, at.stream.native(), kernel, shape, parameters,
                          arguments...);
        if (look.verdict != Inspected::dispatch) return look.answer();
      }
      result<void> launched =
          dispatch<Level, opts_in, plain>(at, shape, kernel, parameters, arguments...);
      seen.end(launched);
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

/// What a release launch copies where something is wrong, so that its address is not taken where
/// nothing is. With checks it is in memory already.
template <CheckLevel Level, class T>
using copied_at = std::conditional_t<Level == CheckLevel::off, T, const T&>;

#if !defined(__CUDA_ARCH__)  // launch.hpp has what is left of this for nvcc's device compiler
/// The static part: every mistake in the types gets its own sentence, and nothing after it is
/// compiled.
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
