// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// release_calls.py reads the object code of these functions.

#include "../misuse/handles.hpp"

extern "C" bool bare(LibraryHandle handle, int n, const float* alpha, const float* x, float* y) {
  return library_axpy(handle, library_plain, n, alpha, x, y) == library_success;
}

extern "C" bool with_pointers(Library& library, int n, const float* alpha, const float* x,
                              float* y) {
  const auto done =
      library.call<library_axpy>(library_plain, n, alpha, warpsafe::trust(x), warpsafe::trust(y));
  return done.has_value();
}

extern "C" bool with_views(Library& library, int n, const float* alpha,
                           const warpsafe::DeviceBuffer<float>& x,
                           warpsafe::DeviceBuffer<float>& y) {
  return library.call<library_axpy>(library_plain, n, alpha, x.view(), y.view()).has_value();
}
