// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "planted.hpp"

namespace planted {
namespace {

// The kernels of a small network. `Wrong` plants the mistake.

WARPSAFE_KERNEL void quantize(const float* in, float* out) { out[here()] = in[here()] / 2; }
WARPSAFE_KERNEL void quantize_early(const float* in, float* out) {
  ws::allow_dependents();
  out[here()] = in[here()] / 2;
}
WARPSAFE_KERNEL void clear(float* out) { out[here()] = 0; }
WARPSAFE_KERNEL void copy_waiting(const float* in, float* out) {
  ws::wait_for_predecessor();
  out[here()] = in[here()];
}

template <bool Wrong>
void normalize(const float* in, float* out) {
  if (!Wrong) ws::wait_for_predecessor();
  const float value = in[here()];
  if (Wrong) ws::wait_for_predecessor();
  out[here()] = value * value;
}
template <bool Wrong>
void reads_input_first() {
  const auto stream = ws::Stream::create().value();
  auto x = zeros(stream);
  auto y = zeros(stream);
  auto z = zeros(stream);
  ws::launch(stream, usual, ws::kernel<quantize, ws::waits_for_predecessor>, x.view(), y.view())
      .value();
  ws::launch(stream, early, ws::kernel<normalize<Wrong>, ws::waits_for_predecessor>, y.view(),
             z.view())
      .value();
  stream.synchronize().value();
}

template <bool Wrong>
void multiply(const float* in, float* out) {
  if (!Wrong) ws::wait_for_predecessor();
  out[here()] = 3 * in[here()];
}
template <bool Wrong>
void has_no_wait() {
  const auto stream = ws::Stream::create().value();
  auto x = zeros(stream);
  auto y = zeros(stream);
  auto z = zeros(stream);
  ws::launch(stream, usual, ws::kernel<quantize, ws::waits_for_predecessor>, x.view(), y.view())
      .value();
  ws::launch(stream, early, ws::kernel<multiply<Wrong>, ws::waits_for_predecessor>, y.view(),
             z.view())
      .value();
  stream.synchronize().value();
}

template <bool Wrong>
void touches_other_memory(const float* in, float* out) {
  if (!Wrong) ws::wait_for_predecessor();
  out[here()] = in[here()];
}
template <bool Wrong>
void wait_covers_one_kernel() {
  const auto stream = ws::Stream::create().value();
  auto counts = zeros(stream);
  auto x = zeros(stream);
  auto y = zeros(stream);
  auto z = zeros(stream);
  ws::launch(stream, usual, ws::kernel<quantize, ws::waits_for_predecessor>, x.view(),
             counts.view())
      .value();
  ws::launch(stream, early, ws::kernel<touches_other_memory<Wrong>, ws::waits_for_predecessor>,
             x.view(), y.view())
      .value();
  ws::launch(stream, early, ws::kernel<copy_waiting, ws::waits_for_predecessor>, counts.view(),
             z.view())
      .value();
  stream.synchronize().value();
}

/// Loads in its constructor, as a fused epilogue does.
struct Epilogue {
  explicit Epilogue(const float* residual) : value(residual[here()]) {}
  float value;
};
template <bool Wrong>
void fused(const float* residual, float* out) {
  if constexpr (Wrong) {
    const Epilogue epilogue(residual);
    ws::wait_for_predecessor();
    out[here()] = epilogue.value;
  } else {
    ws::wait_for_predecessor();
    const Epilogue epilogue(residual);
    out[here()] = epilogue.value;
  }
}
template <bool Wrong>
void constructor_reads() {
  const auto stream = ws::Stream::create().value();
  auto x = zeros(stream);
  auto y = zeros(stream);
  auto z = zeros(stream);
  ws::launch(stream, usual, ws::kernel<quantize_early, ws::waits_for_predecessor>, x.view(),
             y.view())
      .value();
  ws::launch(stream, early, ws::kernel<fused<Wrong>, ws::waits_for_predecessor>, y.view(), z.view())
      .value();
  stream.synchronize().value();
}

template <bool Wrong>
void masked(unsigned blocks_with_mask, const float* in, float* out) {
  const bool has_mask = ws::block_index().x < blocks_with_mask;
  if (!Wrong || !has_mask) ws::wait_for_predecessor();
  out[here()] = has_mask ? in[here()] : 2 * in[here()];
}
template <bool Wrong>
void one_path_waits() {
  const auto stream = ws::Stream::create().value();
  auto x = zeros(stream);
  auto y = zeros(stream);
  auto z = zeros(stream);
  ws::launch(stream, usual, ws::kernel<quantize, ws::waits_for_predecessor>, x.view(), y.view())
      .value();
  ws::launch(stream, early, ws::kernel<masked<Wrong>, ws::waits_for_predecessor>, 1, y.view(),
             z.view())
      .value();
  stream.synchronize().value();
}

template <bool Wrong>
void warp_specialized(const float* in, float* out) {
  auto* const tile = ws::shared_array<float, 64>([] {});
  const unsigned thread = ws::thread_in_block().x;
  if (thread < 32) ws::wait_for_predecessor();
  if (!Wrong) ws::sync_block();
  tile[thread] = in[here()];
  ws::sync_block();
  out[here()] = tile[63 - thread];
}
template <bool Wrong>
void one_warp_waits() {
  const auto stream = ws::Stream::create().value();
  auto x = zeros(stream);
  auto y = zeros(stream);
  auto z = zeros(stream);
  ws::launch(stream, usual, ws::kernel<quantize, ws::waits_for_predecessor>, x.view(), y.view())
      .value();
  ws::launch(stream, early, ws::kernel<warp_specialized<Wrong>, ws::waits_for_predecessor>,
             y.view(), z.view())
      .value();
  stream.synchronize().value();
}

template <bool Wrong>
void clear_and_add(const float* in, float* sums) {
  if (!Wrong) ws::wait_for_predecessor();
  sums[here()] = 0;
  if (Wrong) ws::wait_for_predecessor();
  sums[here()] += in[here()];
}
template <bool Wrong>
void clears_output_first() {
  const auto stream = ws::Stream::create().value();
  auto x = zeros(stream);
  auto sums = zeros(stream);
  ws::launch(stream, usual, ws::kernel<quantize, ws::waits_for_predecessor>, x.view(), sums.view())
      .value();
  ws::launch(stream, early, ws::kernel<clear_and_add<Wrong>, ws::waits_for_predecessor>, x.view(),
             sums.view())
      .value();
  stream.synchronize().value();
}

template <bool Wrong>
void refill(float* input) {
  if (!Wrong) ws::wait_for_predecessor();
  input[here()] = 4;
  if (Wrong) ws::wait_for_predecessor();
}
template <bool Wrong>
void overwrites_what_is_read() {
  const auto stream = ws::Stream::create().value();
  auto x = zeros(stream);
  auto y = zeros(stream);
  ws::launch(stream, usual, ws::kernel<quantize_early, ws::waits_for_predecessor>, x.view(),
             y.view())
      .value();
  ws::launch(stream, early, ws::kernel<refill<Wrong>, ws::waits_for_predecessor>, x.view()).value();
  stream.synchronize().value();
}

template <bool Wrong>
void middle(const float* in, float* out) {
  if (Wrong) ws::allow_dependents();
  ws::wait_for_predecessor();
  if (!Wrong) ws::allow_dependents();
  out[here()] = in[here()];
}
/// Prefetches what the kernel before the kernel before it writes.
WARPSAFE_KERNEL void prefetch(const float* table, const float* in, float* out) {
  const float value = table[here()];
  ws::wait_for_predecessor();
  out[here()] = value + in[here()];
}
template <bool Wrong>
void trigger_before_wait() {
  const auto stream = ws::Stream::create().value();
  auto x = zeros(stream);
  auto table = zeros(stream);
  auto y = zeros(stream);
  auto z = zeros(stream);
  ws::launch(stream, usual, ws::kernel<quantize_early, ws::waits_for_predecessor>, x.view(),
             table.view())
      .value();
  ws::launch(stream, early, ws::kernel<middle<Wrong>, ws::waits_for_predecessor>, x.view(),
             y.view())
      .value();
  ws::launch(stream, early, ws::kernel<prefetch, ws::waits_for_predecessor>, table.view(), y.view(),
             z.view())
      .value();
  stream.synchronize().value();
}

template <bool Wrong>
void leaves_early(unsigned n, const float* in, float* out) {
  if (Wrong && here() >= n) {
    out[here()] = in[here()];
    return;
  }
  ws::wait_for_predecessor();
  out[here()] = in[here()];
}
template <bool Wrong>
void rest_does_not_wait() {
  const auto stream = ws::Stream::create().value();
  auto x = zeros(stream);
  auto y = zeros(stream);
  auto z = zeros(stream);
  ws::launch(stream, usual, ws::kernel<quantize, ws::waits_for_predecessor>, x.view(), y.view())
      .value();
  ws::launch(stream, early, ws::kernel<leaves_early<Wrong>, ws::waits_for_predecessor>, count - 1,
             y.view(), z.view())
      .value();
  stream.synchronize().value();
}

template <bool Wrong>
void pipelined(const float* in, float* out) {
  float sum = 0;
  for (unsigned stage = 0; stage < 3; ++stage) {
    if (stage == (Wrong ? 1U : 0U)) ws::wait_for_predecessor();
    sum += in[(here() + stage) % count];
  }
  out[here()] = sum;
}
template <bool Wrong>
void waits_in_the_second_stage() {
  const auto stream = ws::Stream::create().value();
  auto x = zeros(stream);
  auto y = zeros(stream);
  auto z = zeros(stream);
  ws::launch(stream, usual, ws::kernel<quantize, ws::waits_for_predecessor>, x.view(), y.view())
      .value();
  ws::launch(stream, early, ws::kernel<pipelined<Wrong>, ws::waits_for_predecessor>, y.view(),
             z.view())
      .value();
  stream.synchronize().value();
}

template <bool Wrong>
void lengths_first(ws::DeviceSpan<const float> lengths, const float* in, float* out) {
  if (!Wrong) ws::wait_for_predecessor();
  const bool used = here() < lengths.size() && lengths[here()] >= 0;
  if (Wrong) ws::wait_for_predecessor();
  if (used) out[here()] = in[here()];
}
template <bool Wrong>
void bound_is_read_first() {
  const auto stream = ws::Stream::create().value();
  auto lengths = zeros(stream);
  auto x = zeros(stream);
  auto y = zeros(stream);
  ws::launch(stream, usual, ws::kernel<quantize, ws::waits_for_predecessor>, x.view(),
             lengths.view())
      .value();
  ws::launch(stream, early, ws::kernel<lengths_first<Wrong>, ws::waits_for_predecessor>,
             lengths.view(), x.view(), y.view())
      .value();
  stream.synchronize().value();
}

WARPSAFE_KERNEL void count_up(float* counter) { ws::atomic_add(counter, 1.0F); }
template <bool Wrong>
void count_first(float* counter, float* out) {
  if (!Wrong) ws::wait_for_predecessor();
  const float ticket = ws::atomic_add(counter, 1.0F);
  if (Wrong) ws::wait_for_predecessor();
  out[here()] = ticket;
}
template <bool Wrong>
void counter_is_not_reset() {
  const auto stream = ws::Stream::create().value();
  auto counter = zeros(stream);
  auto out = zeros(stream);
  ws::launch(stream, usual, ws::kernel<count_up, ws::waits_for_predecessor>, counter.view())
      .value();
  ws::launch(stream, usual, ws::kernel<clear, ws::waits_for_predecessor>, counter.view()).value();
  ws::launch(stream, early, ws::kernel<count_first<Wrong>, ws::waits_for_predecessor>,
             counter.view(), out.view())
      .value();
  stream.synchronize().value();
}

template <bool Wrong>
void alternate(const float* in, float* out) {
  ws::allow_dependents();
  if (!Wrong) ws::wait_for_predecessor();
  out[here()] = in[here()] + 1;
  if (Wrong) ws::wait_for_predecessor();
}
template <bool Wrong>
void iteration_reads_too_early() {
  const auto stream = ws::Stream::create().value();
  auto x = zeros(stream);
  auto y = zeros(stream);
  for (int i = 0; i < 4; ++i) {
    ws::launch(stream, early, ws::kernel<alternate<Wrong>, ws::waits_for_predecessor>, x.view(),
               y.view())
        .value();
    ws::launch(stream, early, ws::kernel<alternate<Wrong>, ws::waits_for_predecessor>, y.view(),
               x.view())
        .value();
  }
  stream.synchronize().value();
}

}  // namespace

std::vector<Pair> dependent_launches() {
  return {
      {"D01", "a kernel reads its input, then waits", reads_input_first<true>,
       reads_input_first<false>},
      {"D02", "a kernel never waits", has_no_wait<true>, has_no_wait<false>},
      {"D03", "the second of three kernels never waits", wait_covers_one_kernel<true>,
       wait_covers_one_kernel<false>},
      {"D04", "a constructor reads the input before the wait", constructor_reads<true>,
       constructor_reads<false>},
      {"D05", "blocks with a mask do not wait", one_path_waits<true>, one_path_waits<false>},
      {"D06", "one warp waits, and the others do not wait for it", one_warp_waits<true>,
       one_warp_waits<false>},
      {"D07", "a kernel clears its output before the wait", clears_output_first<true>,
       clears_output_first<false>},
      {"D08", "a kernel overwrites what its predecessor still reads", overwrites_what_is_read<true>,
       overwrites_what_is_read<false>},
      {"D09", "a kernel triggers before it waits, and the next one reads its grandparent's output",
       trigger_before_wait<true>, trigger_before_wait<false>},
      {"D10", "the threads past the end read without a wait", rest_does_not_wait<true>,
       rest_does_not_wait<false>},
      {"D11", "the first stage of a pipeline reads before the wait",
       waits_in_the_second_stage<true>, waits_in_the_second_stage<false>},
      {"D12", "a bound is read before the wait", bound_is_read_first<true>,
       bound_is_read_first<false>},
      {"D13", "a kernel counts before its predecessor has reset the counter",
       counter_is_not_reset<true>, counter_is_not_reset<false>},
      {"D14", "each iteration triggers at once, and reads before the wait",
       iteration_reads_too_early<true>, iteration_reads_too_early<false>},
  };
}

}  // namespace planted
