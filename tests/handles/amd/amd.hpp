// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/memory/buffer.hpp>

#include <cstddef>
#include <utility>

// Shared by the files here, which compile calls of AMD's libraries. tests/amd_runtime/libraries
// runs such calls.

namespace ws = warpsafe;

using HipStream = ws::basic_stream<ws::hip_backend>;
template <class T>
using Buffer = ws::basic_device_buffer<ws::hip_backend, T>;
