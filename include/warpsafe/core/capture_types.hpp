// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/cxx20.hpp>

#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// Selects which unsafe calls break a capture. Waiting for a stream of the capture, or querying it,
/// breaks the capture in every mode. The vendors' names are cudaStreamCaptureMode and
/// hipStreamCaptureMode.
enum class CaptureMode : std::uint8_t {
  global,   ///< an unsafe call of any thread: a wait, a query, allocating or freeing pinned memory
  thread,   ///< an unsafe call of the thread that began the capture
  relaxed,  ///< no unsafe call, unless it concerns a stream or event of the capture. Work on other
            ///< streams is meant to run outside of the graph
};

namespace detail {
/// The global mode finds unsafe calls of other threads. Without checks an operation sees a capture
/// only if it is open already, and one that another thread begins at that moment would break.
template <CheckLevel Level>
inline constexpr CaptureMode default_capture_mode =
    Level == CheckLevel::off ? CaptureMode::thread : CaptureMode::global;
}  // namespace detail

/// Whether a stream takes part in a capture.
enum class CaptureState : std::uint8_t {
  none,    ///< submitted work runs
  active,  ///< submitted work becomes part of a graph
  broken,  ///< a forbidden call was made: the graph is lost
};

/// A stream's position in a capture.
struct CaptureInfo {
  CaptureState state;
  std::uint64_t tail;    ///< identifies the nodes that the stream's next node will wait for: equal
                         ///< for equal sets of nodes; 0 if the runtime does not report them
  std::uint64_t id = 0;  ///< of the capture; 0: none, or it is broken
};

/// Why an executable graph cannot be updated from another graph.
enum class GraphChange : std::uint8_t {
  none,         ///< the update is possible
  topology,     ///< the number of nodes differs, or their dependencies do
  node_kind,    ///< a node is another kind of operation
  function,     ///< a kernel was replaced by one that this node cannot hold
  parameters,   ///< a parameter changed in a way that the runtime does not support
  unsupported,  ///< the runtime cannot update a node of this kind
  unknown,      ///< the runtime gives no reason
};

namespace detail {

/// Combines nodes into one number that does not depend on their order. finish_tail ends the
/// combination; its result is never 0.
[[nodiscard]] inline std::uint64_t mix_tail(std::uint64_t so_far, std::uint64_t node) noexcept {
  node = (node ^ (node >> 31U)) * 0x9e3779b97f4a7c15ULL;
  return so_far + (node ^ (node >> 29U));
}
[[nodiscard]] inline std::uint64_t finish_tail(std::uint64_t mixed) noexcept {
  return mixed == 0 ? 1 : mixed;
}

}  // namespace detail
}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
