// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/race/race_report.hpp>

#include <type_traits>

// What adversarial::run says where the default backend is a vendor's.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::adversarial {

using debug::RaceReport;

template <class... A>
[[nodiscard]] RaceReport run(const A&...) {
  static_assert(
      !std::is_same_v<void(A...), void(A...)>,
      "warpsafe: adversarial::run runs on the host backend; compile this file with g++ or "
      "clang++, or with -DWARPSAFE_BACKEND_HOST");
  return {};
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::adversarial
