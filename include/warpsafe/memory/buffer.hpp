// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/as_bytes.hpp>
#include <warpsafe/args/device_view.hpp>
#include <warpsafe/backend/backend.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/dims/bytes.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/memory/detail/copy_operand.hpp>
#include <warpsafe/memory/detail/device_memory.hpp>
#include <warpsafe/memory/detail/read_back.hpp>
#include <warpsafe/memory/memory_hold.hpp>
#include <warpsafe/memory/pending.hpp>
#include <warpsafe/stream/stream.hpp>
#include <warpsafe/stream/stream_hold.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace warpsafe {

/// Elements in device memory, allocated and freed in the order of one stream, which the buffer
/// keeps alive (a borrowed stream is its owner's to keep). From the device's memory pool where it
/// has one; a device without is waited for at the free. Move-only. Sizes are in elements.
///
/// What other streams do with it through the buffer or a view of it (copies, kernels, libraries) is
/// waited for, on the device, before the memory is freed; what they reach by a span or an address
/// is made known by `used_on`.
template <class B, class T>
class [[nodiscard]] basic_device_buffer {
  static_assert(detail::check_element<T>());

 public:
  using element_type = T;

  /// Room for `count` elements, not initialised; 0 is an empty buffer. Errc::size_negative,
  /// ::bytes_overflow, ::out_of_memory (with the bytes asked, free and in all, and what this
  /// program's buffers hold).
  template <CheckLevel Level = current_level, class Count>
  [[nodiscard]] static result<basic_device_buffer> create(
      basic_stream_hold<B> stream, Count count, call_site site = call_site::current()) noexcept {
    const auto bytes = Bytes::create<T>(count, site);
    if (!bytes.has_value()) return bytes.assume_error();
    const auto memory = detail::DeviceMemory<B>::template allocate<Level>(
        std::move(stream), bytes.assume_value(), false, site);
    if (!memory.has_value()) return memory.assume_error();
    return basic_device_buffer(memory.assume_value(), bytes.assume_value().value() / sizeof(T));
  }
  /// A copy of host memory. Returns when the host memory may be changed again: the copy has ended.
  /// As `create` and `assign`.
  template <CheckLevel Level = current_level>
  [[nodiscard]] static result<basic_device_buffer> from(
      basic_stream_hold<B> stream, std::span<const T> source,
      call_site site = call_site::current()) noexcept {
    auto made = create<Level>(std::move(stream), source.size(), site);
    if (!made.has_value()) return made;
    const auto copied = made.assume_value().template assign<Level>(source, site);
    if (!copied.has_value()) return copied.assume_error();
    return made;
  }

  basic_device_buffer(basic_device_buffer&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  basic_device_buffer& operator=(basic_device_buffer&& other) noexcept {
    if (this != &other) {
      static_cast<void>(close());
      memory_ = std::exchange(other.memory_, nullptr);
      size_ = std::exchange(other.size_, 0);
    }
    return *this;
  }
  basic_device_buffer(const basic_device_buffer&) = delete;
  basic_device_buffer& operator=(const basic_device_buffer&) = delete;
  // Nobody can take a status here; close() is for who wants it.
  ~basic_device_buffer() { static_cast<void>(close()); }

  /// Gives the memory up: it is freed in the order of its stream, now, or with the last token or
  /// graph that needs it; while the stream captures, at a later allocation. That it is freed says
  /// nothing of work being done. Returns what the runtime says of a free now. Errc::runtime_failed.
  [[nodiscard]] result<void> close(call_site site = call_site::current()) noexcept {
    size_ = 0;
    if (memory_ == nullptr) return success();
    const int status = std::exchange(memory_, nullptr)->release();
    if (status != 0) return detail::runtime_error<B>(status, Name::of("free device memory"), site);
    return success();
  }

  /// Elements.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  /// The stream of its allocation. @pre not moved from, not closed
  [[nodiscard]] basic_stream_ref<B> stream() const noexcept { return memory_->stream(); }
  /// What kernels take. Not of a temporary buffer, whose memory would be gone.
  [[nodiscard]] DeviceView<T> view() & noexcept {
    return DeviceView<T>({detail::DeviceAccess::pointer<T>(data()), size_}, device(), memory_);
  }
  [[nodiscard]] DeviceView<const T> view() const& noexcept {
    return DeviceView<const T>({detail::DeviceAccess::pointer<const T>(data()), size_}, device(),
                               memory_);
  }
  void view() const&& = delete;
  /// Keeps the memory allocated beyond the buffer's end, for a graph that uses it.
  [[nodiscard]] basic_memory_hold<B> keep() const noexcept { return basic_memory_hold<B>(memory_); }
  /// Tells the buffer that what `stream` was given so far uses it: it is freed after that. Nothing
  /// is needed for its own stream, for what was given the buffer or a view of it, or for a stream
  /// that captures, whose graph is to `keep` it. Errc::runtime_failed.
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<void> used_on(basic_stream_ref<B> stream,
                                     call_site site = call_site::current()) const noexcept {
    return detail::note_use<Level>(memory_, stream, site);
  }

  /// Overwrites the buffer from host memory of the same number of elements, in the order of its
  /// stream; returns when that memory may be changed again. Errc::size_mismatch where the numbers
  /// differ (value: the source's, limit: the buffer's), ::stream_capturing, ::runtime_failed,
  /// ::execution_failed.
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<void> assign(std::span<const T> source,
                                    call_site site = call_site::current()) noexcept {
    const auto host = detail::CopyRows::flat(source.data(), source.size(), -1);
    // Sizes first: an empty buffer may have no stream.
    const result<void> sizes = detail::same_size(rows(), host, site);
    if (!sizes.has_value() || size_ == 0) return sizes;
    return detail::copy_now<Level>(rows(), host, CopyKind::host_to_device, stream(), site);
  }
  /// Every byte 0, in the order of `stream`. Errc::runtime_failed.
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<void> zero(basic_stream_ref<B> stream,
                                  call_site site = call_site::current()) noexcept {
    return fill_bytes<Level>(stream, std::byte{0}, site);
  }
  /// Every byte `value`, a std::byte, in the order of `stream`. Errc::runtime_failed.
  template <CheckLevel Level = current_level, class Byte>
  [[nodiscard]] result<void> fill_bytes(basic_stream_ref<B> stream, Byte value,
                                        call_site site = call_site::current()) noexcept {
    if constexpr (detail::check_fill_value<Byte>()) {
      const result<void> filled = detail::fill_rows<Level>(rows(), value, stream, site);
      return filled.has_value() ? detail::note_use<Level>(memory_, stream, site) : filled;
    } else {
      return success();
    }
  }
  /// The elements on the host, once what `stream` was given before has ended: there is no other way
  /// to them. Into pageable memory, so that the call itself may wait for the copy; `copy` into a
  /// PinnedBuffer does not. The memory stays allocated until then. What can go wrong comes out of
  /// `get`: Errc::out_of_memory (of the host), ::stream_capturing, ::runtime_failed,
  /// ::execution_failed.
  template <CheckLevel Level = current_level>
  [[nodiscard]] basic_pending<B, std::vector<T>> to_host(
      basic_stream_ref<B> stream, call_site site = call_site::current()) const noexcept {
    return detail::read_back<Level, B, T>(stream, rows(), memory_, site);
  }

 private:
  friend struct detail::CopyOperand<basic_device_buffer>;
  basic_device_buffer(detail::DeviceMemory<B>* memory, std::size_t size) noexcept
      : memory_(memory), size_(size) {}

  [[nodiscard]] T* data() const noexcept {
    return memory_ == nullptr ? nullptr : static_cast<T*>(memory_->data());
  }
  [[nodiscard]] int device() const noexcept {
    return memory_ == nullptr ? -1 : stream().device().value();
  }
  [[nodiscard]] detail::CopyRows rows() const noexcept {
    return detail::CopyRows::flat(data(), size_, device());
  }

  detail::DeviceMemory<B>* memory_;  // nullptr: moved from, or closed
  std::size_t size_;
};

template <class T>
using DeviceBuffer = basic_device_buffer<default_backend, T>;

namespace detail {
template <class B, class T>
struct CopyOperand<basic_device_buffer<B, T>> {
  static constexpr bool known = true;
  static constexpr CopyPlace place = CopyPlace::device;
  using element = T;
  using backend = B;
  [[nodiscard]] static CopyRows rows(const basic_device_buffer<B, T>& buffer) noexcept {
    return buffer.rows();
  }
  [[nodiscard]] static DeviceMemory<B>* owner(const basic_device_buffer<B, T>& buffer) noexcept {
    return buffer.memory_;
  }
};
}  // namespace detail

}  // namespace warpsafe
