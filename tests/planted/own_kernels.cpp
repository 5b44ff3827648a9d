// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Kernels and copies of one program on two streams, with nothing between them.

#include "planted.hpp"

namespace planted {
namespace {

WARPSAFE_KERNEL void produce(float* x) { x[here()] = 1; }
WARPSAFE_KERNEL void overwrite(float* x) { x[here()] = 2; }
WARPSAFE_KERNEL void consume(const float* x, float* y) { y[here()] = x[here()]; }

struct Streams {
  ws::Stream one = ws::Stream::create().value();
  ws::Stream other = ws::Stream::create().value();
  Buffer x = zeros(one);
  Buffer y = zeros(other);

  Streams() {
    one.synchronize().value();
    other.synchronize().value();
  }
  void finish() const {
    one.synchronize().value();
    other.synchronize().value();
  }
};

template <bool Wrong>
void no_event() {
  Streams s;
  ws::launch(s.one, usual, ws::kernel<produce>, s.x.view()).value();
  if (!Wrong) order(s.one, s.other);
  ws::launch(s.other, usual, ws::kernel<consume>, raw(s.x), s.y.view()).value();
  s.finish();
}
template <bool Wrong>
void two_writers() {
  Streams s;
  ws::launch(s.one, usual, ws::kernel<produce>, s.x.view()).value();
  if (!Wrong) order(s.one, s.other);
  ws::launch(s.other, usual, ws::kernel<overwrite>, raw(s.x)).value();
  s.finish();
}
template <bool Wrong>
void copied_in_during_a_kernel() {
  Streams s;
  const std::size_t bytes = count * sizeof(float);
  void* pinned = nullptr;
  if (ws::host_backend::host_allocate(pinned, bytes) != 0) return;
  ws::launch(s.other, usual, ws::kernel<consume>, raw(s.x), s.y.view()).value();
  if (!Wrong) order(s.other, s.one);
  static_cast<void>(ws::host_backend::copy(s.x.view().pointer().get(), pinned, bytes,
                                           ws::CopyKind::host_to_device, s.one.native()));
  s.finish();
  static_cast<void>(ws::host_backend::host_deallocate(pinned));
}
template <bool Wrong>
void event_before_the_producer() {
  Streams s;
  if (Wrong) order(s.one, s.other);
  ws::launch(s.one, usual, ws::kernel<produce>, s.x.view()).value();
  if (!Wrong) order(s.one, s.other);
  ws::launch(s.other, usual, ws::kernel<consume>, raw(s.x), s.y.view()).value();
  s.finish();
}
template <bool Wrong>
void filled_during_a_kernel() {
  Streams s;
  ws::launch(s.other, usual, ws::kernel<consume>, raw(s.x), s.y.view()).value();
  if (!Wrong) order(s.other, s.one);
  s.x.zero(s.one).value();
  s.finish();
}
template <bool Wrong>
void next_round() {
  Streams s;
  ws::launch(s.one, usual, ws::kernel<produce>, s.x.view()).value();
  order(s.one, s.other);
  ws::launch(s.other, usual, ws::kernel<consume>, raw(s.x), s.y.view()).value();
  if (!Wrong) order(s.other, s.one);
  ws::launch(s.one, usual, ws::kernel<overwrite>, s.x.view()).value();
  s.finish();
}

}  // namespace

std::vector<Pair> own_kernels() {
  return {
      {"S01", "a consumer on another stream does not wait for its producer", no_event<true>,
       no_event<false>},
      {"S02", "two kernels write one buffer on two streams", two_writers<true>, two_writers<false>},
      {"S03", "a copy overwrites what a kernel of another stream reads",
       copied_in_during_a_kernel<true>, copied_in_during_a_kernel<false>},
      {"S04", "the event is recorded before the producer", event_before_the_producer<true>,
       event_before_the_producer<false>},
      {"S05", "a fill overwrites what a kernel of another stream reads",
       filled_during_a_kernel<true>, filled_during_a_kernel<false>},
      {"S06", "the next round overwrites what the last one still reads", next_round<true>,
       next_round<false>},
  };
}

}  // namespace planted
