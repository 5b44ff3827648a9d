// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../kernel/kernel_name.hpp"
#include "../launch/observed_launch.hpp"
#include "../options.hpp"
#include "../place/host_stack.hpp"
#include "suspect.hpp"
#include <warpsafe/core/launch_record.hpp>
#include <warpsafe/debug/journal/journal_reader.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// A launch of a later run under --rerun that is not known to have ended.
struct OpenLaunch {
  std::uint64_t sequence = 0;
  LaunchRecord record{};
  std::uint64_t ordinal = 0;
  bool is_graph = false;
  HostStack stack{};         ///< of the launch
  std::string node{};        ///< the node of the graph that runs, with its number; empty: all of it
  std::string node_shape{};  ///< of a kernel node; else empty
  std::string why{};         ///< why the graph's nodes do not run one by one; empty: they do
  bool has_company = false;  ///< before it, the work of a stream had not ended in time
};

/// What a process knows of the runs of --rerun. The first run keeps which launch of its kernel each
/// launch is, and writes the suspects of a fault into a file. A later run waits after each launch
/// that is a suspect, so that at most these are running when a fault arrives. Thread-safe.
class Rerun {
 public:
  explicit Rerun(const Options& options) : run_(options.rerun), folder_(options.rerun_folder) {
    if (run_ != 0) static_cast<void>(::stat(folder_.c_str(), &folder_is_));
    if (run_ == 1) ordinals_.resize(debug::Journal::capacity);
    if (run_ == with_suspects) read_suspects();
  }
  [[nodiscard]] bool on() const noexcept { return run_ != 0; }
  /// Whether this run waits after launches.
  [[nodiscard]] bool waits() const noexcept { return run_ >= with_suspects; }
  /// Whether this run waits after each launch, and no further run follows.
  [[nodiscard]] bool is_last() const noexcept { return run_ > with_suspects; }

  /// Call when a launch has its number; `ordinal` counts the launches of its kernel.
  void launching(ObservedLaunch& seen, std::uint64_t ordinal) noexcept {
    seen.ordinal = ordinal;
    if (!waits()) {
      Ordinal& place = ordinals_[seen.record.sequence % ordinals_.size()];
      __atomic_store_n(&place.of, ordinal, __ATOMIC_RELAXED);
      __atomic_store_n(&place.sequence, seen.record.sequence, __ATOMIC_RELEASE);
      return;
    }
    seen.waits = is_last() || is_suspect(seen);
  }
  /// Whether a launch of a kernel or graph of that name is a suspect.
  [[nodiscard]] bool has_suspect(std::string_view name) const noexcept {
    return is_last() || names_.find(name) != names_.end();
  }

  /// Call before the wait before a launch: until it is opened, the runtime has not received it. May
  /// throw std::bad_alloc.
  void held(std::uint64_t sequence) {
    const std::lock_guard lock(mutex_);
    held_.insert(sequence);
  }
  /// Call before the runtime receives a launch for which this run waits. May throw std::bad_alloc.
  void opened(OpenLaunch launch) {
    const std::lock_guard lock(mutex_);
    held_.erase(launch.sequence);
    open_.push_back(std::move(launch));
  }
  /// Call when the nodes of an open launch of a graph are not launched one by one.
  void whole(std::uint64_t sequence, const std::string& why) {
    const std::lock_guard lock(mutex_);
    for (OpenLaunch& one : open_) {
      if (one.sequence != sequence) continue;
      one.node.clear();
      one.node_shape.clear();
      one.why = why;
    }
  }
  /// Call when an open launch of a graph begins with its next node.
  void at_node(std::uint64_t sequence, const std::string& node, const std::string& shape) {
    const std::lock_guard lock(mutex_);
    for (OpenLaunch& one : open_) {
      if (one.sequence != sequence) continue;
      one.node = node;
      one.node_shape = shape;
    }
  }
  /// Call when the launch has ended without a fault.
  void closed(std::uint64_t sequence) {
    const std::lock_guard lock(mutex_);
    std::erase_if(open_, [&](const OpenLaunch& one) { return one.sequence == sequence; });
  }
  /// Returns the launches that may have caused a fault of a device (-1: unknown): those after which
  /// the wait took too long may have ended since. May throw std::bad_alloc.
  [[nodiscard]] std::vector<OpenLaunch> open(std::int32_t device) {
    const std::lock_guard lock(mutex_);
    std::erase_if(open_, [&](const OpenLaunch& one) { return has_ended(one.record); });
    std::vector<OpenLaunch> found = open_;
    std::erase_if(
        found, [&](const OpenLaunch& one) { return device >= 0 && one.record.device != device; });
    return found;
  }
  /// Whether other launches may run on the device beside these. The runtime may have received one
  /// whose call has not returned.
  [[nodiscard]] bool others_run(const std::vector<OpenLaunch>& open, std::int32_t device) {
    const debug::JournalReader flying(&debug::is_in_flight);
    const std::lock_guard lock(mutex_);
    return std::any_of(flying.begin(), flying.end(), [&](const LaunchRecord& one) {
      return held_.find(one.sequence) == held_.end() && !has_ended(one) &&
             (device < 0 || one.device == device) &&
             std::none_of(open.begin(), open.end(),
                          [&](const OpenLaunch& ours) { return ours.sequence == one.sequence; });
    });
  }
  /// Call when the launches on a stream (KnownStreams::number_of) up to that number have ended. May
  /// throw std::bad_alloc.
  void ended(std::uint64_t stream, std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    std::uint64_t& last = ended_[stream];
    last = std::max(last, number);
  }

  /// Call when a wait for a stream has ended. `in_time`: with its work. Otherwise later waits are
  /// short. May throw std::bad_alloc.
  void waited(std::uint64_t stream, bool in_time) {
    const std::lock_guard lock(mutex_);
    if (in_time) {
      slow_.erase(stream);
    } else {
      slow_.insert(stream);
    }
  }
  [[nodiscard]] bool is_slow(std::uint64_t stream) {
    const std::lock_guard lock(mutex_);
    return slow_.find(stream) != slow_.end();
  }

  /// Writes a first run's suspects of one more fault. May throw std::bad_alloc.
  void suspected(std::span<const LaunchRecord> suspects) {
    std::vector<Suspect> found;
    for (const LaunchRecord& one : suspects) {
      const Ordinal& place = ordinals_[one.sequence % ordinals_.size()];
      if (__atomic_load_n(&place.sequence, __ATOMIC_ACQUIRE) != one.sequence) continue;
      found.push_back(suspect_of(one, __atomic_load_n(&place.of, __ATOMIC_RELAXED)));
    }
    write(std::move(found), false);
  }
  /// Writes the launches that a later run has found.
  void found(const std::vector<OpenLaunch>& launches, bool is_exact) {
    std::vector<Suspect> all;
    for (const OpenLaunch& one : launches) all.push_back(suspect_of(one.record, one.ordinal));
    write(std::move(all), is_exact);
  }

 private:
  static constexpr int with_suspects = 2;
  struct Ordinal {
    std::uint64_t sequence = 0;
    std::uint64_t of = 0;
  };

  [[nodiscard]] static Suspect suspect_of(const LaunchRecord& record, std::uint64_t ordinal) {
    Suspect made;
    made.ordinal = ordinal;
    made.device = record.device;
    made.kernel = single_line({record.kernel.data, record.kernel.size});
    if (record.grid[0] != 0) {
      const auto dims = [](const std::uint32_t(&axes)[3]) {
        return '(' + std::to_string(axes[0]) + ',' + std::to_string(axes[1]) + ',' +
               std::to_string(axes[2]) + ')';
      };
      made.shape = "grid=" + dims(record.grid) + ", block=" + dims(record.block) +
                   ", shared=" + std::to_string(record.dynamic_shared) + " bytes";
    }
    return made;
  }
  /// @pre mutex_
  [[nodiscard]] bool has_ended(const LaunchRecord& record) const {
    const auto found = ended_.find(record.stream_number);
    return found != ended_.end() && record.sequence <= found->second;
  }
  /// Opens the folder; -1: it is gone, although another one may have its name. It is not kept open:
  /// the program may close all files, and give the number to its own.
  [[nodiscard]] int open_folder() const noexcept {
    const int folder = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat now {};
    if (folder < 0 || (::fstat(folder, &now) == 0 && now.st_dev == folder_is_.st_dev &&
                       now.st_ino == folder_is_.st_ino && now.st_uid == folder_is_.st_uid)) {
      return folder;
    }
    ::close(folder);
    return -1;
  }
  void write(std::vector<Suspect> more, bool is_exact) {
    const std::lock_guard lock(mutex_);
    written_.is_exact = written_.is_exact || is_exact;
    written_.suspects.insert(written_.suspects.end(), more.begin(), more.end());
    const std::string name = std::to_string(run_) + '.' + std::to_string(::getpid());
    const int folder = open_folder();
    const int file =
        ::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (folder >= 0) ::close(folder);
    if (file < 0) return;  // the folder is gone: nobody waits for it
    const std::string text = written_.text();
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t done = ::write(file, text.data() + at, text.size() - at);
      if (done <= 0) break;
      at += static_cast<std::size_t>(done);
    }
    ::close(file);
  }
  void read_suspects() {
    std::ifstream file(folder_ + '/' + SuspectFile::all, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (Suspect& one : SuspectFile::parse(text).suspects) {
      names_.insert(one.kernel);
      wanted_.emplace(std::move(one.kernel), one.device, one.ordinal);
    }
  }
  [[nodiscard]] bool is_suspect(const ObservedLaunch& seen) const noexcept {
    try {
      const Name name = seen.launch.kernel->name_view();
      const std::string kernel = single_line({name.data, name.size});
      return names_.find(kernel) != names_.end() &&
             wanted_.find({kernel, seen.launch.device, seen.ordinal}) != wanted_.end();
    } catch (...) {  // out of memory: no wait
      return false;
    }
  }

  const int run_;
  const std::string folder_;
  struct stat folder_is_ {};         ///< when the process began
  std::vector<Ordinal> ordinals_{};  ///< by the launch's number
  std::set<std::string, std::less<>> names_{};
  std::set<std::tuple<std::string, std::int32_t, std::uint64_t>> wanted_{};
  std::mutex mutex_{};
  std::vector<OpenLaunch> open_{};
  std::set<std::uint64_t> held_{};  ///< numbers of launches that the runtime has not received
  std::map<std::uint64_t, std::uint64_t> ended_{};  ///< up to which number, by stream
  std::set<std::uint64_t> slow_{};                  ///< streams
  SuspectFile written_{};
};

}  // namespace warpsafe::watch
