// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/core/limits.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

// The rows of limit_rows.hpp as data, for code that treats all limits alike.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// A field of a structure of numbers.
struct NumberField {
  const char* name;
  std::uint16_t offset;
  std::uint8_t size;   ///< bytes of one number; 1: a bool
  std::uint8_t count;  ///< 3: a number for each axis

  [[nodiscard]] std::uint64_t read(const void* structure, int axis = 0) const noexcept {
    const auto* const at = static_cast<const unsigned char*>(structure) + offset +
                           static_cast<std::size_t>(axis) * size;
    std::uint64_t wide = 0;
    std::uint32_t number = *at;
    if (size == sizeof number) __builtin_memcpy(&number, at, sizeof number);
    if (size == sizeof wide) __builtin_memcpy(&wide, at, sizeof wide);
    return size == sizeof wide ? wide : number;
  }
  [[gnu::always_inline]] void write(void* structure, std::uint64_t value,
                                    int axis = 0) const noexcept {
    auto* const at =
        static_cast<unsigned char*>(structure) + offset + static_cast<std::size_t>(axis) * size;
    const auto number = static_cast<std::uint32_t>(value);
    if (size == sizeof value) __builtin_memcpy(at, &value, sizeof value);
    if (size == sizeof number) __builtin_memcpy(at, &number, sizeof number);
    if (size == 1) *at = value != 0 ? 1 : 0;
  }
  /// Whether it is more than what a structure without values has.
  [[nodiscard]] bool is_set(const void* structure) const noexcept {
    std::uint64_t any = 0;
    for (int axis = 0; axis < count; ++axis) any |= read(structure, axis);
    return any != 0;
  }
};
template <class T>
[[nodiscard]] constexpr NumberField number_field(const char* name, std::size_t offset) noexcept {
  using One = std::remove_all_extents_t<T>;
  // NOLINTNEXTLINE(bugprone-sizeof-expression): one for a number, three for an array
  return {name, static_cast<std::uint16_t>(offset), sizeof(One), sizeof(T) / sizeof(One)};
}

#define WARPSAFE_DETAIL_FIELD(structure, name) \
  number_field<decltype(structure::name)>(#name, offsetof(structure, name))
inline constexpr NumberField device_limit_fields[] = {
#define WARPSAFE_DEVICE_LIMIT(type, name, cuda, hip) WARPSAFE_DETAIL_FIELD(DeviceLimits, name),
#include <warpsafe/core/limit_rows.hpp>
#undef WARPSAFE_DEVICE_LIMIT
};
inline constexpr NumberField kernel_limit_fields[] = {
#define WARPSAFE_KERNEL_LIMIT(type, name, member, attribute) \
  WARPSAFE_DETAIL_FIELD(KernelLimits, name),
#include <warpsafe/core/limit_rows.hpp>
#undef WARPSAFE_KERNEL_LIMIT
    WARPSAFE_DETAIL_FIELD(KernelLimits, resident_blocks),
    WARPSAFE_DETAIL_FIELD(KernelLimits, max_cluster_blocks)};
inline constexpr NumberField kernel_need_fields[] = {
#define WARPSAFE_KERNEL_NEED(type, name, joined) WARPSAFE_DETAIL_FIELD(KernelNeeds, name),
#include <warpsafe/core/limit_rows.hpp>
#undef WARPSAFE_KERNEL_NEED
    WARPSAFE_DETAIL_FIELD(KernelNeeds, index_assumed)};
#undef WARPSAFE_DETAIL_FIELD

/// Asks a runtime for attributes, by `ask(int& value, int attribute)`, which returns its status. An
/// attribute with the status `unknown` is 0: an older runtime does not know it, so it is not
/// reported. Any other status is a failure, and nothing more is asked.
template <class Ask>
class AttributeReader {
 public:
  [[gnu::always_inline]] AttributeReader(int unknown, const Ask& ask) noexcept
      : ask_(ask), unknown_(unknown) {}
  [[nodiscard, WARPSAFE_DETAIL_RARE]] std::uint32_t operator()(int attribute) noexcept {
    if (status_ != 0) return 0;
    int value = 0;
    status_ = ask_(value, attribute);
    if (status_ == unknown_) status_ = 0;
    return value > 0 ? static_cast<std::uint32_t>(value) : 0U;
  }
  [[nodiscard, gnu::always_inline]] int status() const noexcept { return status_; }

 private:
  const Ask& ask_;
  int unknown_;
  int status_ = 0;
};

/// Sets each limit that has an attribute to `ask(attribute)`. `attributes` are in the order of the
/// rows, -1 for none. The attributes of y and z follow that of x.
template <std::size_t N, class Ask>
[[WARPSAFE_DETAIL_RARE]] void read_limits(DeviceLimits& limits, const int (&attributes)[N],
                                          Ask& ask) noexcept {
  static_assert(N == sizeof device_limit_fields / sizeof *device_limit_fields);
  for (std::size_t i = 0; i < N; ++i) {
    const NumberField& field = device_limit_fields[i];
    for (int axis = 0; attributes[i] >= 0 && axis < field.count; ++axis) {
      field.write(&limits, ask(attributes[i] + axis), axis);
    }
  }
}

/// Writes the numbers that are not 0 as `name=4, name=(1,2,3)`, and each ability that is there as
/// `name`; "nothing" if there are none.
template <std::size_t N>
void put_numbers(TextBuffer& out, const void* structure, const NumberField (&fields)[N]) noexcept {
  const char* between = "";
  for (const NumberField& field : fields) {
    if (!field.is_set(structure)) continue;
    out << between << field.name;
    between = ", ";
    if (field.size == 1) continue;
    out << '=';
    if (field.count == 1) {
      out << field.read(structure);
      continue;
    }
    for (int axis = 0; axis < field.count; ++axis) {
      out << (axis == 0 ? '(' : ',') << field.read(structure, axis);
    }
    out << ')';
  }
  if (*between == '\0') out << "nothing";
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
