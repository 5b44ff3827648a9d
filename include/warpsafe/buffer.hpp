// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/backend.hpp>
#include <warpsafe/bytes.hpp>
#include <warpsafe/device_ptr.hpp>
#include <warpsafe/pending.hpp>
#include <warpsafe/result.hpp>
#include <warpsafe/stream.hpp>

#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpsafe {

/// Elements in device memory, allocated and freed in the order of one stream, which the buffer
/// keeps alive (a borrowed stream is its owner's to keep). Move-only. Sizes are in elements.
template <class B, class T>
class [[nodiscard]] basic_device_buffer {
  static_assert(
      std::is_trivially_copyable_v<T>,
      "warpsafe: device memory holds trivially copyable elements: they are copied as bytes");

 public:
  using element_type = T;

  /// Room for `count` elements, not initialised; 0 is an empty buffer. Errc::size_negative,
  /// ::bytes_overflow, ::out_of_memory (with the bytes asked, free and in all).
  template <class Count>
  [[nodiscard]] static result<basic_device_buffer> create(
      basic_stream_hold<B> stream, Count count, call_site site = call_site::current()) noexcept {
    const auto bytes = Bytes::create<T>(count, site);
    if (!bytes.has_value()) return bytes.assume_error();
    void* memory = nullptr;
    if (bytes.assume_value().value() != 0) {
      const int status = B::allocate(memory, bytes.assume_value().value(), stream.ref().native());
      if (status != 0) return allocation_error(status, bytes.assume_value(), stream.ref(), site);
    }
    return basic_device_buffer(static_cast<T*>(memory), bytes.assume_value().value() / sizeof(T),
                               stream);
  }
  /// A copy of host memory. Returns when the host memory may be changed again: the copy has ended.
  /// Errc::out_of_memory, ::runtime_failed, ::execution_failed (of earlier work).
  [[nodiscard]] static result<basic_device_buffer> from(
      basic_stream_hold<B> stream, std::span<const T> source,
      call_site site = call_site::current()) noexcept {
    auto made = create(stream, source.size(), site);
    if (!made.has_value()) return made;
    const auto copied = made.assume_value().assign(source, site);
    if (!copied.has_value()) return copied.assume_error();
    return made;
  }

  basic_device_buffer(basic_device_buffer&& other) noexcept
      : data_(other.data_), size_(other.size_), stream_(other.stream_) {
    other.data_ = nullptr;
    other.size_ = 0;
  }
  basic_device_buffer& operator=(basic_device_buffer&& other) noexcept {
    if (this != &other) {
      static_cast<void>(close());
      data_ = std::exchange(other.data_, nullptr);
      size_ = std::exchange(other.size_, 0);
      stream_ = other.stream_;
    }
    return *this;
  }
  basic_device_buffer(const basic_device_buffer&) = delete;
  basic_device_buffer& operator=(const basic_device_buffer&) = delete;
  // Nobody can take a status here; close() is for who wants it.
  ~basic_device_buffer() { static_cast<void>(close()); }

  /// Frees the memory, in stream order, and returns what the runtime says of it.
  /// Errc::runtime_failed.
  [[nodiscard]] result<void> close(call_site site = call_site::current()) noexcept {
    if (data_ == nullptr) return success();
    size_ = 0;
    const int status = B::deallocate(
        const_cast<std::remove_const_t<T>*>(std::exchange(data_, nullptr)), stream_.ref().native());
    if (status != 0) return detail::runtime_error<B>(status, Name::of("free device memory"), site);
    return success();
  }

  /// Elements.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  /// What kernels take. Not of a temporary buffer, whose memory would be gone.
  [[nodiscard]] DeviceSpan<T> view() & noexcept {
    return DeviceSpan<T>(device_ptr<T>::assume(data_), size_);
  }
  [[nodiscard]] DeviceSpan<const T> view() const& noexcept {
    return DeviceSpan<const T>(device_ptr<const T>::assume(data_), size_);
  }
  void view() const&& = delete;

  /// Overwrites the buffer from host memory of the same number of elements; returns when that may
  /// be changed again. Errc::size_mismatch where the numbers differ (value: the source's, limit:
  /// the buffer's), ::runtime_failed, ::execution_failed.
  [[nodiscard]] result<void> assign(std::span<const T> source,
                                    call_site site = call_site::current()) noexcept {
    if (source.size() != size_) {
      return LaunchError::make(Errc::size_mismatch, Stage::construction, source.size(), size_,
                               Axis::none, site);
    }
    if (size_ == 0) return success();
    if (const int status = B::copy(data_, source.data(), source.size_bytes(),
                                   CopyKind::host_to_device, stream_.ref().native())) {
      return detail::runtime_error<B>(status, Name::of("copy to device"), site);
    }
    return stream_.ref().synchronize(site);
  }
  /// Every byte 0, in the order of `stream`. Errc::runtime_failed.
  [[nodiscard]] result<void> zero(basic_stream_ref<B> stream,
                                  call_site site = call_site::current()) noexcept {
    return fill_bytes(stream, std::byte{0}, site);
  }
  /// Every byte `value`, in the order of `stream`. Errc::runtime_failed.
  [[nodiscard]] result<void> fill_bytes(basic_stream_ref<B> stream, std::byte value,
                                        call_site site = call_site::current()) noexcept {
    if (size_ == 0) return success();
    if (const int status =
            B::fill(data_, static_cast<unsigned char>(value), size_ * sizeof(T), stream.native())) {
      return detail::runtime_error<B>(status, Name::of("fill device memory"), site);
    }
    return success();
  }
  /// The elements on the host, once what `stream` was given before has ended: there is no other way
  /// to them. What can go wrong comes out of `get`: Errc::out_of_memory (of the host),
  /// ::runtime_failed,
  /// ::execution_failed.
  [[nodiscard]] basic_pending<B, std::vector<T>> to_host(
      basic_stream_ref<B> stream, call_site site = call_site::current()) const noexcept {
    using Result = basic_pending<B, std::vector<T>>;
    std::vector<T> target;
    if (!resize(target)) {
      return Result(LaunchError::make(Errc::out_of_memory, Stage::runtime_call, size_ * sizeof(T),
                                      0, Axis::none, site));
    }
    if (size_ != 0) {
      if (const int status = B::copy(target.data(), data_, size_ * sizeof(T),
                                     CopyKind::device_to_host, stream.native())) {
        return Result(detail::runtime_error<B>(status, Name::of("copy to host"), site));
      }
    }
    auto written = basic_event<B, false>::create(stream, site);
    if (!written.has_value()) {
      // The copy is on its way and nothing marks its end: wait for it before its target goes.
      static_cast<void>(stream.synchronize(site));
      return Result(written.assume_error());
    }
    return Result(std::move(target), std::move(written).assume_value());
  }

 private:
  basic_device_buffer(T* data, std::size_t size, basic_stream_hold<B> stream) noexcept
      : data_(data), size_(size), stream_(std::move(stream)) {}

  bool resize(std::vector<T>& target) const noexcept {
#if defined(__cpp_exceptions)
    try {
      target.resize(size_);
    } catch (...) {
      return false;
    }
#else
    target.resize(size_);
#endif
    return true;
  }
  [[gnu::cold]] static LaunchError allocation_error(int status, Bytes bytes,
                                                    basic_stream_ref<B> stream,
                                                    call_site site) noexcept {
    LaunchError error = detail::runtime_error<B>(status, Name::of("allocate device memory"), site);
    error.device = stream.device().value();
    error.value = bytes.value();
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    if (error.code == Errc::out_of_memory && B::memory_info(free_bytes, total_bytes) == 0) {
      error.limit = total_bytes;
      error.extra = free_bytes;
    }
    return error;
  }

  T* data_;
  std::size_t size_;
  basic_stream_hold<B> stream_;
};

template <class T>
using DeviceBuffer = basic_device_buffer<default_backend, T>;

}  // namespace warpsafe
