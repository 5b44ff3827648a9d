// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/as_bytes.hpp>
#include <warpsafe/args/device_view.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/refused.hpp>
#include <warpsafe/dims/bytes.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/kernel/detail/argument_types.hpp>
#include <warpsafe/memory/detail/buffer_diagnostics.hpp>
#include <warpsafe/memory/detail/buffer_use.hpp>
#include <warpsafe/memory/detail/copy_calls.hpp>
#include <warpsafe/memory/detail/copy_operand.hpp>
#include <warpsafe/memory/detail/device_memory.hpp>
#include <warpsafe/memory/detail/fill.hpp>
#include <warpsafe/memory/memory_hold.hpp>
#include <warpsafe/memory/pending.hpp>
#include <warpsafe/stream/stream.hpp>
#include <warpsafe/stream/stream_hold.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// Elements in device memory. Allocated and freed in the order of one stream, which the buffer
/// keeps alive; a borrowed stream must outlive the buffer and each MemoryHold, Pending and graph
/// that has its memory. The memory comes from the device's memory pool; on a device without pools,
/// freeing it waits on the host for the work that uses it. Move-only. Sizes are in elements.
///
/// Before the memory is freed, the device waits for the work of other streams that was given the
/// buffer or a view of it (copies, kernels, library calls). Report work that was given a span or an
/// address with `used_on`.
template <class B, class T>
class WARPSAFE_DETAIL_OWNER basic_device_buffer {
  static_assert(detail::check_element<T>());

 public:
  using element_type = T;

  /// Allocates `count` uninitialised elements; 0 makes an empty buffer. Errc::size_negative,
  /// ::bytes_overflow, ::stream_null for a Stream that was moved from or closed, ::runtime_failed.
  /// Errc::out_of_memory holds the bytes requested, free and in total, and the bytes that this
  /// program's buffers hold.
  template <CheckLevel Level = current_level, class Count>
  requires(!detail::HasSize<Count>) [[nodiscard]] static result<basic_device_buffer> create(
      basic_stream_hold<B> stream, Count count, call_site site = call_site::current()) noexcept {
    const auto bytes = Bytes::create<T>(count, site);
    if (!bytes.has_value()) return bytes.assume_error();
    const auto memory = detail::DeviceMemory<B>::template allocate<Level>(
        std::move(stream), bytes.assume_value(), false, site);
    if (!memory.has_value()) return memory.assume_error();
    return basic_device_buffer(memory.assume_value(), bytes.assume_value().value() / sizeof(T));
  }
  /// Diagnoses a missing stream or count, and a stream that is still a result.
  template <class First, class... More>
  requires(sizeof...(More) == 0 || !std::is_convertible_v<const First&, basic_stream_hold<B>>)
      [[nodiscard]] static result<basic_device_buffer> create(const First&,
                                                              const More&...) noexcept {
    static_assert(
        std::is_void_v<First>,
        "warpsafe: create takes a stream, not its result, and then the number of elements: create(stream, count)");
    return LaunchError::make(Errc::stream_null, Stage::construction);
  }
  /// Diagnoses the elements, or a value for all of them.
  template <class Count, class... More>
  requires(detail::HasSize<Count> || (!std::is_convertible_v<const More&, call_site> || ...))
      [[nodiscard]] static result<basic_device_buffer> create(const basic_stream_hold<B>&,
                                                              const Count&,
                                                              const More&...) noexcept {
    static_assert(
        std::is_void_v<Count>,
        "warpsafe: create takes a number of elements and leaves them unset; for elements of the host write from(stream, values), and for zeros zero(stream) afterwards");
    return LaunchError::make(Errc::size_negative, Stage::construction);
  }
  /// Allocates a buffer and copies `source` into it. Returns when the copy has ended, so that the
  /// host memory may be changed again. Errors are those of `create`, and Errc::stream_capturing,
  /// ::runtime_failed, ::execution_failed; checked builds: ::argument_host_pointer if
  /// T is a pointer to host memory. A structure with a raw pointer must declare is_device_copyable.
  template <CheckLevel Level = current_level>
  [[nodiscard]] static result<basic_device_buffer> from(
      basic_stream_hold<B> stream, std::span<const T> source,
      call_site site = call_site::current()) noexcept {
    auto made = create<Level>(std::move(stream), source.size(), site);
    if (!made.has_value()) return made;
    const basic_device_buffer& buffer = made.assume_value();
    const result<void> copied =
        detail::fill_from_host<Level>(buffer.stream(), buffer.rows(), source, site);
    if (!copied.has_value()) return copied.assume_error();
    return made;
  }
  /// Diagnoses a missing stream or source, and a stream that is still a result.
  template <class First, class... More>
  requires(!std::is_convertible_v<const First&, basic_stream_hold<B>> ||
           !(std::is_convertible_v<const More&, std::span<const T>> || ...))
      [[nodiscard]] static result<basic_device_buffer> from(const First&, const More&...) noexcept {
    static_assert(
        std::is_void_v<First>,
        "warpsafe: from takes a stream, not its result, and then elements of the buffer's type in host memory: from(stream, values)");
    return LaunchError::make(Errc::stream_null, Stage::construction);
  }

#define WARPSAFE_DETAIL_SENTENCE \
  "warpsafe: a buffer is made by a function that can fail: WARPSAFE_TRY(auto x, DeviceBuffer<float>::create(stream, count)), or DeviceBuffer<float>::from(stream, values)"
  WARPSAFE_DETAIL_NO_CONSTRUCTOR(basic_device_buffer);
#undef WARPSAFE_DETAIL_SENTENCE
  basic_device_buffer(basic_device_buffer&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  basic_device_buffer& operator=(basic_device_buffer&& other) noexcept {
    if (this != &other) {
      drop();
      memory_ = std::exchange(other.memory_, nullptr);
      size_ = std::exchange(other.size_, 0);
    }
    return *this;
  }
  basic_device_buffer(const basic_device_buffer&,  // warpsafe: move the buffer, or pass its view()
                      detail::MoveItOrPassItsView = {}) = delete;
  basic_device_buffer& operator=(const basic_device_buffer&) = delete;
  // A destructor cannot return a status; close() does.
  [[gnu::always_inline]] ~basic_device_buffer() {
    if (memory_ != nullptr) drop();
  }

  /// Gives up the memory. It is freed in stream order: now, or together with the last Pending or
  /// graph that needs it; if the stream captures, at a later allocation. The work may still run
  /// when this returns. Returns the runtime's error if the memory is freed now.
  /// Errc::runtime_failed.
  [[nodiscard]] result<void> close(call_site site = call_site::current()) noexcept {
    size_ = 0;
    if (memory_ == nullptr) return success();
    const detail::CallScope<B> here(site);
    const int of = device();
    const int status = std::exchange(memory_, nullptr)->release();
    if (status != 0) [[unlikely]]
      return detail::free_error<B>(status, of, site);
    return success();
  }

  /// In elements.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  /// The stream that the memory was allocated on. For a buffer that was moved from or closed, that
  /// of a closed Stream: calls on it return Errc::stream_null.
  [[nodiscard]] basic_stream_ref<B> stream() const noexcept {
    return memory_ == nullptr ? detail::StreamAccess::closed<B>() : memory_->stream();
  }
  /// The argument for kernels. Does not compile for a temporary buffer, whose memory would be
  /// freed.
  [[nodiscard]] DeviceView<T> view() & noexcept WARPSAFE_DETAIL_BOUND {
    return DeviceView<T>({detail::DeviceAccess::pointer<T>(address()), size_}, device(),
                         detail::owner_or_closed(memory_));
  }
  [[nodiscard]] DeviceView<const T> view() const& noexcept WARPSAFE_DETAIL_BOUND {
    return DeviceView<const T>({detail::DeviceAccess::pointer<const T>(address()), size_}, device(),
                               detail::owner_or_closed(memory_));
  }
  template <class Never = void>
  auto view() const&& noexcept {
    return detail::diagnose_view_of_temporary<Never>();
  }
  /// Keeps the memory allocated beyond the buffer's lifetime, for a graph that uses it.
  [[nodiscard]] basic_memory_hold<B> keep() const noexcept { return basic_memory_hold<B>(memory_); }
  /// Delays the free until the work submitted to `stream` so far has ended. Not needed for the
  /// buffer's own stream, nor for work that was given the buffer or a view of it. For a stream that
  /// captures, pass the buffer to the graph with `keep` instead. Errc::stream_null for a
  /// Stream that was moved from or closed, ::memory_closed, ::runtime_failed.
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<void> used_on(basic_stream_ref<B> stream,
                                     call_site site = call_site::current()) const noexcept {
    constexpr Name use = Name::of("record a use");
    result<void> usable = detail::check_open(memory_ == nullptr, use, site);
    if (usable.has_value()) usable = detail::check_stream<Level>(use, stream, site);
    return usable.has_value()
               ? detail::record_uses(stream, site, static_cast<detail::MemoryOwner*>(memory_))
               : usable;
  }

  /// Sets every byte to 0, in the order of `stream`. Errc::runtime_failed; checked builds:
  /// Errc::memory_wrong_device if the stream's device cannot access the memory.
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<void> zero(basic_stream_ref<B> stream,
                                  call_site site = call_site::current()) noexcept {
    return fill_bytes<Level>(stream, std::byte{0}, site);
  }
  /// Diagnoses a missing stream.
  template <class Never = void>
  [[nodiscard]] result<void> zero() noexcept {
    return detail::diagnose_missing_stream<Never>();
  }
  /// Sets every byte to `value`, a std::byte, in the order of `stream`. Errc as `zero`.
  template <CheckLevel Level = current_level, class Byte>
  [[nodiscard]] result<void> fill_bytes(basic_stream_ref<B> stream, Byte value,
                                        call_site site = call_site::current()) noexcept {
    if constexpr (detail::check_fill_value<Byte>()) {
      return detail::fill_memory<Level>(memory_, size_ * sizeof(T), value, stream, site);
    } else {
      return success();
    }
  }
  /// Copies the elements to the host, after the work submitted to `stream` so far. The target is
  /// pageable memory, so this call waits for the copy; `copy` into a PinnedBuffer does not wait.
  /// `get` of the returned Pending returns a std::vector of the elements, of unsigned char if T is
  /// bool, or the error: Errc::out_of_memory (of the host), ::stream_capturing, ::runtime_failed,
  /// ::execution_failed.
  template <CheckLevel Level = current_level>
  [[nodiscard]] basic_pending<B, detail::HostElements<T>> to_host(
      basic_stream_ref<B> stream, call_site site = call_site::current()) const noexcept {
    return detail::read_back<Level, B, T>(stream, rows(), site);
  }
  /// Diagnoses a missing stream. The return type is deduced, so that this is the first error.
  template <class Never = void>
  auto to_host() const noexcept {
    return detail::diagnose_missing_stream<Never>();
  }
  /// Diagnoses a pointer for host code.
  template <class U = T>
  U* data() const noexcept {
    return detail::diagnose_address_on_host<U>();
  }
  /// Diagnoses host code that reads an element.
  template <class Index>
  auto operator[](const Index&) const noexcept {
    return detail::diagnose_element_on_host<T, Index>();
  }

 private:
  friend struct detail::CopyOperand<basic_device_buffer>;
  basic_device_buffer(detail::DeviceMemory<B>* memory, std::size_t size) noexcept
      : memory_(memory), size_(size) {}

  [[gnu::noinline]] void drop() noexcept {
    const int of = device();
    detail::report_dropped(close(call_site{}), of);
  }
  [[nodiscard]] T* address() const noexcept {
    return memory_ == nullptr ? nullptr : static_cast<T*>(memory_->data());
  }
  [[nodiscard]] int device() const noexcept {
    return memory_ == nullptr ? -1 : stream().device().value();
  }
  [[nodiscard]] detail::CopyRows rows() const noexcept {
    const int device = memory_ == nullptr ? -1 : memory_->of_device;
    detail::CopyRows all = detail::CopyRows::flat(address(), size_, device);
    all.owner = memory_;
    all.closed = memory_ == nullptr;
    return all;
  }

  detail::DeviceMemory<B>* memory_;  // nullptr if moved from or closed
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
};
}  // namespace detail

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
