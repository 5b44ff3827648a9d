// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// As the page shows it.
// clang-format off
#include <warpsafe/warpsafe.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/handles/cublas.hpp>
namespace ws = warpsafe;

ws::result<void> multiply(const ws::Stream& stream, int n, ws::DeviceBuffer<float>& a, ws::DeviceBuffer<float>& b,
                          ws::DeviceBuffer<float>& c) {
  WARPSAFE_TRY(auto blas, ws::StreamBound<cublasHandle_t>::create(stream));
  return blas.call<cublasSgemm>(CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, ws::host_scalar(1.0F), a.view(), n, b.view(), n,
                                ws::host_scalar(0.0F), c.view(), n);
}

// A library of somebody's.
struct my_context;
using my_handle_t = my_context*;
enum class my_status_t : int { success };
my_status_t my_create(my_handle_t*);
my_status_t my_destroy(my_handle_t);
my_status_t my_set_stream(my_handle_t, cudaStream_t);
my_status_t my_get_stream(my_handle_t, cudaStream_t*);
const char* my_error_text(my_status_t);
my_status_t my_work(my_handle_t, int);

template <>
struct warpsafe::handle_traits<my_handle_t>
    : HandleCalls<cuda_backend, my_create, my_destroy, my_set_stream, my_get_stream> {
  static constexpr Name name = Name::of("my library");
  static constexpr int inner_handles = 0;
  static Name status_text(status value) noexcept { return Name::of(my_error_text(value)); }
};

ws::result<void> work(const ws::Stream& stream) {
  WARPSAFE_TRY(auto mine, ws::StreamBound<my_handle_t>::create(stream));
  return mine.call<my_work>(1);
}
