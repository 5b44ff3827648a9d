// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/refused.hpp>
#include <warpsafe/core/element_type.hpp>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

namespace detail {
/// The first member of Tolerance. A number without a name initialises it, and does not compile.
struct NamesFollow {
  constexpr NamesFollow() noexcept = default;
  template <class Number>
  constexpr NamesFollow(const Number&) noexcept {  // NOLINT(google-explicit-constructor)
    static_assert(is_never<Number>,
                  "warpsafe: two numbers in a row could be swapped; name them: "
                  "Tolerance{.absolute = 1e-5, .relative = 1e-6}");
  }
};
}  // namespace detail

/// The allowed difference of a number from the expected number: |actual - expected| <= absolute +
/// relative * |expected|, as in numpy.testing.assert_allclose and torch.testing.assert_close.
/// Name the members: `Tolerance{.absolute = 1e-5, .relative = 1e-6}`.
struct Tolerance {
  detail::NamesFollow its_names{};
  double absolute = 0;
  double relative = 0;
  bool nan_agrees = true;  ///< NaN matches an expected NaN
};

/// The tolerance for results of the same computation in another order of operations. The numbers
/// are the defaults of torch.testing.assert_close (PyTorch, torch/testing/_comparison.py,
/// _DTYPE_PRECISIONS), which come from the logged differences of PyTorch's own tests. Whole numbers
/// must be equal. A sum of n terms of mixed sign needs a larger tolerance: its error grows with n
/// and with the size of the terms.
[[nodiscard]] constexpr Tolerance tolerance_of(ElementType type) noexcept {
  switch (type) {
    case ElementType::float64:
      return {.absolute = 1e-7, .relative = 1e-7};
    case ElementType::float32:
      return {.absolute = 1e-5, .relative = 1.3e-6};
    case ElementType::float16:
      return {.absolute = 1e-5, .relative = 1e-3};
    case ElementType::bfloat16:
      return {.absolute = 1e-5, .relative = 1.6e-2};
    default:
      return {};
  }
}
/// The tolerance by C++ type: `tolerance_for<float>`.
template <class T>
inline constexpr Tolerance tolerance_for = tolerance_of(element_type<T>);

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
