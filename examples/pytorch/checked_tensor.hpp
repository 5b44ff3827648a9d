// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/StringUtil.h>
#include <pybind11/pybind11.h>

#include <string>

// What a tensor of a caller's has to be. Each mistake is an error of its own: what was passed, what
// is wanted, and how to get it. They are Python's own ValueError and TypeError.

template <class Error, class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  throw Error(c10::str("swiglu: ", parts...));
}

/// TypeError for elements that are neither float32 nor float64.
inline void check_dtype(const char* name, const at::Tensor& tensor) {
  const auto type = tensor.scalar_type();
  if (type == at::kFloat || type == at::kDouble) return;
  refuse<pybind11::type_error>(name, " has dtype ", type,
                               ", not float32 or float64; convert it: ", name, ".float()");
}
/// ValueError where the elements do not lie in order without gaps: the kernels take them by number.
/// And where what lies there is not yet the value: PyTorch negates some tensors when they are read.
inline void check_contiguous(const char* name, const at::Tensor& tensor) {
  if (tensor.layout() != at::kStrided) {
    refuse<pybind11::value_error>(name, " has layout ", tensor.layout(), ", not strided; pass ",
                                  name, ".to_dense()");
  }
  if (!tensor.is_contiguous()) {
    refuse<pybind11::value_error>(name, " is not contiguous: shape ", tensor.sizes(), ", strides ",
                                  tensor.strides(), "; pass ", name, ".contiguous()");
  }
  if (tensor.is_neg()) {
    refuse<pybind11::value_error>(name, " is a negative view; pass ", name, ".resolve_neg()");
  }
}
/// ValueError for a tensor that is not where this extension computes.
inline void check_place(const char* name, const at::Tensor& tensor, at::DeviceType type) {
  if (tensor.device().type() == type) return;
  const std::string here = at::DeviceTypeName(type, true);
  refuse<pybind11::value_error>(name, " is on ", tensor.device(), ", and this build computes on ",
                                here, "; pass ", name, ".to(\"", here, "\")");
}
/// TypeError, ValueError where `tensor` is not like the first one: dtype, shape, device, each told
/// apart.
inline void check_like(const char* name, const at::Tensor& tensor, const char* first_name,
                       const at::Tensor& first) {
  if (tensor.scalar_type() != first.scalar_type()) {
    refuse<pybind11::type_error>(name, " has dtype ", tensor.scalar_type(), " and ", first_name,
                                 " ", first.scalar_type(), "; convert one: ", name, ".to(",
                                 first_name, ".dtype)");
  }
  if (tensor.sizes() != first.sizes()) {
    refuse<pybind11::value_error>(name, " has shape ", tensor.sizes(), " and ", first_name, " ",
                                  first.sizes(), "; nothing is broadcast: ", name, ".expand_as(",
                                  first_name, ").contiguous()");
  }
  if (tensor.device() != first.device()) {
    refuse<pybind11::value_error>(name, " is on ", tensor.device(), " and ", first_name, " on ",
                                  first.device(), "; pass ", name, ".to(", first_name, ".device)");
  }
}
