// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/core/detail/arithmetic.hpp>
#include <warpsafe/core/detail/refused.hpp>
#include <warpsafe/dims/bytes.hpp>
#include <warpsafe/dims/extent.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/memory/detail/buffer_diagnostics.hpp>
#include <warpsafe/memory/detail/buffer_use.hpp>
#include <warpsafe/memory/detail/copy_calls.hpp>
#include <warpsafe/memory/detail/copy_operand.hpp>
#include <warpsafe/memory/detail/device_memory.hpp>
#include <warpsafe/memory/detail/fill.hpp>
#include <warpsafe/memory/memory_hold.hpp>
#include <warpsafe/memory/pending.hpp>
#include <warpsafe/memory/pitched_view.hpp>
#include <warpsafe/stream/stream.hpp>
#include <warpsafe/stream/stream_hold.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// A matrix in device memory. Each row begins at an address that allows fast access. Copies to and
/// from host memory use rows without gaps. Otherwise like a DeviceBuffer.
template <class B, class T>
class WARPSAFE_DETAIL_OWNER basic_pitched_buffer {
  static_assert(detail::check_element<T>());

 public:
  using element_type = T;

  /// Allocates uninitialised elements for `size`, which is written extent{rows{m}, cols{n}}.
  /// Errc::size_negative, ::size_overflow, ::bytes_overflow, ::out_of_memory.
  template <CheckLevel Level = current_level>
  [[nodiscard]] static result<basic_pitched_buffer> create(
      basic_stream_hold<B> stream, extent<2> size, call_site site = call_site::current()) noexcept {
    for (int axis = 0; axis < 2; ++axis) {
      if (size.negative(axis)) {
        return LaunchError::make(Errc::size_negative, Stage::construction, size.size(axis), 0,
                                 static_cast<Axis>(axis), site);
      }
    }
    std::uint64_t elements = 0;
    if (!detail::multiply(size.size(0), size.size(1), elements)) {
      LaunchError error = LaunchError::make(Errc::size_overflow, Stage::construction, size.size(0),
                                            size.size(1), Axis::none, site);
      error.extra = 1;  // third_extent()
      return error;
    }
    std::uint64_t width = 0;
    std::uint64_t bytes = 0;
    const bool fits = detail::multiply(size.size(0), std::uint64_t{sizeof(T)}, width) &&
                      width <= ~std::uint64_t{0} - row_alignment &&
                      detail::multiply(pitch_of(width), size.size(1), bytes);
    if (!fits) {
      return LaunchError::make(Errc::bytes_overflow, Stage::construction, elements, sizeof(T),
                               Axis::none, site);
    }
    const auto memory = detail::DeviceMemory<B>::template allocate<Level>(
        std::move(stream), Bytes(bytes), false, site);
    if (!memory.has_value()) return memory.assume_error();
    return basic_pitched_buffer(memory.assume_value(), size.size(1), size.size(0));
  }
  /// Diagnoses a missing stream or extent, numbers without axes, and a stream that is still a
  /// result.
  template <class First, class... More>
  requires(sizeof...(More) == 0 || !std::is_convertible_v<const First&, basic_stream_hold<B>> ||
           (detail::is_size<More> || ...))
      [[nodiscard]] static result<basic_pitched_buffer> create(const First&,
                                                               const More&...) noexcept {
    static_assert(
        std::is_void_v<First>,
        "warpsafe: create takes a stream, not its result, and then the extent: create(stream, extent{rows{m}, cols{n}})");
    return LaunchError::make(Errc::stream_null, Stage::construction);
  }

#define WARPSAFE_DETAIL_SENTENCE \
  "warpsafe: a buffer is made by a function that can fail: WARPSAFE_TRY(auto m, PitchedBuffer<float>::create(stream, extent{rows{m}, cols{n}}))"
  WARPSAFE_DETAIL_NO_CONSTRUCTOR(basic_pitched_buffer);
#undef WARPSAFE_DETAIL_SENTENCE
  basic_pitched_buffer(basic_pitched_buffer&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)),
        rows_(std::exchange(other.rows_, 0)),
        cols_(std::exchange(other.cols_, 0)) {}
  basic_pitched_buffer& operator=(basic_pitched_buffer&& other) noexcept {
    if (this != &other) {
      drop();
      memory_ = std::exchange(other.memory_, nullptr);
      rows_ = std::exchange(other.rows_, 0);
      cols_ = std::exchange(other.cols_, 0);
    }
    return *this;
  }
  basic_pitched_buffer(const basic_pitched_buffer&,  // warpsafe: move it, or pass its view()
                       detail::MoveItOrPassItsView = {}) = delete;
  basic_pitched_buffer& operator=(const basic_pitched_buffer&) = delete;
  // A destructor cannot return a status; close() does.
  ~basic_pitched_buffer() { drop(); }

  /// See DeviceBuffer::close. Errc::runtime_failed.
  [[nodiscard]] result<void> close(call_site site = call_site::current()) noexcept {
    rows_ = cols_ = 0;
    if (memory_ == nullptr) return success();
    const detail::CallScope<B> here(site);
    const int of = device();
    const int status = std::exchange(memory_, nullptr)->release();
    if (status != 0) [[unlikely]]
      return detail::free_error<B>(status, of, site);
    return success();
  }

  /// In elements.
  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t cols() const noexcept { return cols_; }
  [[nodiscard]] extent<2> size() const noexcept {
    return extent<2>{warpsafe::rows{rows_}, warpsafe::cols{cols_}};
  }
  /// The stream that the memory was allocated on. For a buffer that was moved from or closed, that
  /// of a closed Stream: calls on it return Errc::stream_null.
  [[nodiscard]] basic_stream_ref<B> stream() const noexcept {
    return memory_ == nullptr ? detail::StreamAccess::closed<B>() : memory_->stream();
  }
  /// The argument for kernels and copies. Does not compile for a temporary buffer, whose memory
  /// would be freed.
  [[nodiscard]] PitchedView<T> view() & noexcept WARPSAFE_DETAIL_BOUND { return make_view<T>(); }
  [[nodiscard]] PitchedView<const T> view() const& noexcept WARPSAFE_DETAIL_BOUND {
    return make_view<const T>();
  }
  template <class Never = void>
  auto view() const&& noexcept {
    return detail::diagnose_view_of_temporary<Never>();
  }
  /// See DeviceBuffer::keep.
  [[nodiscard]] basic_memory_hold<B> keep() const noexcept { return basic_memory_hold<B>(memory_); }
  /// See DeviceBuffer::used_on.
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

  /// Sets every byte to 0, in the order of `stream`. Errc as DeviceBuffer::zero.
  template <CheckLevel Level = current_level>
  [[nodiscard]] result<void> zero(basic_stream_ref<B> stream,
                                  call_site site = call_site::current()) noexcept {
    return fill_bytes<Level>(stream, std::byte{0}, site);
  }
  /// Sets every byte to `value`, a std::byte, in the order of `stream`. Errc as `zero`.
  template <CheckLevel Level = current_level, class Byte>
  [[nodiscard]] result<void> fill_bytes(basic_stream_ref<B> stream, Byte value,
                                        call_site site = call_site::current()) noexcept {
    if constexpr (detail::check_fill_value<Byte>()) {
      // Includes the padding between the rows.
      const std::size_t width = cols_ * sizeof(T);
      const std::size_t bytes =
          rows_ == 0 || cols_ == 0 ? 0 : (rows_ - 1) * pitch_of(width) + width;
      return detail::fill_memory<Level>(memory_, bytes, value, stream, site);
    } else {
      return success();
    }
  }
  /// Copies the elements to the host, row after row without gaps; see DeviceBuffer::to_host.
  template <CheckLevel Level = current_level>
  [[nodiscard]] basic_pending<B, detail::HostElements<T>> to_host(
      basic_stream_ref<B> stream, call_site site = call_site::current()) const noexcept {
    return detail::read_back<Level, B, T>(stream, copy_rows(), site);
  }

  /// Diagnoses host code that reads an element or a row.
  template <class Index>
  auto operator[](const Index&) const noexcept {
    return detail::diagnose_element_on_host<T, Index>();
  }

  /// Diagnoses a pointer for host code.
  template <class U = T>
  U* data() const noexcept {
    return detail::diagnose_address_on_host<U>();
  }

 private:
  friend struct detail::CopyOperand<basic_pitched_buffer>;
  /// Aligns each row as an allocation is aligned: to at least 256 bytes (CUDA C++ Programming
  /// Guide, "Device Memory Accesses").
  static constexpr std::uint64_t row_alignment = 256;
  static constexpr std::uint64_t pitch_of(std::uint64_t width) noexcept {
    return detail::place_after(width, row_alignment);
  }

  basic_pitched_buffer(detail::DeviceMemory<B>* memory, std::size_t rows, std::size_t cols) noexcept
      : memory_(memory), rows_(rows), cols_(cols) {}
  void drop() noexcept {
    const int of = device();
    detail::report_dropped(close(call_site{}), of);
  }
  [[nodiscard]] int device() const noexcept {
    return memory_ == nullptr ? -1 : stream().device().value();
  }
  template <class U>
  [[nodiscard]] PitchedView<U> make_view() const noexcept {
    void* const start = memory_ == nullptr ? nullptr : memory_->data();
    return detail::PitchedAccess::make(static_cast<U*>(start), pitch_of(cols_ * sizeof(T)), rows_,
                                       cols_, device(), detail::owner_or_closed(memory_));
  }
  [[nodiscard]] detail::CopyRows copy_rows() const noexcept {
    const PitchedView<T> all = make_view<T>();
    detail::CopyRows rows = detail::PitchedAccess::rows_of(all);
    rows.closed = memory_ == nullptr;
    if (memory_ != nullptr) rows.device = memory_->of_device;
    return rows;
  }

  detail::DeviceMemory<B>* memory_;  // nullptr if moved from or closed
  std::size_t rows_;
  std::size_t cols_;
};

template <class T>
using PitchedBuffer = basic_pitched_buffer<default_backend, T>;

namespace detail {
template <class B, class T>
struct CopyOperand<basic_pitched_buffer<B, T>> {
  static constexpr bool known = true;
  static constexpr CopyPlace place = CopyPlace::device;
  using element = T;
  using backend = B;
  [[nodiscard]] static CopyRows rows(const basic_pitched_buffer<B, T>& buffer) noexcept {
    return buffer.copy_rows();
  }
};
}  // namespace detail

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
