// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// Stream captures and the graphs made from them.

// These have sentences about mistakes, and come first: g++ prints the chain of includes that led to
// a header before the sentence.
// clang-format off
#include <warpsafe/kernel/detail/argument_types.hpp>
#include <warpsafe/launch/detail/launch_diagnostics.hpp>
#include <warpsafe/warpsafe.hpp>
// clang-format on
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/graph/executable_graph.hpp>
#include <warpsafe/graph/graph.hpp>
#include <warpsafe/stream/event.hpp>
