// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cuda.h>
#include <cupti.h>

/// Whom the stand-in for the driver tells of its calls: nobody, until a CUPTI is subscribed to.
using StandInTell = void (*)(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);
extern StandInTell stand_in_tell;
