// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/capture_types.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/error/error.hpp>

#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

constexpr const char* graph_change_text(GraphChange change) noexcept {
  switch (change) {
    case GraphChange::topology:
      return "the new graph has other nodes or dependencies; instantiate() the new graph";
    case GraphChange::node_kind:
      return "a node became another kind of operation; instantiate() the new graph";
    case GraphChange::function:
      return "a node cannot take the kernel of the new graph; instantiate() the new graph";
    case GraphChange::parameters:
      return "a parameter changed in a way that cannot be updated; instantiate() the new graph";
    case GraphChange::none:
    case GraphChange::unsupported:
    case GraphChange::unknown:
      break;
  }
  return "the runtime cannot make this change; instantiate() the new graph";
}

/// What is wrong, in one clause: the value, the limit, and the remedy if it fits on the line. The
/// names of the error's fields stand in braces (put_field). `is_of_launch` becomes true if the code
/// concerns a launch or its configuration, not memory, a stream or a handle.
constexpr const char* reason_text(const LaunchError& error, bool& is_of_launch) noexcept {
  // The conditions by which a row may choose its text.
  const Subcode subcode = error.subcode;
  const bool in_x = error.axis == Axis::x;
  const bool block_each = subcode == Subcode::block_per_item;
  const bool on_device = error.device >= 0;
  const bool has_value = error.value != 0;
  const bool has_limit = error.limit != 0;
  // A number from 2^63 on is no size: a subtraction of unsigned numbers wrapped below 0.
  const bool wrapped = ((error.value | error.extra) >> 63U) != 0;
  const bool wrapped_extent = wrapped || (error.limit >> 63U) != 0;
  // The difference between elements and bytes.
  const bool by_element_size = error.extra > 1 && (error.value == error.limit * error.extra ||
                                                   error.limit == error.value * error.extra);
  const bool of_rows = error.axis == Axis::y;
  const bool of_compare = error.operation == Name::of("compare");
  const bool from_runtime = error.raw != 0;
  // A runtime's status, without the numbers that the row's own text would need.
  const bool unnumbered = from_runtime && !has_limit;
#define WARPSAFE_ERROR(number, name, meaning, reason) \
  case Errc::name:                                    \
    return reason;
  is_of_launch = true;
  switch (error.code) {
#include <warpsafe/error/detail/launch_rows.hpp>
    default:
      break;
  }
  is_of_launch = false;
  switch (error.code) {
#include <warpsafe/error/detail/runtime_rows.hpp>
    default:
      break;
  }
#undef WARPSAFE_ERROR
  return "";
}

// Fields in texts replace most `<<`: each `<<` costs a tenth of a millisecond of compile time in
// every translation unit that launches. Cold, because inlining takes a compiler three times as
// long.

[[WARPSAFE_DETAIL_RARE]] inline void put_device(TextBuffer& out,
                                                const LaunchError& error) noexcept {
  if (error.device < 0) {
    out << "this device";
    return;
  }
  out << "device " << error.device;
  if (!error.device_name.empty()) out << " '" << error.device_name << '\'';
}

/// Writes a kernel's name, in about half of the buffer: the names of templates can have thousands
/// of letters, and the reason comes behind them.
[[WARPSAFE_DETAIL_RARE]] inline void put_kernel(TextBuffer& out, Name kernel) noexcept {
  const std::size_t quarter = out.capacity() / 4;
  if (kernel.empty()) out << "(unnamed)";
  if (kernel.size > 2 * quarter) {
    out << Name{kernel.data, quarter} << "...";
    kernel = {kernel.data + (kernel.size - quarter), quarter};
  }
  out << kernel;
}

/// Writes a field that is a name. Returns false for another field.
[[WARPSAFE_DETAIL_RARE]] inline bool put_name(TextBuffer& out, Name field,
                                              const LaunchError& error) noexcept {
  const auto is = [&](const char* text) { return field == Name::of(text); };
  const Name* name = nullptr;
  if (is("kernel")) {
    put_kernel(out, error.kernel);
    return true;
  }
  if (is("operation")) {
    name = &error.operation;
  } else if (is("raw name") || (is("library") && error.raw_text.empty())) {
    name = &error.raw_name;
  } else if (is("runtime") || is("library")) {
    name = &error.raw_text;
  }
  if (name != nullptr) out << *name;
  return name != nullptr;
}

/// Writes a field that is a number. Returns false for another field.
[[WARPSAFE_DETAIL_RARE]] inline bool put_number(TextBuffer& out, Name field,
                                                const LaunchError& error) noexcept {
  const auto is = [&](const char* text) { return field == Name::of(text); };
  std::uint64_t number = error.value;
  if (is("limit")) {
    number = error.limit;
  } else if (is("argument") || is("parameter") || is("static") || is("free") ||
             is("third extent") || is("first") || is("element size")) {
    number = error.extra;
  } else if (is("held")) {
    number = error.held;
  } else if (is("rest")) {
    number = error.limit == 0 ? 0 : error.value % error.limit;
  } else if (is("dynamic")) {
    number = error.value - error.extra;
  } else if (is("below zero")) {
    if ((number >> 63U) == 0) number = (error.limit >> 63U) != 0 ? error.limit : error.extra;
    number = 0 - number;
  } else if (is("too many")) {
    number = error.value - error.limit;
  } else if (!is("value") && !is("elements")) {
    return false;
  }
  // An offset and a count of elements are sizes, which wrap below 0.
  if ((is("first") || is("elements")) && (number >> 63U) != 0) {
    out << '-';
    number = 0 - number;
  }
  out << number;
  return true;
}

/// Writes the field that a text names in braces. Any other name is written unchanged, in its
/// braces.
[[WARPSAFE_DETAIL_RARE]] inline void put_field(TextBuffer& out, Name field,
                                               const LaunchError& error) noexcept {
  if (put_number(out, field, error) || put_name(out, field, error)) return;
  const auto is = [&](const char* text) { return field == Name::of(text); };
  if (is("axis")) {
    out << axis_letter(error.axis);
  } else if (is("in axis")) {
    if (error.axis != Axis::none) out << " in " << axis_letter(error.axis);
  } else if (is("block")) {
    out << error.block;
  } else if (is("grid")) {
    out << error.grid;
  } else if (is("shared")) {
    // A count that has no valid number of bytes is written as the program gave it.
    const bool negative = error.code == Errc::shared_negative;
    const bool counted = negative || error.code == Errc::shared_overflow;
    if (negative) out << '-';
    out << (counted ? error.value : error.dynamic_shared);
    if (counted && error.limit != 1) out << " elements of " << error.limit;
    out << " bytes";
  } else if (is("on device") || is("owner")) {
    if (error.device >= 0) put_device(out << (is("owner") ? " of " : " on "), error);
    if (error.limit_is_floor) out << ", documented; the device reports none";
  } else if (is("device")) {
    put_device(out, error);
  } else if (is("ordinal")) {
    out << error.device;
  } else if (is("raw")) {
    out << error.raw;
  } else if (is("sm")) {
    if (error.value != 0) out << " (sm_" << error.value << ')';
  } else if (is("stream")) {
    out << error.stream;
  } else if (is("address")) {
    out << reinterpret_cast<const void*>(static_cast<std::uintptr_t>(error.value));
  } else {
    out << '{' << field << '}';
  }
}

/// Writes a text and fills in its fields.
[[WARPSAFE_DETAIL_RARE]] inline void put_text(TextBuffer& out, const char* text,
                                              const LaunchError& error) noexcept {
  for (; *text != '\0'; ++text) {
    if (*text != '{') {
      out << *text;
      continue;
    }
    const char* const field = ++text;
    while (*text != '}') ++text;
    put_field(out, {field, static_cast<std::size_t>(text - field)}, error);
  }
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
