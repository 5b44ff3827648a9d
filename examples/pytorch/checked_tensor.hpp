// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <ATen/core/Tensor.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>

// Checks the caller's tensors. Each mistake has its own error, a Python ValueError or TypeError,
// which says what was passed, what is expected, and how to get it.

/// Formats numbers as "[4, 5]". No text in this extension uses an ostream: if a toolchain links a
/// second libstdc++ into an extension (-static-libstdc++), printing a number with it ends PyTorch's
/// process.
inline std::string text_of(at::IntArrayRef numbers) {
  std::string text = "[";
  for (const std::int64_t number : numbers) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(number);
  }
  return text + "]";
}

/// Throws TypeError unless the elements are float32 or float64.
inline void check_dtype(const std::string& name, const at::Tensor& tensor) {
  const auto type = tensor.scalar_type();
  if (type == at::kFloat || type == at::kDouble) return;
  throw pybind11::type_error("swiglu: " + name + " has dtype " + at::toString(type) +
                             ", not float32 or float64; convert it: " + name + ".float()");
}
/// Throws ValueError unless the elements lie in order without gaps, because the kernels index them.
/// Also throws for a negative view, whose elements PyTorch negates only when they are read.
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
/// Throws ValueError unless the tensor is on the kind of device where this build computes.
inline void check_place(const std::string& name, const at::Tensor& tensor, at::DeviceType type) {
  if (tensor.device().type() == type) return;
  const std::string here = at::DeviceTypeName(type, true);
  throw pybind11::value_error("swiglu: " + name + " is on " + tensor.device().str() +
                              ", and this build computes on " + here + "; pass " + name + ".to(\"" +
                              here + "\")");
}
/// Throws TypeError or ValueError unless `tensor` has the dtype, shape and device of the first one.
/// Each difference has its own message.
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
