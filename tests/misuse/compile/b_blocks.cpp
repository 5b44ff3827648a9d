// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "launches.hpp"

namespace ws = warpsafe;

// B01: The block has 2048 threads.
auto b01_block_of_2048() {
#ifdef MISUSE
  // expected-error {{"more than 1024 threads along one axis"}}
  return ws::block<2048>;
#else
  return ws::block<1024>;
#endif
}

// B01: The block has 2048 threads in two axes, each of them legal alone.
auto b01b_block_of_32_by_64() {
#ifdef MISUSE
  // expected-error {{"more than 1024 threads per block"}}
  return ws::block<32, 64>;
#else
  return ws::block<32, 32>;
#endif
}

// B01: The block has 2048 threads in three axes.
auto b01c_block_of_three_axes() {
#ifdef MISUSE
  // expected-error {{"more than 1024 threads per block"}}
  return ws::block<16, 16, 8>;
#else
  return ws::block<16, 16, 4>;
#endif
}

// B01: The block has 2048 threads along y.
auto b01d_long_second_axis() {
#ifdef MISUSE
  // expected-error {{"more than 1024 threads along one axis"}}
  return ws::block<1, 2048>;
#else
  return ws::block<1, 1024>;
#endif
}

// B01: The kernel declares more threads than any block can have.
auto b01e_declared_maximum_over_the_limit(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"a block has 1 to 1024 threads"}}
  return ws::launch(stream, config, ws::kernel<nothing, ws::max_threads<2048>>);
#else
  return ws::launch(stream, config, ws::kernel<nothing, ws::max_threads<1024>>);
#endif
}

// B01: The block has 1025 threads, as a number of 64 bits.
auto b01f_block_in_a_wider_type() {
#ifdef MISUSE
  // expected-error {{"more than 1024 threads along one axis"}}
  return ws::block<1025ULL>;
#else
  return ws::block<1024ULL>;
#endif
}

// B03: The block has 512 threads, and the kernel is compiled for 256.
auto b03_more_than_max_threads(ws::StreamRef stream) {
  const auto config = ws::configure(ws::grid<1>, ws::block<512>);
#ifdef MISUSE
  // expected-error {{"more threads than the kernel's declared maximum"}}
  return ws::launch(stream, config, ws::kernel<nothing, ws::max_threads<256>>);
#else
  return ws::launch(stream, config, ws::kernel<nothing, ws::max_threads<512>>);
#endif
}

// B03: The attribute carries the bound as well.
namespace b03b_more_than_launch_bounds {

using Narrow = ws::launch_bounds<256, 2>;
using Wide = ws::launch_bounds<512, 2>;

WARPSAFE_KERNEL void WARPSAFE_LAUNCH_BOUNDS(Wide::threads, Wide::min_blocks) bounded() {}

auto launched(ws::StreamRef stream) {
  const auto config = ws::configure(ws::grid<1>, ws::block<512>);
#ifdef MISUSE
  // expected-error {{"more threads than the kernel's declared maximum"}}
  return ws::launch(stream, config, ws::kernel<bounded, Narrow>);
#else
  return ws::launch(stream, config, ws::kernel<bounded, Wide>);
#endif
}

}  // namespace b03b_more_than_launch_bounds

// B03: The kernel declares two bounds, and the block exceeds the smaller one.
auto b03c_more_than_the_stricter_of_two(ws::StreamRef stream) {
  const auto config = ws::configure(ws::grid<1>, ws::block<512>);
#ifdef MISUSE
  // expected-error {{"more threads than the kernel's declared maximum"}}
  return ws::launch(stream, config,
                    ws::kernel<nothing, ws::max_threads<1024>, ws::max_threads<256>>);
#else
  return ws::launch(stream, config, ws::kernel<nothing, ws::max_threads<1024>>);
#endif
}

// B03: The block comes with the grid.
namespace b03d_covered_with_too_large_a_block {

WARPSAFE_KERNEL void fill(float*, int) {}

auto launched(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"more threads than the kernel's declared maximum"}}
  return ws::launch(stream, config, ws::kernel<fill, ws::max_threads<128>>, data, n);
#else
  return ws::launch(stream, config, ws::kernel<fill, ws::max_threads<256>>, data, n);
#endif
}

}  // namespace b03d_covered_with_too_large_a_block

// B03: The declared maximum is -1, which means "none" elsewhere.
auto b03e_negative_maximum(ws::StreamRef stream) {
  const auto config = ws::configure(ws::grid<4>, ws::block<256>);
#ifdef MISUSE
  // expected-error {{"a block has 1 to 1024 threads"}}
  return ws::launch(stream, config, ws::kernel<nothing, ws::max_threads<-1>>);
#else
  return ws::launch(stream, config, ws::kernel<nothing, ws::max_threads<256>>);
#endif
}

// B03: The second bound counts blocks of a multiprocessor, and none holds more than 1024.
auto b03f_more_blocks_than_a_multiprocessor_holds() {
#ifdef MISUSE
  // expected-error {{"at least one block fits on a multiprocessor"}}
  return ws::launch_bounds<256, 1025>::min_blocks;
#else
  return ws::launch_bounds<256, 1024>::min_blocks;
#endif
}

// B05: The block has 128 threads along z, which AMD allows and CUDA does not.
auto b05_long_third_axis() {
#ifdef MISUSE
  // expected-error {{"block.z is more than 64"}}
  return ws::block<1, 1, 128>;
#else
  return ws::block<128>;
#endif
}

// B05: The block has one thread more along z than CUDA allows.
auto b05b_third_axis_of_65() {
#ifdef MISUSE
  // expected-error {{"block.z is more than 64"}}
  return ws::block<1, 1, 65>;
#else
  return ws::block<1, 1, 64>;
#endif
}

// B06: No device has this warp size.
auto b06_warp_of_16(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"warps have 32 or 64 threads"}}
  return ws::launch(stream, config, ws::kernel<nothing, ws::requires_warp<16>>);
#else
  return ws::launch(stream, config, ws::kernel<nothing, ws::requires_warp<32>>);
#endif
}

// B06: The kernel reduces whole warps, and the block has 33 threads.
auto b06b_block_that_splits_a_warp(ws::StreamRef stream) {
  constexpr auto reduce = ws::kernel<nothing, ws::block_multiple_of<32>>;
#ifdef MISUSE
  // expected-error {{"not a multiple of what the kernel declares"}}
  return ws::launch(stream, ws::configure(ws::grid<1>, ws::block<33>), reduce);
#else
  return ws::launch(stream, ws::configure(ws::grid<1>, ws::block<32>), reduce);
#endif
}

// B06: The block would be a multiple of more threads than a block has.
auto b06c_multiple_of_more_than_a_block() {
#ifdef MISUSE
  // expected-error {{"a block has 1 to 1024 threads"}}
  return ws::block_multiple_of<1025>::its_block_multiple;
#else
  return ws::block_multiple_of<1024>::its_block_multiple;
#endif
}
