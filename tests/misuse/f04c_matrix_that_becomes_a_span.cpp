// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// F04: the span of a matrix does not know its buffer either.

#include <warpsafe/memory/pitched_view.hpp>

namespace ws = warpsafe;

auto kept(ws::PitchedView<float> view) {
#ifdef MISUSE
  const ws::PitchedSpan<const float> span =
      view;  // expected-error {{"a PitchedSpan does not know its buffer"}}
  return span;
#else
  return view;
#endif
}
