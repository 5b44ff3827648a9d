// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/limit_fields.hpp>
#include <warpsafe/debug/detail/output_file.hpp>
#include <warpsafe/debug/run/detail/json.hpp>
#include <warpsafe/debug/run/run_record.hpp>
#include <warpsafe/error/message.hpp>

#include <cstdint>
#include <cstdio>
#include <string>

// A run as a file of JSON Lines: one object per line; the first describes the environment.
// docs/tools/compare-runs.md explains every field. tools/diff compares two such files.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

namespace detail {

/// The number of the format. It rises when a field changes its meaning or disappears, not when a
/// field is added.
inline constexpr std::uint32_t journal_format = 1;

inline void add_site(JsonObject& line, const call_site& site) {
  if (site.file == nullptr) return;
  line.add("file", site.file).add("line", site.line).add("function", site.function);
}

[[nodiscard]] inline std::string environment_line(const RunRecord& run) {
  const RunEnvironment& found = run.environment;
  JsonObject variables;
  for (const auto& [name, value] : found.variables) variables.add(name.c_str(), value);
  JsonObject line;
  line.add("warpsafe", std::to_string(WARPSAFE_VERSION_MAJOR) + '.' +
                           std::to_string(WARPSAFE_VERSION_MINOR) + '.' +
                           std::to_string(WARPSAFE_VERSION_PATCH))
      .add("format", journal_format)
      .add("started", found.started)
      .add("host", found.host)
      .add("compiler", found.compiler)
      .add("checks", found.level)
      .add("backend", found.backend)
      .add("driver", found.versions.driver)
      .add("runtime", found.versions.runtime)
      .add("toolkit", found.versions.toolkit)
      .add("launches", run.launches.size())
      .add("lost", run.lost)
      .add("incomplete", run.incomplete)
      .add("variables", variables);
  return line.text();
}
[[nodiscard]] inline std::string device_line(const DeviceLimits& limits) {
  JsonObject line;
  line.add("device", limits.device)
      .add("name", limits.name)
      .add("vendor", vendor_name(limits.vendor));
  for (const warpsafe::detail::NumberField& field : warpsafe::detail::device_limit_fields) {
    const std::uint64_t number = field.read(&limits);
    if (field.count == 3) {
      const std::uint32_t axes[3] = {static_cast<std::uint32_t>(number),
                                     static_cast<std::uint32_t>(field.read(&limits, 1)),
                                     static_cast<std::uint32_t>(field.read(&limits, 2))};
      line.add(field.name, axes);
    } else if (field.size == 1) {
      line.add(field.name, number != 0);
    } else {
      line.add(field.name, number);
    }
  }
  line.add("floored", limits.floored);
  return line.text();
}
[[nodiscard]] inline std::string launch_line(const RunLaunch& one) {
  const LaunchRecord& record = one.record;
  // Every member is named, so that a new one does not compile until it is handled here.
  const auto& [sequence, kernel, grid, block, dynamic_shared, stream, stream_number, device, vendor,
               state, options, priority, registers, max_threads_per_block, static_shared, cluster,
               site] = record;
  warpsafe::detail::left_out(options);  // record.has() reads them
  JsonObject line;
  line.add("launch", sequence)
      .add("kernel", kernel)
      .add("grid", grid)
      .add("block", block)
      .add("dynamic_shared", dynamic_shared)
      .add("static_shared", static_shared)
      .add("registers", registers)
      .add("max_threads_per_block", max_threads_per_block)
      .add("stream", stream)
      .add("stream_number", stream_number)
      .add("device", device)
      .add("vendor", vendor_name(vendor))
      .add("state", state_name(state));
  if (record.has(LaunchOption::cluster)) {
    const std::uint32_t axes[3] = {cluster[0], cluster[1], cluster[2]};
    line.add("cluster", axes);
  }
  if (record.has(LaunchOption::non_portable_cluster)) line.add("non_portable_cluster", true);
  if (record.has(LaunchOption::priority)) line.add("priority", std::int32_t{priority});
  if (record.has(LaunchOption::cooperative)) line.add("cooperative", true);
  if (record.has(LaunchOption::programmatic)) line.add("programmatic", true);
  if (one.begun != 0) {
    line.add("thread", one.thread)
        .add("begin_us", microseconds(one.begun))
        .add("end_us", microseconds(one.ended));
  }
  if (one.gpu_begun != 0) {
    line.add("gpu_begin_us", microseconds(one.gpu_begun))
        .add("gpu_end_us", microseconds(one.gpu_ended));
  }
  add_site(line, site);
  return line.text();
}
[[nodiscard]] inline std::string wait_line(const RunWait& one) {
  const WaitRecord& wait = one.wait;
  JsonObject line;
  line.add("wait", wait.what)
      .add("stream", wait.stream)
      .add("stream_number", wait.stream_number)
      .add("device", wait.device)
      .add("vendor", vendor_name(wait.vendor))
      .add("status", wait.status)
      .add("thread", one.thread)
      .add("begin_us", microseconds(wait.begun))
      .add("end_us", microseconds(wait.ended));
  add_site(line, wait.site);
  return line.text();
}
[[nodiscard]] inline std::string error_line(const RunError& one) {
  JsonObject line;
  line.add("error", describe(one.code))
      .add("code", static_cast<std::uint32_t>(one.code))
      .add("text", one.text)
      .add("after_launch", one.sequence)
      .add("device", one.device)
      .add("stream", one.stream)
      .add("thread", one.thread)
      .add("at_us", microseconds(one.at));
  return line.text();
}

}  // namespace detail

/// Writes `run` to an open file: the environment, the devices, the launches, the waits, the errors,
/// each in their order. Returns 0, or the errno of the failure. Does not close the file.
[[nodiscard]] inline int write_journal(const RunRecord& run, std::FILE* file) {
  detail::OutputFile out(file);
  out.line(detail::environment_line(run));
  for (const DeviceLimits& limits : run.environment.devices) out.line(detail::device_line(limits));
  for (const RunLaunch& one : run.launches) out.line(detail::launch_line(one));
  for (const RunWait& one : run.waits) out.line(detail::wait_line(one));
  for (const RunError& one : run.errors) out.line(detail::error_line(one));
  return out.finish();
}
/// Writes `run` to a file of that name, which is created or replaced. Only the user can read
/// a new file. Returns 0, or the errno of the failure; ELOOP, EMLINK, EEXIST, ENXIO: what has that
/// name is a link, has a second name, is another user's, or is a pipe or a disk.
[[nodiscard]] inline int write_journal(const RunRecord& run, const char* path) {
  return detail::write_to(path, [&](std::FILE* file) { return write_journal(run, file); });
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
