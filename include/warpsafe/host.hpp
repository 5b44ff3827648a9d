// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// The host backend, and the functions that set its devices, inject faults and read its counters.

#include <warpsafe/backend/host/control.hpp>
#include <warpsafe/backend/host/host_backend.hpp>
