// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../options.hpp"
#include <warpsafe/debug.hpp>
#include <warpsafe/tool_api.hpp>

#include <cstdlib>

namespace warpsafe::watch {

/// Warns about unknown options, and about switches of the library that have no effect here.
inline void warn_of_unsupported_switches(const Options& options) noexcept {
  tool::ensure_started();
  if (!options.unknown.empty()) {
    tool::log_line(debug::LogLevel::warn, "warpsafe: WARPSAFE_RUN: unknown option '%s'",
                   tool::Shown(options.unknown.c_str()).c_str());
  }
  for (const char* name : {"WARPSAFE_REFERENCE", "WARPSAFE_SHADOW", "WARPSAFE_TRACE"}) {
    const char* const value = tool::read_environment(name);
    if (value == nullptr || *value == '\0') continue;
    tool::log_line(debug::LogLevel::warn,
                   "warpsafe: %s has no effect: the arguments of a watched program have no "
                   "types",
                   name);
  }
}

}  // namespace warpsafe::watch
