// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/call_scope.hpp>
#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/observing.hpp>
#include <warpsafe/core/detail/refused.hpp>
#include <warpsafe/dims/bytes.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/memory/detail/buffer_diagnostics.hpp>
#include <warpsafe/memory/detail/copy_operand.hpp>
#include <warpsafe/stream/detail/beside_captures.hpp>

#include <cstddef>
#include <span>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// Elements in page-locked host memory, which a copy needs to run beside host code. A copy moves
/// the buffer into a Pending, which hands it back when the copy has ended, so that the host cannot
/// touch it in between. Allocating and freeing may wait for the device, so do both up front.
/// Move-only. Sizes are in elements.
template <class B, class T>
class WARPSAFE_DETAIL_OWNER basic_pinned_buffer {
  static_assert(detail::check_element<T>());

 public:
  using element_type = T;

  /// Allocates `count` uninitialised elements; 0 makes an empty buffer. Does not break a capture.
  /// Errc::size_negative, ::bytes_overflow, ::out_of_memory (of the host), ::no_device,
  /// ::runtime_failed.
  template <CheckLevel Level = current_level, class Count>
  [[nodiscard]] static result<basic_pinned_buffer> create(
      Count count, call_site site = call_site::current()) noexcept {
    const auto bytes = Bytes::create<T>(count, site);
    if (!bytes.has_value()) return bytes.assume_error();
    void* memory = nullptr;
    if (bytes.assume_value().value() != 0) {
      const detail::CallScope<B> here(site);
      const detail::RelaxedCaptureScope<B, Level> outside;
      if (const int status = B::host_allocate(memory, bytes.assume_value().value())) {
        LaunchError error =
            detail::runtime_error<B>(status, Name::of("allocate pinned memory"), site);
        error.value = bytes.assume_value().value();
        return error;
      }
      detail::tell_call<Level>(detail::NoStream{}, Name::of("allocate pinned memory"), site, memory,
                               bytes.assume_value().value());
    }
    return basic_pinned_buffer(static_cast<T*>(memory), bytes.assume_value().value() / sizeof(T),
                               &drop_at<Level>);
  }
  /// Diagnoses a stream, which pinned memory does not belong to.
  template <class S, class Count>
  requires(!std::is_convertible_v<Count, call_site>)
      [[nodiscard]] static result<basic_pinned_buffer> create(const S&, Count) noexcept {
    static_assert(
        std::is_void_v<S>,
        "warpsafe: pinned memory belongs to no stream; write PinnedBuffer<T>::create(count)");
    return LaunchError::make(Errc::stream_null, Stage::construction);
  }

#define WARPSAFE_DETAIL_SENTENCE \
  "warpsafe: a buffer is made by a function that can fail: WARPSAFE_TRY(auto pinned, PinnedBuffer<float>::create(count))"
  WARPSAFE_DETAIL_NO_CONSTRUCTOR(basic_pinned_buffer);
#undef WARPSAFE_DETAIL_SENTENCE
  basic_pinned_buffer(basic_pinned_buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        open_(std::exchange(other.open_, false)),
        drop_(other.drop_) {}
  basic_pinned_buffer& operator=(basic_pinned_buffer&& other) noexcept {
    if (this != &other) {
      drop_(*this);
      data_ = std::exchange(other.data_, nullptr);
      size_ = std::exchange(other.size_, 0);
      open_ = std::exchange(other.open_, false);
      drop_ = other.drop_;
    }
    return *this;
  }
  basic_pinned_buffer(const basic_pinned_buffer&,  // warpsafe: move the buffer, or pass its span()
                      detail::MoveItOrPassItsView = {}) = delete;
  basic_pinned_buffer& operator=(const basic_pinned_buffer&) = delete;
  // A destructor cannot return a status; close() does.
  ~basic_pinned_buffer() { drop_(*this); }

  /// Frees the memory and returns the runtime's error. Errc::runtime_failed, ::execution_failed.
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<void> close(call_site site = call_site::current()) noexcept {
    open_ = false;
    if (data_ == nullptr) return success();
    detail::tell_call<Level>(detail::NoStream{}, Name::of("free pinned memory"), site, data_,
                             size_ * sizeof(T));
    size_ = 0;
    const detail::CallScope<B> here(site);
    const detail::RelaxedCaptureScope<B, Level> outside;
    if (const int status = B::host_deallocate(std::exchange(data_, nullptr))) {
      return detail::runtime_error<B>(status, Name::of("free pinned memory"), site);
    }
    return success();
  }

  /// In elements.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  /// The elements, for host code. Does not compile for a temporary buffer, whose memory would be
  /// freed.
  [[nodiscard]] std::span<T> span() & noexcept WARPSAFE_DETAIL_BOUND { return {data_, size_}; }
  [[nodiscard]] std::span<const T> span() const& noexcept WARPSAFE_DETAIL_BOUND {
    return {data_, size_};
  }
  template <class Never = void>
  auto span() const&& noexcept {
    return detail::diagnose_view_of_temporary<Never>();
  }

 private:
  friend struct detail::CopyOperand<basic_pinned_buffer>;
  /// `close` at the check level of the buffer's creator.
  using Drop = void (*)(basic_pinned_buffer& self) noexcept;
  template <CheckLevel Level>
  static void drop_at(basic_pinned_buffer& self) noexcept {
    detail::report_dropped(self.template close<Level>(call_site{}));
  }
  basic_pinned_buffer(T* data, std::size_t size, Drop drop) noexcept
      : data_(data), size_(size), drop_(drop) {}
  T* data_;
  std::size_t size_;
  bool open_ = true;  ///< not closed and not moved from
  Drop drop_;
};

namespace detail {
template <class B, class T>
struct CopyOperand<basic_pinned_buffer<B, T>> {
  static constexpr bool known = true;
  static constexpr CopyPlace place = CopyPlace::pinned;
  using element = T;
  using backend = B;
  [[nodiscard]] static CopyRows rows(basic_pinned_buffer<B, T>& buffer) noexcept {
    CopyRows all = CopyRows::flat(buffer.data_, buffer.size_);
    all.closed = !buffer.open_;
    return all;
  }
};
}  // namespace detail

template <class T>
using PinnedBuffer = basic_pinned_buffer<default_backend, T>;

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
