// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// Kernels loaded by name at run time, with the module calls of the default backend.

// These have sentences about mistakes, and come first: g++ prints the chain of includes that led to
// a header before the sentence.
// clang-format off
#include <warpsafe/kernel/detail/argument_types.hpp>
#include <warpsafe/launch/detail/launch_diagnostics.hpp>
#include <warpsafe/warpsafe.hpp>
// clang-format on
#include <warpsafe/module/module.hpp>

#if defined(WARPSAFE_DETAIL_DEFAULT_CUDA)
#include <warpsafe/backend/cuda/module_calls.hpp>
#elif defined(WARPSAFE_DETAIL_DEFAULT_HIP)
#include <warpsafe/backend/hip/module_calls.hpp>
#else
#include <warpsafe/backend/host/module_calls.hpp>
#endif
