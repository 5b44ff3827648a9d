// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

namespace warpsafe {

/// What a Dim3 counts: blocks of a grid, threads of a block, blocks of a cluster. They do not
/// convert into each other.
struct grid_space {};
struct block_space {};
struct cluster_space {};

}  // namespace warpsafe
