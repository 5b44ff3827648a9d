// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "data.hpp"
#include <warpsafe/graph.hpp>
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/memory/buffer.hpp>

#include <utility>

namespace ws = warpsafe;

// E15: These events measure no time.
auto e15_time_between_untimed_events(ws::StreamRef stream) {
#ifdef MISUSE
  // expected-error {{"only a TimedEvent measures time"}}
  return ws::elapsed_ms(ws::Event::create(stream).value(), ws::Event::create(stream).value());
#else
  return ws::elapsed_ms(ws::TimedEvent::create(stream).value(),
                        ws::TimedEvent::create(stream).value());
#endif
}

// E15: Only one of the two events measures time.
auto e15b_one_timed_event(ws::StreamRef stream) {
#ifdef MISUSE
  // expected-error {{"only a TimedEvent measures time"}}
  return ws::elapsed_ms(ws::Event::create(stream).value(), ws::TimedEvent::create(stream).value());
#else
  return ws::elapsed_ms(ws::TimedEvent::create(stream).value(),
                        ws::TimedEvent::create(stream).value());
#endif
}

// E15: A stream waits for a stream, without an event that says how far.
auto e15c_waiting_for_a_stream(ws::StreamRef stream, ws::StreamRef other) {
#ifdef MISUSE
  // expected-error {{"wait(stream, event) takes an Event"}}
  return ws::wait(stream, other);
#else
  return ws::wait(stream, ws::Event::create(other).value());
#endif
}

// E15: The event waits for the stream.
auto e15d_event_and_stream_swapped(ws::StreamRef stream, ws::StreamRef other) {
#ifdef MISUSE
  // expected-error {{"wait(stream, event) takes an Event"}}
  return ws::wait(ws::Event::create(other).value(), stream);
#else
  return ws::wait(stream, ws::Event::create(other).value());
#endif
}

// E15: The event is a result, whose recording may have failed.
auto e15e_event_that_may_not_exist(ws::StreamRef stream, ws::StreamRef other) {
#ifdef MISUSE
  // expected-error {{"this stream or event is a result and may hold an error instead; unwrap it with WARPSAFE_TRY or .value()"}}
  return ws::wait(stream, ws::Event::create(other));
#else
  return ws::wait(stream, ws::Event::create(other).value());
#endif
}

// E15: The stream is a result, whose creation may have failed.
auto e15f_stream_that_may_not_exist(ws::StreamRef other) {
  const auto stream = ws::Stream::create();
#ifdef MISUSE
  // expected-error {{"this stream or event is a result and may hold an error instead; unwrap it with WARPSAFE_TRY or .value()"}}
  return ws::wait(stream, ws::Event::create(other).value());
#else
  return ws::wait(stream.value(), ws::Event::create(other).value());
#endif
}

// E15: The time between events that are results.
auto e15g_timed_events_that_may_not_exist(ws::StreamRef stream) {
#ifdef MISUSE
  // expected-error {{"this event is a result and may hold an error instead; unwrap it with WARPSAFE_TRY or .value()"}}
  return ws::elapsed_ms(ws::TimedEvent::create(stream), ws::TimedEvent::create(stream));
#else
  return ws::elapsed_ms(ws::TimedEvent::create(stream).value(),
                        ws::TimedEvent::create(stream).value());
#endif
}

// E18: The capture is ended, and could be ended again.
auto e18_end_of_a_variable(ws::Capture& capture) {
#ifdef MISUSE
  // expected-error {{"end() consumes the capture; write auto graph = std::move(capture).end()"}}
  return capture.end();
#else
  return std::move(capture).end();
#endif
}

// E18: The default stream is captured.
auto e18b_capture_of_stream_0(const ws::Stream& stream) {
#ifdef MISUSE
  static_cast<void>(stream);
  // expected-error {{"begin a capture on a Stream or StreamRef of its backend"}}
  return ws::Capture::begin(0);
#else
  return ws::Capture::begin(stream);
#endif
}

// E18: The captured function drops its errors.
auto e18c_body_without_a_result(const ws::Stream& stream, const ws::Event& event) {
#ifdef MISUSE
  const auto body = [&](ws::Capture&) { static_cast<void>(ws::wait(stream, event)); };
  // expected-error {{"capture takes a function of the Capture that returns result<void>"}}
  return ws::capture(stream, body);
#else
  const auto body = [&](ws::Capture&) { return ws::wait(stream, event); };
  return ws::capture(stream, body);
#endif
}

// E18: The graph keeps a buffer that its owner keeps too.
void e18d_keep_of_a_variable(ws::Capture& capture, ws::DeviceBuffer<float>& buffer) {
#ifdef MISUSE
  // expected-error {{"keep takes ownership; write keep(std::move(buffer))"}}
  static_cast<void>(capture.keep(buffer));
#else
  static_cast<void>(capture.keep(std::move(buffer)));
#endif
}

// E18: The graph is launched on the default stream.
auto e18e_graph_launched_on_stream_0(ws::ExecutableGraph& graph, const ws::Stream& stream) {
#ifdef MISUSE
  static_cast<void>(stream);
  // expected-error {{"launch a graph on a Stream or StreamRef of its backend"}}
  return graph.launch(0);
#else
  return graph.launch(stream);
#endif
}

// E18: The graph keeps a view, which does not own the memory.
void e18f_keep_of_a_view(ws::Capture& capture, const Buffer& buffer) {
#ifdef MISUSE
  // expected-error {{"this refers to memory without owning it"}}
  static_cast<void>(capture.keep(buffer.view()));
#else
  static_cast<void>(capture.keep(buffer.keep()));
#endif
}

// E18: The graph keeps its own instance, which keeps the graph's buffers.
void e18g_keep_of_an_instance(ws::Graph& graph, ws::ExecutableGraph& exec, Buffer& buffer) {
#ifdef MISUSE
  static_cast<void>(buffer);
  // expected-error {{"a graph that keeps itself or its instance is never destroyed"}}
  static_cast<void>(graph.keep(std::move(exec)));
#else
  static_cast<void>(exec);
  static_cast<void>(graph.keep(std::move(buffer)));
#endif
}
