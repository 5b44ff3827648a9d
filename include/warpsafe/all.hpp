// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// All public headers except the library handles (handles/<library>.hpp) and the headers that need
// another library (fmt, gmock, spdlog, NVTX, ROCTX). It is slow to compile; the entry headers below
// are faster.

#include <warpsafe/compare.hpp>
#include <warpsafe/debug.hpp>
#include <warpsafe/graph.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/kernel_api.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/module.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/race.hpp>
#include <warpsafe/warpsafe.hpp>
