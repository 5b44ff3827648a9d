// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// Everything that kernel code uses: indices, strides, shared memory, barriers and the kernel
// markers. C++17; NVRTC and hipRTC compile it too.

#include <warpsafe/core/config.hpp>
#include <warpsafe/kernel/device_functions.hpp>
