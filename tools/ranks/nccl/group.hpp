// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "abi.hpp"
#include "device_events.hpp"

#include <utility>
#include <vector>

namespace warpsafe::ranks::nccl {

/// The calls between ncclGroupStart and ncclGroupEnd of one thread: the library submits them at the
/// outermost end. A call outside of a group is a group of one.
class Group {
 public:
  /// A destructor of the program may call after the thread's end has deleted the group: it gets
  /// another one.
  [[nodiscard]] static Group& of_thread() {
    thread_local Group* group = nullptr;
    struct AtEnd {
      ~AtEnd() {
        delete group;
        group = nullptr;
      }
    };
    if (group == nullptr) {
      group = new Group;
      thread_local const AtEnd at_end;
      static_cast<void>(at_end);
    }
    return *group;
  }
  void start(Recorder& recorder) {
    if (depth_++ == 0) number_ = recorder.new_group();
  }
  [[nodiscard]] std::uint32_t number() const noexcept { return depth_ == 0 ? 0 : number_; }
  [[nodiscard]] bool is_open() const noexcept { return depth_ != 0; }

  /// A record, and the mark of its stream, which is made once for each stream of the group.
  void add(Recorder& recorder, Record* record, void* stream, std::uint64_t which,
           const Buffers& buffers) {
    for (Stream& known : streams_) {
      if (known.handle != stream || known.mark.which_stream != which) continue;
      known.mark.records.push_back(record);
      DeviceEvents::of(recorder).add(known.mark, buffers);
      return;
    }
    streams_.push_back({stream, DeviceEvents::of(recorder).begin(stream, which, buffers)});
    streams_.back().mark.records.push_back(record);
  }
  /// A communicator that the library may fill in only at the end of the group.
  void add_new(Communicator* communicator, Comm* handle) {
    made_.emplace_back(communicator, handle);
  }

  /// True if this was the outermost end.
  [[nodiscard]] bool end() { return depth_ == 0 || --depth_ == 0; }

  /// The library took the calls, with this status.
  void submitted(Recorder& recorder, Status status) {
    for (Stream& stream : streams_) {
      if (status != success && status != in_progress) {
        for (Record* const record : stream.mark.records) Recorder::failed(record, status);
      }
      DeviceEvents::of(recorder).end(std::move(stream.mark), status == success);
    }
    streams_.clear();
  }
  [[nodiscard]] std::vector<std::pair<Communicator*, Comm*>> take_new() {
    return std::exchange(made_, {});
  }

 private:
  struct Stream {
    void* handle;
    DeviceEvents::Mark mark;
  };
  int depth_ = 0;
  std::uint32_t number_ = 0;
  std::vector<Stream> streams_;
  std::vector<std::pair<Communicator*, Comm*>> made_;
};

}  // namespace warpsafe::ranks::nccl
