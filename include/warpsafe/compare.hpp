// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// Comparison of two arrays, with a tolerance for each element type.

#include <warpsafe/compare/compare.hpp>
#include <warpsafe/compare/comparison.hpp>
#include <warpsafe/core/tolerance.hpp>
