// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "launches.hpp"

#include <atomic>
#include <cstdint>

namespace ws = warpsafe;

// A01: n + 255 overflows an int before the library sees it.
auto a01_rounded_up_by_hand(int n) {
#ifdef MISUSE
  // expected-error {{"a bare number is not a launch option"}}
  return ws::configure((n + 255) / 256, ws::block<256>);
#else
  return ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#endif
}

// A01: The quotient is in the braces of a LaunchConfig, and the block is a bare number too.
auto a01b_rounded_up_in_braces([[maybe_unused]] int n) {
#ifdef MISUSE
  // expected-error {{"a bare number is not a launch option"}}
  return ws::LaunchConfig{(n + 255) / 256, 256};
#else
  return ws::LaunchConfig{ws::grid<4>, ws::block<256>};
#endif
}

// A01: The quotient is passed to GridDim as if it were a dim3.
auto a01c_rounded_up_into_a_grid_dim(int n) {
#ifdef MISUSE
  // expected-error {{"make a grid from the size that it covers"}}
  return ws::GridDim((n + 255) / 256);
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}

// A01: The quotient is passed to create, which blocks have and grids do not.
auto a01d_rounded_up_into_create(int n) {
#ifdef MISUSE
  // expected-error {{"make a grid from the size that it covers"}}
  return ws::GridDim::create((n + 255) / 256);
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}

// A01: The quotient is passed to the launch, as in <<<>>>.
namespace a01e_rounded_up_in_the_launch {

WARPSAFE_KERNEL void fill(float*, int) {}

auto launched(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the second argument of launch is a LaunchConfig"}}
  return ws::launch(stream, (n + 255) / 256, 256, ws::kernel<fill>, data, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

}  // namespace a01e_rounded_up_in_the_launch

// A01: The quotient is the first of three numbers in braces.
auto a01f_rounded_up_into_grid_braces(int n) {
#ifdef MISUSE
  // expected-error {{"make a grid from the size that it covers"}}
  return ws::GridDim{(n + 255) / 256, 1, 1};
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}

// A03: A dim3 keeps the low 32 bits of 2^32 + 1, so one block runs.
auto a03_static_grid_over_32_bits() {
#ifdef MISUSE
  // expected-error {{"a grid has at most 2147483647 blocks"}}
  return ws::grid<(1LL << 32) + 1>;
#else
  return ws::grid<(1LL << 16) + 1>;
#endif
}

// A03: A dim3 keeps the low 32 bits of 2^32 + 256, so the block has 256 threads.
auto a03b_static_block_over_32_bits() {
#ifdef MISUSE
  // expected-error {{"more than 1024 threads along one axis"}}
  return ws::block<(1LL << 32) + 256>;
#else
  return ws::block<256>;
#endif
}

// A03: No grid of such blocks covers this constant count.
auto a03c_static_count_over_a_grid() {
#ifdef MISUSE
  // expected-error {{"this count needs a larger grid than any device allows"}}
  return ws::SafeGrid<>::cover(ws::count<(1LL << 31)>, ws::block<1>);
#else
  return ws::SafeGrid<>::cover(ws::count<(1LL << 31)>, ws::block<1024>);
#endif
}

// A03: A size that went through a double has lost its low digits.
auto a03d_floating_size(int n) {
#ifdef MISUSE
  // expected-error {{"a size is a whole number of elements"}}
  return ws::SafeGrid<>::cover(1.5 * n, ws::block<256>);
#else
  return ws::SafeGrid<>::cover(n + n / 2, ws::block<256>);
#endif
}

// A03: A size of 128 bits may exceed every grid.
namespace a03e_size_of_128_bits {

__extension__ typedef __int128 Wide;

auto configured(int n) {
#ifdef MISUSE
  // expected-error {{"a size is a whole number, extent"}}
  return ws::SafeGrid<>::cover(Wide{1} * n, ws::block<256>);
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}

}  // namespace a03e_size_of_128_bits

// A03: The size is a class that converts to a number, whose width is unknown.
auto a03f_size_that_converts(const std::atomic<long long>& n) {
#ifdef MISUSE
  // expected-error {{"a size is a whole number, extent"}}
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#else
  return ws::SafeGrid<>::cover(n.load(), ws::block<256>);
#endif
}

// A03: A dim3 takes three numbers of blocks, here of 64 bits.
auto a03g_grid_of_64_bit_numbers(long long n) {
#ifdef MISUSE
  // expected-error {{"make a grid from the size that it covers"}}
  return ws::GridDim(n, 1LL, 1LL);
#else
  return ws::GridDim::from_blocks(n);
#endif
}

// A03: In 32 bits, 2^32 + 1 items per thread are 1 item.
// alone: g++
auto a03h_items_over_32_bits(long long n) {
#ifdef MISUSE
  // expected-error {{"a thread handles at most 2^32-1 items"}}
  return ws::SafeGrid<>::cover(n, ws::block<256>, ws::items_per_thread<(1LL << 32) + 1>);
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>, ws::items_per_thread<4>);
#endif
}

// A03: The size is the result of a comparison.
auto a03i_bool_size(int n) {
#ifdef MISUSE
  // expected-error {{"a bool is not a size"}}
  return ws::SafeGrid<>::cover(n > 0, ws::block<256>);
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}

// A03: The dim3 of another library has 64-bit members, which would be cut to 32 bits.
namespace a03j_vendor_dim3_of_64_bits {

struct Vendor3 {
#ifdef MISUSE
  std::int64_t x, y, z;
#else
  unsigned x, y, z;
#endif
};

auto made(Vendor3 blocks) {
  // expected-error {{"a vendor's dim3 has three unsigned 32-bit numbers"}}
  return ws::GridDim::from_vendor(blocks);
}

}  // namespace a03j_vendor_dim3_of_64_bits

// A04: A size of 0 covers nothing, and every runtime refuses the grid.
auto a04_static_count_of_zero([[maybe_unused]] int n) {
#ifdef MISUSE
  // expected-error {{"a size of 0 covers nothing; use cover_or_empty"}}
  return ws::SafeGrid<>::cover(ws::count<0>, ws::block<256>);
#else
  return ws::SafeGrid<>::cover_or_empty(n, ws::block<256>);
#endif
}

// A04: The grid has no blocks.
auto a04b_static_grid_of_zero() {
#ifdef MISUSE
  // expected-error {{"a dimension is 0 or negative"}}
  return ws::configure(ws::grid<0>, ws::block<256>);
#else
  return ws::configure(ws::grid<1>, ws::block<256>);
#endif
}

// A05: -1, meant as "choose one for me", is 4294967295 blocks in a dim3.
auto a05_negative_grid() {
#ifdef MISUSE
  // expected-error {{"a dimension is 0 or negative"}}
  return ws::grid<-1>;
#else
  return ws::grid<1>;
#endif
}

// A05: The block has -1 threads.
auto a05b_negative_block() {
#ifdef MISUSE
  // expected-error {{"a dimension is 0 or negative"}}
  return ws::block<-1>;
#else
  return ws::block<1>;
#endif
}

// A05: The count is -1.
// alone: g++
auto a05c_negative_count() {
#ifdef MISUSE
  // expected-error {{"a size is negative; it must be at least 0"}}
  return ws::SafeGrid<>::cover(ws::count<-1>, ws::block<256>);
#else
  return ws::SafeGrid<>::cover(ws::count<1>, ws::block<256>);
#endif
}

// A05: Each thread handles -1 items.
// alone: g++
auto a05d_negative_items(int n) {
#ifdef MISUSE
  // expected-error {{"a thread handles at least one item"}}
  return ws::SafeGrid<>::cover(n, ws::block<256>, ws::items_per_thread<-1>);
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>, ws::items_per_thread<1>);
#endif
}

// A05: The cluster has -1 blocks.
auto a05e_negative_cluster() {
#ifdef MISUSE
  // expected-error {{"a dimension is 0 or negative"}}
  return ws::cluster<-1>;
#else
  return ws::cluster<1>;
#endif
}

// A06: The block has 0 threads, and the grid is divided by them.
auto a06_block_of_zero(int n) {
#ifdef MISUSE
  // expected-error {{"a dimension is 0 or negative"}}
  return ws::SafeGrid<>::cover(n, ws::block<0>);
#else
  return ws::SafeGrid<>::cover(n, ws::block<1>);
#endif
}

// A06: An unused axis is 0.
auto a06b_one_axis_of_zero() {
#ifdef MISUSE
  // expected-error {{"leave out the axes that you do not use"}}
  return ws::block<256, 0>;
#else
  return ws::block<256>;
#endif
}

// A06: Each thread handles 0 items.
// alone: g++
auto a06c_no_items_per_thread(int n) {
#ifdef MISUSE
  // expected-error {{"a thread handles at least one item"}}
  return ws::SafeGrid<>::cover(n, ws::block<256>, ws::items_per_thread<0>);
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>, ws::items_per_thread<1>);
#endif
}
