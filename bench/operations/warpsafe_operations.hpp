// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The operations by warpsafe, at the check level of the file that includes this. Everything is
// local to that file.

#include "operation.hpp"
#include <warpsafe/graph.hpp>
#include <warpsafe/handles/cublas.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/warpsafe.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace {

namespace ws = warpsafe;

WARPSAFE_KERNEL void nothing(float, const float*, float*, std::size_t) {}

struct Objects {
  ws::Stream stream = operations::must(ws::Stream::create());
  ws::Stream other = operations::must(ws::Stream::create());
  ws::DeviceBuffer<float> x =
      operations::must(ws::DeviceBuffer<float>::create(stream, operations::count));
  ws::DeviceBuffer<float> y =
      operations::must(ws::DeviceBuffer<float>::create(stream, operations::count));
  ws::StreamBound<cublasHandle_t> blas =
      operations::must(ws::StreamBound<cublasHandle_t>::create(stream));
  ws::Event kept = operations::must(stream.record());
  std::vector<float> host = std::vector<float>(operations::count, 1.0F);
  std::vector<ws::ExecutableGraph> graph;

  ws::result<void> launch_on(ws::StreamRef where) {
    return ws::launch(where, ws::SafeGrid<>::cover(x.size(), ws::block<256>), ws::kernel<nothing>,
                      2.0F, std::as_const(x).view(), y.view(), x.size());
  }
  ws::ExecutableGraph instantiated() {
    const auto captured =
        operations::must(ws::capture(stream, [&](ws::Capture&) { return launch_on(stream); }));
    return operations::must(captured.instantiate());
  }
};

void add_all(const std::string& way) {
  const auto all = std::make_shared<Objects>();
  const auto add = [&](const char* name, auto operation) {
    operations::add(name, way, [all, operation]() { operation(*all); });
  };
  using operations::must;
  add(operations::allocation, [](Objects& o) {
    auto made = must(ws::DeviceBuffer<float>::create(o.stream, operations::count));
    must(made.close());
  });
  add(operations::upload,
      [](Objects& o) { must(ws::copy_and_wait(o.stream, ws::from(o.host), ws::to(o.x))); });
  add(operations::download, [](Objects& o) { operations::use(must(o.x.to_host(o.stream).get())); });
  add(operations::copying,
      [](Objects& o) { must(ws::copy(o.stream, ws::from(std::as_const(o.x)), ws::to(o.y))); });
  add(operations::fill, [](Objects& o) { must(o.x.zero(o.stream)); });
  add(operations::kept_event, [](Objects& o) {
    must(o.kept.record(o.stream));
    must(ws::wait(o.other, o.kept));
  });
  add(operations::new_event, [](Objects& o) {
    const auto event = must(o.stream.record());
    must(ws::wait(o.other, event));
  });
  add(operations::library, [alpha = 1.0F](Objects& o) {
    must(o.blas.call<cublasSaxpy>(static_cast<int>(operations::count), &alpha,
                                  std::as_const(o.x).view(), 1, o.y.view(), 1));
  });
  add(operations::launching, [](Objects& o) { must(o.launch_on(o.stream)); });
  add(operations::foreign_launch, [](Objects& o) { must(o.launch_on(o.other)); });
  // Made at the first launch, because every free looks through the graphs that exist.
  add(operations::graph, [](Objects& o) {
    if (o.graph.empty()) o.graph.push_back(o.instantiated());
    must(o.graph[0].launch(o.stream));
  });
  add(operations::synchronising, [](Objects& o) { must(o.other.synchronize()); });
}

}  // namespace
