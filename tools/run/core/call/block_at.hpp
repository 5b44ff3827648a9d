// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace warpsafe::watch {

// Maps of blocks that do not overlap, by their beginnings.

/// The size of a block that has it in `bytes`.
inline constexpr auto bytes_of_block = [](const auto& block) -> std::size_t { return block.bytes; };

/// Returns the entry of the first block that ends behind the address; the map's end if there is
/// none. `bytes_of(block)` returns a block's size, which is not 0.
template <class Map, class BytesOf = decltype(bytes_of_block)>
[[nodiscard]] auto first_block_behind(Map& blocks, std::uintptr_t address,
                                      const BytesOf& bytes_of = bytes_of_block)
    -> decltype(blocks.begin()) {
  const auto next = blocks.upper_bound(address);
  if (next == blocks.begin()) return next;
  const auto at = std::prev(next);
  return address - at->first < bytes_of(at->second) ? at : next;
}
/// Returns the entry whose block contains the address; the map's end if there is none.
template <class Map, class BytesOf = decltype(bytes_of_block)>
[[nodiscard]] auto block_at(Map& blocks, std::uintptr_t address,
                            const BytesOf& bytes_of = bytes_of_block) -> decltype(blocks.begin()) {
  const auto at = first_block_behind(blocks, address, bytes_of);
  return at != blocks.end() && at->first <= address ? at : blocks.end();
}

}  // namespace warpsafe::watch
