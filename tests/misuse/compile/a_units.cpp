// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "launches.hpp"
#include <warpsafe/dims/dim3.hpp>
#include <warpsafe/dims/safe_grid.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace ws = warpsafe;

WARPSAFE_KERNEL void clear(float*) {}

// A15: The size counts bytes, so the grid is four times too large.
auto a15_bytes_for_elements(std::uint64_t n) {
#ifdef MISUSE
  // expected-error {{"a grid covers elements, not bytes"}}
  return ws::SafeGrid<>::cover(ws::Bytes(n * sizeof(float)), ws::block<256>);
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}

// A15: The size is an amount of shared memory.
auto a15b_shared_memory_for_elements(int n) {
#ifdef MISUSE
  // expected-error {{"a size is a whole number, extent"}}
  return ws::SafeGrid<>::cover(ws::shared<float>(n), ws::block<256>);
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}

// A15: The size is the pointer, not its number of elements.
auto a15c_pointer_for_a_size([[maybe_unused]] const float* data, [[maybe_unused]] int n) {
#ifdef MISUSE
  // expected-error {{"a pointer is not a size"}}
  return ws::SafeGrid<>::cover(data, ws::block<256>);
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}

// A15: The kernel's parameter counts elements, and the argument counts bytes.
auto a15d_bytes_for_an_argument(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"does not convert to the kernel"}}
  return ws::launch(stream, config, ws::kernel<fill>, data, ws::Bytes(4));
#else
  return ws::launch(stream, config, ws::kernel<fill>, data, n);
#endif
}

// A15: The size is a span of bytes, which has a size() too.
auto a15e_bytes_of_a_span([[maybe_unused]] std::span<const float> data) {
#ifdef MISUSE
  // expected-error {{"a range of std::byte counts bytes"}}
  return ws::SafeGrid<>::cover(std::as_bytes(data), ws::block<256>);
#else
  return ws::SafeGrid<>::cover(data, ws::block<256>);
#endif
}

// A15: The size is the number of bytes of shared memory.
auto a15f_bytes_of_shared_memory(int n) {
  [[maybe_unused]] const auto memory = ws::shared<float>(n);
#ifdef MISUSE
  // expected-error {{"a grid covers elements, not bytes"}}
  return ws::SafeGrid<>::cover(memory.bytes(), ws::block<256>);
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}

// A16: A kernel without a declared index type is assumed to compute `int i = blockIdx.x *
// blockDim.x + threadIdx.x`, and this grid has 2^32 threads.
auto a16_more_threads_than_an_int_counts(ws::StreamRef stream) {
  constexpr auto config = ws::configure(ws::grid<4194304>, ws::block<1024>);
#ifdef MISUSE
  // expected-error {{"more threads than the kernel's index type counts"}}
  return ws::launch(stream, config, ws::kernel<clear>, nullptr);
#else
  return ws::launch(stream, config, ws::kernel<clear, ws::index<long>>, nullptr);
#endif
}

// A16: The declared index type is no integer.
namespace a16b_index_type_that_does_not_count {

WARPSAFE_KERNEL void nothing() {}

auto launched(ws::StreamRef stream, int n) {
  const auto config = ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>));
#ifdef MISUSE
  // expected-error {{"an index type is a built-in whole number"}}
  return ws::launch(stream, config, ws::kernel<nothing, ws::index<float>>);
#else
  return ws::launch(stream, config, ws::kernel<nothing, ws::index<int>>);
#endif
}

}  // namespace a16b_index_type_that_does_not_count

// A16: The kernel declares a 32-bit index, and the grid has 2^33 threads.
auto a16c_more_threads_than_a_declared_index_counts(ws::StreamRef stream) {
  constexpr auto config = ws::configure(ws::grid<8388608>, ws::block<1024>);
#ifdef MISUSE
  // expected-error {{"more threads than the kernel's index type counts"}}
  return ws::launch(stream, config, ws::kernel<clear, ws::index<unsigned>>, nullptr);
#else
  return ws::launch(stream, config, ws::kernel<clear, ws::index<long>>, nullptr);
#endif
}

// A18: The grid has fewer threads than items, and the kernel handles one item per thread.
auto a18_capped_grid_for_one_item_each(ws::StreamRef stream, ws::device_ptr<float> data, int n) {
  const auto capped =
      ws::configure(ws::SafeGrid<>::grid_stride(n, ws::block<256>, ws::max_blocks(64)));
#ifdef MISUSE
  // expected-error {{"this kernel is not declared grid_stride_kernel"}}
  return ws::launch(stream, capped, ws::kernel<fill>, data, n);
#else
  return ws::launch(stream, capped, ws::kernel<fill, ws::grid_stride_kernel>, data, n);
#endif
}

// A18: cover gets a cap, though its grid has a thread for each item.
auto a18b_cover_with_a_cap(int n) {
#ifdef MISUSE
  // expected-error {{"cover gives every item its own thread"}}
  return ws::SafeGrid<>::cover(n, ws::block<256>, ws::max_blocks(64));
#else
  return ws::SafeGrid<>::grid_stride(n, ws::block<256>, ws::max_blocks(64));
#endif
}

// A18: cover gets a cap after another option.
auto a18c_cover_with_items_and_a_cap(int n) {
#ifdef MISUSE
  // expected-error {{"cover gives every item its own thread"}}
  return ws::SafeGrid<>::cover(n, ws::block<256>, ws::items_per_thread<4>, ws::max_blocks(64));
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>, ws::items_per_thread<4>);
#endif
}

// A18: The cap is a bare number.
auto a18d_cap_as_a_bare_number(int n) {
#ifdef MISUSE
  // expected-error {{"the third argument of grid_stride is max_blocks(m)"}}
  return ws::SafeGrid<>::grid_stride(n, ws::block<256>, 64);
#else
  return ws::SafeGrid<>::grid_stride(n, ws::block<256>, ws::max_blocks(64));
#endif
}

// A18: items_per_thread is given twice.
auto a18e_items_twice(int n) {
#ifdef MISUSE
  // expected-error {{"items_per_thread is given twice"}}
  return ws::SafeGrid<>::cover(n, ws::block<256>, ws::items_per_thread<4>, ws::items_per_thread<2>);
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>, ws::items_per_thread<8>);
#endif
}

// A18: The items per thread are a bare number.
auto a18f_option_as_a_bare_number(int n) {
#ifdef MISUSE
  // expected-error {{"cover takes items_per_thread<N>"}}
  return ws::SafeGrid<>::cover(n, ws::block<256>, 4);
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>, ws::items_per_thread<4>);
#endif
}

// A18: The grid has four items per thread, and the kernel handles one.
auto a18g_items_for_a_kernel_that_does_one(ws::StreamRef stream, ws::device_ptr<float> data,
                                           int n) {
  const auto fewer =
      ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>, ws::items_per_thread<4>));
#ifdef MISUSE
  // expected-error {{"a different number of items than the kernel declares"}}
  return ws::launch(stream, fewer, ws::kernel<fill>, data, n);
#else
  return ws::launch(stream, fewer, ws::kernel<fill, ws::handles_items<4>>, data, n);
#endif
}

// A18: The grid has four items per thread, and the kernel handles two.
auto a18h_items_for_a_kernel_that_does_two(ws::StreamRef stream, ws::device_ptr<float> data,
                                           int n) {
  const auto fewer =
      ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>, ws::items_per_thread<4>));
#ifdef MISUSE
  // expected-error {{"a different number of items than the kernel declares"}}
  return ws::launch(stream, fewer, ws::kernel<fill, ws::handles_items<2>>, data, n);
#else
  return ws::launch(stream, fewer, ws::kernel<fill, ws::handles_items<4>>, data, n);
#endif
}

// A18: Each block of the kernel reduces a row, and the grid has a thread for each row.
auto a18i_threads_for_a_kernel_with_a_row_per_block(ws::StreamRef stream,
                                                    ws::device_ptr<float> data, int rows) {
  constexpr auto softmax = ws::kernel<fill, ws::block_per_item_kernel>;
#ifdef MISUSE
  // expected-error {{"this grid has fewer blocks than items"}}
  return ws::launch(stream, ws::SafeGrid<>::cover(rows, ws::block<256>), softmax, data, rows);
#else
  return ws::launch(stream, ws::SafeGrid<>::cover(rows, ws::block<256>, ws::block_per_item),
                    softmax, data, rows);
#endif
}

// A18: The grid has a block for each row, and each thread of the kernel handles an element.
auto a18j_blocks_for_a_kernel_with_an_item_per_thread(ws::StreamRef stream,
                                                      ws::device_ptr<float> data, int n) {
#ifdef MISUSE
  // expected-error {{"the grid has a block for each item"}}
  return ws::launch(stream, ws::SafeGrid<>::cover(n, ws::block<256>, ws::block_per_item),
                    ws::kernel<fill>, data, n);
#else
  return ws::launch(stream, ws::SafeGrid<>::cover(n, ws::block<256>), ws::kernel<fill>, data, n);
#endif
}

// A18: A block for each item, and several items for each thread.
auto a18k_a_block_and_several_items_per_thread(int n) {
#ifdef MISUSE
  // expected-error {{"so there is no items_per_thread"}}
  return ws::SafeGrid<>::cover(n, ws::block<256>, ws::block_per_item, ws::items_per_thread<4>);
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>, ws::block_per_item);
#endif
}

// A19: The block has as many threads as there are items.
auto a19_block_of_the_data_size(int n) {
#ifdef MISUSE
  // expected-error {{"a bare number is not a block"}}
  return ws::SafeGrid<>::cover(n, n);
#else
  return ws::SafeGrid<>::cover(n, ws::block<256>);
#endif
}

// A19: The block is made of three numbers, as a dim3.
auto a19b_block_made_like_a_dim3(int m, int n) {
#ifdef MISUSE
  // expected-error {{"make a block or cluster with block<256>"}}
  return ws::BlockDim(m, n);
#else
  return ws::BlockDim::create(m, n);
#endif
}

// A19: The block has a run-time size, and nothing looks at the result of its check.
auto a19c_unchecked_block(int n) {
#ifdef MISUSE
  // expected-error {{"the second argument is the block"}}
  return ws::SafeGrid<>::cover(n, ws::BlockDim::create(n));
#else
  return ws::SafeGrid<>::cover(n, ws::BlockDim::create(n).value());
#endif
}

// A19: A run-time size stands where a constant belongs.
auto a19d_run_time_size_in_a_static_block([[maybe_unused]] int n) {
#ifdef MISUSE
  // expected-error {{"constant"}}
  return ws::block<n>;
#else
  return ws::BlockDim::create(n);
#endif
}

// A19: The run-time size of the block is in braces.
auto a19e_block_in_braces(int n) {
#ifdef MISUSE
  // expected-error {{"make a block or cluster with block<256>"}}
  return ws::BlockDim{n};
#else
  return ws::BlockDim::create(n);
#endif
}

// A19: A dim3 of any size stands where a checked block belongs.
namespace a19f_vendor_dim3_for_a_block {

struct Sizes {
  unsigned x, y, z;
};

auto configured(unsigned n) {
#ifdef MISUSE
  // expected-error {{"a BlockDim from BlockDim::create or BlockDim::from_vendor"}}
  return ws::SafeGrid<>::cover(n, Sizes{n, 1, 1});
#else
  return ws::SafeGrid<>::cover(n, ws::BlockDim::from_vendor(Sizes{n, 1, 1}));
#endif
}

}  // namespace a19f_vendor_dim3_for_a_block

// A19: A number initialises a block.
auto a19g_block_assigned_from_a_number([[maybe_unused]] int n) {
#ifdef MISUSE
  // expected-error {{"make a block or cluster with block<256>"}}
  const ws::BlockDim threads = n;
  return threads;
#else
  const ws::BlockDim threads = ws::block<256>;
  return threads;
#endif
}
