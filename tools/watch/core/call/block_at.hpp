// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace warpsafe::watch {

/// Returns the entry whose block contains the address; the map's end if there is none. The map's
/// keys are the beginnings of blocks that do not overlap; `bytes_of(block)` returns a block's size.
template <class Map, class BytesOf>
[[nodiscard]] auto block_at(Map& blocks, std::uintptr_t address, const BytesOf& bytes_of)
    -> decltype(blocks.begin()) {
  const auto next = blocks.upper_bound(address);
  if (next == blocks.begin()) return blocks.end();
  const auto at = std::prev(next);
  return address - at->first < bytes_of(at->second) ? at : blocks.end();
}
/// The same for blocks with their size in `bytes`.
template <class Map>
[[nodiscard]] auto block_at(Map& blocks, std::uintptr_t address) -> decltype(blocks.begin()) {
  return block_at(blocks, address, [](const auto& block) -> std::size_t { return block.bytes; });
}

}  // namespace warpsafe::watch
