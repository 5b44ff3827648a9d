// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The race recorder on ALL programs of up to N calls, not on random ones: three streams, two
// events, one graph and the host share one piece of memory. A model finds every state that any
// order of a program's steps reaches, without clocks. N is 4, or WS_TEST_STEPS.

#include "../host_record.hpp"
#include <warpsafe/race/adversarial.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::small_programs {
namespace {

using debug::ActionKind;
using host_record::Record;
using host_record::Work;

constexpr std::size_t streams = 3;
constexpr std::size_t events = 2;
constexpr std::size_t most_steps = 6;
constexpr std::size_t most_nodes = 3;
/// Node n of the graph has this line and n; step i has line i.
constexpr unsigned first_node = 100;

enum class What : std::uint8_t {
  read,
  write,
  host_read,
  host_write,
  record,
  wait,
  stream_synchronize,
  event_synchronize,
  launch,  // of the graph
};
struct Step {
  What what;
  std::size_t stream;
  std::size_t event;
};
using Program = std::vector<Step>;

/// A node of the graph: on the capture's stream, or on a branch beside it.
struct Node {
  AccessKind kind;
  bool on_branch = false;
  bool waits_for_branch = false;
};
struct Shape {
  const char* name;
  std::array<Node, most_nodes> nodes;
  std::size_t size;
};
constexpr AccessKind reads = AccessKind::read;
constexpr AccessKind writes = AccessKind::write;
constexpr Shape shapes[] = {
    {"writes beside reads", {{{writes}, {reads, true}}}, 2},
    {"reads, then writes", {{{reads}, {writes}}}, 2},
    {"reads beside reads, then writes", {{{reads}, {reads, true}, {writes, false, true}}}, 3}};

[[nodiscard]] bool on_a_stream(What what) {
  return what == What::read || what == What::write || what == What::record || what == What::wait ||
         what == What::launch;
}

/// The pairs of lines that race, and how many pairs of accesses do.
struct Races {
  std::set<std::pair<unsigned, unsigned>> lines{};
  std::size_t count = 0;
};

/// Every order of the program's steps. Each node of a launch is one of its own.
class Model {
 public:
  Model(const Program& program, const Shape& shape) {
    std::array<unsigned, streams> stream_did{};
    std::array<unsigned, events> record{};
    unsigned host_did = 0;
    unsigned launched = 0;
    for (std::size_t i = 0; i < program.size(); ++i) {
      const Step& step = program[i];
      const auto line = static_cast<unsigned>(i);
      // The host submits in order, and goes on while a stream works.
      unsigned before = host_did;
      if (on_a_stream(step.what)) before |= stream_did[step.stream];
      if (step.what == What::stream_synchronize) before |= stream_did[step.stream];
      if (step.what == What::wait || step.what == What::event_synchronize) {
        before |= record[step.event];
      }
      unsigned own = 0;
      switch (step.what) {
        case What::launch:
          before |= launched;
          own = add_nodes(before, shape);
          launched |= own;
          break;
        case What::read:
        case What::host_read:
          own = add(before, line, AccessKind::read);
          break;
        case What::write:
        case What::host_write:
          own = add(before, line, AccessKind::write);
          break;
        default:
          own = add(before, line, AccessKind::allocate);  // accesses nothing
      }
      if (step.what == What::record) record[step.event] = own;
      if (on_a_stream(step.what)) {
        stream_did[step.stream] |= own;
      } else {
        host_did |= own;
      }
    }
  }

  [[nodiscard]] Races races() {
    reached_.assign(std::size_t{1} << size_, false);
    go_on(0);
    Races found;
    for (std::size_t a = 0; a < size_; ++a) {
      for (std::size_t b = a + 1; b < size_; ++b) {
        const auto accesses = [&](std::size_t one) { return part_[one].kind; };
        if (accesses(a) == AccessKind::allocate || accesses(b) == AccessKind::allocate) continue;
        if (accesses(a) == AccessKind::read && accesses(b) == AccessKind::read) continue;
        const bool either_way =
            (seen_before_[a] >> b & 1U) != 0 && (seen_before_[b] >> a & 1U) != 0;
        if (!either_way) continue;
        found.lines.emplace(part_[a].line, part_[b].line);
        ++found.count;
      }
    }
    return found;
  }

 private:
  struct Part {
    unsigned before;  // the parts that have to be done
    unsigned line;
    AccessKind kind;
  };
  unsigned add(unsigned before, unsigned line, AccessKind kind) {
    part_[size_] = {before, line, kind};
    return 1U << size_++;
  }
  unsigned add_nodes(unsigned before, const Shape& shape) {
    std::array<unsigned, 2> lanes{};
    for (std::size_t i = 0; i < shape.size; ++i) {
      const Node& node = shape.nodes[i];
      unsigned& lane = lanes[node.on_branch ? 1 : 0];
      const unsigned all = before | lane | (node.waits_for_branch ? lanes[1] : 0U);
      lane |= add(all, first_node + static_cast<unsigned>(i), node.kind);
    }
    return lanes[0] | lanes[1];
  }
  // NOLINTNEXTLINE(misc-no-recursion): as deep as a program has steps
  void go_on(unsigned done) {
    if (reached_[done]) return;
    reached_[done] = true;
    for (std::size_t next = 0; next < size_; ++next) {
      if ((done >> next & 1U) != 0 || (part_[next].before & ~done) != 0) continue;
      seen_before_[next] |= done;
      go_on(done | 1U << next);
    }
  }

  std::size_t size_ = 0;
  std::array<Part, most_nodes * most_steps> part_{};
  std::array<unsigned, most_nodes * most_steps> seen_before_{};  // each part, those done before it
  std::vector<bool> reached_{};
};

[[nodiscard]] MemoryAccess access(AccessKind kind) { return {0x70000000, 16, kind}; }
constexpr std::size_t graph = 0;

/// The nodes of a shape: those of a lane come one after another.
[[nodiscard]] host::GraphNodes nodes_of(const Shape& shape) {
  host::GraphNodes nodes;
  std::array<host::NodeSet, 2> lanes{};
  for (std::size_t i = 0; i < shape.size; ++i) {
    const Node& node = shape.nodes[i];
    host::NodeSet& lane = lanes[node.on_branch ? 1 : 0];
    if (node.waits_for_branch) lane = host::union_of(lane, lanes[1]);
    const std::vector<MemoryAccess> accesses = {access(node.kind)};
    nodes.push_back(
        {host::make_shared<Work>(accesses, first_node + static_cast<unsigned>(i)), lane});
    lane = {i};
  }
  return nodes;
}

/// What the recorder finds.
[[nodiscard]] Races found_in(Record& record, const Program& program, const Shape& shape) {
  record.begin();
  record.makes_graph(graph, nodes_of(shape));
  for (std::size_t i = 0; i < program.size(); ++i) {
    const Step& step = program[i];
    const auto line = static_cast<unsigned>(i);
    switch (step.what) {
      case What::read:
        record.submits(step.stream, {access(AccessKind::read)}, line);
        break;
      case What::write:
        record.submits(step.stream, {access(AccessKind::write)}, line);
        break;
      case What::host_read:
        record.on_host(ActionKind::host_read, access(AccessKind::read), line);
        break;
      case What::host_write:
        record.on_host(ActionKind::host_write, access(AccessKind::write), line);
        break;
      case What::record:
        record.records(step.event, step.stream, line);
        break;
      case What::wait:
        record.waits(step.stream, step.event, line);
        break;
      case What::stream_synchronize:
        record.knows({record.end_of_stream(step.stream)}, line);
        break;
      case What::event_synchronize:
        record.knows({record.end_of_event(step.event)}, line);
        break;
      case What::launch:
        record.launches(graph, step.stream, line);
    }
  }
  Races found;
  for (const debug::Race& race : record.recorder().races) {
    found.lines.emplace(record.line_of(race.first), record.line_of(race.second));
    ++found.count;
  }
  return found;
}

[[nodiscard]] std::string described(const Program& program, const Shape& shape) {
  constexpr const char* names[] = {"read",   "write", "host read",   "host write",
                                   "record", "wait",  "synchronize", "synchronize event",
                                   "launch"};
  std::string text = std::string("graph: ") + shape.name + '\n';
  for (const Step& step : program) {
    text += std::string(names[static_cast<std::size_t>(step.what)]) + " stream " +
            std::to_string(step.stream) + " event " + std::to_string(step.event) + '\n';
  }
  return text;
}

/// Programs that differ in the names of streams and events alone are one. A call that does nothing
/// and a last call that accesses nothing make a shorter program.
class AllPrograms {
 public:
  explicit AllPrograms(std::size_t longest) : longest_(longest) {}
  void check(const Shape& shape, bool with_others) {
    shape_ = &shape;
    others_too_ = with_others;
    extend(0, 0, 0);
  }
  std::size_t programs = 0;
  std::size_t with_races = 0;
  std::size_t with_launches = 0;

 private:
  // NOLINTNEXTLINE(misc-no-recursion): as deep as a program is long
  void extend(std::size_t used_streams, std::size_t used_events, std::size_t launches) {
    const auto with = [&](const Step& step) {
      if (testing::Test::HasFatalFailure()) return;
      program_.push_back(step);
      const bool is_access = step.what <= What::host_write || step.what == What::launch;
      const bool launch = step.what == What::launch;
      if (is_access && (others_too_ || launches != 0 || launch)) {
        compare();
        with_launches += launches != 0 || launch ? 1 : 0;
      }
      const bool new_stream = on_a_stream(step.what) && step.stream == used_streams;
      const bool new_event = step.what == What::record && step.event == used_events;
      if (program_.size() < longest_) {
        extend(used_streams + (new_stream ? 1 : 0), used_events + (new_event ? 1 : 0),
               launches + (launch ? 1 : 0));
      }
      program_.pop_back();
    };
    with({What::host_read, 0, 0});
    with({What::host_write, 0, 0});
    for (std::size_t event = 0; event < used_events; ++event) {
      with({What::event_synchronize, 0, event});
    }
    for (std::size_t stream = 0; stream < streams && stream <= used_streams; ++stream) {
      with({What::read, stream, 0});
      with({What::write, stream, 0});
      with({What::launch, stream, 0});
      for (std::size_t event = 0; event < events && event <= used_events; ++event) {
        with({What::record, stream, event});
      }
      for (std::size_t event = 0; event < used_events; ++event) with({What::wait, stream, event});
      if (stream < used_streams) with({What::stream_synchronize, stream, 0});
    }
  }
  void compare() {
    const Races expected = Model(program_, *shape_).races();
    const Races found = found_in(record_, program_, *shape_);
    ++programs;
    with_races += expected.count != 0 ? 1 : 0;
    ASSERT_EQ(found.count, expected.count) << described(program_, *shape_);
    ASSERT_EQ(found.lines, expected.lines) << described(program_, *shape_);
  }

  std::size_t longest_;
  const Shape* shape_ = nullptr;
  bool others_too_ = false;
  Program program_;
  Record record_;
};

TEST(SmallPrograms, TheRecorderFindsEveryRaceOfAllAndNoOther) {
  const char* const wanted = std::getenv("WS_TEST_STEPS");
  const std::size_t longest = wanted == nullptr ? 4 : std::strtoul(wanted, nullptr, 10);
  ASSERT_TRUE(2 <= longest && longest <= most_steps);
  AllPrograms all(longest);
  for (const Shape& shape : shapes) {
    // Programs without a launch are the same with each graph.
    all.check(shape, &shape == shapes);
    if (HasFatalFailure()) return;
  }
  RecordProperty("programs", std::to_string(all.programs));
  std::printf("%zu programs of up to %zu calls, %zu with races, %zu with launches of the graph\n",
              all.programs, longest, all.with_races, all.with_launches);
  EXPECT_GT(all.with_races, all.programs / 10);
  EXPECT_LT(all.with_races, all.programs / 10 * 9);
}

}  // namespace
}  // namespace warpsafe::small_programs
