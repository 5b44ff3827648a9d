// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The layout at the check level of a build without NDEBUG. It sets no macro, so that other tests
// share its headers.

#include "layout.hpp"

static_assert(warpsafe::current_level == warpsafe::CheckLevel::full);
