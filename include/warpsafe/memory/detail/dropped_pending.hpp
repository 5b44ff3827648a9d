// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/call_site.hpp>
#include <warpsafe/core/config.hpp>

#include <cstdio>

namespace warpsafe::detail {

/// What a token that is dropped calls; it is state of the token, so that its destructor is the same
/// at every check level, and the sentence is only in objects that check.
using SayDropped = void (*)(const call_site& made) noexcept;

[[gnu::cold]] inline void say_dropped(const call_site& made) noexcept {
  std::fprintf(
      stderr,
      "warpsafe: the result of a copy was dropped unread, and its destructor waits for the "
      "copy to end\n  made at %s:%u; take it with std::move(pending).get()\n",
      made.file == nullptr ? "?" : made.file, static_cast<unsigned>(made.line));
}

template <CheckLevel Level>
inline constexpr SayDropped on_drop = Level == CheckLevel::off ? nullptr : &say_dropped;

}  // namespace warpsafe::detail
