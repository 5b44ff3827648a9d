// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// The core of warpsafe and the default backend of this translation unit. Other parts have their own
// headers, which keeps this one light: memory (memory.hpp), events (stream/event.hpp), the limits
// and the occupancy of a kernel (launch/occupancy.hpp), checks without a launch
// (launch/validate.hpp), functors as kernels (kernel/functor.hpp), library handles, error text
// (error/message.hpp) and further backends.

// These have sentences about mistakes, and come first: g++ prints the chain of includes that led to
// a header before the sentence.
// clang-format off
#include <warpsafe/error/result.hpp>
#include <warpsafe/stream/stream_ref.hpp>
#include <warpsafe/dims/dim3.hpp>
#include <warpsafe/dims/bytes.hpp>
#include <warpsafe/dims/launch_options.hpp>
#include <warpsafe/stream/device.hpp>
#include <warpsafe/stream/stream.hpp>
#include <warpsafe/dims/detail/cover.hpp>
#include <warpsafe/dims/detail/config_parts.hpp>
#include <warpsafe/kernel/kernel.hpp>
#if !defined(__CUDA_ARCH__)  // nvcc's device compiler diagnoses no launch
#include <warpsafe/kernel/detail/argument_types.hpp>
#include <warpsafe/launch/detail/launch_diagnostics.hpp>
#endif
// clang-format on

#include <warpsafe/args/trust.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/dims/make_dims.hpp>
#include <warpsafe/dims/safe_grid.hpp>
#include <warpsafe/error/exception.hpp>
#include <warpsafe/error/try.hpp>
#include <warpsafe/kernel/device_functions.hpp>
#include <warpsafe/kernel/needs.hpp>
#include <warpsafe/launch/launch.hpp>
#include <warpsafe/launch/launch_config.hpp>

#if defined(WARPSAFE_DETAIL_DEFAULT_CUDA)
#include <warpsafe/backend/cuda/cuda_backend.hpp>
#elif defined(WARPSAFE_DETAIL_DEFAULT_HIP)
#include <warpsafe/backend/hip/hip_backend.hpp>
#else
#include <warpsafe/backend/host/host_backend.hpp>
#if defined(__NVCC__) && !defined(WARPSAFE_BACKEND_HOST)  // plain C++
#include <warpsafe/backend/host/detail/nvcc_notice.hpp>
#endif
#endif
