// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <ATen/core/Tensor.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>

// What a tensor of a caller's has to be. Each mistake is an error of its own: what was passed, what
// is wanted, and how to get it. They are Python's own ValueError and TypeError.

/// "[4, 5]". Without an ostream, as all texts here: where a toolchain links a second libstdc++ into
/// an extension (-static-libstdc++), PyTorch's process ends when that one prints a number.
inline std::string text_of(at::IntArrayRef numbers) {
  std::string text = "[";
  for (const std::int64_t number : numbers) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(number);
  }
  return text + "]";
}

/// TypeError for elements that are neither float32 nor float64.
inline void check_dtype(const std::string& name, const at::Tensor& tensor) {
  const auto type = tensor.scalar_type();
  if (type == at::kFloat || type == at::kDouble) return;
  throw pybind11::type_error("swiglu: " + name + " has dtype " + at::toString(type) +
                             ", not float32 or float64; convert it: " + name + ".float()");
}
/// ValueError where the elements do not lie in order without gaps: the kernels take them by number.
/// And where what lies there is not yet the value: PyTorch negates some tensors when they are read.
inline void check_contiguous(const std::string& name, const at::Tensor& tensor) {
  if (tensor.layout() != at::kStrided) {
    throw pybind11::value_error("swiglu: " + name + " is not a dense tensor; pass " + name +
                                ".to_dense()");
  }
  if (!tensor.is_contiguous()) {
    throw pybind11::value_error("swiglu: " + name + " is not contiguous: shape " +
                                text_of(tensor.sizes()) + ", strides " + text_of(tensor.strides()) +
                                "; pass " + name + ".contiguous()");
  }
  if (tensor.is_neg()) {
    throw pybind11::value_error("swiglu: " + name + " is a negative view; pass " + name +
                                ".resolve_neg()");
  }
}
/// ValueError for a tensor that is not where this extension computes.
inline void check_place(const std::string& name, const at::Tensor& tensor, at::DeviceType type) {
  if (tensor.device().type() == type) return;
  const std::string here = at::DeviceTypeName(type, true);
  throw pybind11::value_error("swiglu: " + name + " is on " + tensor.device().str() +
                              ", and this build computes on " + here + "; pass " + name + ".to(\"" +
                              here + "\")");
}
/// TypeError, ValueError where `tensor` is not like the first one: dtype, shape, device, each told
/// apart.
inline void check_like(const std::string& name, const at::Tensor& tensor,
                       const std::string& first_name, const at::Tensor& first) {
  if (tensor.scalar_type() != first.scalar_type()) {
    throw pybind11::type_error("swiglu: " + name + " has dtype " +
                               at::toString(tensor.scalar_type()) + " and " + first_name + " " +
                               at::toString(first.scalar_type()) + "; convert one: " + name +
                               ".to(" + first_name + ".dtype)");
  }
  if (tensor.sizes() != first.sizes()) {
    throw pybind11::value_error("swiglu: " + name + " has shape " + text_of(tensor.sizes()) +
                                " and " + first_name + " " + text_of(first.sizes()) +
                                "; nothing is broadcast: " + name + ".expand_as(" + first_name +
                                ").contiguous()");
  }
  if (tensor.device() != first.device()) {
    throw pybind11::value_error("swiglu: " + name + " is on " + tensor.device().str() + " and " +
                                first_name + " on " + first.device().str() + "; pass " + name +
                                ".to(" + first_name + ".device)");
  }
}
