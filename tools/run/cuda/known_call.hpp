// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../core/call/call.hpp"
#include "call_name.hpp"
#include <warpsafe/core/name.hpp>

#include <string_view>

namespace warpsafe::watch {

/// An observed call, with its name for texts, which lives as long as the process.
struct KnownCall {
  Call call = Call::other;
  bool per_thread = false;
  Name name{};

  [[nodiscard]] static KnownCall of(Call call, const CallName& name, const char* whole) noexcept {
    return {call, name.per_thread, {whole, name.base.size()}};
  }
};

/// Whether the call ends a context.
[[nodiscard]] inline bool ends_context(const KnownCall& known) noexcept {
  const std::string_view name(known.name.data, known.name.size);
  return known.call == Call::unload && (name.starts_with("cuCtx") || name.starts_with("cuDevice"));
}

}  // namespace warpsafe::watch
