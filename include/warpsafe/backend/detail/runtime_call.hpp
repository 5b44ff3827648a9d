// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/name.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

// How code that carries a check level calls a backend. A new call of a backend needs nothing here.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {
struct DeviceLimits;
struct KernelEntry;
struct KernelLimits;
struct LaunchShape;
enum class MemoryKind : std::uint8_t;
}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

#if __GNUC__ >= 16  // warns of each call in a lambda if `call` is constexpr: -Winvalid-constexpr
#define WARPSAFE_DETAIL_CALL_CONSTANT const
#else
#define WARPSAFE_DETAIL_CALL_CONSTANT constexpr
#endif
/// The function through which code of a check level calls `Fn`, a member of backend B:
/// `call<B, Level, &B::event_query>(event)`. It is `Fn` itself, except at level full, where
/// WARPSAFE_LOG=trace sees the call. A launch is dispatched without it: its own line has the
/// kernel's name.
template <class B, CheckLevel Level, auto Fn>
inline WARPSAFE_DETAIL_CALL_CONSTANT auto call = Fn;

/// A call as a tracer sees it. Its name is not written anywhere: it is in the compiler's own
/// spelling of a function whose template argument `Fn` is the backend's member.
struct TracedCall {
  const char* spelling;
  Name backend;
  Name (*error_name)(int status) noexcept;
};

/// One argument, read after the call, so it holds what the runtime has written.
struct TracedValue {
  enum class Kind : std::uint8_t { number, negative, address, text, flag, real, other } kind;
  std::uint64_t bits;  ///< negative: the absolute value; real: thousandths; text: where it is
};

template <class T>
[[nodiscard]] TracedValue traced_value(const T& value) noexcept {
  using Kind = TracedValue::Kind;
  if constexpr (std::is_pointer_v<T>) {
    return {std::is_same_v<T, const char*> ? Kind::text : Kind::address,
            reinterpret_cast<std::uintptr_t>(value)};
  } else if constexpr (std::is_same_v<T, bool>) {
    return {Kind::flag, value ? 1U : 0U};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {Kind::real, value > 0 ? static_cast<std::uint64_t>(value * 1000) : 0};
  } else if constexpr (std::is_enum_v<T> || std::is_unsigned_v<T>) {
    return {Kind::number, static_cast<std::uint64_t>(value)};
  } else if constexpr (std::is_integral_v<T>) {
    const auto wide = static_cast<std::uint64_t>(value);
    return value < 0 ? TracedValue{Kind::negative, ~wide + 1} : TracedValue{Kind::number, wide};
  } else if constexpr (std::is_same_v<T, KernelEntry>) {
    return {Kind::address, reinterpret_cast<std::uintptr_t>(value.function)};
  } else {
    return {Kind::other, 0};
  }
}

struct CallTracer;

/// A report_call that is compiled with the tracer instead of with each launch.
template <class... P>
struct OwnReport {
  int (*report)(const CallTracer& tracer, const TracedCall& call, int (*function)(P...) noexcept,
                P... arguments) noexcept;
};

/// The receiver of the trace, of which a program uses one. It has all that a launch needs.
struct CallTracer : OwnReport<int&>,
                    OwnReport<int>,
                    OwnReport<int, DeviceLimits&>,
                    OwnReport<const KernelEntry&, KernelLimits&>,
                    OwnReport<const KernelEntry&, std::uint64_t>,
                    OwnReport<const KernelEntry&, std::uint32_t, std::uint64_t, int&>,
                    OwnReport<const KernelEntry&, const LaunchShape&, int&>,
                    OwnReport<const void*, MemoryKind&, int&>,
                    OwnReport<int, const void*, int, bool&> {
  /// The time before a call, in nanoseconds.
  std::uint64_t (*begin)() noexcept;
  void (*end)(const TracedCall& call, int status, const TracedValue* values, std::size_t count,
              std::uint64_t begun) noexcept;
};
/// nullptr unless WARPSAFE_LOG=trace.
[[gnu::visibility("default")]] inline const CallTracer* call_tracer_in_use = nullptr;

/// Makes a call and reports it to the tracer. Returns the runtime's status.
template <class... P>
[[WARPSAFE_DETAIL_RARE]] int report_call(const CallTracer& tracer, const TracedCall& call,
                                         int (*function)(P...) noexcept, P... arguments) noexcept {
  const std::uint64_t begun = tracer.begin();
  const int status = function(static_cast<P>(arguments)...);
  // An array cannot be empty, so a call without arguments gets one element.
  const TracedValue values[sizeof...(P) + (sizeof...(P) == 0)] = {traced_value(arguments)...};
  tracer.end(call, status, values, sizeof...(P), begun);
  return status;
}

/// `Fn`, with a report if a tracer is in use. Without one, that costs a load and a test. Always
/// inlined, even without optimisation, since a separate function costs more to compile.
template <class B, auto Fn, class... P>
[[gnu::always_inline]] inline int traced(P... arguments) noexcept {
  const CallTracer* const tracer = __atomic_load_n(&call_tracer_in_use, __ATOMIC_ACQUIRE);
  if (tracer == nullptr) [[likely]]
    return Fn(static_cast<P>(arguments)...);
  static constexpr TracedCall call{__PRETTY_FUNCTION__, B::name, &B::error_name};
  if constexpr (std::is_base_of_v<OwnReport<P...>, CallTracer>) {
    return tracer->OwnReport<P...>::report(*tracer, call, Fn, static_cast<P>(arguments)...);
  } else {
    return report_call<P...>(*tracer, call, Fn, static_cast<P>(arguments)...);
  }
}

#if !defined(__CUDA_ARCH__)  // nvcc's device compiler makes no calls of the host
template <class B, class... P, int (*Fn)(P...) noexcept>
inline WARPSAFE_DETAIL_CALL_CONSTANT auto call<B, CheckLevel::full, Fn> = &traced<B, Fn, P...>;
#endif

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
