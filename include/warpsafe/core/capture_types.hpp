// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstdint>

namespace warpsafe {

/// Which calls a capture does not stand, beside those on its own streams (waiting for one of them
/// or asking about one breaks it in every mode). The vendors' names: cudaStreamCaptureMode,
/// hipStreamCaptureMode.
enum class CaptureMode : std::uint8_t {
  global,   ///< no thread may make an unsafe call: wait, query, allocate or free pinned memory
  thread,   ///< the thread that began the capture may not
  relaxed,  ///< unsafe calls are allowed on what does not take part in the capture
};

/// What a stream is doing about a capture.
enum class CaptureState : std::uint8_t {
  none,    ///< work that is submitted runs
  active,  ///< work that is submitted becomes a part of a graph
  broken,  ///< a call that captures do not allow was made: the graph is lost
};

/// Where a stream stands in a capture.
struct CaptureInfo {
  CaptureState state;
  std::uint64_t tail;  ///< stands for the nodes that the stream's next node will wait for; equal
                       ///< for equal nodes; 0: the runtime does not tell
};

/// Why an executable graph cannot take over what another graph does.
enum class GraphChange : std::uint8_t {
  none,         ///< it can
  topology,     ///< another number of nodes, or other dependencies between them
  node_kind,    ///< a node became another kind of operation
  function,     ///< a kernel became one that this node cannot hold
  parameters,   ///< a parameter changed in a way that is not supported
  unsupported,  ///< the runtime cannot update such a node at all
  unknown,      ///< the runtime gives no reason
};

namespace detail {

/// One number for a set of nodes, whatever their order; never 0.
[[nodiscard]] inline std::uint64_t mix_tail(std::uint64_t so_far, std::uint64_t node) noexcept {
  node = (node ^ (node >> 31U)) * 0x9e3779b97f4a7c15ULL;
  return so_far + (node ^ (node >> 29U));
}
[[nodiscard]] inline std::uint64_t finish_tail(std::uint64_t mixed) noexcept {
  return mixed == 0 ? 1 : mixed;
}

}  // namespace detail
}  // namespace warpsafe
