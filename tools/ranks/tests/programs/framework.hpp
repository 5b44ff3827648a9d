// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// A library that calls NCCL on threads of its own, as PyTorch does in a backward pass. Its file is
// named as PyTorch's are.

namespace framework {

/// Makes a communicator of all ranks, whose identifier rank 0 puts into `folder`.
bool join(const char* folder, int rank, int size);
/// Adds `steps` times, on a thread of the library.
void backward(int steps);

}  // namespace framework
