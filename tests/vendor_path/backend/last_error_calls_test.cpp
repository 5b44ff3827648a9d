// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Every public call that touches the runtime leaves another code's error in the runtime's
// last-error slot untouched. last_error_calls.py compares the names with the headers, and so finds
// a new call without a line here.
#include "../../misuse/runtime/library.hpp"
#include "../kernels.hpp"
#include "last_error_fixture.hpp"
#include <warpsafe/compare.hpp>
#include <warpsafe/graph.hpp>
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/launch/check.hpp>
#include <warpsafe/launch/kernel_report.hpp>
#include <warpsafe/launch/occupancy.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/copy.hpp>
#include <warpsafe/memory/managed_buffer.hpp>
#include <warpsafe/memory/memory_info.hpp>
#include <warpsafe/memory/pinned_buffer.hpp>
#include <warpsafe/memory/pitched_buffer.hpp>
#include <warpsafe/memory/synchronize.hpp>
#include <warpsafe/module.hpp>

#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

namespace vendor_test {
namespace {

namespace ws = warpsafe;

class LastErrorCalls : public LastErrorTest {
 protected:
  /// Makes the call with a code in the slot. It succeeds, and the slot still has the code.
  template <class Call>
  [[nodiscard]] static auto untouched_value(const char* name, Call&& call) {
    std::optional<decltype(call())> made;
    expect_untouched([&] { made.emplace(std::forward<Call>(call)()); }, name);
    auto outcome = *std::move(made);
    if constexpr (requires { outcome.error(); }) {
      EXPECT_THAT(outcome, Succeeds()) << name;
    }
    return outcome;
  }
  template <class Call>
  static void untouched(const char* name, Call&& call) {
    static_cast<void>(untouched_value(name, std::forward<Call>(call)));
  }
};

TEST_F(LastErrorCalls, Devices) {
  untouched("device_count", [] { return ws::device_count(); });
  untouched("current_device", [] { return ws::current_device(); });
  untouched("device_limits", [] { return ws::device_limits(ws::DeviceId(5)); });
  untouched("memory_info", [] { return ws::memory_info(ws::DeviceId(0)); });
  auto guard = untouched_value("basic_device_guard::create", [] {
                 return ws::DeviceGuard::create(ws::DeviceId(6));
               }).value();
  untouched("basic_device_guard::close", [&] { return guard.close(); });
  expect_untouched([] { EXPECT_THAT(ws::DeviceGuard::create(ws::DeviceId(6)), Succeeds()); });
}

TEST_F(LastErrorCalls, Modules) {
  const auto stream = make_stream();
  auto module = untouched_value("basic_module::load_file", [] {
                  return ws::Module::load_file(VENDOR_TEST_MODULE);
                }).value();
  untouched("basic_module::load", [] {
    std::vector<char> image(1 << 16U);
    std::FILE* const file = std::fopen(VENDOR_TEST_MODULE, "rb");
    image.resize(std::fread(image.data(), 1, image.size(), file));
    EXPECT_EQ(std::fclose(file), 0);
    return ws::Module::load(image);
  });
  const auto kernel = untouched_value("basic_module::kernel", [&] {
                        return module.kernel<void(int*)>("bounded");
                      }).value();
  const ws::LaunchConfig config{ws::grid<1>, ws::block<64>};
  untouched("occupancy", [&] { return ws::occupancy(stream, config, kernel); });
  char text[512];
  untouched("format_kernel", [&] { return ws::format_kernel(stream, kernel, text, sizeof text); });
  untouched("launch", [&] { return ws::launch(stream, config, kernel, nullptr); });
  untouched("basic_module::close", [&] { return module.close(); });
}

TEST_F(LastErrorCalls, Streams) {
  auto stream =
      untouched_value("basic_stream::create", [] { return ws::Stream::create(); }).value();
  untouched("basic_stream::synchronize", [&] { return stream.synchronize(); });
  untouched("basic_stream::ready", [&] { return stream.ready(); });
  untouched("basic_stream::query", [&] { return stream.query(); });
  untouched("basic_stream::record", [&] { return stream.record(); });
  untouched("basic_stream::record_timed", [&] { return stream.record_timed(); });
  const auto ref = untouched_value("basic_stream_ref::borrow", [&] {
                     return ws::StreamRef::borrow(stream.native(), stream.device());
                   }).value();
  untouched("basic_stream_ref::synchronize", [&] { return ref.synchronize(); });
  untouched("basic_stream_ref::ready", [&] { return ref.ready(); });
  untouched("basic_stream_ref::query", [&] { return ref.query(); });
  untouched("basic_stream_ref::record", [&] { return ref.record(); });
  untouched("basic_stream_ref::record_timed", [&] { return ref.record_timed(); });
  untouched("basic_stream::close", [&] { return stream.close(); });
  expect_untouched([] {
    ws::Stream one = make_stream();
    one = make_stream();
  });
}

TEST_F(LastErrorCalls, Events) {
  const ws::Stream stream = make_stream();
  const ws::Stream other = make_stream();
  auto event = untouched_value("basic_event::create", [&] { return ws::Event::create(stream); });
  untouched("basic_event::synchronize", [&] { return event.value().synchronize(); });
  untouched("basic_event::record", [&] { return event.value().record(stream); });
  untouched("basic_event::ready", [&] { return event.value().ready(); });
  untouched("basic_event::query", [&] { return event.value().query(); });
  untouched("wait", [&] { return ws::wait(other, event.value()); });
  const auto begin = ws::TimedEvent::create(stream);
  const auto end = ws::TimedEvent::create(stream);
  untouched("elapsed_ms", [&] { return ws::elapsed_ms(begin.value(), end.value()); });
  expect_untouched([&] { EXPECT_THAT(ws::Event::create(stream), Succeeds()); });
}

TEST_F(LastErrorCalls, Launches) {
  const ws::Stream stream = make_stream();
  untouched("launch", [&] { return ws::launch(stream, plain, ws::kernel<nothing>); });
  untouched("launch",
            [&] { return ws::launch<ws::CheckLevel::off>(stream, plain, ws::kernel<nothing>); });
  untouched("check", [&] { return ws::check(ws::kernel<nothing>, 1, 64, 0, stream.native()); });
  untouched("kernel_limits", [&] { return ws::kernel_limits(stream, ws::kernel<floats>); });
  untouched("max_resident_blocks",
            [&] { return ws::max_resident_blocks(stream, ws::kernel<floats>, ws::block<64>); });
}

TEST_F(LastErrorCalls, Buffers) {
  const ws::Stream stream = make_stream();
  const ws::Stream other = make_stream();
  const std::vector<int> values{1, 2, 3};
  using Buffer = ws::DeviceBuffer<int>;
  auto buffer = untouched_value("basic_device_buffer::create", [&] {
                  return Buffer::create(stream, 3);
                }).value();
  auto source = untouched_value("basic_device_buffer::from", [&] {
                  return Buffer::from(stream, values);
                }).value();
  untouched("basic_device_buffer::zero", [&] { return buffer.zero(stream); });
  untouched("basic_device_buffer::fill_bytes",
            [&] { return buffer.fill_bytes(stream, std::byte{1}); });
  untouched("basic_device_buffer::used_on", [&] { return buffer.used_on(other); });
  untouched("copy", [&] { return ws::copy(stream, ws::from(source), ws::to(buffer)); });
  untouched("copy_and_wait",
            [&] { return ws::copy_and_wait(stream, ws::from(values), ws::to(buffer)); });
  untouched("compare", [&] { return ws::compare(stream, buffer, values); });
  untouched("basic_device_buffer::to_host", [&] { return buffer.to_host(stream).get(); });
  auto pending = buffer.to_host(stream);
  untouched("basic_pending::ready", [&] { return pending.ready(); });
  untouched("basic_pending::get", [&] { return std::move(pending).get(); });
  untouched("basic_pending::discard", [&] { return buffer.to_host(stream).discard(); });
  untouched("synchronize", [&] { return ws::synchronize(stream, buffer.to_host(stream)); });
  expect_untouched([&] { static_cast<void>(buffer.to_host(stream)); });
  untouched("basic_device_buffer::close", [&] { return buffer.close(); });
  expect_untouched([&] { EXPECT_THAT(Buffer::create(stream, 3), Succeeds()); });
  auto pinned = untouched_value("basic_pinned_buffer::create", [] {
                  return ws::PinnedBuffer<int>::create(3);
                }).value();
  untouched("basic_pinned_buffer::close", [&] { return pinned.close(); });
  expect_untouched([] { EXPECT_THAT(ws::PinnedBuffer<int>::create(3), Succeeds()); });
}

TEST_F(LastErrorCalls, MatricesAndManagedMemory) {
  const ws::Stream stream = make_stream();
  const ws::Stream other = make_stream();
  const std::vector<int> values(15);
  using Matrix = ws::PitchedBuffer<int>;
  auto matrix = untouched_value("basic_pitched_buffer::create", [&] {
                  return Matrix::create(stream, ws::extent<2>{ws::rows{3}, ws::cols{5}});
                }).value();
  untouched("basic_pitched_buffer::zero", [&] { return matrix.zero(stream); });
  untouched("basic_pitched_buffer::fill_bytes",
            [&] { return matrix.fill_bytes(stream, std::byte{1}); });
  untouched("basic_pitched_buffer::used_on", [&] { return matrix.used_on(other); });
  untouched("basic_pitched_buffer::to_host", [&] { return matrix.to_host(stream).get(); });
  const auto view = matrix.view();
  const ws::extent<2> none{ws::rows{0}, ws::cols{0}};
  untouched("PitchedView::row", [&] { return view.row(0); });
  untouched("PitchedView::window", [&] { return view.window(none, none); });
  untouched("basic_pitched_buffer::close", [&] { return matrix.close(); });
  auto managed = untouched_value("basic_managed_buffer::create", [&] {
                   return ws::ManagedBuffer<int>::create(stream, 3);
                 }).value();
  auto token = std::move(managed).to_host(stream);
  untouched("basic_managed_buffer::to_host", [&] { return std::move(token).get(); });
}

TEST_F(LastErrorCalls, CapturesAndGraphs) {
  const ws::Stream stream = make_stream();
  const ws::Stream other = make_stream();
  const auto buffer = ws::DeviceBuffer<float>::create(stream, 3).value();
  const auto body = [&](ws::Capture& capture) {
    return ws::launch(capture.stream(), plain, ws::kernel<nothing>);
  };
  auto open = untouched_value("basic_capture::begin", [&] { return ws::Capture::begin(stream); });
  untouched("launch", [&] { return ws::launch(stream, plain, ws::kernel<nothing>); });
  untouched("basic_capture::keep", [&] { return open.value().keep(buffer.keep()); });
  auto graph =
      untouched_value("basic_capture::end", [&] { return std::move(open).value().end(); }).value();
  untouched("basic_graph::node_count", [&] { return graph.node_count(); });
  untouched("basic_graph::keep", [&] { return graph.keep(buffer.keep()); });
  auto exec =
      untouched_value("basic_graph::instantiate", [&] { return graph.instantiate(); }).value();
  untouched("basic_executable_graph::launch", [&] { return exec.launch(stream); });
  untouched("basic_executable_graph::update", [&] { return exec.update(graph); });
  untouched("recapture", [&] { return ws::recapture(exec, stream, body); });
  untouched("capture", [&] { return ws::capture(stream, body); });
  untouched("basic_executable_graph::close", [&] { return exec.close(); });
  untouched("basic_graph::close", [&] { return graph.close(); });
  expect_untouched([&] { EXPECT_THAT(ws::Capture::begin(stream), Succeeds()); });
}

TEST_F(LastErrorCalls, LibraryHandles) {
  using misuse_test::Library;
  const ws::Stream stream = make_stream();
  const ws::Stream other = make_stream();
  auto library =
      untouched_value("StreamBound::create", [&] { return Library::create(stream); }).value();
  untouched("StreamBound::call", [&] { return library.call<misuse_test::library_work>(1); });
  misuse_test::LibraryHandle raw = nullptr;
  misuse_test::library_create(&raw);
  auto adopted =
      untouched_value("StreamBound::adopt", [&] { return Library::adopt(raw, stream); }).value();
  auto moved = untouched_value("StreamBound::rebind", [&] {
                 return std::move(adopted).rebind(other);
               }).value();
  untouched("StreamBound::close", [&] { return moved.close(); });
  expect_untouched([&] { EXPECT_THAT(Library::create(stream), Succeeds()); });
}

}  // namespace
}  // namespace vendor_test
