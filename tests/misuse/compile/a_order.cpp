// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "launches.hpp"
#include <warpsafe/launch/check.hpp>
#include <warpsafe/memory/pitched_buffer.hpp>

namespace ws = warpsafe;

// A13: A grid stands where the block belongs.
auto a13_grid_where_the_block_belongs(int n) {
#ifdef MISUSE
  // expected-error {{"this is a grid where the block belongs"}}
  return ws::SafeGrid<>::cover(n, ws::grid<256>);
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}

// A13: A block stands where the grid belongs.
auto a13b_two_blocks() {
#ifdef MISUSE
  // expected-error {{"two blocks in one LaunchConfig"}}
  return ws::configure(ws::block<256>, ws::block<4>);
#else
  return ws::configure(ws::block<256>, ws::grid<4>);
#endif
}

// A13: The configuration gets two grids and no block.
auto a13c_two_grids() {
#ifdef MISUSE
  // expected-error {{"two grids in one LaunchConfig"}}
  return ws::configure(ws::grid<256>, ws::grid<4>);
#else
  return ws::configure(ws::block<256>, ws::grid<4>);
#endif
}

// A13: The block comes before the size. cover takes the size first.
auto a13d_size_and_block_swapped(int n) {
#ifdef MISUSE
  // expected-error {{"a size is a whole number, extent"}}
  return ws::SafeGrid<>::cover(ws::block<256>, n);
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}

// A13: The grid was computed for a block of another size.
auto a13e_grid_for_another_block(int n) {
#ifdef MISUSE
  // expected-error {{"the grid was computed for a different block"}}
  return ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>), ws::block<128>);
#else
  return ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#endif
}

// A13: The grid was computed for a block whose size only the running program knows, so it cannot
// be compared.
auto a13f_grid_for_a_run_time_block([[maybe_unused]] int n, ws::BlockDim block) {
#ifdef MISUSE
  // expected-error {{"the grid was computed for a different block"}}
  return ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>), block);
#else
  return ws::configure(ws::SafeGrid<>::cover(n, block));
#endif
}

// A13: Grid and block are separate arguments, as in <<<>>>.
namespace a13g_grid_and_block_in_the_launch {

WARPSAFE_KERNEL void fill(float*, int) {}

auto launched(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the second argument of launch is a LaunchConfig"}}
  return ws::launch(stream, ws::grid<4>, ws::block<256>, ws::kernel<fill>, data, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

}  // namespace a13g_grid_and_block_in_the_launch

// A13: A grid is assigned to a block.
ws::BlockDim a13h_grid_becomes_a_block() {
#ifdef MISUSE
  // expected-error {{"conver"}}
  return ws::grid<256>;
#else
  return ws::block<256>;
#endif
}

// A13: cover is called without a block.
auto a13i_cover_without_a_block(int n) {
#ifdef MISUSE
  // expected-error {{"a grid covers a size with a block"}}
  return ws::SafeGrid<>::cover(n);
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}

// A13: The maximum number of blocks is missing, so the block is in its place.
auto a13j_stride_without_its_blocks(int n) {
#ifdef MISUSE
  // expected-error {{"grid_stride takes the size, the block and the largest number of blocks"}}
  return ws::SafeGrid<>::grid_stride(n, ws::block<256>);
#else
  return ws::SafeGrid<>::grid_stride(n, ws::block<256>, ws::max_blocks(64));
#endif
}

// A13: The block comes before the grid, both written as in <<<>>>.
namespace a13k_block_before_the_grid_as_written {

WARPSAFE_KERNEL void nothing() {}

auto checked([[maybe_unused]] ws::BlockDim threads) {
#ifdef MISUSE
  // expected-error {{"the grid comes first and the block second"}}
  return ws::check(ws::kernel<nothing>, threads, 4);
#else
  return ws::check(ws::kernel<nothing>, 4, 256);
#endif
}

}  // namespace a13k_block_before_the_grid_as_written

// A14: Rows and columns are bare numbers.
auto a14_unnamed_axes(int m, int n) {
#ifdef MISUSE
  // expected-error {{"name the axes of an extent"}}
  return ws::SafeGrid<>::cover(ws::extent{m, n}, ws::block<16, 16>);
#else
  return ws::SafeGrid<>::cover(ws::extent{ws::rows{m}, ws::cols{n}}, ws::block<16, 16>);
#endif
}

// A14: A matrix is made from two bare numbers.
auto a14j_matrix_of_bare_numbers(const ws::Stream& stream, int m, int n) {
#ifdef MISUSE
  // expected-error {{"create takes a stream, not its result, and then the extent"}}
  return ws::PitchedBuffer<float>::create(stream, m, n);
#else
  return ws::PitchedBuffer<float>::create(stream, ws::extent{ws::rows{m}, ws::cols{n}});
#endif
}

// A14: The extent names the rows twice and the columns never.
auto a14b_one_axis_twice(int m, int n) {
#ifdef MISUSE
  // expected-error {{"an extent names each of its axes once"}}
  return ws::extent{ws::rows{m}, ws::rows{n}};
#else
  return ws::extent{ws::rows{m}, ws::cols{n}};
#endif
}

// A14: Rows run along y, so this extent names y twice.
auto a14c_one_axis_under_two_names(int m, int n) {
#ifdef MISUSE
  // expected-error {{"an extent names each of its axes once"}}
  return ws::extent{ws::rows{m}, ws::y{n}};
#else
  return ws::extent{ws::rows{m}, ws::x{n}};
#endif
}

// A14: A number of rows is converted to a number of columns.
auto a14d_rows_into_columns([[maybe_unused]] ws::rows rows, [[maybe_unused]] int n) {
#ifdef MISUSE
  // expected-error {{"a size is a built-in whole number"}}
  return ws::cols{rows};
#else
  return ws::cols{n};
#endif
}

// A14: The kernel takes its axes by name, and the arguments are swapped.
namespace a14e_rows_for_columns_in_the_arguments {

WARPSAFE_KERNEL void transpose(ws::rows, ws::cols) {}

auto launched(ws::StreamRef stream, int m, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"does not convert to the kernel"}}
  return ws::launch(stream, config, ws::kernel<transpose>, ws::cols{n}, ws::rows{m});
#else
  return ws::launch(stream, config, ws::kernel<transpose>, ws::rows{m}, ws::cols{n});
#endif
}

}  // namespace a14e_rows_for_columns_in_the_arguments

// A14: A block of two axes covers a size of one axis: 15 of 16 threads would repeat an item.
auto a14f_square_block_for_a_flat_size(int n) {
#ifdef MISUSE
  // expected-error {{"a block of several axes needs an extent"}}
  return ws::SafeGrid<>::cover(n, ws::block<16, 16>);
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}

// A14: Two sizes come before the block.
auto a14g_sizes_one_after_the_other(int m, int n) {
#ifdef MISUSE
  // expected-error {{"a size of several axes is an extent"}}
  return ws::SafeGrid<>::cover(m, n, ws::block<16, 16>);
#else
  return ws::SafeGrid<>::cover(ws::extent{ws::rows{m}, ws::cols{n}}, ws::block<16, 16>);
#endif
}

// A14: A block of three axes covers an extent of two.
auto a14h_cube_block_for_a_matrix(int m, int n) {
#ifdef MISUSE
  // expected-error {{"a block of three axes needs an extent"}}
  return ws::SafeGrid<>::cover(ws::extent{ws::rows{m}, ws::cols{n}}, ws::block<8, 8, 8>);
#else
  return ws::SafeGrid<>::cover(ws::extent{ws::rows{m}, ws::cols{n}}, ws::block<16, 16>);
#endif
}

// A14: The extent has a third axis and no second one.
auto a14i_z_without_y(int m, int n) {
#ifdef MISUSE
  // expected-error {{"an extent names each of its axes once"}}
  return ws::extent{ws::x{m}, ws::z{n}};
#else
  return ws::extent{ws::x{m}, ws::y{n}};
#endif
}
