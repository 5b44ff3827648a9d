// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#undef WARPSAFE_CHECKS
#define WARPSAFE_CHECKS 1
#include "warpsafe_operations.hpp"

void operations::add_on() { add_all("on"); }
