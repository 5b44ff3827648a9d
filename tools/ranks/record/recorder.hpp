// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "call_place.hpp"
#include "json_line.hpp"
#include "layout.hpp"
#include "of_process.hpp"
#include "operations.hpp"
#include "print_line.hpp"
#include "process.hpp"
#include "record_file.hpp"

#include <pthread.h>
#include <sys/stat.h>
#include <time.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpsafe::ranks {

[[nodiscard]] inline std::int64_t now_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// FNV-1a over the bytes of numbers. Two processes, of different builds, must agree.
[[nodiscard]] inline std::uint64_t mixed(std::uint64_t digest,
                                         std::initializer_list<std::uint64_t> numbers) noexcept {
  for (std::uint64_t number : numbers) {
    for (int byte = 0; byte < 8; ++byte, number >>= 8U) {
      digest = (digest ^ (number & 0xffU)) * 0x100000001b3U;
    }
  }
  return digest;
}
inline constexpr std::uint64_t first_digest = 0xcbf29ce484222325U;
[[nodiscard]] inline std::uint64_t mixed(std::string_view text) noexcept {
  std::uint64_t digest = first_digest;
  for (const char letter : text) digest = mixed(digest, {static_cast<unsigned char>(letter)});
  return digest;
}

/// What two members of a communicator must agree on, and what a reader sees of a call.
struct Call {
  Operation operation;
  std::uint64_t count = 0;
  std::string_view type = {};       ///< empty: none
  std::string_view reduction = {};  ///< empty: none
  std::int32_t root = -1;
  const void* stream = nullptr;
  /// Which of the streams that have had this handle or have it in another thread or context.
  std::uint64_t which_stream = 0;
  bool has_stream = false;
  void* from = nullptr;  ///< where the program's call returns to
  /// False: members may differ in count and type, as in MPI_Gatherv.
  bool same_count = true;
};

/// A communicator of the process. It stays in memory after its end: records refer to it.
struct Communicator {
  std::uint32_t number = 0;
  std::uint64_t digest = first_digest;
  /// How many communicators were made of this one: the same in each member.
  std::uint64_t children = 0;
  std::uint64_t identity = 0;
  /// Whether the record has the process's rank in it.
  std::atomic<bool> has_rank{false};
  std::atomic<int> rank{-1};
  std::atomic<int> size{-1};
  RecordFile<Record> file;
  RecordFile<ChecksumRecord> checksums;
  /// Messages by peer: sent, received.
  std::unordered_map<int, std::uint64_t> sent, received;
};

/// Writes the records of this process. All members can be called by any thread.
class Recorder {
 public:
  /// The library whose calls are recorded, as a part of the files' names: a process may load two.
  static const char* const kind;

  /// The process' recorder; nullptr: WARPSAFE_RANKS names no folder, or nothing can be written
  /// there. A child after a fork has a recorder of its own.
  [[nodiscard]] static Recorder* get() {
    Slot& slot = of_process<Slot>();
    const std::lock_guard lock(slot.mutex);
    if (!slot.tried) {
      slot.tried = true;
      slot.recorder = make();
    }
    return slot.recorder;
  }

  /// Adds a communicator and its file. `library` is "NCCL", "RCCL" or "MPI"; `parent` may be null.
  /// `rank` and `size` are -1 where they are not known yet (`joined` adds them).
  [[nodiscard]] Communicator* add_communicator(const char* library, std::uint64_t identity,
                                               const Communicator* parent, int rank, int size,
                                               void* from) {
    const std::uint32_t place = place_of(from);
    const std::lock_guard lock(mutex_);
    auto made = std::make_unique<Communicator>();
    made->number = static_cast<std::uint32_t>(communicators_.size() + 1);
    made->identity = identity;
    if (communicators_.size() >= most_communicators) {
      stop_once(
          "more than 1000 communicators were created, the limit of a record; reuse "
          "communicators, or record a shorter run");
    } else if (!stopped_ &&
               !made->file.create(path('.' + std::to_string(made->number) + ".collectives"),
                                  made->number)) {
      stop_once(problem());
    } else if (!stopped_ && checksums_ &&
               !made->checksums.create(path('.' + std::to_string(made->number) + ".checksums"),
                                       made->number)) {
      stop_once(problem());
    }
    made->rank = rank;
    made->size = size;
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(identity));
    write(JsonLine{}
              .add("communicator", made->number)
              .add("id", text)
              .add("library", library)
              .add("parent", parent == nullptr ? 0 : parent->number)
              .add("rank", rank)
              .add("size", size)
              .add("place", place)
              .add("at_ns", now_ns()));
    communicators_.push_back(std::move(made));
    return communicators_.back().get();
  }
  /// The communicator exists from now on, or its creation failed with `status`.
  void joined(Communicator& communicator, int rank, int size, int status) {
    const std::lock_guard lock(mutex_);
    communicator.has_rank = rank >= 0 && size >= 0;
    communicator.rank = rank;
    communicator.size = size;
    write(JsonLine{}
              .add("joined", communicator.number)
              .add("rank", rank)
              .add("size", size)
              .add("status", status)
              .add("at_ns", now_ns()));
  }
  void left(Communicator& communicator, const char* how) {
    const std::lock_guard lock(mutex_);
    communicator.file.close();
    communicator.checksums.close();
    write(JsonLine{}.add("left", communicator.number).add("how", how).add("at_ns", now_ns()));
  }

  /// True: checksums of what the collectives read and write are wanted.
  [[nodiscard]] bool has_checksums() const noexcept { return checksums_; }
  /// The checksums of device memory cannot be computed.
  void no_checksums(const std::string& why) {
    if (has_said_no_checksums_.exchange(true)) return;
    // Each process would say the same.
    if (process_.local_rank <= 0) {
      print_line("warpsafe: there are no checksums of device memory: " + why);
    }
    const std::lock_guard lock(mutex_);
    write(JsonLine{}.add("no_checksums", why).add("at_ns", now_ns()));
  }

  /// A collective begins; nullptr: it is not recorded. `checksums` gets the record for its
  /// checksums; nullptr: they are not wanted.
  [[nodiscard]] Record* begin(Communicator& communicator, const Call& call, std::uint32_t group,
                              ChecksumRecord*& checksums) {
    checksums = nullptr;
    const std::uint32_t place = place_of(call.from);
    const std::lock_guard lock(mutex_);
    communicator.digest =
        mixed(communicator.digest,
              {static_cast<std::uint64_t>(call.operation), call.same_count ? call.count : ~0ULL,
               call.same_count ? mixed(call.type) : 0, mixed(call.reduction),
               static_cast<std::uint64_t>(static_cast<std::int64_t>(call.root))});
    Record* const record = next(communicator.file);
    if (record == nullptr) return nullptr;
    if (communicator.checksums.is_open()) {
      checksums = communicator.checksums.append();
      if (checksums == nullptr) stop_once(problem());
    }
    record->digest = communicator.digest;
    record->count = call.count;
    record->place = place;
    record->operation = static_cast<std::uint16_t>(call.operation);
    record->type = word(call.type);
    record->reduction = word(call.reduction);
    record->root = call.root;
    record->stream = call.has_stream ? number_of(call.stream, call.which_stream) : 0;
    record->group = group;
    publish(*record);
    return record;
  }
  /// A message begins. `tag` is 0 with NCCL.
  [[nodiscard]] Record* begin_message(Communicator& communicator, bool is_send, int peer, int tag,
                                      const Call& call, std::uint32_t group,
                                      ChecksumRecord*& checksums) {
    checksums = nullptr;
    const std::uint32_t place = place_of(call.from);
    const std::lock_guard lock(mutex_);
    auto& counts = is_send ? communicator.sent : communicator.received;
    const std::uint64_t number = counts[peer]++;
    Record* const record = next(messages_);
    if (record == nullptr) return nullptr;
    if (message_checksums_.is_open()) {
      checksums = message_checksums_.append();
      if (checksums == nullptr) stop_once(problem());
    }
    record->digest = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(tag)) << 32U) | number;
    record->count = call.count;
    record->place = place;
    record->operation = is_send ? send_operation : receive_operation;
    record->type = word(call.type);
    record->reduction = static_cast<std::uint16_t>(communicator.number);
    record->root = peer;
    record->stream = call.has_stream ? number_of(call.stream, call.which_stream) : 0;
    record->group = group;
    publish(*record);
    return record;
  }
  static void submitted(Record* record) noexcept { set(record, State::submitted); }
  static void unwatched(Record* record) noexcept { set(record, State::unwatched); }
  static void failed(Record* record, int status) noexcept {
    if (record == nullptr) return;
    record->device_us = static_cast<float>(status);
    record->end_ns = now_ns();
    set(record, State::failed);
  }
  static void ended(Record* record, std::int64_t end_ns, float device_us) noexcept {
    // The status of a call that failed stands in the place of the time.
    if (record == nullptr || record->state.load() >= State::ended) return;
    record->device_us = device_us;
    record->end_ns = end_ns;
    set(record, State::ended);
  }
  [[nodiscard]] std::uint32_t new_group() noexcept { return ++groups_; }
  /// Says that the process lives: its messages' file has the time.
  void beat() noexcept {
    if (messages_.header() != nullptr) messages_.header()->heartbeat_ns.store(now_ns());
  }
  /// Called before the record of the process ends.
  void set_last_step(void (*step)(Recorder&)) { last_step_ = step; }
  void at_exit() {
    if (const auto step = last_step_.load()) step(*this);
    const std::lock_guard lock(mutex_);
    beat();
    write(JsonLine{}.add("exit", now_ns()));
  }

 private:
  struct Slot {
    std::mutex mutex;
    bool tried = false;
    Recorder* recorder = nullptr;  // never destroyed: threads may still call while the process ends
  };
  static constexpr std::size_t most_communicators = 1000;

  static Recorder* make() {
    const char* const folder = ::secure_getenv("WARPSAFE_RANKS");
    if (folder == nullptr || *folder == '\0') return nullptr;
    (void)::mkdir(folder, 0777);
    auto made = std::make_unique<Recorder>();
    made->process_ = Process::of_environment();
    made->stem_ = std::string(folder) + '/' + made->process_.file_stem() + '.' + kind;
    std::string path;
    const auto named = [&](const char* ending) { return path = made->path(ending); };
    if (!made->names_.create(named(".process"), O_WRONLY | O_APPEND) ||
        !made->messages_.create(named(".messages"), 0) ||
        (made->checksums_ && !made->message_checksums_.create(named(".message_checksums"), 0))) {
      const char* const why = problem();
      print_line("warpsafe: collectives are not recorded: " + path + ": " + why);
      return nullptr;
    }
    made->beat();
    made->write_header();
    std::atexit([] {
      Recorder* const recorder = of_process<Slot>().recorder;
      if (recorder != nullptr) recorder->at_exit();
    });
    return made.release();
  }
  [[nodiscard]] std::string path(const std::string& ending) const { return stem_ + ending; }

  void write_header() {
    char boot[64] = "";
    if (const int file = ::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
        file >= 0) {
      const ssize_t size = ::read(file, boot, sizeof boot - 1);
      boot[size > 0 ? static_cast<std::size_t>(size - 1) : 0] = '\0';
      ::close(file);
    }
    char program[1024] = "";
    const ssize_t size = ::readlink("/proc/self/exe", program, sizeof program - 1);
    program[size > 0 ? static_cast<std::size_t>(size) : 0] = '\0';
    write(JsonLine{}
              .add("warpsafe_ranks", 1)
              .add("host", process_.host)
              .add("boot", boot)
              .add("pid", ::getpid())
              .add("rank", process_.rank)
              .add("local_rank", process_.local_rank)
              .add("size", process_.size)
              .add("launcher", process_.launcher)
              .add("program", program)
              .add("operations", operation_names)
              .add("at_ns", now_ns()));
  }
  /// One write for one line: a reader never sees a part of two lines mixed.
  void write(const JsonLine& object) {
    const std::string line = object.line();
    const int names = names_.get();
    const watch::HeldSignals held;  // a limit of the file's size
    for (std::size_t done = 0; done < line.size();) {
      const ssize_t written = ::write(names, line.data() + done, line.size() - done);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) {
        stop_once(problem());
        return;
      }
      done += static_cast<std::size_t>(written);
    }
  }
  /// Recording ends, and the program goes on.
  void stop_once(const char* why) {
    if (stopped_) return;
    stopped_ = true;
    const watch::HeldSignals held;
    print_line("warpsafe: collectives are no longer recorded: " + stem_ + ": " + why);
    const std::string line = JsonLine{}.add("stopped", why).add("at_ns", now_ns()).line();
    // The disk may be full: then the reader sees a record that never ends.
    const int names = names_.get();
    if (names >= 0) (void)!::write(names, line.data(), line.size());
  }
  static const char* problem() noexcept {
    return errno == EBADF ? "the program has closed the record's file" : std::strerror(errno);
  }
  Record* next(RecordFile<Record>& file) {
    if (stopped_ || !file.is_open()) return nullptr;
    Record* const record = file.append();
    if (record == nullptr) {
      stop_once(problem());
      return nullptr;
    }
    record->order = order_++;
    record->begin_ns = now_ns();
    return record;
  }
  static void publish(Record& record) noexcept {
    record.state.store(State::begun, std::memory_order_release);
  }
  /// A state only grows: a call that failed inside of a group does not become submitted with it.
  static void set(Record* record, State state) noexcept {
    if (record != nullptr && record->state.load() < state) record->state.store(state);
  }
  /// The number of a type's or a reduction's name; 0: none.
  std::uint16_t word(std::string_view name) {
    if (name.empty()) return 0;
    const auto [entry, is_new] =
        words_.try_emplace(std::string(name), static_cast<std::uint16_t>(words_.size() + 1));
    if (is_new) write(JsonLine{}.add("word", entry->second).add("name", name));
    return entry->second;
  }
  std::uint32_t number_of(const void* stream, std::uint64_t which) {
    const auto [entry, is_new] =
        streams_.try_emplace({stream, which}, static_cast<std::uint32_t>(streams_.size() + 1));
    if (is_new) {
      char text[20];
      std::snprintf(text, sizeof text, "%p", stream);
      write(JsonLine{}.add("stream", entry->second).add("handle", text));
    }
    return entry->second;
  }
  std::uint32_t place_of(void* from) {
    if (from == nullptr) return 0;
    const ReturnAddresses stack = ReturnAddresses::of(from);
    const std::lock_guard lock(places_mutex_);
    std::vector<CallPlace> added;
    const std::uint32_t number = places_.number_of(from, stack, added);
    for (const CallPlace& place : added) {
      JsonLine line;
      line.add("place", place.number).add("object", place.object);
      if (place.line == 0) line.add("offset", static_cast<std::int64_t>(place.offset));
      if (place.line != 0) line.add("line", place.line);
      write(line.add("function", place.function).add("caller", place.caller));
    }
    return number;
  }

  std::mutex mutex_;
  std::mutex places_mutex_;
  Process process_;
  std::string stem_;
  OwnDescriptor names_;
  bool stopped_ = false;
  const bool checksums_ = ::secure_getenv("WARPSAFE_RANKS_CHECKSUMS") != nullptr;
  std::atomic<bool> has_said_no_checksums_{false};
  std::uint32_t order_ = 0;
  std::atomic<std::uint32_t> groups_{0};
  std::atomic<void (*)(Recorder&)> last_step_{nullptr};
  RecordFile<Record> messages_;
  RecordFile<ChecksumRecord> message_checksums_;
  std::vector<std::unique_ptr<Communicator>> communicators_;
  std::map<std::pair<const void*, std::uint64_t>, std::uint32_t> streams_;
  std::unordered_map<std::string, std::uint16_t> words_;
  CallPlaces places_;
};

}  // namespace warpsafe::ranks
