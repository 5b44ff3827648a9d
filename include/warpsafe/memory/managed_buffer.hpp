// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/device_view.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/capture_hooks.hpp>
#include <warpsafe/core/detail/refused.hpp>
#include <warpsafe/dims/bytes.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/memory/detail/buffer_diagnostics.hpp>
#include <warpsafe/memory/detail/buffer_use.hpp>
#include <warpsafe/memory/detail/copy_calls.hpp>
#include <warpsafe/memory/detail/copy_operand.hpp>
#include <warpsafe/memory/detail/device_memory.hpp>
#include <warpsafe/memory/pending.hpp>
#include <warpsafe/stream/detail/device_cache.hpp>
#include <warpsafe/stream/stream.hpp>
#include <warpsafe/stream/stream_hold.hpp>

#include <cstddef>
#include <span>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

template <class B, class T>
class basic_host_managed;

/// Elements in managed memory while the device owns them: kernels take its view(), and the host
/// cannot access the elements. `to_host` turns it into a HostManaged, which the host reads and
/// writes and no kernel takes; `to_device` turns that back into a ManagedBuffer. Move-only. Sizes
/// are in elements.
template <class B, class T>
class WARPSAFE_DETAIL_OWNER basic_managed_buffer {
  static_assert(detail::check_element<T>());

 public:
  using element_type = T;

  /// Allocates `count` uninitialised elements, which are freed when the stream's work has ended.
  /// Errc::unsupported on a device where the host may not access managed memory while a kernel runs
  /// (concurrentManagedAccess is 0: WSL, Jetson); use a DeviceBuffer there. Other errors are those
  /// of DeviceBuffer::create.
  template <CheckLevel Level = current_level, class Count>
  [[nodiscard]] static result<basic_managed_buffer> create(
      basic_stream_hold<B> stream, Count count, call_site site = call_site::current()) noexcept {
    const auto bytes = Bytes::create<T>(count, site);
    if (!bytes.has_value()) return bytes.assume_error();
    const auto limits = device_limits<B>(stream.ref().device(), site);
    if (!limits.has_value()) return limits.assume_error();
    if (!limits.assume_value().concurrent_managed_access) {
      LaunchError error = LaunchError::make(Errc::unsupported, Stage::construction, site);
      error.subcode = Subcode::managed_memory;
      error.operation = Name::of("allocate managed memory");
      error.with_device(limits.assume_value());
      return error;
    }
    const auto memory = detail::DeviceMemory<B>::template allocate<Level>(
        std::move(stream), bytes.assume_value(), true, site);
    if (!memory.has_value()) return memory.assume_error();
    return basic_managed_buffer(basic_memory_hold<B>::adopt(memory.assume_value()),
                                static_cast<T*>(memory.assume_value()->data()),
                                bytes.assume_value().value() / sizeof(T));
  }
  /// Diagnoses a missing stream or count, and a stream that is still a result.
  template <class First, class... More>
  requires(sizeof...(More) == 0 || !std::is_convertible_v<const First&, basic_stream_hold<B>>)
      [[nodiscard]] static result<basic_managed_buffer> create(const First&,
                                                               const More&...) noexcept {
    static_assert(
        std::is_void_v<First>,
        "warpsafe: create takes a stream, not its result, and then the number of elements: create(stream, count)");
    return LaunchError::make(Errc::stream_null, Stage::construction);
  }

#define WARPSAFE_DETAIL_SENTENCE \
  "warpsafe: a buffer is made by a function that can fail: WARPSAFE_TRY(auto x, ManagedBuffer<float>::create(stream, count))"
  WARPSAFE_DETAIL_NO_CONSTRUCTOR(basic_managed_buffer);
#undef WARPSAFE_DETAIL_SENTENCE
  basic_managed_buffer(basic_managed_buffer&& other) noexcept
      : hold_(std::move(other.hold_)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  basic_managed_buffer& operator=(basic_managed_buffer&& other) noexcept {
    hold_ = std::move(other.hold_);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  basic_managed_buffer(const basic_managed_buffer&,  // warpsafe: move it, or pass its view()
                       detail::MoveItOrPassItsView = {}) = delete;
  basic_managed_buffer& operator=(const basic_managed_buffer&) = delete;
  ~basic_managed_buffer() = default;

  /// In elements.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// The argument for kernels. Does not compile for a temporary buffer, whose memory would be
  /// freed.
  [[nodiscard]] DeviceView<T> view() & noexcept WARPSAFE_DETAIL_BOUND {
    return DeviceView<T>({detail::DeviceAccess::pointer<T>(data_), size_},
                         hold_.empty() ? -1 : memory()->stream().device().value(),
                         detail::owner_or_closed(memory()));
  }
  template <class Never = void>
  auto view() const&& noexcept {
    return detail::diagnose_view_of_temporary<Never>();
  }
  /// Hands the elements to the host once the work submitted so far has ended: to `stream`, to the
  /// buffer's own stream, and to each other stream that was given a view of the buffer. If another
  /// stream was given a span or an address, first make `stream` wait for it. `get` returns the
  /// errors: Errc::stream_capturing if `stream` or the buffer's own stream captures,
  /// ::memory_closed for a buffer that was moved from, ::execution_failed, ::runtime_failed.
  /// Checked builds then refuse the buffer's old views until `to_device` (Errc::memory_closed).
  template <CheckLevel Level = current_level>
  [[nodiscard]] basic_pending<B, basic_host_managed<B, T>> to_host(
      basic_stream_ref<B> stream, call_site site = call_site::current()) && noexcept {
    using Host = basic_host_managed<B, T>;
    constexpr Name operation = Name::of("hand managed memory to the host");
    // Whoever captures one of two streams: a wait for a record in a capture would draw the other
    // one into it.
    const bool is_alone = hold_.empty() || memory()->is_own(stream);
    const auto check = [&](basic_stream_ref<B> one) noexcept {
      return is_alone ? detail::check_not_capturing<Level>(one, operation, site)
                      : detail::check_not_capturing<CheckLevel::full>(one, operation, site);
    };
    detail::CaptureLock locked;  // another thread may begin to capture the buffer's own stream
    result<void> allowed = check(stream);
    if (allowed.has_value()) allowed = detail::check_open(hold_.empty(), operation, site);
    // The work on its own stream before that stream's capture could not be waited for.
    if (allowed.has_value()) allowed = check(memory()->reachable());
    if (!allowed.has_value()) {
      return detail::PendingAccess::failed<Level, B, Host>(stream, allowed.assume_error());
    }
    if (const int status = memory()->order_uses_before(stream)) {
      return detail::PendingAccess::failed<Level, B, Host>(
          stream, detail::runtime_error<B>(status, operation, site));
    }
    locked.unlock();
    memory()->of_device = detail::memory_is_at_host;
    basic_memory_hold<B> held = hold_;
    return detail::PendingAccess::make<Level>(stream, Host(std::move(*this)), std::move(held),
                                              site);
  }

  /// Diagnoses a pointer for host code.
  template <class U = T>
  U* data() const noexcept {
    return detail::diagnose_address_on_host<U>();
  }

 private:
  friend class basic_host_managed<B, T>;
  friend struct detail::PrintAccess;
  basic_managed_buffer(basic_memory_hold<B> hold, T* data, std::size_t size) noexcept
      : hold_(std::move(hold)), data_(data), size_(size) {}
  /// nullptr for a buffer that was moved from.
  [[nodiscard]] detail::DeviceMemory<B>* memory() const noexcept { return hold_.memory_; }
  basic_memory_hold<B> hold_;
  T* data_;
  std::size_t size_;
};

/// Managed memory while the host owns it. ManagedBuffer::to_host makes it. Move-only.
template <class B, class T>
class WARPSAFE_DETAIL_OWNER basic_host_managed {
 public:
  basic_host_managed(basic_host_managed&&) noexcept = default;
  basic_host_managed& operator=(basic_host_managed&&) noexcept = default;
  basic_host_managed(const basic_host_managed&,  // warpsafe: move the buffer, or pass its span()
                     detail::MoveItOrPassItsView = {}) = delete;
  basic_host_managed& operator=(const basic_host_managed&) = delete;
  ~basic_host_managed() = default;

  /// In elements.
  [[nodiscard]] std::size_t size() const noexcept { return buffer_.size_; }
  /// The elements, for host code. Does not compile for a temporary.
  [[nodiscard]] std::span<T> span() & noexcept WARPSAFE_DETAIL_BOUND {
    return {buffer_.data_, buffer_.size_};
  }
  [[nodiscard]] std::span<const T> span() const& noexcept WARPSAFE_DETAIL_BOUND {
    return {buffer_.data_, buffer_.size_};
  }
  template <class Never = void>
  auto span() const&& noexcept {
    return detail::diagnose_view_of_temporary<Never>();
  }
  /// Hands the elements back to the device: work submitted from now on may use them.
  [[nodiscard]] basic_managed_buffer<B, T> to_device() && noexcept {
    if (auto* const memory = buffer_.memory())
      memory->of_device = memory->stream().device().value();
    return std::move(buffer_);
  }

 private:
  friend class basic_managed_buffer<B, T>;
  friend struct detail::PrintAccess;
  explicit basic_host_managed(basic_managed_buffer<B, T>&& buffer) noexcept
      : buffer_(std::move(buffer)) {}
  basic_managed_buffer<B, T> buffer_;
};

template <class T>
using ManagedBuffer = basic_managed_buffer<default_backend, T>;
template <class T>
using HostManaged = basic_host_managed<default_backend, T>;

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
