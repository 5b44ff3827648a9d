// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/declare_launch.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/kernel/kernel.hpp>
#include <warpsafe/launch/launch_config.hpp>
#include <warpsafe/stream/stream_ref.hpp>
#if !defined(__CUDA_ARCH__)
#include <warpsafe/kernel/detail/argument_types.hpp>
#include <warpsafe/launch/detail/checked_launch.hpp>
#include <warpsafe/launch/detail/launch_diagnostics.hpp>
#include <warpsafe/launch/detail/plain_launch.hpp>
#endif

#include <utility>

// A launch, in the order in which it happens: its types (detail/launch_diagnostics.hpp); then, with
// checks, its rules, its call and its errors (detail/checked_launch.hpp), or without checks the
// call alone (detail/plain_launch.hpp).

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

#if !defined(__CUDA_ARCH__)
namespace detail {

/// What of a kernel's type its launch is checked with: templates that do not need the function are
/// instantiated once for all kernels with the same parameters and needs.
template <class K>
struct TypeToCheck {
  using type = K;
};
template <class K>
requires requires { typename K::entry_type; }
struct TypeToCheck<K> {
  using type = typename K::declaration;
};

/// A launch on a stream of backend B. Diagnoses each mistake in its types by a sentence of its own,
/// and compiles nothing after it.
template <CheckLevel Level, class B, bool Copies, class C, class K, class... A>
inline result<void> launch_on(const Located<B, Copies>& at, const C& config, const K& kernel,
                              const A&... arguments) noexcept {
  if constexpr (is_functor_kernel<K>) {
    return launch_on<Level>(at, config, typename K::kernel_type{}, kernel.function, arguments...);
  } else if constexpr (is_module_kernel<K>) {
    return launch_on<Level>(at, config, kernel.loaded(at.stream), arguments...);
  } else if constexpr (!check_launch_types<B, config_of<C>, typename TypeToCheck<K>::type,
                                           static_cast<int>(sizeof...(A))>()) {
    return success();
  } else if constexpr (!check_arguments<B, A...>(typename K::parameters{},
                                                 std::index_sequence_for<A...>{})) {
    return success();
  } else if constexpr (Level == CheckLevel::full) {
    return launch_checked<typename K::declaration>(at, config, launched_kernel<B>(kernel),
                                                   arguments...);
  } else if constexpr (needs_slots<config_of<C>>) {
    return launch_unchecked<typename K::template calls<B>>(at, config, kernel.entry(),
                                                           kernel.name(), &kernel_slots<B>(kernel),
                                                           typename K::parameters{}, arguments...);
  } else {
    return launch_unchecked<typename K::template calls<B>>(
        at, config, kernel.entry(), kernel.name(), nullptr, typename K::parameters{}, arguments...);
  }
}

}  // namespace detail
#endif

/// Launches `kernel<fn>` with a SafeGrid, or with a LaunchConfig if there are options. A `result`
/// of either, as `cover` and `configure` return it, is accepted too; `launch` returns its error
/// with the kernel's name. Nothing is launched if there is an error. A conversion that could lose
/// an argument's value does not compile. A pointer parameter takes only types of device memory.
///
/// Checked builds: every Errc of `validate`, and Errc::argument_negative, ::argument_host_pointer,
/// ::argument_misaligned, ::argument_empty, ::memory_closed, ::memory_wrong_device,
/// ::occupancy_mismatch, ::stream_null (a Stream that was moved from or closed),
/// ::stream_wrong_device, ::not_a_kernel, ::no_kernel_image, ::no_device.
/// All builds: Errc::launch_refused (or a more specific code) if the runtime refuses, with its own
/// words; ::pending_error if earlier work has failed. An empty grid (cover_or_empty) launches
/// nothing and succeeds. Thread-safe. Never clears the last error; only WARPSAFE_LOG reads it.
///
/// An overload of each backend takes its streams (backend/declare_launch.hpp), this one all else.
#if defined(__CUDA_ARCH__)
// nvcc's device compiler keeps no host code, and the host compiler diagnoses the launch. Here it is
// enough to name the kernel, so that its code is generated.
template <CheckLevel Level = current_level, class S, class C, class K, class... A>
[[nodiscard]] inline result<void> launch(const S&, const C&, [[maybe_unused]] const K& kernel,
                                         const A&...) noexcept {
  if constexpr (detail::is_functor_kernel<K>) {
    static_cast<void>(K::kernel_type::entry());
  } else if constexpr (detail::is_kernel<K>) {
    static_cast<void>(kernel.entry());
  }
  return success();
}
#else
template <CheckLevel Level = current_level, class S, class C, class K, class... A>
requires(!detail::is_launchable<detail::backend_of<S>>)
    [[nodiscard]] result<void> launch(const S& stream, const C& config, const K& kernel,
                                      const A&... arguments) noexcept {
  constexpr bool is_unwrapped = !requires { requires detail::is_stream<typename S::value_type>; };
  static_assert(
      is_unwrapped,
      "warpsafe: this stream is a result and may hold an error instead; unwrap it with WARPSAFE_TRY or .value()");
  static_assert(
      !is_unwrapped || detail::is_stream<S>,
      "warpsafe: the first argument of launch is a Stream or StreamRef; 0 and nullptr are a default stream that other code uses too, and a vendor's stream is passed as StreamRef::borrow(stream, device)");
  if constexpr (detail::is_stream<S>) {
    return detail::launch_on<Level>(detail::Located<typename S::backend>(stream), config, kernel,
                                    arguments...);
  } else {
    return success();
  }
}

/// Diagnoses a temporary that owns device memory.
template <CheckLevel Level = current_level, class S, class C, class K, class... A>
requires(detail::FreesTooEarly<A> || ...)
    [[nodiscard]] result<void> launch(const S&, const C&, const K&, A&&...) noexcept {
  static_assert(
      !(detail::FreesTooEarly<A> || ...),
      "warpsafe: this temporary frees its device memory at the end of the statement, while the kernel may still run; give it a name that lives until the stream is synchronized, or declare may_be_temporary in its device_pointer_traits if its free waits for the launch's stream");
  return success();
}
#endif

namespace detail {
/// What every stream converts to, as to the first parameter of the overload that takes it.
struct AnyStream {
  template <class S>
  AnyStream(const S&) noexcept;  // NOLINT(google-explicit-constructor)
};
}  // namespace detail
/// Diagnoses a function without its parentheses, as in x.view, or an overloaded one: no template
/// parameter can be deduced from these, and with this overload each compiler names the argument.
/// `volatile`, so that every launch that has another overload takes that one.
template <CheckLevel Level = current_level, class C, class K>
[[nodiscard]] result<void> launch(detail::AnyStream, const C&, const volatile K&, ...) noexcept {
  static_assert(!detail::is_size<decltype(sizeof(K))>,
                "warpsafe: an argument of this launch is the name of a function; call it, as in "
                "x.view()");
  return success();
}

/// Diagnoses too few arguments.
template <CheckLevel Level = current_level, class... A>
requires(sizeof...(A) < 3) [[nodiscard]] result<void> launch(const A&...) noexcept {
  static_assert(sizeof...(A) == 3,
                "warpsafe: launch takes a stream, a configuration and a kernel, then the kernel's "
                "arguments: launch(stream, config, kernel<fn>, arguments...)");
  return success();
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
