// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>

// Part A. A line with a mistake names its row after `finds:`; every other line must have no
// finding.

__global__ void plain(float* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = 1;
}
__global__ void strided(float* p, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] = 1;
}
// It compares the threads of one block, and no item: it is made for sizes without a rest.
__global__ void by_block(float* p, int n) {
  const int first = blockIdx.x * 256;
  for (int i = threadIdx.x; i < 256; i += blockDim.x) p[first + i] = n;
}
__global__ void empty(float* p, int n) {}
__global__ void unguarded(float* p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void bytewise(unsigned char* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = 1;
}
__global__ void transpose(float* p, int rows, int cols) {
  const int out_cols = rows, out_rows = cols;
  const int col = blockIdx.x * blockDim.x + threadIdx.x,
            row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < out_rows && col < out_cols) p[row * out_cols + col] = 1;
}
__global__ void matrix(float* p, int rows, int cols) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) p[row * cols + col] = 1;
}
__global__ void narrow(float* p, std::size_t n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;  // finds: A16
  if (i < n) p[i] = 1;
}
__global__ void wide(float* p, std::size_t n) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) p[i] = 1;
}
void look(cudaError_t status);
void done() { look(cudaGetLastError()); }

void in_steps(float* p, int n) {
  constexpr int threads = 128;
  plain<<<(n + threads * 4 - 1) / threads / 4, threads>>>(p, n);
  plain<<<(n + 511) / threads / 4, threads>>>(p, n);
  plain<<<(n + 255) / threads / 4, threads>>>(p, n);  // finds: A07
  done();
}

template <int N, int B>
void floor_of_template(float* p, int n) {
  plain<<<N / B, B>>>(p, N);       // finds: A07/note
  plain<<<n / B, B>>>(p, n);       // finds: A07/warning
  by_block<<<n / 256, B>>>(p, n);  // finds: A07/note
  const int t = std::atoi("100");
  by_block<<<n / t, t>>>(p, n);    // finds: A07/warning
  by_block<<<t / 256, B>>>(p, n);  // finds: A07/warning
  done();
}
// A size of an image, divided by its width, is its rows. And a product of sides that the program
// checks has no rest.
void rows_of_image(float* p, int size, int width) {
  const int threads = width > 256 ? 256 : width;
  plain<<<size / width, threads>>>(p, size);  // finds: A07/note
  done();
}
// The wrong way round.
void block_in_width(float* p, int width) {
  dim3 block(16, 16);
  plain<<<block.x / width, block>>>(p, width);  // finds: A07/warning
  done();
}
void checked_sides(float* p, int width, int height, int side) {
  if (width % side || height % side) return;
  const int w = width / 2, h = height / 2;
  dim3 block(side * side);
  plain<<<w * h / block.x, block>>>(p, w * h);  // finds: A21
  done();
}

// The kernel compares the index of a tile with that of another one, and not with the number of
// items.
template <int B>
__global__ void triangle(float* p) {
  const int row = blockIdx.x * B + threadIdx.x, column = blockIdx.y;
  if (column < row) p[row] = 1;
}
template <int B>
void tiles(float* p, int n) {
  triangle<B><<<dim3(n / B, 4), B>>>(p);  // finds: A07/note
  done();
}
void floor_division(float* p, int n, int threads) {
  plain<<<n / 256, 256>>>(p, n);     // finds: A07
  plain<<<1000 / 256, 256>>>(p, n);  // finds: A07
  const int blocks = n / threads;
  plain<<<blocks, threads>>>(p, n);  // finds: A07
  plain<<<1024 / 256, 256>>>(p, n);
  plain<<<(n - 1) / 256 + 1, 256>>>(p, n);
  strided<<<n / 256, 256>>>(p, n);
  const int padded_size = n;
  plain<<<padded_size / 256, 256>>>(p, n);
  const int whole = 4 * threads;
  plain<<<whole / threads, threads>>>(p, n);
  done();
}
void rounded_sides(float* p, int w, int h) {
  const int up = w + (32 - w % 32), area = up * up, low = h + 5, below = low * low;
  plain<<<area / 1024, 1024>>>(p, area);
  plain<<<below / 1024, 1024>>>(p, below);  // finds: A07
  done();
}

void sizes_in_dim3(float* p, int n) {
  const dim3 block(256);
  const int whole = 16 * 1024;
  dim3 blocks;
  blocks.x = n / block.x;  // finds: A07
  plain<<<blocks, block>>>(p, n);
  plain<<<whole / block.x, block>>>(p, n);
  done();
}

void remainder_asked(float* p, int n) {
  if (n % 256 != 0) return;
  plain<<<n / 256, 256>>>(p, n);
  done();
}

void rounded_before(float* p, int n) {
  n = (n + 255) / 256 * 256;
  plain<<<n / 256, 256>>>(p, n);
  done();
}

void one_too_many(float* p, int n) {
  plain<<<n / 256 + 1, 256>>>(p, n);  // finds: A09
  plain<<<(n - 1) / 256 + 1, 256>>>(p, n);
  plain<<<n / 256 + (n % 256 != 0), 256>>>(p, n);
  done();
}

void guards(float* p, int n) {
  unguarded<<<(n + 255) / 256, 256>>>(p);  // finds: A10 A01
  struct Sized {
    int size() const;
  } sized;
  unguarded<<<sized.size() / 256, 256>>>(p);  // which is not rounded up
  unguarded<<<16, 256>>>(p);
  plain<<<(n + 255) / 256, 256>>>(p, n);  // finds: A01
  plain<<<(n - 1) / 256 + 1, 256>>>(p, n);
  done();
}

void constants(float* p, int n) {
  plain<<<0, 256>>>(p, n);  // finds: A04/error
  const int none = 0;
  plain<<<none, 256>>>(p, n);            // finds: A04/error
  int later = 0;                         // for which a number comes from elsewhere
  plain<<<later, 256>>>(p, n);           // finds: A04/note
  plain<<<-1, 256>>>(p, n);              // finds: A05
  plain<<<dim3(1, 70000), 256>>>(p, n);  // finds: A11
  plain<<<dim3(70000, 1), 256>>>(p, n);
  plain<<<1 << 23, 1024>>>(p, n);  // finds: A12
  plain<<<1 << 21, 1024>>>(p, n);
  done();
}

void wrapper(float* p, int n, const dim3& block_size, const dim3& grid_size) {
  plain<<<block_size, grid_size>>>(p, n);  // finds: A13/note
  plain<<<grid_size, block_size>>>(p, n);
  const dim3 grid(n / 2 + 1), block(2);
  plain<<<block, grid>>>(p, n);  // finds: A13/warning
  // Wrong names, but the grid is a number of blocks and the block a constant.
  const dim3 block_dims((n - 1) / 32 + 1), grid_dims(32);
  plain<<<block_dims, grid_dims>>>(p, n);
  plain<<<grid_dims, block_dims>>>(p, n);
  done();
}
void names(float* p, int n, int rows, int cols) {
  const int threads_per_block = 256;
  const dim3 block(16, 16);
  int num_blocks = (n - 1) / threads_per_block + 1;
  plain<<<threads_per_block, num_blocks>>>(p, n);  // finds: A13
  plain<<<num_blocks, threads_per_block>>>(p, n);
  constexpr int number_of_blocks = 4, nblocks = 2000;
  plain<<<threads_per_block, number_of_blocks>>>(p, n);  // finds: A13/note
  plain<<<threads_per_block, nblocks>>>(p, n);           // finds: A13/warning B01
  matrix<<<dim3((rows - 1) / 16 + 1, (cols - 1) / 16 + 1), block>>>(p, rows, cols);  // finds: A14
  const int nrows = 100, ncols = 100, few_cols = 50;
  matrix<<<dim3((nrows - 1) / 16 + 1, (ncols - 1) / 16 + 1), block>>>(p, nrows, ncols);  // a square
  const dim3 longer((nrows - 1) / 16 + 1, (few_cols - 1) / 16 + 1);
  matrix<<<longer, block>>>(p, nrows, few_cols);  // finds: A14
  // The matrix is transposed: the kernel's columns are these rows.
  matrix<<<dim3((rows - 1) / 16 + 1, (cols - 1) / 16 + 1), block>>>(p, cols, rows);
  transpose<<<dim3((rows - 1) / 16 + 1, (cols - 1) / 16 + 1), block>>>(p, rows, cols);
  matrix<<<dim3((cols - 1) / 16 + 1, (rows - 1) / 16 + 1), block>>>(p, rows, cols);
  done();
}

void bytes(float* p, unsigned char* c, int n) {
  const int total_bytes = n * 4;
  plain<<<(total_bytes - 1) / 256, 256>>>(p, n);  // finds: A15
  bytewise<<<(total_bytes - 1) / 256, 256>>>(c, n);
  plain<<<(n * sizeof(float) - 1) / 256, 256>>>(p, n);  // finds: A15 A03
  plain<<<(n - 1) / 256 + 1, 256>>>(p, n);
  done();
}

void caps(float* p, int n) {
  const int blocks = (n - 1) / 256 + 1;
  plain<<<std::min(blocks, 1024), 256>>>(p, n);  // finds: A18/note
  // The program's input decides how many items there are.
  const int read = atoi(getenv("ITEMS"));
  plain<<<std::min((read + 255) / 256, 1024), 256>>>(p, read);  // finds: A18/warning
  const int capped = blocks < 1024 ? blocks : 1024;
  plain<<<capped, 256>>>(p, n);  // finds: A18
  strided<<<std::min(blocks, 1024), 256>>>(p, n);
  unguarded<<<std::min(blocks, 1024), 256>>>(p);  // finds: A18/note
  empty<<<std::min(blocks, 1024), 256>>>(p, n);   // whose body another GPU has
  // In parts, and up to what a device takes.
  for (int i = 0; i < blocks; i += 1024)
    plain<<<std::min(1024, blocks - i), 256>>>(p + i * 256, n - i * 256);
  for (int i = 0; i < 2; ++i) plain<<<std::min(1024, blocks - n), 256>>>(p, n);  // finds: A18/note
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  plain<<<std::min(100000, properties.maxGridSize[0]), 256>>>(p, n);
  // The block has what the cap takes from the grid.
  plain<<<std::min(n, 1024), (n + 1023) / 1024>>>(p, n);
  plain<<<std::max(blocks, 1), 256>>>(p, n);
  done();
}

void data_as_block(float* p, int n, int block_size) {
  plain<<<1, n>>>(p, n);  // finds: A19
  plain<<<1, block_size>>>(p, n);
  done();
}

void counts(float* p, std::size_t size) {
  const int n = size;  // finds: A02
  plain<<<(n - 1) / 256 + 1, 256>>>(p, n);
  const std::size_t m = size;
  wide<<<unsigned((m - 1) / 256 + 1), 256>>>(p, m);
  wide<<<(m - 1) / 256 + 1, 256>>>(p, m);  // finds: A03
  done();
}

void product(float* p, int rows, int cols) {
  plain<<<(rows * cols - 1) / 256 + 1, 256>>>(p, 1);  // finds: A21
  plain<<<(rows * 4 - 1) / 256 + 1, 256>>>(p, 1);
  done();
}
