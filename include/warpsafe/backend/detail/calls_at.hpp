// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>

#include <type_traits>

namespace warpsafe::detail {

template <class B>
struct TracedCalls;
template <class B>
struct TracedQuestions;

/// Whether WARPSAFE_LOG=trace can be told of a backend's calls. A backend that overrides another's
/// calls is none of them, unless it says so itself: it would be passed over.
template <class B>
inline constexpr bool tells_of_calls = false;

/// Whether code of a check level tells of them.
#if defined(__CUDA_ARCH__)  // nvcc's device compiler makes no calls of the host
template <class B, CheckLevel Level>
inline constexpr bool tells_at = false;
#else
template <class B, CheckLevel Level>
inline constexpr bool tells_at = (Level == CheckLevel::full && tells_of_calls<B>);
#endif

/// The calls of backend B as code of a check level makes them: told at level full, at all others
/// the backend itself, so that nothing of the trace is in their objects. Only what carries the
/// level as a template argument may use it: what is the same at every level calls B.
template <class B, CheckLevel Level>
using CallsAt = std::conditional_t<tells_at<B, Level>, TracedCalls<B>, B>;
/// Those of them that a launch may make before it is dispatched: a class of few functions, since
/// every translation unit with a launch has it.
template <class B, CheckLevel Level>
using QuestionsAt = std::conditional_t<tells_at<B, Level>, TracedQuestions<B>, B>;

}  // namespace warpsafe::detail
