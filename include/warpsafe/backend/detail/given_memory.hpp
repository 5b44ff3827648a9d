// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/element_type.hpp>

#include <cstdint>
#include <cstring>

// The memory that a launch gives to its kernel: behind pointers and spans, and inside structures.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// In place of a number of bytes or elements that is not known.
inline constexpr std::uint64_t unknown_extent = ~std::uint64_t{0};

/// Device memory that a kernel reaches through a structure.
struct MemoryPlace {
  std::uint32_t offset;         ///< of the address in the structure, in bytes
  std::uint32_t element_bytes;  ///< the number of elements follows the address; 0: it is not known
  std::uint32_t flag;  ///< the byte so far behind the address is 0 if there is none; 0: always
  bool writes;
  bool is_matrix;  ///< a PitchedSpan: the pitch, the rows and the columns follow
  bool is_table;   ///< the elements are no numbers, and may hold addresses
};
/// The device memory that a structure holds.
struct InnerMemory {
  const MemoryPlace* places;
  std::uint32_t count;
};

/// Memory that a launch gives to its kernel.
struct GivenMemory {
  const void* address;      ///< not nullptr
  std::uint64_t bytes;      ///< of each row; `unknown_extent`: the address has no size
  std::uint32_t parameter;  ///< from 0
  bool writes;
  bool is_inner;  ///< the parameter is a structure that holds the address
  bool is_table;  ///< the elements are no numbers, and may hold addresses
  std::uint64_t rows = 1;
  std::uint64_t pitch = 0;  ///< bytes from one row to the next
};
/// Sets where the matrix of a PitchedSpan is. Returns false if it has no elements.
[[nodiscard]] inline bool locate_matrix(const void* span, std::uint32_t element_bytes,
                                        GivenMemory& memory) noexcept {
  std::uint64_t words[4];  // the address, the pitch, the rows and the columns
  std::memcpy(words, span, sizeof words);
  memory.bytes = words[3] * element_bytes;
  memory.rows = words[2];
  memory.pitch = words[1];
  return memory.rows != 0 && memory.bytes != 0;
}
/// Calls `visit` with the memory inside the structure at `value`, which is parameter `number`.
template <class Visit>
void each_inner_memory(const InnerMemory& inner, const void* value, std::uint32_t number,
                       const Visit& visit) {
  for (std::uint32_t i = 0; i < inner.count; ++i) {
    const MemoryPlace& place = inner.places[i];
    const auto* const at = static_cast<const unsigned char*>(value) + place.offset;
    if (place.flag != 0 && at[place.flag] == 0) continue;
    const bool is_span = place.element_bytes != 0 && !place.is_matrix;
    std::uint64_t span[2] = {};  // the address, and the number of elements
    std::memcpy(span, at, is_span ? sizeof span : sizeof span[0]);
    // A span without elements may point anywhere.
    if (span[0] == 0 || (is_span && span[1] == 0)) continue;
    GivenMemory memory{reinterpret_cast<const void*>(span[0]),
                       is_span ? span[1] * place.element_bytes : unknown_extent,
                       number,
                       place.writes,
                       true,
                       place.is_table};
    if (place.is_matrix && !locate_matrix(at, place.element_bytes, memory)) continue;
    visit(memory);
  }
}
/// Calls `visit` with the memory behind each pointer and span of a launch, also with that in
/// structures. The bytes behind a parameter that begins with its address are known only of a
/// PitchedSpan.
template <class Visit>
void each_memory(const KernelEntry& entry, void* const* args, const Visit& visit) {
  for (std::uint32_t i = 0; i < entry.parameter_count; ++i) {
    const ParameterInfo& parameter = entry.parameters[i];
    if (parameter.inner != nullptr) each_inner_memory(parameter.inner(), args[i], i, visit);
    if (!parameter.is_pointer || parameter.size < sizeof(void*)) continue;
    const void* address = nullptr;  // a span begins with its pointer
    std::memcpy(&address, args[i], sizeof address);
    if (address == nullptr) continue;
    if (parameter.size == sizeof(std::uint64_t[2])) {  // a DeviceSpan: the elements follow
      std::uint64_t span[2];
      std::memcpy(span, args[i], sizeof span);
      if (span[1] == 0) continue;  // it may point anywhere
    }
    const bool is_table = parameter.element == ElementType::bytes;
    GivenMemory memory{address, unknown_extent, i, parameter.writes, false, is_table};
    const bool is_matrix = parameter.matrix_element_bytes != 0;
    if (is_matrix && !locate_matrix(args[i], parameter.matrix_element_bytes, memory)) continue;
    visit(memory);
  }
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
