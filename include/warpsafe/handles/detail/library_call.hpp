// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/call_scope.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/observing.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/handles/detail/bound_handle.hpp>
#include <warpsafe/handles/detail/library_function.hpp>
#include <warpsafe/handles/handle_traits.hpp>
#include <warpsafe/handles/library_scalar.hpp>
#include <warpsafe/kernel/detail/arguments.hpp>
#include <warpsafe/stream/detail/beside_captures.hpp>

#include <cstdint>

// The implementation of `StreamBound::call`: the checks of its level, then the call.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Marks a handle as in use during its lifetime.
class BusyMark {
 public:
  explicit BusyMark(bool& busy) noexcept
      : busy_(busy), exclusive_(!__atomic_exchange_n(&busy, true, __ATOMIC_ACQUIRE)) {}
  BusyMark(const BusyMark&) = delete;
  BusyMark& operator=(const BusyMark&) = delete;
  ~BusyMark() {
    if (exclusive_) __atomic_store_n(&busy_, false, __ATOMIC_RELEASE);
  }
  /// Whether no other thread was using the handle.
  [[nodiscard]] bool is_exclusive() const noexcept { return exclusive_; }

 private:
  bool& busy_;
  const bool exclusive_;
};

template <class Traits>
[[nodiscard]] bool check_binding(BoundHandle<Traits>& bound, bool is_exclusive, bool mixed,
                                 Name function, call_site site, LaunchError& error) noexcept {
  Errc code{};
  if (!is_exclusive) {
    code = Errc::handle_busy;  // no other member of the handle may be read then
  } else if (!bound.owned) {
    code = Errc::handle_moved;
  } else if (mixed) {
    code = Errc::handle_pointer_mode;
  } else {
    const auto usable = check_handle_device<CheckLevel::full>(function, bound.stream.ref(), site);
    if (!usable.has_value()) {
      error = usable.assume_error();
      return false;
    }
    code = bound.find_change();
  }
  if (code == Errc{}) return true;
  error = refused_on(bound.stream.ref(), code, function, site);
  if (code == Errc::handle_stream_changed && bound.number.is_of_another_thread()) {
    error.subcode = Subcode::other_stream;
  }
  return false;
}

template <class Function, class Traits, class... A>
[[nodiscard]] bool check_call_values(const BoundHandle<Traits>& bound, Name function,
                                     call_site site, LaunchError& error,
                                     const A&... arguments) noexcept {
  if (Function::check_values(bound.stream.ref(), error, arguments...)) return true;
  const LaunchError found = error;
  error = refused_on(bound.stream.ref(), found.code, function, site);
  error.value = found.value;
  error.limit = found.limit;
  error.extra = found.extra;
  return false;
}

/// Whether a graph would keep the address of a result on the host, and each launch would write
/// there.
template <CheckLevel Level, class Function, class Traits, class... A>
[[nodiscard, gnu::always_inline]] inline bool captures_host_result(const BoundHandle<Traits>& bound,
                                                                   const A&... arguments) noexcept {
  return Function::has_host_result(arguments...) && captures<Level>(bound.stream.ref());
}
template <class Traits>
[[nodiscard, gnu::cold, gnu::noinline]] LaunchError host_result_error(
    const BoundHandle<Traits>& bound, Name function, const call_site& site) noexcept {
  LaunchError error = refused_on(bound.stream.ref(), Errc::stream_capturing, function, site);
  error.subcode = Subcode::host_result;
  return error;
}

/// Whether a call has a scalar at `Place`. The place of the first argument is known by value, not
/// by type.
template <class Function, ScalarPlace Place, class... A>
[[nodiscard, gnu::always_inline]] constexpr bool has_scalar_at(ScalarPlace first_place) noexcept {
  return Function::template has_scalar<Place, A...>() || first_place == Place;
}
/// Whether a call has scalars in both places, and may not. Only the first argument can delay
/// the answer to run time; a release build knows it when it compiles the call.
template <class Function, class... A>
[[nodiscard, gnu::always_inline]] constexpr bool is_mixed(ScalarPlace first_place) noexcept {
  return !Function::may_mix && has_scalar_at<Function, ScalarPlace::host, A...>(first_place) &&
         has_scalar_at<Function, ScalarPlace::device, A...>(first_place);
}

template <class First, class... A>
[[nodiscard]] constexpr const First& first_of(const First& first, const A&...) noexcept {
  return first;
}

// These functions are inlined, so that a release build makes the bare call with every compiler.
template <auto Fn, class Traits, class... A>
[[nodiscard, gnu::always_inline]] inline result<void> call_library(BoundHandle<Traits>& bound,
                                                                   call_site site,
                                                                   ScalarPlace first_place,
                                                                   const A&... arguments) noexcept {
  using Function = LibraryFunction<Traits, decltype(Fn), scalars_of<Traits, Fn>>;
  const bool on_device = has_scalar_at<Function, ScalarPlace::device, A...>(first_place);
  if constexpr (Function::may_mix && sizeof...(A) > 1) {
    const bool on_host = has_scalar_at<Function, ScalarPlace::host, A...>(first_place);
    if (!Traits::scalars_fit(first_of(arguments...).value, on_host, on_device)) {
      LaunchError error = refused_on(bound.stream.ref(), Errc::handle_pointer_mode,
                                     FunctionName<Traits, Fn>::value, site);
      error.subcode = Subcode::in_descriptor;
      return error;
    }
  }
  if (on_device) {
    const auto set = bound.set_scalars_on_device(true, site);
    if (!set.has_value()) return set.assume_error();
  }
  bool has_graph_workspace = false;
  if constexpr (BoundHandle<Traits>::has_workspace) {
    if (open_captures() != nullptr) [[unlikely]] {
      const answer<bool> set = bound.set_workspace_of_graph(site);
      if (!set.has_value()) {
        if (on_device) static_cast<void>(bound.set_scalars_on_device(false, site));
        return set.assume_error();
      }
      has_graph_workspace = set.assume_value();
    }
  }
  const CallScope<typename Traits::backend> here(site);
  const auto done = Function::call(Fn, bound.native, bound.stream.ref().native(), arguments...);
  // Buffers of other streams may be freed only after the call's work. A function that fails may
  // have submitted a part of it.
  result<void> noted = success();
  if constexpr (((is_view<A> || holds_owner<A>) || ...)) {
    noted = record_uses(bound.stream.ref(), site, owner_of(arguments)...);
  }
  if constexpr (BoundHandle<Traits>::has_workspace) {
    if (has_graph_workspace) [[unlikely]] {
      const result<void> set = bound.set_workspace(bound.workspace->data(), site);
      if (noted.has_value()) noted = set;
    }
  }
  if (on_device) {
    const auto set = bound.set_scalars_on_device(false, site);
    const bool is_first = !library_failed<Traits>(done) && noted.has_value();
    if (is_first && !set.has_value()) return set.assume_error();
  }
  if (library_failed<Traits>(done)) [[unlikely]] {
    return library_error<Traits>(done, FunctionName<Traits, Fn>::value, bound.stream.ref(), site);
  }
  return noted;
}

template <auto Fn, class Traits, class... A>
[[nodiscard]] result<void> call_checked(BoundHandle<Traits>& bound, call_site site,
                                        ScalarPlace first_place, const A&... arguments) noexcept {
  using Function = LibraryFunction<Traits, decltype(Fn), scalars_of<Traits, Fn>>;
  constexpr Name name = FunctionName<Traits, Fn>::value;
  const bool mixed = is_mixed<Function, A...>(first_place);
  const BusyMark mine(bound.busy);
  LaunchError error;
  if (!check_binding(bound, mine.is_exclusive(), mixed, name, site, error) ||
      !check_call_values<Function>(bound, name, site, error, arguments...)) {
    return error;
  }
  if (captures_host_result<CheckLevel::full, Function>(bound, arguments...)) {
    return host_result_error(bound, name, site);
  }
  tell_submission<CheckLevel::full>(bound.stream.ref(), name, site);
  return call_library<Fn>(bound, site, first_place, arguments...);
}

/// A call at a check level, after the compile-time checks.
template <auto Fn, CheckLevel Level, class Traits, class... A>
[[nodiscard, gnu::always_inline]] inline result<void> call_at(BoundHandle<Traits>& bound,
                                                              call_site site,
                                                              ScalarPlace first_place,
                                                              const A&... arguments) noexcept {
  using Function = LibraryFunction<Traits, decltype(Fn), scalars_of<Traits, Fn>>;
  constexpr bool refused = is_listed<Fn, typename Traits::refused>;
  static_assert(
      !refused,
      "warpsafe: this function would undo the handle's binding; change the stream with rebind, destroy the handle with close, and leave workspace and pointer mode to the handle");
  if constexpr (!refused && Function::template check<A...>()) {
    if constexpr (Level == CheckLevel::off) {
      if (is_mixed<Function, A...>(first_place)) [[unlikely]] {
        return refused_on(bound.stream.ref(), Errc::handle_pointer_mode,
                          FunctionName<Traits, Fn>::value, site);
      }
      if (captures_host_result<Level, Function>(bound, arguments...)) [[unlikely]] {
        return host_result_error(bound, FunctionName<Traits, Fn>::value, site);
      }
      return call_library<Fn>(bound, site, first_place, arguments...);
    } else {
      return call_checked<Fn>(bound, site, first_place, arguments...);
    }
  }
  return success();
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
