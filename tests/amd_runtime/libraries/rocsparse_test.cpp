// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "library_launch.hpp"
#include <warpsafe/handles/stream_bound.hpp>

#include <rocsparse/rocsparse.h>

// warpsafe has no header for rocSPARSE, so this is also a test of traits that a user writes.
template <>
struct warpsafe::handle_traits<rocsparse_handle>
    : HandleCalls<hip_backend, rocsparse_create_handle, rocsparse_destroy_handle,
                  rocsparse_set_stream, rocsparse_get_stream>,
      PointerModeCalls<rocsparse_set_pointer_mode, rocsparse_get_pointer_mode,
                       rocsparse_pointer_mode_host, rocsparse_pointer_mode_device> {
  using refused =
      Functions<rocsparse_set_stream, rocsparse_destroy_handle, rocsparse_set_pointer_mode>;
  static constexpr Name name = Name::of("rocSPARSE");
  static constexpr int inner_handles = 0;
};

namespace {

TEST_F(LibraryOverAmd, RocsparseWorksOnTheStreamOfItsHandle) {
  constexpr rocsparse_int size = 1000;
  auto indices = buffer<rocsparse_int>(size);
  auto x = buffer<float>(size);
  auto y = buffer<float>(size);
  auto sparse = ws::StreamBound<rocsparse_handle>::create(stream_).value();
  const auto with = [&](const auto& factor) {
    return [&] {
      return sparse.call<rocsparse_saxpyi>(size, factor, x.view(), indices.view(), y.view(),
                                           rocsparse_index_base_zero);
    };
  };
  const float two = 2;
  expect_launch(stream_, other_, with(ws::host_scalar(two)), {"axpyi"}, y.view().pointer().get());
  // rocSPARSE 5.3 copies this factor to the host, and waits for it.
  expect_success(with(ws::device_scalar(x.view()))());
}

TEST_F(LibraryOverAmd, AChangedStreamOfRocsparseIsRefused) {
  auto x = buffer<float>(8);
  auto indices = buffer<rocsparse_int>(8);
  auto sparse = ws::StreamBound<rocsparse_handle>::create(stream_).value();
  ASSERT_EQ(rocsparse_set_stream(sparse.native(), other_.native()), rocsparse_status_success);
  const auto refused = sparse.call<rocsparse_saxpyi>(
      8, ws::host_scalar(2.0F), x.view(), indices.view(), x.view(), rocsparse_index_base_zero);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ws::Errc::handle_stream_changed);
}

}  // namespace
