// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Replaces libcufft.so: a library that only the plug-in uses, so that both are unloaded.

#include "stand_in.hpp"

extern "C" int cufftReturn(int status) { return status; }
