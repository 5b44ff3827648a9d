// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The layout at this check level.

#define WARPSAFE_CHECKS 1
#include "layout.hpp"

static_assert(warpsafe::current_level == warpsafe::CheckLevel::cheap);
