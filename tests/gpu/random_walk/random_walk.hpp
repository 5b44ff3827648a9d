// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/error/message.hpp>
#include <warpsafe/graph.hpp>
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/copy.hpp>
#include <warpsafe/memory/managed_buffer.hpp>
#include <warpsafe/memory/memory_info.hpp>
#include <warpsafe/memory/pinned_buffer.hpp>
#include <warpsafe/memory/pitched_buffer.hpp>
#include <warpsafe/warpsafe.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

// Threads that take steps at random: streams that come and go, memory that is written, read,
// copied, freed and handed to another thread, captures with forks, and graphs that run again. All
// elements of a buffer have one value, which the walk also computes on the host. The program is
// correct: it orders its work by events, and each call must succeed. So a wrong element is an error
// of the library or of the vendor.

namespace warpsafe::random_walk {

using Word = std::uint32_t;

struct Options {
  std::uint64_t seed = 1;
  unsigned threads = 4;
  unsigned steps = 800;
  unsigned most_bits = 16;   ///< buffers have 2^4 to 2^this elements
  int devices = 1;           ///< each can access the memory of the others
  bool graph_memory = true;  ///< captures allocate memory
  bool computes = true;      ///< kernels run, so that what memory holds is known
  /// Default streams of the calling thread's current device, which are not captured.
  std::vector<default_backend::native_stream> default_streams;
};

WARPSAFE_KERNEL void fill(DeviceSpan<Word> out, Word value) {
  for (auto i : grid_stride(out.size())) out[i] = value;
}
WARPSAFE_KERNEL void add(DeviceSpan<Word> out, Word value) {
  for (auto i : grid_stride(out.size())) out[i] += value;
}
WARPSAFE_KERNEL void add_other(DeviceSpan<Word> out, DeviceSpan<const Word> in) {
  for (auto i : grid_stride(out.size())) out[i] += in[i % in.size()];
}

/// Memory, and what each of its elements is once the work before has ended.
struct Slot {
  DeviceBuffer<Word> buffer;
  Word value = 0;
  std::uint64_t number = 0;    ///< unique in the walk
  std::size_t stream = 0;      ///< of its thread's, on which its last use is,
  std::optional<Event> after;  ///< unless it has this event behind that use
};
/// A copy to the host on its way.
struct Download {
  Pending<std::vector<Word>> pending;
  Word value;
};

/// A change of memory that a graph makes at each launch.
struct Change {
  enum Kind { filled, added, added_other, copied } kind;
  std::uint64_t target;
  std::uint64_t source;
  Word amount;
  bool forked;
};
struct Kept {
  ExecutableGraph exec;
  std::vector<Change> changes;
  bool again;  ///< it may be launched again
};
/// A graph with the memory that it changes.
struct Whole {
  Kept graph;
  std::list<Slot> slots;
};
/// What another thread only destroys.
using Left = std::variant<Stream, Event, Graph, ExecutableGraph, ManagedBuffer<Word>,
                          PitchedBuffer<Word>, Pending<PinnedBuffer<Word>>>;

/// What threads give to one another.
struct Box {
  std::mutex mutex;
  std::list<Slot> slots;
  std::list<Download> downloads;
  std::list<Whole> graphs;
  std::list<Left> left;
};

/// The value. Throws the error's text.
template <class Outcome>
auto value(Outcome&& outcome, const char* what) {
  if (!outcome.has_value()) {
    throw std::runtime_error(std::string(what) + ": " + message(outcome.error()));
  }
  return std::forward<Outcome>(outcome).value();
}
inline void done(const result<void>& outcome, const char* what) {
  if (!outcome.has_value()) {
    throw std::runtime_error(std::string(what) + ": " + message(outcome.error()));
  }
}

/// The result of a copy that nobody reads would be reported.
inline void discard(Left& left) {
  if (auto* const copied = std::get_if<Pending<PinnedBuffer<Word>>>(&left)) {
    done(std::move(*copied).discard(), "discard");
  }
}

class Walker {
 public:
  /// `borrowed`: a stream of device 0, which outlives everything of the walk.
  Walker(const Options& options, unsigned thread, default_backend::native_stream borrowed, Box& box,
         std::atomic<bool>& failed)
      : options_(options),
        box_(box),
        failed_(failed),
        random_(options.seed * 1000 + thread),
        numbers_(std::uint64_t{thread} << 32U),
        borrowed_(value(StreamRef::borrow(borrowed, DeviceId(0)), "borrow")) {}

  /// Throws what fails. `step`: how far it came.
  void walk(unsigned& step) {
    const int device = pick(options_.devices);
    const DeviceGuard guard = value(DeviceGuard::create(DeviceId(device)), "guard");
    for (std::size_t i = 0; i < owned_streams; ++i) owned_[i].emplace(new_stream());
    for (const auto stream : options_.default_streams) {
      defaults_.push_back(value(StreamRef::borrow(stream, DeviceId(device)), "borrow"));
    }
    for (; step < options_.steps && !failed_; ++step) take_step();
    while (!downloads_.empty()) look_at(downloads_.begin());
    for (Slot& slot : slots_) check_all(slot);
  }

  /// After a second device has used a pool's memory, CUDA's driver hangs at the end of a thread
  /// whose per-thread stream still has work.
  ~Walker() {
    for (const StreamRef each : defaults_) static_cast<void>(each.synchronize());
  }
  Walker(const Walker&) = delete;
  Walker& operator=(const Walker&) = delete;

 private:
  static constexpr std::size_t owned_streams = 4;
  static constexpr std::size_t capturable_streams = owned_streams + 1;
  static constexpr std::size_t most_slots = 6;

  template <class Count>
  [[nodiscard]] Count pick(Count count) {
    return static_cast<Count>(random_() % static_cast<std::uint64_t>(count));
  }
  [[nodiscard]] bool once_in(unsigned count) { return pick(count) == 0; }

  [[nodiscard]] Stream new_stream() {
    return value(Stream::create(DeviceId(pick(options_.devices))), "new stream");
  }
  [[nodiscard]] StreamRef stream(std::size_t i) const {
    if (i < owned_streams) return owned_[i]->ref();
    return i == owned_streams ? borrowed_ : defaults_[i - capturable_streams];
  }
  [[nodiscard]] std::size_t any_stream() { return pick(capturable_streams + defaults_.size()); }
  [[nodiscard]] Slot* find(std::uint64_t number) {
    const auto at = std::ranges::find(slots_, number, &Slot::number);
    return at == slots_.end() ? nullptr : &*at;
  }
  template <class Each>
  [[nodiscard]] auto any_of(std::list<Each>& all) {
    return std::next(all.begin(), pick(std::ssize(all)));
  }
  [[nodiscard]] Slot* any_slot() { return slots_.empty() ? nullptr : &*any_of(slots_); }

  [[nodiscard]] Event record(std::size_t on) {
    const DeviceGuard guard = value(DeviceGuard::create(stream(on).device()), "guard");
    return value(stream(on).record(), "record");
  }
  /// Makes this stream's next work come after the memory's last use.
  void use(Slot& slot, std::size_t on) {
    if (!slot.after && slot.stream == on) return;
    leave(slot);
    done(wait(stream(on), *slot.after), "wait");
    slot.after.reset();
    slot.stream = on;
  }
  void leave(Slot& slot) {
    if (!slot.after) slot.after.emplace(record(slot.stream));
  }

  [[nodiscard]] static auto threads_for(const Slot& slot) {
    return SafeGrid<>::cover(slot.buffer.size(), block<64>);
  }
  void submit(const Change& change, std::size_t on) {
    Slot& target = *find(change.target);
    const StreamRef there = stream(on);
    const DeviceGuard guard = value(DeviceGuard::create(there.device()), "guard");
    const auto config = threads_for(target);
    switch (change.kind) {
      case Change::filled:
        if (change.amount == 0) return done(target.buffer.zero(there), "zero");
        return done(launch(there, config, kernel<fill>, target.buffer.view(), change.amount),
                    "fill");
      case Change::added:
        return done(launch(there, config, kernel<add>, target.buffer.view(), change.amount), "add");
      case Change::added_other:
        return done(launch(there, config, kernel<add_other>, target.buffer.view(),
                           std::as_const(find(change.source)->buffer).view()),
                    "add other");
      case Change::copied:
        return done(
            copy(there, from(std::as_const(find(change.source)->buffer)), to(target.buffer)),
            "copy");
    }
  }
  void apply(const Change& change) {
    Word& target = find(change.target)->value;
    switch (change.kind) {
      case Change::filled:
        target = change.amount;
        return;
      case Change::added:
        target += change.amount;
        return;
      case Change::added_other:
        target += find(change.source)->value;
        return;
      case Change::copied:
        target = find(change.source)->value;
        return;
    }
  }
  [[nodiscard]] std::optional<Change> any_change(bool captured) {
    const Slot* const target = any_slot();
    const Slot* const source = any_slot();
    if (target == nullptr) return std::nullopt;
    Change change{static_cast<Change::Kind>(pick(4)), target->number, source->number,
                  once_in(3) ? 0 : static_cast<Word>(random_()), once_in(3)};
    if (change.kind == Change::filled || change.kind == Change::added) return change;
    if (source == target) change.kind = Change::added;
    // A copy between two devices cannot be captured.
    if (change.kind == Change::copied &&
        (source->buffer.size() != target->buffer.size() || (captured && options_.devices > 1))) {
      change.kind = Change::added_other;
    }
    return change;
  }

  void take_step() {
    switch (const int what = pick(100); what / 5) {
      case 0:
      case 1:
      case 2:
        return make();
      case 3:
        return drop();
      case 4:
        return replace_stream();
      case 5:
        return give();
      case 6:
        return take();
      case 7:
        return download();
      case 8:
        return upload();
      case 9:
        leave_behind();
        return downloads_.empty() ? wait_for_one() : look_at(any_of(downloads_));
      case 10:
      case 11:
      case 12:
        return capture_some();
      case 13:
      case 14:
        return launch_again();
      default:
        return change_one();
    }
  }

  void make() {
    if (slots_.size() >= most_slots) return;
    const std::size_t on = any_stream();
    const std::size_t size = std::size_t{1} << (4 + pick(options_.most_bits - 3));
    const auto written = static_cast<Word>(random_());
    auto buffer =
        once_in(2)
            ? value(DeviceBuffer<Word>::create(stream(on), size), "create")
            : value(DeviceBuffer<Word>::from(stream(on), std::vector<Word>(size, written)), "from");
    slots_.push_back({std::move(buffer), written, ++numbers_, on, std::nullopt});
    submit({Change::filled, numbers_, 0, written, false}, on);
  }
  void drop() {
    if (slots_.empty()) return;
    const auto one = any_of(slots_);
    if (once_in(2)) done(one->buffer.close(), "close");
    slots_.erase(one);
  }
  void replace_stream() {
    const std::size_t i = pick(owned_streams);
    for (Slot& slot : slots_) {
      if (slot.stream == i) leave(slot);
    }
    if (once_in(2)) leave_to_others(std::move(*owned_[i]));
    if (once_in(2)) owned_[i].reset();  // so that the next one may get its handle
    owned_[i].emplace(new_stream());
  }
  void change_one() {
    const auto change = any_change(false);
    if (!change) return;
    const std::size_t on = any_stream();
    use(*find(change->target), on);
    use(*find(change->source), on);
    submit(*change, on);
    apply(*change);
  }
  void wait_for_one() { done(stream(any_stream()).synchronize(), "synchronize"); }

  template <class T>
  void leave_to_others(T object) {
    const std::lock_guard lock(box_.mutex);
    box_.left.emplace_back(std::move(object));
  }
  /// Objects whose work may be on its way on two streams.
  void leave_behind() {
    const std::size_t on = any_stream();
    const std::size_t other = any_stream();
    const auto ordered = [&] { done(wait(stream(other), record(on)), "wait"); };
    const auto fills = [&](std::size_t there, const auto& span) {
      const DeviceGuard guard = value(DeviceGuard::create(stream(there).device()), "guard");
      done(launch(stream(there), SafeGrid<>::cover(64, block<64>), kernel<fill>, span, 1U), "fill");
    };
    switch (pick(4)) {
      case 0: {
        auto managed = value(ManagedBuffer<Word>::create(stream(on), 64), "managed");
        fills(on, managed.view());
        ordered();
        fills(other, managed.view());
        return leave_to_others(std::move(managed));
      }
      case 1: {
        auto matrix =
            value(PitchedBuffer<Word>::create(stream(on), extent{rows{4}, cols{16}}), "pitched");
        ordered();
        done(matrix.zero(stream(other)), "zero");
        return leave_to_others(std::move(matrix));
      }
      case 2:
        return leave_to_others(record(on));
      default: {
        Slot* const slot = any_slot();
        if (slot == nullptr) return;
        use(*slot, on);
        auto pinned = value(PinnedBuffer<Word>::create(slot->buffer.size()), "pinned");
        return leave_to_others(copy(stream(on), from(slot->buffer), to(std::move(pinned))));
      }
    }
  }

  [[nodiscard]] bool is_whole(const Kept& kept) {
    return std::ranges::all_of(kept.changes, [&](const Change& change) {
      return find(change.target) != nullptr && find(change.source) != nullptr;
    });
  }
  /// Another thread will launch the graph.
  void give_graph() {
    if (kept_.empty()) return;
    const auto kept = any_of(kept_);
    if (!kept->again || !is_whole(*kept)) return;
    Whole given{std::move(*kept), {}};
    kept_.erase(kept);
    const auto is_given = [&](const Slot& slot) {
      return std::ranges::any_of(given.graph.changes, [&](const Change& change) {
        return change.target == slot.number || change.source == slot.number;
      });
    };
    for (auto slot = slots_.begin(); slot != slots_.end();) {
      const auto next = std::next(slot);
      if (is_given(*slot)) {
        leave(*slot);
        given.slots.splice(given.slots.end(), slots_, slot);
      }
      slot = next;
    }
    const std::lock_guard lock(box_.mutex);
    box_.graphs.push_back(std::move(given));
  }
  void give() {
    if (once_in(2)) give_graph();
    if (slots_.empty()) return;
    const auto one = any_of(slots_);
    leave(*one);
    const std::lock_guard lock(box_.mutex);
    box_.slots.splice(box_.slots.end(), slots_, one);
    if (!downloads_.empty()) {
      box_.downloads.splice(box_.downloads.end(), downloads_, downloads_.begin());
    }
  }
  void take() {
    std::list<Left> left;
    take_from_box(left);
    for (Left& each : left) discard(each);
  }
  void take_from_box(std::list<Left>& left) {
    const std::lock_guard lock(box_.mutex);
    left.swap(box_.left);
    if (!box_.graphs.empty() && slots_.size() < most_slots) {
      Whole& whole = box_.graphs.front();
      slots_.splice(slots_.end(), whole.slots);
      kept_.push_back(std::move(whole.graph));
      box_.graphs.pop_front();
    }
    if (!box_.slots.empty() && slots_.size() < most_slots) {
      slots_.splice(slots_.end(), box_.slots, box_.slots.begin());
    }
    if (!box_.downloads.empty()) {
      downloads_.splice(downloads_.end(), box_.downloads, box_.downloads.begin());
    }
  }

  void check(const std::vector<Word>& read, Word wanted) const {
    if (!options_.computes) return;
    const auto right = std::ranges::count(read, wanted);
    if (right == std::ssize(read)) return;
    throw std::runtime_error(std::to_string(std::ssize(read) - right) + " of " +
                             std::to_string(read.size()) + " elements are wrong");
  }
  void check_all(Slot& slot) {
    const std::size_t on = any_stream();
    use(slot, on);
    check(value(slot.buffer.to_host(stream(on)).get(), "to_host"), slot.value);
  }
  void download() {
    Slot* const slot = any_slot();
    if (slot == nullptr) return;
    const std::size_t on = any_stream();
    use(*slot, on);
    downloads_.push_back({slot->buffer.to_host(stream(on)), slot->value});
    if (downloads_.size() > 4) look_at(downloads_.begin());
  }
  void look_at(std::list<Download>::iterator one) {
    check(value(std::move(one->pending).get(), "get"), one->value);
    downloads_.erase(one);
  }
  void upload() {
    Slot* const slot = any_slot();
    if (slot == nullptr) return;
    const std::size_t on = any_stream();
    use(*slot, on);
    auto pinned = value(PinnedBuffer<Word>::create(slot->buffer.size()), "pinned");
    slot->value = static_cast<Word>(random_());
    std::ranges::fill(pinned.span(), slot->value);
    auto sent = copy(stream(on), from(std::move(pinned)), to(slot->buffer));
    if (once_in(2))
      static_cast<void>(value(std::move(sent).get(), "sent"));
    else
      done(std::move(sent).discard(), "discard");
  }

  /// The changes as work of a capture of `on`, some of them on another stream in between.
  result<void> fork_and_submit(const std::vector<Change>& changes, std::size_t on,
                               std::size_t fork) {
    for (const Change& change : changes) {
      if (!change.forked || fork == on) {
        submit(change, on);
        continue;
      }
      WARPSAFE_TRYV(wait(stream(fork), record(on)));
      submit(change, fork);
      WARPSAFE_TRYV(wait(stream(on), record(fork)));
    }
    return success();
  }
  void capture_some() {
    std::vector<Change> changes;
    for (int i = pick(5); i >= 0; --i) {
      if (const auto change = any_change(true)) changes.push_back(*change);
    }
    const std::size_t on = pick(capturable_streams);
    const std::size_t fork = pick(capturable_streams);
    for (const Change& change : changes) {
      use(*find(change.target), on);
      use(*find(change.source), on);
    }
    const bool makes = options_.graph_memory && slots_.size() < most_slots && once_in(3);
    const std::size_t size = std::size_t{1} << (4 + pick(options_.most_bits - 3));
    const CaptureMode modes[] = {CaptureMode::thread, CaptureMode::relaxed, CaptureMode::global};
    const auto body = [&](Capture& open) -> result<void> {
      if (once_in(3)) drop_beside(changes);
      if (once_in(4)) WARPSAFE_TRYV(open.keep(std::make_shared<int>(0)));
      if (once_in(4) && !changes.empty()) {
        WARPSAFE_TRYV(open.keep(find(changes.front().target)->buffer.keep()));
      }
      if (makes) {
        WARPSAFE_TRY(auto buffer, DeviceBuffer<Word>::create(stream(on), size));
        slots_.push_back({std::move(buffer), 0, ++numbers_, on, std::nullopt});
        const Change first{Change::filled, numbers_, 0, static_cast<Word>(random_()), once_in(2)};
        changes.insert(changes.begin(), first);
        if (changes.size() > 1) {
          changes.push_back({Change::added_other, numbers_, changes[1].target, 0, once_in(2)});
        }
      }
      return fork_and_submit(changes, on, fork);
    };
    // During a capture of mode global, no thread may wait.
    const CaptureMode mode = modes[pick(options_.threads == 1 ? 3 : 2)];
    if (!makes && once_in(6)) return lose(body, on, mode);
    auto graph = value(capture(stream(on), body, mode), "capture");
    kept_.push_back({value(graph.instantiate(), "instantiate"), std::move(changes), !makes});
    if (once_in(4)) leave_to_others(std::move(graph));
    launch_graph(kept_.back(), makes || once_in(2) ? on : any_stream());
    if (!makes && once_in(4)) {
      Kept& kept = kept_.back();
      for (Change& change : kept.changes) change.amount += change.amount == 0 ? 0 : 2;
      for (Change& change : kept.changes)
        use(*find(change.target), on), use(*find(change.source), on);
      done(recapture(
               kept.exec, stream(on),
               [&](Capture&) { return fork_and_submit(kept.changes, on, fork); }, mode),
           "recapture");
      launch_graph(kept, any_stream());
    }
    if (kept_.size() > 3) kept_.pop_front();
  }
  /// Captures the work and drops it, sometimes because a call broke the capture.
  template <class Body>
  void lose(const Body& body, std::size_t on, CaptureMode mode) {
    auto open = value(Capture::begin(stream(on), mode), "capture begin");
    done(body(open), "capture");
    if (once_in(2)) return open.discard();
    // The runtime refuses it, and the capture with it.
    static_cast<void>(default_backend::stream_synchronize(stream(on).native()));
    if (std::move(open).end().has_value()) throw std::runtime_error("a broken capture ended well");
  }
  /// Frees memory that the changes do not use.
  void drop_beside(const std::vector<Change>& changes) {
    slots_.remove_if([&](const Slot& slot) {
      return once_in(3) && std::ranges::none_of(changes, [&](const Change& change) {
               return change.target == slot.number || change.source == slot.number;
             });
    });
  }
  void launch_graph(Kept& kept, std::size_t on) {
    for (const Change& change : kept.changes) {
      use(*find(change.target), on);
      if (change.source != 0) use(*find(change.source), on);
    }
    done(kept.exec.launch(stream(on)), "graph launch");
    for (const Change& change : kept.changes) apply(change);
  }
  void launch_again() {
    if (kept_.empty()) return;
    const auto kept = any_of(kept_);
    if (kept->again && is_whole(*kept)) return launch_graph(*kept, any_stream());
    if (once_in(2)) return;
    if (once_in(2)) leave_to_others(std::move(kept->exec));
    kept_.erase(kept);
  }

  const Options& options_;
  Box& box_;
  std::atomic<bool>& failed_;
  std::mt19937_64 random_;
  std::uint64_t numbers_;
  std::array<std::optional<Stream>, owned_streams> owned_;
  StreamRef borrowed_;
  std::vector<StreamRef> defaults_;
  std::list<Slot> slots_;
  std::list<Download> downloads_;
  std::list<Kept> kept_;
};

[[nodiscard]] inline std::string walk_with(
    const Options& options, const std::vector<default_backend::native_stream>& borrowed) {
  Box box;
  std::atomic<bool> failed = false;
  std::string first;
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < options.threads; ++thread) {
    threads.emplace_back([&, thread] {
      unsigned steps = 0;
      try {
        Walker(options, thread, borrowed[thread], box, failed).walk(steps);
      } catch (const std::exception& error) {
        const std::lock_guard lock(mutex);
        if (!failed.exchange(true)) {
          first = "seed " + std::to_string(options.seed) + ", thread " + std::to_string(thread) +
                  ", step " + std::to_string(steps) + ": " + error.what();
        }
      }
    });
  }
  for (std::thread& each : threads) each.join();
  for (Download& left : box.downloads) static_cast<void>(std::move(left.pending).discard());
  for (Left& left : box.left) discard(left);
  return first;
}

/// The memory that the library has not freed.
[[nodiscard]] inline std::uint64_t bytes_held(int devices) {
  std::uint64_t sum = 0;
  for (int device = 0; device < devices; ++device) {
    sum += value(memory_info(DeviceId(device)), "memory info").held;
  }
  return sum;
}

/// Walks in as many threads as the options say. Returns what failed first, or nothing.
[[nodiscard]] inline std::string walk(const Options& options) {
  std::vector<default_backend::native_stream> borrowed(options.threads);
  for (auto& each : borrowed) {
    if (default_backend::stream_create(each, 0) != 0) return "a stream cannot be created";
  }
  const std::uint64_t before = bytes_held(options.devices);
  const std::string failed = walk_with(options, borrowed);
  int status = 0;
  for (const auto& each : borrowed) {
    // Makes the frees that a capture of another stream has postponed.
    static_cast<void>(
        DeviceBuffer<Word>::create(value(StreamRef::borrow(each, DeviceId(0)), "borrow"), 16));
    if (status == 0) status = default_backend::stream_destroy(each);
  }
  if (!failed.empty()) return failed;
  if (bytes_held(options.devices) > before) return "memory is never freed";
  return status != 0 ? "a stream cannot be destroyed" : "";
}

}  // namespace warpsafe::random_walk
