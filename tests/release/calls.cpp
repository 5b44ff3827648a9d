// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The library's calls of the runtime other than launches: objects that are created, used, waited
// for and destroyed. check_objects.py reads the object code.

#include <warpsafe/graph/capture.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/copy.hpp>
#include <warpsafe/memory/managed_buffer.hpp>
#include <warpsafe/memory/pinned_buffer.hpp>
#include <warpsafe/memory/pitched_buffer.hpp>
#include <warpsafe/memory/synchronize.hpp>
#include <warpsafe/stream/event.hpp>
#include <warpsafe/warpsafe.hpp>

#include <span>
#include <utility>
#include <vector>

namespace ws = warpsafe;

ws::result<float> calls_of_the_runtime(std::span<const float> source) {
  WARPSAFE_TRY(auto stream, ws::Stream::create(ws::DeviceId(0)));
  WARPSAFE_TRY(auto other, ws::Stream::create());
  WARPSAFE_TRY(auto buffer, ws::DeviceBuffer<float>::from(stream, source));
  WARPSAFE_TRY(auto managed, ws::ManagedBuffer<float>::create(stream, source.size()));
  WARPSAFE_TRY(auto pitched,
               ws::PitchedBuffer<float>::create(stream, ws::extent{ws::rows{3}, ws::cols{5}}));
  WARPSAFE_TRY(auto pinned, ws::PinnedBuffer<float>::create(source.size()));
  WARPSAFE_TRYV(buffer.zero(stream));
  WARPSAFE_TRYV(buffer.used_on(other));
  WARPSAFE_TRY(auto begin, stream.record_timed());
  auto copied = ws::copy(stream, ws::from(buffer), ws::to(std::move(pinned)));
  WARPSAFE_TRY(auto end, stream.record_timed());
  WARPSAFE_TRYV(ws::wait(other, end));
  WARPSAFE_TRY(const float ms, ws::elapsed_ms(begin, end));
  WARPSAFE_TRYV(std::move(copied).get());
  WARPSAFE_TRYV(buffer.to_host(stream).get());
  WARPSAFE_TRY(auto capture, ws::Capture::begin(stream));
  WARPSAFE_TRY(auto graph, std::move(capture).end());
  WARPSAFE_TRY(auto executable, graph.instantiate());
  WARPSAFE_TRYV(executable.launch(stream));
  WARPSAFE_TRY([[maybe_unused]] const auto progress, stream.query());
  WARPSAFE_TRYV(stream.synchronize());
  WARPSAFE_TRYV(pitched.close());
  WARPSAFE_TRYV(stream.close());
  return ms;
}
