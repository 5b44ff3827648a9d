// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// graph.hpp alone is enough for a program with a capture.

#include <warpsafe/graph.hpp>

WARPSAFE_KERNEL void nothing() {}

warpsafe::result<warpsafe::Graph> captured(warpsafe::Stream& stream) {
  return warpsafe::capture(stream, [&](warpsafe::Capture&) {
    return warpsafe::launch(stream, warpsafe::LaunchConfig{warpsafe::grid<1>, warpsafe::block<1>},
                            warpsafe::kernel<nothing>);
  });
}
