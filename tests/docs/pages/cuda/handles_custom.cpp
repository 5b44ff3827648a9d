// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// As the page shows it.
// clang-format off
#include <warpsafe/handles/stream_bound.hpp>
#include <warpsafe/warpsafe.hpp>
namespace ws = warpsafe;

// Stands for a library that warpsafe does not know.
struct my_context;
using my_handle_t = my_context*;
enum class my_status_t : int { success };
my_status_t my_create(my_handle_t*);
my_status_t my_destroy(my_handle_t);
my_status_t my_set_stream(my_handle_t, cudaStream_t);
my_status_t my_get_stream(my_handle_t, cudaStream_t*);
const char* my_error_text(my_status_t);
my_status_t my_work(my_handle_t, int);
my_status_t my_axpy(my_handle_t, int, const float*, const float*, float*);

template <>
struct warpsafe::handle_traits<my_handle_t>
    : HandleCalls<cuda_backend, my_create, my_destroy, my_set_stream, my_get_stream> {
  static constexpr Name name = Name::of("my library");
  static constexpr int inner_handles = 0;
  static Name status_text(status value) noexcept { return Name::of(my_error_text(value)); }
};

// The traits of a library with a pointer mode.
struct scalar_handle {};
template <>
struct warpsafe::handle_traits<scalar_handle> : handle_traits<my_handle_t> {
  static constexpr unsigned scalar_pointers(Name function) noexcept {
    return function == Name::of("my_axpy") ? 0b001U | others_on_device : 0U;  // my_axpy(handle, n, alpha, x, y)
  }
};

ws::result<void> work_with_scalars(ws::StreamBound<scalar_handle>& mine) {
  return mine.call<my_axpy>(0, ws::host_scalar(1.0F), nullptr, nullptr);
}

ws::result<void> work(const ws::Stream& stream) {
  WARPSAFE_TRY(auto mine, ws::StreamBound<my_handle_t>::create(stream));
  return mine.call<my_work>(1);
}
