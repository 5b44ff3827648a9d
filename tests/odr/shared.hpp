// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/graph/capture.hpp>
#include <warpsafe/launch/observe.hpp>
#include <warpsafe/stream/event.hpp>
#include <warpsafe/warpsafe.hpp>

#include <cstddef>
#include <string>

// Shared by all translation units of one program: the same kernels, functors and inline functions.

template <class T>
WARPSAFE_KERNEL void store(T value) {
  static_cast<void>(value);
}

struct Store {
#if defined(__CUDACC__) || defined(__HIPCC__)
  __device__
#endif
      void
      operator()(int value) const {
    static_cast<void>(value);
  }
};

/// The layout of the types that cross from one translation unit to another, as a part of each
/// unit's name for the linker: if a check level changes one, the program does not link.
template <std::size_t... Numbers>
struct Layout {};
template <class... T>
using LayoutOf = Layout<sizeof(T)..., alignof(T)...>;
using SharedLayout = LayoutOf<
    warpsafe::LaunchError, warpsafe::result<void>, warpsafe::result<int>, warpsafe::LaunchShape,
    warpsafe::DeviceLimits, warpsafe::KernelLimits, warpsafe::KernelNeeds, warpsafe::StreamRef,
    warpsafe::Stream, warpsafe::Event, warpsafe::Bytes, warpsafe::extent<3>,
    decltype(warpsafe::SafeGrid<>::cover(5, warpsafe::block<256>).value()),
    decltype(warpsafe::SafeGrid<>::cover(5, warpsafe::BlockDim::create(5).value()).value())>;

/// The moment at which a mistake was noticed.
inline const char* stage_of(const warpsafe::result<void>& outcome) {
  if (outcome.has_value()) return "never";
  switch (outcome.assume_error().stage) {
    case warpsafe::Stage::construction:
      return "made";
    case warpsafe::Stage::validation:
      return "checked";
    default:
      return "refused";
  }
}

/// A named function, which has one address in all units, as a lambda has not.
inline warpsafe::result<void> capture_nothing(warpsafe::Capture&) { return warpsafe::success(); }

/// Operations that an observer was told of.
inline int told = 0;
inline warpsafe::Observer counting_observer{
    .called = [](void*, const warpsafe::CallRecord&) noexcept { ++told; }};
