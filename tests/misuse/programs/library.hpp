// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

// A library with handles, as a user would bind one (docs/guide/handles.md). Its functions
// run on the stream of the handle, or on a stream of the library's own as long as none is set.

#include "rows.hpp"

struct LibHandle {
  ws::host_backend::native_stream stream = nullptr;
};
using lib_t = LibHandle*;
enum lib_type { LIB_FLOAT, LIB_DOUBLE };

// Addresses are numbers here: a vendor's library does not check them.
using Address = std::uintptr_t;

WARPSAFE_KERNEL void lib_scale_kernel(float alpha, Address address, std::size_t n) {
  auto* const x = reinterpret_cast<float*>(address);
  for (auto i : ws::grid_stride(n)) x[i] *= alpha;
}
WARPSAFE_KERNEL void lib_product_kernel(Address a_address, int lda, Address b_address, int ldb,
                                        Address c_address, int ldc, int m, int n, int k) {
  const auto* const a = reinterpret_cast<const float*>(a_address);
  const auto* const b = reinterpret_cast<const float*>(b_address);
  auto* const c = reinterpret_cast<float*>(c_address);
  const auto at = ws::thread_index();
  if (at.x >= static_cast<std::uint64_t>(m) || at.y >= static_cast<std::uint64_t>(n)) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) {
    sum += a[at.x + static_cast<std::size_t>(i) * static_cast<std::size_t>(lda)] *
           b[static_cast<std::size_t>(i) + at.y * static_cast<std::size_t>(ldb)];
  }
  c[at.x + at.y * static_cast<std::size_t>(ldc)] = sum;
}

inline int lib_create(lib_t* handle) {
  *handle = new LibHandle;
  return 0;
}
inline int lib_destroy(lib_t handle) {
  delete handle;
  return 0;
}
inline int lib_set_stream(lib_t handle, ws::host_backend::native_stream stream) {
  handle->stream = stream;
  return 0;
}
inline int lib_get_stream(lib_t handle, ws::host_backend::native_stream* stream) {
  *stream = handle->stream;
  return 0;
}
/// alpha is in host memory.
inline int lib_scale(lib_t handle, int n, const float* alpha, float* x) {
  const auto on = ws::StreamRef::borrow(handle->stream, ws::current_device().value());
  if (!on.has_value()) return 1;
  const auto size = static_cast<std::size_t>(n);
  return ws::launch(on.value(), ws::SafeGrid<>::cover(size, ws::block<64>),
                    ws::kernel<lib_scale_kernel>, *alpha, reinterpret_cast<Address>(x), size)
                 .has_value()
             ? 0
             : 1;
}
/// c = a b of matrices by columns, as cuBLAS has them.
inline int lib_product(lib_t handle, int m, int n, int k, const float* a, int lda, const float* b,
                       int ldb, float* c, int ldc) {
  const auto on = ws::StreamRef::borrow(handle->stream, ws::current_device().value());
  if (!on.has_value()) return 1;
  return ws::launch(on.value(),
                    ws::SafeGrid<>::cover(ws::extent{ws::rows{n}, ws::cols{m}}, ws::block<8, 8>),
                    ws::kernel<lib_product_kernel>, reinterpret_cast<Address>(a), lda,
                    reinterpret_cast<Address>(b), ldb, reinterpret_cast<Address>(c), ldc, m, n, k)
                 .has_value()
             ? 0
             : 1;
}
/// Scales n elements of a type.
inline int lib_scale_any(lib_t handle, std::size_t n, lib_type type, float alpha, void* x) {
  const auto on = ws::StreamRef::borrow(handle->stream, ws::current_device().value());
  if (!on.has_value()) return 1;
  const std::size_t floats = type == LIB_FLOAT ? n : 2 * n;
  return ws::launch(on.value(), ws::SafeGrid<>::cover(floats, ws::block<64>),
                    ws::kernel<lib_scale_kernel>, alpha, reinterpret_cast<Address>(x), floats)
                 .has_value()
             ? 0
             : 1;
}

template <>
struct warpsafe::handle_traits<lib_t>
    : HandleCalls<host_backend, lib_create, lib_destroy, lib_set_stream, lib_get_stream> {
  static constexpr Name name = Name::of("lib");
  static constexpr int inner_handles = 0;
  static Name status_text(status value) noexcept {
    return Name::of(value == 0 ? "success" : "failed");
  }
};
