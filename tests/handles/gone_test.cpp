// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Each member function of each type that can be moved from or closed, on an object that was. It
// returns an error or an empty answer, and touches nothing. check_gone.py compares the rows with
// the headers.

#include "toy_fixture.hpp"
#include <warpsafe/all.hpp>
#include <warpsafe/host.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::handle_test {
namespace gone {
namespace {

WARPSAFE_KERNEL void set(float value, float* x) { x[thread_index().x] = value; }
using Set = void(float, float*);
const host::NamedKernel table[] = {host::named<set>("set")};
constexpr LaunchConfig one_block{grid<1>, block<4>};

/// What a call on a gone object did: its error, or Errc{} if it has answered.
using Outcome = Errc;
constexpr Outcome answered{};
template <class R>
Outcome of(const R& outcome) {
  return outcome.has_value() ? answered : error_in(outcome).code;
}
/// For an answer without an error that says nothing.
template <class T>
Outcome any(const T&) {
  return answered;
}
/// For an answer without an error: whether it is that of an empty object.
Outcome empty(bool is_empty) { return is_empty ? answered : Errc::runtime_failed; }

/// The objects, all alive.
struct Objects {
  Stream stream = Stream::create().value(), other = Stream::create().value();
  Event event = stream.record().value();
  TimedEvent timed = stream.record_timed().value();
  DeviceBuffer<float> buffer = DeviceBuffer<float>::create(stream, 4).value();
  PitchedBuffer<float> pitched =
      PitchedBuffer<float>::create(stream, extent<2>{rows{1}, cols{4}}).value();
  PinnedBuffer<float> pinned = PinnedBuffer<float>::create(4).value();
  ManagedBuffer<float> managed = ManagedBuffer<float>::create(stream, 4).value();
  MemoryHold memory = buffer.keep();
  basic_stream_hold<host_backend> hold{stream};
  std::vector<float> values{1, 2, 3, 4};
  Module module = Module::load(table).value();
  Graph graph = make_graph();
  ExecutableGraph exec = graph.instantiate().value();
  StreamBound<toy::toy_handle> bound = StreamBound<toy::toy_handle>::create(stream).value();
  DeviceGuard guard = DeviceGuard::create(DeviceId(0)).value();

  Graph make_graph() {
    return capture(stream,
                   [this](Capture& capture) -> result<void> {
                     WARPSAFE_TRYV(capture.keep(buffer.keep()));
                     return launch(stream, one_block, kernel<set>, 1.0F, buffer.view());
                   })
        .value();
  }
};

/// How an object became what it is.
enum class How { moved, assigned_from, closed };
std::ostream& operator<<(std::ostream& out, How how) {
  return out << (how == How::moved           ? "moved from"
                 : how == How::assigned_from ? "assigned from"
                                             : "closed");
}
/// Moves `object` away, into `keeper`.
template <class T>
void take_away(T& object, How how, std::optional<T>& keeper) {
  if constexpr (requires { object.close(); }) {
    if (how == How::closed) {
      EXPECT_TRUE(object.close().has_value());
      return;
    }
  }
  keeper.emplace(std::move(object));
  if constexpr (std::is_move_assignable_v<T>) {
    if (how == How::assigned_from) {
      object = std::move(*keeper);
      *keeper = std::move(object);
    }
  }
}

struct Row {
  friend std::ostream& operator<<(std::ostream& out, const Row& row) {
    return out << row.type << "::" << row.member;
  }

  const char* type;
  const char* member;
  std::function<Outcome(How)> run;
  std::set<Errc> expected;  ///< one of these
};
/// A row for a member of Objects.
template <class T, class Call>
Row row(const char* type, const char* member, T Objects::*which, Call call,
        std::set<Errc> expected = {answered}) {
  return {type, member,
          [which, call](How how) {
            Objects all;
            std::optional<T> keeper;
            take_away(all.*which, how, keeper);
            return call(all.*which, all);
          },
          std::move(expected)};
}
/// A row for an object that `make(all)` makes.
template <class Make, class Call>
Row made(const char* type, const char* member, Make make, Call call,
         std::set<Errc> expected = {answered}) {
  return {type, member,
          [make, call](How how) {
            Objects all;
            auto object = make(all);
            std::optional<decltype(object)> keeper;
            take_away(object, how, keeper);
            const Outcome outcome = call(object, all);
            if constexpr (requires { std::move(*keeper).get(); }) {
              if (keeper.has_value()) static_cast<void>(std::move(*keeper).get().has_value());
            }
            if constexpr (requires { keeper->discard(); }) {
              if (keeper.has_value()) keeper->discard();
            }
            return outcome;
          },
          std::move(expected)};
}

std::vector<Row> each_row() {
  const std::set<Errc> no_stream = {Errc::stream_null}, no_memory = {Errc::memory_closed},
                       no_graph = {Errc::graph_moved}, no_event = {Errc::event_moved},
                       no_elements = {Errc::memory_closed, Errc::argument_empty},
                       no_handle = {Errc::handle_moved};
  std::vector<Row> rows_made;
  const auto add = [&](Row made_row) { rows_made.push_back(std::move(made_row)); };

  const auto stream = [&](const char* member, auto call, std::set<Errc> expected) {
    add(row("basic_stream", member, &Objects::stream, call, std::move(expected)));
  };
  stream("close", [](Stream& s, Objects&) { return of(s.close()); }, {answered});
  stream(
      "ref", [](Stream& s, Objects&) { return of(s.ref().synchronize()); }, no_stream);
  stream("native", [](Stream& s, Objects&) { return empty(s.native() == nullptr); }, {answered});
  stream("device", [](Stream& s, Objects&) { return any(s.device()); }, {answered});
  stream(
      "synchronize", [](Stream& s, Objects&) { return of(s.synchronize()); }, no_stream);
  stream(
      "query", [](Stream& s, Objects&) { return of(s.query()); }, no_stream);
  stream(
      "ready", [](Stream& s, Objects&) { return of(s.ready()); }, no_stream);
  stream(
      "record", [](Stream& s, Objects&) { return of(s.record()); }, no_stream);
  stream(
      "record_timed", [](Stream& s, Objects&) { return of(s.record_timed()); }, no_stream);
  stream(
      "as an argument",
      [](Stream& s, Objects& o) {
        EXPECT_EQ(of(launch(s, one_block, kernel<set>, 1.0F, o.buffer.view())), Errc::stream_null);
        EXPECT_EQ(of(DeviceBuffer<float>::create(s, 4)), Errc::stream_null);
        EXPECT_EQ(of(PitchedBuffer<float>::create(s, extent<2>{rows{1}, cols{4}})),
                  Errc::stream_null);
        EXPECT_EQ(of(Capture::begin(s)), Errc::stream_null);
        EXPECT_EQ(of(StreamBound<toy::toy_handle>::create(s)), Errc::stream_null);
        EXPECT_EQ(of(o.exec.launch(s)), Errc::stream_null);
        EXPECT_EQ(of(wait(s, o.event)), Errc::stream_null);
        return of(o.buffer.to_host(s).get());
      },
      no_stream);

  const auto hold = [&](const char* member, auto call) {
    add(row("basic_stream_hold", member, &Objects::hold, call, no_stream));
  };
  hold("ref", [](auto& h, Objects&) { return of(h.ref().synchronize()); });
  hold("as an argument", [](auto& h, Objects&) { return of(DeviceBuffer<float>::create(h, 4)); });

  const auto event = [&](const char* member, auto call, std::set<Errc> expected) {
    add(row("basic_event", member, &Objects::event, call, expected));
    add(row("basic_event", member, &Objects::timed, call, expected));
  };
  event("native", [](auto& e, Objects&) { return empty(e.native() == nullptr); }, {answered});
  event("device", [](auto& e, Objects&) { return any(e.device()); }, {answered});
  event(
      "synchronize", [](auto& e, Objects&) { return of(e.synchronize()); }, no_event);
  event(
      "query", [](auto& e, Objects&) { return of(e.query()); }, no_event);
  event(
      "record", [](auto& e, Objects& o) { return of(e.record(o.stream)); }, no_event);
  event(
      "ready", [](auto& e, Objects&) { return of(e.ready()); }, no_event);
  event("shares_stream_with", [](auto& e, Objects&) { return any(e.shares_stream_with(e)); },
        {answered});
  event("is_outside_captures", [](auto& e, Objects&) { return any(e.is_outside_captures()); },
        {answered});
  event(
      "is_usable",
      [](auto& e, Objects&) {
        LaunchError error;
        return e.is_usable(Name::of("use"), true, {}, error) ? answered : error.code;
      },
      no_event);
  event(
      "as an argument", [](auto& e, Objects& o) { return of(wait(o.stream, e)); }, no_event);
  add(row(
      "basic_event", "elapsed_ms", &Objects::timed,
      [](TimedEvent& e, Objects& o) {
        const TimedEvent good = o.stream.record_timed().value();
        EXPECT_EQ(of(elapsed_ms(good, e)), Errc::event_moved);
        return of(elapsed_ms(e, good));
      },
      no_event));

  const auto buffer = [&](const char* type, const char* member, auto which, auto call,
                          std::set<Errc> expected) {
    add(row(type, member, which, call, std::move(expected)));
  };
  const auto both = [&](const char* member, auto call, const std::set<Errc>& expected) {
    buffer("basic_device_buffer", member, &Objects::buffer, call, expected);
    buffer("basic_pitched_buffer", member, &Objects::pitched, call, expected);
  };
  both("close", [](auto& b, Objects&) { return of(b.close()); }, {answered});
  both(
      "stream", [](auto& b, Objects&) { return of(b.stream().synchronize()); }, no_stream);
  both(
      "view",
      [](auto& b, Objects& o) {
        const auto view = std::as_const(b).view();
        EXPECT_EQ(of(copy_and_wait(o.stream, from(view), to(o.values))), Errc::memory_closed);
        return of(copy_and_wait(o.stream, from(o.values), to(b.view())));
      },
      no_memory);
  both("keep", [](auto& b, Objects&) { return empty(b.keep().empty()); }, {answered});
  both(
      "used_on", [](auto& b, Objects& o) { return of(b.used_on(o.other)); }, no_memory);
  both(
      "zero", [](auto& b, Objects& o) { return of(b.zero(o.other)); }, no_memory);
  both(
      "fill_bytes", [](auto& b, Objects& o) { return of(b.fill_bytes(o.other, std::byte{1})); },
      no_memory);
  both(
      "to_host", [](auto& b, Objects& o) { return of(b.to_host(o.stream).get()); }, no_memory);
  both(
      "as an argument",
      [](auto& b, Objects& o) {
        EXPECT_EQ(of(copy_and_wait(o.stream, from(b), to(o.values))), Errc::memory_closed);
        return of(copy_and_wait(o.stream, from(o.values), to(b)));
      },
      no_memory);
  buffer("basic_device_buffer", "size", &Objects::buffer,
         [](auto& b, Objects&) { return empty(b.size() == 0); }, {answered});
  buffer("basic_device_buffer", "empty", &Objects::buffer,
         [](auto& b, Objects&) { return empty(b.empty()); }, {answered});
  buffer(
      "basic_device_buffer", "launch", &Objects::buffer,
      [](auto& b, Objects& o) {
        return of(launch(o.stream, one_block, kernel<set>, 1.0F, b.view()));
      },
      no_elements);
  buffer("basic_pitched_buffer", "rows", &Objects::pitched,
         [](auto& b, Objects&) { return empty(b.rows() == 0); }, {answered});
  buffer("basic_pitched_buffer", "cols", &Objects::pitched,
         [](auto& b, Objects&) { return empty(b.cols() == 0); }, {answered});
  buffer("basic_pitched_buffer", "size", &Objects::pitched,
         [](auto& b, Objects&) { return empty(b.size().size(0) == 0); }, {answered});

  const auto pinned = [&](const char* member, auto call, std::set<Errc> expected) {
    add(row("basic_pinned_buffer", member, &Objects::pinned, call, std::move(expected)));
  };
  pinned("close", [](auto& b, Objects&) { return of(b.close()); }, {answered});
  pinned("size", [](auto& b, Objects&) { return empty(b.size() == 0); }, {answered});
  pinned("empty", [](auto& b, Objects&) { return empty(b.empty()); }, {answered});
  pinned("span", [](auto& b, Objects&) { return empty(b.span().empty()); }, {answered});
  pinned(
      "as an argument",
      [](auto& b, Objects& o) {
        EXPECT_EQ(of(copy(o.stream, from(std::move(b)), to(o.buffer)).get()), Errc::memory_closed);
        return of(copy(o.stream, from(o.buffer), to(std::move(b))).get());
      },
      no_memory);

  const auto managed = [&](const char* member, auto call, std::set<Errc> expected) {
    add(row("basic_managed_buffer", member, &Objects::managed, call, std::move(expected)));
  };
  managed("size", [](auto& b, Objects&) { return empty(b.size() == 0); }, {answered});
  managed(
      "view",
      [](auto& b, Objects& o) {
        return of(launch(o.stream, one_block, kernel<set>, 1.0F, b.view()));
      },
      no_elements);
  managed(
      "to_host", [](auto& b, Objects& o) { return of(std::move(b).to_host(o.stream).get()); },
      no_memory);
  const auto at_host = [](Objects& all) {
    return std::move(all.managed).to_host(all.stream).get().value();
  };
  const auto host_managed = [&](const char* member, auto call, std::set<Errc> expected) {
    add(made("basic_host_managed", member, at_host, call, std::move(expected)));
  };
  host_managed("size", [](auto& b, Objects&) { return empty(b.size() == 0); }, {answered});
  host_managed("span", [](auto& b, Objects&) { return empty(b.span().empty()); }, {answered});
  host_managed(
      "to_device",
      [](auto& b, Objects& o) {
        auto back = std::move(b).to_device();
        return of(launch(o.stream, one_block, kernel<set>, 1.0F, back.view()));
      },
      no_elements);

  add(row("basic_memory_hold", "empty", &Objects::memory,
          [](auto& m, Objects&) { return empty(m.empty()); }));
  add(row("basic_memory_hold", "as an argument", &Objects::memory,
          [](auto& m, Objects& o) { return of(o.graph.keep(std::move(m))); }));

  const auto copied = [](Objects& all) { return all.buffer.to_host(all.stream); };
  add(made("basic_pending", "get", copied, [](auto& p, Objects&) { return of(std::move(p).get()); },
           {Errc::pending_taken}));
  add(made("basic_pending", "discard", copied,
           [](auto& p, Objects&) { return of(std::move(p).discard()); }, {Errc::pending_taken}));
  add(made("basic_pending", "ready", copied, [](auto& p, Objects&) { return of(p.ready()); }));
  add(made("basic_pending", "as an argument", copied,
           [](auto& p, Objects& o) { return of(synchronize(o.stream, std::move(p))); },
           {Errc::pending_taken}));

  const auto module = [&](const char* member, auto call, std::set<Errc> expected) {
    add(row("basic_module", member, &Objects::module, call, std::move(expected)));
  };
  module("close", [](auto& m, Objects&) { return of(m.close()); }, {answered});
  module("kernel", [](auto& m, Objects&) { return of(m.template kernel<Set>("set")); },
         {Errc::module_moved});
  module("visit_kernels",
         [](auto& m, Objects&) {
           int kernels = 0;
           m.visit_kernels([&](Name) { ++kernels; });
           return empty(kernels == 0);
         },
         {answered});
  // A move is a copy.
  add(made(
      "basic_module_kernel", "loaded",
      [](Objects& all) { return all.module.kernel<Set>("set").value(); },
      [](auto& k, Objects& o) {
        static_cast<void>(o.module.close().has_value());
        EXPECT_EQ(std::string(k.name().data, k.name().size), "set");
        EXPECT_EQ(of(kernel_limits(o.stream, k)), answered);
        return of(launch(o.stream, one_block, k, 1.0F, o.buffer.view()));
      }));

  const auto graph = [&](const char* member, auto call, std::set<Errc> expected) {
    add(row("basic_graph", member, &Objects::graph, call, std::move(expected)));
  };
  graph("close", [](auto& g, Objects&) { return of(g.close()); }, {answered});
  graph(
      "instantiate", [](auto& g, Objects&) { return of(g.instantiate()); }, no_graph);
  graph(
      "keep", [](auto& g, Objects& o) { return of(g.keep(o.buffer.keep())); }, no_graph);
  graph(
      "node_count", [](auto& g, Objects&) { return of(g.node_count()); }, no_graph);
  graph("native", [](auto& g, Objects&) { return empty(g.native() == nullptr); }, {answered});
  graph(
      "as an argument", [](auto& g, Objects& o) { return of(o.exec.update(g)); }, no_graph);
  const auto exec = [&](const char* member, auto call, std::set<Errc> expected) {
    add(row("basic_executable_graph", member, &Objects::exec, call, std::move(expected)));
  };
  exec("close", [](auto& g, Objects&) { return of(g.close()); }, {answered});
  exec(
      "launch", [](auto& g, Objects& o) { return of(g.launch(o.stream)); }, no_graph);
  exec(
      "update", [](auto& g, Objects& o) { return of(g.update(o.graph)); }, no_graph);
  exec("native", [](auto& g, Objects&) { return empty(g.native() == nullptr); }, {answered});
  exec(
      "as an argument",
      [](auto& g, Objects& o) {
        return of(recapture(g, o.stream, [&](Capture&) -> result<void> {
          return launch(o.stream, one_block, kernel<set>, 1.0F, o.buffer.view());
        }));
      },
      no_graph);
  const auto begun = [](Objects& all) { return Capture::begin(all.other).value(); };
  const auto open = [&](const char* member, auto call, std::set<Errc> expected) {
    add(made("basic_capture", member, begun, call, std::move(expected)));
  };
  open("discard",
       [](auto& c, Objects&) {
         c.discard();
         return answered;
       },
       {answered});
  open("end", [](auto& c, Objects&) { return of(std::move(c).end()); }, {Errc::capture_unmatched});
  open("keep", [](auto& c, Objects& o) { return of(c.keep(o.buffer.keep())); },
       {Errc::capture_unmatched});
  open("stream", [](auto& c, Objects&) { return of(c.stream().synchronize()); },
       {Errc::stream_null, Errc::stream_capturing});

  const auto bound = [&](const char* member, auto call, std::set<Errc> expected) {
    add(row("StreamBound", member, &Objects::bound, call, std::move(expected)));
  };
  bound("close", [](auto& h, Objects&) { return of(h.close()); }, {answered});
  bound(
      "rebind", [](auto& h, Objects& o) { return of(std::move(h).rebind(o.other)); }, no_handle);
  bound(
      "call",
      [](auto& h, Objects& o) {
        return of(h.template call<toy::toy_write>(2.0F, o.buffer.view()));
      },
      no_handle);
  bound("native", [](auto& h, Objects&) { return any(h.native()); }, {answered});
  bound("stream", [](auto& h, Objects&) { return of(h.stream().synchronize()); },
        {answered, Errc::stream_null});

  add(row("basic_device_guard", "close", &Objects::guard,
          [](auto& g, Objects&) { return of(g.close()); }));
  return rows_made;
}

class Gone : public ::testing::TestWithParam<Row> {};

TEST_P(Gone, IsRefusedOrEmpty) {
  host::reset();
  for (const How how : {How::moved, How::assigned_from, How::closed}) {
    const Errc outcome = GetParam().run(how);
    EXPECT_TRUE(GetParam().expected.count(outcome) == 1)
        << how << ": " << describe(outcome) << " (" << static_cast<int>(outcome) << ')';
  }
  host::reset();
}

INSTANTIATE_TEST_SUITE_P(Each, Gone, ::testing::ValuesIn(each_row()),
                         [](const ::testing::TestParamInfo<Row>& of_row) {
                           std::string name = std::to_string(of_row.index) + '_' +
                                              of_row.param.type + '_' + of_row.param.member;
                           for (char& letter : name)
                             letter = std::isalnum(letter) != 0 ? letter : '_';
                           return name;
                         });

}  // namespace
}  // namespace gone
}  // namespace warpsafe::handle_test
