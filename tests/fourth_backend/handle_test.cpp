// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A library's handle on streams of a backend that the library does not know.

#include "fixture.hpp"
#include <warpsafe/handles/stream_bound.hpp>

#include <utility>
#include <vector>

namespace blas {

WARPSAFE_KERNEL void scale_kernel(int n, float factor, float* x) {
  for (int i = 0; i < n; ++i) x[i] *= factor;
}

// A C library with one function.
struct Context {
  serial::Stream* stream = nullptr;
};
using handle = Context*;
enum status { success = 0, failed = 1 };

inline status create(handle* made) {
  *made = new Context;
  return success;
}
inline status destroy(handle old) {
  delete old;
  return success;
}
inline status set_stream(handle to, serial::Stream* stream) {
  to->stream = stream;
  return success;
}
inline status get_stream(handle from, serial::Stream** stream) {
  *stream = from->stream;
  return success;
}
inline status scale(handle with, int n, float factor, float* x) {
  if (n < 0) return failed;
  const auto stream = warpsafe::basic_stream_ref<serial::backend>::borrow(
      with->stream, warpsafe::DeviceId(with->stream->device));
  const warpsafe::LaunchConfig once{warpsafe::grid<1>, warpsafe::block<1>};
  return warpsafe::launch<warpsafe::CheckLevel::off>(
             stream.value(), once, warpsafe::kernel<scale_kernel>, n, factor, warpsafe::trust(x))
                 .has_value()
             ? success
             : failed;
}

}  // namespace blas

template <>
struct warpsafe::handle_traits<blas::handle> {
  using backend = serial::backend;
  using native = blas::handle;
  using status = blas::status;
  using refused = Functions<blas::set_stream, blas::destroy>;
  static constexpr Name name = Name::of("blas");
  static constexpr int inner_handles = 0;
  static status create(native& handle) noexcept { return blas::create(&handle); }
  static status destroy(native handle) noexcept { return blas::destroy(handle); }
  static Name status_name(status value) noexcept {
    return Name::of(value == blas::success ? "success" : "failed");
  }
  static Name status_text(status) noexcept { return {}; }
  static status set_stream(native handle, serial::Stream* stream) noexcept {
    return blas::set_stream(handle, stream);
  }
  static status get_stream(native handle, serial::Stream*& stream) noexcept {
    return blas::get_stream(handle, &stream);
  }
};

namespace serial_test::handle_test {
namespace {

using Blas = ws::StreamBound<blas::handle>;
using ws::Errc;

struct FourthHandle : SerialTest {
  DeviceBuffer<float> x = DeviceBuffer<float>::from(stream, counting(4)).value();
};

TEST_F(FourthHandle, CallsOnItsStream) {
  auto bound = Blas::create(stream).value();
  ASSERT_TRUE(bound.call<blas::scale>(4, 2.0F, x.view()).has_value());
  EXPECT_EQ(x.to_host(stream).get().value().back(), 6.0F);
  auto moved = std::move(bound).rebind(other).value();
  EXPECT_EQ(moved.native()->stream, other.native());
  EXPECT_TRUE(moved.close().has_value());
}

TEST_F(FourthHandle, ItsErrorsNameTheFunctionAndTheStatus) {
  auto bound = Blas::create(stream).value();
  const auto refused = bound.call<blas::scale>(-1, 2.0F, x.view());
  EXPECT_EQ(error_code(refused), Errc::library_failed);
  EXPECT_NE(error_text(refused).find("scale"), std::string::npos) << error_text(refused);
  if (asks_driver) {
    bound.native()->stream = other.native();
    EXPECT_EQ(error_code(bound.call<blas::scale>(4, 2.0F, x.view())), Errc::handle_stream_changed);
  }
}

}  // namespace
}  // namespace serial_test::handle_test
