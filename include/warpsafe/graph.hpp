// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// Stream captures and the graphs made from them.

#include <warpsafe/graph/capture.hpp>
#include <warpsafe/graph/executable_graph.hpp>
#include <warpsafe/graph/graph.hpp>
#include <warpsafe/warpsafe.hpp>
