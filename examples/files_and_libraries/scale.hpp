// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#pragma once
#include <warpsafe/args/device_view.hpp>
#include <warpsafe/warpsafe.hpp>

// Multiplies each element by `factor`, in the order of `stream`.
warpsafe::result<void> scale(warpsafe::StreamRef stream, float factor,
                             warpsafe::DeviceView<float> x);
