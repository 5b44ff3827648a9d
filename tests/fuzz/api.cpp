// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The library's calls on the host backend. The input is a program: each call is a few bytes.
// Claims: the library accepts a call exactly if the model (api_model.hpp) does, moved-from and
// closed objects included. What is read back is what the model holds. An error has a text of one
// paragraph for each of its lines. At the end, no memory and no stream is left, and no work failed.

#include "api_model.hpp"
#include "fuzz.hpp"
#include <warpsafe/error/format.hpp>
#include <warpsafe/graph.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/warpsafe.hpp>

#include <array>
#include <deque>
#include <mutex>

using namespace warpsafe;
using namespace warpsafe::fuzz;

WARPSAFE_KERNEL void mix(DeviceSpan<Word> out, DeviceSpan<const Word> in, Word add) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = out[i] * 5 + add + (in.empty() ? 0 : in[i % in.size()]);
  }
}

namespace {

/// Runs all operations in the order of their submission, at the program's next call.
class InOrder final : public host::Scheduler {
 public:
  explicit InOrder(host::Runtime& runtime) : runtime_(runtime) {}
  void begin_call(host::Lock& lock) override {
    if (running_) return;
    running_ = true;
    while (!submitted_.empty()) {
      host::StreamState* const stream = submitted_.front();
      submitted_.pop_front();
      require(stream->runnable(), "the oldest operation cannot run");
      runtime_.run_front(*stream, lock);
    }
    running_ = false;
  }
  void submitted(host::StreamState& stream, host::Operation&) override {
    submitted_.push_back(&stream);
  }
  void finish(host::Lock& lock, host::Operations) override { begin_call(lock); }
  void known_done(host::Operations) override {}
  [[nodiscard]] bool host_knows(const host::Operation& operation) const override {
    return operation.done;
  }
  void known_pending() override {}
  bool hands_out_again() override { return false; }
  bool reuses_handle() override { return false; }
  void empty_wait(host::StreamState&) override {}
  void touched(const MemoryAccess&) override {}
  void destroyed(host::StreamState&) override {}
  void forgotten(const host::StreamState&) override {}
  void refused(const host::StreamState*) override {}

 private:
  host::Runtime& runtime_;
  std::deque<host::StreamState*> submitted_;
  bool running_ = false;
};

using Buffer = DeviceBuffer<Word>;
using View = DeviceView<Word>;
using Token = Pending<std::vector<Word>>;

/// As the vendors' dim3, which may hold numbers that no launch accepts.
struct Extents {
  std::uint32_t x;
  std::uint32_t y = 1;
  std::uint32_t z = 1;
};

class Program {
 public:
  explicit Program(Input input) : input_(input) {}
  void run() {
    for (int steps = 0; !input_.empty() && steps < 200; ++steps) step();
    end();
  }

 private:
  /// Whether to print the calls, to read a finding.
  [[nodiscard]] static bool shown() {
    static const bool asked = std::getenv("WS_FUZZ_SHOW") != nullptr;
    return asked;
  }
  /// Compares the library's answer with the model's.
  template <class Result>
  bool check(const char* call, const Result& outcome, bool expected) {
    if (shown())
      std::fprintf(stderr, "%s: %s\n", call, outcome.has_value() ? "accepted" : "refused");
    if (!outcome.has_value()) {
      const LaunchError error = outcome.assume_error();
      require(error.code != Errc{}, "an error without a code");
      char text[4096];
      require(format_error(error, text, sizeof text) != 0, "an error without a text");
      require(!has_control(text, true), "a control character in an error");
      if (expected) fail(std::string(call) + " is refused, and the model accepts it: " + text);
      return false;
    }
    if (!expected) fail(std::string(call) + " is accepted, and the model refuses it");
    return true;
  }

  struct StreamSlot {
    std::optional<Stream> real;  // once made, it may be moved from or closed
    MStream* model = nullptr;    // nullptr then
  };
  struct BufferSlot {
    std::optional<Buffer> real;
    MMemory* model = nullptr;
  };
  struct ViewSlot {
    View real;
    MView model;
  };
  struct TokenSlot {
    std::optional<Token> real;
    bool open = false;
    MMemory* model = nullptr;
    std::vector<Word> words;
  };
  struct EventSlot {
    std::optional<Event> real;
    MEvent model;
  };
  struct CaptureSlot {
    std::optional<Capture> real;
    MCapture* model = nullptr;
  };
  struct GraphSlot {
    std::optional<Graph> real;
    MGraph model;
  };
  struct ExecSlot {
    std::optional<ExecutableGraph> real;
    MExec model;
  };

  template <class Slots>
  auto& pick(Slots& slots) {
    return slots[input_.below(slots.size())];
  }
  /// A slot whose object was made; nullptr if this one was not.
  template <class Slots>
  auto* made(Slots& slots) {
    auto& slot = pick(slots);
    return slot.real.has_value() ? &slot : nullptr;
  }

  void step() {
    switch (input_.below(30)) {
      case 0:
        return create_stream();
      case 1:
        return move_stream();
      case 2:
        return close_stream();
      case 3:
        return synchronize();
      case 4:
        return create_buffer();
      case 5:
        return move_buffer();
      case 6:
        return close_buffer();
      case 7:
        return fill();
      case 8:
        return overwrite();
      case 9:
        return copy_buffers();
      case 10:
        return copy_views();
      case 11:
        return view();
      case 12:
        return part();
      case 13:
        return to_host();
      case 14:
        return take();
      case 15:
      case 16:
        return launch_kernel();
      case 17:
        return record();
      case 18:
        return wait_event();
      case 19:
        return wait_host();
      case 20:
        return move_event();
      case 21:
        return begin();
      case 22:
        return end_capture();
      case 23:
        return move_capture();
      case 24:
        return keep();
      case 25:
        return instantiate();
      case 26:
        return move_graph();
      case 27:
        return launch_graph();
      case 28:
        return update();
      case 29:
        return move_exec();
      default:
        return;
    }
  }

  void create_stream() {
    StreamSlot& slot = pick(streams_);
    const std::size_t choice = input_.below(4);
    drop(slot);
    if (choice == 3) {
      auto outcome = Stream::create();
      if (check("Stream::create", outcome, !model_.has_streams_on(1))) {
        slot.real.emplace(std::move(outcome).assume_value());
        slot.model = model_.new_stream(0);
      }
      return;
    }
    auto outcome = Stream::create(DeviceId(static_cast<int>(choice)));
    if (check("Stream::create", outcome, choice < 2)) {
      slot.real.emplace(std::move(outcome).assume_value());
      slot.model = model_.new_stream(static_cast<int>(choice));
    }
  }
  void drop(StreamSlot& slot) {
    slot.real.reset();
    model_.release(std::exchange(slot.model, nullptr));
  }
  void move_stream() {
    StreamSlot* const to = made(streams_);
    StreamSlot* const from = made(streams_);
    if (to == nullptr || from == nullptr) return;
    *to->real = std::move(*from->real);
    if (to == from) return;
    model_.release(std::exchange(to->model, std::exchange(from->model, nullptr)));
  }
  void close_stream() {
    if (StreamSlot* const slot = made(streams_)) {
      check("Stream::close", slot->real->close(), true);
      model_.release(std::exchange(slot->model, nullptr));
    }
  }
  void synchronize() {
    StreamSlot* const slot = made(streams_);
    if (slot == nullptr) return;
    const bool expected = slot->model != nullptr && model_.may_wait(slot->model->capture);
    if (input_.below(2) == 0) {
      check("Stream::synchronize", slot->real->synchronize(), expected);
    } else {
      check("Stream::ready", slot->real->ready(), expected);
    }
  }

  void create_buffer() {
    BufferSlot& slot = pick(buffers_);
    StreamSlot* const on = made(streams_);
    if (on == nullptr) return;
    drop(slot);
    const std::size_t choice = input_.below(24);
    if (choice >= 20) {
      constexpr std::int64_t sizes[] = {-1, std::int64_t{1} << 62, std::int64_t{1} << 61,
                                        std::int64_t{1} << 50};
      const std::int64_t wrong = sizes[choice - 20];
      check("Buffer::create", Buffer::create(*on->real, wrong), false);
      // The last two are sizes that the runtime is asked for.
      if (choice >= 22 && on->model != nullptr) model_.ask_for_too_much(on->model);
      return;
    }
    const std::vector<Word> words = numbers(choice);
    auto outcome =
        input_.below(2) == 0 ? Buffer::from(*on->real, std::span(words)) : filled(*on->real, words);
    MMemory* memory = model_.allocate(on->model, choice);
    if (memory != nullptr && on->model->capture != nullptr) {  // the copy of no elements is refused
      model_.release(std::exchange(memory, nullptr));
    }
    if (check("Buffer::from", outcome, memory != nullptr)) {
      slot.real.emplace(std::move(outcome).assume_value());
      slot.model = memory;
      memory->words = words;
    }
  }
  static result<Buffer> filled(const Stream& stream, const std::vector<Word>& words) {
    auto buffer = Buffer::create(stream, words.size());
    if (!buffer.has_value()) return buffer;
    const auto copied = copy_and_wait(stream, warpsafe::from(std::span(words)),
                                      warpsafe::to(buffer.assume_value()));
    if (!copied.has_value()) return copied.assume_error();
    return buffer;
  }
  std::vector<Word> numbers(std::size_t count) {
    std::vector<Word> all(count);
    const Word first = input_.byte();
    for (std::size_t i = 0; i < count; ++i) all[i] = first + static_cast<Word>(i * 7);
    return all;
  }
  void drop(BufferSlot& slot) {
    slot.real.reset();
    model_.release(std::exchange(slot.model, nullptr));
  }
  void move_buffer() {
    BufferSlot* const to = made(buffers_);
    BufferSlot* const from = made(buffers_);
    if (to == nullptr || from == nullptr) return;
    *to->real = std::move(*from->real);
    if (to == from) return;
    model_.release(std::exchange(to->model, std::exchange(from->model, nullptr)));
  }
  void close_buffer() {
    if (BufferSlot* const slot = made(buffers_)) {
      check("Buffer::close", slot->real->close(), true);
      model_.release(std::exchange(slot->model, nullptr));
    }
  }
  [[nodiscard]] static std::size_t size_of(const BufferSlot& slot) {
    return slot.model == nullptr ? 0 : slot.model->words.size();
  }
  /// A captured operation does not hold its memory, so the graph does.
  void keep_in(MCapture* capture, BufferSlot& slot) {
    for (CaptureSlot& one : captures_) {
      if (capture == nullptr || one.model != capture) continue;
      check("Capture::keep", answer_of(one.real->keep(slot.real->keep())), true);
      capture->resources->kept.push_back(model_.retain(slot.model));
    }
  }
  template <class T>
  static result<void> answer_of(const result<T>& outcome) {
    if (!outcome.has_value()) return outcome.assume_error();
    return success();
  }

  void fill() {
    BufferSlot* const slot = made(buffers_);
    StreamSlot* const on = made(streams_);
    const auto value = std::byte{input_.byte()};
    if (slot == nullptr || on == nullptr) return;
    MMemory* const memory = slot->model;
    MStream* const stream = on->model;
    const bool empty = size_of(*slot) == 0;
    const bool expected = memory != nullptr && stream != nullptr &&
                          (empty || (Model::usable(stream) &&
                                     Model::can_access(stream->device, memory->stream->device)));
    if (!check("Buffer::fill_bytes", slot->real->fill_bytes(*on->real, value), expected) || empty) {
      return;
    }
    const Word word = static_cast<Word>(value) * 0x01010101U;
    model_.submit(stream, MNode::fill,
                  [memory, word] { std::fill(memory->words.begin(), memory->words.end(), word); });
    keep_in(stream->capture, *slot);
  }
  void overwrite() {
    BufferSlot* const slot = made(buffers_);
    const std::size_t choice = input_.below(20);
    const std::vector<Word> words = numbers(choice);
    if (slot == nullptr) return;
    MMemory* const memory = slot->model;
    const bool expected =
        memory != nullptr && choice == memory->words.size() && memory->stream->capture == nullptr;
    const auto copied = copy_and_wait(slot->real->stream(), warpsafe::from(std::span(words)),
                                      warpsafe::to(*slot->real));
    if (check("copy_and_wait", copied, expected)) {
      memory->words = words;
    }
  }
  /// Whether a copy on the device is accepted.
  [[nodiscard]] static bool copies(const MStream* stream, const MView& to, const MView& from) {
    if (to.freed() || from.freed() || to.size != from.size || stream == nullptr) return false;
    if (to.size == 0) {
      // Nothing is copied, but devices of two buffers still differ.
      return to.memory == nullptr || from.memory == nullptr || stream->capture == nullptr ||
             to.memory->stream->device == from.memory->stream->device;
    }
    const bool apart = to.memory != from.memory || to.offset >= from.offset + from.size ||
                       from.offset >= to.offset + to.size;
    if (!apart || !Model::usable(stream)) return false;
    return stream->capture == nullptr || to.memory->stream->device == from.memory->stream->device;
  }
  void submit_copy(MStream* stream, const MView& to, const MView& from) {
    if (to.size == 0) return;
    model_.submit(stream, MNode::copy, [to, from] {
      for (std::size_t i = 0; i < to.size; ++i) to.at(i) = from.at(i);
    });
  }
  void copy_buffers() {
    BufferSlot* const to = made(buffers_);
    BufferSlot* const from = made(buffers_);
    StreamSlot* const on = made(streams_);
    if (to == nullptr || from == nullptr || on == nullptr) return;
    const MView target{to->model, 0, size_of(*to)};
    const MView source{from->model, 0, size_of(*from)};
    const bool expected =
        to->model != nullptr && from->model != nullptr && copies(on->model, target, source);
    if (!check("copy", copy(*on->real, warpsafe::from(*from->real), warpsafe::to(*to->real)),
               expected))
      return;
    submit_copy(on->model, target, source);
    if (target.size == 0) return;
    keep_in(on->model->capture, *to);
    keep_in(on->model->capture, *from);
  }
  void copy_views() {
    const ViewSlot& to = pick(views_);
    const ViewSlot& from = pick(views_);
    StreamSlot* const on = made(streams_);
    if (on == nullptr) return;
    // A captured copy does not hold its memory, and a view cannot: a program must not do this.
    if (on->model != nullptr && on->model->capture != nullptr) return;
    if (check("copy of views", copy(*on->real, warpsafe::from(from.real), warpsafe::to(to.real)),
              copies(on->model, to.model, from.model))) {
      submit_copy(on->model, to.model, from.model);
    }
  }
  void view() {
    ViewSlot& slot = pick(views_);
    if (BufferSlot* const of = made(buffers_)) {
      slot.real = of->real->view();
      slot.model = {of->model, 0, size_of(*of), of->model == nullptr};
      require(slot.real.size() == slot.model.size, "the size of a view");
    }
  }
  void part() {
    ViewSlot& to = pick(views_);
    const ViewSlot& from = pick(views_);
    constexpr std::uint64_t numbers[] = {0, 1, 2, 3, 5, 8, 13, 20, ~std::uint64_t{0}, 1ULL << 63};
    const std::uint64_t offset = numbers[input_.below(10)];
    const std::uint64_t count = numbers[input_.below(10)];
    const bool rest = input_.below(4) == 0;
    const std::size_t size = from.model.size;
    const bool expected = offset <= size && (rest || count <= size - offset);
    auto outcome = rest ? from.real.subspan(offset) : from.real.subspan(offset, count);
    if (!check("DeviceView::subspan", outcome, expected)) return;
    to.model = {from.model.memory, from.model.offset + offset, rest ? size - offset : count,
                from.model.closed};
    to.real = outcome.assume_value();
    require(to.real.size() == to.model.size, "the size of a part");
  }
  void to_host() {
    BufferSlot* const slot = made(buffers_);
    StreamSlot* const on = made(streams_);
    TokenSlot& token = pick(tokens_);
    if (slot == nullptr || on == nullptr) return;
    finish(token);
    token.real.emplace(slot->real->to_host(*on->real));
    token.open = slot->model != nullptr && on->model != nullptr && on->model->capture == nullptr;
    if (!token.open) return;
    token.model = model_.retain(slot->model);
    token.words = slot->model->words;
  }
  void take() {
    TokenSlot* const slot = made(tokens_);
    if (slot == nullptr) return;
    const auto outcome = std::move(*slot->real).get();
    if (check("Pending::get", outcome, slot->open)) {
      require(outcome.assume_value() == slot->words, "a buffer holds other values than the model");
    }
    slot->open = false;
    model_.release(std::exchange(slot->model, nullptr));
  }
  void finish(TokenSlot& slot) {
    if (slot.open) {
      require(std::move(*slot.real).get().has_value(), "a token cannot be taken");
    }
    slot.real.reset();
    slot.open = false;
    model_.release(std::exchange(slot.model, nullptr));
  }

  void launch_kernel() {
    const ViewSlot& out = pick(views_);
    const ViewSlot& in = pick(views_);
    StreamSlot* const on = made(streams_);
    const std::size_t shape = input_.below(9);
    const Word add = input_.byte();
    if (on == nullptr) return;
    constexpr std::uint32_t grids[] = {1, 1, 1, 1, 1, 0, 1, 1, 1};
    constexpr std::uint32_t blocks[] = {1, 1, 1, 1, 1, 1, 0, 1025, 1};
    MStream* const stream = on->model;
    const int device = stream == nullptr ? 0 : stream->device;
    const auto guard = DeviceGuard::create(DeviceId(shape == 8 ? 1 - device : device));
    bool expected = Model::usable(stream) && shape < 5;
    for (const MView* one : {&out.model, &in.model}) {
      expected = expected && !one->freed() &&
                 (one->memory == nullptr || one->memory->words.empty() ||
                  Model::can_access(stream->device, one->memory->stream->device));
    }
    if (shown()) {
      std::fprintf(
          stderr, "launch on device %d, shape %zu, out %zu of device %d%s, in %zu of device %d%s\n",
          device, shape, out.model.size, out.real.device(), out.model.freed() ? ", freed" : "",
          in.model.size, in.real.device(), in.model.freed() ? ", freed" : "");
    }
    const LaunchConfig config{GridDim::from_vendor(Extents{grids[shape]}),
                              BlockDim::from_vendor(Extents{blocks[shape]})};
    if (!check("launch", launch(*on->real, config, kernel<mix>, out.real, in.real, add),
               expected)) {
      return;
    }
    if (stream->capture != nullptr) {
      for (const MView* one : {&out.model, &in.model}) {
        const bool inside = one->memory != nullptr && one->offset < one->memory->words.size();
        if (inside) stream->capture->resources->used.push_back(one->memory);
      }
    }
    model_.submit(stream, MNode::kernel, [to = out.model, from = in.model, add] {
      for (std::size_t i = 0; i < to.size; ++i) {
        to.at(i) = to.at(i) * 5 + add + (from.size == 0 ? 0 : from.at(i % from.size));
      }
    });
  }

  void record() {
    EventSlot& slot = pick(events_);
    StreamSlot* const on = made(streams_);
    if (on == nullptr) return;
    const int current = static_cast<int>(input_.below(2));
    const auto guard = DeviceGuard::create(DeviceId(current));
    auto outcome = on->real->record();
    const bool expected = Model::usable(on->model) && on->model->device == current;
    if (check("Stream::record", outcome, expected)) {
      slot.real.emplace(std::move(outcome).assume_value());
      slot.model = {true, on->model->capture, on->model->tail};
    }
  }
  void wait_event() {
    StreamSlot* const on = made(streams_);
    EventSlot* const slot = made(events_);
    if (on == nullptr || slot == nullptr) return;
    const MCapture* const capture = slot->model.capture;
    // The nodes of a graph are of one device here.
    if (on->model != nullptr && capture != nullptr && capture->open &&
        capture->origin->device != on->model->device) {
      return;
    }
    const bool expected = model_.wait(on->model, slot->model);
    check("wait", wait(*on->real, *slot->real), expected);
  }
  void wait_host() {
    EventSlot* const slot = made(events_);
    if (slot == nullptr) return;
    const bool expected = slot->model.there && model_.may_wait(slot->model.capture);
    if (input_.below(2) == 0) {
      check("Event::synchronize", slot->real->synchronize(), expected);
    } else {
      check("Event::ready", slot->real->ready(), expected);
    }
  }
  void move_event() {
    EventSlot* const to = made(events_);
    EventSlot* const from = made(events_);
    if (to == nullptr || from == nullptr) return;
    *to->real = std::move(*from->real);
    if (to != from) to->model = std::exchange(from->model, {});
  }

  void begin() {
    CaptureSlot& slot = pick(captures_);
    StreamSlot* const on = made(streams_);
    const std::size_t mode = input_.below(3);
    if (on == nullptr) return;
    drop(slot);
    constexpr CaptureMode modes[] = {CaptureMode::global, CaptureMode::thread,
                                     CaptureMode::relaxed};
    MCapture* const capture = model_.begin(on->model, mode == 2);
    auto outcome = Capture::begin(*on->real, modes[mode]);
    if (check("Capture::begin", outcome, capture != nullptr)) {
      slot.real.emplace(std::move(outcome).assume_value());
      slot.model = capture;
    }
  }
  void drop(CaptureSlot& slot) {
    if (!slot.real.has_value()) return;
    slot.real->discard();
    slot.real.reset();
    if (slot.model == nullptr) return;
    model_.end(*slot.model);
    model_.drop(*std::exchange(slot.model, nullptr));
  }
  void end_capture() {
    CaptureSlot* const slot = made(captures_);
    GraphSlot& graph = pick(graphs_);
    if (slot == nullptr) return;
    drop(graph);
    MCapture* const capture = std::exchange(slot->model, nullptr);
    auto outcome = std::move(*slot->real).end();
    const bool expected = capture != nullptr && model_.end(*capture);
    if (check("Capture::end", outcome, expected)) {
      graph.real.emplace(std::move(outcome).assume_value());
      graph.model = {true, capture->origin->device, capture->nodes, capture->resources};
      const auto count = graph.real->node_count();
      require(count.has_value() && count.assume_value() == capture->nodes.size(), "node_count");
    }
    if (capture != nullptr) model_.drop(*capture);
  }
  void move_capture() {
    CaptureSlot* const to = made(captures_);
    CaptureSlot* const from = made(captures_);
    if (to == nullptr || from == nullptr) return;
    if (to != from) {
      to->real->discard();
      if (to->model != nullptr) {
        model_.end(*to->model);
        model_.drop(*std::exchange(to->model, nullptr));
      }
    }
    *to->real = std::move(*from->real);
    if (to != from) to->model = std::exchange(from->model, nullptr);
  }
  void keep() {
    BufferSlot* const slot = made(buffers_);
    if (slot == nullptr) return;
    if (input_.below(2) == 0) {
      CaptureSlot* const capture = made(captures_);
      if (capture == nullptr) return;
      const auto outcome = answer_of(capture->real->keep(slot->real->keep()));
      if (!check("Capture::keep", outcome, capture->model != nullptr)) return;
      capture->model->resources->kept.push_back(model_.retain(slot->model));
    } else {
      GraphSlot* const graph = made(graphs_);
      if (graph == nullptr) return;
      const auto outcome = answer_of(graph->real->keep(slot->real->keep()));
      if (!check("Graph::keep", outcome, graph->model.there)) return;
      graph->model.resources->kept.push_back(model_.retain(slot->model));
    }
  }
  void drop(GraphSlot& slot) {
    slot.real.reset();
    slot.model = {};
  }
  void instantiate() {
    GraphSlot* const graph = made(graphs_);
    ExecSlot& slot = pick(execs_);
    if (graph == nullptr) return;
    drop(slot);
    auto outcome = graph->real->instantiate();
    if (check("Graph::instantiate", outcome, graph->model.there)) {
      slot.real.emplace(std::move(outcome).assume_value());
      slot.model = {true, graph->model.device, graph->model.nodes, graph->model.resources, nullptr};
    }
  }
  void move_graph() {
    GraphSlot* const to = made(graphs_);
    GraphSlot* const from = made(graphs_);
    if (to == nullptr || from == nullptr) return;
    if (input_.below(3) == 0) {
      check("Graph::close", to->real->close(), true);
      to->model = {};
      return;
    }
    *to->real = std::move(*from->real);
    if (to != from) to->model = std::exchange(from->model, {});
  }
  void launch_graph() {
    ExecSlot* const slot = made(execs_);
    StreamSlot* const on = made(streams_);
    if (slot == nullptr || on == nullptr) return;
    if (on->model != nullptr && slot->model.there && on->model->device != slot->model.device) {
      return;
    }
    const bool expected = model_.launch(slot->model, on->model);
    check("ExecutableGraph::launch", slot->real->launch(*on->real), expected);
  }
  void update() {
    ExecSlot* const slot = made(execs_);
    GraphSlot* const graph = made(graphs_);
    if (slot == nullptr || graph == nullptr) return;
    if (slot->model.there && graph->model.there && slot->model.device != graph->model.device) {
      return;
    }
    const bool expected = model_.update(slot->model, graph->model);
    check("ExecutableGraph::update", slot->real->update(*graph->real), expected);
  }
  void drop(ExecSlot& slot) {
    slot.real.reset();
    model_.close(slot.model);
    slot.model = {};
  }
  void move_exec() {
    ExecSlot* const to = made(execs_);
    ExecSlot* const from = made(execs_);
    if (to == nullptr || from == nullptr) return;
    if (input_.below(3) == 0) {
      check("ExecutableGraph::close", to->real->close(), true);
      model_.close(to->model);
      return;
    }
    *to->real = std::move(*from->real);
    if (to == from) return;
    model_.close(to->model);
    to->model = std::exchange(from->model, {});
  }

  void end() {
    for (CaptureSlot& slot : captures_) drop(slot);
    for (TokenSlot& slot : tokens_) finish(slot);
    for (ExecSlot& slot : execs_) drop(slot);
    for (GraphSlot& slot : graphs_) drop(slot);
    for (BufferSlot& slot : buffers_) drop(slot);
    for (EventSlot& slot : events_) slot.real.reset();
    for (StreamSlot& slot : streams_) drop(slot);
    require(model_.words_in_use() == 0, "the model has memory left");
  }

  Input input_;
  Model model_;
  std::array<StreamSlot, 4> streams_;
  std::array<BufferSlot, 4> buffers_;
  std::array<ViewSlot, 4> views_;
  std::array<TokenSlot, 2> tokens_;
  std::array<EventSlot, 4> events_;
  std::array<CaptureSlot, 2> captures_;
  std::array<GraphSlot, 2> graphs_;
  std::array<ExecSlot, 2> execs_;
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  host::Runtime& runtime = host::Runtime::get();
  static const bool first = [] {
    host::set_device_count(2);
    return host::set_peer_access(0, 1, true);
  }();
  require(first, "two devices");
  InOrder scheduler(runtime);
  {
    const host::Lock lock(runtime.mutex);
    runtime.set_scheduler(&scheduler);
  }
  Program(Input(data, size)).run();
  host::Lock lock(runtime.mutex);
  scheduler.begin_call(lock);
  for (const auto& device : runtime.devices) {
    const Name why = device->failure().text;
    const std::string text(why.data, why.size);
    if (device->failure().status != 0) fail("work failed on the device: " + text);
    require(device->used == 0, "memory is left");
  }
  require(runtime.freed_memory.written_after_free() == 0, "freed memory was written");
  require(runtime.streams.empty() && runtime.events.empty(), "a stream or an event is left");
  require(runtime.graphs.empty() && runtime.graph_execs.empty(), "a graph is left");
  runtime.set_scheduler(nullptr);
  return 0;
}
