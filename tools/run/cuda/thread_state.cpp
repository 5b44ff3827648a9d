// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "thread_state.hpp"

namespace warpsafe::watch {
namespace {

// Initialised statically. With a constructor, each use would have to check whether it has run.
constinit thread_local ThreadState mine{};

}  // namespace

ThreadState& ThreadState::get() noexcept { return mine; }

}  // namespace warpsafe::watch
