// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/warpsafe.hpp>

#include <cstddef>

// Launches of four arguments: for a size with a static block, and with run-time dimensions. The
// result is returned, or checked in place.

using Stream = warpsafe::basic_stream_ref<warpsafe::cuda_backend>;
using In = warpsafe::DeviceSpan<const float>;
using Out = warpsafe::DeviceSpan<float>;

warpsafe::result<void> static_returned(Stream stream, float a, In x, Out y);
warpsafe::result<void> dynamic_returned(Stream stream, warpsafe::GridDim grid,
                                        warpsafe::BlockDim block, float a, In x, Out y);
warpsafe::result<void> configured_returned(Stream stream, warpsafe::GridDim grid,
                                           warpsafe::BlockDim block, float a, In x, Out y);
bool static_inlined(Stream stream, float a, In x, Out y);
bool dynamic_inlined(Stream stream, warpsafe::GridDim grid, warpsafe::BlockDim block, float a, In x,
                     Out y);
bool configured_inlined(Stream stream, warpsafe::GridDim grid, warpsafe::BlockDim block, float a,
                        In x, Out y);
