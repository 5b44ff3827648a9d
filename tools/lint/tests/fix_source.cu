// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include <cuda_runtime.h>

#include <cstddef>

// Launches that get a check by --fix, and launches that it leaves. The line of a launch that it
// leaves has a comment with the beginning of the reason.

constexpr int block = 256;
#define GRID(n) (((n) + block - 1) / block)

__global__ void scale(float a, float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= a;
}
template <class T, int N>
__global__ void fill(T* x, T value) {
  if (threadIdx.x < N) x[threadIdx.x] = value;
}
template <class T>
__global__ void deduced(T* x, const T* from) {
  x[threadIdx.x] = from != nullptr ? from[threadIdx.x] : T{};
}
__global__ void untyped(void* memory) { static_cast<char*>(memory)[0] = 0; }
__global__ void overloaded(float* x) { x[0] = 1; }
__global__ void overloaded(int* x) { x[0] = 1; }

struct Sizes {
  int rows, columns;
};
struct Row {
  float* elements[2];
};
struct Matrix : Sizes {
  Row row;
};
template <class T>
class View {
 public:
  explicit View(T* first) : first_(first) {}
  __device__ T& operator[](int i) const { return first_[i]; }

 protected:
  T* first_;
};
template <class T>
class Shifted : public View<T> {
 public:
  explicit Shifted(T* first, int by) : View<T>(first), by_(by) {}
  int by_;
};
template <class T>
struct Pair {
  T first, second;
};
__global__ void by_value(float* x, Sizes sizes) { x[0] = sizes.rows; }
__global__ void with_view(Shifted<float> x) { x[0] = x.by_; }
__global__ void with_pair(float* x, Pair<int> pair) { x[0] = pair.second; }
__global__ void with_pointer(Matrix m) { m.row.elements[0][0] = m.rows; }

__global__ void defaulted(float* x, int n = 1) { x[0] = n; }

void slots(float* x, int n, cudaStream_t stream) {
  scale<<<(n + 255) / 256, 256>>>(2.0F, x, n);
  scale<<<(n + 255) / 256, block, 1024>>>(2.0F, x, n);
  scale<<<dim3((n + 255) / 256, 1), dim3(block), 0, stream>>>(2.0F, x, n);
  if (n > 3)
    scale<<<GRID(n), 256, 0, stream>>>(2.0F, x, n);
  else
    scale<<<1, 256>>>(2.0F, x, n);
}

void arguments(float* x, int n, std::size_t wide) {
  scale<<<1, 256>>>(2.0, x, n);
  scale<<<1, 256>>>(2, x, 100);
  deduced<<<1, 256>>>(x, static_cast<const float*>(nullptr));
  deduced<float><<<1, 256>>>(x, NULL);
  fill<float, 4><<<1, 256>>>(x, 0.5F);
  scale<<<1, 256>>>(2.0F, x, wide);
  int blocks = 0;
  scale<<<++blocks, 256>>>(2.0F, x, n);       // left: an expression between the brackets assigns
  scale<<<(blocks += 2), 256>>>(2.0F, x, n);  // left: an expression between the brackets assigns
  untyped<<<1, 256>>>(x);
  defaulted<<<1, 256>>>(x, 2);
  defaulted<<<1, 256>>>(x);
  overloaded<<<1, 256>>>(x);  // left: several kernels
  const Sizes sizes{n, 1};
  by_value<<<1, 256>>>(x, sizes);
  Matrix matrix{{n, 1}, {{x, x}}};
  with_pointer<<<1, 256>>>(matrix);
  with_view<<<1, 256>>>(Shifted<float>(x, n));
  with_pair<<<1, 256>>>(x, Pair<int>{n, 1});
}

void layout(float* x, int n, cudaStream_t stream) {
  scale<<<(n + 255) / 256, /* threads */ 256, 0,
          stream>>>(2.0F,  // the factor
                    x, n);
  deduced<float><<<(n + 255) / 256, 256, 0, stream>>>(x, static_cast<const float*>(nullptr));
}

template <class T>
constexpr int threads() {
  return sizeof(T);
}
void comments(float* memory_of_the_result, int number_of_elements,
              cudaStream_t stream_of_the_caller) {
  scale<<<number_of_elements, 256, 0, stream_of_the_caller    // whose stream
          >>>(2.0F, memory_of_the_result, number_of_elements  // how many
  );
}

// clang-format off
void spaced(float* x, int n, cudaStream_t stream) {
  scale<< <1, 256>> >(2.0F, x, n);
  scale << < (n + 255) / 256, block, 0, stream >> > (2.0F, x, n);
  scale <<<1, 256, 0, stream>> >(2.0F, x, n);
  scale<< <n >> 8, 1 << 8>> >(2.0F, x, n);
  scale<< <n < 256 ? 1 : 2, 256>> >(2.0F, x, n);
  scale<< <1, threads<Pair<Pair<int>>>()>> >(2.0F, x, n);
  scale<<<threads<Pair<Pair<int>>>(), threads<Pair<Pair<int> > >()>>>(2.0F, x, n);
  deduced<Pair<Pair<int>>> << <1, 256>> >(static_cast<Pair<Pair<int>>*>(nullptr), nullptr);
  fill<float, (8 >> 1)> << <dim3{1, 1}, 256 /* of 1024 */>> >(x, 0.5F);
  fill<Pair<int>, 4><<<1, 256>>>(static_cast<Pair<int>*>(nullptr), Pair<int>{n, 1});
  untyped<< <1, 256>> >(x);
  for (int i = 0; i < n; ++i) scale<<<1, 256>>>(2.0F, x, i);
  if (n > 3) { untyped<<<1, 256>>>(x); }
}
struct Stream {
  int left;
};
template <class T>
Stream operator<<(Stream stream, Pair<Pair<T> > pair);
template <>
Stream operator<< <int>(Stream stream, Pair<Pair<int> > pair) {
  return Stream{stream.left << pair.first.first};
}
// clang-format on

template <class T>
void dependent(T* x, T value) {
  fill<T, 8><<<1, 256>>>(x, value);
  deduced<<<1, 256>>>(x, x);  // left: a template's parameters
}
template void dependent<int>(int*, int);

#define LAUNCH(kernel, ...) kernel<<<1, 256>>>(__VA_ARGS__)
void by_macro(float* x, int n) {
  LAUNCH(scale, 2.0F, x, n);  // left: a macro of the program
  auto* chosen = n > 3 ? &fill<float, 1> : &fill<float, 2>;
  chosen<<<1, 256>>>(x, 0.5F);  // left: the kernel is in a variable
}
