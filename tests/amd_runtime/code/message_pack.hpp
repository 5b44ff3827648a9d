// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace amd_code {

/// A MessagePack value, as far as code object metadata uses the format: no floating point and no
/// extension types. Text refers to the parsed bytes, which must outlive the value.
struct Packed {
  std::int64_t number = 0;    ///< of an integer or a boolean
  std::string_view text;      ///< of a string
  std::vector<Packed> items;  ///< of an array; of a map, its keys and values in turn
  bool is_map = false;

  /// @return the value at the key of a map, or null.
  const Packed* find(std::string_view key) const;

  /// @return the value that the bytes encode; an empty one where they do not parse.
  static Packed parse(const unsigned char* bytes, std::size_t size);
};

}  // namespace amd_code
