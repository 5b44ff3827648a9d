// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

namespace warpsafe::core_test {

/// Reaches a private member, for tests of states that a program reaches only by chance. The
/// language checks no access in an explicit instantiation, in this namespace:
///     struct Busy { friend constexpr auto member(Busy); };
///     template struct PrivateMember<Busy, &Completion::busy_>;
///     completion.*member(Busy{})
template <class Tag, auto Member>
struct PrivateMember {
  friend constexpr auto member(Tag) { return Member; }
};

}  // namespace warpsafe::core_test
