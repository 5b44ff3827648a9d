// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// A check in a kernel. If it fails, the host gets the kernel, block, thread, file, line and text,
// and the device's context stays intact.

#include <warpsafe/kernel/device_check.hpp>
