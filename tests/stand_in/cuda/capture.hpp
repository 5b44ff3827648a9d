// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "runtime.hpp"

namespace stand_in_cuda {

/// For a call that is not allowed during a capture, such as an allocation: breaks the captures that
/// forbid it, and returns cudaErrorStreamCaptureUnsupported if there are any.
cudaError_t unsafe_call();

/// Breaks the stream's capture, if it has one.
void spoil(Stream& stream);

/// For a call that is not allowed on a capturing stream in any mode: breaks its capture and returns
/// cudaErrorStreamCaptureUnsupported.
cudaError_t refuse_capturing(Stream& stream);

/// For a question about the legacy stream: returns cudaErrorStreamCaptureImplicit while a blocking
/// stream of its device captures.
cudaError_t refuse_legacy(Stream& stream);

/// Ends the program if another thread begins or ends the stream's capture, where CUDA's driver
/// crashes, or makes the call part of the graph (H200, driver 580.159.04).
void end_beside_a_change(const Stream& stream);

/// Adds work to the stream: to its capture, or to be done in its turn. @param mark receives the
/// mark of the work; null if it was captured
cudaError_t put(Stream& stream, Node work, std::shared_ptr<Mark>* mark = nullptr,
                bool on_own_thread = false);

}  // namespace stand_in_cuda
