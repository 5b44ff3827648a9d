// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// The core of warpsafe and the default backend of this translation unit. Data (buffer.hpp), library
// handles, text of errors (message.hpp) and further backends come by their own headers, so that
// this one stays light.

#include <warpsafe/config.hpp>
#include <warpsafe/device.hpp>
#include <warpsafe/event.hpp>
#include <warpsafe/functor.hpp>
#include <warpsafe/kernel.hpp>
#include <warpsafe/kernel_api.hpp>
#include <warpsafe/launch.hpp>
#include <warpsafe/launch_config.hpp>
#include <warpsafe/occupancy.hpp>
#include <warpsafe/safe_grid.hpp>
#include <warpsafe/stream.hpp>
#include <warpsafe/try.hpp>
#include <warpsafe/validate.hpp>

#if defined(WARPSAFE_BACKEND_CUDA)
#include <warpsafe/backend/cuda.hpp>
#elif defined(WARPSAFE_BACKEND_HIP)
#include <warpsafe/backend/hip.hpp>
#elif defined(WARPSAFE_BACKEND_HOST)
#include <warpsafe/backend/host.hpp>
#elif defined(__HIPCC__) || defined(__HIP__)
#include <warpsafe/backend/hip.hpp>
#elif defined(__CUDACC__)
#include <warpsafe/backend/cuda.hpp>
#else
#include <warpsafe/backend/host.hpp>
#endif
