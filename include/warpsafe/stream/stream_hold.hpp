// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/refused.hpp>
#include <warpsafe/stream/detail/shared_stream.hpp>
#include <warpsafe/stream/stream.hpp>
#include <warpsafe/stream/stream_ref.hpp>

#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

namespace detail {
template <class B>
class DeviceMemory;
}

/// Keeps a stream alive for an object that is bound to it. A function that binds an object takes a
/// hold as its parameter; pass a Stream, or a StreamRef to one. The owner of a borrowed stream must
/// keep it until the bound object is destroyed, and everything that keeps its memory. Copyable.
template <class B>
class basic_stream_hold {
 public:
  basic_stream_hold(const basic_stream<B>& stream) noexcept  // NOLINT(google-explicit-constructor)
      : ref_(stream.ref_), shared_(stream.shared_) {
    if (shared_ != nullptr) shared_->retain();
  }
  // A temporary would end before the object bound to it.
#define WARPSAFE_DETAIL_SENTENCE                                                          \
  "warpsafe: this stream is a temporary, which would end before the object bound to it; " \
  "give the Stream a name: WARPSAFE_TRY(const auto stream, Stream::create(DeviceId(0)))"
  template <class Never = void WARPSAFE_DETAIL_WHY>
  WARPSAFE_DETAIL_REFUSED basic_stream_hold(const basic_stream<B>&&) WARPSAFE_DETAIL_REFUSAL(Never);
#undef WARPSAFE_DETAIL_SENTENCE
  basic_stream_hold(basic_stream_ref<B> stream) noexcept  // NOLINT(google-explicit-constructor)
      : ref_(stream), shared_(detail::SharedStream<B>::find(stream.number())) {}

  basic_stream_hold(const basic_stream_hold& other) noexcept
      : ref_(other.ref_), shared_(other.shared_) {
    if (shared_ != nullptr) shared_->retain();
  }
  basic_stream_hold(basic_stream_hold&& other) noexcept
      : ref_(std::exchange(other.ref_, detail::StreamAccess::closed<B>())),
        shared_(std::exchange(other.shared_, nullptr)) {}
  basic_stream_hold& operator=(basic_stream_hold other) noexcept {
    std::swap(ref_, other.ref_);
    std::swap(shared_, other.shared_);
    return *this;
  }
  [[gnu::always_inline]] ~basic_stream_hold() {
    if (shared_ != nullptr) shared_->drop();
  }
  [[nodiscard, gnu::always_inline]] basic_stream_ref<B> ref() const noexcept { return ref_; }

 private:
  friend class detail::DeviceMemory<B>;
  /// Leaves the removal of this holder to the caller. nullptr for a borrowed stream.
  [[nodiscard]] detail::SharedStream<B>* give_up() noexcept {
    return std::exchange(shared_, nullptr);
  }

  basic_stream_ref<B> ref_;
  detail::SharedStream<B>* shared_;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
