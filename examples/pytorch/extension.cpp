// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The extension checks the tensors, launches the kernels through warpsafe, and shows the errors'
// whole text in Python. extension.cu compiles this file with nvcc.

#include "checked_tensor.hpp"
#include "device.hpp"
#include "kernels.hpp"
#include <warpsafe/compare.hpp>
#include <warpsafe/debug.hpp>
#include <warpsafe/error/try.hpp>

#include <ATen/Dispatch.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/utils/pybind.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <utility>

namespace {

void check_inputs(const at::Tensor& gate, const at::Tensor& up) {
  check_place("gate", gate, Place::type);
  check_dtype("gate", gate);
  check_contiguous("gate", gate);
  check_like("up", up, "gate", gate);
  check_contiguous("up", up);
}
/// One thread per element. If this grid is an error, the launch returns it with the kernel's name.
auto grid_for(std::int64_t size, std::int64_t threads)
    -> decltype(ws::SafeGrid<>::cover_or_empty(size, std::declval<const ws::BlockDim&>())) {
  WARPSAFE_TRY(const auto block, ws::BlockDim::create(threads));
  return ws::SafeGrid<>::cover_or_empty(size, block);
}
/// The kernels index in 64 bits, so a tensor may have more than 2^31 elements.
template <auto Fn>
inline constexpr auto wide_kernel = ws::kernel<Fn, ws::index<std::uint64_t>>;

at::Tensor forward(const at::Tensor& gate, const at::Tensor& up, std::int64_t threads) {
  check_inputs(gate, up);
  at::Tensor out = at::empty_like(gate);
  AT_DISPATCH_FLOATING_TYPES(gate.scalar_type(), "swiglu_forward", [&] {
    const Place device(gate);
    const auto a = device.input<scalar_t>(gate);
    const auto b = device.input<scalar_t>(up);
    auto result = device.output<scalar_t>(out);
    value_of(ws::launch(device.stream(), grid_for(gate.numel(), threads),
                        wide_kernel<swiglu_forward<scalar_t>>, a.view(), b.view(), result.view(),
                        static_cast<std::size_t>(gate.numel())));
    device.finish(result, out);
  });
  return out;
}

std::tuple<at::Tensor, at::Tensor> backward(const at::Tensor& gate, const at::Tensor& up,
                                            const at::Tensor& out_gradient, std::int64_t threads) {
  check_inputs(gate, up);
  check_like("grad", out_gradient, "gate", gate);
  check_contiguous("grad", out_gradient);
  at::Tensor gate_gradient = at::empty_like(gate);
  at::Tensor up_gradient = at::empty_like(up);
  AT_DISPATCH_FLOATING_TYPES(gate.scalar_type(), "swiglu_backward", [&] {
    const Place device(gate);
    const auto a = device.input<scalar_t>(gate);
    const auto b = device.input<scalar_t>(up);
    const auto c = device.input<scalar_t>(out_gradient);
    auto for_gate = device.output<scalar_t>(gate_gradient);
    auto for_up = device.output<scalar_t>(up_gradient);
    value_of(ws::launch(device.stream(), grid_for(gate.numel(), threads),
                        wide_kernel<swiglu_backward<scalar_t>>, a.view(), b.view(), c.view(),
                        for_gate.view(), for_up.view(), static_cast<std::size_t>(gate.numel())));
    device.finish(for_gate, gate_gradient);
    device.finish(for_up, up_gradient);
  });
  return {gate_gradient, up_gradient};
}

/// Describes the differences between two tensors of one shape and dtype, with warpsafe's tolerance
/// for the dtype. Empty if they agree.
std::string difference(const at::Tensor& actual, const at::Tensor& expected) {
  check_dtype("actual", actual);
  check_like("expected", expected, "actual", actual);
  const at::Tensor left = actual.detach().cpu().contiguous();
  const at::Tensor right = expected.detach().cpu().contiguous();
  std::string text;
  AT_DISPATCH_FLOATING_TYPES(left.scalar_type(), "difference", [&] {
    const auto size = static_cast<std::size_t>(left.numel());
    const auto compared =
        value_of(ws::compare(std::span<const scalar_t>(left.const_data_ptr<scalar_t>(), size),
                             std::span<const scalar_t>(right.const_data_ptr<scalar_t>(), size)));
    if (!compared.agrees()) text = message(compared);
  });
  return text;
}

}  // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) {
  pybind11::register_exception<LaunchFailed>(module, "LaunchError", PyExc_RuntimeError);
  module.attr("device") = at::DeviceTypeName(Place::type, true);
  module.def("forward", &forward, pybind11::arg("gate"), pybind11::arg("up"),
             pybind11::arg("threads") = 256);
  module.def("backward", &backward, pybind11::arg("gate"), pybind11::arg("up"),
             pybind11::arg("grad"), pybind11::arg("threads") = 256);
  module.def("difference", &difference, pybind11::arg("actual"), pybind11::arg("expected"));
}
