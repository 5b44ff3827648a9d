// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// Buffers and copies on the current compiler's backend.

#include "launches.hpp"
#include <warpsafe/memory/copy.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

using Buffer = warpsafe::DeviceBuffer<float>;
using Pinned = warpsafe::PinnedBuffer<float>;
using Token = warpsafe::Pending<std::vector<float>>;
