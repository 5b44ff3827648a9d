// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/debug/detail/output_file.hpp>
#include <warpsafe/debug/run/detail/json.hpp>
#include <warpsafe/debug/run/run_record.hpp>
#include <warpsafe/error/message.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

namespace detail {

/// Writes a run in the Trace Event Format ("Trace Event Format", a page of the Chromium project),
/// which Perfetto and chrome://tracing open. Times are in microseconds. The host is one process
/// with a row per thread; each device is a process with a row per stream. A row's number (tid) is
/// unique in the whole trace and not 0. Perfetto treats equal numbers as the same thread, even in
/// different processes, and drops overlapping slices. It treats thread 0 as the idle thread.
class TraceWriter {
 public:
  TraceWriter(const RunRecord& run, std::FILE* file) : run_(run), out_(file) {}

  [[nodiscard]] int write() {
    out_.line(R"({"displayTimeUnit":"ns","traceEvents":[)");
    name_process(host, "host");
    for (const RunLaunch& one : run_.launches) launch(one);
    for (const RunWait& one : run_.waits) wait(one);
    for (const RunError& one : run_.errors) error(one);
    out_.line("\n]}");
    return out_.finish();
  }

 private:
  static constexpr std::uint32_t host = 1;
  static constexpr std::uint32_t first_device = 2;
  static constexpr std::uint32_t first_thread = 1;
  static constexpr std::uint32_t first_stream = 1000000;

  struct Row {
    Vendor vendor;
    std::int32_t device;
    std::uint64_t number;  ///< of the stream
  };

  void event(const JsonObject& fields) {
    if (!first_) out_.write(",\n", 2);
    first_ = false;
    const std::string text = fields.text();
    out_.write(text.data(), text.size());
  }
  [[nodiscard]] static JsonObject begin(const char* phase, std::uint32_t process, std::uint32_t row,
                                        Name name) {
    JsonObject made;
    made.add("ph", phase).add("pid", process).add("tid", row).add("name", name);
    return made;
  }
  void meta(const char* what, std::uint32_t process, std::uint32_t row, const std::string& name) {
    JsonObject arguments;
    arguments.add("name", name);
    event(begin("M", process, row, Name::of(what)).add("args", arguments));
  }
  void name_process(std::uint32_t process, const std::string& name) {
    meta("process_name", process, 0, name);
  }
  /// A device's process number. Names the process when the device first appears.
  [[nodiscard]] std::uint32_t process_of(Vendor vendor, std::int32_t device) {
    const std::pair<Vendor, std::int32_t> wanted(vendor, device);
    std::size_t i = 0;
    while (i < devices_.size() && devices_[i] != wanted) ++i;
    const std::uint32_t process = first_device + static_cast<std::uint32_t>(i);
    if (i < devices_.size()) return process;
    devices_.push_back(wanted);
    std::string name = std::string(vendor_name(vendor)) + " device " + std::to_string(device);
    for (const DeviceLimits& limits : run_.environment.devices) {
      if (limits.device == device && limits.vendor == vendor) {
        name += " '" + std::string(limits.name.data, limits.name.size) + '\'';
      }
    }
    name_process(process, name);
    return process;
  }
  /// A stream's row. Names the row when the stream first appears.
  [[nodiscard]] std::uint32_t row_of(Vendor vendor, std::int32_t device, const void* stream,
                                     std::uint64_t number) {
    std::size_t i = 0;
    while (i < rows_.size() &&
           !(rows_[i].vendor == vendor && rows_[i].device == device && rows_[i].number == number)) {
      ++i;
    }
    const std::uint32_t row = first_stream + static_cast<std::uint32_t>(i);
    if (i < rows_.size()) return row;
    rows_.push_back({vendor, device, number});
    char name[64];
    std::snprintf(name, sizeof name, "stream %zu (%p)", i, stream);
    meta("thread_name", process_of(vendor, device), row, name);
    return row;
  }
  /// A thread's row. Names the row when the thread first appears.
  [[nodiscard]] std::uint32_t row_of(std::uint32_t thread) {
    while (threads_ <= thread) {
      meta("thread_name", host, first_thread + threads_, "thread " + std::to_string(threads_));
      ++threads_;
    }
    return first_thread + thread;
  }
  static void add_place(JsonObject& arguments, const call_site& site) {
    if (site.file != nullptr) {
      arguments.add("at", site.file + (':' + std::to_string(site.line)));
    }
  }
  void launch(const RunLaunch& one) {
    if (one.begun == 0) return;  // only the journal knows it: no times
    const LaunchRecord& record = one.record;
    const std::uint32_t process = process_of(record.vendor, record.device);
    const std::uint32_t row =
        row_of(record.vendor, record.device, record.stream, record.stream_number);
    const bool timed = one.gpu_begun != 0;
    JsonObject arguments;
    arguments.add("number", record.sequence)
        .add("grid", record.grid)
        .add("block", record.block)
        .add("dynamic_shared", record.dynamic_shared)
        .add("registers", record.registers)
        .add("state", state_name(record.state))
        .add("time", timed ? "of the GPU" : "of the launch on the host: no events were on");
    add_place(arguments, record.site);
    const std::uint32_t thread = row_of(one.thread);
    event(begin("X", host, thread, record.kernel)
              .add("ts", microseconds(one.begun))
              .add("dur", microseconds(one.ended - one.begun))
              .add("cat", "launch")
              .add("args", arguments));
    if (record.state == LaunchState::refused) return;
    // On an idle stream, the event before a kernel happens before the launch itself.
    const std::uint64_t begun = timed && one.gpu_begun > one.begun ? one.gpu_begun : one.begun;
    const std::uint64_t ended = timed ? one.gpu_ended : one.ended;
    event(begin("X", process, row, record.kernel)
              .add("ts", microseconds(begun))
              .add("dur", microseconds(ended > begun ? ended - begun : 0))
              .add("cat", "kernel")
              .add("args", arguments));
    if (!timed) return;
    // An arrow from the launch to its kernel.
    event(begin("s", host, thread, Name::of("launch"))
              .add("cat", "flow")
              .add("id", record.sequence)
              .add("ts", microseconds(one.begun)));
    event(begin("f", process, row, Name::of("launch"))
              .add("cat", "flow")
              .add("id", record.sequence)
              .add("bp", "e")
              .add("ts", microseconds(begun)));
  }
  void wait(const RunWait& one) {
    const WaitRecord& wait = one.wait;
    JsonObject arguments;
    arguments.add("stream", wait.stream).add("status", wait.status);
    add_place(arguments, wait.site);
    event(begin("X", host, row_of(one.thread), wait.what)
              .add("ts", microseconds(wait.begun))
              .add("dur", microseconds(wait.ended - wait.begun))
              .add("cat", "wait")
              .add("args", arguments));
    if (wait.stream == nullptr) return;
    const std::uint32_t row = row_of(wait.vendor, wait.device, wait.stream, wait.stream_number);
    event(begin("i", process_of(wait.vendor, wait.device), row, Name::of("waited for"))
              .add("ts", microseconds(wait.ended))
              .add("s", "t")
              .add("args", arguments));
  }
  void error(const RunError& one) {
    JsonObject arguments;
    arguments.add("text", one.text).add("after_launch", one.sequence);
    event(begin("i", host, row_of(one.thread), Name::of(describe(one.code)))
              .add("ts", microseconds(one.at))
              .add("s", "t")
              .add("cat", "error")
              .add("args", arguments));
  }

  const RunRecord& run_;
  OutputFile out_;
  bool first_ = true;
  std::uint32_t threads_ = 0;
  std::vector<std::pair<Vendor, std::int32_t>> devices_;
  std::vector<Row> rows_;
};

}  // namespace detail

/// Writes `run` as a trace for a timeline viewer (ui.perfetto.dev, chrome://tracing). Threads and
/// streams are rows, launches and waits are slices, ends of waits and errors are instants. Kernels
/// appear at the GPU's times if the recorder measured them, otherwise at their launch. Returns 0,
/// or the errno of the failure. Does not close the file.
[[nodiscard]] inline int write_trace(const RunRecord& run, std::FILE* file) {
  return detail::TraceWriter(run, file).write();
}
/// Writes to a file of that name, which is created or replaced. Only the user can read a new file.
/// ELOOP, EMLINK, EEXIST, ENXIO: what has that name is a link, has a second name, is another
/// user's, or is a pipe or a disk.
[[nodiscard]] inline int write_trace(const RunRecord& run, const char* path) {
  return detail::write_to(path, [&](std::FILE* file) { return write_trace(run, file); });
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
