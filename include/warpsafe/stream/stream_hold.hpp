// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/stream/detail/shared_stream.hpp>
#include <warpsafe/stream/stream.hpp>
#include <warpsafe/stream/stream_ref.hpp>

#include <utility>

namespace warpsafe {

/// What keeps a stream alive for something that is bound to it: a function that binds takes one,
/// and is called with a Stream, or with a StreamRef to one. A stream that was borrowed is its
/// owner's to keep until what is bound is gone. Copyable.
template <class B>
class basic_stream_hold {
 public:
  basic_stream_hold(const basic_stream<B>& stream) noexcept  // NOLINT(google-explicit-constructor)
      : ref_(stream.ref_), shared_(stream.shared_) {
    if (shared_ != nullptr) shared_->retain();
  }
  basic_stream_hold(basic_stream<B>&&) =
      delete;  // a temporary would be gone before what is bound to it
  basic_stream_hold(const basic_stream<B>&&) = delete;
  basic_stream_hold(basic_stream_ref<B> stream) noexcept  // NOLINT(google-explicit-constructor)
      : ref_(stream), shared_(detail::SharedStream<B>::find(stream.native())) {}

  basic_stream_hold(const basic_stream_hold& other) noexcept
      : ref_(other.ref_), shared_(other.shared_) {
    if (shared_ != nullptr) shared_->retain();
  }
  basic_stream_hold(basic_stream_hold&& other) noexcept
      : ref_(other.ref_), shared_(std::exchange(other.shared_, nullptr)) {}
  basic_stream_hold& operator=(basic_stream_hold other) noexcept {
    std::swap(ref_, other.ref_);
    std::swap(shared_, other.shared_);
    return *this;
  }
  // The status of a stream's destruction has no one to go to here.
  ~basic_stream_hold() {
    if (shared_ != nullptr) static_cast<void>(shared_->release());
  }
  [[nodiscard]] basic_stream_ref<B> ref() const noexcept { return ref_; }

 private:
  basic_stream_ref<B> ref_;
  detail::SharedStream<B>* shared_;
};

}  // namespace warpsafe
