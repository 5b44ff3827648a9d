// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/error/message.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/warpsafe.hpp>

#include <ATen/core/Tensor.h>
#if defined(__CUDACC__)
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

#include <cstddef>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

// Where the kernels run. Built with nvcc, they run on PyTorch's current stream and use the tensors'
// memory directly. Built without, they run on the host backend, which copies the CPU tensors.

namespace ws = warpsafe;

/// Python sees this type as LaunchError.
struct LaunchFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// Returns the value, or throws the whole text of the error.
template <class T>
decltype(auto) value_of(ws::result<T>&& outcome) {
  if (!outcome.has_value()) throw LaunchFailed(ws::message(outcome.error()));
  if constexpr (!std::is_void_v<T>) return T(std::move(outcome).value());
}

#if defined(__CUDACC__)

/// A tensor as a kernel's pointer parameter. at::Tensor itself does not tell the compiler its
/// element type.
template <class T>
struct TensorOf {
  T* data;
  std::size_t count;
  [[nodiscard]] const TensorOf& view() const noexcept { return *this; }
};
template <class T>
struct warpsafe::device_pointer_traits<TensorOf<T>> {
  static T* get(const TensorOf<T>& tensor) noexcept { return tensor.data; }
  static std::size_t count(const TensorOf<T>& tensor) noexcept { return tensor.count; }
};

class Place {
 public:
  static constexpr auto type = at::kCUDA;

  /// Makes the tensor's device the current one, which warpsafe's launches require.
  explicit Place(const at::Tensor& tensor)
      : guard_(tensor.device()), stream_(current_stream(tensor.device().index())) {}
  [[nodiscard]] ws::StreamRef stream() const noexcept { return stream_; }
  template <class T>
  [[nodiscard]] TensorOf<const T> input(const at::Tensor& tensor) const {
    return {tensor.const_data_ptr<T>(), static_cast<std::size_t>(tensor.numel())};
  }
  template <class T>
  [[nodiscard]] TensorOf<T> output(at::Tensor& tensor) const {
    return {tensor.mutable_data_ptr<T>(), static_cast<std::size_t>(tensor.numel())};
  }
  /// Does nothing: the kernel wrote into the tensor, and PyTorch's own kernels run after it.
  template <class T>
  void finish(const TensorOf<T>&, at::Tensor&) const {}

 private:
  [[nodiscard]] static ws::StreamRef current_stream(c10::DeviceIndex device) {
    cudaStream_t current = c10::cuda::getCurrentCUDAStream(device).stream();
    // PyTorch's default stream is 0, which warpsafe accepts only by name.
    if (current == nullptr) current = cudaStreamLegacy;
    return value_of(ws::StreamRef::borrow(current, ws::DeviceId(device)));
  }
  c10::cuda::CUDAGuard guard_;
  ws::StreamRef stream_;
};

#else

class Place {
 public:
  static constexpr auto type = at::kCPU;

  explicit Place(const at::Tensor&) : stream_(value_of(ws::Stream::create())) {}
  [[nodiscard]] ws::StreamRef stream() const noexcept { return stream_; }
  template <class T>
  [[nodiscard]] ws::DeviceBuffer<T> input(const at::Tensor& tensor) const {
    return value_of(ws::DeviceBuffer<T>::from(
        stream_,
        std::span<const T>(tensor.const_data_ptr<T>(), static_cast<std::size_t>(tensor.numel()))));
  }
  template <class T>
  [[nodiscard]] ws::DeviceBuffer<T> output(at::Tensor& tensor) const {
    return value_of(ws::DeviceBuffer<T>::create(stream_, tensor.numel()));
  }
  /// Copies the kernel's result into the tensor and waits for the copy.
  template <class T>
  void finish(const ws::DeviceBuffer<T>& result, at::Tensor& tensor) const {
    const std::span<T> values(tensor.mutable_data_ptr<T>(), result.size());
    value_of(ws::copy_and_wait(stream_, ws::from(result), ws::to(values)));
  }

 private:
  ws::Stream stream_;
};

#endif
