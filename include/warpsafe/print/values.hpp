// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/capture_types.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/limit_fields.hpp>
#include <warpsafe/core/launch_shape.hpp>
#include <warpsafe/core/limits.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/debug/journal/launch_text.hpp>
#include <warpsafe/dims/bytes.hpp>
#include <warpsafe/dims/extent.hpp>
#include <warpsafe/dims/launch_options.hpp>
#include <warpsafe/dims/safe_grid.hpp>
#include <warpsafe/error/errc.hpp>
#include <warpsafe/error/message.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/kernel/kernel.hpp>
#include <warpsafe/launch/kernel_report.hpp>
#include <warpsafe/memory/memory_info.hpp>
#include <warpsafe/print/detail/print_text.hpp>
#include <warpsafe/print/memory.hpp>
#include <warpsafe/print/streams.hpp>
#include <warpsafe/stream/stream_ref.hpp>

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <type_traits>

// operator<< for the public types whose own headers have none, which keeps those headers light. Use
// it for logs and with GoogleTest, which prints the values of a failed comparison with it. A
// debugger shows the same text (packaging/gdb). Include it in all tests of a program or in none,
// because GoogleTest creates its printer of a type only once. Nothing here calls the runtime.
// print/debug_records.hpp prints the types of the debug tools.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

template <>
inline constexpr bool detail::is_printed_by_name<Errc> = true;
template <>
inline constexpr bool detail::is_printed_by_name<Subcode> = true;
template <>
inline constexpr bool detail::is_printed_by_name<Severity> = true;
template <>
inline constexpr bool detail::is_printed_by_name<Stage> = true;
template <>
inline constexpr bool detail::is_printed_by_name<Axis> = true;
template <>
inline constexpr bool detail::is_printed_by_name<Vendor> = true;
template <>
inline constexpr bool detail::is_printed_by_name<CheckLevel> = true;
template <>
inline constexpr bool detail::is_printed_by_name<Progress> = true;
template <>
inline constexpr bool detail::is_printed_by_name<MemoryKind> = true;
template <>
inline constexpr bool detail::is_printed_by_name<CopyKind> = true;
template <>
inline constexpr bool detail::is_printed_by_name<CaptureMode> = true;
template <>
inline constexpr bool detail::is_printed_by_name<CaptureState> = true;
template <>
inline constexpr bool detail::is_printed_by_name<GraphChange> = true;
template <>
inline constexpr bool detail::is_printed_by_name<GridPolicy> = true;
template <>
inline constexpr bool detail::is_printed_by_name<Provenance> = true;
template <>
inline constexpr bool detail::is_printed_by_name<OccupancyLimit> = true;

namespace detail {

template <int Along>
std::ostream& put_axis(std::ostream& out, const char* name, const AxisSize<Along>& size) {
  return out << name << '{' << (size.count.negative ? "-" : "") << size.count.magnitude << '}';
}
template <class T, std::size_t N>
std::ostream& print_numbers(std::ostream& out, const T& limits, const NumberField (&fields)[N]) {
  char buffer[1024];
  TextBuffer text(buffer, sizeof buffer);
  put_numbers(text, &limits, fields);
  return out << buffer;
}

}  // namespace detail

/// Prints `main.cpp:41`, the file without its folders.
inline std::ostream& operator<<(std::ostream& out, const call_site& site) {
  if (site.file == nullptr) return out << "nowhere";
  char buffer[512];
  detail::TextBuffer text(buffer, sizeof buffer);
  text << site;
  return out << buffer;
}

/// Prints an axis as in source code: `cols{40}`.
inline std::ostream& operator<<(std::ostream& out, const x& size) {
  return detail::put_axis(out, "x", size);
}
inline std::ostream& operator<<(std::ostream& out, const y& size) {
  return detail::put_axis(out, "y", size);
}
inline std::ostream& operator<<(std::ostream& out, const z& size) {
  return detail::put_axis(out, "z", size);
}
inline std::ostream& operator<<(std::ostream& out, const cols& size) {
  return detail::put_axis(out, "cols", size);
}
inline std::ostream& operator<<(std::ostream& out, const rows& size) {
  return detail::put_axis(out, "rows", size);
}
/// Prints (x,y,z).
inline std::ostream& operator<<(std::ostream& out, const Index3& index) {
  return out << '(' << index.x << ',' << index.y << ',' << index.z << ')';
}

/// Prints a launch option as a launch's error does: `shared=64 bytes`; an invalid count unchanged:
/// `shared=-3 elements of 4 bytes`.
template <class T>
std::ostream& operator<<(std::ostream& out, const DynamicShared<T>& shared) {
  const LaunchError wrong = shared.problem();
  if (wrong.code == Errc{}) return out << "shared=" << shared.bytes();
  return out << "shared=" << (wrong.code == Errc::shared_negative ? "-" : "") << wrong.value
             << " elements of " << sizeof(T) << " bytes";
}
inline std::ostream& operator<<(std::ostream& out, const cooperative_t&) {
  return out << "cooperative";
}
inline std::ostream& operator<<(std::ostream& out, const dependent_launch_t&) {
  return out << "dependent_launch";
}
inline std::ostream& operator<<(std::ostream& out, const priority& option) {
  return out << "priority=" << option.value;
}
template <std::uint32_t X, std::uint32_t Y, std::uint32_t Z>
std::ostream& operator<<(std::ostream& out, const NonPortableCluster<X, Y, Z>&) {
  return out << "cluster=(" << X << ',' << Y << ',' << Z << "), not portable";
}
/// Prints `grid=(4,1,1), block=(256,1,1), shared=0 bytes` and the other options.
inline std::ostream& operator<<(std::ostream& out, const LaunchShape& shape) {
  detail::put_axes(out << "grid=", shape.grid);
  detail::put_axes(out << ", block=", shape.block);
  out << ", shared=" << shape.dynamic_shared << " bytes";
  if (shape.has_cluster) detail::put_axes(out << ", cluster=", shape.cluster);
  if (shape.non_portable_cluster) out << ", not portable";
  if (shape.has_priority) out << ", priority=" << shape.priority;
  if (shape.cooperative) out << ", cooperative";
  return out << (shape.programmatic ? ", dependent_launch" : "");
}

/// Prints the declared needs: `max_threads=256, index_max=2147483647, index_assumed`.
inline std::ostream& operator<<(std::ostream& out, const KernelNeeds& needs) {
  return detail::print_numbers(out, needs, detail::kernel_need_fields);
}
/// Prints `kernel 'scale'`, with the name as in errors.
template <Provenance Where, auto Fn, class... Needs>
std::ostream& operator<<(std::ostream& out, const BasicKernel<Where, Fn, Needs...>& kernel) {
  return out << "kernel '" << kernel.name() << '\'';
}
/// Prints `kernel entry 0x55d0c8 with 3 parameters`.
inline std::ostream& operator<<(std::ostream& out, const KernelEntry& entry) {
  out << "kernel entry ";
  detail::put_address(out, entry.function);
  return out << " with " << entry.parameter_count << " parameters";
}
/// Prints `8 bytes, aligned to 8, a pointer that is written through`.
inline std::ostream& operator<<(std::ostream& out, const ParameterInfo& parameter) {
  out << parameter.size << " bytes, aligned to " << parameter.alignment;
  if (!parameter.is_pointer) return out;
  return out << ", a pointer that is " << (parameter.writes ? "written" : "read") << " through";
}

/// Prints the device's limits in one line.
inline std::ostream& operator<<(std::ostream& out, const DeviceLimits& limits) {
  char buffer[1024];
  debug::format_limits(limits, buffer, sizeof buffer);
  return out << buffer;
}
/// Prints the driver's limits of a kernel in one line.
inline std::ostream& operator<<(std::ostream& out, const KernelLimits& limits) {
  if (!limits.known) return out << "not known: the driver was not asked";
  return detail::print_numbers(out, limits, detail::kernel_limit_fields);
}
/// Prints the two lines of format_occupancy.
inline std::ostream& operator<<(std::ostream& out, const Occupancy& occupancy) {
  char buffer[1024];
  format_occupancy(occupancy, buffer, sizeof buffer);
  return out << buffer;
}
/// Prints `10 of 100 bytes free, 20 held by this program`.
inline std::ostream& operator<<(std::ostream& out, const MemoryInfo& memory) {
  return out << memory.free << " of " << memory.total << " bytes free, " << memory.held
             << " held by this program";
}
/// Prints the state: `active`.
inline std::ostream& operator<<(std::ostream& out, const CaptureInfo& info) {
  return out << info.state;
}

/// Prints the value if it can be printed, else `a value`; or the error. As exact in the stream as
/// the printers of the value, to which a result converts for its sentence alone.
template <class Stream, class T>
requires requires { typename Stream::char_type; }
Stream& operator<<(Stream& out, const result<T>& made) {
  if (!made.has_value()) {
    out << detail::UnwrapWithTryOrValue::error_in(made);
  } else if constexpr (std::is_void_v<T>) {
    out << "success";
  } else if constexpr (requires { out << detail::UnwrapWithTryOrValue::value_in(made); }) {
    out << detail::UnwrapWithTryOrValue::value_in(made);
  } else {
    out << "a value";
  }
  return out;
}
/// Prints the error's text.
inline std::ostream& operator<<(std::ostream& out, const LaunchException& exception) {
  return out << exception.what();
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
