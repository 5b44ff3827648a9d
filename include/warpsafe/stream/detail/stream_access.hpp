// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/call_site.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/stream/stream_ref.hpp>

namespace warpsafe::detail {

/// A stream as `<<<>>>` takes it, the default stream 0 included: for launches as written alone.
struct StreamAccess {
  template <class B>
  static basic_stream_ref<B> make(void* stream, int device) noexcept {
    return basic_stream_ref<B>(stream, device);
  }
  /// A wait that is not given up: memory that the work uses is given back after it.
  template <CheckLevel Level, class B>
  [[nodiscard]] static result<void> wait_to_the_end(const basic_stream_ref<B>& stream,
                                                    call_site site) noexcept {
    return stream.template wait<Level>(site, false);
  }
};
template <class B>
[[nodiscard]] basic_stream_ref<B> stream_as_written(typename B::native_stream stream,
                                                    int device) noexcept {
  return StreamAccess::make<B>(stream, device);
}

}  // namespace warpsafe::detail
