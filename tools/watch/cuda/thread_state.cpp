// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "thread_state.hpp"

namespace warpsafe::watch {
namespace {

// Made by the linker: one with a constructor would ask at each use whether that has run.
constinit thread_local ThreadState mine{};

}  // namespace

ThreadState& ThreadState::get() noexcept { return mine; }

}  // namespace warpsafe::watch
