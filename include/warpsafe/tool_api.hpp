// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// What a tool beside the library builds on. A program that uses the library needs none of it.

#include <warpsafe/core/observer.hpp>
#include <warpsafe/tool/names.hpp>
#include <warpsafe/tool/process.hpp>
