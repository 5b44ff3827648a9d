// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Turns the journal on in a program of checked launches.

#include <warpsafe/debug.hpp>
#include <warpsafe/warpsafe.hpp>
