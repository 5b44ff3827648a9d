// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/kernel_api.hpp>

#include <cmath>
#include <cstddef>

// SwiGLU and its gradient: out = gate * sigmoid(gate) * up for each element. Many language models
// use it as the gate of their feed-forward layers.

template <class T>
WARPSAFE_KERNEL void swiglu_forward(const T* gate, const T* up, T* out, std::size_t n) {
  using std::exp;
  for (auto i : warpsafe::grid_stride(n)) {
    const T sigmoid = T{1} / (T{1} + exp(-gate[i]));
    out[i] = gate[i] * sigmoid * up[i];
  }
}

template <class T>
WARPSAFE_KERNEL void swiglu_backward(const T* gate, const T* up, const T* out_gradient,
                                     T* gate_gradient, T* up_gradient, std::size_t n) {
  using std::exp;
  for (auto i : warpsafe::grid_stride(n)) {
    const T sigmoid = T{1} / (T{1} + exp(-gate[i]));
    gate_gradient[i] = out_gradient[i] * up[i] * sigmoid * (T{1} + gate[i] * (T{1} - sigmoid));
    up_gradient[i] = out_gradient[i] * gate[i] * sigmoid;
  }
}
