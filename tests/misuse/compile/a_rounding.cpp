// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "launches.hpp"
#include <warpsafe/dims/safe_grid.hpp>

#include <cmath>

namespace ws = warpsafe;

// A07: The last n % 256 items are never processed.
auto a07_floor_division(int n) {
#ifdef MISUSE
  // expected-error {{"a bare number is not a launch option"}}
  return ws::configure(n / 256, ws::block<256>);
#else
  return ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#endif
}

// A07: The quotient is passed to GridDim.
auto a07b_floor_division_into_a_grid_dim(int n) {
#ifdef MISUSE
  // expected-error {{"make a grid from the size that it covers"}}
  return ws::GridDim{n / 256};
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}

// A07: The quotient is passed to the launch.
namespace a07c_floor_division_in_the_launch {

WARPSAFE_KERNEL void fill(float*, int) {}

auto launched(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"the second argument of launch is a LaunchConfig"}}
  return ws::launch(stream, n / 256, ws::kernel<fill>, data, n);
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

}  // namespace a07c_floor_division_in_the_launch

// A07: The quotient is a member of a structure like dim3.
namespace a07d_floor_division_in_a_vendor_dim3 {

struct Sizes {
  unsigned x, y, z;
};

auto configured(unsigned n) {
#ifdef MISUSE
  // expected-error {{"convert a vendor's dim3 with GridDim::from_vendor"}}
  return ws::configure(Sizes{n / 256, 1, 1}, ws::block<256>);
#else
  return ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#endif
}

}  // namespace a07d_floor_division_in_a_vendor_dim3

// A07: ceil() rounds a quotient of floats.
auto a07e_division_as_a_float(int n) {
#ifdef MISUSE
  // expected-error {{"make a grid from the size that it covers"}}
  return ws::GridDim(std::ceil(static_cast<float>(n) / 256.0F));
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}

// A07: A constructor makes the grid, without cover.
auto a07f_grid_by_its_constructor(int blocks) {
#ifdef MISUSE
  // expected-error {{"make a SafeGrid with"}}
  return ws::SafeGrid<>(blocks, ws::block<256>);
#else
  return ws::SafeGrid<>::cover(blocks, ws::block<256>);
#endif
}

// A09: n / 256 + 1 is one block too many whenever 256 divides n.
auto a09_one_block_too_many(int n) {
#ifdef MISUSE
  // expected-error {{"a bare number is not a launch option"}}
  return ws::configure(n / 256 + 1, ws::block<256>);
#else
  return ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#endif
}

// A09: The sum is passed to create, which blocks have and grids do not.
auto a09b_one_block_too_many_in_create(int n) {
#ifdef MISUSE
  // expected-error {{"make a grid from the size that it covers"}}
  return ws::GridDim::create(n / 256 + 1);
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}

// A10: The kernel checks no bound, so its last block would access memory past the data.
auto a10_count_that_is_no_multiple([[maybe_unused]] int n) {
#ifdef MISUSE
  // expected-error {{"this count is not a multiple of the block"}}
  return ws::SafeGrid<>::cover_exact(ws::count<1000>, ws::block<256>);
#else
  return ws::SafeGrid<>::cover_exact(ws::count<1024>, ws::block<256>);
#endif
}

// A11: The grid has 65536 blocks along y. The limit of every device is 65535.
auto a11_static_grid_y() {
#ifdef MISUSE
  // expected-error {{"65535 in y and z; put the long axis in x"}}
  return ws::grid<1, 65536>;
#else
  return ws::grid<65536, 65535>;
#endif
}

// A11: The grid has 65536 blocks along z. AMD reports this limit and documents 65535.
auto a11b_static_grid_z() {
#ifdef MISUSE
  // expected-error {{"65535 in y and z; put the long axis in x"}}
  return ws::grid<1, 1, 65536>;
#else
  return ws::grid<65536, 1, 65535>;
#endif
}
